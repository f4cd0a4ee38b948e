; A product that a step adds twice is not a product of an instruction that adds each once.
;
; RUN: %opt -passes=tilesmith -pass-remarks=tilesmith -disable-output %s 2>&1 | FileCheck %s
; CHECK: replaced 3-loop nest by GEMM i32 {{.*}}, AVX-512{{$}}

target triple = "x86_64-unknown-linux-gnu"
define void @twice(ptr noalias %a, ptr noalias %b, ptr noalias %c) "target-cpu"="znver4" {
entry:
  br label %i.loop
i.loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %i.end ]
  %i.row = mul nuw nsw i64 %i, 640
  br label %j.loop
j.loop:
  %j = phi i64 [ 0, %i.loop ], [ %j.next, %j.end ]
  %c.index = add nuw nsw i64 %i.row, %j
  %c.ptr = getelementptr inbounds i32, ptr %c, i64 %c.index
  %first = load i32, ptr %c.ptr
  br label %k.loop
k.loop:
  %k = phi i64 [ 0, %j.loop ], [ %k.next, %k.loop ]
  %sum = phi i32 [ %first, %j.loop ], [ %sum.next, %k.loop ]
  %a.index = add nuw nsw i64 %i.row, %k
  %a.ptr = getelementptr inbounds i8, ptr %a, i64 %a.index
  %a.value = load i8, ptr %a.ptr
  %a.wide = zext i8 %a.value to i32
  %k.row = mul nuw nsw i64 %k, 640
  %b.index = add nuw nsw i64 %k.row, %j
  %b.ptr = getelementptr inbounds i8, ptr %b, i64 %b.index
  %b.value = load i8, ptr %b.ptr
  %b.wide = sext i8 %b.value to i32
  %product = mul i32 %a.wide, %b.wide
  %sum.half = add i32 %sum, %product
  %sum.next = add i32 %sum.half, %product
  %k.next = add nuw nsw i64 %k, 1
  %k.done = icmp eq i64 %k.next, 640
  br i1 %k.done, label %j.end, label %k.loop
j.end:
  store i32 %sum.next, ptr %c.ptr
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, 640
  br i1 %j.done, label %i.end, label %j.loop
i.end:
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, 640
  br i1 %i.done, label %exit, label %i.loop
exit:
  ret void
}
