! The first row has no sum: where the loop is unrolled, two products are added to each other.
!
! RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
! CHECK: 0 failures
! REQUIRES: native-avx2, flang
! SETTING {"target": "native", "flags": ["-O3", "-march=x86-64-v3"], "options": ["verify=1", "min-work=1"], "base": null, "language": "fortran", "cpu": "", "link": "plain", "load": "compile"}
! CALL 0 0 715338981 0 1 12 1 -3 3 1 576 1 1 576 0 1 576 0 3 0 0 1 0 2 0
#ifdef PLANTED
#define PLANT(value) (-(value))
#else
#define PLANT(value) (value)
#endif
!C #include "fuzz.h"
subroutine p230(alpha, a0, a1, a2) bind(C, name=PREFIX//"_p230")
  implicit none
  real(4) :: alpha
  real(4) :: a0(*)
  real(4) :: a1(12, *)
  real(4) :: a2(*)
  integer(8) :: j2
  integer(8) :: i1
  real(4) :: temp4
  real(4) :: temp5
  integer(8) :: l3
  do j2 = 1, 12
    do i1 = 1, 12
      temp4 = a2((j2 - 1) * 12 + i1)
      temp5 = 0.0e0
      do l3 = 1, i1 - 1
        temp5 = temp5 + a1(l3, i1) * a2((j2 - 1) * 12 + l3)
      end do
      if (1.0e0 == 0.0e0) then
      else
        a0((j2 - 1) * 12 + i1) = temp4 * a1(i1, i1) + (-1.0e0) * temp5 - alpha * a0((j2 - 1) * 12 + i1)
      end if
    end do
  end do
end subroutine
!C void PREFIX_(p230)(float*, void *, void *, void *);
!C static void PREFIX_(p230_run)(const struct FuzzCall *c) {
!C   float alpha = (float)c->r[0];
!C   PREFIX_(p230)(&alpha, c->a[0], c->a[1], c->a[2]);
!C }
!C const struct Entry PREFIX_(programs)[] = {
!C   {"p230", PREFIX_(p230_run)},
!C   {0, 0}};
