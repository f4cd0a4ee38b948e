! With -ffp-contract=fast, the parts of complex numbers in a column of C are fused in one way in vectors,
! and in another one in what vectors leave over. A trial of the passes to come shows which iterations these
! are; one kernel makes both parts, and micro kernels of its own the rest of columns.
!
! RUN: %flang -O3 -march=haswell -fpass-plugin=%tilesmith -Rpass=tilesmith -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
! RUN: FileCheck %s --check-prefix=IR < %t.ll
! CHECK-DAG: complex-columns.f90:[[#@LINE+13]]:{{.*}} replaced 3-loop nest by complex GEMM f64 (A computed
! CHECK-DAG: complex-columns.f90:[[#@LINE+27]]:{{.*}} replaced 3-loop nest by complex GEMM f32 (A computed
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
