!===- loops.f90 - Fortran: every kind of loop ----------------------------===!
!
! Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! REQUIRES: flang
! RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %flang -O3 -march=native
! RUN: env TILESMITH="min-work=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %flang -O2 -march=native -ffp-contract=off

include 'forms.inc'

module forms
  use results
  implicit none

contains

  subroutine ijk(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do i = 1, m
      do j = 1, n
        do k = 1, l
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine ikj(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do i = 1, m
      do k = 1, l
        do j = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine jik(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do i = 1, m
        do k = 1, l
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine jki(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine kij(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do k = 1, l
      do i = 1, m
        do j = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine kji(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do k = 1, l
      do j = 1, n
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  ! Downwards.
  subroutine downwards(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = n, 1, -1
      do k = l, 1, -1
        do i = m, 1, -1
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine downwards_sum(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    real(8) :: s
    do j = n, 1, -1
      do i = m, 1, -1
        s = 0
        do k = l, 1, -1
          s = s + a(i, k) * b(k, j)
        end do
        c(i, j) = s
      end do
    end do
  end subroutine

  subroutine steps(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n, 3
      do i = 2, m, 2
        do k = l, 4, -5
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  ! The steps are variables.
  subroutine variable_steps(m, n, l, a, b, c) ! REPLACED; at -O2 MISSED: BoundVaries
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    integer :: step
    step = m / 30
    do j = 1, n, step
      do k = 1, l, step
        do i = 1, m, step
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine long_counters(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    integer(8) :: i8, j8, k8
    do j8 = 1, n
      do k8 = 1, l
        do i8 = 1, m
          c(i8, j8) = c(i8, j8) + a(i8, k8) * b(k8, j8)
        end do
      end do
    end do
  end subroutine

  subroutine short_counters(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    integer(2) :: i2, j2, k2
    do j2 = 1, int(n, 2)
      do k2 = 1, int(l, 2)
        do i2 = 1, int(m, 2)
          c(i2, j2) = c(i2, j2) + a(i2, k2) * b(k2, j2)
        end do
      end do
    end do
  end subroutine

  subroutine do_while(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    j = 1
    do while (j <= n)
      i = 1
      do while (i <= m)
        k = 1
        do while (k <= l)
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
          k = k + 1
        end do
        i = i + 1
      end do
      j = j + 1
    end do
  end subroutine

  ! Loops that end with labels, and start before them.
  subroutine labels(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do 30 j = 1, n
      do 20 k = 1, l
        do 10 i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
    10    continue
    20  continue
    30 continue
  end subroutine

  ! BLAS skips zeros.
  subroutine skipped_zeros(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        if (b(k, j) /= 0) then
          do i = 1, m
            c(i, j) = c(i, j) + a(i, k) * b(k, j)
          end do
        end if
      end do
    end do
  end subroutine

  ! --- Where the sum stands

  subroutine sum_scalar(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    real(8) :: s
    do j = 1, n
      do i = 1, m
        s = 0
        do k = 1, l
          s = s + a(i, k) * b(k, j)
        end do
        c(i, j) = s
      end do
    end do
  end subroutine

  subroutine sum_scaled(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    real(8) :: s
    do i = 1, m
      do j = 1, n
        s = 0
        do k = 1, l
          s = s + a(i, k) * b(k, j)
        end do
        c(i, j) = 0.5d0 * s - 3 * c(i, j)
      end do
    end do
  end subroutine

  subroutine zeroed(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    c = 0
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine zeroed_columns(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      c(:, j) = 0
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine zeroed_elements(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do i = 1, m
        c(i, j) = 0
        do k = 1, l
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine subtracted(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do k = 1, l
      do j = 1, n
        do i = 1, m
          c(i, j) = c(i, j) - a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  ! --- do concurrent

  subroutine concurrent(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do concurrent (j = 1:n, i = 1:m)
      do k = 1, l
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end subroutine

  subroutine concurrent_ij(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do concurrent (i = 1:m, j = 1:n)
      do k = 1, l
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end subroutine

  subroutine concurrent_sum(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    real(8) :: s
    do concurrent (j = 1:n, i = 1:m) local(s)
      s = 0
      do k = 1, l
        s = s + a(i, k) * b(k, j)
      end do
      c(i, j) = s
    end do
  end subroutine

  subroutine concurrent_nested(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do concurrent (j = 1:n)
      do k = 1, l
        do concurrent (i = 1:m)
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine concurrent_reduce(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    real(8) :: s
    do concurrent (j = 1:n, i = 1:m)
      s = 0
      do concurrent (k = 1:l) reduce(+: s)
        s = s + a(i, k) * b(k, j)
      end do
      c(i, j) = s
    end do
  end subroutine

  ! --- Array expressions

  subroutine column_slices(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        c(:, j) = c(:, j) + a(:, k) * b(k, j)
      end do
    end do
  end subroutine

  subroutine row_slices(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do i = 1, m
      do k = 1, l
        c(i, :) = c(i, :) + a(i, k) * b(k, :)
      end do
    end do
  end subroutine

  subroutine column_slices_bounds(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        c(2:m - 1, j) = c(2:m - 1, j) + a(2:m - 1, k) * b(k, j)
      end do
    end do
  end subroutine

  ! One rank-one update after another.
  subroutine outer_products(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do k = 1, l
      do j = 1, n
        c(:, j) = c(:, j) + b(k, j) * a(:, k)
      end do
    end do
  end subroutine

  subroutine spread_products(m, n, l, a, b, c) ! MISSED: Call|RuntimeCall
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do k = 1, l
      c = c + spread(a(:, k), 2, n) * spread(b(k, :), 1, m)
    end do
  end subroutine

  subroutine forall_elements(m, n, l, a, b, c) ! MISSED: Allocation
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do k = 1, l
      forall (i = 1:m, j = 1:n) c(i, j) = c(i, j) + a(i, k) * b(k, j)
    end do
  end subroutine

  ! --- Intrinsic functions in loops

  subroutine sums(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do i = 1, m
        c(i, j) = sum(a(i, :) * b(:, j))
      end do
    end do
  end subroutine

  subroutine sums_added(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do i = 1, m
        c(i, j) = c(i, j) + sum(a(i, 1:l) * b(1:l, j))
      end do
    end do
  end subroutine

  subroutine dot_products(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do i = 1, m
        c(i, j) = dot_product(a(i, :), b(:, j))
      end do
    end do
  end subroutine

  subroutine dot_products_added(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do i = 1, m
        c(i, j) = c(i, j) + 2 * dot_product(a(i, :), b(:, j))
      end do
    end do
  end subroutine

  subroutine matrix_by_column(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      c(:, j) = matmul(a, b(:, j))
    end do
  end subroutine

  subroutine row_by_matrix(m, n, l, a, b, c) ! MISSED: Allocation
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do i = 1, m
      c(i, :) = matmul(a(i, :), b)
    end do
  end subroutine

  subroutine products(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    c = matmul(a, b)
  end subroutine

  subroutine products_added(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    c = c + matmul(a, b)
  end subroutine

  subroutine products_scaled(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    c = 0.25d0 * matmul(a, b) + 3 * c
  end subroutine

  subroutine products_transposed(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    real(8) :: at(l, m)
    at = transpose(a)
    c = matmul(transpose(at), b)
  end subroutine

  ! Four products, of blocks.
  subroutine product_of_blocks(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n, n / 2
      do i = 1, m, m / 2
        c(i:min(i + m / 2 - 1, m), j:min(j + n / 2 - 1, n)) = &
          matmul(a(i:min(i + m / 2 - 1, m), :), b(:, j:min(j + n / 2 - 1, n)))
      end do
    end do
  end subroutine

end module

program main
  use forms
  implicit none
  real(8), allocatable :: a(:, :), b(:, :), c(:, :)
  allocate (a(rows, depth), b(depth, columns), c(rows, columns))
  call fill(1, a)
  call fill(2, b)
  call run('ijk', ijk)
  call run('ikj', ikj)
  call run('jik', jik)
  call run('jki', jki)
  call run('kij', kij)
  call run('kji', kji)
  call run('downwards', downwards)
  call run('downwards_sum', downwards_sum)
  call run('steps', steps)
  call run('variable_steps', variable_steps)
  call run('long_counters', long_counters)
  call run('short_counters', short_counters)
  call run('do_while', do_while)
  call run('labels', labels)
  call run('skipped_zeros', skipped_zeros)
  call run('sum_scalar', sum_scalar)
  call run('sum_scaled', sum_scaled)
  call run('zeroed', zeroed)
  call run('zeroed_columns', zeroed_columns)
  call run('zeroed_elements', zeroed_elements)
  call run('subtracted', subtracted)
  call run('concurrent', concurrent)
  call run('concurrent_ij', concurrent_ij)
  call run('concurrent_sum', concurrent_sum)
  call run('concurrent_nested', concurrent_nested)
  call run('concurrent_reduce', concurrent_reduce)
  call run('column_slices', column_slices)
  call run('row_slices', row_slices)
  call run('column_slices_bounds', column_slices_bounds)
  call run('outer_products', outer_products)
  call run('spread_products', spread_products)
  call run('forall_elements', forall_elements)
  call run('sums', sums)
  call run('sums_added', sums_added)
  call run('dot_products', dot_products)
  call run('dot_products_added', dot_products_added)
  call run('matrix_by_column', matrix_by_column)
  call run('row_by_matrix', row_by_matrix)
  call run('products', products)
  call run('products_added', products_added)
  call run('products_scaled', products_scaled)
  call run('products_transposed', products_transposed)
  call run('product_of_blocks', product_of_blocks)

contains

  subroutine run(name, form)
    character(*), intent(in) :: name
    procedure(ijk) :: form
    call fill(3, c)
    !dir$ noinline
    call form(rows, columns, depth, a, b, c)
    call show(name, c)
  end subroutine
end program
