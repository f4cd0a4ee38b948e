! The loops of the reference ZHERK and ZHER2K without a transposed A, and of ZSYMM and ZHEMM from the right, as flang
! compiles them. In the first two, an element of the diagonal is stored in each step, which is left to the loops; steps
! with a zero are left out. In the others, a factor is made of alpha and an element for the steps on one side of a
! diagonal only. The results are those of flang alone, bit by bit.
!
! RUN: %flang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%tilesmith -Rpass=tilesmith -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
! RUN: %flang -O3 -march=native %s -o %t.plain
! RUN: env TILESMITH=min-work=1 %flang -O3 -march=native -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -O2 -march=x86-64-v3 -ffp-contract=off %s -o %t.plain
! RUN: env TILESMITH="min-work=1;mc=16;nc=16;kc=8" %flang -O2 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! REQUIRES: flang, x86
module forms
contains
  ! CHECK-DAG: complex-diagonal-steps.f90:{{2[0-9]}}:{{.*}} replaced 3-loop nest by complex triangular GEMM f64 (A computed
  subroutine herk_upper(n, k, alpha, beta, a, lda, c, ldc)
    integer, intent(in) :: n, k, lda, ldc
    real(8), intent(in) :: alpha, beta
    complex(8), intent(in) :: a(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    integer :: i, j, l
    do j = 1, n
      do i = 1, j - 1
        c(i, j) = beta * c(i, j)
      end do
      c(j, j) = beta * dble(c(j, j))
      do l = 1, k
        if (a(j, l) /= (0d0, 0d0)) then
          temp = alpha * dconjg(a(j, l))
          do i = 1, j - 1
            c(i, j) = c(i, j) + temp * a(i, l)
          end do
          c(j, j) = dble(c(j, j)) + dble(temp * a(j, l))
        end if
      end do
    end do
  end subroutine
  ! CHECK-DAG: complex-diagonal-steps.f90:{{5[0-9]}}:{{.*}} replaced 3-loop nest by complex triangular GEMM f64 (A computed
  subroutine herk_lower(n, k, alpha, beta, a, lda, c, ldc)
    integer, intent(in) :: n, k, lda, ldc
    real(8), intent(in) :: alpha, beta
    complex(8), intent(in) :: a(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    integer :: i, j, l
    do j = 1, n
      c(j, j) = beta * dble(c(j, j))
      do i = j + 1, n
        c(i, j) = beta * c(i, j)
      end do
      do l = 1, k
        if (a(j, l) /= (0d0, 0d0)) then
          temp = alpha * dconjg(a(j, l))
          c(j, j) = dble(c(j, j)) + dble(temp * a(j, l))
          do i = j + 1, n
            c(i, j) = c(i, j) + temp * a(i, l)
          end do
        end if
      end do
    end do
  end subroutine
  ! CHECK-DAG: complex-diagonal-steps.f90:{{7[0-9]}}:{{.*}} replaced 3-loop nest by complex triangular GEMM f64 (A computed
  subroutine her2k_lower(n, k, alpha, beta, a, b, lda, c, ldc)
    integer, intent(in) :: n, k, lda, ldc
    complex(8), intent(in) :: alpha
    real(8), intent(in) :: beta
    complex(8), intent(in) :: a(lda, *), b(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp, other
    integer :: i, j, l
    do j = 1, n
      do i = j + 1, n
        c(i, j) = beta * c(i, j)
      end do
      c(j, j) = beta * dble(c(j, j))
      do l = 1, k
        if (a(j, l) /= (0d0, 0d0) .or. b(j, l) /= (0d0, 0d0)) then
          temp = alpha * dconjg(b(j, l))
          other = dconjg(alpha * a(j, l))
          do i = j + 1, n
            c(i, j) = c(i, j) + a(i, l) * temp + b(i, l) * other
          end do
          c(j, j) = dble(c(j, j)) + dble(a(j, l) * temp + b(j, l) * other)
        end if
      end do
    end do
  end subroutine
  ! CHECK-DAG: complex-diagonal-steps.f90:[[#@LINE+7]]:{{.*}} replaced 3-loop nest by complex TRMM f64 (A computed
  subroutine symm_right(m, n, alpha, beta, a, b, lda, c, ldc)
    integer, intent(in) :: m, n, lda, ldc
    complex(8), intent(in) :: alpha, beta, a(lda, *), b(lda, *)
    complex(8), intent(inout) :: c(ldc, *)
    complex(8) :: temp
    integer :: i, j, k
    do j = 1, n
      temp = alpha * a(j, j)
      do i = 1, m
        c(i, j) = beta * c(i, j) + temp * b(i, j)
      end do
      do k = 1, j - 1
        temp = alpha * a(k, j)
        do i = 1, m
          c(i, j) = c(i, j) + temp * b(i, k)
        end do
      end do
      do k = j + 1, n
        temp = alpha * dconjg(a(j, k))
        do i = 1, m
          c(i, j) = c(i, j) + temp * b(i, k)
        end do
      end do
    end do
  end subroutine
end module
program diagonal_steps
  use forms
  implicit none
  integer, parameter :: ld = 76
  complex(8) :: a(ld, ld), b(ld, ld), c(ld, ld), alpha, beta
  integer :: t, i, j, n, k, kind
  alpha = (0.75d0, -0.5d0)
  do t = 1, 72
    kind = mod(t, 4)
    n = merge(t / 4, 56 + mod(t, 9), t < 48)
    k = 1 + mod(t * 5, 40)
    beta = mod(t, 3) * (0.75d0, 0.25d0)
    do j = 1, ld
      do i = 1, ld
        a(i, j) = cmplx(mod(i * 7 + j * 13, 131) / 3d0 - 20.1d0, mod(i * 5 + j * 3, 89) / 7d0 - 6.1d0, 8)
        b(i, j) = cmplx(mod(i * 11 + j * 3, 97) / 5d0 - 9.3d0, mod(i + j * 17, 71) / 9d0 - 3.1d0, 8)
        c(i, j) = cmplx(i / 13d0 - j, -0d0, 8)
      end do
    end do
    if (mod(t, 5) == 0) a(1, 1 + mod(t, k)) = (0d0, -0d0)
    if (mod(t, 7) == 0) a(1, 1 + mod(t, k)) = cmplx(huge(1d0), 1d0, 8)
    if (kind == 0) call herk_upper(n, k, 0.75d0, dble(beta), a, ld, c, ld)
    if (kind == 1) call herk_lower(n, k, 0.75d0, dble(beta), a, ld, c, ld)
    if (kind == 2) call her2k_lower(n, k, alpha, dble(beta), a, b, ld, c, ld)
    if (kind == 3) call symm_right(k, n, alpha, beta, a, b, ld, c, ld)
    do j = 1, ld
      do i = 1, ld
        if (real(c(i, j)) /= real(c(i, j)) .or. aimag(c(i, j)) /= aimag(c(i, j))) then
          print '(a)', 'nan'
        else
          print '(2z17.16)', real(c(i, j)), aimag(c(i, j))
        end if
      end do
    end do
  end do
end program
