! Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Near misses of Fortran, and their cures: see cures.c.

! REQUIRES: flang
! RUN: %python %S/Inputs/cures.py %flang %tilesmith %s

! EXPECT EarlyExit: stops at a negative factor
subroutine stops(n, a, b, c)
  integer n, i, j, k
  real(8) a(n,n), b(n,n), c(n,n)
  do j = 1, n
    do k = 1, n
      if (b(k,j) < 0) exit ! <-
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end

subroutine stops_cured(n, a, b, c)
  integer n, i, j, k
  real(8) a(n,n), b(n,n), c(n,n)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end

! EXPECT Branch: small factors are skipped
subroutine skips(n, a, b, c)
  integer n, i, j, k
  real(8) a(n,n), b(n,n), c(n,n)
  do j = 1, n
    do k = 1, n
      if (abs(b(k,j)) < 1d-9) cycle ! <-
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end

subroutine skips_cured(n, a, b, c, large)
  integer n, i, j, k
  real(8) a(n,n), b(n,n), c(n,n), large(n,n)
  do j = 1, n
    do k = 1, n
      large(k,j) = merge(0d0, b(k,j), abs(b(k,j)) < 1d-9)
    end do
  end do
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * large(k,j)
      end do
    end do
  end do
end

! EXPECT RuntimeCall: a message for each column
subroutine tells(n, a, b, c)
  integer n, i, j, k
  real(8) a(n,n), b(n,n), c(n,n)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
    write(*,*) 'column', j ! <-
  end do
end

subroutine tells_cured(n, a, b, c)
  integer n, i, j, k
  real(8) a(n,n), b(n,n), c(n,n)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
  write(*,*) n, 'columns'
end

! EXPECT LongDouble: more than double precision
subroutine extended(n, a, b, c)
  integer n, i, j, k
  real(10) a(n,n), b(n,n), c(n,n)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * b(k,j) ! <-
      end do
    end do
  end do
end

subroutine extended_cured(n, a, b, c)
  integer n, i, j, k
  real(8) a(n,n), b(n,n), c(n,n)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end

! EXPECT Factorisation: a triangular solve
subroutine solve(n, m, l, b)
  integer n, m, i, j, k
  real(8) l(n,n), b(n,m)
  do j = 1, m
    do k = 1, n
      b(k,j) = b(k,j) / l(k,k)
      do i = k+1, n
        b(i,j) = b(i,j) - l(i,k) * b(k,j)
      end do
    end do
  end do
end

! EXPECT Factorisation: LU
subroutine lu(n, a)
  integer n, i, j, k
  real(8) a(n,n)
  do k = 1, n
    do i = k+1, n
      a(i,k) = a(i,k) / a(k,k)
    end do
    do j = k+1, n
      do i = k+1, n
        a(i,j) = a(i,j) - a(i,k) * a(k,j)
      end do
    end do
  end do
end

! EXPECT NotAffine: columns that an array chooses
subroutine columns_of(n, p, a, b, c)
  integer n, i, j, k, p(n)
  real(8) a(n,n), b(n,n), c(n,n)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,p(k)) * b(k,j) ! <-
      end do
    end do
  end do
end

subroutine columns_of_cured(n, p, a, b, c, chosen)
  integer n, i, j, k, p(n)
  real(8) a(n,n), b(n,n), c(n,n), chosen(n,n)
  do k = 1, n
    do i = 1, n
      chosen(i,k) = a(i,p(k))
    end do
  end do
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + chosen(i,k) * b(k,j)
      end do
    end do
  end do
end
