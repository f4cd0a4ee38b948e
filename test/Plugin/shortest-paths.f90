! Steps over one matrix in Fortran, whose arrays are column-major, with the inner loops
! in either order: what is replaced has the same bits.
!
! REQUIRES: flang, system-linux
! RUN: %flang -O3 -march=native %s -o %t.expected
! RUN: %flang -O3 -march=native %s -o %t -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith 2>&1 | FileCheck %s
! RUN: %t.expected > %t.expected.txt
! RUN: %t | diff %t.expected.txt -
! CHECK-COUNT-2: replaced 3-loop nest {{.*}}by pairwise reduction f64

subroutine by_if(n, ld, d)
  integer :: n, ld, i, j, k
  double precision :: d(ld, n)
  do k = 1, n
    do j = 1, n
      do i = 1, n
        if (d(i, k) + d(k, j) < d(i, j)) d(i, j) = d(i, k) + d(k, j)
      end do
    end do
  end do
end subroutine

subroutine by_function(n, ld, d)
  integer :: n, ld, i, j, k
  double precision :: d(ld, n)
  do k = 1, n
    do i = 1, n
      do j = 1, n
        d(i, j) = min(d(i, j), d(i, k) + d(k, j))
      end do
    end do
  end do
end subroutine

program main
  integer, parameter :: sizes(5) = [3, 31, 64, 97, 193]
  double precision, allocatable :: d(:, :)
  integer :: s, way, n, ld, i, j
  do way = 1, 2
    do s = 1, 5
      n = sizes(s)
      ld = n + 2
      allocate (d(ld, n))
      do j = 1, n
        do i = 1, ld
          ! Negative ones make cycles, whose sums depend on the order of steps.
          d(i, j) = mod(i * 37 + j * 101 + i * j, 113) * 0.3d0 - 0.5d0
        end do
      end do
      if (way == 1) call by_if(n, ld, d)
      if (way == 2) call by_function(n, ld, d)
      write (*, '(Z16)') d
      deallocate (d)
    end do
  end do
end program
