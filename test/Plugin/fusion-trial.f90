! With -ffp-contract=fast, a trial of the passes to come shows which products of complex sums are
! fused. Of one subroutine, the first sum has one order for all elements; the second one has not:
! what vectors leave over of a column is fused in another way. Beside a diagonal that is made in each step, it is left.
!
! RUN: %flang -O3 -march=haswell -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith -c %s -o %t.o 2>&1 | FileCheck %s
! CHECK-DAG: fusion-trial.f90:[[#@LINE+16]]:{{.*}} replaced 3-loop nest by complex GEMM f64
! CHECK-DAG: fusion-trial.f90:[[#@LINE+28]]:{{.*}} fuses only some of the multiply-adds
!
! What the passes at link time do is not known.
! RUN: %flang -O3 -march=haswell -flto -fpass-plugin=%tilesmith -Rpass=tilesmith -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=LTO --allow-empty
! LTO-NOT: complex GEMM
! REQUIRES: flang, x86
subroutine products(w, m, n, l, alpha, beta, a, b, c)
  logical, intent(in) :: w
  integer, intent(in) :: m, n, l
  complex(8), intent(in) :: alpha, beta, a(200, *), b(200, *)
  complex(8), intent(inout) :: c(200, *)
  complex(8) :: s
  integer :: i, j, k
  if (w) then
    do j = 1, n
      do i = 1, m
        s = 0
        do k = 1, l
          s = s + a(k, i) * b(k, j)
        end do
        c(i, j) = alpha * s + beta * c(i, j)
      end do
    end do
  else
    do j = 1, n
      do k = 1, l
        s = alpha * b(k, j)
        do i = 1, j - 1
          c(i, j) = c(i, j) + s * a(i, k)
        end do
        c(j, j) = real(c(j, j)) + real(s * a(j, k))
      end do
    end do
  end if
end subroutine
