//! Every lane of every SIMD level of this machine gives the bits of plain `f64`.

use crate::common;

use common::{matrices, packs, same_bits};
use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::eigen3::eigen3;
use pliant_algebra::lanes::{LANES, Pack, Row4};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::polar3::{RotationDerivative, polar3};
use pliant_algebra::real::{Mask, Real};
use pliant_algebra::svd3::svd3;
use proptest::prelude::*;

/// Everything that the crate computes from two matrices, as one list of numbers.
#[inline(always)]
fn everything<R: Real>(f: &Mat3<R>, g: &Mat3<R>) -> Vec<R> {
    let mut out = Vec::new();
    let mut put = |m: &Mat3<R>| out.extend(m.0.iter().flatten().copied());
    let svd = svd3(f);
    put(&svd.u);
    put(&svd.v);
    put(&Mat3::diagonal(svd.sigma));
    let polar = polar3(f);
    put(&polar.rotation);
    put(&polar.stretch);
    put(&RotationDerivative::new(&polar, 1e-8).apply(g));
    let eigen = eigen3(f);
    put(&eigen.vectors);
    put(&Mat3::diagonal(eigen.values));
    put(&eigen.positive_part());
    put(&(*f * *g));
    put(&f.inverse());
    put(&f.mul_transpose(g));
    // A loop that stays one: unrolled, it takes minutes to compile.
    for k in 0..std::hint::black_box(9) {
        let (x, y) = (f.0[k / 3][k % 3], g.0[k / 3][k % 3]);
        out.extend([x.ln(), x.abs().ln(), (x * 300.0).exp(), x.cbrt(), x.powi(3), x.powi(-2)]);
        out.extend([x.min(y), x.max(y), x.copysign(y), -x, x / y, x.abs().sqrt(), x - 2.0]);
        let mask = x.less(y) & !x.equals(R::zero()) | y.less_equal(R::splat(-0.5));
        out.push(R::select(mask, x, y));
        out.push(R::splat(f64::from(u8::from(mask.any() | !mask.any()))));
    }
    out
}

struct Everything<'a>(&'a [Mat3<f64>; LANES], &'a [Mat3<f64>; LANES]);

impl Kernel for Everything<'_> {
    type Output = Vec<[f64; LANES]>;
    #[inline(always)]
    fn run<P: Pack>(self) -> Self::Output {
        let list = everything(&Mat3::<P>::from_lanes(self.0), &Mat3::from_lanes(self.1));
        list.into_iter().map(P::to_lanes).collect()
    }
}

fn check(f: &[Mat3<f64>; LANES], g: &[Mat3<f64>; LANES]) -> Result<(), TestCaseError> {
    for level in Level::available() {
        let lists = level.run(Everything(f, g));
        for lane in 0..LANES {
            let scalar = everything(&f[lane], &g[lane]);
            prop_assert_eq!(scalar.len(), lists.len());
            for (k, (list, exact)) in lists.iter().zip(&scalar).enumerate() {
                prop_assert!(
                    same_bits(list[lane], *exact),
                    "{} lane {lane} item {k}: {:e} instead of {exact:e}",
                    level.name(),
                    list[lane]
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn lanes_give_the_bits_of_scalars_at_every_level(f in packs(), g in packs()) {
        check(&f, &g)?;
    }

    #[test]
    fn a_lane_does_not_feel_its_neighbours(f in matrices(), g in packs()) {
        // Lane 3 keeps its bits whatever goes on beside it.
        let mut mixed = g;
        mixed[3] = f;
        check(&mixed, &[f; LANES])?;
    }
}

#[test]
fn special_values_have_the_same_bits_at_every_level() {
    let inf = f64::INFINITY;
    let special =
        [0.0, -0.0, inf, -inf, f64::NAN, 5e-324, -5e-324, f64::MAX, 1.0, -1.0, 2.5, 1e-310];
    let at = |shift: usize| {
        std::array::from_fn(|lane| {
            Mat3::from_array(std::array::from_fn(|i| {
                special[(lane * 9 + i * shift) % special.len()]
            }))
        })
    };
    for (a, b) in [(1, 5), (5, 7), (7, 1)] {
        check(&at(a), &at(b)).unwrap();
    }
}

struct Masks([f64; LANES], f64);

impl Kernel for Masks {
    type Output = (u8, bool, bool);
    #[inline(always)]
    fn run<P: Pack>(self) -> Self::Output {
        let mask = P::from_lanes(self.0).less(P::splat(self.1));
        (mask.to_bits(), mask.any(), mask.all())
    }
}

#[test]
fn masks_tell_their_lanes_at_every_level() {
    let x = std::array::from_fn(|i| i as f64);
    for level in Level::available() {
        for n in 0..=LANES {
            let bits = ((1u32 << n) - 1) as u8;
            assert_eq!(
                level.run(Masks(x, n as f64)),
                (bits, n > 0, n == LANES),
                "{}",
                level.name()
            );
        }
    }
}

struct LaneSum([f64; LANES]);

impl Kernel for LaneSum {
    type Output = f64;
    #[inline(always)]
    fn run<P: Pack>(self) -> f64 {
        P::from_lanes(self.0).sum_lanes()
    }
}

#[test]
fn lanes_are_summed_in_one_order() {
    let x = [1e16, 1.0, -1e16, 3.0, 0.1, 0.2, 0.3, 0.4];
    for level in Level::available() {
        let exact = ((1e16 + 1.0) + (-1e16 + 3.0)) + ((0.1 + 0.2) + (0.3 + 0.4));
        assert_eq!(level.run(LaneSum(x)).to_bits(), f64::to_bits(exact));
    }
}

struct Rows<'a>(&'a [Row4], [u32; LANES]);

impl Kernel for Rows<'_> {
    type Output = ([[f64; LANES]; 4], [Row4; LANES], [Row4; LANES]);
    #[inline(always)]
    fn run<P: Pack>(self) -> Self::Output {
        let packs = P::gather(self.0, &self.1);
        (packs.map(P::to_lanes), P::rows(packs), P::rows_of(packs.map(P::store).each_ref()))
    }
}

#[test]
fn rows_are_gathered_into_lanes_and_come_back_at_every_level() {
    let table: Vec<Row4> =
        (0..20).map(|i| Row4(std::array::from_fn(|k| f64::from(10 * i + k as i32)))).collect();
    let index = [7, 0, 19, 3, 3, 11, 5, 2];
    for level in Level::available() {
        let (packs, rows, again) = level.run(Rows(&table, index));
        assert_eq!(rows, again);
        for l in 0..LANES {
            assert_eq!(rows[l], table[index[l] as usize], "{}", level.name());
            for k in 0..4 {
                assert_eq!(packs[k][l], rows[l].0[k]);
            }
        }
    }
}

#[test]
fn best_level_is_the_last_available_one() {
    assert_eq!(Level::available().first(), Some(&Level::baseline()));
    assert_eq!(Level::available().last(), Some(&Level::best()));
}
