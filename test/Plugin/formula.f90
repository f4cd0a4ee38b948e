! Remarks name the operands, with Fortran's subscripts.
!
! REQUIRES: flang
! DEFINE: %{compile} = %flang -O2 -march=x86-64-v3 -c %s -fpass-plugin=%tilesmith
! RUN: %{compile} -g -o %t.told.o -Rpass=tilesmith 2>&1 | FileCheck %s --implicit-check-not=replaced

! Nobody's code depends on remarks.
! RUN: %{compile} -gline-tables-only -o %t.o -Rpass=tilesmith 2>&1 | FileCheck %s --check-prefix=NAMELESS
! RUN: %{compile} -g -o %t.silent.o && cmp %t.told.o %t.silent.o
! NAMELESS-NOT: nest '
! NAMELESS: replaced 3-loop nest by GEMM f64
! NAMELESS-NOT: nest '

! CHECK: replaced {{.*}}'c(i,j) = c(i,j) + a(i,k) * b(k,j)' by GEMM f64 (A column-major
subroutine explicit_shape(m, n, l, a, b, c)
  integer, intent(in) :: m, n, l
  real(8), intent(in) :: a(m,l), b(l,n)
  real(8), intent(inout) :: c(m,n)
  integer :: i, j, k
  do j = 1, n
    do k = 1, l
      do i = 1, m
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end subroutine

! CHECK: replaced {{.*}}'c(i,j) = c(i,j) + a(i,k) * b(k,j)' by GEMM f64 (A strided
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

! CHECK: replaced {{.*}}'c(i,j) = sum(a(i,k) * b(k,j)) * alpha + beta * c(i,j)'
subroutine leading(m, n, l, alpha, a, lda, b, ldb, beta, c, ldc)
  integer :: m, n, l, lda, ldb, ldc, i, j, k
  real(8) :: a(lda,*), b(ldb,*), c(ldc,*), alpha, beta, s
  do j = 1, n
    do i = 1, m
      s = 0
      do k = 1, l
        s = s + a(i,k) * b(k,j)
      end do
      c(i,j) = alpha * s + beta * c(i,j)
    end do
  end do
end subroutine

! CHECK: replaced {{.*}}'c(i,j) = c(i,j) + alpha * a(i - 1,k) * b(k,j)'
subroutine lower_bounds(n, a, b, c, alpha)
  integer :: n, i, j, k
  real(8) :: alpha, a(0:n,0:n), b(-1:n,n), c(n,*)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + alpha * a(i-1,k) * b(k,j)
      end do
    end do
  end do
end subroutine

! The constant is not taken for a part of a column.
! CHECK: replaced {{.*}}'c(i + 50,j) = c(i + 50,j) + a(i,k + 40) * b(k + 60,j)'
subroutine blocks(a, b, c)
  integer :: i, j, k
  real(8) :: a(100,100), b(100,100), c(100,100)
  do j = 1, 40
    do k = 1, 40
      do i = 1, 40
        c(i+50,j) = c(i+50,j) + a(i,k+40) * b(k+60,j)
      end do
    end do
  end do
end subroutine

! CHECK: replaced {{.*}}'c(i,j) = c(i,j) - a(i,k) * a(j,k)' by SYRK
subroutine triangle(n, l, a, c)
  integer :: n, l, i, j, k
  real(8) :: a(n,l), c(n,n)
  do j = 1, n
    do k = 1, l
      do i = j, n
        c(i,j) = c(i,j) - a(i,k) * a(j,k)
      end do
    end do
  end do
end subroutine

! CHECK: replaced {{.*}}'c(i,j) = c(i,j) + a(i,k) * b(k,j)'
subroutine backwards(n, a, b, c)
  integer :: n, i, j, k
  real(8) :: a(n,n), b(n,n), c(n,n)
  do j = n, 1, -1
    do k = n, 1, -1
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end subroutine

! CHECK: replaced {{.*}}'d(i,j) = min(d(i,j), b(k,j) + a(i,k))'
subroutine distances(n, a, b, d)
  integer :: n, i, j, k
  integer :: a(n,n), b(n,n), d(n,n)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        d(i,j) = min(d(i,j), a(i,k) + b(k,j))
      end do
    end do
  end do
end subroutine

! CHECK: replaced {{.*}}'c(i,j) = c(i,j) + a(i,k) * b(k,j)'
subroutine common_block
  integer :: i, j, k
  real(8) :: a(100,100), b(100,100), c(100,100)
  common /matrices/ a, b, c
  do j = 1, 100
    do k = 1, 100
      do i = 1, 100
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end subroutine

module matrices
  real(8) :: p(200,200), q(200,200), r(200,200)
  real(8), allocatable :: x(:,:), y(:,:), z(:,:)
  type matrix
    integer :: n
    real(8), allocatable :: v(:,:)
  end type
  type fixed
    real(4) :: w(64,64), v(64,64)
  end type
contains

! CHECK: replaced {{.*}}'r(i,j) = r(i,j) + {{.*}}'
subroutine globals
  integer :: i, j, k
  do j = 1, 200
    do k = 1, 200
      do i = 1, 200
        r(i,j) = r(i,j) + 2.5d0 * p(i,k) * q(k,j)
      end do
    end do
  end do
end subroutine

! CHECK: replaced {{.*}}'z(i,j) = z(i,j) + x(i,k) * y(k,j)'
subroutine allocatables(n)
  integer :: i, j, k, n
  do j = 1, n
    do k = 1, n
      do i = 1, n
        z(i,j) = z(i,j) + x(i,k) * y(k,j)
      end do
    end do
  end do
end subroutine

! CHECK: replaced {{.*}}'c%v(i,j) = c%v(i,j) + a%v(i,k) * b%v(k,j)'
subroutine allocatable_parts(a, b, c)
  type(matrix) :: a, b, c
  integer :: i, j, k
  do j = 1, c%n
    do k = 1, c%n
      do i = 1, c%n
        c%v(i,j) = c%v(i,j) + a%v(i,k) * b%v(k,j)
      end do
    end do
  end do
end subroutine

! CHECK: replaced {{.*}}'c%v(i,j) = c%v(i,j) - a%w(i,k) * b%v(k,j)'
subroutine fixed_parts(a, b, c)
  type(fixed) :: a, b, c
  integer :: i, j, k
  do j = 1, 64
    do k = 1, 64
      do i = 1, 64
        c%v(i,j) = c%v(i,j) - a%w(i,k) * b%v(k,j)
      end do
    end do
  end do
end subroutine

! CHECK: replaced {{.*}}'c(i,j) = c(i,j) + a(i,k) * b(k,j)'
subroutine pointers(a, b, c)
  real(8), pointer :: a(:,:), b(:,:), c(:,:)
  integer :: i, j, k
  do j = 1, size(c,2)
    do k = 1, size(a,2)
      do i = 1, size(c,1)
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end subroutine

! CHECK: replaced 7-loop nest 't(k,j,i,c,b,a) = t(k,j,i,c,b,a) - u(m,a,b,i) * v(k,j,c,m)' by
subroutine six_dimensions(h1, h2, h3, p4, p5, p6, h7, t, u, v)
  integer :: h1, h2, h3, p4, p5, p6, h7, i, j, k, a, b, c, m
  real(8) :: t(h3,h2,h1,p6,p5,p4), u(h7,p4,p5,h1), v(h3,h2,p6,h7)
  do a = 1, p4
    do b = 1, p5
      do c = 1, p6
        do i = 1, h1
          do m = 1, h7
            do j = 1, h2
              do k = 1, h3
                t(k,j,i,c,b,a) = t(k,j,i,c,b,a) - u(m,a,b,i) * v(k,j,c,m)
              end do
            end do
          end do
        end do
      end do
    end do
  end do
end subroutine

! flang's loops have no variables here.
! CHECK: replaced 3-loop nest by GEMM
subroutine intrinsic(n, a, b, c)
  integer :: n
  real(8) :: a(n,n), b(n,n), c(n,n)
  c = matmul(a, b)
end subroutine

! What LLVM keeps in registers of a descriptor has no names.
! CHECK: replaced 3-loop nest by GEMM
subroutine local_allocatables(n, s)
  integer :: n, i, j, k
  real(8), allocatable :: a(:,:), b(:,:), c(:,:)
  real(8) :: s
  allocate(a(n,n), b(n,n), c(n,n))
  call random_number(a)
  call random_number(b)
  call random_number(c)
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
  s = c(2,3)
end subroutine
end module
! At -O3, flang copies loops for adjacent elements, and LLVM outer loops of
! constant size. The copies' loops have their names, or the nest none.
! RUN: %flang -O3 -march=x86-64-v3 -g -c %S/Inputs/copied-loops.f90 -o %t.o -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %S/Inputs/copied-loops.f90
