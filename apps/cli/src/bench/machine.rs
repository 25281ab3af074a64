//! `pliant bench machine`: the limits that every other benchmark is measured against.

use std::time::Instant;

use rayon::prelude::*;
use serde_json::{Value, json};

use super::peak::multiply_adds;

/// What the machine can do, for the threads in use.
pub(crate) struct Limits {
    pub(crate) bandwidth_gbs: f64,
    pub(crate) cache_bandwidth_gbs: f64,
    pub(crate) peak_gflops: f64,
}

impl Limits {
    /// Measures for a few seconds.
    pub(crate) fn measure() -> Self {
        Limits {
            bandwidth_gbs: triad(640 << 20, 5),
            cache_bandwidth_gbs: triad(16 << 20, 200),
            peak_gflops: peak(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "threads": rayon::current_num_threads(),
            "bandwidth_gbs": round(self.bandwidth_gbs),
            "cache_bandwidth_gbs": round(self.cache_bandwidth_gbs),
            "peak_gflops": round(self.peak_gflops),
        })
    }
}

fn round(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

/// Best rate of a = b + s c over three arrays of `bytes` each, counting 24 bytes an element.
fn triad(bytes: usize, repeats: usize) -> f64 {
    let (threads, n) = (rayon::current_num_threads(), bytes / 8);
    let chunk = n.div_ceil(threads);
    let (mut a, mut b, mut c) = (vec![0.0_f64; n], vec![0.0_f64; n], vec![0.0_f64; n]);
    // First touch by the thread that will use it.
    for x in [&mut a, &mut b, &mut c] {
        x.par_chunks_mut(chunk).for_each(|x| x.fill(1.0));
    }
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
        let start = Instant::now();
        a.par_chunks_mut(chunk).zip(b.par_chunks(chunk).zip(c.par_chunks(chunk))).for_each(
            |(a, (b, c))| {
                for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                    *a = b + 3.0 * c;
                }
            },
        );
        best = best.min(start.elapsed().as_secs_f64());
        std::hint::black_box(&a);
    }
    3.0 * bytes as f64 / best * 1e-9
}

fn peak() -> f64 {
    let threads = rayon::current_num_threads();
    let mut best = 0.0_f64;
    for _ in 0..5 {
        let start = Instant::now();
        let operations: f64 = (0..threads)
            .into_par_iter()
            .with_max_len(1)
            .map(|_| {
                let (operations, value) = multiply_adds(20_000_000);
                std::hint::black_box(value);
                operations
            })
            .sum();
        best = best.max(operations / start.elapsed().as_secs_f64() * 1e-9);
    }
    best
}
