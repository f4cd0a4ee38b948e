; When sums are kept in accumulators, and when not.
; RUN: %opt -passes=tilesmith-lower -S %s | FileCheck %s

target triple = "powerpc64le-unknown-linux-gnu"

; One accumulator.
; CHECK-LABEL: define void @pwr10(
; CHECK:         [[START:%.*]] = call <512 x i1> @llvm.ppc.mma.assemble.acc(
; CHECK-NEXT:    br label %loop
; CHECK:       loop:
; CHECK:         [[SUM:%.*]] = phi <512 x i1> [ [[START]], %entry ], [ [[NEXT:%.*]], %loop ]
; CHECK:         [[A:%.*]] = load <4 x float>, ptr %pa, align 4
; CHECK-NEXT:    [[B:%.*]] = load <4 x float>, ptr %pb, align 4
; CHECK:         [[LEFT:%.*]] = bitcast <4 x float> [[B]] to <16 x i8>
; CHECK:         [[RIGHT:%.*]] = bitcast <4 x float> [[A]] to <16 x i8>
; CHECK:         [[NEXT]] = call <512 x i1> @llvm.ppc.mma.xvf32gerpp(<512 x i1> [[SUM]], <16 x i8> [[LEFT]], <16 x i8> [[RIGHT]])
; CHECK-NOT:     mma
; CHECK:       exit:
; CHECK:         call { <16 x i8>, <16 x i8>, <16 x i8>, <16 x i8> } @llvm.ppc.mma.disassemble.acc(<512 x i1> [[NEXT]])
define void @pwr10(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd contract <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; The CPU after that has them, too.
; CHECK-LABEL: define void @pwr11(
; CHECK: mma.xvf32gerpp
define void @pwr11(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr11" "target-features"="" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd contract <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; Features say more than CPUs.
; CHECK-LABEL: define void @feature(
; CHECK: mma.xvf32gerpp
define void @feature(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr9" "target-features"="+vsx,+mma,+paired-vector-memops" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd contract <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; The last word counts.
; CHECK-LABEL: define void @no_feature(
; CHECK-NOT: mma
; CHECK: ret void
define void @no_feature(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="+mma,-mma" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd contract <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; There is none.
; CHECK-LABEL: define void @pwr9(
; CHECK-NOT: mma
; CHECK: ret void
define void @pwr9(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr9" "target-features"="" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd contract <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; A sum that is rounded twice.
; CHECK-LABEL: define void @separate(
; CHECK-NOT: mma
; CHECK: ret void
define void @separate(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; Both operations must permit it.
; CHECK-LABEL: define void @sum_is_separate(
; CHECK-NOT: mma
; CHECK: ret void
define void @sum_is_separate(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; It is not enough that the order does not matter.
; CHECK-LABEL: define void @reassociated(
; CHECK-NOT: mma
; CHECK: ret void
define void @reassociated(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call reassoc <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd reassoc <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; Half of an accumulator would be idle.
; CHECK-LABEL: define void @two_columns(
; CHECK-NOT: mma
; CHECK: ret void
define void @two_columns(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <8 x float> @llvm.matrix.column.major.load.v8f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 2)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <8 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [2 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <2 x float>, ptr %pb, align 4
  %ab = call contract <8 x float> @llvm.matrix.multiply.v8f32.v4f32.v2f32(<4 x float> %a, <2 x float> %b, i32 4, i32 1, i32 2)
  %next = fadd contract <8 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v8f32.i64(<8 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 2)
  ret void
}

; A quarter of it.
; CHECK-LABEL: define void @three_columns(
; CHECK: mma.xvf32gerpp
; CHECK-NOT: mma.xvf32gerpp
; CHECK: ret void
define void @three_columns(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <12 x float> @llvm.matrix.column.major.load.v12f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 3)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <12 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [3 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <3 x float>, ptr %pb, align 4
  %ab = call contract <12 x float> @llvm.matrix.multiply.v12f32.v4f32.v3f32(<4 x float> %a, <3 x float> %b, i32 4, i32 1, i32 3)
  %next = fadd contract <12 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v12f32.i64(<12 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 3)
  ret void
}

; Nine accumulators: one would be moved in each step.
; CHECK-LABEL: define void @too_many(
; CHECK-NOT: mma
; CHECK: ret void
define void @too_many(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <144 x float> @llvm.matrix.column.major.load.v144f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 12)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <144 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [12 x float], ptr %A, i64 %kk
  %pb = getelementptr [12 x float], ptr %B, i64 %kk
  %a = load <12 x float>, ptr %pa, align 4
  %b = load <12 x float>, ptr %pb, align 4
  %ab = call contract <144 x float> @llvm.matrix.multiply.v144f32.v12f32.v12f32(<12 x float> %a, <12 x float> %b, i32 12, i32 1, i32 12)
  %next = fadd contract <144 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v144f32.i64(<144 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 12, i32 12)
  ret void
}

; Sums that start from zero.
; CHECK-LABEL: define void @zero(
; CHECK: [[ZERO:%.*]] = call <512 x i1> @llvm.ppc.mma.xxsetaccz()
; CHECK: phi <512 x i1> [ [[ZERO]], %entry ]
define void @zero(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ zeroinitializer, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd contract <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; Sums that are used in each step.
; CHECK-LABEL: define void @used_in_loop(
; CHECK-NOT: mma
; CHECK: ret void
define void @used_in_loop(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd contract <16 x float> %acc, %ab
  store <16 x float> %next, ptr %C, align 4
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; Steps that are not made for all elements.
; CHECK-LABEL: define void @masked(
; CHECK-NOT: mma
; CHECK: ret void
define void @masked(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %chosen, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd contract <16 x float> %acc, %ab
  %odd = trunc i64 %kk to i1
  %chosen = select i1 %odd, <16 x float> %next, <16 x float> %acc
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; One product after the other.
; CHECK-LABEL: define void @two_terms(
; CHECK: [[SUM:%.*]] = phi <512 x i1> [ {{.*}} ], [ [[NEXT:%.*]], %loop ]
; CHECK: [[BETWEEN:%.*]] = call <512 x i1> @llvm.ppc.mma.xvf32gerpp(<512 x i1> [[SUM]],
; CHECK: [[NEXT]] = call <512 x i1> @llvm.ppc.mma.xvf32gerpp(<512 x i1> [[BETWEEN]],
define void @two_terms(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" "target-features"="" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %both, %loop ]
  %pa = getelementptr [4 x float], ptr %A, i64 %kk
  %pb = getelementptr [4 x float], ptr %B, i64 %kk
  %a = load <4 x float>, ptr %pa, align 4
  %b = load <4 x float>, ptr %pb, align 4
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %a, <4 x float> %b, i32 4, i32 1, i32 4)
  %next = fadd contract <16 x float> %acc, %ab
  %ba = call contract <16 x float> @llvm.matrix.multiply.v16f32.v4f32.v4f32(<4 x float> %b, <4 x float> %a, i32 4, i32 1, i32 4)
  %both = fadd contract <16 x float> %next, %ba
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %both, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; Three steps without a loop are not worth it, four are.
; CHECK-LABEL: define <16 x float> @three_steps(
; CHECK-NOT: mma
; CHECK: ret
define <16 x float> @three_steps(<12 x float> %a, <12 x float> %b) "target-cpu"="pwr10" {
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v12f32.v12f32(<12 x float> %a, <12 x float> %b, i32 4, i32 3, i32 4)
  ret <16 x float> %ab
}

; CHECK-LABEL: define <16 x float> @four_steps(
; CHECK: [[FIRST:%.*]] = call <512 x i1> @llvm.ppc.mma.xvf32ger(
; CHECK: [[SECOND:%.*]] = call <512 x i1> @llvm.ppc.mma.xvf32gerpp(<512 x i1> [[FIRST]],
; CHECK: [[THIRD:%.*]] = call <512 x i1> @llvm.ppc.mma.xvf32gerpp(<512 x i1> [[SECOND]],
; CHECK: [[FOURTH:%.*]] = call <512 x i1> @llvm.ppc.mma.xvf32gerpp(<512 x i1> [[THIRD]],
; CHECK: @llvm.ppc.mma.disassemble.acc(<512 x i1> [[FOURTH]])
define <16 x float> @four_steps(<16 x float> %a, <16 x float> %b) "target-cpu"="pwr10" {
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v16f32.v16f32(<16 x float> %a, <16 x float> %b, i32 4, i32 4, i32 4)
  ret <16 x float> %ab
}

; The unit adds pairs of products to each other, so their order must not matter.
; CHECK-LABEL: define void @bf16_in_order(
; CHECK-NOT: mma
; CHECK: ret void
define void @bf16_in_order(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x i32], ptr %A, i64 %kk
  %pb = getelementptr [4 x i32], ptr %B, i64 %kk
  %a = load <4 x i32>, ptr %pa, align 4
  %an = bitcast <4 x i32> %a to <8 x bfloat>
  %at = call <8 x bfloat> @llvm.matrix.transpose.v8bf16(<8 x bfloat> %an, i32 2, i32 4)
  %ax = fpext <8 x bfloat> %at to <8 x float>
  %b = load <4 x i32>, ptr %pb, align 4
  %bn = bitcast <4 x i32> %b to <8 x bfloat>
  %bx = fpext <8 x bfloat> %bn to <8 x float>
  %ab = call contract <16 x float> @llvm.matrix.multiply.v16f32.v8f32.v8f32(<8 x float> %ax, <8 x float> %bx, i32 4, i32 2, i32 4)
  %next = fadd contract <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; CHECK-LABEL: define void @bf16(
; CHECK: mma.xvbf16ger2pp
; CHECK-NOT: fpext
; CHECK: ret void
define void @bf16(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" {
entry:
  %c = call <16 x float> @llvm.matrix.column.major.load.v16f32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x float> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x i32], ptr %A, i64 %kk
  %pb = getelementptr [4 x i32], ptr %B, i64 %kk
  %a = load <4 x i32>, ptr %pa, align 4
  %an = bitcast <4 x i32> %a to <8 x bfloat>
  %at = call <8 x bfloat> @llvm.matrix.transpose.v8bf16(<8 x bfloat> %an, i32 2, i32 4)
  %ax = fpext <8 x bfloat> %at to <8 x float>
  %b = load <4 x i32>, ptr %pb, align 4
  %bn = bitcast <4 x i32> %b to <8 x bfloat>
  %bx = fpext <8 x bfloat> %bn to <8 x float>
  %ab = call reassoc <16 x float> @llvm.matrix.multiply.v16f32.v8f32.v8f32(<8 x float> %ax, <8 x float> %bx, i32 4, i32 2, i32 4)
  %next = fadd reassoc <16 x float> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16f32.i64(<16 x float> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}

; The first factor of the instruction is the signed one, A. So accumulators hold
; rows.
; CHECK-LABEL: define void @i8_transposed(
; CHECK-COUNT-8: shufflevector
; CHECK: call <512 x i1> @llvm.ppc.mma.assemble.acc(
; CHECK: loop:
; CHECK-NOT: shufflevector
; CHECK: [[A:%.*]] = load <4 x i32>, ptr %pa, align 4
; CHECK-NEXT: [[B:%.*]] = load <4 x i32>, ptr %pb, align 4
; CHECK-DAG: [[LEFT:%.*]] = bitcast <4 x i32> [[A]] to <16 x i8>
; CHECK-DAG: [[RIGHT:%.*]] = bitcast <4 x i32> [[B]] to <16 x i8>
; CHECK: mma.xvi8ger4pp(<512 x i1> {{.*}}, <16 x i8> [[LEFT]], <16 x i8> [[RIGHT]])
; CHECK: exit:
; CHECK: disassemble.acc
; CHECK-COUNT-8: shufflevector
define void @i8_transposed(i64 %k, ptr noalias %A, ptr noalias %B, ptr %C, i64 %ldc) "target-cpu"="pwr10" {
entry:
  %c = call <16 x i32> @llvm.matrix.column.major.load.v16i32.i64(ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %acc = phi <16 x i32> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [4 x i32], ptr %A, i64 %kk
  %pb = getelementptr [4 x i32], ptr %B, i64 %kk
  %a = load <4 x i32>, ptr %pa, align 4
  %an = bitcast <4 x i32> %a to <16 x i8>
  %at = call <16 x i8> @llvm.matrix.transpose.v16i8(<16 x i8> %an, i32 4, i32 4)
  %ax = sext <16 x i8> %at to <16 x i32>
  %b = load <4 x i32>, ptr %pb, align 4
  %bn = bitcast <4 x i32> %b to <16 x i8>
  %bx = zext <16 x i8> %bn to <16 x i32>
  %ab = call <16 x i32> @llvm.matrix.multiply.v16i32.v16i32.v16i32(<16 x i32> %ax, <16 x i32> %bx, i32 4, i32 4, i32 4)
  %next = add <16 x i32> %acc, %ab
  %kk.next = add i64 %kk, 1
  %more = icmp ne i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v16i32.i64(<16 x i32> %next, ptr align 4 %C, i64 %ldc, i1 false, i32 4, i32 4)
  ret void
}
