! Complex sums as flang compiles them: one of the two products of each part is fused, and a trial
! of the passes to come shows which. The results are those of flang alone, bit by bit, with what is
! made of both sums behind them; with infinities and negative zeros. Which of the forms are
! replaced depends on the CPU.
!
! RUN: %flang -O3 -march=native %s -o %t.plain
! RUN: env TILESMITH=min-work=1 %flang -O3 -march=native -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -O2 -march=x86-64-v3 %s -o %t.plain
! RUN: env TILESMITH="min-work=1;mc=16;nc=16;kc=8" %flang -O2 -march=x86-64-v3 -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! REQUIRES: flang, x86
module forms
contains
  subroutine plain(m, n, l, a, b, c)
    integer, intent(in) :: m, n, l
    complex(8), intent(in) :: a(l, m), b(l, n)
    complex(8), intent(inout) :: c(m, n)
    complex(8) :: s
    integer :: i, j, k
    do j = 1, n
      do i = 1, m
        s = 0
        do k = 1, l
          s = s + a(k, i) * b(k, j)
        end do
        c(i, j) = s
      end do
    end do
  end subroutine
  subroutine scaled(m, n, l, alpha, a, b, beta, c)
    integer, intent(in) :: m, n, l
    complex(8), intent(in) :: alpha, beta, a(l, m), b(l, n)
    complex(8), intent(inout) :: c(m, n)
    complex(8) :: s
    integer :: i, j, k
    do j = 1, n
      do i = 1, m
        s = 0
        do k = 1, l
          s = s + conjg(a(k, i)) * b(k, j)
        end do
        c(i, j) = alpha * s + beta * c(i, j)
      end do
    end do
  end subroutine
  subroutine triangle(n, l, alpha, a, b, beta, c)
    integer, intent(in) :: n, l
    complex(8), intent(in) :: alpha, beta, a(l, n), b(l, n)
    complex(8), intent(inout) :: c(n, n)
    complex(8) :: s
    integer :: i, j, k
    do j = 1, n
      do i = 1, j
        s = 0
        do k = 1, l
          s = s + a(k, i) * b(k, j)
        end do
        c(i, j) = alpha * s + beta * c(i, j)
      end do
    end do
  end subroutine
  subroutine numbers(m, n, l, a, b, c)
    integer, intent(in) :: m, n, l
    complex(4), intent(in) :: a(l, m), b(n, l)
    complex(4), intent(inout) :: c(m, n)
    complex(4) :: s
    integer :: i, j, k
    do j = 1, n
      do i = 1, m
        s = 0
        do k = 1, l
          s = s + conjg(a(k, i)) * conjg(b(j, k))
        end do
        c(i, j) = s
      end do
    end do
  end subroutine
end module

program test
  use forms
  use iso_fortran_env, only: int64, int32
  implicit none
  integer, parameter :: sizes(8) = [1, 2, 3, 8, 17, 24, 33, 50]
  complex(8), allocatable :: a(:, :), b(:, :), c(:, :)
  complex(4), allocatable :: x(:, :), y(:, :), z(:, :)
  integer :: s, n
  do s = 1, size(sizes)
    n = sizes(s)
    allocate (a(n, n), b(n, n), c(n, n), x(n, n), y(n, n), z(n, n))
    call fill(a, 1 + s)
    call fill(b, 2 + s)
    call fill(c, 3 + s)
    x = cmplx(a, kind=4)
    y = cmplx(b, kind=4)
    z = cmplx(c, kind=4)
    call plain(n, n, n, a, b, c)
    call tell(c)
    call scaled(n, n, n, (0.7d0, 0.3d0), a, b, (-0.2d0, 1.1d0), c)
    call tell(c)
    call triangle(n, n, (0.7d0, -0.3d0), a, b, (0.2d0, 1.1d0), c)
    call tell(c)
    call numbers(n, n, n, x, y, z)
    c = z
    call tell(c)
    deallocate (a, b, c, x, y, z)
  end do
contains
  subroutine fill(x, seed)
    complex(8), intent(out) :: x(:, :)
    integer, intent(in) :: seed
    integer :: i, j
    real(8), volatile :: zero = 0
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        x(i, j) = cmplx(sin(real(i * 7 + j * 31 + seed, 8)), cos(real(i * 5 - j * 3 + seed, 8)), kind=8)
        if (mod(i * 13 + j * 7 + seed, 61) == 0) x(i, j) = cmplx(-0.0d0, 0.0d0, kind=8)
        if (size(x, 1) > 20 .and. mod(i * 17 + j * 5 + seed, 499) == 0) x(i, j) = cmplx(1d0 / zero, 1d0, kind=8)
      end do
    end do
  end subroutine
  subroutine tell(x)
    complex(8), intent(in) :: x(:, :)
    integer :: i, j
    integer(int64) :: hash, part
    hash = 5
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        part = transfer(real(x(i, j)), part)
        if (real(x(i, j)) /= real(x(i, j))) part = 1
        hash = ieor(ishftc(hash, 7), part)
        part = transfer(aimag(x(i, j)), part)
        if (aimag(x(i, j)) /= aimag(x(i, j))) part = 1
        hash = ieor(ishftc(hash, 7), part)
      end do
    end do
    print *, size(x, 1), hash
  end subroutine
end program
