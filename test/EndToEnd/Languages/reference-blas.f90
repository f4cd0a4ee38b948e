!===- reference-blas.f90 - Fortran: tests of beta beside and inside sums -===!
!
! Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! The forms of level 3 in which beta is tested beside a product, or the loops
! come from the last row. flang's default permits fusing.
!
! REQUIRES: flang, native-avx2
! RUN: env TILESMITH="min-work=1;verify=1" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %flang -O3 -march=native
! RUN: env TILESMITH="min-work=1;verify=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %flang -O3 -march=native -ffp-contract=off
! RUN: env TILESMITH="min-work=1;verify=1" %python %S/same_result.py --unmarked --plugin %tilesmith --work %t %s -- %flang -O2 -march=native

include 'forms.inc'

module forms
  use results
  implicit none

contains

  ! Rows come from the last one, each with the sum of those behind it. What is
  ! left of the loop over i must stay scalar, or would be fused otherwise.
  subroutine symm_left_lower(m, n, alpha, beta, a, b, c) ! REPLACED
    integer, intent(in) :: m, n
    real(8), intent(in) :: alpha, beta, a(m, m), b(m, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    real(8) :: part, rest
    do j = 1, n
      do i = m, 1, -1
        part = alpha * b(i, j)
        rest = 0
        do k = i + 1, m
          c(k, j) = c(k, j) + part * a(k, i)
          rest = rest + b(k, j) * a(k, i)
        end do
        if (beta == 0) then
          c(i, j) = part * a(i, i) + alpha * rest
        else
          c(i, j) = beta * c(i, j) + part * a(i, i) + alpha * rest
        end if
      end do
    end do
  end subroutine

  subroutine symm_left_upper(m, n, alpha, beta, a, b, c) ! REPLACED
    integer, intent(in) :: m, n
    real(8), intent(in) :: alpha, beta, a(m, m), b(m, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    real(8) :: part, rest
    do j = 1, n
      do i = 1, m
        part = alpha * b(i, j)
        rest = 0
        do k = 1, i - 1
          c(k, j) = c(k, j) + part * a(k, i)
          rest = rest + b(k, j) * a(k, i)
        end do
        if (beta == 0) then
          c(i, j) = part * a(i, i) + alpha * rest
        else
          c(i, j) = beta * c(i, j) + part * a(i, i) + alpha * rest
        end if
      end do
    end do
  end subroutine

  ! Each column is set in one of two loops, and two products are added.
  subroutine symm_right(m, n, alpha, beta, upper, a, b, c) ! REPLACED
    integer, intent(in) :: m, n
    logical, intent(in) :: upper
    real(8), intent(in) :: alpha, beta, a(n, n), b(m, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    real(8) :: part
    logical :: is_upper
    is_upper = upper
    do j = 1, n
      part = alpha * a(j, j)
      if (beta == 0) then
        do i = 1, m
          c(i, j) = part * b(i, j)
        end do
      else
        do i = 1, m
          c(i, j) = beta * c(i, j) + part * b(i, j)
        end do
      end if
      do k = 1, j - 1
        if (is_upper) then
          part = alpha * a(k, j)
        else
          part = alpha * a(j, k)
        end if
        do i = 1, m
          c(i, j) = c(i, j) + part * b(i, k)
        end do
      end do
      do k = j + 1, n
        if (is_upper) then
          part = alpha * a(j, k)
        else
          part = alpha * a(k, j)
        end if
        do i = 1, m
          c(i, j) = c(i, j) + part * b(i, k)
        end do
      end do
    end do
  end subroutine

  ! A triangle, of which a test says which: the memset of a column is behind a
  ! test whether it has elements.
  subroutine triangle(n, l, alpha, beta, upper, a, b, c) ! REPLACED
    integer, intent(in) :: n, l
    logical, intent(in) :: upper
    real(8), intent(in) :: alpha, beta, a(n, l), b(l, n)
    real(8), intent(inout) :: c(n, n)
    integer :: i, j, k, first, last
    real(8) :: part
    do j = 1, n
      if (upper) then
        first = 1
        last = j
      else
        first = j
        last = n
      end if
      if (beta == 0) then
        do i = first, last
          c(i, j) = 0
        end do
      else if (beta /= 1) then
        do i = first, last
          c(i, j) = beta * c(i, j)
        end do
      end if
      do k = 1, l
        part = alpha * b(k, j)
        do i = first, last
          c(i, j) = c(i, j) + part * a(i, k)
        end do
      end do
    end do
  end subroutine

end module

program main
  use forms
  implicit none
  integer :: sizes(4) = [1, 2, 29, 71], s, t
  real(8) :: betas(3) = [0.0d0, 1.0d0, 0.7d0]
  do s = 1, size(sizes)
    do t = 1, size(betas)
      call run(sizes(s), columns, betas(t))
      call run(columns, sizes(s), betas(t))
    end do
  end do

contains

  subroutine run(m, n, beta)
    integer, intent(in) :: m, n
    real(8), intent(in) :: beta
    real(8), allocatable :: left(:, :), right(:, :), b(:, :), c(:, :)
    allocate (left(m, m), right(n, n), b(m, n), c(m, n))
    call fill(1, left)
    call fill(2, right)
    call fill(3, b)
    call set(c, beta)
    call symm_left_lower(m, n, 0.3d0, beta, left, b, c)
    call show('symm_left_lower', c)
    call set(c, beta)
    call symm_left_upper(m, n, 0.3d0, beta, left, b, c)
    call show('symm_left_upper', c)
    call set(c, beta)
    call symm_right(m, n, 0.3d0, beta, .false., right, b, c)
    call show('symm_right', c)
    call set(c, beta)
    call symm_right(m, n, 0.3d0, beta, .true., right, b, c)
    call show('symm_right', c)
    call set(right, beta)
    call triangle(n, m, 0.3d0, beta, .false., reshape(b, [n, m]), b, right)
    call show('triangle', right)
    call set(right, beta)
    call triangle(n, m, 0.3d0, beta, .true., reshape(b, [n, m]), b, right)
    call show('triangle', right)
  end subroutine

  ! What beta = 0 does not read is no number.
  subroutine set(x, beta)
    use, intrinsic :: ieee_arithmetic
    real(8), intent(out) :: x(:, :)
    real(8), intent(in) :: beta
    call fill(4, x)
    if (beta == 0) x(1, :) = ieee_value(1.0d0, ieee_quiet_nan)
  end subroutine

end program
