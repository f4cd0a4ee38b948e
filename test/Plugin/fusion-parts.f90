! With -ffp-contract=fast, two products that are added one after the other are fused in vectors along a
! column, and rounded in what vectors leave over of it. A trial of the passes to come shows which
! iterations these are, and the rest of columns is made by micro kernels of its own.
!
! RUN: %flang -O3 -march=haswell -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
! RUN: FileCheck %s --check-prefix=IR < %t.ll
! CHECK-DAG: fusion-parts.f90:[[#@LINE+15]]:{{.*}} replaced 3-loop nest {{.*}} by SYR2K f64
! Whether these overlap is only known when the program runs, and so is whether there are vectors.
! CHECK-DAG: fusion-parts.f90:[[#@LINE+28]]:{{.*}} fuses only some of the multiply-adds
! IR: define internal {{.*}}@tilesmith.micro
!
! What the passes at link time do is not known.
! RUN: %flang -O3 -march=haswell -flto -fpass-plugin=%tilesmith -Rpass=tilesmith -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=LTO --allow-empty
! LTO-NOT: SYR2K
! REQUIRES: flang, x86
subroutine syr2k(n, k, alpha, a, b, c)
  integer, intent(in) :: n, k
  real(8), intent(in) :: alpha, a(200, *), b(200, *)
  real(8), intent(inout) :: c(200, *)
  integer :: i, j, l
  do j = 1, n
    do l = 1, k
      do i = j, n
        c(i, j) = c(i, j) + a(i, l) * (alpha * b(j, l)) + b(i, l) * (alpha * a(j, l))
      end do
    end do
  end do
end subroutine
subroutine pointed(n, k, alpha, a, b, c)
  integer, intent(in) :: n, k
  real(8), intent(in) :: alpha
  real(8), pointer, intent(in) :: a(:, :), b(:, :), c(:, :)
  integer :: i, j, l
  do j = 1, n
    do l = 1, k
      do i = j, n
        c(i, j) = c(i, j) + a(i, l) * (alpha * b(j, l)) + b(i, l) * (alpha * a(j, l))
      end do
    end do
  end do
end subroutine
