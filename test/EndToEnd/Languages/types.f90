!===- types.f90 - Fortran: the types of the elements ----------------------===!
!
! Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
!===----------------------------------------------------------------------===!
!
! REQUIRES: flang
! RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %flang -O3 -march=native
! RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %flang -O2 -march=x86-64-v2
! RUN: env TILESMITH="min-work=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %flang -O2 -march=native -ffp-contract=off

include 'forms.inc'

module forms
  use results
  implicit none

contains

  subroutine real4_jki(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(4), intent(in) :: a(m, l)
    real(4), intent(in) :: b(l, n)
    real(4), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine real4_sum(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(4), intent(in) :: a(m, l)
    real(4), intent(in) :: b(l, n)
    real(4), intent(inout) :: c(m, n)
    real(4) :: s
    integer :: i, j, k
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

  subroutine real4_matmul(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(4), intent(in) :: a(m, l)
    real(4), intent(in) :: b(l, n)
    real(4), intent(inout) :: c(m, n)
    c = matmul(a, b)
  end subroutine

  subroutine real8_jki(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l)
    real(8), intent(in) :: b(l, n)
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

  subroutine integer4_jki(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    integer(4), intent(in) :: a(m, l)
    integer(4), intent(in) :: b(l, n)
    integer(4), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine integer4_sum(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    integer(4), intent(in) :: a(m, l)
    integer(4), intent(in) :: b(l, n)
    integer(4), intent(inout) :: c(m, n)
    integer(4) :: s
    integer :: i, j, k
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

  subroutine integer4_matmul(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    integer(4), intent(in) :: a(m, l)
    integer(4), intent(in) :: b(l, n)
    integer(4), intent(inout) :: c(m, n)
    c = matmul(a, b)
  end subroutine

  subroutine integer8_jki(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    integer(8), intent(in) :: a(m, l)
    integer(8), intent(in) :: b(l, n)
    integer(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine integer8_sum(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    integer(8), intent(in) :: a(m, l)
    integer(8), intent(in) :: b(l, n)
    integer(8), intent(inout) :: c(m, n)
    integer(8) :: s
    integer :: i, j, k
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

  subroutine integer8_matmul(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    integer(8), intent(in) :: a(m, l)
    integer(8), intent(in) :: b(l, n)
    integer(8), intent(inout) :: c(m, n)
    c = matmul(a, b)
  end subroutine

  subroutine real4_to_real8(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(4), intent(in) :: a(m, l)
    real(8), intent(in) :: b(l, n)
    real(8), intent(inout) :: c(m, n)
    real(8) :: s
    integer :: i, j, k
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

  subroutine real8_by_real4(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: a(m, l)
    real(4), intent(in) :: b(l, n)
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

  subroutine integer4_to_integer8(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    integer(4), intent(in) :: a(m, l)
    integer(8), intent(in) :: b(l, n)
    integer(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine integer2_to_integer4(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    integer(2), intent(in) :: a(m, l)
    integer(4), intent(in) :: b(l, n)
    integer(4), intent(inout) :: c(m, n)
    integer(4) :: s
    integer :: i, j, k
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

  subroutine integer1_to_integer1(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    integer(1), intent(in) :: a(m, l)
    integer(1), intent(in) :: b(l, n)
    integer(1), intent(inout) :: c(m, n)
    integer(1) :: s
    integer :: i, j, k
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

  subroutine integer4_by_real8(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    integer(4), intent(in) :: a(m, l)
    real(8), intent(in) :: b(l, n)
    real(8), intent(inout) :: c(m, n)
    real(8) :: s
    integer :: i, j, k
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

  subroutine complex8_jki(m, n, l, a, b, c) ! MISSED: MixedFusion; at -O2 REPLACED
    integer, intent(in) :: m, n, l
    complex(8), intent(in) :: a(m, l)
    complex(8), intent(in) :: b(l, n)
    complex(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine complex8_sum(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    complex(8), intent(in) :: a(m, l)
    complex(8), intent(in) :: b(l, n)
    complex(8), intent(inout) :: c(m, n)
    complex(8) :: s
    integer :: i, j, k
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

  subroutine complex8_matmul(m, n, l, a, b, c) ! MISSED: MixedFusion; at -O2 REPLACED
    integer, intent(in) :: m, n, l
    complex(8), intent(in) :: a(m, l)
    complex(8), intent(in) :: b(l, n)
    complex(8), intent(inout) :: c(m, n)
    c = matmul(a, b)
  end subroutine

  subroutine complex4_jki(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    complex(4), intent(in) :: a(m, l)
    complex(4), intent(in) :: b(l, n)
    complex(4), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine complex8_by_real8(m, n, l, a, b, c) ! MISSED: NotProduct
    integer, intent(in) :: m, n, l
    complex(8), intent(in) :: a(m, l)
    real(8), intent(in) :: b(l, n)
    complex(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine complex8_conjugated(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    complex(8), intent(in) :: a(m, l)
    complex(8), intent(in) :: b(l, n)
    complex(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + conjg(a(i, k)) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine products_in_real8(m, n, l, a, b, c) ! REPLACED
    integer, intent(in) :: m, n, l
    real(4), intent(in) :: a(m, l)
    real(4), intent(in) :: b(l, n)
    real(8), intent(inout) :: c(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          c(i, j) = c(i, j) + real(a(i, k), 8) * real(b(k, j), 8)
        end do
      end do
    end do
  end subroutine

  ! Real and imaginary parts in arrays of their own.
  subroutine two_arrays(m, n, l, ar, ai, br, bi, cr, ci) ! REPLACED
    integer, intent(in) :: m, n, l
    real(8), intent(in) :: ar(m, l), ai(m, l), br(l, n), bi(l, n)
    real(8), intent(inout) :: cr(m, n), ci(m, n)
    integer :: i, j, k
    do j = 1, n
      do k = 1, l
        do i = 1, m
          cr(i, j) = cr(i, j) + ar(i, k) * br(k, j) - ai(i, k) * bi(k, j)
          ci(i, j) = ci(i, j) + ar(i, k) * bi(k, j) + ai(i, k) * br(k, j)
        end do
      end do
    end do
  end subroutine

end module

program main
  use forms
  implicit none
  integer, parameter :: m = rows, n = columns, l = depth
  real(8) :: a(m, l), b(l, n), c(m, n), ci(m, n)
  real(4) :: r4(m, n)
  real(8) :: r8(m, n)
  integer(1) :: i1(m, n)
  integer(4) :: i4(m, n)
  integer(8) :: i8(m, n)
  complex(4) :: c4(m, n)
  complex(8) :: c8(m, n)
  call fill(1, a)
  call fill(2, b)
  call fill(3, c)
  call fill(4, ci)

  r4 = real(c, 4)
  !dir$ noinline
  call real4_jki(m, n, l, real(a, 4), real(b, 4), r4)
  call show('real4_jki', r4)

  r4 = real(c, 4)
  !dir$ noinline
  call real4_sum(m, n, l, real(a, 4), real(b, 4), r4)
  call show('real4_sum', r4)

  r4 = real(c, 4)
  !dir$ noinline
  call real4_matmul(m, n, l, real(a, 4), real(b, 4), r4)
  call show('real4_matmul', r4)

  r8 = c
  !dir$ noinline
  call real8_jki(m, n, l, a, b, r8)
  call show('real8_jki', r8)

  i4 = int(c, 4)
  !dir$ noinline
  call integer4_jki(m, n, l, int(a, 4), int(b, 4), i4)
  call show('integer4_jki', i4)

  i4 = int(c, 4)
  !dir$ noinline
  call integer4_sum(m, n, l, int(a, 4), int(b, 4), i4)
  call show('integer4_sum', i4)

  i4 = int(c, 4)
  !dir$ noinline
  call integer4_matmul(m, n, l, int(a, 4), int(b, 4), i4)
  call show('integer4_matmul', i4)

  i8 = int(c, 8)
  !dir$ noinline
  call integer8_jki(m, n, l, int(a, 8), int(b, 8), i8)
  call show('integer8_jki', i8)

  i8 = int(c, 8)
  !dir$ noinline
  call integer8_sum(m, n, l, int(a, 8), int(b, 8), i8)
  call show('integer8_sum', i8)

  i8 = int(c, 8)
  !dir$ noinline
  call integer8_matmul(m, n, l, int(a, 8), int(b, 8), i8)
  call show('integer8_matmul', i8)

  r8 = c
  !dir$ noinline
  call real4_to_real8(m, n, l, real(a, 4), b, r8)
  call show('real4_to_real8', r8)

  r8 = c
  !dir$ noinline
  call real8_by_real4(m, n, l, a, real(b, 4), r8)
  call show('real8_by_real4', r8)

  i8 = int(c, 8)
  !dir$ noinline
  call integer4_to_integer8(m, n, l, int(a, 4), int(b, 8), i8)
  call show('integer4_to_integer8', i8)

  i4 = int(c, 4)
  !dir$ noinline
  call integer2_to_integer4(m, n, l, int(a, 2), int(b, 4), i4)
  call show('integer2_to_integer4', i4)

  i1 = int(c, 1)
  !dir$ noinline
  call integer1_to_integer1(m, n, l, int(a, 1), int(b, 1), i1)
  call show('integer1_to_integer1', int(i1, 4))

  r8 = c
  !dir$ noinline
  call integer4_by_real8(m, n, l, int(a, 4), b, r8)
  call show('integer4_by_real8', r8)

  c8 = cmplx(c, 2 * c - 1, 8)
  !dir$ noinline
  call complex8_jki(m, n, l, cmplx(a, 2 * a - 1, 8), cmplx(b, 2 * b - 1, 8), c8)
  call show('complex8_jki/real', real(c8))
  call show('complex8_jki/imaginary', aimag(c8))

  c8 = cmplx(c, 2 * c - 1, 8)
  !dir$ noinline
  call complex8_sum(m, n, l, cmplx(a, 2 * a - 1, 8), cmplx(b, 2 * b - 1, 8), c8)
  call show('complex8_sum/real', real(c8))
  call show('complex8_sum/imaginary', aimag(c8))

  c8 = cmplx(c, 2 * c - 1, 8)
  !dir$ noinline
  call complex8_matmul(m, n, l, cmplx(a, 2 * a - 1, 8), cmplx(b, 2 * b - 1, 8), c8)
  call show('complex8_matmul/real', real(c8))
  call show('complex8_matmul/imaginary', aimag(c8))

  c4 = cmplx(c, 2 * c - 1, 4)
  !dir$ noinline
  call complex4_jki(m, n, l, cmplx(a, 2 * a - 1, 4), cmplx(b, 2 * b - 1, 4), c4)
  call show('complex4_jki/real', real(c4))
  call show('complex4_jki/imaginary', aimag(c4))

  c8 = cmplx(c, 2 * c - 1, 8)
  !dir$ noinline
  call complex8_by_real8(m, n, l, cmplx(a, 2 * a - 1, 8), b, c8)
  call show('complex8_by_real8/real', real(c8))
  call show('complex8_by_real8/imaginary', aimag(c8))

  c8 = cmplx(c, 2 * c - 1, 8)
  !dir$ noinline
  call complex8_conjugated(m, n, l, cmplx(a, 2 * a - 1, 8), cmplx(b, 2 * b - 1, 8), c8)
  call show('complex8_conjugated/real', real(c8))
  call show('complex8_conjugated/imaginary', aimag(c8))

  r8 = c
  !dir$ noinline
  call products_in_real8(m, n, l, real(a, 4), real(b, 4), r8)
  call show('products_in_real8', r8)

  !dir$ noinline
  call two_arrays(m, n, l, a, 2 * a - 1, b, 2 * b - 1, c, ci)
  call show('two_arrays/real', c)
  call show('two_arrays/imaginary', ci)
end program
