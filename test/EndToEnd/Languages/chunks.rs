//===- chunks.rs - Rust: rows that are chunks of an array -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last chunk of chunks() may be shorter: arrays of other lengths show that it is.
//
// REQUIRES: rustc
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %rustc -C opt-level=3 -C target-cpu=native
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %rustc -C opt-level=2 -C target-cpu=x86-64-v3

// --- A matrix times a vector --------------------------------------------------------

#[inline(never)]
fn v_chunks(k: usize, a: &[f64], x: &[f64], y: &mut [f64]) { // REPLACED
    for (row, o) in a.chunks(k).zip(y.iter_mut()) {
        *o = row.iter().zip(x).map(|(p, q)| p * q).sum();
    }
}

#[inline(never)]
fn v_exact(k: usize, a: &[f64], x: &[f64], y: &mut [f64]) { // REPLACED
    for (o, row) in y.iter_mut().zip(a.chunks_exact(k)) {
        *o = row.iter().zip(x).fold(0.0, |s, (p, q)| s + p * q);
    }
}

#[inline(never)]
fn v_counted(k: usize, a: &[f64], x: &[f64], y: &mut [f64]) { // REPLACED
    for (i, row) in a.chunks(k).enumerate() {
        let mut s = 0.0;
        for j in 0..k {
            s += row[j] * x[j];
        }
        y[i] = s;
    }
}

#[inline(never)]
fn v_exact_counted(k: usize, a: &[f64], x: &[f64], y: &mut [f64]) { // REPLACED
    for (i, row) in a.chunks_exact(k).enumerate() {
        let mut s = 0.0;
        for j in 0..k {
            s += row[j] * x[j];
        }
        y[i] = s;
    }
}

#[inline(never)]
fn v_collected(k: usize, a: &[f64], x: &[f64], y: &mut [f64]) { // REPLACED
    let made: Vec<f64> = a.chunks_exact(k).map(|row| row.iter().zip(x).map(|(p, q)| p * q).sum()).collect();
    let n = made.len().min(y.len());
    y[..n].copy_from_slice(&made[..n]);
}

// --- Products -----------------------------------------------------------------------

#[inline(never)]
fn m_chunks(n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED; at -O2 MISSED: BoundVaries
    for (of_a, of_c) in a.chunks(k).zip(c.chunks_mut(n)) {
        for (t, of_b) in of_a.iter().zip(b.chunks(n)) {
            for (s, q) in of_c.iter_mut().zip(of_b) {
                *s += t * q;
            }
        }
    }
}

#[inline(never)]
fn m_exact(n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for (of_a, of_c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
        for (t, of_b) in of_a.iter().zip(b.chunks_exact(n)) {
            for (s, q) in of_c.iter_mut().zip(of_b) {
                *s += t * q;
            }
        }
    }
}

#[inline(never)]
fn m_dots(n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for (of_a, of_c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
        for (of_b, s) in b.chunks_exact(k).zip(of_c.iter_mut()) {
            *s = of_a.iter().zip(of_b).map(|(x, y)| x * y).sum();
        }
    }
}

#[inline(never)]
fn m_counted(n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for (i, of_c) in c.chunks_mut(n).enumerate() {
        for p in 0..k {
            let t = a[i * k + p];
            for j in 0..n {
                of_c[j] += t * b[p * n + j];
            }
        }
    }
}

#[inline(never)]
fn m_exact_counted(n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for (i, of_c) in c.chunks_exact_mut(n).enumerate() {
        for (p, of_b) in b.chunks_exact(n).enumerate() {
            let t = a[i * k + p];
            for j in 0..n {
                of_c[j] += t * of_b[j];
            }
        }
    }
}

#[inline(never)]
fn m_each(n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    c.chunks_exact_mut(n).zip(a.chunks_exact(k)).for_each(|(of_c, of_a)| {
        for (j, o) in of_c.iter_mut().enumerate() {
            let mut s = 0.0;
            for p in 0..k {
                s += of_a[p] * b[p * n + j];
            }
            *o = s;
        }
    });
}

// --- Calls ------------------------------------------------------------------------

include!("panics.inc");

fn main() {
    type Vectors = fn(usize, &[f64], &[f64], &mut [f64]);
    type Products = fn(usize, usize, &[f64], &[f64], &mut [f64]);
    let vectors: [(&str, Vectors); 5] = [
        ("v_chunks", v_chunks),
        ("v_exact", v_exact),
        ("v_counted", v_counted),
        ("v_exact_counted", v_exact_counted),
        ("v_collected", v_collected),
    ];
    let products: [(&str, Products); 6] = [
        ("m_chunks", m_chunks),
        ("m_exact", m_exact),
        ("m_dots", m_dots),
        ("m_counted", m_counted),
        ("m_exact_counted", m_exact_counted),
        ("m_each", m_each),
    ];
    let sizes = [(71, 93, 82), (1, 1, 1), (7, 1, 9), (16, 5, 33), (9, 24, 24), (0, 4, 4), (4, 0, 4), (4, 4, 0)];
    for (m, n, k) in sizes.map(|(m, n, k)| (hidden(m), hidden(n), hidden(k))) {
        let (a, x, y) = (make(1, m * k), make(2, k), make(3, m));
        for (name, form) in vectors {
            let of = format!("{}/{}x{}", name, m, k);
            let call = |a: &[f64], x: &[f64], y: &mut [f64]| form(k, a, x, y);
            for less in [0, 1, k, k + 1, m * k / 2] {
                run(&format!("{}/a-{}", of, less), &a[..a.len().saturating_sub(less)], &x, &y, &call);
            }
            run(&format!("{}/x", of), &a, &x[..k.saturating_sub(1)], &y, &call);
            run(&format!("{}/y", of), &a, &x, &y[..m.saturating_sub(1)], &call);
        }
        let (a, b, c) = (make(1, m * k), make(2, k * n), make(3, m * n));
        for (name, form) in products {
            let of = format!("{}/{}x{}x{}", name, m, n, k);
            let call = |a: &[f64], b: &[f64], c: &mut [f64]| form(n, k, a, b, c);
            for less in [0, 1, k, m * k / 2] {
                run(&format!("{}/a-{}", of, less), &a[..a.len().saturating_sub(less)], &b, &c, &call);
            }
            for less in [1, n, n + 1, n * k / 2] {
                run(&format!("{}/b-{}", of, less), &a, &b[..b.len().saturating_sub(less)], &c, &call);
            }
            for less in [1, n, n + 1, m * n / 2] {
                run(&format!("{}/c-{}", of, less), &a, &b, &c[..c.len().saturating_sub(less)], &call);
            }
        }
    }
}
