! A factor is copied to a buffer beside another sum.
!
! RUN: %python %S/../../../tools/tilesmith-fuzz --clang %clang --plugin %tilesmith --work %t --replay %s | FileCheck %s
! CHECK: 0 failures
! REQUIRES: native-avx2, flang
! SETTING {"target": "native", "flags": ["-O3", "-march=x86-64-v3"], "options": ["verify=1"], "base": null, "language": "fortran", "cpu": "", "link": "plain", "load": "compile"}
! CALL 0 0 350692869 2 2 20 28 0 4 1 1600 0 1 2204 0 1 1920 0 1 256 1 4 0 0 1 0 2 0 3 0
! CALL 0 1 748049582 0 2 20 20 0 4 1 1600 1 1 1596 0 1 1920 1 1 256 0 4 0 0 1 0 2 0 3 0
! CALL 0 2 645433549 1 2 20 20 0 4 1 1600 0 1 1596 1 1 1920 1 1 256 0 4 0 0 1 0 2 0 3 0
! CALL 0 3 930512028 0 2 20 20 0 4 1 1600 0 1 1596 1 1 1920 0 1 256 0 4 0 0 1 0 2 0 3 0
! CALL 0 4 957336162 1 2 20 23 0 4 1 1600 0 1 1824 0 1 1920 1 1 256 1 4 0 0 1 0 2 0 3 0
#ifdef PLANTED
#define PLANT(value) (-(value))
#else
#define PLANT(value) (value)
#endif
!C #include "fuzz.h"
subroutine p26(ld1, a0, a1, a2_io, a5_io) bind(C, name=PREFIX//"_p26")
  implicit none
  integer(8) :: ld1
  real(4) :: a0(*)
  real(4) :: a1(*)
  real(4) :: a2_io(20, 24)
  real(4) :: a2(20, 24)
  real(4) :: a5_io(64)
  real(4) :: a5(64)
  integer(8) :: at1
  integer(8) :: at0
  integer(8) :: j2
  integer(8) :: i1
  real(4) :: temp4
  real(4) :: temp5
  integer(8) :: q11
  integer(8) :: l3
  do at1 = 1, 24
  do at0 = 1, 20
    a2(at0, at1) = a2_io(at0, at1)
  end do
  end do
  do at0 = 1, 64
    a5(at0) = a5_io(at0)
  end do
  do j2 = 1, 20
    do i1 = 1, 20
      temp4 = a2(i1, j2)
      temp5 = 0.0e0
      do q11 = 1, i1 - 1
        a5(q11) = a1((i1 - 1) * ld1 + q11)
      end do
      do l3 = 1, i1 - 1
        a0((j2 - 1) * 20 + l3) = a0((j2 - 1) * 20 + l3) + temp4 * a5(l3)
        temp5 = temp5 + a2(l3, j2) * a1((i1 - 1) * ld1 + l3)
      end do
      a0((j2 - 1) * 20 + i1) = temp5
    end do
  end do
  do at1 = 1, 24
  do at0 = 1, 20
    a2_io(at0, at1) = a2(at0, at1)
  end do
  end do
end subroutine
!C void PREFIX_(p26)(long*, void *, void *, void *, void *);
!C static void PREFIX_(p26_run)(const struct FuzzCall *c) {
!C   long ld1 = (long)c->n[1];
!C   PREFIX_(p26)(&ld1, c->a[0], c->a[1], c->a[2], c->a[3]);
!C }
!C const struct Entry PREFIX_(programs)[] = {
!C   {"p26", PREFIX_(p26_run)},
!C   {0, 0}};
