! The loops of the reference ZHERK with a transposed A, as flang compiles them: each half of C is one complex kernel,
! and the diagonal, a sum of real parts, is left to the loops. The results are those of flang alone, bit by bit.
!
! RUN: %flang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%tilesmith -Rpass=tilesmith -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
! RUN: %flang -O3 -march=native %s -o %t.plain
! RUN: env TILESMITH=min-work=1 %flang -O3 -march=native -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -O3 -march=x86-64-v3 -ffp-contract=off %s -o %t.plain
! RUN: env TILESMITH="min-work=1;mc=16;nc=16;kc=8" %flang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! REQUIRES: flang, x86
module forms
contains
  ! CHECK-DAG: complex-diagonal.f90:[[#@LINE+9]]:{{.*}} replaced 3-loop nest by complex triangular GEMM f64
  subroutine upper(n, k, alpha, beta, a, lda, c, ldc)
    integer, intent(in) :: n, k, lda, ldc
    real(8), intent(in) :: alpha, beta
    complex(8), intent(in) :: a(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    real(8) :: rtemp
    integer :: i, j, l
    do j = 1, n
      do i = 1, j - 1
        temp = 0
        do l = 1, k
          temp = temp + dconjg(a(l, i)) * a(l, j)
        end do
        c(i, j) = alpha * temp + beta * c(i, j)
      end do
      rtemp = 0
      do l = 1, k
        rtemp = rtemp + dble(dconjg(a(l, j)) * a(l, j))
      end do
      c(j, j) = alpha * rtemp + beta * dble(c(j, j))
    end do
  end subroutine
  ! CHECK-DAG: complex-diagonal.f90:{{4[0-9]}}:{{.*}} replaced 3-loop nest by complex triangular GEMM f64
  subroutine lower(n, k, alpha, beta, a, lda, c, ldc)
    integer, intent(in) :: n, k, lda, ldc
    real(8), intent(in) :: alpha, beta
    complex(8), intent(in) :: a(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    real(8) :: rtemp
    integer :: i, j, l
    do j = 1, n
      rtemp = 0
      do l = 1, k
        rtemp = rtemp + dble(dconjg(a(l, j)) * a(l, j))
      end do
      c(j, j) = alpha * rtemp + beta * dble(c(j, j))
      do i = j + 1, n
        temp = 0
        do l = 1, k
          temp = temp + dconjg(a(l, i)) * a(l, j)
        end do
        c(i, j) = alpha * temp + beta * c(i, j)
      end do
    end do
  end subroutine
end module
program diagonal
  use forms
  implicit none
  integer, parameter :: ld = 76
  complex(8) :: a(ld, ld), c(ld, ld)
  real(8) :: beta
  integer :: t, i, j, n, k
  do t = 1, 36
    n = merge(t, 60 + mod(t, 9), t < 24)
    k = 1 + mod(t * 5, 40)
    beta = mod(t, 3) * 0.75d0
    do j = 1, ld
      do i = 1, ld
        a(i, j) = cmplx(mod(i * 7 + j * 13, 131) / 3d0 - 20.1d0, mod(i * 5 + j * 3, 89) / 7d0 - 6.1d0, 8)
        c(i, j) = cmplx(i / 13d0 - j, -0d0, 8)
      end do
    end do
    if (mod(t, 5) == 0) a(1, 1 + mod(t, n)) = cmplx(huge(beta), 1d0, 8)
    if (mod(t, 2) == 0) then
      call upper(n, k, 0.75d0, beta, a, ld, c, ld)
    else
      call lower(n, k, 0.75d0, beta, a, ld, c, ld)
    end if
    do j = 1, n
      do i = 1, n
        if (real(c(i, j)) /= real(c(i, j)) .or. aimag(c(i, j)) /= aimag(c(i, j))) then
          print '(a)', 'nan'
        else
          print '(2z17.16)', real(c(i, j)), aimag(c(i, j))
        end if
      end do
    end do
  end do
end program
