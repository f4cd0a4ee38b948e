!===- arrays.f90 - Fortran: every kind of array --------------------------===!
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

  type matrix
    integer :: m, n
    real(8), allocatable :: x(:, :)
  end type

  type pointer_matrix
    real(8), pointer :: x(:, :) => null()
  end type

  type fixed_matrix
    real(8) :: x(depth, depth)
  end type

  type cell
    real(8) :: x
    integer :: tag
  end type

  real(8), allocatable :: module_a(:, :), module_b(:, :), module_c(:, :)
  real(8) :: global_a(rows, depth), global_b(depth, columns), global_c(rows, columns)

contains

  subroutine explicit_shape(m, n, l, a, b, c) ! REPLACED
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

  ! A leading dimension of its own, as in BLAS.
  subroutine leading_dimension(m, n, l, a, lda, b, ldb, c, ldc) ! REPLACED
    integer, intent(in) :: m, n, l, lda, ldb, ldc
    real(8) :: a(lda, *), b(ldb, *), c(ldc, *), temp
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        temp = b(k, j)
        do i = 1, m
          c(i, j) = c(i, j) + temp * a(i, k)
        end do
      end do
    end do
  end subroutine

  ! Lower bounds other than 1.
  subroutine lower_bounds(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8) :: a(0:m - 1, 0:l - 1), b(-3:l - 4, 2:n + 1), c(0:m - 1, 2:n + 1)
    integer :: i, j, k
    do i = 0, m - 1
      do j = 2, n + 1
        do k = 0, l - 1
          c(i, j) = c(i, j) + a(i, k) * b(k - 3, j)
        end do
      end do
    end do
  end subroutine

  subroutine one_dimension(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8) :: a(*), b(*), c(*)
    integer :: i, j, k
    do j = 0, n - 1
      do i = 1, m
        do k = 0, l - 1
          c(j * m + i) = c(j * m + i) + a(k * m + i) * b(j * l + k + 1)
        end do
      end do
    end do
  end subroutine

  subroutine assumed_shape(a, b, c) ! REPLACED: 2; at -O2 REPLACED
    real(8), intent(in) :: a(:, :), b(:, :)
    real(8), intent(inout) :: c(:, :)
    integer :: i, j, k
    do j = 1, size(c, 2)
      do k = 1, size(a, 2)
        do i = 1, size(c, 1)
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine assumed_shape_sum(a, b, c) ! REPLACED: 4; at -O2 REPLACED
    real(8), intent(in) :: a(:, :), b(:, :)
    real(8), intent(out) :: c(:, :)
    real(8) :: s
    integer :: i, j, k
    do j = 1, ubound(c, 2)
      do i = 1, ubound(c, 1)
        s = 0
        do k = 1, ubound(a, 2)
          s = s + a(i, k) * b(k, j)
        end do
        c(i, j) = s
      end do
    end do
  end subroutine

  subroutine contiguous_shape(a, b, c) ! REPLACED
    real(8), intent(in), contiguous :: a(:, :), b(:, :)
    real(8), intent(inout), contiguous :: c(:, :)
    integer :: i, j, k
    do i = 1, size(c, 1)
      do k = 1, size(a, 2)
        do j = 1, size(c, 2)
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine assumed_shape_bounds(a, b, c) ! REPLACED: 2; at -O2 REPLACED
    real(8), intent(in) :: a(0:, 0:), b(0:, 0:)
    real(8), intent(inout) :: c(0:, 0:)
    integer :: i, j, k
    do j = lbound(c, 2), ubound(c, 2)
      do i = lbound(c, 1), ubound(c, 1)
        do k = lbound(a, 2), ubound(a, 2)
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine allocatable_arguments(a, b, c) ! REPLACED
    real(8), allocatable, intent(in) :: a(:, :), b(:, :)
    real(8), allocatable, intent(inout) :: c(:, :)
    integer :: i, j, k
    do j = 1, size(c, 2)
      do k = 1, size(a, 2)
        do i = 1, size(c, 1)
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine allocated_result(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), allocatable, intent(out) :: c(:, :)
    integer :: i, j, k
    allocate (c(m, n))
    c = 0
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine pointer_arguments(a, b, c) ! REPLACED
    real(8), pointer, intent(in) :: a(:, :), b(:, :), c(:, :)
    integer :: i, j, k
    do j = 1, size(c, 2)
      do k = 1, size(a, 2)
        do i = 1, size(c, 1)
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine pointers_to_sections(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in), target :: a(:, :), b(:, :)
    real(8), intent(inout), target :: c(:, :)
    real(8), pointer :: pa(:, :), pb(:, :), pc(:, :)
    integer :: i, j, k
    pa => a(2:m:2, 1:l)
    pb => b(l:1:-1, 1:n)
    pc => c(1:m / 2, 1:n)
    do j = 1, n
      do i = 1, m / 2
        do k = 1, l
          pc(i, j) = pc(i, j) + pa(i, k) * pb(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine module_arrays() ! REPLACED
    integer :: i, j, k
    do j = 1, size(module_c, 2)
      do k = 1, size(module_a, 2)
        do i = 1, size(module_c, 1)
          module_c(i, j) = module_c(i, j) + module_a(i, k) * module_b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine global_arrays(m, n, l) ! REPLACED
    integer, intent(in) :: m, n, l
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          global_c(i, j) = global_c(i, j) + global_a(i, k) * global_b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine global_arrays_constant() ! REPLACED
    integer :: i, j, k
    do j = 1, columns
      do k = 1, depth
        do i = 1, rows
          global_c(i, j) = global_c(i, j) + global_a(i, k) * global_b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine allocatable_components(a, b, c) ! REPLACED
    type(matrix), intent(in) :: a, b
    type(matrix), intent(inout) :: c
    integer :: i, j, k
    do j = 1, c%n
      do k = 1, a%n
        do i = 1, c%m
          c%x(i, j) = c%x(i, j) + a%x(i, k) * b%x(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine allocatable_components_sum(a, b, c) ! REPLACED
    type(matrix), intent(in) :: a, b
    type(matrix), intent(inout) :: c
    real(8) :: s
    integer :: i, j, k
    do j = 1, c%n
      do i = 1, c%m
        s = 0
        do k = 1, a%n
          s = s + a%x(i, k) * b%x(k, j)
        end do
        c%x(i, j) = s
      end do
    end do
  end subroutine

  subroutine pointer_components(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    type(pointer_matrix), intent(in) :: a, b, c
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c%x(i, j) = c%x(i, j) + a%x(i, k) * b%x(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine fixed_components(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    type(fixed_matrix), intent(in) :: a, b
    type(fixed_matrix), intent(inout) :: c
    integer :: i, j, k
    do i = 1, m
      do j = 1, n
        do k = 1, l
          c%x(i, j) = c%x(i, j) + a%x(i, k) * b%x(k, j)
        end do
      end do
    end do
  end subroutine

  ! The elements are components.
  subroutine cells(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    type(cell), intent(in) :: a(m, l), b(l, n)
    type(cell), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j)%x = c(i, j)%x + a(i, k)%x * b(k, j)%x
        end do
      end do
    end do
  end subroutine

  ! One slice of an array of three dimensions.
  subroutine slice(s, a, b, c) ! REPLACED: 2; at -O2 REPLACED
    integer, intent(in) :: s
    real(8), intent(in) :: a(:, :, :), b(:, :, :)
    real(8), intent(inout) :: c(:, :, :)
    integer :: i, j, k
    do j = 1, size(c, 3)
      do k = 1, size(a, 2)
        do i = 1, size(c, 1)
          c(i, s, j) = c(i, s, j) + a(i, k, s) * b(s, k, j)
        end do
      end do
    end do
  end subroutine

  ! Automatic arrays.
  subroutine automatic(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l), b(l, n)
    real(8), intent(inout) :: c(m, n)
    real(8) :: at(l, m), sums(m, n)
    integer :: i, j, k
    at = transpose(a)
    sums = 0
    do j = 1, n
      do i = 1, m
        do k = 1, l
          sums(i, j) = sums(i, j) + at(k, i) * b(k, j)
        end do
      end do
    end do
    c = c + sums
  end subroutine

end module

program main
  use forms
  implicit none
  integer, parameter :: m = rows, n = columns, l = depth
  real(8), allocatable, target :: a(:, :), b(:, :), c(:, :), large_a(:, :), large_b(:, :), large_c(:, :)
  real(8), allocatable :: a3(:, :, :), b3(:, :, :), c3(:, :, :)
  real(8), pointer :: pa(:, :), pb(:, :), pc(:, :)
  type(matrix) :: ma, mb, mc
  type(pointer_matrix) :: qa, qb, qc
  type(fixed_matrix), allocatable :: fa, fb, fc
  type(cell), allocatable :: ca(:, :), cb(:, :), cc(:, :)
  integer :: i

  allocate (a(m, l), b(l, n), c(m, n), large_a(2 * m, l + 5), large_b(l + 3, 2 * n), large_c(m + 1, n + 1))
  call fill(1, a)
  call fill(2, b)
  call fill(3, c)
  call fill(1, large_a)
  call fill(2, large_b)
  call fill(3, large_c)

  !dir$ noinline
  call explicit_shape(m, n, l, a, b, c)
  call show('explicit_shape', c)
  !dir$ noinline
  call leading_dimension(m, n, l, large_a, 2 * m, large_b, l + 3, large_c, m + 1)
  call show('leading_dimension', large_c)
  !dir$ noinline
  call lower_bounds(m, n, l, a, b, c)
  call show('lower_bounds', c)
  !dir$ noinline
  call one_dimension(m, n, l, a, b, c)
  call show('one_dimension', c)
  !dir$ noinline
  call assumed_shape(a, b, c)
  call show('assumed_shape', c)
  !dir$ noinline
  call assumed_shape(large_a(1:2 * m:2, l:1:-1), large_b(1:l, 2 * n:1:-2), large_c(m:1:-1, 2:n + 1))
  call show('assumed_shape/sections', large_c)
  !dir$ noinline
  call assumed_shape_sum(a, b, c)
  call show('assumed_shape_sum', c)
  !dir$ noinline
  call assumed_shape_sum(large_a(1:2 * m:2, l:1:-1), large_b(1:l, 2 * n:1:-2), large_c(m:1:-1, 2:n + 1))
  call show('assumed_shape_sum/sections', large_c)
  !dir$ noinline
  call assumed_shape_sum(large_a(1:2 * m:2, l:1:-1), large_b(1:l, 2 * n:1:-2), c)
  call show('assumed_shape_sum/factors', c)
  !dir$ noinline
  call assumed_shape_sum(a, b, large_c(m:1:-1, 2:n + 1))
  call show('assumed_shape_sum/result', large_c)
  !dir$ noinline
  call contiguous_shape(a, b, c)
  call show('contiguous_shape', c)
  !dir$ noinline
  call assumed_shape_bounds(a, b, c)
  call show('assumed_shape_bounds', c)
  !dir$ noinline
  call assumed_shape_bounds(large_a(1:2 * m:2, l:1:-1), large_b(1:l, 2 * n:1:-2), large_c(m:1:-1, 2:n + 1))
  call show('assumed_shape_bounds/sections', large_c)
  !dir$ noinline
  call allocatable_arguments(a, b, c)
  call show('allocatable_arguments', c)
  !dir$ noinline
  call allocated_result(m, n, l, a, b, c)
  call show('allocated_result', c)
  pa => a
  pb => b
  pc => c
  !dir$ noinline
  call pointer_arguments(pa, pb, pc)
  call show('pointer_arguments', c)
  pc => large_c(2:m + 1, 1:n)
  !dir$ noinline
  call pointer_arguments(pa, pb, pc)
  call show('pointer_arguments/section', large_c)
  pa => large_c(1:m, 1:l)
  !dir$ noinline
  call pointer_arguments(pa, pb, pc)
  call show('pointer_arguments/overlap', large_c)
  !dir$ noinline
  call pointers_to_sections(m, n, l, a, b, c)
  call show('pointers_to_sections', c)
  module_a = a
  module_b = b
  module_c = c
  !dir$ noinline
  call module_arrays()
  call show('module_arrays', module_c)
  global_a = a
  global_b = b
  global_c = c
  !dir$ noinline
  call global_arrays(m, n, l)
  call show('global_arrays', global_c)
  !dir$ noinline
  call global_arrays_constant()
  call show('global_arrays_constant', global_c)
  ma = matrix(m, l, a)
  mb = matrix(l, n, b)
  mc = matrix(m, n, c)
  !dir$ noinline
  call allocatable_components(ma, mb, mc)
  call show('allocatable_components', mc%x)
  !dir$ noinline
  call allocatable_components_sum(ma, mb, mc)
  call show('allocatable_components_sum', mc%x)
  qa%x => a
  qb%x => b
  qc%x => c
  !dir$ noinline
  call pointer_components(m, n, l, qa, qb, qc)
  call show('pointer_components', c)
  allocate (fa, fb, fc)
  call fill(1, fa%x)
  call fill(2, fb%x)
  call fill(3, fc%x)
  !dir$ noinline
  call fixed_components(m, l, l, fa, fb, fc)
  call show('fixed_components', fc%x)
  allocate (ca(m, l), cb(l, n), cc(m, n))
  ca%x = a
  cb%x = b
  cc%x = c
  ca%tag = 1
  cb%tag = 2
  cc%tag = 3
  !dir$ noinline
  call cells(m, n, l, ca, cb, cc)
  call show('cells', cc%x)
  call show('cells/tags', cc%tag)
  allocate (a3(m, l, 3), b3(3, l, n), c3(m, 3, n))
  do i = 1, 3
    a3(:, :, i) = a
    b3(i, :, :) = b
    c3(:, i, :) = c
  end do
  !dir$ noinline
  call slice(2, a3, b3, c3)
  call show('slice', reshape(c3, [m, 3 * n]))
  !dir$ noinline
  call automatic(m, n, l, a, b, c)
  call show('automatic', c)
end program
