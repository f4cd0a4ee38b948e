!mod$ v1 sum:97dbf653fd25f105
module matrices
real(8)::p(1_8:200_8,1_8:200_8)
real(8)::q(1_8:200_8,1_8:200_8)
real(8)::r(1_8:200_8,1_8:200_8)
real(8),allocatable::x(:,:)
real(8),allocatable::y(:,:)
real(8),allocatable::z(:,:)
type::matrix
integer(4)::n
real(8),allocatable::v(:,:)
end type
type::fixed
real(4)::w(1_8:64_8,1_8:64_8)
real(4)::v(1_8:64_8,1_8:64_8)
end type
contains
subroutine globals()
end
subroutine allocatables(n)
integer(4)::n
end
subroutine allocatable_parts(a,b,c)
type(matrix)::a
type(matrix)::b
type(matrix)::c
end
subroutine fixed_parts(a,b,c)
type(fixed)::a
type(fixed)::b
type(fixed)::c
end
subroutine pointers(a,b,c)
real(8),pointer::a(:,:)
real(8),pointer::b(:,:)
real(8),pointer::c(:,:)
end
subroutine intrinsic(n,a,b,c)
integer(4)::n
real(8)::a(1_8:int(n,kind=8),1_8:int(n,kind=8))
real(8)::b(1_8:int(n,kind=8),1_8:int(n,kind=8))
real(8)::c(1_8:int(n,kind=8),1_8:int(n,kind=8))
end
subroutine local_allocatables(n,s)
integer(4)::n
real(8)::s
end
end
