! Several complex sums in one subroutine, of which some are replaced and others are left: what is
! left, and what stands behind the fast paths, is fused as without the plugin, on several CPUs, for
! which LLVM makes vectors of other lanes. All sizes up to 40, and 100, bit by bit.
!
! RUN: %flang -cpp -DK=8 -O3 -march=native %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %flang -cpp -DK=8 -O3 -march=native -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -cpp -DK=8 -O3 -march=haswell %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %flang -cpp -DK=8 -O3 -march=haswell -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -cpp -DK=8 -O2 -march=x86-64-v3 -mtune=znver3 %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1;mc=16;nc=16;kc=8" %flang -cpp -DK=8 -O2 -march=x86-64-v3 -mtune=znver3 -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -cpp -DK=4 -O3 -march=native %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %flang -cpp -DK=4 -O3 -march=native -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -cpp -DK=4 -O3 -march=x86-64-v3 -mtune=skylake %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %flang -cpp -DK=4 -O3 -march=x86-64-v3 -mtune=skylake -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! REQUIRES: flang, x86
#ifndef K
#define K 8
#endif
module forms
contains
  ! C = alpha op(A) op(B) + beta C; op: 1 as it is, 2 transposed, 3 conjugated as well.
  subroutine gemm(oa, ob, m, n, l, alpha, a, lda, b, ldb, beta, c, ldc)
    integer :: oa, ob, m, n, l, lda, ldb, ldc
    complex(K) :: alpha, beta, a(lda, *), b(ldb, *), c(ldc, *), s
    integer :: i, j, p
    if (alpha == 0) then
      do j = 1, n
        do i = 1, m
          c(i, j) = beta * c(i, j)
        end do
      end do
      return
    end if
    if (oa == 1) then
      do j = 1, n
        if (beta == 0) then
          do i = 1, m
            c(i, j) = 0
          end do
        else if (beta /= 1) then
          do i = 1, m
            c(i, j) = beta * c(i, j)
          end do
        end if
        do p = 1, l
          if (ob == 1) then
            s = alpha * b(p, j)
          else if (ob == 2) then
            s = alpha * b(j, p)
          else
            s = alpha * conjg(b(j, p))
          end if
          do i = 1, m
            c(i, j) = c(i, j) + s * a(i, p)
          end do
        end do
      end do
    else if (oa == 3) then
      if (ob == 1) then
        do j = 1, n
          do i = 1, m
            s = 0
            do p = 1, l
              s = s + conjg(a(p, i)) * b(p, j)
            end do
            if (beta == 0) then
              c(i, j) = alpha * s
            else
              c(i, j) = alpha * s + beta * c(i, j)
            end if
          end do
        end do
      else
        do j = 1, n
          do i = 1, m
            s = 0
            do p = 1, l
              s = s + conjg(a(p, i)) * conjg(b(j, p))
            end do
            if (beta == 0) then
              c(i, j) = alpha * s
            else
              c(i, j) = alpha * s + beta * c(i, j)
            end if
          end do
        end do
      end if
    else if (ob == 1) then
      do j = 1, n
        do i = 1, m
          s = 0
          do p = 1, l
            s = s + a(p, i) * b(p, j)
          end do
          if (beta == 0) then
            c(i, j) = alpha * s
          else
            c(i, j) = alpha * s + beta * c(i, j)
          end if
        end do
      end do
    else
      do j = 1, n
        do i = 1, m
          s = 0
          do p = 1, l
            s = s + a(p, i) * b(j, p)
          end do
          c(i, j) = alpha * s + beta * c(i, j)
        end do
      end do
    end if
  end subroutine

  ! A triangle of C, from columns or from rows of A.
  subroutine syrk(isupper, isrows, n, l, alpha, a, lda, beta, c, ldc)
    logical :: isupper, isrows
    integer :: n, l, lda, ldc
    complex(K) :: alpha, beta, a(lda, *), c(ldc, *), s
    integer :: i, j, p
    if (.not. isrows) then
      if (isupper) then
        do j = 1, n
          do i = 1, j
            c(i, j) = beta * c(i, j)
          end do
          do p = 1, l
            s = alpha * a(j, p)
            do i = 1, j
              c(i, j) = c(i, j) + s * a(i, p)
            end do
          end do
        end do
      else
        do j = 1, n
          do i = j, n
            c(i, j) = beta * c(i, j)
          end do
          do p = 1, l
            if (a(j, p) /= 0) then
              s = alpha * a(j, p)
              do i = j, n
                c(i, j) = c(i, j) + s * a(i, p)
              end do
            end if
          end do
        end do
      end if
    else if (isupper) then
      do j = 1, n
        do i = 1, j
          s = 0
          do p = 1, l
            s = s + a(p, i) * a(p, j)
          end do
          if (beta == 0) then
            c(i, j) = alpha * s
          else
            c(i, j) = alpha * s + beta * c(i, j)
          end if
        end do
      end do
    else
      do j = 1, n
        do i = j, n
          s = 0
          do p = 1, l
            s = s + a(p, i) * a(p, j)
          end do
          c(i, j) = alpha * s + beta * c(i, j)
        end do
      end do
    end if
  end subroutine

  subroutine her2k(n, l, alpha, a, b, lda, beta, c, ldc)
    integer :: n, l, lda, ldc
    complex(K) :: alpha, a(lda, *), b(lda, *), c(ldc, *), s, t
    real(K) :: beta
    integer :: i, j, p
    do j = 1, n
      do i = 1, j
        s = 0
        t = 0
        do p = 1, l
          s = s + conjg(a(p, i)) * b(p, j)
          t = t + conjg(b(p, i)) * a(p, j)
        end do
        if (i == j) then
          c(j, j) = beta * real(c(j, j)) + real(alpha * s + conjg(alpha) * t)
        else
          c(i, j) = beta * c(i, j) + alpha * s + conjg(alpha) * t
        end if
      end do
    end do
    do j = 1, n
      do i = 1, n
        s = 0
        do p = 1, l
          s = s + conjg(a(p, i)) * a(p, j)
        end do
        c(i, j) = alpha * s + beta * c(i, j)
      end do
    end do
  end subroutine
end module

program test
  use forms
  use iso_fortran_env, only: int64
  implicit none
  complex(K), allocatable :: a(:, :), b(:, :), c(:, :)
  complex(K) :: alpha, beta
  integer :: s, n, oa, ob, with
  do s = 1, 41
    n = s
    if (s == 41) n = 100
    allocate (a(n + 1, n + 1), b(n + 1, n + 1), c(n + 2, n))
    call fill(a, 1 + s)
    call fill(b, 2 + s)
    do with = 1, 3
      alpha = cmplx(0.7, -0.3, kind=K)
      beta = cmplx(-0.2, 1.1, kind=K)
      if (with == 2) beta = 0
      if (with == 3) beta = 1
      do oa = 1, 3
        do ob = 1, 3
          call fill(c, 3 + s)
          call gemm(oa, ob, n, max(1, n - mod(s, 3)), n, alpha, a, n + 1, b, n + 1, beta, c, n + 2)
          call tell(c)
        end do
        call fill(c, 4 + s)
        call syrk(oa > 1, with > 1, n, n - mod(oa, 2), alpha, a, n + 1, beta, c, n + 2)
        call tell(c)
      end do
      call fill(c, 5 + s)
      call her2k(n, n, alpha, a, b, n + 1, real(beta), c, n + 2)
      call tell(c)
    end do
    deallocate (a, b, c)
  end do
contains
  subroutine fill(x, seed)
    complex(K), intent(out) :: x(:, :)
    integer, intent(in) :: seed
    integer :: i, j
    real(K), volatile :: zero = 0
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        x(i, j) = cmplx(sin(real(i * 7 + j * 31 + seed, K)), cos(real(i * 5 - j * 3 + seed, K)), kind=K)
        if (mod(i * 13 + j * 7 + seed, 61) == 0) x(i, j) = cmplx(-zero, zero, kind=K)
        if (size(x, 1) > 20 .and. mod(i * 17 + j * 5 + seed, 499) == 0) x(i, j) = cmplx(1 / zero, 1, kind=K)
      end do
    end do
  end subroutine
  subroutine tell(x)
    complex(K), intent(in) :: x(:, :)
    complex(8) :: y
    integer :: i, j
    integer(int64) :: hash, part
    hash = 5
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        y = x(i, j)
        part = transfer(real(y), part)
        if (real(y) /= real(y)) part = 1
        hash = ieor(ishftc(hash, 7), part)
        part = transfer(aimag(y), part)
        if (aimag(y) /= aimag(y)) part = 1
        hash = ieor(ishftc(hash, 7), part)
      end do
    end do
    print *, size(x, 1), hash
  end subroutine
end program
