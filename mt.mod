!mod$ v1 sum:e9ff9b35fc604eff
module mt
type::mat
integer(4)::n
real(8),allocatable::d(:,:)
end type
contains
subroutine deriv(a,b,c)
type(mat)::a
type(mat)::b
type(mat)::c
end
end
