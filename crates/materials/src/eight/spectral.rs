//! Isotropic laws by way of principal stretches: what is the same for all of them (SVD, the way back,
//! projection) is compiled once, and a law adds only its functions of three stretches.

use pliant_algebra::dispatch::{LaneWork, Level};
use pliant_algebra::lanes::{F64x8, InLanes};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;
use pliant_algebra::svd3::{Svd3, svd3};

use super::direct::direct;
use super::{EightPoints, MOST_PARAMETERS, Nine, contract, read_matrix, write_matrix};
use crate::isotropic::Isotropic;
use crate::law::Law;
use crate::spectral::{SpectralTangent, Spectrum};

/// F = U diag(σ) Vᵀ
struct Frame {
    u: Nine,
    v: Nine,
    sigma: [F64x8; 3],
}

/// Functions of the stretches.
struct Response {
    gradient: [F64x8; 3],
    hessian: [F64x8; 6],
    flip: [F64x8; 3],
    twist: [F64x8; 3],
}

struct Decompose<'j> {
    gradient: &'j Nine,
    frame: &'j mut Frame,
}

impl LaneWork for Decompose<'_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let svd = svd3(&read_matrix::<R>(self.gradient, lane));
        write_matrix(&svd.u, &mut self.frame.u, lane);
        write_matrix(&svd.v, &mut self.frame.v, lane);
        write_all(svd.sigma, &mut self.frame.sigma, lane);
    }
}

struct Respond<'j, 'a, L> {
    law: &'j L,
    sigma: &'j [F64x8; 3],
    points: &'j mut EightPoints<'a>,
    response: &'j mut Response,
}

impl<L: Isotropic> LaneWork for Respond<'_, '_, L> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let Self { law, sigma, points, response } = self;
        let EightPoints { parameters, energy, stress, tangent, .. } = &mut **points;
        let sigma = read_all::<R, 3>(sigma, lane);
        let mut p = [R::zero(); MOST_PARAMETERS];
        for k in 0..L::PARAMETERS.len() {
            p[k] = R::read(&parameters[k], lane);
        }
        let p = &p[..L::PARAMETERS.len()];
        if L::HAS_ENERGY
            && let Some(energy) = energy
        {
            law.stretch_energy(p, sigma).write(energy, lane);
        }
        if tangent.is_some() {
            let spectrum = law.spectrum(p, sigma);
            write_all(spectrum.gradient, &mut response.gradient, lane);
            write_all(spectrum.hessian, &mut response.hessian, lane);
            write_all(spectrum.flip, &mut response.flip, lane);
            write_all(spectrum.twist, &mut response.twist, lane);
        } else if stress.is_some() {
            write_all(law.stretch_gradient(p, sigma), &mut response.gradient, lane);
        }
    }
}

struct Recompose<'j, 'a> {
    frame: &'j Frame,
    response: &'j Response,
    points: &'j mut EightPoints<'a>,
}

impl LaneWork for Recompose<'_, '_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let svd = Svd3 {
            u: read_matrix::<R>(&self.frame.u, lane),
            sigma: read_all(&self.frame.sigma, lane),
            v: read_matrix(&self.frame.v, lane),
        };
        let gradient = read_all(&self.response.gradient, lane);
        if let Some(stress) = &mut self.points.stress {
            write_matrix(&svd.with_sigma(gradient), stress, lane);
        }
        if let Some(blocks) = &mut self.points.tangent {
            let spectrum = Spectrum {
                gradient,
                hessian: read_all(&self.response.hessian, lane),
                flip: read_all(&self.response.flip, lane),
                twist: read_all(&self.response.twist, lane),
            };
            contract(&SpectralTangent::new(&svd, &spectrum, blocks.project), blocks, lane);
        }
    }
}

#[inline(always)]
fn read_all<R: InLanes, const K: usize>(from: &[F64x8; K], lane: usize) -> [R; K] {
    let mut out = [R::zero(); K];
    for k in 0..K {
        out[k] = R::read(&from[k], lane);
    }
    out
}

#[inline(always)]
fn write_all<R: InLanes, const K: usize>(values: [R; K], to: &mut [F64x8; K], lane: usize) {
    for k in 0..K {
        values[k].write(&mut to[k], lane);
    }
}

/// Energy, stress and tangent in the frame of principal stretches.
pub fn spectral<L: Isotropic>(law: &L, level: Level, points: &mut EightPoints<'_>) {
    let zero = F64x8::default();
    let mut frame = Frame { u: [zero; 9], v: [zero; 9], sigma: [zero; 3] };
    let mut response =
        Response { gradient: [zero; 3], hessian: [zero; 6], flip: [zero; 3], twist: [zero; 3] };
    level.work(Decompose { gradient: points.gradient, frame: &mut frame });
    level.work(Respond { law, sigma: &frame.sigma, points, response: &mut response });
    if points.stress.is_some() || points.tangent.is_some() {
        level.work(Recompose { frame: &frame, response: &response, points });
    }
}

/// An isotropic law by its own functions, and by way of stretches where the tangent is projected.
pub fn isotropic<L: Isotropic>(law: &L, level: Level, points: &mut EightPoints<'_>) {
    if points.tangent.as_ref().is_some_and(|blocks| blocks.project) {
        spectral(law, level, points);
    } else {
        direct(&Unprojected(*law), level, points);
    }
}

/// The law, never projected: so that the code of the projection is not compiled into its kernels.
#[derive(Clone, Copy, Debug)]
struct Unprojected<L>(L);

impl<L: Law> Law for Unprojected<L> {
    const PARAMETERS: &'static [&'static str] = L::PARAMETERS;
    const HAS_ENERGY: bool = L::HAS_ENERGY;
    const NEEDS_POSITIVE_J: bool = L::NEEDS_POSITIVE_J;
    type Tangent<R: Real> = L::Tangent<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        self.0.energy(p, f)
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        self.0.stress(p, f)
    }
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        _project: bool,
    ) -> (Mat3<R>, Self::Tangent<R>) {
        self.0.stress_and_tangent(p, f, false)
    }
}
