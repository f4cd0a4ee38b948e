; Functions and instructions that are not those of every day: a remark, or a
; replacement that is valid IR, and code is made for both.
;
; DEFINE: %{linkage} =
; DEFINE: %{attributes} =
; DEFINE: %{place} = BODY
; DEFINE: %{code} =
; DEFINE: %{make} = sed -e 's/ LINKAGE/ %{linkage}/' -e 's/ATTRS/%{attributes}/' -e 's/;%{place}/%{code}/' %s
; DEFINE: %{missed} = %{make} | %opt -passes='tilesmith<min-work=1;verify>' -pass-remarks=tilesmith -pass-remarks-missed=tilesmith -S -o %t.after.ll 2>&1 | FileCheck %s --check-prefix=MISSED && \
; DEFINE:   %{make} | %opt -passes=verify -S -o %t.before.ll && diff %t.before.ll %t.after.ll
; DEFINE: %{replaced} = %{make} | env TILESMITH='min-work=1;verify' %opt -passes='default<O2>' -pass-remarks=tilesmith -o %t.bc 2>&1 | FileCheck %s --check-prefix=REPLACED && \
; DEFINE:   %clang -c %t.bc -o %t.o
;
; MISSED: not replaced
; REPLACED: : replaced
;
; In the innermost loop, and in the outermost.
; REDEFINE: %{place} = BODY
; REDEFINE: %{code} = call void asm sideeffect "", "~{memory}"()
; REDEFINE: %{linkage} = 
; REDEFINE: %{attributes} = 
; RUN: %{missed}
; REDEFINE: %{code} = call void @something()
; RUN: %{missed}
; REDEFINE: %{code} = call void @something.convergent()
; RUN: %{missed}
; REDEFINE: %{code} = fence seq_cst
; RUN: %{missed}
; REDEFINE: %{code} = %v = load atomic i64, ptr %a monotonic, align 8
; RUN: %{missed}
; REDEFINE: %{code} = %v = load volatile i64, ptr %a
; RUN: %{missed}
; REDEFINE: %{code} = store volatile i64 0, ptr %c
; RUN: %{missed}
; REDEFINE: %{code} = %v = atomicrmw add ptr %a, i64 1 seq_cst
; RUN: %{missed}
; REDEFINE: %{code} = %v = cmpxchg ptr %a, i64 0, i64 1 seq_cst seq_cst
; RUN: %{missed}
; REDEFINE: %{code} = %v = call i32 @setjmp(ptr %a)
; RUN: %{missed}
; REDEFINE: %{code} = call void @llvm.trap()
; RUN: %{missed}
; REDEFINE: %{code} = call void @llvm.eh.sjlj.callsite(i32 0)
; RUN: %{missed}
; REDEFINE: %{code} = call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)
; RUN: %{missed}
; REDEFINE: %{code} = %v = call i64 @llvm.readcyclecounter()
; RUN: %{missed}
; REDEFINE: %{code} = %v = va_arg ptr %a, i64
; RUN: %{missed}
; REDEFINE: %{code} = %v = call i8 @llvm.coro.suspend(token none, i1 false)
; RUN: %{missed}
; REDEFINE: %{place} = ROW
; REDEFINE: %{code} = call void asm sideeffect "", "~{memory}"()
; RUN: %{missed}
; REDEFINE: %{code} = call void @something()
; RUN: %{missed}
; REDEFINE: %{code} = call void @something.convergent()
; RUN: %{missed}
; REDEFINE: %{code} = fence seq_cst
; RUN: %{missed}
; REDEFINE: %{code} = %v = load atomic i64, ptr %a monotonic, align 8
; RUN: %{missed}
; REDEFINE: %{code} = %v = load volatile i64, ptr %a
; RUN: %{missed}
; REDEFINE: %{code} = store volatile i64 0, ptr %c
; RUN: %{missed}
; REDEFINE: %{code} = %v = atomicrmw add ptr %a, i64 1 seq_cst
; RUN: %{missed}
; REDEFINE: %{code} = %v = cmpxchg ptr %a, i64 0, i64 1 seq_cst seq_cst
; RUN: %{missed}
; REDEFINE: %{code} = %v = call i32 @setjmp(ptr %a)
; RUN: %{missed}
; REDEFINE: %{code} = call void @llvm.trap()
; RUN: %{missed}
; REDEFINE: %{code} = call void @llvm.eh.sjlj.callsite(i32 0)
; RUN: %{missed}
; REDEFINE: %{code} = call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)
; RUN: %{missed}
; REDEFINE: %{code} = %v = call i64 @llvm.readcyclecounter()
; RUN: %{missed}
; REDEFINE: %{code} = %v = va_arg ptr %a, i64
; RUN: %{missed}
; REDEFINE: %{code} = %v = call i8 @llvm.coro.suspend(token none, i1 false)
; RUN: %{missed}
; Behind the nest.
; REDEFINE: %{place} = AFTER
; REDEFINE: %{code} = musttail call void @f(i64 %n, ptr %a, ptr %b, ptr %c)
; RUN: %{replaced}
; REDEFINE: %{code} = call void asm sideeffect "", "~{memory}"()
; RUN: %{replaced}
; REDEFINE: %{code} = store volatile i64 0, ptr %c
; RUN: %{replaced}
; REDEFINE: %{code} = store i64 %i, ptr @global
; RUN: %{replaced}
; REDEFINE: %{code} = %v = call ptr @llvm.threadlocal.address.p0(ptr @global)
; RUN: %{replaced}
; What a function is.
; REDEFINE: %{code} = %v = icmp eq i64 %n, 1
; REDEFINE: %{linkage} = weak
; RUN: %{replaced}
; REDEFINE: %{linkage} = hidden
; RUN: %{replaced}
; REDEFINE: %{linkage} = dso_local
; RUN: %{replaced}
; REDEFINE: %{linkage} = fastcc
; RUN: %{replaced}
; REDEFINE: %{linkage} = protected
; RUN: %{replaced}
; REDEFINE: %{linkage} = preserve_mostcc
; RUN: %{replaced}
; REDEFINE: %{linkage} = ghccc
; RUN: %{replaced}
; REDEFINE: %{place} = BODY
; REDEFINE: %{code} = 
; REDEFINE: %{linkage} = 
; REDEFINE: %{attributes} = convergent
; RUN: %{replaced}
; REDEFINE: %{attributes} = presplitcoroutine
; RUN: %{replaced}
; REDEFINE: %{attributes} = optsize
; RUN: %{replaced}
; REDEFINE: %{attributes} = gc "statepoint-example"
; RUN: %{replaced}
; REDEFINE: %{attributes} = sanitize_address
; RUN: %{replaced}
; REDEFINE: %{attributes} = sanitize_memory
; RUN: %{replaced}
; REDEFINE: %{attributes} = sanitize_thread
; RUN: %{replaced}
; REDEFINE: %{attributes} = null_pointer_is_valid
; RUN: %{replaced}
; REDEFINE: %{attributes} = willreturn memory(argmem: readwrite)
; RUN: %{replaced}
; REDEFINE: %{attributes} = noreturn
; RUN: %{replaced}
; REDEFINE: %{attributes} = alwaysinline
; RUN: %{replaced}
; REDEFINE: %{attributes} = nosync nofree
; RUN: %{replaced}
; REDEFINE: %{attributes} = sspreq
; RUN: %{replaced}
; REDEFINE: %{attributes} = safestack
; RUN: %{replaced}
; REDEFINE: %{attributes} = shadowcallstack
; RUN: %{replaced}
; REDEFINE: %{attributes} = returns_twice
; RUN: %{replaced}
; REDEFINE: %{attributes} = comdat($other)
; RUN: %{replaced}
; REDEFINE: %{attributes} = section "elsewhere"
; RUN: %{replaced}
; REDEFINE: %{attributes} = align 4096
; RUN: %{replaced}
; REDEFINE: %{attributes} = personality ptr @personality
; RUN: %{replaced}
; REDEFINE: %{attributes} = "target-features"="+avx2,-sse2"
; RUN: %{replaced}
; REDEFINE: %{attributes} = "denormal-fp-math"="preserve-sign"
; RUN: %{replaced}
; REDEFINE: %{attributes} = "split-stack"
; RUN: %{replaced}
; REDEFINE: %{attributes} = prefix i32 1
; RUN: %{replaced}
; REDEFINE: %{attributes} = prologue i32 1
; RUN: %{replaced}
; REDEFINE: %{attributes} = uwtable(sync)
; RUN: %{replaced}
; REDEFINE: %{attributes} = cold
; RUN: %{replaced}
; REDEFINE: %{attributes} = hot
; RUN: %{replaced}
; REDEFINE: %{attributes} = norecurse
; RUN: %{replaced}
; REDEFINE: %{attributes} = optnone noinline
; RUN: %{missed}
; REDEFINE: %{attributes} = minsize
; RUN: %{missed}
; REDEFINE: %{attributes} = strictfp
; RUN: %{missed}
; REDEFINE: %{attributes} = noimplicitfloat
; RUN: %{missed}
; REDEFINE: %{attributes} = "no-builtins"
; RUN: %{missed}
; REDEFINE: %{attributes} = "tilesmith"="off"
; RUN: %{missed}

target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%variable = type { i64 }
@global = thread_local global i64 0
$other = comdat any
declare void @something()
declare void @something.convergent() convergent
declare i32 @setjmp(ptr) returns_twice
declare i32 @personality(...)

define LINKAGE void @f(i64 %n, ptr noalias %a, ptr noalias %b, ptr noalias %c) ATTRS {
entry:
  br label %i.loop
i.loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %i.latch ]
  ;ROW
  %in = mul nsw i64 %i, %n
  br label %j.loop
j.loop:
  %j = phi i64 [ 0, %i.loop ], [ %j.next, %j.latch ]
  %c.x = add nsw i64 %in, %j
  %c.at = getelementptr double, ptr %c, i64 %c.x
  %start = load double, ptr %c.at
  br label %k.loop
k.loop:
  %k = phi i64 [ 0, %j.loop ], [ %k.next, %k.loop ]
  %sum = phi double [ %start, %j.loop ], [ %sum.next, %k.loop ]
  %a.x = add nsw i64 %in, %k
  %a.at = getelementptr double, ptr %a, i64 %a.x
  %x = load double, ptr %a.at
  %kn = mul nsw i64 %k, %n
  %b.x = add nsw i64 %kn, %j
  %b.at = getelementptr double, ptr %b, i64 %b.x
  %y = load double, ptr %b.at
  ;BODY
  %xy = fmul double %x, %y
  %sum.next = fadd double %sum, %xy
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp slt i64 %k.next, %n
  br i1 %k.more, label %k.loop, label %j.latch
j.latch:
  store double %sum.next, ptr %c.at
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp slt i64 %j.next, %n
  br i1 %j.more, label %j.loop, label %i.latch
i.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp slt i64 %i.next, %n
  br i1 %i.more, label %i.loop, label %exit
exit:
  ;AFTER
  ret void
}
