! Fortran's way to leave a nest alone.
!
! REQUIRES: flang
! RUN: %flang -O3 -c %s -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s --implicit-check-not=remark
! CHECK: remark: matrix product not replaced: a hint on the loop forbids
! CHECK: remark: replaced 3-loop nest {{.*}}by GEMM f64

subroutine left_alone(n, a, b, c)
  integer :: n, i, j, k
  real(8) :: a(n, n), b(n, n), c(n, n)
  do j = 1, n
    do k = 1, n
      !dir$ novector
      do i = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine

subroutine replaced(n, a, b, c)
  integer :: n, i, j, k
  real(8) :: a(n, n), b(n, n), c(n, n)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine
