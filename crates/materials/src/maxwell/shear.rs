//! The part of a law that is a function of volume alone, U(J) = W(J^⅓ I), for branches of stresses in which shear alone relaxes.
//!
//! It serves every isotropic law without looking into it: P_U = U′(J) cof F, and with s = J^⅓, T = tr P(s I) and A = ∂P/∂F at s I
//!
//! U′ = T s′,  U″ = (I:A:I) s′² + T s″,  s′ = s/(3J),  s″ = −2 s/(9 J²).

use pliant_algebra::dispatch::{LaneWork, Level};
use pliant_algebra::lanes::{F64x8, InLanes, LANES};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::eight::{Blocks, EightPoints, Nine, contract, read_matrix, write_matrix};
use crate::law::Tangent;
use crate::point::PointLaw;

const ZERO: F64x8 = F64x8([0.0; LANES]);
const ONE: F64x8 = F64x8([1.0; LANES]);
/// Unit gradients: the blocks between them are all of ∂P/∂F.
const UNIT: [[F64x8; 3]; 3] = [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]];

/// J^⅓ I
struct Swell<'a> {
    gradient: &'a Nine,
    swollen: &'a mut Nine,
}

impl LaneWork for Swell<'_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let s = read_matrix::<R>(self.gradient, lane).determinant().cbrt();
        write_matrix(&Mat3::diagonal([s; 3]), self.swollen, lane);
    }
}

/// The law at J^⅓ I.
struct Volume {
    energy: F64x8,
    stress: Nine,
    tensor: [Nine; 9],
}

fn volume(
    level: Level,
    (law, parameters): (&dyn PointLaw, &[F64x8]),
    gradient: &Nine,
    (energy, tangent): (bool, bool),
) -> Volume {
    let mut swollen = [ZERO; 9];
    level.work(Swell { gradient, swollen: &mut swollen });
    let mut found = Volume { energy: ZERO, stress: [ZERO; 9], tensor: [[ZERO; 9]; 9] };
    law.evaluate(
        level,
        &mut EightPoints {
            parameters,
            gradient: &swollen,
            energy: energy.then_some(&mut found.energy),
            stress: Some(&mut found.stress),
            tangent: tangent.then_some(Blocks {
                shapes: &UNIT,
                values: &mut found.tensor,
                all: true,
                add: false,
                project: false,
            }),
        },
    );
    found
}

/// U′(J)
#[inline(always)]
fn slope<R: InLanes>(volume: &Volume, j: R, lane: usize) -> R {
    read_matrix::<R>(&volume.stress, lane).trace() * j.cbrt() / (j * 3.0)
}

/// P − P_U
struct Remove<'a> {
    gradient: &'a Nine,
    volume: &'a Volume,
    piola: &'a mut Nine,
    scale: f64,
}

impl LaneWork for Remove<'_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let f = read_matrix::<R>(self.gradient, lane);
        let pressure = slope::<R>(self.volume, f.determinant(), lane) * self.scale;
        let p = read_matrix::<R>(self.piola, lane) - f.cofactor().scale(pressure);
        write_matrix(&p, self.piola, lane);
    }
}

/// Takes P_U away from P.
pub(super) fn remove_volume(
    level: Level,
    law: (&dyn PointLaw, &[F64x8]),
    gradient: &Nine,
    piola: &mut Nine,
) {
    let volume = volume(level, law, gradient, (false, false));
    level.work(Remove { gradient, volume: &volume, piola, scale: 1.0 });
}

/// Takes f U away from energy, stress and tangent; projected tangents keep it.
pub(super) fn subtract_volume(
    level: Level,
    law: &dyn PointLaw,
    points: &mut EightPoints<'_>,
    scale: f64,
) {
    let EightPoints { parameters, gradient, energy, stress, tangent } = points;
    let tangent = tangent.as_mut().filter(|blocks| !blocks.project);
    let of = (law, *parameters);
    let volume = volume(level, of, gradient, (energy.is_some(), tangent.is_some()));
    if let Some(energy) = energy {
        for (energy, u) in energy.0.iter_mut().zip(volume.energy.0) {
            *energy -= scale * u;
        }
    }
    if let Some(piola) = stress {
        level.work(Remove { gradient, volume: &volume, piola, scale });
    }
    if let Some(blocks) = tangent {
        level.work(Soften { gradient, volume: &volume, blocks, scale });
    }
}

struct Soften<'j, 'a> {
    gradient: &'j Nine,
    volume: &'j Volume,
    blocks: &'j mut Blocks<'a>,
    scale: f64,
}

impl LaneWork for Soften<'_, '_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let f = read_matrix::<R>(self.gradient, lane);
        let j = f.determinant();
        let s = j.cbrt();
        let first = s / (j * 3.0);
        let second = -(s * 2.0) / (j.square() * 9.0);
        let mut stiffness = R::zero();
        for i in 0..3 {
            for k in 0..3 {
                // ∂P_ii/∂F_kk
                stiffness += R::read(&self.volume.tensor[3 * i + k][3 * i + k], lane);
            }
        }
        let trace = read_matrix::<R>(&self.volume.stress, lane).trace();
        let (u1, u2) = (trace * first, stiffness * first.square() + trace * second);
        let tangent = VolumeTangent {
            inverse: f.cofactor().scale(j.recip()),
            direct: -(u2 * j.square() + u1 * j) * self.scale,
            crossed: u1 * j * self.scale,
        };
        let Blocks { shapes, values, all, project, .. } = &mut *self.blocks;
        let (all, project) = (*all, *project);
        contract(&tangent, &mut Blocks { shapes, values, all, add: true, project }, lane);
    }
}

/// direct h_a h_bᵀ + crossed h_b h_aᵀ with h = F⁻ᵀ a.
#[derive(Clone, Copy)]
struct VolumeTangent<R> {
    inverse: Mat3<R>,
    direct: R,
    crossed: R,
}

impl<R: Real> Tangent<R> for VolumeTangent<R> {
    type Node = [R; 3];

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> [R; 3] {
        self.inverse.mul_vec(gradient)
    }
    #[inline(always)]
    fn block(&self, a: &[R; 3], b: &[R; 3]) -> Mat3<R> {
        Mat3::outer(*a, *b).scale(self.direct) + Mat3::outer(*b, *a).scale(self.crossed)
    }
}
