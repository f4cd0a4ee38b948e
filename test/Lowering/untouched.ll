; A function without llvm.matrix.* is not touched, not even its dead code.
; RUN: %opt -passes=tilesmith-lower -S %s | FileCheck %s

; CHECK:      define <4 x double> @plain(<4 x double> %a) {
; CHECK-NEXT:   %dead = fadd <4 x double> %a, %a
; CHECK-NEXT:   ret <4 x double> %a
; CHECK:      unreachable_block:
define <4 x double> @plain(<4 x double> %a) {
  %dead = fadd <4 x double> %a, %a
  ret <4 x double> %a
unreachable_block:
  ret <4 x double> %a
}
