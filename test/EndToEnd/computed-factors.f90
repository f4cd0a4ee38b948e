! Two products of a step, of which both take a factor that the step computes: with vectors of two such factors, LLVM
! rounds the products in what vectors of rows leave over. And columns below the diagonal, scaled first: the guard of
! the second loop is the outcome of the first one's conditions.
!
! RUN: %flang -cpp -O3 -march=haswell %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %flang -cpp -O3 -march=haswell -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -cpp -O3 -march=native %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %flang -cpp -O3 -march=native -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! REQUIRES: flang, x86
#define FORM(NAME, FIRST, S_IS, T_IS)\
  subroutine NAME(n, k, al, be, a, b, c, ld);\
    integer :: n, k, ld, i, j, l;\
    real(8) :: al, be, a(ld, *), b(ld, *), c(ld, *), s, t;\
    do j = 1, n;\
      do l = 1, k;\
        s = S_IS;\
        t = T_IS;\
        do i = FIRST, n;\
          c(i, j) = c(i, j) + a(i, l) * s + b(i, l) * t;\
        end do;\
      end do;\
    end do;\
  end subroutine
module forms
contains
  FORM(sums, 1, al * b(j, l) + be, al * a(j, l) + be)
  FORM(absolute, 1, abs(b(j, l)), abs(a(j, l)))
  FORM(absolute_below, j, abs(b(j, l)), abs(a(j, l)))
  FORM(quotients, 1, b(j, l) / al, a(j, l) / al)
  FORM(quotients_below, j, b(j, l) / al, a(j, l) / al)
  FORM(differences, 1, b(j, l) - al, a(j, l) - be)
  FORM(both, 1, b(j, l) - a(j, l), b(j, l) + a(j, l))
end module

subroutine scaled(n, k, al, be, a, lda, b, ldb, c, ldc)
  integer :: n, k, lda, ldb, ldc, i, j, l
  real(8) :: al, be, a(lda, *), b(ldb, *), c(ldc, *), s, t
  do j = 1, n
    if (be == 0) then
      do i = j + 1, n
        c(i, j) = 0
      end do
    else if (be /= 1) then
      do i = j + 1, n
        c(i, j) = be * c(i, j)
      end do
    end if
    do l = 1, k
      if (a(j, l) /= 0) then
        s = a(j, l)
        t = al * b(j, l)
        do i = j + 1, n
          c(i, j) = c(i, j) + s * b(i, l) + a(i, l) * t
        end do
      end if
    end do
  end do
end subroutine

program main
  use forms
  external :: scaled
  integer, parameter :: ld = 41
  integer :: n, k, m, seed
  real(8) :: a(ld, ld), b(ld, ld), c(ld, ld), beta(3) = [0d0, 1d0, .3d0]
  seed = 7
  call fill(a)
  call fill(b)
  do n = 1, ld
    do k = 0, 9, 3
      call try(sums, 'sums')
      call try(absolute, 'absolute')
      call try(absolute_below, 'absolute below')
      call try(quotients, 'quotients')
      call try(quotients_below, 'quotients below')
      call try(differences, 'differences')
      call try(both, 'both')
      do m = 1, 3
        seed = n
        call fill(c)
        call scaled(n, k, 1.7d0, beta(m), a, ld, b, ld, c, ld)
        call show('scaled')
      end do
    end do
  end do
contains
  subroutine fill(x)
    real(8) :: x(ld, ld)
    integer :: i, j
    do j = 1, ld
      do i = 1, ld
        seed = mod(seed * 1103 + 12345, 65536)
        x(i, j) = seed / 7d3 - 3
      end do
    end do
  end subroutine

  subroutine try(form, name)
    external :: form
    character(*) :: name
    do m = 1, 3
      seed = n
      call fill(c)
      call form(n, k, 1.7d0, beta(m), a, b, c, ld)
      call show(name)
    end do
  end subroutine

  subroutine show(name)
    character(*) :: name
    print '(a, 3i3, z17)', name, n, k, m, sum([transfer(c, [0_8], ld * ld)])
  end subroutine
end program
