; The lowered kernel computes what three scalar loops compute: 7 x 3 results in
; columns 9 apart, 2 terms per multiplication, 5 multiplications.
; RUN: %opt -passes=tilesmith-lower %s | lli

@A = global [70 x double] zeroinitializer
@B = global [30 x double] zeroinitializer
@C = global [27 x double] zeroinitializer

define void @kernel(ptr %A, ptr %B, ptr %C) {
entry:
  %c = call <21 x double> @llvm.matrix.column.major.load.v21f64.i64(ptr align 8 %C, i64 9, i1 false, i32 7, i32 3)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %acc = phi <21 x double> [ %c, %entry ], [ %next, %loop ]
  %pa = getelementptr [14 x double], ptr %A, i64 %k
  %pb = getelementptr [6 x double], ptr %B, i64 %k
  %a = load <14 x double>, ptr %pa, align 8
  %b = load <6 x double>, ptr %pb, align 8
  %ab = call contract <21 x double> @llvm.matrix.multiply.v21f64.v14f64.v6f64(<14 x double> %a, <6 x double> %b, i32 7, i32 2, i32 3)
  %next = fadd contract <21 x double> %acc, %ab
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 5
  br i1 %more, label %loop, label %exit
exit:
  call void @llvm.matrix.column.major.store.v21f64.i64(<21 x double> %next, ptr align 8 %C, i64 9, i1 false, i32 7, i32 3)
  ret void
}

; The value of element %i of any array: -3 ... 3.
define double @element(i64 %i) {
  %scaled = mul i64 %i, 5
  %rest = urem i64 %scaled, 7
  %shifted = sub i64 %rest, 3
  %value = sitofp i64 %shifted to double
  ret double %value
}

define void @fill(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %value = call double @element(i64 %i)
  %at = getelementptr double, ptr %p, i64 %i
  store double %value, ptr %at
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; C(i, j) by its definition. Rows from 7 on lie between the columns and must
; keep their values.
define double @expected(i64 %i, i64 %j) {
entry:
  %column = mul i64 %j, 9
  %at = add i64 %column, %i
  %start = call double @element(i64 %at)
  %inside = icmp ult i64 %i, 7
  br i1 %inside, label %loop, label %exit
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi double [ %start, %entry ], [ %next, %loop ]
  %ka = mul i64 %k, 7
  %ia = add i64 %ka, %i
  %a = call double @element(i64 %ia)
  %outer = udiv i64 %k, 2
  %inner = urem i64 %k, 2
  %panel = mul i64 %outer, 6
  %jb = mul i64 %j, 2
  %row = add i64 %panel, %inner
  %ib = add i64 %row, %jb
  %b = call double @element(i64 %ib)
  %product = fmul double %a, %b
  %next = fadd double %sum, %product
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 10
  br i1 %more, label %loop, label %exit
exit:
  %result = phi double [ %start, %entry ], [ %next, %loop ]
  ret double %result
}

; Returns the number of wrong elements.
define i32 @main() {
entry:
  call void @fill(ptr @A, i64 70)
  call void @fill(ptr @B, i64 30)
  call void @fill(ptr @C, i64 27)
  call void @kernel(ptr @A, ptr @B, ptr @C)
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %at.next, %loop ]
  %wrong = phi i32 [ 0, %entry ], [ %wrong.next, %loop ]
  %i = urem i64 %at, 9
  %j = udiv i64 %at, 9
  %expected = call double @expected(i64 %i, i64 %j)
  %p = getelementptr double, ptr @C, i64 %at
  %computed = load double, ptr %p
  %differs = fcmp une double %computed, %expected
  %one = zext i1 %differs to i32
  %wrong.next = add i32 %wrong, %one
  %at.next = add i64 %at, 1
  %more = icmp ult i64 %at.next, 27
  br i1 %more, label %loop, label %exit
exit:
  ret i32 %wrong.next
}
