; Products in groups are dot products: the loop over k holds one for each
; register of sums, loads, and nothing else.
; REQUIRES: x86-registered-target
; RUN: %opt -passes=tilesmith-lower -mcpu=znver4 %s -o %t.bc
; RUN: opt -S %t.bc | FileCheck %s --check-prefix=IR
; RUN: opt -O3 -mcpu=znver4 %t.bc | llc -O3 -mcpu=znver4 | FileCheck %s --implicit-check-not="zmm{{.*}}(%rsp)" \
; RUN:       --implicit-check-not='{{vmov[a-z0-9]+[[:space:]]+%[xyz]mm[0-9]+, %[xyz]mm}}'
;
; Without such an instruction, LLVM's lowering takes the transposition, and
; products are widened.
; RUN: sed 's/znver4/haswell/' %s | %opt -passes=tilesmith-lower -mcpu=haswell -S \
; RUN:   | FileCheck %s --check-prefix=NONE
; NONE-NOT: llvm.x86
; NONE-NOT: call{{.*}}llvm.matrix

target triple = "x86_64-unknown-linux-gnu"

; A's elements are unsigned, and come first.
; IR-LABEL: @unsigned_signed(
; IR: [[A:%.*]] = bitcast <16 x i32> %a{{[0-9]*}} to <64 x i8>
; IR: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sum{{[0-9]*}}, <64 x i8> [[A]]
; CHECK-LABEL: unsigned_signed:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: vpdpbusd
; CHECK:           {{jne|jb}}
define void @unsigned_signed(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ld) #0 {
entry:
  %c = call <384 x i32> @llvm.matrix.column.major.load.v384i32.i64(ptr align 4 %C, i64 %ld, i1 false, i32 48, i32 8)
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i1, %loop]
  %sum = phi <384 x i32> [%c, %entry], [%next, %loop]
  %pa = phi ptr [%A, %entry], [%pa1, %loop]
  %pb = phi ptr [%B, %entry], [%pb1, %loop]
  %a = call <48 x i32> @llvm.matrix.column.major.load.v48i32.i64(ptr align 4 %pa, i64 48, i1 false, i32 48, i32 1)
  %an = bitcast <48 x i32> %a to <192 x i8>
  %at = call <192 x i8> @llvm.matrix.transpose.v192i8(<192 x i8> %an, i32 4, i32 48)
  %ax = zext <192 x i8> %at to <192 x i32>
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <32 x i8>
  %bx = sext <32 x i8> %bn to <32 x i32>
  %ab = call <384 x i32> @llvm.matrix.multiply.v384i32.v192i32.v32i32(<192 x i32> %ax, <32 x i32> %bx, i32 48, i32 4, i32 8)
  %next = add <384 x i32> %sum, %ab
  %pa1 = getelementptr i8, ptr %pa, i64 192
  %pb1 = getelementptr i8, ptr %pb, i64 32
  %i1 = add nuw i64 %i, 1
  %d = icmp ult i64 %i1, %k
  br i1 %d, label %loop, label %done
done:
  call void @llvm.matrix.column.major.store.v384i32.i64(<384 x i32> %next, ptr align 4 %C, i64 %ld, i1 false, i32 48, i32 8)
  ret void
}

; A's elements are signed, and come second.
; IR-LABEL: @signed_unsigned(
; IR: [[A2:%.*]] = bitcast <16 x i32> %a{{[0-9]*}} to <64 x i8>
; IR: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sum{{[0-9]*}}, <64 x i8> %{{.*}}, <64 x i8> [[A2]])
; CHECK-LABEL: signed_unsigned:
; CHECK:           Inner Loop Header
; CHECK-COUNT-24: vpdpbusd
; CHECK:           {{jne|jb}}
define void @signed_unsigned(i64 %k, ptr %A, ptr %B, ptr %C, i64 %ld) #0 {
entry:
  %c = call <384 x i32> @llvm.matrix.column.major.load.v384i32.i64(ptr align 4 %C, i64 %ld, i1 false, i32 48, i32 8)
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i1, %loop]
  %sum = phi <384 x i32> [%c, %entry], [%next, %loop]
  %pa = phi ptr [%A, %entry], [%pa1, %loop]
  %pb = phi ptr [%B, %entry], [%pb1, %loop]
  %a = call <48 x i32> @llvm.matrix.column.major.load.v48i32.i64(ptr align 4 %pa, i64 48, i1 false, i32 48, i32 1)
  %an = bitcast <48 x i32> %a to <192 x i8>
  %at = call <192 x i8> @llvm.matrix.transpose.v192i8(<192 x i8> %an, i32 4, i32 48)
  %ax = sext <192 x i8> %at to <192 x i32>
  %b = load <8 x i32>, ptr %pb, align 4
  %bn = bitcast <8 x i32> %b to <32 x i8>
  %bx = zext <32 x i8> %bn to <32 x i32>
  %ab = call <384 x i32> @llvm.matrix.multiply.v384i32.v192i32.v32i32(<192 x i32> %ax, <32 x i32> %bx, i32 48, i32 4, i32 8)
  %next = add <384 x i32> %sum, %ab
  %pa1 = getelementptr i8, ptr %pa, i64 192
  %pb1 = getelementptr i8, ptr %pb, i64 32
  %i1 = add nuw i64 %i, 1
  %d = icmp ult i64 %i1, %k
  br i1 %d, label %loop, label %done
done:
  call void @llvm.matrix.column.major.store.v384i32.i64(<384 x i32> %next, ptr align 4 %C, i64 %ld, i1 false, i32 48, i32 8)
  ret void
}

attributes #0 = { "target-cpu"="znver4" "min-legal-vector-width"="512" "prefer-vector-width"="512" }
