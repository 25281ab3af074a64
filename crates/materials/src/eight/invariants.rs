//! Laws by invariants: what they have in common (invariants, stress, contraction of the tangent) is compiled once, and a law
//! adds only its function of three numbers with its derivatives.

use pliant_algebra::dispatch::{LaneWork, Level};
use pliant_algebra::lanes::{F64x8, InLanes};

use super::spectral::Response;
use super::{
    EightPoints, Nine, contract, read_all, read_matrix, read_parameters, write_all, write_matrix,
};
use crate::invariants::{
    InvariantLaw, Terms, gradient_of, invariants_of_stretches, point, spectrum_of,
    stress_and_tangent_of, stress_of,
};

/// I₁, I₂, J
type Invariants = [F64x8; 3];

/// W₁ … and W₁₁ …
#[derive(Default)]
struct Derivatives {
    first: [F64x8; 3],
    second: [F64x8; 6],
}

/// Invariants of F.
struct OfGradient<'j> {
    gradient: &'j Nine,
    invariants: &'j mut Invariants,
}

impl LaneWork for OfGradient<'_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let at = point(&read_matrix::<R>(self.gradient, lane));
        write_all([at.i1, at.i2, at.j], self.invariants, lane);
    }
}

/// Invariants of principal stretches.
struct OfStretches<'j> {
    sigma: &'j [F64x8; 3],
    invariants: &'j mut Invariants,
}

impl LaneWork for OfStretches<'_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let sigma = read_all::<R, 3>(self.sigma, lane);
        write_all(invariants_of_stretches(sigma), self.invariants, lane);
    }
}

/// The law itself.
struct Differentiate<'j, 'a, L> {
    law: &'j L,
    invariants: &'j Invariants,
    points: &'j mut EightPoints<'a>,
    derivatives: &'j mut Derivatives,
}

impl<L: InvariantLaw> LaneWork for Differentiate<'_, '_, L> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let EightPoints { parameters, energy, stress, tangent, .. } = &mut *self.points;
        let p = &read_parameters::<R>(parameters, L::PARAMETERS.len(), lane)[..L::PARAMETERS.len()];
        let [i1, i2, j] = read_all(self.invariants, lane);
        if let Some(energy) = energy {
            self.law.energy(p, i1, i2, j).write(energy, lane);
        }
        if stress.is_some() || tangent.is_some() {
            let w = self.law.derivatives(p, i1, i2, j);
            write_all(w.first, &mut self.derivatives.first, lane);
            write_all(w.second, &mut self.derivatives.second, lane);
        }
    }
}

/// Stress and tangent at F.
struct Compose<'j, 'a, T> {
    terms: std::marker::PhantomData<T>,
    derivatives: &'j Derivatives,
    points: &'j mut EightPoints<'a>,
}

impl<T: Terms> LaneWork for Compose<'_, '_, T> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let EightPoints { gradient, stress, tangent, .. } = &mut *self.points;
        let f = read_matrix::<R>(gradient, lane);
        let at = point(&f);
        let first = read_all(&self.derivatives.first, lane);
        if let Some(blocks) = tangent {
            let second = read_all(&self.derivatives.second, lane);
            let (piola, tangent) = stress_and_tangent_of::<R, T>(&f, &at, first, second);
            if let Some(stress) = stress {
                write_matrix(&piola, stress, lane);
            }
            contract(&tangent, blocks, lane);
        } else if let Some(stress) = stress {
            write_matrix(&stress_of::<R, T>(&f, &at, first), stress, lane);
        }
    }
}

/// Functions of the stretches.
struct Translate<'j> {
    sigma: &'j [F64x8; 3],
    invariants: &'j Invariants,
    derivatives: &'j Derivatives,
    response: &'j mut Response,
    /// Second derivatives and the modes of pairs too.
    whole: bool,
}

impl LaneWork for Translate<'_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let sigma = read_all::<R, 3>(self.sigma, lane);
        let i1 = R::read(&self.invariants[0], lane);
        let first = read_all(&self.derivatives.first, lane);
        if self.whole {
            let second = read_all(&self.derivatives.second, lane);
            self.response.write(&spectrum_of(sigma, i1, first, second), lane);
        } else {
            self.response.write_gradient(gradient_of(sigma, i1, first), lane);
        }
    }
}

/// The terms of laws that depend on I₁ and J, and of those that depend on I₂ as well: what is the same for all laws is compiled for
/// these two.
#[derive(Clone, Copy, Debug)]
struct WithI2<const I2: bool>;

impl<const I2: bool> Terms for WithI2<I2> {
    const I2: bool = I2;
}

fn compose<T: Terms>(level: Level, derivatives: &Derivatives, points: &mut EightPoints<'_>) {
    level.work(Compose::<T> { terms: std::marker::PhantomData, derivatives, points });
}

/// Energy, stress and tangent, not projected.
pub fn by_invariants<L: InvariantLaw>(law: &L, level: Level, points: &mut EightPoints<'_>) {
    let mut invariants = Invariants::default();
    let mut derivatives = Derivatives::default();
    level.work(OfGradient { gradient: points.gradient, invariants: &mut invariants });
    level.work(Differentiate {
        law,
        invariants: &invariants,
        points,
        derivatives: &mut derivatives,
    });
    if points.stress.is_none() && points.tangent.is_none() {
        return;
    }
    if L::USES_I2 {
        compose::<WithI2<true>>(level, &derivatives, points);
    } else {
        compose::<WithI2<false>>(level, &derivatives, points);
    }
}

/// [`Isotropic::respond`](crate::isotropic::Isotropic::respond) of a law by invariants.
pub fn respond_by_invariants<L: InvariantLaw>(
    law: &L,
    level: Level,
    sigma: &[F64x8; 3],
    points: &mut EightPoints<'_>,
    response: &mut Response,
) {
    let mut invariants = Invariants::default();
    let mut derivatives = Derivatives::default();
    level.work(OfStretches { sigma, invariants: &mut invariants });
    level.work(Differentiate {
        law,
        invariants: &invariants,
        points,
        derivatives: &mut derivatives,
    });
    let whole = points.tangent.is_some();
    if whole || points.stress.is_some() {
        level.work(Translate {
            sigma,
            invariants: &invariants,
            derivatives: &derivatives,
            response,
            whole,
        });
    }
}
