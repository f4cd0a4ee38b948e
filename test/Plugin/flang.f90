! Fortran: a product is replaced, and the bits are equal.
!
! REQUIRES: flang
! RUN: %flang -O3 -march=native %s -o %t.expected
! RUN: %flang -O3 -march=native %s -o %t -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s
! RUN: %t.expected > %t.expected.txt
! RUN: %t | diff %t.expected.txt -

subroutine gemm(m, n, l, a, b, c)
  integer :: m, n, l, i, j, k
  double precision :: a(m, l), b(l, n), c(m, n)
  ! CHECK: flang.f90:{{1[34]:[0-9]+}}: remark: replaced {{.*}}GEMM f64 (A column-major, B column-major, C column-major)
  do j = 1, n
    do k = 1, l
      do i = 1, m
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine

program main
  integer, parameter :: m = 41, n = 61, l = 53
  double precision :: a(m, l), b(l, n), c(m, n)
  integer :: i, j
  do j = 1, l
    do i = 1, m
      a(i, j) = mod(i * 7 + j * 3, 17) * 0.3d0 - 1
    end do
  end do
  do j = 1, n
    do i = 1, l
      b(i, j) = mod(i * 5 + j * 11, 13) * 0.7d0 - 3
    end do
  end do
  c = 0
  call gemm(m, n, l, a, b, c)
  write (*, '(Z16)') c
end program
