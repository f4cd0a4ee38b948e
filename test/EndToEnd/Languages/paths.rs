//===- paths.rs - Rust: Floyd and Warshall within a slice -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each form also gets matrices that are too short: it panics at the same element, and has
// stored the same until then. (What older compilers make of the checks is another matter.)
//
// REQUIRES: rustc-22
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %rustc -C opt-level=3 -C target-cpu=native
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %rustc -C opt-level=2 -C target-cpu=x86-64-v3

#[inline(never)]
fn if_less(n: usize, d: &mut [f64]) { // REPLACED
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                let t = d[i * n + k] + d[k * n + j];
                if t < d[i * n + j] {
                    d[i * n + j] = t;
                }
            }
        }
    }
}

#[inline(never)]
fn minimum(n: usize, d: &mut [f64]) { // REPLACED
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                d[i * n + j] = d[i * n + j].min(d[i * n + k] + d[k * n + j]);
            }
        }
    }
}

#[inline(never)]
fn columns_first(n: usize, d: &mut [f64]) { // REPLACED
    for k in 0..n {
        for j in 0..n {
            for i in 0..n {
                let t = d[i * n + k] + d[k * n + j];
                if d[i * n + j] > t {
                    d[i * n + j] = t;
                }
            }
        }
    }
}

// The subscripts begin behind the first element.
#[inline(never)]
fn part(n: usize, d: &mut [f64]) { // REPLACED
    let m = n + 1;
    for k in 1..m {
        for i in 1..m {
            for j in 1..m {
                let t = d[i * m + k] + d[k * m + j];
                if t < d[i * m + j] {
                    d[i * m + j] = t;
                }
            }
        }
    }
}

// --- Calls ------------------------------------------------------------------------

include!("panics.inc");

fn main() {
    let forms: [(&str, fn(usize, &mut [f64])); 4] =
        [("if_less", if_less), ("minimum", minimum), ("columns_first", columns_first), ("part", part)];
    for n in [0, 1, 3, 23, 24, 65, 200].map(hidden) {
        for (name, form) in forms {
            let d = make(7, (n + 1) * (n + 1));
            let call = |_: &[f64], _: &[f64], d: &mut [f64]| form(n, d);
            run(&format!("{}/{}", name, n), &[], &[], &d, &call);
            for short in [1, 2 * n + 1, 2 * n + 2, n * n / 2] {
                let less = &d[..d.len().saturating_sub(short)];
                run(&format!("{}/{}-{}", name, n, short), &[], &[], less, &call);
            }
        }
    }
}
