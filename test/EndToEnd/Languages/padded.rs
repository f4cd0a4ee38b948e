//===- padded.rs - Rust: windows that leave an image ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of bounds are made where a window is inside of the image. Images and taps that are too short show that a
// form panics at the same element, and has stored the same until then. Of sizes: h and w of the image, k taps, c
// channels, f filters.
//
// REQUIRES: rustc
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %rustc -C opt-level=3 -C target-cpu=native
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %rustc -C opt-level=2 -C target-cpu=x86-64-v3

// --- Borders that are compared with signed numbers ----------------------------------

#[inline(never)]
fn signed(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = (k / 2) as isize;
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        for q in 0..k {
                            let u = i as isize + r as isize - p;
                            let v = j as isize + q as isize - p;
                            if u >= 0 && u < h as isize && v >= 0 && v < w as isize {
                                s += x[(l * h + u as usize) * w + v as usize] * taps[((m * c + l) * k + r) * k + q];
                            }
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

#[inline(never)]
fn skipped(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = (k / 2) as isize;
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = taps[m];
                for l in 0..c {
                    for r in 0..k {
                        let u = i as isize + r as isize - p;
                        if u < 0 || u >= h as isize {
                            continue;
                        }
                        for q in 0..k {
                            let v = j as isize + q as isize - p;
                            if v < 0 || v >= w as isize {
                                continue;
                            }
                            s += x[(l * h + u as usize) * w + v as usize] * taps[((m * c + l) * k + r) * k + q];
                        }
                    }
                }
                y[(m * h + i) * w + j] = if s > 0.0 { s } else { 0.0 };
            }
        }
    }
}

#[inline(never)]
fn zeros(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED; at -O3 MISSED: EarlyExit
    let p = (k / 2) as isize;
    let at = |l: usize, u: isize, v: isize| {
        if u >= 0 && u < h as isize && v >= 0 && v < w as isize {
            x[(l * h + u as usize) * w + v as usize]
        } else {
            0.0
        }
    };
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        for q in 0..k {
                            s += at(l, i as isize + r as isize - p, j as isize + q as isize - p)
                                * taps[((m * c + l) * k + r) * k + q];
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

#[inline(never)]
fn narrow(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let (h, w, k) = (h as i32, w as i32, k as i32);
    let p = k / 2;
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        for q in 0..k {
                            let (u, v) = (i + r - p, j + q - p);
                            if u >= 0 && u < h && v >= 0 && v < w {
                                s += x[l * (h * w) as usize + (u * w + v) as usize]
                                    * taps[(m * c + l) * (k * k) as usize + (r * k + q) as usize];
                            }
                        }
                    }
                }
                y[m * (h * w) as usize + (i * w + j) as usize] = s;
            }
        }
    }
}

#[inline(never)]
fn in_memory(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED; at -O3 MISSED: EarlyExit
    let p = (k / 2) as isize;
    for m in 0..f {
        for l in 0..c {
            for r in 0..k {
                for q in 0..k {
                    for i in 0..h {
                        for j in 0..w {
                            let u = i as isize + r as isize - p;
                            let v = j as isize + q as isize - p;
                            if u >= 0 && u < h as isize && v >= 0 && v < w as isize {
                                y[(m * h + i) * w + j] +=
                                    x[(l * h + u as usize) * w + v as usize] * taps[((m * c + l) * k + r) * k + q];
                            }
                        }
                    }
                }
            }
        }
    }
}

#[inline(never)]
fn strided(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = (k / 2) as isize;
    let (rows, columns) = (h.div_ceil(2), w.div_ceil(2));
    for m in 0..f {
        for i in 0..rows {
            for j in 0..columns {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        for q in 0..k {
                            let u = (2 * i + r) as isize - p;
                            let v = (2 * j + q) as isize - p;
                            if u >= 0 && u < h as isize && v >= 0 && v < w as isize {
                                s += x[(l * h + u as usize) * w + v as usize] * taps[((m * c + l) * k + r) * k + q];
                            }
                        }
                    }
                }
                y[(m * rows + i) * columns + j] = s;
            }
        }
    }
}

#[inline(never)]
fn channels_last(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = (k / 2) as isize;
    for i in 0..h {
        for j in 0..w {
            for m in 0..f {
                let mut s = 0.0;
                for r in 0..k {
                    for q in 0..k {
                        let u = i as isize + r as isize - p;
                        let v = j as isize + q as isize - p;
                        if u >= 0 && u < h as isize && v >= 0 && v < w as isize {
                            for l in 0..c {
                                s += x[(u as usize * w + v as usize) * c + l] * taps[((r * k + q) * c + l) * f + m];
                            }
                        }
                    }
                }
                y[(i * w + j) * f + m] = s;
            }
        }
    }
}

#[inline(never)]
fn three(h: usize, w: usize, _: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..3 {
                        for q in 0..3 {
                            let u = i as isize + r as isize - 1;
                            let v = j as isize + q as isize - 1;
                            if u >= 0 && u < h as isize && v >= 0 && v < w as isize {
                                s += x[(l * h + u as usize) * w + v as usize] * taps[((m * c + l) * 3 + r) * 3 + q];
                            }
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

// What is read in front of the second test panics beyond the last row.
#[inline(never)]
fn between(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = (k / 2) as isize;
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        let u = i as isize + r as isize - p;
                        if u >= 0 {
                            let t = x[(l * h + u as usize) * w + j];
                            if u < h as isize {
                                s += t * taps[(m * c + l) * k + r];
                            }
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

// --- Borders that are compared with unsigned numbers --------------------------------

#[inline(never)]
fn wrapping(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = k / 2;
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        for q in 0..k {
                            let u = (i + r).wrapping_sub(p);
                            let v = (j + q).wrapping_sub(p);
                            if u < h && v < w {
                                s += x[(l * h + u) * w + v] * taps[((m * c + l) * k + r) * k + q];
                            }
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

#[inline(never)]
fn unsigned(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = k / 2;
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        for q in 0..k {
                            if i + r >= p && i + r - p < h && j + q >= p && j + q - p < w {
                                s += x[(l * h + i + r - p) * w + j + q - p] * taps[((m * c + l) * k + r) * k + q];
                            }
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

#[inline(never)]
fn unsigned_skipped(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = k / 2;
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        if i + r < p || i + r >= h + p {
                            continue;
                        }
                        for q in 0..k {
                            if j + q < p || j + q >= w + p {
                                continue;
                            }
                            s += x[(l * h + i + r - p) * w + j + q - p] * taps[((m * c + l) * k + r) * k + q];
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

#[inline(never)]
fn sums_of_unsigned(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = k / 2;
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = taps[m];
                for l in 0..c {
                    for r in 0..k {
                        if i + r >= p && i + r < h + p {
                            for q in 0..k {
                                if j + q >= p && j + q < w + p {
                                    s += x[(l * h + i + r - p) * w + j + q - p] * taps[((m * c + l) * k + r) * k + q];
                                }
                            }
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

#[inline(never)]
fn all_at_once(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = k / 2;
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        for q in 0..k {
                            if i + r < p || i + r >= h + p || j + q < p || j + q >= w + p {
                                continue;
                            }
                            s += x[(l * h + i + r - p) * w + j + q - p] * taps[((m * c + l) * k + r) * k + q];
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

#[inline(never)]
fn or_else(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        let Some(u) = (i + r).checked_sub(k / 2) else { continue };
                        if u >= h {
                            continue;
                        }
                        for q in 0..k {
                            let Some(v) = (j + q).checked_sub(k / 2) else { continue };
                            if v >= w {
                                continue;
                            }
                            s += x[(l * h + u) * w + v] * taps[((m * c + l) * k + r) * k + q];
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

#[inline(never)]
fn checked(h: usize, w: usize, k: usize, c: usize, f: usize, x: &[f64], taps: &[f64], y: &mut [f64]) { // REPLACED
    let p = k / 2;
    for m in 0..f {
        for i in 0..h {
            for j in 0..w {
                let mut s = 0.0;
                for l in 0..c {
                    for r in 0..k {
                        for q in 0..k {
                            if let (Some(u), Some(v)) = ((i + r).checked_sub(p), (j + q).checked_sub(p)) {
                                if u < h && v < w {
                                    s += x[(l * h + u) * w + v] * taps[((m * c + l) * k + r) * k + q];
                                }
                            }
                        }
                    }
                }
                y[(m * h + i) * w + j] = s;
            }
        }
    }
}

// --- Calls ------------------------------------------------------------------------

include!("panics.inc");

fn main() {
    type Form = fn(usize, usize, usize, usize, usize, &[f64], &[f64], &mut [f64]);
    let forms: [(&str, Form); 16] = [
        ("signed", signed),
        ("skipped", skipped),
        ("zeros", zeros),
        ("narrow", narrow),
        ("in_memory", in_memory),
        ("strided", strided),
        ("channels_last", channels_last),
        ("three", three),
        ("between", between),
        ("wrapping", wrapping),
        ("unsigned", unsigned),
        ("unsigned_skipped", unsigned_skipped),
        ("sums_of_unsigned", sums_of_unsigned),
        ("all_at_once", all_at_once),
        ("or_else", or_else),
        ("checked", checked),
    ];
    let sizes = [(13, 17, 3, 5, 6), (9, 8, 5, 2, 3), (1, 1, 1, 1, 1), (2, 3, 3, 2, 9), (0, 4, 3, 1, 1), (4, 4, 3, 0, 2)];
    for (h, w, k, c, f) in sizes.map(|(h, w, k, c, f)| (hidden(h), hidden(w), hidden(k), hidden(c), hidden(f))) {
        let (x, taps, y) = (make(1, h * w * c), make(2, k.max(3) * k.max(3) * c * f + f), make(3, h * w * f));
        for (name, form) in forms {
            let of = format!("{}/{}x{}x{}x{}x{}", name, h, w, k, c, f);
            let call = |x: &[f64], taps: &[f64], y: &mut [f64]| form(h, w, k, c, f, x, taps, y);
            run(&of, &x, &taps, &y, &call);
            for short in [1, w + 1, h * w * c / 2] {
                run(&format!("{}/x-{}", of, short), &x[..x.len().saturating_sub(short)], &taps, &y, &call);
            }
            for short in [f + 1, f + k * k] {
                run(&format!("{}/t-{}", of, short), &x, &taps[..taps.len().saturating_sub(short)], &y, &call);
            }
            run(&format!("{}/y", of), &x, &taps, &y[..y.len().saturating_sub(1)], &call);
        }
    }
}
