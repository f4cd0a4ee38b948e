! Sums of two products along the columns of C: LLVM fuses both where it has vectors, and rounds them in
! what vectors leave over of a column, as its later passes make a vector of the two. Which rows these are
! changes with the column and with the CPU. All sizes up to 70, and 150, bit by bit.
!
! RUN: %flang -cpp -DK=8 -O3 -march=native %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %flang -cpp -DK=8 -O3 -march=native -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -cpp -DK=8 -O3 -march=haswell %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %flang -cpp -DK=8 -O3 -march=haswell -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -cpp -DK=8 -O2 -march=native %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1;mc=32;nc=16;kc=8" %flang -cpp -DK=8 -O2 -march=native -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: %flang -cpp -DK=4 -O3 -march=x86-64-v3 -mtune=znver3 %s -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1;mc=48;nc=16;kc=8" %flang -cpp -DK=4 -O3 -march=x86-64-v3 -mtune=znver3 -fpass-plugin=%tilesmith %s -o %t.ours
! RUN: %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! REQUIRES: flang, x86
module forms
contains
  ! The reference SYR2K, not transposed.
  subroutine syr2k(upper, n, l, alpha, a, lda, b, ldb, beta, c, ldc)
    logical :: upper
    integer :: n, l, lda, ldb, ldc, i, j, p
    real(K) :: alpha, beta, a(lda, *), b(ldb, *), c(ldc, *), s, t
    if (upper) then
      do j = 1, n
        if (beta == 0) then
          do i = 1, j
            c(i, j) = 0
          end do
        else if (beta /= 1) then
          do i = 1, j
            c(i, j) = beta * c(i, j)
          end do
        end if
        do p = 1, l
          if (a(j, p) /= 0 .or. b(j, p) /= 0) then
            s = alpha * b(j, p)
            t = alpha * a(j, p)
            do i = 1, j
              c(i, j) = c(i, j) + a(i, p) * s + b(i, p) * t
            end do
          end if
        end do
      end do
    else
      do j = 1, n
        if (beta == 0) then
          do i = j, n
            c(i, j) = 0
          end do
        else if (beta /= 1) then
          do i = j, n
            c(i, j) = beta * c(i, j)
          end do
        end if
        do p = 1, l
          if (a(j, p) /= 0 .or. b(j, p) /= 0) then
            s = alpha * b(j, p)
            t = alpha * a(j, p)
            do i = j, n
              c(i, j) = c(i, j) + a(i, p) * s + b(i, p) * t
            end do
          end if
        end do
      end do
    end if
  end subroutine
  ! All rows, with products subtracted.
  subroutine rows(m, n, l, alpha, a, lda, b, ldb, c, ldc)
    integer :: m, n, l, lda, ldb, ldc, i, j, p
    real(K) :: alpha, a(lda, *), b(ldb, *), c(ldc, *), s, t
    do j = 1, n
      do p = 1, l
        s = alpha * b(j, p)
        t = alpha * a(j, p)
        do i = 1, m
          c(i, j) = c(i, j) - a(i, p) * s - b(i, p) * t
        end do
      end do
    end do
  end subroutine
  ! Without the diagonal.
  subroutine below(n, l, a, lda, b, ldb, c, ldc)
    integer :: n, l, lda, ldb, ldc, i, j, p
    real(K) :: a(lda, *), b(ldb, *), c(ldc, *), s, t
    do j = 1, n
      do p = 1, l
        s = 0.5 * b(j, p)
        t = 0.25 * a(j, p)
        do i = j + 1, n
          c(i, j) = c(i, j) + s * b(i, p) + t * a(i, p)
        end do
      end do
    end do
  end subroutine
end module
program main
  use forms
  implicit none
  integer, parameter :: ld = 153
  real(K) :: a(ld, 70), b(ld, 70), c(ld, ld)
  integer :: n, m, u
  do n = 1, 71
    m = n
    if (n == 71) m = 150
    do u = 1, 4
      call fill(a, b, c)
      select case (u)
      case (1, 2)
        call syr2k(u == 1, m, 1 + mod(7 * n, 66), .75_K, a, ld, b, ld, real(mod(n, 3), K) / 2, c, ld)
      case (3)
        call rows(m, 1 + mod(5 * n, 40), 1 + mod(3 * n, 20), .75_K, a, ld, b, ld, c, ld)
      case (4)
        call below(m, 1 + mod(3 * n, 20), a, ld, b, ld, c, ld)
      end select
      call tell(n, u, c)
    end do
  end do
contains
  subroutine fill(a, b, c)
    real(K) :: a(:, :), b(:, :), c(:, :)
    integer :: i, j
    do j = 1, ld
      do i = 1, ld
        c(i, j) = sin(real(i + 7 * j, K))
        if (j <= 70) a(i, j) = cos(real(3 * i + j, K))
        if (j <= 70) b(i, j) = sin(real(i * j, K) + .5_K)
      end do
    end do
  end subroutine
  ! All bits of C, summed up.
  subroutine tell(n, u, c)
    integer :: n, u, i, j
    real(K) :: c(:, :)
    integer(8) :: bits, x
    bits = 0
    do j = 1, ld
      do i = 1, ld
        x = transfer(c(i, j), bits)
        if (K == 4) x = transfer(c(i, j), 1)
        bits = ieor(ishftc(bits, 7), x + i + 1000 * j)
      end do
    end do
    print *, n, u, bits
  end subroutine
end program
