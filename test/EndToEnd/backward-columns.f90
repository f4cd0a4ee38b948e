! Triangles and bands as the reference BLAS has them, whose columns run backwards, or whose rows
! end where a maximum of narrow numbers says. Compared bit by bit, with numbers that are no
! numbers, infinities and zeros, for n = 1 to 200, between elements that must not change.
!
! DEFINE: %{compile} = %flang -cpp -O3 -march=native %s -J %t.dir
! DEFINE: %{compare} = %t.plain > %t.expected && %t.ours > %t.result && cmp %t.expected %t.result
! RUN: mkdir -p %t.dir
! RUN: %{compile} -DK=8 -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %{compile} -DK=8 -fpass-plugin=%tilesmith -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
! RUN: %{compare}
! RUN: %{compile} -DK=4 -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %{compile} -DK=4 -fpass-plugin=%tilesmith -o %t.ours
! RUN: %{compare}
! RUN: %{compile} -DK=8 -march=haswell -ffp-contract=off -o %t.plain
! RUN: env TILESMITH="min-work=1;verify=1" %{compile} -DK=8 -march=haswell -ffp-contract=off -fpass-plugin=%tilesmith -o %t.ours
! RUN: %{compare}
! REQUIRES: flang, x86
module forms
contains
  subroutine trmv_lower(unit, n, k, a, lda, x)
    logical :: unit
    integer :: n, k, lda, i, j
    real(K) :: a(lda, *), x(*), temp
    do j = n, 1, -1
      temp = x(j)
      ! CHECK-DAG: [[# @LINE + 1]]:{{.*}}Mx16{{.*}}for groups of rows
      do i = n, j + 1, -1
        x(i) = x(i) + temp * a(i, j)
      end do
      if (.not. unit) x(j) = x(j) * a(j, j)
    end do
  end subroutine
  subroutine trsv_upper(unit, n, k, a, lda, x)
    logical :: unit
    integer :: n, k, lda, i, j
    real(K) :: a(lda, *), x(*), temp
    do j = n, 1, -1
      if (.not. unit) x(j) = x(j) / a(j, j)
      temp = x(j)
      ! CHECK-DAG: [[# @LINE + 1]]:{{.*}}Mx16{{.*}}for groups of rows
      do i = j - 1, 1, -1
        x(i) = x(i) - temp * a(i, j)
      end do
    end do
  end subroutine
  subroutine tbmv_lower(unit, n, k, a, lda, x)
    logical :: unit
    integer :: n, k, lda, i, j, l
    real(K) :: a(lda, *), x(*), temp
    do j = n, 1, -1
      temp = x(j)
      l = 1 - j
      ! CHECK-DAG: [[# @LINE + 1]]:{{.*}}Mx16{{.*}}for groups of rows
      do i = min(n, j + k), j + 1, -1
        x(i) = x(i) + temp * a(l + i, j)
      end do
      if (.not. unit) x(j) = x(j) * a(1, j)
    end do
  end subroutine
  subroutine tbmv_upper_transposed(unit, n, k, a, lda, x)
    logical :: unit
    integer :: n, k, lda, i, j, l
    real(K) :: a(lda, *), x(*), temp
    do j = n, 1, -1
      temp = x(j)
      l = k + 1 - j
      if (.not. unit) temp = temp * a(k + 1, j)
      ! CHECK-DAG: [[# @LINE + 1]]:{{.*}}16xK{{.*}}for groups of rows
      do i = j - 1, max(1, j - k), -1
        temp = temp + a(l + i, j) * x(i)
      end do
      x(j) = temp
    end do
  end subroutine
  subroutine tpsv_upper(unit, n, k, a, lda, x)
    logical :: unit
    integer :: n, k, lda, i, j, kk, p
    real(K) :: a(*), x(*), temp
    kk = (n * (n + 1)) / 2
    do j = n, 1, -1
      if (.not. unit) x(j) = x(j) / a(kk)
      temp = x(j)
      p = kk - 1
      ! CHECK-DAG: [[# @LINE + 1]]:{{.*}}Mx16{{.*}}for groups of rows
      do i = j - 1, 1, -1
        x(i) = x(i) - temp * a(p)
        p = p - 1
      end do
      kk = kk - j
    end do
  end subroutine
  subroutine tpmv_lower(unit, n, k, a, lda, x)
    logical :: unit
    integer :: n, k, lda, i, j, kk, p
    real(K) :: a(*), x(*), temp
    kk = (n * (n + 1)) / 2
    do j = n, 1, -1
      temp = x(j)
      p = kk
      ! CHECK-DAG: [[# @LINE + 1]]:{{.*}}Mx16{{.*}}for groups of rows
      do i = n, j + 1, -1
        x(i) = x(i) + temp * a(p)
        p = p - 1
      end do
      if (.not. unit) x(j) = x(j) * a(kk - n + j)
      kk = kk - (n - j + 1)
    end do
  end subroutine
end module
program test
  use forms
  use, intrinsic :: ieee_arithmetic
  abstract interface
    subroutine form(unit, n, k, a, lda, x)
      import
      logical :: unit
      integer :: n, k, lda
      real(K) :: a(lda, *), x(*)
    end subroutine
  end interface
  integer, parameter :: widths(5) = [1, 25, 47, 90, 300]
  integer :: n, w
  do n = 1, 200, 3
    do w = 1, 5
      call check("trmv", trmv_lower, n, widths(w), n, w)
      call check("trsv", trsv_upper, n, widths(w), n + 5, w)
      call check("tbmv", tbmv_lower, n, widths(w), widths(w) + 1, w)
      call check("tbmt", tbmv_upper_transposed, n, widths(w), widths(w) + 1, w)
      call check("tpsv", tpsv_upper, n, widths(w), n, w)
      call check("tpmv", tpmv_lower, n, widths(w), n, w)
    end do
  end do
contains
  subroutine check(name, run, n, k, lda, special)
    character(*) :: name
    external :: run
    integer :: n, k, lda, special, i, u
    real(K), allocatable :: a(:), x(:)
    allocate(a(lda * n), x(n + 32))
    do u = 0, 1
      do i = 1, lda * n
        a(i) = real(1, K) + real(mod(i * 37 + 11, 101), K) / 4096
        if (special == 3 .and. mod(i, 7) == 0) a(i) = -real(0, K)
        if (special == 3 .and. mod(i, 1013) == 0) a(i) = ieee_value(a(i), ieee_positive_inf)
      end do
      do i = 1, n + 32
        x(i) = real(mod(i * 53, 97) - 48, K) / 64
        if (special >= 3 .and. mod(i, 5) == 0) x(i) = -real(0, K)
        if (special == 4 .and. mod(i, 61) == 0) x(i) = ieee_value(x(i), ieee_quiet_nan)
      end do
      call run(u == 1, n, k, a, lda, x(17))
      do i = 1, n + 32
        ! Which NaN it is, is open.
        if (ieee_is_nan(x(i))) x(i) = ieee_value(x(i), ieee_quiet_nan)
      end do
#if K == 8
      write(*, '(a, 2i5, 300z17.16)') name, n, k, (transfer(x(i), 1_8), i = 1, n + 32)
#else
      write(*, '(a, 2i5, 300z9.8)') name, n, k, (transfer(x(i), 1_4), i = 1, n + 32)
#endif
    end do
  end subroutine
end program
