! The plugin loads into flang.
!
! REQUIRES: flang
! RUN: %flang -O3 -c %s -o %t.o -fpass-plugin=%tilesmith
! RUN: %flang -O3 -c %s -o %t.o -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1

subroutine gemm(n, a, b, c)
  integer :: n, i, j, k
  double precision :: a(n, n), b(n, n), c(n, n)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine
