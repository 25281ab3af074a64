//! Isotropic laws by way of principal stretches: what is the same for all of them (SVD, the way back,
//! projection) is compiled once, and a law adds only its functions of three stretches.

use pliant_algebra::dispatch::{LaneWork, Level};
use pliant_algebra::lanes::{F64x8, InLanes};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;
use pliant_algebra::svd3::{Svd3, svd3};

use super::direct::direct;
use super::{
    EightPoints, Nine, contract, read_all, read_matrix, read_parameters, write_all, write_matrix,
};
use crate::isotropic::Isotropic;
use crate::law::Law;
use crate::spectral::{SpectralTangent, Spectrum};

/// F = U diag(σ) Vᵀ
struct Frame {
    u: Nine,
    v: Nine,
    sigma: [F64x8; 3],
}

/// Functions of the stretches: a [`Spectrum`] of packs in memory.
#[derive(Debug, Default)]
pub struct Response {
    gradient: [F64x8; 3],
    hessian: [F64x8; 6],
    flip: [F64x8; 3],
    twist: [F64x8; 3],
}

impl Response {
    /// Puts a spectrum into all lanes, or into that one.
    #[inline(always)]
    pub(crate) fn write<R: InLanes>(&mut self, spectrum: &Spectrum<R>, lane: usize) {
        write_all(spectrum.gradient, &mut self.gradient, lane);
        write_all(spectrum.hessian, &mut self.hessian, lane);
        write_all(spectrum.flip, &mut self.flip, lane);
        write_all(spectrum.twist, &mut self.twist, lane);
    }

    /// The same of first derivatives alone.
    #[inline(always)]
    pub(crate) fn write_gradient<R: InLanes>(&mut self, gradient: [R; 3], lane: usize) {
        write_all(gradient, &mut self.gradient, lane);
    }
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
        let p = &read_parameters::<R>(parameters, L::PARAMETERS.len(), lane)[..L::PARAMETERS.len()];
        if L::HAS_ENERGY
            && let Some(energy) = energy
        {
            law.stretch_energy(p, sigma).write(energy, lane);
        }
        if tangent.is_some() {
            response.write(&law.spectrum(p, sigma), lane);
        } else if stress.is_some() {
            response.write_gradient(law.stretch_gradient(p, sigma), lane);
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

/// [`Isotropic::respond`] by the law's own functions of stretches.
pub fn respond<L: Isotropic>(
    law: &L,
    level: Level,
    sigma: &[F64x8; 3],
    points: &mut EightPoints<'_>,
    response: &mut Response,
) {
    level.work(Respond { law, sigma, points, response });
}

/// Energy, stress and tangent in the frame of principal stretches.
pub fn spectral<L: Isotropic>(law: &L, level: Level, points: &mut EightPoints<'_>) {
    let zero = F64x8::default();
    let mut frame = Frame { u: [zero; 9], v: [zero; 9], sigma: [zero; 3] };
    let mut response = Response::default();
    level.work(Decompose { gradient: points.gradient, frame: &mut frame });
    law.respond(level, &frame.sigma, points, &mut response);
    if points.stress.is_some() || points.tangent.is_some() {
        level.work(Recompose { frame: &frame, response: &response, points });
    }
}

/// An isotropic law by its own functions, and by way of stretches where the tangent is projected.
pub fn isotropic<L: Isotropic>(law: &L, level: Level, points: &mut EightPoints<'_>) {
    if points.is_projected() {
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
