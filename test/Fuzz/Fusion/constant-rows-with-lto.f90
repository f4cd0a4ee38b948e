! Rows have a constant number of elements: once these loops are unrolled, the loop over k is the innermost one.
!
! RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
! CHECK: 0 failures
! REQUIRES: native-avx512, flang, lld
! SETTING {"target": "native", "flags": ["-O2", "-march=native", "-ffp-contract=fast", "-fno-slp-vectorize"], "options": ["verify=1"], "base": null, "language": "fortran", "cpu": "", "link": "full", "load": "compile"}
! CALL 0 0 617605567 2 3 17 9 18 1 -0.75 3 1 1220 0 1 612 0 1 680 0 3 0 0 1 0 2 0
! CALL 0 1 65326888 1 3 17 9 25 1 -1 3 1 1668 0 1 612 1 1 680 1 3 0 0 1 0 2 0
! CALL 0 2 202279953 1 3 17 9 17 1 -1 3 1 1156 1 1 612 1 1 680 1 3 0 0 1 0 2 0
! CALL 0 3 755172704 1 3 17 9 17 1 -1 3 1 1156 1 1 612 1 1 680 0 3 0 0 1 0 2 0
! CALL 0 4 802282726 2 3 17 9 17 1 -0.75 3 1 1156 0 1 612 1 1 680 1 3 0 0 1 0 2 0
#ifdef PLANTED
#define PLANT(value) (-(value))
#else
#define PLANT(value) (value)
#endif
!C #include "fuzz.h"
subroutine p1178(ld0, alpha, a0, a1, a2_io) bind(C, name=PREFIX//"_p1178")
  implicit none
  integer(8) :: ld0
  real(4) :: alpha
  real(4) :: a0(ld0, *)
  real(4) :: a1(17, *)
  real(4) :: a2_io(10, 17)
  real(4) :: a2(10, 17)
  integer(8) :: at1
  integer(8) :: at0
  integer(8) :: j2
  integer(8) :: l3
  real(4) :: temp4
  integer(8) :: i1
  do at1 = 1, 17
  do at0 = 1, 10
    a2(at0, at1) = a2_io(at0, at1)
  end do
  end do
  do j2 = 17, 1, -1
    l3 = 1
    do while (l3 <= 9)
      temp4 = alpha * a2(l3, j2)
      do i1 = 1, 17
        a0(i1, j2) = a0(i1, j2) + temp4 * a1(i1, l3)
      end do
      l3 = l3 + 1
    end do
  end do
  do at1 = 1, 17
  do at0 = 1, 10
    a2_io(at0, at1) = a2(at0, at1)
  end do
  end do
end subroutine
!C void PREFIX_(p1178)(long*, float*, void *, void *, void *);
!C static void PREFIX_(p1178_run)(const struct FuzzCall *c) {
!C   long ld0 = (long)c->n[2];
!C   float alpha = (float)c->r[0];
!C   PREFIX_(p1178)(&ld0, &alpha, c->a[0], c->a[1], c->a[2]);
!C }
!C const struct Entry PREFIX_(programs)[] = {
!C   {"p1178", PREFIX_(p1178_run)},
!C   {0, 0}};
