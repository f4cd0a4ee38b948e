; All storage orders as calls of cblas_dgemm, in the order of C or in the other.
;
; With the layout of C the call is of A and B; with the other one, of the
; transposed product: B and A, N and M.
;
; C A B = r r r
; RUN: sed 's/AM/%%lda/;s/AK/1/;s/BK/%%ldb/;s/BN/1/;s/CM/%%ldc/;s/CN/1/' %s > %t.ll
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=row;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=111 -DSECOND=111 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=c;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=111 -DSECOND=111 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=column;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=111 -DSECOND=111 -DX=b -DY=a -DROWS=60 -DCOLUMNS=50
; C A B = r r c
; RUN: sed 's/AM/%%lda/;s/AK/1/;s/BK/1/;s/BN/%%ldb/;s/CM/%%ldc/;s/CN/1/' %s > %t.ll
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=row;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=111 -DSECOND=112 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=c;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=111 -DSECOND=112 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=column;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=112 -DSECOND=111 -DX=b -DY=a -DROWS=60 -DCOLUMNS=50
; C A B = r c r
; RUN: sed 's/AM/1/;s/AK/%%lda/;s/BK/%%ldb/;s/BN/1/;s/CM/%%ldc/;s/CN/1/' %s > %t.ll
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=row;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=112 -DSECOND=111 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=c;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=112 -DSECOND=111 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=column;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=111 -DSECOND=112 -DX=b -DY=a -DROWS=60 -DCOLUMNS=50
; C A B = r c c
; RUN: sed 's/AM/1/;s/AK/%%lda/;s/BK/1/;s/BN/%%ldb/;s/CM/%%ldc/;s/CN/1/' %s > %t.ll
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=row;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=112 -DSECOND=112 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=c;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=112 -DSECOND=112 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=column;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=112 -DSECOND=112 -DX=b -DY=a -DROWS=60 -DCOLUMNS=50
; C A B = c r r
; RUN: sed 's/AM/%%lda/;s/AK/1/;s/BK/%%ldb/;s/BN/1/;s/CM/1/;s/CN/%%ldc/' %s > %t.ll
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=row;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=112 -DSECOND=112 -DX=b -DY=a -DROWS=60 -DCOLUMNS=50
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=column;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=112 -DSECOND=112 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=c;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=112 -DSECOND=112 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; C A B = c r c
; RUN: sed 's/AM/%%lda/;s/AK/1/;s/BK/1/;s/BN/%%ldb/;s/CM/1/;s/CN/%%ldc/' %s > %t.ll
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=row;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=111 -DSECOND=112 -DX=b -DY=a -DROWS=60 -DCOLUMNS=50
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=column;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=112 -DSECOND=111 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=c;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=112 -DSECOND=111 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; C A B = c c r
; RUN: sed 's/AM/1/;s/AK/%%lda/;s/BK/%%ldb/;s/BN/1/;s/CM/1/;s/CN/%%ldc/' %s > %t.ll
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=row;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=112 -DSECOND=111 -DX=b -DY=a -DROWS=60 -DCOLUMNS=50
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=column;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=111 -DSECOND=112 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=c;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=111 -DSECOND=112 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; C A B = c c c
; RUN: sed 's/AM/1/;s/AK/%%lda/;s/BK/1/;s/BN/%%ldb/;s/CM/1/;s/CN/%%ldc/' %s > %t.ll
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=row;verify>' -S %t.ll | FileCheck %s -DLAYOUT=101 -DFIRST=111 -DSECOND=111 -DX=b -DY=a -DROWS=60 -DCOLUMNS=50
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=column;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=111 -DSECOND=111 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
; RUN: %opt -passes='tilesmith-rewrite<strategy=blas;layout=c;verify>' -S %t.ll | FileCheck %s -DLAYOUT=102 -DFIRST=111 -DSECOND=111 -DX=a -DY=b -DROWS=50 -DCOLUMNS=60
;
; CHECK: declare void @cblas_dgemm(i32, i32, i32, i32, i32, i32, double, ptr, i32, ptr, i32, double, ptr, i32) #[[ATTRS:[0-9]+]]
; CHECK: define internal i1 @gemm.tilesmith(
; CHECK: tilesmith.fast:
; CHECK-NEXT: call void @cblas_dgemm(i32 [[LAYOUT]], i32 [[FIRST]], i32 [[SECOND]], i32 [[ROWS]], i32 [[COLUMNS]], i32 70, double 1.000000e+00, ptr %[[X]], i32 %{{[0-9]+}}, ptr %[[Y]], i32 %{{[0-9]+}}, double 1.000000e+00, ptr %c, i32 %{{[0-9]+}})
; CHECK: attributes #[[ATTRS]] = { nounwind }

define void @gemm(ptr %a, i64 %lda, ptr %b, i64 %ldb, ptr %c, i64 %ldc) {
entry:
  br label %i
i:
  %iv.i = phi i64 [ 0, %entry ], [ %next.i, %i.latch ]
  br label %j
j:
  %iv.j = phi i64 [ 0, %i ], [ %next.j, %j.latch ]
  %ci = mul nsw i64 %iv.i, CM
  %cj = mul nsw i64 %iv.j, CN
  %cij = add nsw i64 %ci, %cj
  %pc = getelementptr double, ptr %c, i64 %cij
  %start = load double, ptr %pc
  br label %k
k:
  %iv.k = phi i64 [ 0, %j ], [ %next.k, %k ]
  %sum = phi double [ %start, %j ], [ %next, %k ]
  %ai = mul nsw i64 %iv.i, AM
  %ak = mul nsw i64 %iv.k, AK
  %aik = add nsw i64 %ai, %ak
  %pa = getelementptr double, ptr %a, i64 %aik
  %x = load double, ptr %pa
  %bk = mul nsw i64 %iv.k, BK
  %bj = mul nsw i64 %iv.j, BN
  %bkj = add nsw i64 %bk, %bj
  %pb = getelementptr double, ptr %b, i64 %bkj
  %y = load double, ptr %pb
  %xy = fmul fast double %x, %y
  %next = fadd fast double %sum, %xy
  %next.k = add nuw nsw i64 %iv.k, 1
  %k.goes.on = icmp ne i64 %next.k, 70
  br i1 %k.goes.on, label %k, label %j.latch
j.latch:
  store double %next, ptr %pc
  %next.j = add nuw nsw i64 %iv.j, 1
  %j.goes.on = icmp ne i64 %next.j, 60
  br i1 %j.goes.on, label %j, label %i.latch
i.latch:
  %next.i = add nuw nsw i64 %iv.i, 1
  %i.goes.on = icmp ne i64 %next.i, 50
  br i1 %i.goes.on, label %i, label %exit
exit:
  ret void
}
