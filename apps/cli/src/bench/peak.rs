//! Peak arithmetic of one core: fused multiply-adds on registers, with the widest vectors that the
//! machine has.
//!
//! The one `unsafe` module of the command: a function compiled for a CPU feature may only be called
//! where that feature exists, and each call below stands directly under the test for it.
#![allow(unsafe_code)]

/// Vectors in flight: enough independent chains to hide the latency of the units, few enough to stay
/// in registers.
const CHAINS: usize = 12;
/// Values that a round works on.
const VALUES: usize = 96;

/// Runs `rounds` rounds and returns the floating-point operations done, and a value that depends on
/// all of them, so that the work cannot be left out.
pub(crate) fn multiply_adds(rounds: u64) -> (f64, f64) {
    let operations = rounds as f64 * (VALUES * 2) as f64;
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: AVX-512F was just detected.
            return (operations, unsafe { avx512(rounds) });
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: AVX2 and FMA were just detected.
            return (operations, unsafe { avx2(rounds) });
        }
    }
    (operations, plain(rounds))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512(rounds: u64) -> f64 {
    use std::arch::x86_64::{_mm512_fmadd_pd, _mm512_reduce_add_pd, _mm512_set1_pd};
    let (a, b) = (_mm512_set1_pd(std::hint::black_box(0.999_999)), _mm512_set1_pd(1e-6));
    let mut x = [_mm512_set1_pd(1.0); CHAINS];
    for _ in 0..rounds {
        for value in &mut x {
            *value = _mm512_fmadd_pd(*value, a, b);
        }
    }
    x.iter().map(|&v| _mm512_reduce_add_pd(v)).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(rounds: u64) -> f64 {
    use std::arch::x86_64::{_mm256_fmadd_pd, _mm256_set1_pd, _mm256_storeu_pd};
    let (a, b) = (_mm256_set1_pd(std::hint::black_box(0.999_999)), _mm256_set1_pd(1e-6));
    let mut x = [_mm256_set1_pd(1.0); CHAINS];
    // Half as wide, twice as many.
    for _ in 0..2 * rounds {
        for value in &mut x {
            *value = _mm256_fmadd_pd(*value, a, b);
        }
    }
    let mut lanes = [0.0; 4];
    x.iter()
        .map(|&v| {
            // SAFETY: `lanes` has room for the four values that are stored.
            unsafe { _mm256_storeu_pd(lanes.as_mut_ptr(), v) };
            lanes.iter().sum::<f64>()
        })
        .sum()
}

/// For other machines: what the compiler makes of twelve chains of two values.
fn plain(rounds: u64) -> f64 {
    let (a, b) = (std::hint::black_box(0.999_999), 1e-6);
    let mut x = [[1.0_f64; 2]; CHAINS];
    for _ in 0..4 * rounds {
        for value in x.as_flattened_mut() {
            *value = *value * a + b;
        }
    }
    x.as_flattened().iter().sum()
}
