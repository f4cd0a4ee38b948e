; The rest of a column is a register with lanes that mean nothing, if the target
; can load that. Where it stores with a mask slowly, it stores parts. Other
; targets take decreasing powers of two; a single element is a scalar.
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=x86-64 -S %s | FileCheck %s --check-prefix=PARTS
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=haswell -S %s | FileCheck %s --check-prefixes=PADDED,AVX2
; RUN: %opt -passes=tilesmith-lower -mtriple=x86_64-linux-gnu -mcpu=znver4 -mattr=-prefer-256-bit -S %s | FileCheck %s --check-prefix=AVX512

; PARTS-COUNT-3: load <2 x double>
; PARTS:         load double, ptr {{%.*}}, align 16
; PARTS:         fmul double
; PARTS-COUNT-3: store <2 x double>
; PARTS:         store double

; PADDED:      [[A0:%.*]] = load <4 x double>, ptr %A, align 32
; PADDED:      [[A4:%.*]] = call <4 x double> @llvm.masked.load.v4f64.p0(ptr align 32 {{%.*}}, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x double> zeroinitializer)
; PADDED:      [[P0:%.*]] = fmul <4 x double> [[A0]],
; PADDED-NEXT: [[P4:%.*]] = fmul <4 x double> [[A4]],
; PADDED:      store <4 x double> [[P0]], ptr %C, align 8
; AVX2:        [[P4L:%.*]] = shufflevector <4 x double> [[P4]], <4 x double> poison, <2 x i32> <i32 0, i32 1>
; AVX2:        store <2 x double> [[P4L]], ptr {{%.*}}, align 8
; AVX2:        [[P6:%.*]] = extractelement <4 x double> [[P4]], i64 2
; AVX2:        store double [[P6]], ptr {{%.*}}, align 8

; AVX512:      [[A:%.*]] = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 32 %A, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>
; AVX512:      [[P:%.*]] = fmul <8 x double> [[A]],
; AVX512:      call void @llvm.masked.store.v8f64.p0(<8 x double> [[P]], ptr align 8 %C, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
define void @kernel(ptr %A, ptr %B, ptr %C) {
  %a = load <7 x double>, ptr %A, align 32
  %b = load <1 x double>, ptr %B, align 8
  %ab = call <7 x double> @llvm.matrix.multiply.v7f64.v7f64.v1f64(<7 x double> %a, <1 x double> %b, i32 7, i32 1, i32 1)
  store <7 x double> %ab, ptr %C, align 8
  ret void
}

; Volatile accesses stay whole.
; PADDED-LABEL: define void @volatile(
; PADDED-NOT:   masked
; PADDED:       ret void
define void @volatile(ptr %A, ptr %B, ptr %C) {
  %a = call <7 x double> @llvm.matrix.column.major.load.v7f64.i64(ptr align 8 %A, i64 7, i1 true, i32 7, i32 1)
  %b = load <1 x double>, ptr %B, align 8
  %ab = call <7 x double> @llvm.matrix.multiply.v7f64.v7f64.v1f64(<7 x double> %a, <1 x double> %b, i32 7, i32 1, i32 1)
  store <7 x double> %ab, ptr %C, align 8
  ret void
}
