! With -ffp-contract=fast, the parts of complex numbers in a column of C are fused in one way in vectors,
! and in another one in what vectors leave over. A trial of the passes to come shows which iterations these
! are; one kernel makes both parts, and micro kernels of its own the rest of columns.
!
! RUN: %flang -O3 -march=haswell -fpass-plugin=%tilesmith -Rpass=tilesmith -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
! RUN: FileCheck %s --check-prefix=IR < %t.ll
! CHECK-DAG: complex-columns.f90:[[#@LINE+14]]:{{.*}} replaced 3-loop nest by complex GEMM f64 (A computed
! CHECK-DAG: complex-columns.f90:[[#@LINE+28]]:{{.*}} replaced 3-loop nest by complex GEMM f32 (A computed
! CHECK-DAG: complex-columns.f90:[[#@LINE+53]]:{{.*}} replaced 3-loop nest by complex GEMM f64 (A computed
! What is left of the nest must be the same loops as without a guard in front: LLVM is told what was known.
! IR: define {{.*}}@columns_
! IR-NOT: vector.scevcheck
! REQUIRES: flang, x86
subroutine columns(m, n, k, alpha, a, lda, b, ldb, c, ldc)
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
subroutine singles(m, n, k, alpha, a, lda, b, ldb, c, ldc)
  integer, intent(in) :: m, n, k, lda, ldb, ldc
  complex(4), intent(in) :: alpha, a(lda, *), b(ldb, *)
  complex(4), intent(inout) :: c(ldc, *)
  complex(4) :: temp
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
! As in the reference ZGEMM, C is scaled in front of the steps, and what is known of bounds has been found out far above.
subroutine scaled(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, info)
  integer, intent(in) :: m, n, k, lda, ldb, ldc
  complex(8), intent(in) :: alpha, beta, a(lda, *), b(ldb, *)
  complex(8), intent(inout) :: c(ldc, *)
  integer, intent(out) :: info
  complex(8) :: temp
  integer :: i, j, l
  info = 0
  if (m < 0) then
    info = 1
  else if (n < 0) then
    info = 2
  else if (k < 0) then
    info = 3
  end if
  if (info /= 0) return
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
