; Transpositions are squares of registers, and what stands around them is cut:
; nothing is taken apart element by element, and no wide value is left.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s --implicit-check-not='x 21 x' --implicit-check-not='insertelement'

; CHECK-LABEL: define void @turned(
; CHECK-COUNT-8:  load <4 x double>
; CHECK-COUNT-16: shufflevector <4 x double>
; CHECK-COUNT-8:  store <4 x double>
; CHECK:          ret void
define void @turned(ptr %A, ptr noalias %C) {
  %a = load <32 x double>, ptr %A, align 8
  %t = call <32 x double> @llvm.matrix.transpose.v32f64(<32 x double> %a, i32 4, i32 8)
  store <32 x double> %t, ptr %C, align 8
  ret void
}

; What is beyond the matrix takes no shuffles, and the columns that are stored
; are those that come out.
; CHECK-LABEL: define void @ragged(
; CHECK-NOT:   extractelement <21 x float>
; CHECK-COUNT-3: call <8 x float> @llvm.masked.load.v8f32.p0(
; CHECK-NOT:   shufflevector <21
; CHECK:       ret void
define void @ragged(ptr %A, ptr noalias %C, i64 %ld) {
  %a = call <21 x float> @llvm.matrix.column.major.load.v21f32.i64(ptr align 4 %A, i64 %ld, i1 false, i32 7, i32 3)
  %t = call <21 x float> @llvm.matrix.transpose.v21f32(<21 x float> %a, i32 7, i32 3)
  call void @llvm.matrix.column.major.store.v21f32.i64(<21 x float> %t, ptr align 4 %C, i64 %ld, i1 false, i32 3, i32 7)
  ret void
}
