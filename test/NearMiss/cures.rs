// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Near misses of Rust, and their cures: see cures.c.

// REQUIRES: rustc
// RUN: %python %S/Inputs/cures.py --rust %rustc "%opt" %s

// EXPECT NotAffine: rows that begin where an array says
#[no_mangle]
pub fn checked(n: usize, a: &[f64], b: &[f64], c: &mut [f64], at: &[usize]) {
    for i in 0..n {
        for j in 0..n {
            let mut s = 0.0;
            for k in 0..n {
                s += a[at[i] + k] * b[k * n + j];
            }
            c[i * n + j] = s;
        }
    }
}

#[no_mangle]
pub fn checked_cured(n: usize, a: &[f64], b: &[f64], c: &mut [f64], at: &[usize]) {
    let mut rows = vec![0.0; n * n];
    for i in 0..n {
        rows[i * n..i * n + n].copy_from_slice(&a[at[i]..at[i] + n]);
    }
    for i in 0..n {
        for j in 0..n {
            let mut s = 0.0;
            for k in 0..n {
                s += rows[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = s;
        }
    }
}

// EXPECT EarlyExit: stops at zero
#[no_mangle]
pub fn stops(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            let mut s = 0.0;
            for k in 0..n {
                if a[i * n + k] == 0.0 {
                    break;
                }
                s += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = s;
        }
    }
}

#[no_mangle]
pub fn stops_cured(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            let mut s = 0.0;
            for k in 0..n {
                s += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = s;
        }
    }
}

// EXPECT Allocation: rows that grow
#[no_mangle]
pub fn grown(n: usize, a: &[f64], b: &[f64]) -> Vec<Vec<f64>> {
    let mut c = Vec::new();
    for i in 0..n {
        let mut row = Vec::new();
        for j in 0..n {
            let mut s = 0.0;
            for k in 0..n {
                s += a[i * n + k] * b[k * n + j];
            }
            row.push(s);
        }
        c.push(row);
    }
    c
}

#[no_mangle]
pub fn grown_cured(n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut c = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            let mut s = 0.0;
            for k in 0..n {
                s += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = s;
        }
    }
    c
}
