//! The response of a law with branches, at eight points within a step.
//!
//! With Δ since the last committed moment, f = Σ g_i φ_i and a constant h that comes of what is remembered ([`recall`](super::recall)), the stress is the
//! gradient of a potential:
//!
//! - strains: W + ½ f E:𝒞:E + E:𝒞:h, so that P = Pᵉ + F 𝒞:(f E + h);
//! - stresses: (1 + f) W + h:E, so that P = (1 + f) Pᵉ + F h; where shear alone relaxes, − f U(J) with U(J) = W(J^⅓ I).
//!
//! The tangent is symmetric and exact. Projection leaves the negative eigenvalues of the remembered stress out, and what of it is from U.

use pliant_algebra::dispatch::{LaneWork, Level};
use pliant_algebra::eigen3::eigen3;
use pliant_algebra::lanes::{F64x8, InLanes};
use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::real::Real;

use super::recall::strain;
use super::six::{Full, Hooke, Lame, read_six, write_six};
use super::{Factors, Form, Maxwell, Moduli, Share, Six, shear};
use crate::eight::{Blocks, EightPoints, Nine, contract, read_matrix, write_matrix};
use crate::law::Tangent;
use crate::linear::cauchy_strain;
use crate::point::PointLaw;
use crate::st_venant_kirchhoff::green_strain;

/// What eight points remember.
#[derive(Debug, Clone, Copy)]
pub struct Remembered<'a> {
    /// The branches.
    pub maxwell: &'a Maxwell,
    /// Weights of the time that has passed.
    pub factors: &'a Factors,
    /// What counts of the past; none for points that have been where they are for ever.
    pub history: Option<&'a Six>,
    /// The law's tensor at rest, for strains.
    pub moduli: Moduli<'a>,
    /// The rate of strain, 1/s, of cubic interpolation.
    pub rate: Option<&'a Six>,
    /// By how much the weight of the tangent is more than `change` for the rate: the weight of the rate times that of velocities over that of positions.
    pub rate_weight: f64,
    /// Whether the weights are derivatives by time, and the response is that of the branches at fixed positions.
    pub by_time: bool,
}

/// Evaluates a law, with what is remembered if anything is.
pub fn respond(
    level: Level,
    law: &dyn PointLaw,
    points: &mut EightPoints<'_>,
    remembered: Option<&Remembered<'_>>,
) {
    let Some(remembered) = remembered else { return law.evaluate(level, points) };
    let law_itself = if remembered.by_time { 0.0 } else { 1.0 };
    let factor = match remembered.maxwell.form {
        Form::Strain => law_itself,
        Form::Stress => law_itself + remembered.factors.change,
    };
    if factor == 1.0 {
        law.evaluate(level, points);
    } else {
        evaluate_scaled(level, law, points, factor);
    }
    increase(level, law, points, remembered);
}

/// More gradients than an element has.
const MOST_SHAPES: usize = 32;

/// A multiple of the law. A block is bilinear in two gradients, so that their roots do.
fn evaluate_scaled(level: Level, law: &dyn PointLaw, points: &mut EightPoints<'_>, factor: f64) {
    let root = factor.max(0.0).sqrt();
    let EightPoints { parameters, gradient, energy, stress, tangent } = points;
    let mut all;
    let mut few;
    let tangent = match tangent {
        None => None,
        Some(Blocks { shapes, values, all: pairs, add, project }) => {
            let zero = [F64x8::default(); 3];
            let scaled: &mut [[F64x8; 3]] = if shapes.len() <= 4 {
                few = [zero; 4];
                &mut few
            } else {
                all = [zero; MOST_SHAPES];
                &mut all
            };
            let scaled = &mut scaled[..shapes.len()];
            for (to, from) in scaled.as_flattened_mut().iter_mut().zip(shapes.as_flattened()) {
                *to = F64x8(from.0.map(|x| x * root));
            }
            let (all, add, project) = (*pairs, *add, *project);
            Some(Blocks { shapes: scaled, values, all, add, project })
        }
    };
    law.evaluate(
        level,
        &mut EightPoints {
            parameters,
            gradient,
            energy: energy.as_deref_mut(),
            stress: stress.as_deref_mut(),
            tangent,
        },
    );
    if let Some(energy) = energy {
        energy.0 = energy.0.map(|x| x * factor);
    }
    if let Some(stress) = stress {
        for entry in stress.iter_mut() {
            entry.0 = entry.0.map(|x| x * factor);
        }
    }
}

/// Adds what is remembered to the response of the law, which is there already.
fn increase(
    level: Level,
    law: &dyn PointLaw,
    points: &mut EightPoints<'_>,
    remembered: &Remembered<'_>,
) {
    match (remembered.maxwell.form, remembered.moduli) {
        (Form::Strain, Moduli::Isotropic(list)) => {
            by_strain(level, law, points, remembered, Lists(list, Isotropic));
        }
        (Form::Strain, Moduli::Anisotropic(list)) => {
            by_strain(level, law, points, remembered, Lists(list, Anisotropic));
        }
        (Form::Stress, _) => by_stress(level, law, points, remembered),
    }
}

/// The kind of a list of moduli, as a type.
trait Kind: Copy {
    type In<R: Real>: Hooke<R>;
}
#[derive(Clone, Copy)]
struct Isotropic;
#[derive(Clone, Copy)]
struct Anisotropic;
impl Kind for Isotropic {
    type In<R: Real> = Lame<R>;
}
impl Kind for Anisotropic {
    type In<R: Real> = Full<R>;
}

#[derive(Clone, Copy)]
struct Lists<'a, K>(&'a [F64x8], K);

fn by_strain<K: Kind>(
    level: Level,
    law: &dyn PointLaw,
    points: &mut EightPoints<'_>,
    remembered: &Remembered<'_>,
    moduli: Lists<'_, K>,
) {
    if law.is_linear() {
        level.work(ByStrain::<K, true> { points, remembered, moduli });
    } else {
        level.work(ByStrain::<K, false> { points, remembered, moduli });
    }
}

/// Branches of strains around a law of Green's strain, or of that of Cauchy.
struct ByStrain<'j, 'a, K, const LINEAR: bool> {
    points: &'j mut EightPoints<'a>,
    remembered: &'j Remembered<'j>,
    moduli: Lists<'j, K>,
}

impl<K: Kind, const LINEAR: bool> LaneWork for ByStrain<'_, '_, K, LINEAR> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let EightPoints { gradient, energy, stress, tangent, .. } = &mut *self.points;
        let Remembered { factors, history, rate, rate_weight, .. } = self.remembered;
        let hooke = <K::In<R> as Hooke<R>>::read(self.moduli.0, lane);
        let f = if LINEAR { Mat3::identity() } else { read_matrix::<R>(gradient, lane) };
        let change = R::splat(factors.change);
        let e = if LINEAR {
            cauchy_strain(&read_matrix::<R>(gradient, lane))
        } else {
            green_strain(&f)
        };
        let mut history = match history {
            Some(history) => read_six::<R>(*history, lane),
            None => -e.scale(change),
        };
        if let Some(rate) = rate {
            history += read_six::<R>(*rate, lane).scale(R::splat(factors.rate));
        }
        let remembered = hooke.apply(&(e.scale(change) + history));
        if let Some(energy) = energy {
            let past = hooke.apply(&history);
            let more = (remembered + past).contract(&e) * 0.5;
            (R::read(energy, lane) + more).write(energy, lane);
        }
        if let Some(stress) = stress {
            let piola = if LINEAR { remembered } else { f * remembered };
            write_matrix(&(read_matrix::<R>(stress, lane) + piola), stress, lane);
        }
        if let Some(blocks) = tangent {
            let scale = R::splat(factors.change + rate_weight);
            let geometric =
                if blocks.project { eigen3(&remembered).positive_part() } else { remembered };
            let tangent = StrainTangent::<R, K::In<R>, LINEAR> {
                gram: hooke.gram(&f, scale),
                hooke,
                f,
                scale,
                stress: geometric,
            };
            contract(&tangent, &mut adding(blocks), lane);
        }
    }
}

/// The same blocks, to be added to.
#[inline(always)]
fn adding<'a>(blocks: &'a mut Blocks<'_>) -> Blocks<'a> {
    let Blocks { shapes, values, all, project, .. } = blocks;
    Blocks { shapes, values, all: *all, add: true, project: *project }
}

/// Of ½ f E:𝒞:E and of a constant stress.
#[derive(Clone, Copy)]
struct StrainTangent<R: Real, H: Hooke<R>, const LINEAR: bool> {
    hooke: H,
    f: Mat3<R>,
    scale: R,
    gram: Mat3<R>,
    stress: Mat3<R>,
}

impl<R: Real, H: Hooke<R>, const LINEAR: bool> Tangent<R> for StrainTangent<R, H, LINEAR> {
    type Node = ([R; 3], H::Node, [R; 3]);

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> Self::Node {
        let node = self.hooke.node(&self.f, gradient, self.scale);
        let pulled = if LINEAR { gradient } else { self.stress.mul_vec(gradient) };
        (gradient, node, pulled)
    }
    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        let block = H::block(&a.1, &b.1, dot(a.0, b.0), &self.gram);
        if LINEAR { block } else { block + Mat3::diagonal([dot(a.0, b.2); 3]) }
    }
}

fn by_stress(
    level: Level,
    law: &dyn PointLaw,
    points: &mut EightPoints<'_>,
    remembered: &Remembered<'_>,
) {
    let mut relaxed = [F64x8::default(); 6];
    let history = if let Some(history) = remembered.history {
        history
    } else {
        let of = (law, points.parameters);
        super::reference(level, of, remembered.maxwell, points.gradient, &mut relaxed);
        for entry in &mut relaxed {
            entry.0 = entry.0.map(|s| -s * remembered.factors.change);
        }
        &relaxed
    };
    if remembered.maxwell.share == Share::Shear {
        shear::subtract_volume(level, law, points, remembered.factors.change);
    }
    level.work(ByStress { points, history });
}

/// The constant stress of branches of stresses.
struct ByStress<'j, 'a> {
    points: &'j mut EightPoints<'a>,
    history: &'j Six,
}

impl LaneWork for ByStress<'_, '_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let EightPoints { gradient, energy, stress, tangent, .. } = &mut *self.points;
        let f = read_matrix::<R>(gradient, lane);
        let history = read_six::<R>(self.history, lane);
        if let Some(energy) = energy {
            let more = history.contract(&green_strain(&f));
            (R::read(energy, lane) + more).write(energy, lane);
        }
        if let Some(stress) = stress {
            write_matrix(&(read_matrix::<R>(stress, lane) + f * history), stress, lane);
        }
        if let Some(blocks) = tangent {
            let stress = if blocks.project { eigen3(&history).positive_part() } else { history };
            contract(&Geometric { stress }, &mut adding(blocks), lane);
        }
    }
}

/// (a·S b) I
#[derive(Clone, Copy)]
struct Geometric<R> {
    stress: Mat3<R>,
}

impl<R: Real> Tangent<R> for Geometric<R> {
    type Node = ([R; 3], [R; 3]);

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> Self::Node {
        (gradient, self.stress.mul_vec(gradient))
    }
    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        Mat3::diagonal([dot(a.0, b.1); 3])
    }
}

/// The rate of Green's strain, sym(FᵀḞ), or of that of Cauchy, sym Ḟ.
struct StrainRate<'a> {
    linear: bool,
    gradient: &'a Nine,
    velocity: &'a Nine,
    rate: &'a mut Six,
}

impl LaneWork for StrainRate<'_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let f = read_matrix::<R>(self.gradient, lane);
        let v = read_matrix::<R>(self.velocity, lane);
        let rate = if self.linear { v } else { f.transpose_mul(&v) };
        write_six(&rate.symmetric_part(), self.rate, lane);
    }
}

/// The rate of the strain that branches follow, 1/s, from F and its rate.
pub fn strain_rate(
    level: Level,
    law: &dyn PointLaw,
    gradient: &Nine,
    velocity: &Nine,
    rate: &mut Six,
) {
    level.work(StrainRate { linear: law.is_linear(), gradient, velocity, rate });
}

/// The strain that branches follow.
pub fn strain_of(level: Level, law: &dyn PointLaw, gradient: &Nine) -> Six {
    let mut e = [F64x8::default(); 6];
    strain(level, law, gradient, &mut e);
    e
}
