//! What a point remembers, and what of it counts at a moment.

use pliant_algebra::dispatch::{LaneWork, Level};
use pliant_algebra::lanes::{F64x8, InLanes, LANES};
use pliant_algebra::mat3::Mat3;

use super::six::write_six;
use super::{Factors, Form, Maxwell, Moduli, Share, Six, shear};
use crate::eight::{EightPoints, Nine, read_matrix};
use crate::linear::cauchy_strain;
use crate::point::PointLaw;
use crate::st_venant_kirchhoff::green_strain;

/// Numbers of eight points, one pack after the other.
pub type Packs = [[f64; LANES]];

/// Where the numbers of eight points lie, in packs: E₀ (or Sᵉ₀), its rate with cubic interpolation, and one tensor a branch; six packs each.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    first_branch: usize,
    tensors: usize,
}

impl Layout {
    /// That of a material.
    pub fn of(maxwell: &Maxwell) -> Self {
        Self { first_branch: maxwell.first_branch(), tensors: maxwell.tensors() }
    }

    /// Packs of eight points.
    pub fn packs(self) -> usize {
        6 * self.tensors
    }

    #[inline(always)]
    pub(super) fn branch(self, k: usize) -> usize {
        6 * (self.first_branch + k)
    }
}

#[inline(always)]
pub(super) fn read_tensor<R: InLanes>(from: &Packs, at: usize, lane: usize) -> [R; 6] {
    [0, 1, 2, 3, 4, 5].map(|c| R::read(&F64x8(from[at + c]), lane))
}

/// Σ kept_i q_i − change E₀ + start_rate Ė₀
struct Recall<'a> {
    layout: Layout,
    factors: &'a Factors,
    committed: &'a Packs,
    history: &'a mut Six,
}

impl LaneWork for Recall<'_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let Self { layout, factors, committed, history } = self;
        let committed = &committed[..layout.packs()];
        let mut sum = read_tensor::<R>(committed, 0, lane).map(|e| -(e * factors.change));
        if factors.cubic {
            let rate = read_tensor::<R>(committed, 6, lane);
            for c in 0..6 {
                sum[c] += rate[c] * factors.start_rate;
            }
        }
        for k in 0..factors.count {
            let weight = factors.kept[k];
            let q = read_tensor::<R>(committed, layout.branch(k), lane);
            for c in 0..6 {
                sum[c] += q[c] * weight;
            }
        }
        for (sum, to) in sum.into_iter().zip(history.iter_mut()) {
            sum.write(to, lane);
        }
    }
}

/// What counts of the past at eight points: a constant of the step, to which `change` E is added.
pub fn recall(
    level: Level,
    layout: Layout,
    factors: &Factors,
    committed: &Packs,
    history: &mut Six,
) {
    level.work(Recall { layout, factors, committed, history });
}

/// E of F, or ε for laws of the linear strain.
struct Strain<'a> {
    linear: bool,
    gradient: &'a Nine,
    to: &'a mut [F64x8],
}

impl LaneWork for Strain<'_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let f = read_matrix::<R>(self.gradient, lane);
        let e = if self.linear { cauchy_strain(&f) } else { green_strain(&f) };
        write_six(&e, self.to, lane);
    }
}

/// S = F⁻¹ P
struct PullBack<'a> {
    gradient: &'a Nine,
    piola: &'a Nine,
    stress: &'a mut [F64x8],
}

impl LaneWork for PullBack<'_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let f = read_matrix::<R>(self.gradient, lane);
        let p = read_matrix::<R>(self.piola, lane);
        let s: Mat3<R> = (f.inverse() * p).symmetric_part();
        write_six(&s, self.stress, lane);
    }
}

/// The strain at eight points.
pub(super) fn strain(level: Level, law: &dyn PointLaw, gradient: &Nine, strain: &mut [F64x8]) {
    level.work(Strain { linear: law.is_linear(), gradient, to: strain });
}

/// What branches follow at eight points: E, or Sᵉ of the part of the law that relaxes.
pub fn reference(
    level: Level,
    (law, parameters): (&dyn PointLaw, &[F64x8]),
    maxwell: &Maxwell,
    gradient: &Nine,
    to: &mut Six,
) {
    if maxwell.form == Form::Strain {
        return strain(level, law, gradient, to);
    }
    let mut piola = [F64x8::default(); 9];
    law.evaluate(
        level,
        &mut EightPoints {
            parameters,
            gradient,
            energy: None,
            stress: Some(&mut piola),
            tangent: None,
        },
    );
    if maxwell.share == Share::Shear {
        shear::remove_volume(level, (law, parameters), gradient, &mut piola);
    }
    level.work(PullBack { gradient, piola: &piola, stress: to });
}

/// The numbers of a list of packs of either kind.
impl<'a> Moduli<'a> {
    /// Of a list of two or 21.
    pub fn of(list: &'a [F64x8]) -> Self {
        if list.len() == 2 { Self::Isotropic(list) } else { Self::Anisotropic(list) }
    }
}
