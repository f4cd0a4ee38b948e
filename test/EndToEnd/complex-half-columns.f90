! One half of C by columns of complex numbers, as flang compiles them: the reference ZSYRK and ZSYR2K, where the
! last numbers of each column are fused otherwise, wherever the column ends. Steps with a zero are left out, so if a
! number is zero, the loops of the source run; if only one of its parts is, the kernel does. C may be scaled or set to zero first.
!
! RUN: %flang -O3 -march=skylake-avx512 -fpass-plugin=%tilesmith -Rpass=tilesmith -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
! RUN: %flang -O3 -march=native %s -o %t.plain
! RUN: env TILESMITH=min-work=1 %flang -O3 -march=native -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -O3 -march=x86-64-v3 %s -o %t.plain
! RUN: env TILESMITH="min-work=1;mc=16;nc=16;kc=8" %flang -O3 -march=x86-64-v3 -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! REQUIRES: flang, x86
module forms
contains
  ! CHECK-DAG: complex-half-columns.f90:[[#@LINE+7]]:{{.*}} replaced 3-loop nest by complex triangular GEMM f64 (A column-major
  subroutine upper(n, k, alpha, beta, a, b, lda, c, ldc)
    integer, intent(in) :: n, k, lda, ldc
    complex(8), intent(in) :: alpha, beta, a(lda, *), b(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    integer :: i, j, l
    do j = 1, n
      do l = 1, k
        do i = 1, j
          c(i, j) = c(i, j) + b(j, l) * a(i, l)
        end do
      end do
    end do
  end subroutine
  ! CHECK-DAG: complex-half-columns.f90:[[#@LINE+9]]:{{.*}} replaced 3-loop nest by complex triangular GEMM f64 (A computed
  subroutine lower(n, k, alpha, beta, a, b, lda, c, ldc)
    integer, intent(in) :: n, k, lda, ldc
    complex(8), intent(in) :: alpha, beta, a(lda, *), b(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    integer :: i, j, l
    do j = 1, n
      do l = 1, k
        if (a(j, l) /= (0d0, 0d0)) then
          temp = alpha * a(j, l)
          do i = j, n
            c(i, j) = c(i, j) + temp * a(i, l)
          end do
        end if
      end do
    end do
  end subroutine
  ! CHECK-DAG: complex-half-columns.f90:[[#@LINE+7]]:{{.*}} replaced 3-loop nest by complex triangular GEMM f64 (A computed
  subroutine strict(n, k, alpha, beta, a, b, lda, c, ldc)
    integer, intent(in) :: n, k, lda, ldc
    complex(8), intent(in) :: alpha, beta, a(lda, *), b(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    integer :: i, j, l
    do j = 1, n
      do l = 1, k
        temp = alpha * conjg(b(j, l))
        do i = 1, j - 1
          c(i, j) = c(i, j) + temp * a(i, l)
        end do
      end do
    end do
  end subroutine
  ! CHECK-DAG: complex-half-columns.f90:[[#@LINE+8]]:{{.*}} replaced 3-loop nest by complex triangular GEMM f64 (A computed
  subroutine scaled(n, k, alpha, beta, a, b, lda, c, ldc)
    integer, intent(in) :: n, k, lda, ldc
    complex(8), intent(in) :: alpha, beta, a(lda, *), b(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp, other
    integer :: i, j, l
    do j = 1, n
      do i = 1, j
        c(i, j) = beta * c(i, j)
      end do
      do l = 1, k
        if (a(j, l) /= (0d0, 0d0) .or. b(j, l) /= (0d0, 0d0)) then
          temp = alpha * b(j, l)
          other = alpha * a(j, l)
          do i = 1, j
            c(i, j) = c(i, j) + a(i, l) * temp + b(i, l) * other
          end do
        end if
      end do
    end do
  end subroutine
  ! CHECK-DAG: complex-half-columns.f90:[[#@LINE+8]]:{{.*}} replaced 3-loop nest by complex triangular GEMM f64 (A computed
  subroutine cleared(n, k, alpha, beta, a, b, lda, c, ldc)
    integer, intent(in) :: n, k, lda, ldc
    complex(8), intent(in) :: alpha, beta, a(lda, *), b(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    integer :: i, j, l
    do j = 1, n
      do i = j, n
        c(i, j) = 0
      end do
      do l = 1, k
        if (a(j, l) /= (0d0, 0d0)) then
          temp = alpha * a(j, l)
          do i = j, n
            c(i, j) = c(i, j) + temp * a(i, l)
          end do
        end if
      end do
    end do
  end subroutine
end module
program halves
  use forms
  implicit none
  integer, parameter :: ld = 76
  complex(8) :: a(ld, ld), b(ld, ld), c(ld, ld), alpha, beta
  real(8) :: inf
  integer :: t, i, j, n, k, form
  alpha = (0.75d0, -0.3d0)
  beta = (-0.4d0, 1.25d0)
  do t = 1, 32
    n = merge(t, 60 + mod(t, 9), t < 24)
    k = 1 + mod(t * 5, 40)
    do form = 1, 5
      do j = 1, ld
        do i = 1, ld
          a(i, j) = cmplx(mod(i * 7 + j * 13, 131) / 3d0 - 20.1d0, mod(i * 5 + j * 3, 89) / 7d0 - 6.1d0, 8)
          b(i, j) = cmplx(mod(i * 11 + j * 5, 127) / 9d0 - 7.1d0, mod(i * 3 + j * 17, 97) / 11d0 - 4.1d0, 8)
          c(i, j) = cmplx(i / 13d0 - j, -0d0, 8)
        end do
      end do
      select case (mod(t, 5))
      case (1)
        a(1 + mod(t, 6), 1) = 0
      case (2)
        alpha = (0.75d0, 0d0)
        a(1 + mod(t, 6), 1) = (0d0, 2d0)
        b(1, 1) = (-0d0, 3d0)
      case (3)
        inf = 1 / real(t - t, 8)
        a(1 + mod(t, 6), 1) = cmplx(inf, 1d0, 8)
        b(1, 1) = cmplx(-0d0, 0d0, 8)
      end select
      select case (form)
      case (1)
        call upper(n, k, alpha, beta, a, b, ld, c, ld)
      case (2)
        call lower(n, k, alpha, beta, a, b, ld, c, ld)
      case (3)
        call strict(n, k, alpha, beta, a, b, ld, c, ld)
      case (4)
        call scaled(n, k, alpha, beta, a, b, ld, c, ld)
      case (5)
        call cleared(n, k, alpha, beta, a, b, ld, c, ld)
      end select
      print '(4i4, z20)', form, t, n, k, checksum(c)
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
