//===- loops.rs - Rust: loops over indices and iterators ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIRES: rustc
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %rustc -C opt-level=3 -C target-cpu=native
// RUN: env TILESMITH="min-work=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %rustc -C opt-level=2 -C target-cpu=native

use std::io::Write;
use std::ops::{Add, AddAssign, Index, IndexMut, Mul};

const M: usize = 71;
const N: usize = 93;
const K: usize = 82;

// --- No checks of bounds -------------------------------------------------------
//
// Ranges with "..=" and step_by are other loops in other versions of rustc.

#[inline(never)]
unsafe fn unchecked(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            for p in 0..k {
                *c.get_unchecked_mut(i * n + j) += *a.get_unchecked(i * k + p) * *b.get_unchecked(p * n + j);
            }
        }
    }
}

#[inline(never)]
unsafe fn unchecked_sum(m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            let mut sum = 0.0;
            for p in 0..k {
                sum += *a.get_unchecked(i * k + p) * *b.get_unchecked(p * n + j);
            }
            *c.get_unchecked_mut(i * n + j) = sum;
        }
    }
}

#[inline(never)]
unsafe fn pointers(m: usize, n: usize, k: usize, a: *const f64, b: *const f64, c: *mut f64) { // REPLACED
    for i in 0..m {
        for p in 0..k {
            for j in 0..n {
                *c.add(i * n + j) += *a.add(i * k + p) * *b.add(p * n + j);
            }
        }
    }
}

#[inline(never)]
unsafe fn pointers_offset(m: i32, n: i32, k: i32, a: *const f64, b: *const f64, c: *mut f64) { // REPLACED
    for j in 0..n {
        for p in 0..k {
            for i in 0..m {
                *c.offset((i + j * m) as isize) += *a.offset((i + p * m) as isize) * *b.offset((p + j * k) as isize);
            }
        }
    }
}

#[inline(never)]
unsafe fn while_loops(m: usize, n: usize, k: usize, a: *const i64, b: *const i64, c: *mut i64) { // REPLACED
    let mut i = 0;
    while i < m {
        let mut j = 0;
        while j < n {
            let mut p = 0;
            while p < k {
                let x = (*a.add(i * k + p)).wrapping_mul(*b.add(p * n + j));
                *c.add(i * n + j) = (*c.add(i * n + j)).wrapping_add(x);
                p += 1;
            }
            j += 1;
        }
        i += 1;
    }
}

#[inline(never)]
unsafe fn inclusive(m: usize, n: usize, k: usize, a: *const f64, b: *const f64, c: *mut f64) { // REPLACED
    for i in 1..=m {
        for j in 1..=n {
            for p in 1..=k {
                *c.add((i - 1) * n + j - 1) += *a.add((i - 1) * k + p - 1) * *b.add((p - 1) * n + j - 1);
            }
        }
    }
}

#[inline(never)]
unsafe fn reversed(m: usize, n: usize, k: usize, a: *const f64, b: *const f64, c: *mut f64) { // REPLACED
    for i in (0..m).rev() {
        for j in (0..n).rev() {
            for p in (0..k).rev() {
                *c.add(i * n + j) += *a.add(i * k + p) * *b.add(p * n + j);
            }
        }
    }
}

#[inline(never)]
unsafe fn stepped(m: usize, n: usize, k: usize, a: *const f64, b: *const f64, c: *mut f64) { // REPLACED or MISSED: EarlyExit
    for i in (0..m).step_by(2) {
        for p in (0..k).step_by(3) {
            for j in 0..n {
                *c.add(i * n + j) += *a.add(i * k + p) * *b.add(p * n + j);
            }
        }
    }
}

#[inline(never)]
unsafe fn fused(m: usize, n: usize, k: usize, a: *const f64, b: *const f64, c: *mut f64) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            let mut sum = 0.0;
            for p in 0..k {
                sum = (*a.add(i * k + p)).mul_add(*b.add(p * n + j), sum);
            }
            *c.add(i * n + j) = sum;
        }
    }
}

#[inline(never)]
unsafe fn generic<T: Copy + Default + Mul<Output = T> + Add<Output = T>>(m: usize, n: usize, k: usize, a: &[T], b: &[T], c: &mut [T]) { // REPLACED: 2
    for i in 0..m {
        for j in 0..n {
            let mut sum = T::default();
            for p in 0..k {
                sum = sum + *a.get_unchecked(i * k + p) * *b.get_unchecked(p * n + j);
            }
            *c.get_unchecked_mut(i * n + j) = sum;
        }
    }
}

// --- Bounds are checked ------------------------------------------------------------

#[inline(never)]
fn indexed(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            for p in 0..k {
                c[i * n + j] += a[i * k + p] * b[p * n + j];
            }
        }
    }
}

#[inline(never)]
fn indexed_sum(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            let mut sum = 0.0;
            for p in 0..k {
                sum += a[i * k + p] * b[p * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

#[inline(never)]
fn indexed_asserted(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    assert!(m < 1 << 20 && n < 1 << 20 && k < 1 << 20);
    assert!(a.len() == m * k && b.len() == k * n && c.len() == m * n);
    for i in 0..m {
        for j in 0..n {
            for p in 0..k {
                c[i * n + j] += a[i * k + p] * b[p * n + j];
            }
        }
    }
}

// Slices of one row each, whose length the compiler knows.
#[inline(never)]
fn indexed_rows(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        let a = &a[i * k..(i + 1) * k];
        let c = &mut c[i * n..(i + 1) * n];
        for p in 0..k {
            let b = &b[p * n..(p + 1) * n];
            for j in 0..n {
                c[j] += a[p] * b[j];
            }
        }
    }
}

#[inline(never)]
fn constant_arrays(a: &[[f64; K]; M], b: &[[f64; N]; K], c: &mut [[f64; N]; M]) { // REPLACED
    for i in 0..M {
        for j in 0..N {
            for p in 0..K {
                c[i][j] += a[i][p] * b[p][j];
            }
        }
    }
}

#[inline(never)]
fn constant_size(a: &[f64; M * K], b: &[f64; K * N], c: &mut [f64; M * N]) { // REPLACED
    for i in 0..M {
        for j in 0..N {
            for p in 0..K {
                c[i * N + j] += a[i * K + p] * b[p * N + j];
            }
        }
    }
}

#[inline(never)]
fn constant_asserted(a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    assert!(a.len() == M * K && b.len() == K * N && c.len() == M * N);
    for i in 0..M {
        for j in 0..N {
            for p in 0..K {
                c[i * N + j] += a[i * K + p] * b[p * N + j];
            }
        }
    }
}

#[inline(never)]
fn const_generic<const R: usize, const S: usize, const T: usize>(a: &[[f64; T]; R], b: &[[f64; S]; T], c: &mut [[f64; S]; R]) { // REPLACED
    for i in 0..R {
        for p in 0..T {
            for j in 0..S {
                c[i][j] += a[i][p] * b[p][j];
            }
        }
    }
}

#[inline(never)]
fn slices_of_arrays(a: &[[f64; K]], b: &[[f64; N]; K], c: &mut [[f64; N]]) { // REPLACED
    for i in 0..c.len() {
        for j in 0..N {
            for p in 0..K {
                c[i][j] += a[i][p] * b[p][j];
            }
        }
    }
}

#[inline(never)]
fn vectors(m: usize, n: usize, k: usize, a: &Vec<Vec<f64>>, b: &Vec<Vec<f64>>, c: &mut Vec<Vec<f64>>) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            for p in 0..k {
                c[i][j] += a[i][p] * b[p][j];
            }
        }
    }
}

#[inline(never)]
fn vectors_returned(a: &Vec<Vec<f64>>, b: &Vec<Vec<f64>>) -> Vec<Vec<f64>> { // REPLACED or MISSED: EarlyExit
    let mut c = vec![vec![0.0; b[0].len()]; a.len()];
    for i in 0..a.len() {
        for j in 0..b[0].len() {
            for p in 0..b.len() {
                c[i][j] += a[i][p] * b[p][j];
            }
        }
    }
    c
}

#[inline(never)]
unsafe fn vectors_unchecked(m: usize, n: usize, k: usize, a: &[Vec<f64>], b: &[Vec<f64>], c: &mut [Vec<f64>]) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            for p in 0..k {
                *c.get_unchecked_mut(i).get_unchecked_mut(j) += *a.get_unchecked(i).get_unchecked(p) * *b.get_unchecked(p).get_unchecked(j);
            }
        }
    }
}

// --- Iterators -----------------------------------------------------------------------

#[inline(never)]
fn chunks(n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for (a, c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
        for (x, b) in a.iter().zip(b.chunks_exact(n)) {
            for (c, y) in c.iter_mut().zip(b) {
                *c += x * y;
            }
        }
    }
}

// The lengths of the rows are known.
#[inline(never)]
fn chunks_constant(a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for (a, c) in a.chunks_exact(K).zip(c.chunks_exact_mut(N)) {
        for (x, b) in a.iter().zip(b.chunks_exact(N)) {
            for (c, y) in c.iter_mut().zip(b) {
                *c += x * y;
            }
        }
    }
}

#[inline(never)]
fn chunks_sum(n: usize, k: usize, a: &[f64], bt: &[f64], c: &mut [f64]) { // REPLACED
    for (a, c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
        for (b, c) in bt.chunks_exact(k).zip(c) {
            *c = a.iter().zip(b).map(|(x, y)| x * y).sum();
        }
    }
}

#[inline(never)]
fn chunks_sum_constant(a: &[f64], bt: &[f64], c: &mut [f64]) { // REPLACED
    for (a, c) in a.chunks_exact(K).zip(c.chunks_exact_mut(N)) {
        for (b, c) in bt.chunks_exact(K).zip(c) {
            *c = a.iter().zip(b).map(|(x, y)| x * y).sum();
        }
    }
}

#[inline(never)]
fn chunks_fold(n: usize, k: usize, a: &[f64], bt: &[f64], c: &mut [f64]) { // REPLACED
    a.chunks_exact(k).zip(c.chunks_exact_mut(n)).for_each(|(a, c)| {
        bt.chunks_exact(k).zip(c.iter_mut()).for_each(|(b, c)| {
            *c = a.iter().zip(b.iter()).fold(*c, |sum, (x, y)| sum + x * y);
        })
    });
}

#[inline(never)]
fn enumerated(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // MISSED: EarlyExit
    for (i, c) in c.chunks_mut(n).enumerate().take(m) {
        for (j, c) in c.iter_mut().enumerate() {
            for p in 0..k {
                *c += a[i * k + p] * b[p * n + j];
            }
        }
    }
}

#[inline(never)]
fn columns(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // MISSED: BoundVaries|EarlyExit
    for i in 0..m {
        for j in 0..n {
            let row = a[i * k..].iter().take(k);
            let column = b[j..].iter().step_by(n);
            c[i * n + j] = row.zip(column).map(|(x, y)| x * y).sum();
        }
    }
}

#[inline(never)]
fn vectors_zipped(a: &Vec<Vec<f64>>, b: &Vec<Vec<f64>>, c: &mut Vec<Vec<f64>>) { // MISSED: BoundVaries
    for (a, c) in a.iter().zip(c) {
        for (x, b) in a.iter().zip(b) {
            for (c, y) in c.iter_mut().zip(b) {
                *c += x * y;
            }
        }
    }
}

#[inline(never)]
fn arrays_zipped(a: &[[f64; K]; M], b: &[[f64; N]; K], c: &mut [[f64; N]; M]) { // REPLACED
    for (a, c) in a.iter().zip(c.iter_mut()) {
        for (x, b) in a.iter().zip(b.iter()) {
            for (c, y) in c.iter_mut().zip(b.iter()) {
                *c += x * y;
            }
        }
    }
}

// --- A type of one's own -----------------------------------------------------------------

struct Matrix<T> {
    data: Vec<T>,
    rows: usize,
    columns: usize,
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[i * self.columns + j]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[i * self.columns + j]
    }
}

impl<T> Matrix<T> {
    unsafe fn at(&self, i: usize, j: usize) -> &T {
        self.data.get_unchecked(i * self.columns + j)
    }
    unsafe fn at_mut(&mut self, i: usize, j: usize) -> &mut T {
        self.data.get_unchecked_mut(i * self.columns + j)
    }
}

#[inline(never)]
fn matrices<T: Copy + Mul<Output = T> + AddAssign>(a: &Matrix<T>, b: &Matrix<T>, c: &mut Matrix<T>) { // REPLACED
    for i in 0..c.rows {
        for j in 0..c.columns {
            for p in 0..a.columns {
                c[(i, j)] += a[(i, p)] * b[(p, j)];
            }
        }
    }
}

#[inline(never)]
unsafe fn matrices_unchecked<T: Copy + Mul<Output = T> + AddAssign>(a: &Matrix<T>, b: &Matrix<T>, c: &mut Matrix<T>) { // REPLACED
    for i in 0..c.rows {
        for j in 0..c.columns {
            for p in 0..a.columns {
                *c.at_mut(i, j) += *a.at(i, p) * *b.at(p, j);
            }
        }
    }
}

// --- Data and results ---------------------------------------------------------------------

fn value(matrix: usize, index: usize) -> f64 {
    let number = (index * (2 * matrix + 5) + index / 7 + matrix) % 61;
    (number as f64 - 30.0) * 0.37 + 0.01
}

fn make<T>(matrix: usize, size: usize, convert: fn(f64) -> T) -> Vec<T> {
    (0..size).map(|index| convert(value(matrix, index))).collect()
}

fn rows(matrix: usize, rows: usize, columns: usize) -> Vec<Vec<f64>> {
    (0..rows).map(|i| (0..columns).map(|j| value(matrix, i * columns + j)).collect()).collect()
}

fn arrays<const R: usize, const S: usize>(matrix: usize) -> Box<[[f64; S]; R]> {
    let mut result = Box::new([[0.0; S]; R]);
    for i in 0..R {
        for j in 0..S {
            result[i][j] = value(matrix, i * S + j);
        }
    }
    result
}

// The bits of all elements.
fn show<'a>(form: &str, c: impl Iterator<Item = &'a f64>) {
    let mut out = std::io::BufWriter::new(std::io::stdout());
    for (i, c) in c.enumerate() {
        writeln!(out, "{} {} {:016x}", form, i, c.to_bits()).unwrap();
    }
}

// The optimiser does not see the value, and so does not put it into the forms.
fn hidden(size: usize) -> usize {
    unsafe { std::ptr::read_volatile(&size) }
}

fn main() {
    let (m, n, k) = (hidden(M), hidden(N), hidden(K));
    let a = make(1, M * K, |x| x);
    let b = make(2, K * N, |x| x);
    let run = |name: &str, form: &dyn Fn(&[f64], &[f64], &mut [f64])| {
        let mut c = make(3, M * N, |x| x);
        form(&a, &b, &mut c);
        show(name, c.iter());
    };
    unsafe {
        run("unchecked", &|a, b, c| unchecked(m, n, k, a, b, c));
        run("pointers", &|a, b, c| pointers(m, n, k, a.as_ptr(), b.as_ptr(), c.as_mut_ptr()));
        run("pointers_offset", &|a, b, c| {
            pointers_offset(m as i32, n as i32, k as i32, a.as_ptr(), b.as_ptr(), c.as_mut_ptr())
        });
        run("inclusive", &|a, b, c| inclusive(m, n, k, a.as_ptr(), b.as_ptr(), c.as_mut_ptr()));
        run("reversed", &|a, b, c| reversed(m, n, k, a.as_ptr(), b.as_ptr(), c.as_mut_ptr()));
        run("stepped", &|a, b, c| stepped(m, n, k, a.as_ptr(), b.as_ptr(), c.as_mut_ptr()));
        run("fused", &|a, b, c| fused(m, n, k, a.as_ptr(), b.as_ptr(), c.as_mut_ptr()));
        run("generic", &|a, b, c| generic(m, n, k, a, b, c));
        let (x, y) = (make(1, M * K, |x| x as f32), make(2, K * N, |x| x as f32));
        let mut z = make(3, M * N, |x| x as f32);
        unchecked_sum(m, n, k, &x, &y, &mut z);
        show("unchecked_sum", z.iter().map(|x| *x as f64).collect::<Vec<_>>().iter());
        generic(m, n, k, &x, &y, &mut z);
        show("generic/float", z.iter().map(|x| *x as f64).collect::<Vec<_>>().iter());
        let (x, y) = (make(1, M * K, |x| x as i64), make(2, K * N, |x| x as i64));
        let mut z = make(3, M * N, |x| x as i64);
        while_loops(m, n, k, x.as_ptr(), y.as_ptr(), z.as_mut_ptr());
        show("while_loops", z.iter().map(|x| *x as f64).collect::<Vec<_>>().iter());
    }
    run("indexed", &|a, b, c| indexed(m, n, k, a, b, c));
    run("indexed_sum", &|a, b, c| indexed_sum(m, n, k, a, b, c));
    run("indexed_asserted", &|a, b, c| indexed_asserted(m, n, k, a, b, c));
    run("constant_asserted", &|a, b, c| constant_asserted(a, b, c));
    run("indexed_rows", &|a, b, c| indexed_rows(m, n, k, a, b, c));
    run("chunks", &|a, b, c| chunks(n, k, a, b, c));
    run("chunks_constant", &|a, b, c| chunks_constant(a, b, c));
    run("chunks_sum_constant", &|a, b, c| chunks_sum_constant(a, b, c));
    run("chunks_sum", &|a, b, c| chunks_sum(n, k, a, b, c));
    run("chunks_fold", &|a, b, c| chunks_fold(n, k, a, b, c));
    run("enumerated", &|a, b, c| enumerated(m, n, k, a, b, c));
    run("columns", &|a, b, c| columns(m, n, k, a, b, c));

    use std::convert::TryInto;
    let mut c: Box<[f64; M * N]> = Box::new([0.5; M * N]);
    constant_size(a[..].try_into().unwrap(), b[..].try_into().unwrap(), &mut c);
    show("constant_size", c.iter());

    let (a, b, mut c) = (arrays::<M, K>(1), arrays::<K, N>(2), arrays::<M, N>(3));
    constant_arrays(&a, &b, &mut c);
    show("constant_arrays", c.iter().flatten());
    const_generic(&a, &b, &mut c);
    show("const_generic", c.iter().flatten());
    slices_of_arrays(&a[..], &b, &mut c[..]);
    show("slices_of_arrays", c.iter().flatten());
    arrays_zipped(&a, &b, &mut c);
    show("arrays_zipped", c.iter().flatten());

    let (a, b, mut c) = (rows(1, M, K), rows(2, K, N), rows(3, M, N));
    vectors(m, n, k, &a, &b, &mut c);
    show("vectors", c.iter().flatten());
    show("vectors_returned", vectors_returned(&a, &b).iter().flatten());
    unsafe {
        vectors_unchecked(m, n, k, &a, &b, &mut c);
    }
    show("vectors_unchecked", c.iter().flatten());
    vectors_zipped(&a, &b, &mut c);
    show("vectors_zipped", c.iter().flatten());

    let matrix = |number, rows, columns| Matrix { data: make(number, rows * columns, |x| x), rows, columns };
    let (a, b, mut c) = (matrix(1, m, k), matrix(2, k, n), matrix(3, m, n));
    matrices(&a, &b, &mut c);
    show("matrices", c.data.iter());
    unsafe {
        matrices_unchecked(&a, &b, &mut c);
    }
    show("matrices_unchecked", c.data.iter());
}
