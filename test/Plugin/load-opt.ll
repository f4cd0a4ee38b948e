; The plugin loads into opt and llc, and its pass names are known.
;
; RUN: %opt -passes=tilesmith -disable-output %s
; RUN: %opt -passes=tilesmith-rewrite -disable-output %s
; RUN: %opt -passes=tilesmith-lower -disable-output %s
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s
; RUN: %opt -passes='print<tilesmith-plan>' -disable-output %s
; RUN: %opt -passes='tilesmith<mr=16;nr=6>' -disable-output %s
; RUN: not %opt -passes='tilesmith<mr=many>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='default<O3>' -disable-output %s
; RUN: llc -load-pass-plugin=%tilesmith %s -o /dev/null
; CHECK: value 'many' of Tilesmith option 'mr'

define void @nothing() {
  ret void
}
