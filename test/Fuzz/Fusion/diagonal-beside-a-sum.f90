! The product with the diagonal is added to that with the sum.
!
! RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
! CHECK: 0 failures
! REQUIRES: native-avx2, flang
! SETTING {"target": "native", "flags": ["-O3", "-march=x86-64-v3"], "options": ["verify=1"], "base": null, "language": "fortran", "cpu": "", "link": "plain", "load": "compile"}
! CALL 0 0 204746955 2 4 29 17 29 32 0 2 0 3944 0 0 7400 0 2 0 0 1 0
#ifdef PLANTED
#define PLANT(value) (-(value))
#else
#define PLANT(value) (value)
#endif
!C #include "fuzz.h"
subroutine p264(n0, n1, ld0, ld1, a0, a1) bind(C, name=PREFIX//"_p264")
  implicit none
  integer(4), value :: n0
  integer(4), value :: n1
  integer(4), value :: ld0
  integer(4), value :: ld1
  real(8) :: a0(0:ld0 - 1, 0:*)
  real(8) :: a1(0:ld1 - 1, 0:*)
  integer(4) :: j7
  integer(4) :: i6
  real(8) :: temp9
  real(8) :: temp10
  integer(4) :: l8
  if (n0 < 9) then
  else
    do j7 = 0, n1 - 1
      do i6 = 0, n0 - 1
        temp9 = a1(j7, i6)
        temp10 = 0.0d0
        do l8 = 0, i6 - 1
          a0(l8, j7) = a0(l8, j7) + a1(l8, i6) * temp9
          temp10 = temp10 + a1(j7, l8) * a1(l8, i6)
        end do
        a0(i6, j7) = a1(i6, i6) * temp9 + temp10 * 3.0d0
      end do
    end do
  end if
end subroutine
!C void PREFIX_(p264)(int, int, int, int, void *, void *);
!C static void PREFIX_(p264_run)(const struct FuzzCall *c) {
!C   int n0 = (int)c->n[0];
!C   int n1 = (int)c->n[1];
!C   int ld0 = (int)c->n[2];
!C   int ld1 = (int)c->n[3];
!C   PREFIX_(p264)(n0, n1, ld0, ld1, c->a[0], c->a[1]);
!C }
!C const struct Entry PREFIX_(programs)[] = {
!C   {"p264", PREFIX_(p264_run)},
!C   {0, 0}};
