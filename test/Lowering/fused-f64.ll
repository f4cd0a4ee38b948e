; One accumulator per register, one fused multiply-add per accumulator: columns
; outside, row blocks inside.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define <16 x double> @kernel(
; CHECK:      loop:
; CHECK:      [[ACC0:%.*]] = phi <4 x double> [ zeroinitializer, %entry ], [ [[NEXT0:%.*]], %loop ]
; CHECK-NEXT: [[ACC1:%.*]] = phi <4 x double> [ zeroinitializer, %entry ], [ [[NEXT1:%.*]], %loop ]
; CHECK-NEXT: [[ACC2:%.*]] = phi <4 x double> [ zeroinitializer, %entry ], [ [[NEXT2:%.*]], %loop ]
; CHECK-NEXT: [[ACC3:%.*]] = phi <4 x double> [ zeroinitializer, %entry ], [ [[NEXT3:%.*]], %loop ]
; CHECK-NEXT: [[A0:%.*]] = load <4 x double>, ptr %pa, align 64
; CHECK-NEXT: [[PA1:%.*]] = getelementptr double, ptr %pa, i64 4
; CHECK-NEXT: [[A1:%.*]] = load <4 x double>, ptr [[PA1]], align 32
; CHECK-NEXT: [[B0:%.*]] = load double, ptr %pb, align 16
; CHECK-NEXT: [[PB1:%.*]] = getelementptr double, ptr %pb, i64 1
; CHECK-NEXT: [[B1:%.*]] = load double, ptr [[PB1]], align 8
; CHECK-NEXT: [[INS0:%.*]] = insertelement <4 x double> poison, double [[B0]], i64 0
; CHECK-NEXT: [[SPLAT0:%.*]] = shufflevector <4 x double> [[INS0]], <4 x double> poison, <4 x i32> zeroinitializer
; CHECK-NEXT: [[NEXT0]] = call contract <4 x double> @llvm.fmuladd.v4f64(<4 x double> [[A0]], <4 x double> [[SPLAT0]], <4 x double> [[ACC0]])
; CHECK-NEXT: [[NEXT1]] = call contract <4 x double> @llvm.fmuladd.v4f64(<4 x double> [[A1]], <4 x double> [[SPLAT0]], <4 x double> [[ACC1]])
; CHECK-NEXT: [[INS1:%.*]] = insertelement <4 x double> poison, double [[B1]], i64 0
; CHECK-NEXT: [[SPLAT1:%.*]] = shufflevector <4 x double> [[INS1]], <4 x double> poison, <4 x i32> zeroinitializer
; CHECK-NEXT: [[NEXT2]] = call contract <4 x double> @llvm.fmuladd.v4f64(<4 x double> [[A0]], <4 x double> [[SPLAT1]], <4 x double> [[ACC2]])
; CHECK-NEXT: [[NEXT3]] = call contract <4 x double> @llvm.fmuladd.v4f64(<4 x double> [[A1]], <4 x double> [[SPLAT1]], <4 x double> [[ACC3]])
; CHECK-NOT:  call {{.*}} @llvm.matrix

define <16 x double> @kernel(i64 %k, ptr %A, ptr %B) {
entry:
  br label %loop
loop:
  %kk = phi i64 [ 0, %entry ], [ %kk.next, %loop ]
  %pa = phi ptr [ %A, %entry ], [ %pa.next, %loop ]
  %pb = phi ptr [ %B, %entry ], [ %pb.next, %loop ]
  %acc = phi <16 x double> [ zeroinitializer, %entry ], [ %next, %loop ]
  %a = load <8 x double>, ptr %pa, align 64
  %b = load <2 x double>, ptr %pb, align 16
  %ab = call contract <16 x double> @llvm.matrix.multiply.v16f64.v8f64.v2f64(<8 x double> %a, <2 x double> %b, i32 8, i32 1, i32 2)
  %next = fadd contract <16 x double> %acc, %ab
  %pa.next = getelementptr double, ptr %pa, i64 8
  %pb.next = getelementptr double, ptr %pb, i64 2
  %kk.next = add i64 %kk, 1
  %more = icmp ult i64 %kk.next, %k
  br i1 %more, label %loop, label %exit
exit:
  ret <16 x double> %next
}
