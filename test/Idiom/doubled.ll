; What is added to itself fifty times has 2^50 addends: they must not be counted.
;
; RUN: %opt -mtriple=x86_64-unknown-linux-gnu -mattr=+avx2,+fma -passes=tilesmith -pass-remarks=tilesmith \
; RUN:   -pass-remarks-missed=tilesmith -disable-output %s 2>&1 | FileCheck %s
; CHECK: replaced 3-loop nest by pairwise reduction f64
; CHECK: replaced 3-loop nest by GEMM f64
; CHECK: replaced 3-loop nest by GEMM f64

define void @sum(ptr noalias %a, ptr noalias %b, ptr noalias %c) {
entry:
  br label %i.loop
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
  %sum = phi double [ %first, %j.loop ], [ %s49, %k.loop ]
  %a.index = add nuw nsw i64 %i.row, %k
  %a.ptr = getelementptr inbounds double, ptr %a, i64 %a.index
  %a.value = load double, ptr %a.ptr
  %k.row = mul nuw nsw i64 %k, 40
  %b.index = add nuw nsw i64 %k.row, %j
  %b.ptr = getelementptr inbounds double, ptr %b, i64 %b.index
  %b.value = load double, ptr %b.ptr
  %product = fmul double %a.value, %b.value
  %sum.next = fadd double %sum, %product
  %s0 = fadd double %sum.next, %sum.next
  %s1 = fadd double %s0, %s0
  %s2 = fadd double %s1, %s1
  %s3 = fadd double %s2, %s2
  %s4 = fadd double %s3, %s3
  %s5 = fadd double %s4, %s4
  %s6 = fadd double %s5, %s5
  %s7 = fadd double %s6, %s6
  %s8 = fadd double %s7, %s7
  %s9 = fadd double %s8, %s8
  %s10 = fadd double %s9, %s9
  %s11 = fadd double %s10, %s10
  %s12 = fadd double %s11, %s11
  %s13 = fadd double %s12, %s12
  %s14 = fadd double %s13, %s13
  %s15 = fadd double %s14, %s14
  %s16 = fadd double %s15, %s15
  %s17 = fadd double %s16, %s16
  %s18 = fadd double %s17, %s17
  %s19 = fadd double %s18, %s18
  %s20 = fadd double %s19, %s19
  %s21 = fadd double %s20, %s20
  %s22 = fadd double %s21, %s21
  %s23 = fadd double %s22, %s22
  %s24 = fadd double %s23, %s23
  %s25 = fadd double %s24, %s24
  %s26 = fadd double %s25, %s25
  %s27 = fadd double %s26, %s26
  %s28 = fadd double %s27, %s27
  %s29 = fadd double %s28, %s28
  %s30 = fadd double %s29, %s29
  %s31 = fadd double %s30, %s30
  %s32 = fadd double %s31, %s31
  %s33 = fadd double %s32, %s32
  %s34 = fadd double %s33, %s33
  %s35 = fadd double %s34, %s34
  %s36 = fadd double %s35, %s35
  %s37 = fadd double %s36, %s36
  %s38 = fadd double %s37, %s37
  %s39 = fadd double %s38, %s38
  %s40 = fadd double %s39, %s39
  %s41 = fadd double %s40, %s40
  %s42 = fadd double %s41, %s41
  %s43 = fadd double %s42, %s42
  %s44 = fadd double %s43, %s43
  %s45 = fadd double %s44, %s44
  %s46 = fadd double %s45, %s45
  %s47 = fadd double %s46, %s46
  %s48 = fadd double %s47, %s47
  %s49 = fadd double %s48, %s48
  %k.next = add nuw nsw i64 %k, 1
  %k.done = icmp eq i64 %k.next, 40
  br i1 %k.done, label %j.end, label %k.loop
j.end:
  store double %s49, ptr %c.ptr
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

define void @factor(ptr noalias %a, ptr noalias %b, ptr noalias %c) {
entry:
  br label %i.loop
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
  %x0 = fadd double %a.value, %a.value
  %x1 = fadd double %x0, %x0
  %x2 = fadd double %x1, %x1
  %x3 = fadd double %x2, %x2
  %x4 = fadd double %x3, %x3
  %x5 = fadd double %x4, %x4
  %x6 = fadd double %x5, %x5
  %x7 = fadd double %x6, %x6
  %x8 = fadd double %x7, %x7
  %x9 = fadd double %x8, %x8
  %x10 = fadd double %x9, %x9
  %x11 = fadd double %x10, %x10
  %x12 = fadd double %x11, %x11
  %x13 = fadd double %x12, %x12
  %x14 = fadd double %x13, %x13
  %x15 = fadd double %x14, %x14
  %x16 = fadd double %x15, %x15
  %x17 = fadd double %x16, %x16
  %x18 = fadd double %x17, %x17
  %x19 = fadd double %x18, %x18
  %x20 = fadd double %x19, %x19
  %x21 = fadd double %x20, %x20
  %x22 = fadd double %x21, %x21
  %x23 = fadd double %x22, %x22
  %x24 = fadd double %x23, %x23
  %x25 = fadd double %x24, %x24
  %x26 = fadd double %x25, %x25
  %x27 = fadd double %x26, %x26
  %x28 = fadd double %x27, %x27
  %x29 = fadd double %x28, %x28
  %x30 = fadd double %x29, %x29
  %x31 = fadd double %x30, %x30
  %x32 = fadd double %x31, %x31
  %x33 = fadd double %x32, %x32
  %x34 = fadd double %x33, %x33
  %x35 = fadd double %x34, %x34
  %x36 = fadd double %x35, %x35
  %x37 = fadd double %x36, %x36
  %x38 = fadd double %x37, %x37
  %x39 = fadd double %x38, %x38
  %x40 = fadd double %x39, %x39
  %x41 = fadd double %x40, %x40
  %x42 = fadd double %x41, %x41
  %x43 = fadd double %x42, %x42
  %x44 = fadd double %x43, %x43
  %x45 = fadd double %x44, %x44
  %x46 = fadd double %x45, %x45
  %x47 = fadd double %x46, %x46
  %x48 = fadd double %x47, %x47
  %x49 = fadd double %x48, %x48
  %product = fmul double %x49, %b.value
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

define void @finish(ptr noalias %a, ptr noalias %b, ptr noalias %c) {
entry:
  br label %i.loop
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
  %f0 = fadd double %sum.next, %sum.next
  %f1 = fadd double %f0, %f0
  %f2 = fadd double %f1, %f1
  %f3 = fadd double %f2, %f2
  %f4 = fadd double %f3, %f3
  %f5 = fadd double %f4, %f4
  %f6 = fadd double %f5, %f5
  %f7 = fadd double %f6, %f6
  %f8 = fadd double %f7, %f7
  %f9 = fadd double %f8, %f8
  %f10 = fadd double %f9, %f9
  %f11 = fadd double %f10, %f10
  %f12 = fadd double %f11, %f11
  %f13 = fadd double %f12, %f12
  %f14 = fadd double %f13, %f13
  %f15 = fadd double %f14, %f14
  %f16 = fadd double %f15, %f15
  %f17 = fadd double %f16, %f16
  %f18 = fadd double %f17, %f17
  %f19 = fadd double %f18, %f18
  %f20 = fadd double %f19, %f19
  %f21 = fadd double %f20, %f20
  %f22 = fadd double %f21, %f21
  %f23 = fadd double %f22, %f22
  %f24 = fadd double %f23, %f23
  %f25 = fadd double %f24, %f24
  %f26 = fadd double %f25, %f25
  %f27 = fadd double %f26, %f26
  %f28 = fadd double %f27, %f27
  %f29 = fadd double %f28, %f28
  %f30 = fadd double %f29, %f29
  %f31 = fadd double %f30, %f30
  %f32 = fadd double %f31, %f31
  %f33 = fadd double %f32, %f32
  %f34 = fadd double %f33, %f33
  %f35 = fadd double %f34, %f34
  %f36 = fadd double %f35, %f35
  %f37 = fadd double %f36, %f36
  %f38 = fadd double %f37, %f37
  %f39 = fadd double %f38, %f38
  %f40 = fadd double %f39, %f39
  %f41 = fadd double %f40, %f40
  %f42 = fadd double %f41, %f41
  %f43 = fadd double %f42, %f42
  %f44 = fadd double %f43, %f43
  %f45 = fadd double %f44, %f44
  %f46 = fadd double %f45, %f45
  %f47 = fadd double %f46, %f46
  %f48 = fadd double %f47, %f47
  %f49 = fadd double %f48, %f48
  store double %f49, ptr %c.ptr
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
