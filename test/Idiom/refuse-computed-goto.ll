; A computed goto leads right to the header of the nest: no block can be put in
; between.
;
; RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes=tilesmith -S %s | FileCheck %s --check-prefix=SAME
; CHECK-LABEL: function 'computed':
; CHECK-NEXT: not replaced: ComputedGoto
; CHECK-LABEL: function 'in_front':
; CHECK-NEXT: GEMM
; SAME-LABEL: define void @computed(
; SAME-NOT: tilesmith

define void @computed(ptr noalias %a, ptr noalias %b, ptr noalias %c, ptr %to) {
entry:
  indirectbr ptr %to, [label %i.loop, label %exit]
i.loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %i.end ]
  %i.row = mul nuw nsw i64 %i, 40
  br label %j.loop
j.loop:
  %j = phi i64 [ 0, %i.loop ], [ %j.next, %j.end ]
  %c.index = add nuw nsw i64 %i.row, %j
  %c.ptr = getelementptr inbounds double, ptr %c, i64 %c.index
  %first = load double, ptr %c.ptr
  br label %k.loop
k.loop:
  %k = phi i64 [ 0, %j.loop ], [ %k.next, %k.loop ]
  %sum = phi double [ %first, %j.loop ], [ %sum.next, %k.loop ]
  %a.index = add nuw nsw i64 %i.row, %k
  %a.ptr = getelementptr inbounds double, ptr %a, i64 %a.index
  %a.value = load double, ptr %a.ptr
  %k.row = mul nuw nsw i64 %k, 40
  %b.index = add nuw nsw i64 %k.row, %j
  %b.ptr = getelementptr inbounds double, ptr %b, i64 %b.index
  %b.value = load double, ptr %b.ptr
  %product = fmul double %a.value, %b.value
  %sum.next = fadd double %sum, %product
  %k.next = add nuw nsw i64 %k, 1
  %k.done = icmp eq i64 %k.next, 40
  br i1 %k.done, label %j.end, label %k.loop
j.end:
  store double %sum.next, ptr %c.ptr
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, 40
  br i1 %j.done, label %i.end, label %j.loop
i.end:
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, 40
  br i1 %i.done, label %exit, label %i.loop
exit:
  ret void
}

define void @in_front(ptr noalias %a, ptr noalias %b, ptr noalias %c, ptr %to) {
entry:
  indirectbr ptr %to, [label %front, label %exit]
front:
  br label %i.loop
i.loop:
  %i = phi i64 [ 0, %front ], [ %i.next, %i.end ]
  %i.row = mul nuw nsw i64 %i, 40
  br label %j.loop
j.loop:
  %j = phi i64 [ 0, %i.loop ], [ %j.next, %j.end ]
  %c.index = add nuw nsw i64 %i.row, %j
  %c.ptr = getelementptr inbounds double, ptr %c, i64 %c.index
  %first = load double, ptr %c.ptr
  br label %k.loop
k.loop:
  %k = phi i64 [ 0, %j.loop ], [ %k.next, %k.loop ]
  %sum = phi double [ %first, %j.loop ], [ %sum.next, %k.loop ]
  %a.index = add nuw nsw i64 %i.row, %k
  %a.ptr = getelementptr inbounds double, ptr %a, i64 %a.index
  %a.value = load double, ptr %a.ptr
  %k.row = mul nuw nsw i64 %k, 40
  %b.index = add nuw nsw i64 %k.row, %j
  %b.ptr = getelementptr inbounds double, ptr %b, i64 %b.index
  %b.value = load double, ptr %b.ptr
  %product = fmul double %a.value, %b.value
  %sum.next = fadd double %sum, %product
  %k.next = add nuw nsw i64 %k, 1
  %k.done = icmp eq i64 %k.next, 40
  br i1 %k.done, label %j.end, label %k.loop
j.end:
  store double %sum.next, ptr %c.ptr
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, 40
  br i1 %j.done, label %i.end, label %j.loop
i.end:
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, 40
  br i1 %i.done, label %exit, label %i.loop
exit:
  ret void
}
