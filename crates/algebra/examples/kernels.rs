//! Nanoseconds per matrix (or per number) of the small kernels at each SIMD level of this machine,
//! as JSON. One thread, data in the first-level cache, best of many repetitions.
//!
//! Sample run: `cargo run --release -p pliant-algebra --example kernels`

use std::hint::black_box;
use std::time::Instant;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::eigen3::eigen3;
use pliant_algebra::lanes::{F64x8, LANES, Pack};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::polar3::{polar3, rotation3};
use pliant_algebra::real::Real;
use pliant_algebra::svd3::svd3;

/// Packs worked on in one call: with results they fill half of a 32 KiB cache.
const PACKS: usize = 14;
/// Calls in one timing.
const CALLS: usize = 200;
/// Timings, of which the best counts.
const TIMINGS: usize = 200;

#[derive(Clone, Copy)]
enum What {
    Ln,
    Exp,
    Cbrt,
    NeoHookean,
    Svd,
    Rotation,
    Polar,
    Eigen,
}

/// P = μ (F − F⁻ᵀ) + λ ln J F⁻ᵀ
#[inline(always)]
fn neo_hookean<R: Real>(f: &Mat3<R>, mu: f64, lambda: f64) -> Mat3<R> {
    let cofactor = f.cofactor();
    let j = f.determinant();
    let pressure = (j.ln() * lambda - mu) / j;
    f.scale(R::splat(mu)) + cofactor.scale(pressure)
}

struct Work<'a> {
    what: What,
    input: &'a [Mat3<F64x8>],
    output: &'a mut [[Mat3<F64x8>; 3]],
}

impl Kernel for Work<'_> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(self) {
        /// One loop for each kernel, so that none pays for the choice.
        macro_rules! sweep {
            ($f:ident, $out:ident => $body:expr) => {
                for (input, $out) in self.input.iter().zip(self.output.iter_mut()) {
                    let $f = Mat3::<P>::load(input);
                    $body;
                }
            };
        }
        macro_rules! entrywise {
            ($method:ident) => {
                for (input, out) in self.input.iter().zip(self.output.iter_mut()) {
                    for i in 0..3 {
                        for j in 0..3 {
                            let x = P::load(&input.0[i][j]).abs();
                            out[0].0[i][j] = x.$method().store();
                        }
                    }
                }
            };
        }
        match self.what {
            What::Ln => entrywise!(ln),
            What::Exp => entrywise!(exp),
            What::Cbrt => entrywise!(cbrt),
            What::NeoHookean => sweep!(f, out => out[0] = neo_hookean(&f, 0.4, 1.3).store()),
            What::Svd => sweep!(f, out => {
                let svd = svd3(&f);
                out[0] = svd.u.store();
                out[1] = svd.v.store();
                out[2].0[0] = [svd.sigma[0].store(), svd.sigma[1].store(), svd.sigma[2].store()];
            }),
            What::Rotation => sweep!(f, out => out[0] = rotation3(&f).store()),
            What::Polar => sweep!(f, out => {
                let polar = polar3(&f);
                out[0] = polar.rotation.store();
                out[1] = polar.stretch.store();
            }),
            What::Eigen => sweep!(f, out => {
                let eigen = eigen3(&f);
                out[0] = eigen.vectors.store();
                out[1].0[0] = [eigen.values[0].store(), eigen.values[1].store(), eigen.values[2].store()];
            }),
        }
    }
}

/// Deformation gradients within about 40 % of the identity.
fn inputs() -> [Mat3<F64x8>; PACKS] {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let mut packs = [Mat3([[F64x8::default(); 3]; 3]); PACKS];
    for pack in &mut packs {
        for lane in 0..LANES {
            for i in 0..3 {
                for j in 0..3 {
                    pack.0[i][j].0[lane] = f64::from(u8::from(i == j)) + 0.4 * random();
                }
            }
        }
    }
    packs
}

fn main() {
    let input = inputs();
    let kinds = [
        ("ln", What::Ln, 9),
        ("exp", What::Exp, 9),
        ("cbrt", What::Cbrt, 9),
        ("neo_hookean_stress", What::NeoHookean, 1),
        ("svd3", What::Svd, 1),
        ("rotation3", What::Rotation, 1),
        ("polar3", What::Polar, 1),
        ("eigen3", What::Eigen, 1),
    ];
    let mut levels = Vec::new();
    for level in Level::available() {
        let mut rows = Vec::new();
        for (name, what, each) in kinds {
            let mut output = vec![[Mat3([[F64x8::default(); 3]; 3]); 3]; PACKS];
            let mut best = f64::INFINITY;
            for _ in 0..TIMINGS {
                let start = Instant::now();
                for _ in 0..CALLS {
                    level.run(Work {
                        what,
                        input: black_box(input.as_slice()),
                        output: &mut output,
                    });
                    black_box(&output);
                }
                best = best.min(start.elapsed().as_secs_f64());
            }
            let count = (CALLS * PACKS * LANES * each) as f64;
            rows.push(format!("    \"{name}\": {:.2}", best * 1e9 / count));
        }
        levels.push(format!("  \"{}\": {{\n{}\n  }}", level.name(), rows.join(",\n")));
    }
    println!("{{\n  \"unit\": \"ns per matrix or number\",\n{}\n}}", levels.join(",\n"));
}
