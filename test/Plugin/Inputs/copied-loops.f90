! See formula.f90.

! CHECK: 'c(i,j) = c(i,j) + a(i,k) * b(k,j)' by GEMM f64 (A strided
! CHECK: 'c(i,j) = c(i,j) + a(i,k) * b(k,j)' by GEMM f64 (A column-major
subroutine assumed_shape(a, b, c)
  real(8), intent(in) :: a(:,:), b(:,:)
  real(8), intent(inout) :: c(:,:)
  integer :: i, j, k
  do j = 1, size(c,2)
    do k = 1, size(a,2)
      do i = 1, size(c,1)
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end subroutine

! The last copy's j is not called l.
! CHECK-NOT: c(i,l
! CHECK: by GEMM i32
! CHECK-NOT: c(i,l
subroutine batch(n, a, b, c)
  integer :: n, i, j, k, l
  integer :: a(n,n,8), b(n,n,8), c(n,n,8)
  do l = 1, 8
    do j = 1, n
      do k = 1, n
        do i = 1, n
          c(i,j,l) = c(i,j,l) + a(i,k,l) * b(k,j,l)
        end do
      end do
    end do
  end do
end subroutine
