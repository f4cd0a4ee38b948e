; What cannot be split is cut where it is defined, and put together where it is
; wanted.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s

; CHECK-LABEL: define <5 x double> @argument_and_return(
; CHECK-DAG:  [[A0:%.*]] = shufflevector <5 x double> %a, <5 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK-DAG:  [[A4:%.*]] = shufflevector <5 x double> %a, <5 x double> poison, <2 x i32> <i32 4, i32 poison>
; CHECK-DAG:  [[B:%.*]] = extractelement <1 x double> %b, i64 0
; CHECK:      [[P0:%.*]] = fmul <4 x double> [[A0]],
; CHECK-NEXT: [[P4:%.*]] = fmul <2 x double> [[A4]],
; CHECK-NEXT: [[W0:%.*]] = shufflevector <4 x double> [[P0]], <4 x double> poison, <5 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison>
; CHECK-NEXT: [[W1:%.*]] = shufflevector <5 x double> poison, <5 x double> [[W0]], <5 x i32> <i32 5, i32 6, i32 7, i32 8, i32 4>
; CHECK-NEXT: [[S4:%.*]] = shufflevector <2 x double> [[P4]], <2 x double> poison, <5 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 0>
; CHECK-NEXT: [[W2:%.*]] = shufflevector <5 x double> [[W1]], <5 x double> [[S4]], <5 x i32> <i32 0, i32 1, i32 2, i32 3, i32 9>
; CHECK-NEXT: ret <5 x double> [[W2]]
define <5 x double> @argument_and_return(<5 x double> %a, <1 x double> %b) {
  %ab = call <5 x double> @llvm.matrix.multiply.v5f64.v5f64.v1f64(<5 x double> %a, <1 x double> %b, i32 5, i32 1, i32 1)
  ret <5 x double> %ab
}

declare <4 x double> @produce()
declare void @consume(<4 x double>)

; CHECK-LABEL: define double @calls(
; CHECK:      [[A:%.*]] = call <4 x double> @produce()
; CHECK-NEXT: [[A0:%.*]] = shufflevector <4 x double> [[A]],
; CHECK:      [[P:%.*]] = fmul <4 x double> [[A0]],
; CHECK:      [[W:%.*]] = shufflevector <4 x double> poison,
; CHECK:      call void @consume(<4 x double> [[W]])
; CHECK:      extractelement <4 x double> [[W]], i32 %i
define double @calls(<1 x double> %b, i32 %i) {
  %a = call <4 x double> @produce()
  %ab = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v1f64(<4 x double> %a, <1 x double> %b, i32 4, i32 1, i32 1)
  call void @consume(<4 x double> %ab)
  %e = extractelement <4 x double> %ab, i32 %i
  ret double %e
}

; A load of the same elements as a 2 x 4 matrix does not fit columns of 4.
; CHECK-LABEL: define void @other_shape(
; CHECK-COUNT-4: load <2 x double>
; CHECK-COUNT-2: fadd <4 x double>
; CHECK-NOT: call {{.*}} @llvm.matrix
define void @other_shape(<4 x double> %a, <2 x double> %b, ptr %C) {
  %c = call <8 x double> @llvm.matrix.column.major.load.v8f64.i64(ptr align 8 %C, i64 2, i1 false, i32 2, i32 4)
  %ab = call <8 x double> @llvm.matrix.multiply.v8f64.v4f64.v2f64(<4 x double> %a, <2 x double> %b, i32 4, i32 1, i32 2)
  %sum = fadd <8 x double> %c, %ab
  store <8 x double> %sum, ptr %C
  ret void
}

; A bitcast from a scalar makes a matrix, but not element by element.
; CHECK-LABEL: define void @from_scalar(
; CHECK:      [[A:%.*]] = bitcast i128 %bits to <4 x i32>
; CHECK-NEXT: shufflevector <4 x i32> [[A]],
; CHECK:      mul <4 x i32>
define void @from_scalar(i128 %bits, <1 x i32> %b, ptr %C) {
  %a = bitcast i128 %bits to <4 x i32>
  %ab = call <4 x i32> @llvm.matrix.multiply.v4i32.v4i32.v1i32(<4 x i32> %a, <1 x i32> %b, i32 4, i32 1, i32 1)
  store <4 x i32> %ab, ptr %C
  ret void
}
