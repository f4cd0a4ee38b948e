! Near misses that depend on flags, as cures-flags.c has them: flang fuses by default.
!
! REQUIRES: flang, x86-registered-target
! RUN: %python %S/Inputs/flags.py %flang %tilesmith %s

! EXPECT MixedFusion: a padded image, whose windows are unrolled
! FLAGS -march=haswell
subroutine padded(c, h, w, o, x, k, y)
  integer, intent(in) :: c, h, w, o
  real, intent(in) :: x(w, h, c), k(3, 3, c, o)
  real, intent(out) :: y(w, h, o)
  integer :: i, j, l, p, q, m, u, v
  real :: s
  do m = 1, o
    do j = 1, h
      do i = 1, w
        s = 0
        do l = 1, c
          do q = 1, 3
            do p = 1, 3
              u = i + p - 2
              v = j + q - 2
              if (u >= 1 .and. u <= w .and. v >= 1 .and. v <= h) s = s + x(u, v, l) * k(p, q, l, m)
            end do
          end do
        end do
        y(i, j, m) = s
      end do
    end do
  end do
end subroutine
! CURED -march=haswell -ffp-contract=off

! EXPECT ComplexOrder: complex numbers
! FLAGS -march=haswell
subroutine complex_numbers(n, a, b, c)
  integer, intent(in) :: n
  complex(8), intent(in) :: a(n, n), b(n, n)
  complex(8), intent(inout) :: c(n, n)
  integer :: i, j, k
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine
! CURED -march=haswell -ffp-contract=off
