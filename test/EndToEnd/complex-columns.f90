! Complex products by columns of C as flang compiles them: vectors along a column fuse the products of A's
! real parts, and what they leave over of it fuses others. Each column is made as LLVM makes it, bit by bit,
! also beside its end (C has rows of its own behind the matrix), with infinities and negative zeros.
! Scaled first, as in the reference ZGEMM, it is a copy of the nest that is replaced. What is left of a nest must be
! the same loops as without a guard in front, with no checks of the vectoriser's: LLVM is told what was known.
!
! RUN: %flang -O3 -march=haswell -fpass-plugin=%tilesmith -Rpass=tilesmith -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
! RUN: FileCheck %s --check-prefix=IR < %t.ll
! IR-NOT: vector.scevcheck
! RUN: %flang -O3 -march=native %s -o %t.plain
! RUN: env TILESMITH=min-work=1 %flang -O3 -march=native -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -O2 -march=x86-64-v3 %s -o %t.plain
! RUN: env TILESMITH="min-work=1;mc=16;nc=16;kc=8" %flang -O2 -march=x86-64-v3 -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! REQUIRES: flang, x86
module forms
contains
  ! CHECK-DAG: complex-columns.f90:[[#@LINE+8]]:{{.*}} replaced 3-loop nest by complex GEMM f64 (A computed
  subroutine nn(m, n, k, alpha, a, lda, b, ldb, c, ldc)
    integer, intent(in) :: m, n, k, lda, ldb, ldc
    complex(8), intent(in) :: alpha, a(lda, *), b(ldb, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    integer :: i, j, l
    do j = 1, n
      do l = 1, k
        temp = alpha * b(l, j)
        do i = 1, m
          c(i, j) = c(i, j) + temp * a(i, l)
        end do
      end do
    end do
  end subroutine
  ! CHECK-DAG: complex-columns.f90:[[#@LINE+8]]:{{.*}} replaced 3-loop nest by complex GEMM f64 (A computed
  subroutine nc(m, n, k, alpha, a, lda, b, ldb, c, ldc)
    integer, intent(in) :: m, n, k, lda, ldb, ldc
    complex(8), intent(in) :: alpha, a(lda, *), b(ldb, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    integer :: i, j, l
    do j = 1, n
      do l = 1, k
        temp = alpha * conjg(b(j, l))
        do i = 1, m
          c(i, j) = c(i, j) + temp * a(i, l)
        end do
      end do
    end do
  end subroutine
  subroutine conjugated(m, n, k, alpha, a, lda, b, ldb, c, ldc)
    integer, intent(in) :: m, n, k, lda, ldb, ldc
    complex(8), intent(in) :: alpha, a(lda, *), b(ldb, *)
    complex(8), intent(inout) :: c(ldc, *)
    integer :: i, j, l
    do j = 1, n
      do l = 1, k
        do i = 1, m
          c(i, j) = c(i, j) - conjg(a(i, l)) * (alpha * b(j, l))
        end do
      end do
    end do
  end subroutine
  ! CHECK-DAG: complex-columns.f90:[[#@LINE+7]]:{{.*}} replaced 3-loop nest by complex GEMM f64 (A strided
  subroutine plain(m, n, k, alpha, a, lda, b, ldb, c, ldc)
    integer, intent(in) :: m, n, k, lda, ldb, ldc
    complex(8), intent(in) :: alpha, a(lda, *), b(ldb, *)
    complex(8), intent(inout) :: c(ldc, *)
    integer :: i, j, l
    do j = 1, n
      do l = 1, k
        do i = 1, m
          c(i, j) = c(i, j) + b(l, j) * a(i, l)
        end do
      end do
    end do
  end subroutine
  ! CHECK-DAG: complex-columns.f90:[[#@LINE+8]]:{{.*}} replaced 3-loop nest by complex GEMM f32 (A computed
  subroutine single(m, n, k, alpha, a, lda, b, ldb, c, ldc)
    integer, intent(in) :: m, n, k, lda, ldb, ldc
    complex(4), intent(in) :: alpha, a(lda, *), b(ldb, *)
    complex(4), intent(inout) :: c(ldc, *)
    complex(4) :: temp
    integer :: i, j, l
    do j = 1, n
      do l = 1, k
        temp = alpha * b(l, j)
        do i = 1, m
          c(i, j) = c(i, j) + temp * a(i, l)
        end do
      end do
    end do
  end subroutine
  ! The reference ZGEMM, with what it has found out of bounds before.
  ! CHECK-DAG: complex-columns.f90:[[#@LINE+11]]:{{.*}} replaced 3-loop nest by complex GEMM f64 (A computed
  subroutine scaled(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
    integer, intent(in) :: m, n, k, lda, ldb, ldc
    complex(8), intent(in) :: alpha, beta, a(lda, *), b(ldb, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    integer :: i, j, l
    if (m < 0) return
    if (n < 0) return
    if (k < 0) return
    if (m == 0 .or. n == 0 .or. (k == 0 .and. beta == (1d0, 0d0))) return
    do j = 1, n
      if (beta == (0d0, 0d0)) then
        do i = 1, m
          c(i, j) = (0d0, 0d0)
        end do
      else if (beta /= (1d0, 0d0)) then
        do i = 1, m
          c(i, j) = beta * c(i, j)
        end do
      end if
      do l = 1, k
        temp = alpha * b(l, j)
        do i = 1, m
          c(i, j) = c(i, j) + temp * a(i, l)
        end do
      end do
    end do
  end subroutine
end module
program columns
  use forms
  implicit none
  integer, parameter :: ld = 72
  complex(8) :: a(ld, ld), b(ld, ld), c(ld, ld), alpha, beta(3)
  complex(4) :: sa(ld, ld), sb(ld, ld), sc(ld, ld)
  real(8) :: inf
  integer :: t, i, j, m, n, k, form
  alpha = (0.75d0, -0.3d0)
  beta = [(0d0, 0d0), (1d0, 0d0), (-0.4d0, 1.25d0)]
  do t = 1, 36
    m = merge(t, 64 + mod(t, 5), t < 24)
    n = 1 + mod(t * 7, 33)
    k = 1 + mod(t * 5, 40)
    do form = 1, 6
      do j = 1, ld
        do i = 1, ld
          a(i, j) = cmplx(mod(i * 7 + j * 13, 131) / 3d0 - 20, mod(i * 5 + j * 3, 89) / 7d0 - 6, 8)
          b(i, j) = cmplx(mod(i * 11 + j * 5, 127) / 9d0 - 7, mod(i * 3 + j * 17, 97) / 11d0 - 4, 8)
          c(i, j) = cmplx(i / 13d0 - j, -0d0, 8)
        end do
      end do
      if (mod(t, 4) == 3) then
        inf = 1 / real(t - t, 8)
        a(1 + mod(t, 6), 1) = cmplx(inf, 1d0, 8)
        b(1, 1) = cmplx(-0d0, 0d0, 8)
      end if
      sa = cmplx(a, kind=4)
      sb = cmplx(b, kind=4)
      sc = cmplx(c, kind=4)
      select case (form)
      case (1)
        call nn(m, n, k, alpha, a, ld, b, ld, c, ld)
      case (2)
        call nc(m, n, k, alpha, a, ld, b, ld, c, ld)
      case (3)
        call conjugated(m, n, k, alpha, a, ld, b, ld, c, ld)
      case (4)
        call plain(m, n, k, alpha, a, ld, b, ld, c, ld)
      case (5)
        call single(m, n, k, cmplx(alpha, kind=4), sa, ld, sb, ld, sc, ld)
        c = cmplx(sc, kind=8)
      case (6)
        call scaled(m, n, k, alpha, a, ld, b, ld, beta(1 + mod(t, 3)), c, ld)
      end select
      print '(5i4, z20)', form, t, m, n, k, checksum(c)
    end do
  end do
contains
  function checksum(c) result(s)
    complex(8), intent(in) :: c(ld, ld)
    integer(8) :: s
    integer :: i, j
    s = 0
    do j = 1, ld
      do i = 1, ld
        s = ishftc(s, 5) + bits(real(c(i, j))) - ieor(s, bits(aimag(c(i, j))))
      end do
    end do
  end function
  function bits(x) result(s)
    real(8), intent(in) :: x
    integer(8) :: s
    s = transfer(x, s)
    if (x /= x) s = 1
  end function
end program
