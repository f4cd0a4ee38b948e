//===- slices.rs - Rust: slices, inclusive ranges, and checks that fail ----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each form also gets matrices that are too short: it panics at the same element,
// and has stored the same until then.
//
// REQUIRES: rustc
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %rustc -C opt-level=3 -C target-cpu=native
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %rustc -C opt-level=2 -C target-cpu=x86-64-v3

// --- A row of A, or of both, is a slice ------------------------------------------

#[inline(never)]
fn to_end(m: usize, k: usize, a: &[f64], x: &[f64], y: &mut [f64]) { // REPLACED
    for i in 0..m {
        y[i] = a[i * k..(i + 1) * k].iter().zip(x.iter()).map(|(p, q)| p * q).sum();
    }
}

#[inline(never)]
fn to_length(m: usize, k: usize, a: &[f64], x: &[f64], y: &mut [f64]) { // REPLACED
    for i in 0..m {
        let row = &a[i * k..][..k];
        let mut sum = 0.0;
        for j in 0..k {
            sum += row[j] * x[j];
        }
        y[i] = sum;
    }
}

#[inline(never)]
fn folded(m: usize, k: usize, a: &[f64], x: &[f64], y: &mut [f64]) { // REPLACED
    for i in 0..m {
        y[i] = a[i * k..i * k + k].iter().zip(x).fold(0.0, |sum, (p, q)| sum + p * q);
    }
}

#[inline(never)]
fn every_row(_: usize, k: usize, a: &[f64], x: &[f64], y: &mut [f64]) { // REPLACED
    for (i, o) in y.iter_mut().enumerate() {
        *o = a[i * k..(i + 1) * k].iter().zip(x).map(|(p, q)| p * q).sum();
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b.iter()).map(|(x, y)| x * y).sum()
}

#[inline(never)]
fn with_dot(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            c[i * n + j] = dot(&a[i * k..(i + 1) * k], &b[j * k..(j + 1) * k]);
        }
    }
}

#[inline(never)]
fn distances(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            let (p, q) = (&a[i * k..(i + 1) * k], &b[j * k..(j + 1) * k]);
            c[i * n + j] = p.iter().zip(q).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
        }
    }
}

// --- A row of C is a slice that changes -------------------------------------------

#[inline(never)]
fn rows(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        for p in 0..k {
            let t = a[i * k + p];
            for (s, q) in c[i * n..(i + 1) * n].iter_mut().zip(&b[p * n..(p + 1) * n]) {
                *s += t * q;
            }
        }
    }
}

fn axpy(t: f64, x: &[f64], y: &mut [f64]) {
    for (s, p) in y.iter_mut().zip(x) {
        *s += t * p;
    }
}

#[inline(never)]
fn with_axpy(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        for p in 0..k {
            axpy(a[i * k + p], &b[p * n..(p + 1) * n], &mut c[i * n..(i + 1) * n]);
        }
    }
}

// --- Sums that start from elements with checks of their own ------------------------

#[inline(never)]
fn layer(m: usize, k: usize, a: &[f64], x: &[f64], y: &mut [f64]) { // REPLACED
    let (w, bias) = a.split_at(m * k);
    for i in 0..m {
        let mut sum = bias[i];
        for j in 0..k {
            sum += w[i * k + j] * x[j];
        }
        y[i] = if sum > 0.0 { sum } else { 0.0 };
    }
}

#[inline(never)]
fn biased(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            let mut sum = b[k * n + j];
            for p in 0..k {
                sum += a[i * k + p] * b[p * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

// The product, and something else in the same loops.
#[inline(never)]
fn with_rest(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64], of_rows: &mut [f64]) { // REPLACED
    for i in 0..m {
        of_rows[i] = a[i * k] + 1.0;
        for j in 0..n {
            for p in 0..k {
                c[i * n + j] += a[i * k + p] * b[p * n + j];
            }
        }
    }
}

// Checks that always have the same result may stay in the loops.
#[inline(never)]
fn with_same_check(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64], of_rows: &mut [f64]) { // REPLACED
    let (x, y) = b.split_at(b.len() / 2);
    for i in 0..m {
        let row = &a[i * k..][..k.min(n)];
        let sum: f64 = row.iter().zip(x).map(|(p, q)| p * q).sum();
        c[i] = sum * y[0];
        of_rows[i] = c[i];
    }
}

// Loops beside the product have checks of their own.
#[inline(never)]
fn with_start(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            c[i * n + j] = b[k * n + j];
        }
        for p in 0..k {
            for j in 0..n {
                c[i * n + j] += a[i * k + p] * b[p * n + j];
            }
        }
    }
}

#[inline(never)]
fn with_bound(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m {
        for j in 0..n {
            let mut sum = 0.0;
            for p in 0..k {
                sum += a[i * k + p] * b[p * n + j];
            }
            c[i * n + j] = sum;
        }
        for j in 0..n {
            if c[i * n + j] < 0.0 {
                c[i * n + j] = 0.0;
            }
        }
    }
}

#[inline(never)]
fn there_and_back(m: usize, _: usize, k: usize, a: &[f64], x: &[f64], y: &mut [f64], z: &mut [f64]) { // REPLACED
    for i in 0..m {
        z[i] = 0.0;
        for p in 0..k {
            z[i] += a[i * k + p] * x[p];
        }
        for p in 0..k {
            y[p] += a[i * k + p] * z[i];
        }
    }
}

// --- Ranges that include their end ---------------------------------------------------

#[inline(never)]
fn lower(n: usize, _: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..n {
        for j in 0..=i {
            let mut sum = b[j];
            for p in 0..k {
                sum += a[i * k + p] * a[j * k + p];
            }
            c[i + j * n] = sum;
        }
    }
}

#[inline(never)]
fn triangular(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m.min(k) {
        for j in 0..n {
            let mut sum = 0.0;
            for p in 0..=i {
                sum += a[i * k + p] * b[p * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

#[inline(never)]
fn backwards(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 0..m.min(k) {
        for p in (0..=i).rev() {
            let t = a[i * k + p];
            for j in 0..n {
                c[i * n + j] += t * b[p * n + j];
            }
        }
    }
}

#[inline(never)]
fn backwards_from_end(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED or MISSED: EarlyExit
    for i in 0..m.min(k) {
        for j in 0..n {
            let mut sum = 0.0;
            for p in (i..k).rev() {
                sum += a[i * k + p] * b[p * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

#[inline(never)]
fn all_backwards(m: usize, n: usize, k: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in (0..m).rev() {
        for p in (0..k).rev() {
            for j in (0..n).rev() {
                c[i * n + j] += a[i * k + p] * b[p * n + j];
            }
        }
    }
}

#[inline(never)]
fn from_one(m: i32, n: i32, k: i32, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    for i in 1..=m {
        for j in 1..=n {
            let mut sum = 0.0;
            for p in 1..=k {
                sum += a[((i - 1) * k + p - 1) as usize] * b[((p - 1) * n + j - 1) as usize];
            }
            c[((i - 1) * n + j - 1) as usize] = sum;
        }
    }
}

#[inline(never)]
fn rows_to(k: usize, _: usize, n: usize, a: &[f64], b: &[f64], c: &mut [f64]) { // REPLACED
    let last = k.min(n).wrapping_sub(1);
    if last > 1000 {
        return;
    }
    for i in 0..=last {
        c[i] = a[i * n..i * n + n].iter().zip(b).map(|(x, y)| x * y).sum();
    }
}

// --- Calls ------------------------------------------------------------------------

include!("panics.inc");

fn main() {
    type Vectors = fn(usize, usize, &[f64], &[f64], &mut [f64]);
    type Products = fn(usize, usize, usize, &[f64], &[f64], &mut [f64]);
    let vectors: [(&str, Vectors); 5] = [
        ("to_end", to_end),
        ("to_length", to_length),
        ("folded", folded),
        ("every_row", every_row),
        ("layer", layer),
    ];
    let split: Products = |m, n, k, a, b, c| {
        let (c, of_rows) = c.split_at_mut(c.len().min(m * n));
        with_rest(m, n, k, a, b, c, of_rows)
    };
    let narrow: Products = |m, n, k, a, b, c| from_one(m as i32, n as i32, k as i32, a, b, c);
    let same: Products = |m, n, k, a, b, c| {
        let (c, of_rows) = c.split_at_mut(m.min(c.len()));
        with_same_check(m, n, k, a, b, c, of_rows)
    };
    let both: Products = |m, n, k, a, b, c| {
        let (z, y) = c.split_at_mut(m.min(c.len()));
        there_and_back(m, n, k, a, b, y, z)
    };
    let products: [(&str, Products); 17] = [
        ("with_dot", with_dot),
        ("distances", distances),
        ("rows", rows),
        ("with_axpy", with_axpy),
        ("biased", biased),
        ("with_rest", split),
        ("with_same_check", same),
        ("with_start", with_start),
        ("with_bound", with_bound),
        ("there_and_back", both),
        ("lower", lower),
        ("triangular", triangular),
        ("backwards", backwards),
        ("backwards_from_end", backwards_from_end),
        ("all_backwards", all_backwards),
        ("from_one", narrow),
        ("rows_to", rows_to),
    ];
    let sizes = [(71, 93, 82), (1, 1, 1), (7, 1, 9), (16, 5, 33), (0, 4, 4), (4, 0, 4), (4, 4, 0)];
    for (m, n, k) in sizes.map(|(m, n, k)| (hidden(m), hidden(n), hidden(k))) {
        let (a, x, y) = (make(1, m * k + m), make(2, k), make(3, m));
        for (name, form) in vectors {
            let of = format!("{}/{}x{}", name, m, k);
            let call = |a: &[f64], x: &[f64], y: &mut [f64]| form(m, k, a, x, y);
            run(&of, &a, &x, &y, &call);
            for short in [1, m + 1, m * k / 2] {
                run(&format!("{}/a-{}", of, short), &a[..a.len().saturating_sub(short)], &x, &y, &call);
            }
            run(&format!("{}/x", of), &a, &x[..k.saturating_sub(1)], &y, &call);
            run(&format!("{}/y", of), &a, &x, &y[..m.saturating_sub(1)], &call);
        }
        let (a, b, c) = (make(1, m * k), make(2, k * n + n), make(3, m * n + m));
        for (name, form) in products {
            let of = format!("{}/{}x{}x{}", name, m, n, k);
            let call = |a: &[f64], b: &[f64], c: &mut [f64]| form(m, n, k, a, b, c);
            run(&of, &a, &b, &c, &call);
            for short in [1, m * k / 2] {
                run(&format!("{}/a-{}", of, short), &a[..a.len().saturating_sub(short)], &b, &c, &call);
            }
            for short in [1, n + 1, n * k / 2] {
                run(&format!("{}/b-{}", of, short), &a, &b[..b.len().saturating_sub(short)], &c, &call);
            }
            for short in [1, m + 1, m * n / 2 + m] {
                run(&format!("{}/c-{}", of, short), &a, &b, &c[..c.len().saturating_sub(short)], &call);
            }
        }
    }
}
