!mod$ v1 sum:277d945e590778e7
module forms
contains
subroutine sums(n,k,al,be,a,b,c,ld)
integer(4)::n
integer(4)::k
real(8)::al
real(8)::be
integer(4)::ld
real(8)::a(1_8:int(ld,kind=8),1_8:*)
real(8)::b(1_8:int(ld,kind=8),1_8:*)
real(8)::c(1_8:int(ld,kind=8),1_8:*)
end
subroutine absolute(n,k,al,be,a,b,c,ld)
integer(4)::n
integer(4)::k
real(8)::al
real(8)::be
integer(4)::ld
real(8)::a(1_8:int(ld,kind=8),1_8:*)
real(8)::b(1_8:int(ld,kind=8),1_8:*)
real(8)::c(1_8:int(ld,kind=8),1_8:*)
end
subroutine absolute_below(n,k,al,be,a,b,c,ld)
integer(4)::n
integer(4)::k
real(8)::al
real(8)::be
integer(4)::ld
real(8)::a(1_8:int(ld,kind=8),1_8:*)
real(8)::b(1_8:int(ld,kind=8),1_8:*)
real(8)::c(1_8:int(ld,kind=8),1_8:*)
end
subroutine quotients(n,k,al,be,a,b,c,ld)
integer(4)::n
integer(4)::k
real(8)::al
real(8)::be
integer(4)::ld
real(8)::a(1_8:int(ld,kind=8),1_8:*)
real(8)::b(1_8:int(ld,kind=8),1_8:*)
real(8)::c(1_8:int(ld,kind=8),1_8:*)
end
subroutine quotients_below(n,k,al,be,a,b,c,ld)
integer(4)::n
integer(4)::k
real(8)::al
real(8)::be
integer(4)::ld
real(8)::a(1_8:int(ld,kind=8),1_8:*)
real(8)::b(1_8:int(ld,kind=8),1_8:*)
real(8)::c(1_8:int(ld,kind=8),1_8:*)
end
subroutine differences(n,k,al,be,a,b,c,ld)
integer(4)::n
integer(4)::k
real(8)::al
real(8)::be
integer(4)::ld
real(8)::a(1_8:int(ld,kind=8),1_8:*)
real(8)::b(1_8:int(ld,kind=8),1_8:*)
real(8)::c(1_8:int(ld,kind=8),1_8:*)
end
subroutine both(n,k,al,be,a,b,c,ld)
integer(4)::n
integer(4)::k
real(8)::al
real(8)::be
integer(4)::ld
real(8)::a(1_8:int(ld,kind=8),1_8:*)
real(8)::b(1_8:int(ld,kind=8),1_8:*)
real(8)::c(1_8:int(ld,kind=8),1_8:*)
end
end
