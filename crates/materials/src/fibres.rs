//! Fibres in a matrix: what a family of them stores when it is stretched, and how it pulls when it is active.
//!
//! A family has a direction a at rest, unit length, about which its fibres are dispersed (Gasser, Ogden & Holzapfel 2006):
//!
//! W = k₁/(2 k₂) (exp(k₂ ⟨E⟩²) − 1),  E = A : (C − I),  A = κ I + (1 − 3 κ) a ⊗ a
//!
//! with κ from 0 (all along a) to ⅓ (all directions alike), so that E = κ (I₁ − 3) + (1 − 3κ)(I₄ − 1) with I₄ = |F a|². Fibres carry tension
//! only: ⟨E⟩ is 0 where E < 0. I₁ and I₄ are those of F, not of its isochoric part, so that a family that is not stretched
//! carries nothing, whatever the volume does (Nolan et al. 2014).
//!
//! P = 2 W′ F A and K = W″ (H·a)(H·b)ᵀ + 2 W′ (a·A b) I with H = 2 F A: positive semi-definite as it is. At E = 0 the
//! tangent jumps from 0 to that of k₁.
//!
//! An active family pulls with the tension T per rest area along its present direction, W = T (|F a| − 1): see
//! [`ActiveTension`].

use pliant_algebra::dispatch::{LaneWork, Level};
use pliant_algebra::lanes::InLanes;
use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::real::Real;

use crate::eight::{EightPoints, contract, read_matrix, write_matrix};
use crate::error::{MaterialError, ensure, positive};
use crate::law::{Law, Tangent};

/// Numbers of a family among the parameters of a law: k₁, k₂, κ, a.
pub const FAMILY: usize = 6;
/// Most families in one material.
pub const MOST_FAMILIES: usize = 3;

/// A family of fibres, as a user gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Family {
    /// k₁, Pa: stiffness of the stretched fibre where it begins to carry. 0 for one that is active only.
    pub k1: f64,
    /// k₂: how fast it stiffens.
    pub k2: f64,
    /// κ, from 0 to ⅓.
    pub dispersion: f64,
    /// Direction at rest, of any length above 0.
    pub direction: [f64; 3],
}

impl Family {
    /// Its parameters in the kernel, checked.
    pub fn parameters(&self) -> Result<[f64; FAMILY], MaterialError> {
        let accepted = "must be a finite number of 0 or more";
        let k1 = ensure(self.k1 >= 0.0, "k1", self.k1, accepted)?;
        let k2 = ensure(self.k2 >= 0.0, "k2", self.k2, accepted)?;
        let inside = (0.0..=1.0 / 3.0).contains(&self.dispersion);
        let accepted =
            "must lie between 0 (all along the direction) and 1/3 (all directions alike)";
        let dispersion = ensure(inside, "dispersion", self.dispersion, accepted)?;
        let [x, y, z] = unit(self.direction)?;
        Ok([k1, k2, dispersion, x, y, z])
    }
}

/// The direction with length 1.
pub fn unit(direction: [f64; 3]) -> Result<[f64; 3], MaterialError> {
    let length = dot(direction, direction).sqrt();
    positive("length of the direction of fibres", length)?;
    Ok(direction.map(|c| c / length))
}

/// Parameters of [`ActiveTension`], checked: a tension, Pa of rest area, along a direction of any length above 0.
pub fn active_parameters(tension: f64, direction: [f64; 3]) -> Result<[f64; 4], MaterialError> {
    let accepted = "must be a finite number of 0 or more, Pa";
    let tension = ensure(tension >= 0.0, "tension", tension, accepted)?;
    let [x, y, z] = unit(direction)?;
    Ok([tension, x, y, z])
}

/// One family at one point.
#[derive(Clone, Copy, Debug)]
struct Stretched<R> {
    /// 2 F A
    h: Mat3<R>,
    /// κ, 1 − 3κ and a
    spread: R,
    along: R,
    direction: [R; 3],
    energy: R,
    /// W′ and W″ by E
    slope: R,
    curvature: R,
}

impl<R: Real> Stretched<R> {
    #[inline(always)]
    fn new(p: &[R], f: &Mat3<R>) -> Self {
        let [k1, k2, spread] = [p[0], p[1], p[2]];
        let direction = [p[3], p[4], p[5]];
        let along = R::one() - spread * 3.0;
        let fa = f.mul_vec(direction);
        let strain = spread * (f.norm_squared() - 3.0) + along * (dot(fa, fa) - 1.0);
        let strain = strain.max(R::zero());
        let square = strain.square();
        // Beyond all that a fibre bears, so that nothing overflows.
        let exponent = (k2 * square).min(R::splat(600.0));
        let growth = exponent.exp();
        // (exp x − 1)/x, by its series where the difference has no digits.
        let small = exponent.less(R::splat(1e-4));
        let series = R::one() + exponent * 0.5 + exponent.square() * (1.0 / 6.0);
        let exact = (growth - 1.0) / exponent.max(R::splat(1e-4));
        let slope = k1 * strain * growth;
        // A body at rest is not stretched, whatever rounding says.
        let stretched = R::splat(1e-12).less(strain);
        let curvature = k1 * growth * (R::one() + exponent + exponent);
        let twice = along + along;
        Self {
            h: f.scale(spread + spread) + Mat3::outer(fa.map(|c| c * twice), direction),
            spread,
            along,
            direction,
            energy: k1 * square * R::select(small, series, exact) * 0.5,
            slope,
            curvature: R::select(stretched, curvature, R::zero()),
        }
    }

    #[inline(always)]
    fn stress(&self) -> Mat3<R> {
        self.h.scale(self.slope)
    }
}

/// What one gradient gives to the tangent of a family.
#[derive(Clone, Copy, Debug)]
struct FibreNode<R> {
    gradient: [R; 3],
    ha: [R; 3],
    /// W″ H a
    weighted: [R; 3],
    /// 2 W′ A a
    pulled: [R; 3],
}

impl<R: Real> Tangent<R> for Stretched<R> {
    type Node = FibreNode<R>;

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> FibreNode<R> {
        let ha = self.h.mul_vec(gradient);
        let part = self.along * dot(self.direction, gradient);
        let twice = self.slope + self.slope;
        let mut node = FibreNode { gradient, ha, weighted: ha, pulled: gradient };
        for k in 0..3 {
            node.weighted[k] = ha[k] * self.curvature;
            node.pulled[k] = (self.spread * gradient[k] + part * self.direction[k]) * twice;
        }
        node
    }

    #[inline(always)]
    fn block(&self, a: &FibreNode<R>, b: &FibreNode<R>) -> Mat3<R> {
        Mat3::outer(a.ha, b.weighted) + Mat3::diagonal([dot(a.gradient, b.pulled); 3])
    }
}

/// Adds a family to what a matrix law has left.
struct AddFamily<'j, 'a> {
    points: &'j mut EightPoints<'a>,
    /// Where its parameters begin.
    first: usize,
}

impl LaneWork for AddFamily<'_, '_> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let EightPoints { parameters, gradient, energy, stress, tangent } = &mut *self.points;
        let mut p = [R::zero(); FAMILY];
        for k in 0..FAMILY {
            p[k] = R::read(&parameters[self.first + k], lane);
        }
        let family = Stretched::new(&p, &read_matrix::<R>(gradient, lane));
        if let Some(energy) = energy {
            (R::read(energy, lane) + family.energy).write(energy, lane);
        }
        if let Some(stress) = stress {
            let sum = read_matrix::<R>(stress, lane) + family.stress();
            write_matrix(&sum, stress, lane);
        }
        if let Some(blocks) = tangent {
            let add = std::mem::replace(&mut blocks.add, true);
            contract(&family, blocks, lane);
            blocks.add = add;
        }
    }
}

/// Adds a family whose parameters begin at `first` to what `points` have.
pub(crate) fn add_family(first: usize, level: Level, points: &mut EightPoints<'_>) {
    level.work(AddFamily { points, first });
}

/// A family as a law of its own, for single points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fibres;

impl Law for Fibres {
    const PARAMETERS: &'static [&'static str] = NAMES[0];
    const TAKES_INVERSION: bool = true;
    type Tangent<R: Real> = FibreTangent<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        Stretched::new(p, f).energy
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        Stretched::new(p, f).stress()
    }
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        _project: bool,
    ) -> (Mat3<R>, FibreTangent<R>) {
        let family = Stretched::new(p, f);
        (family.stress(), FibreTangent(family))
    }
}

/// The tangent of a family.
#[derive(Clone, Copy, Debug)]
pub struct FibreTangent<R>(Stretched<R>);

/// What one gradient gives to [`FibreTangent`].
#[derive(Clone, Copy, Debug)]
pub struct NodeOfFibres<R>(FibreNode<R>);

impl<R: Real> Tangent<R> for FibreTangent<R> {
    type Node = NodeOfFibres<R>;

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> Self::Node {
        NodeOfFibres(self.0.node(gradient))
    }
    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        self.0.block(&a.0, &b.0)
    }
}

/// Names of the parameters of each family.
pub(crate) const NAMES: [&[&str]; MOST_FAMILIES] = [
    &["k1 of fibres a", "k2 of fibres a", "dispersion of fibres a", "a.x", "a.y", "a.z"],
    &["k1 of fibres b", "k2 of fibres b", "dispersion of fibres b", "b.x", "b.y", "b.z"],
    &["k1 of fibres c", "k2 of fibres c", "dispersion of fibres c", "c.x", "c.y", "c.z"],
];

/// Active tension of a family: W = T (|F a| − 1), P = T n ⊗ a with n = F a / |F a|. The fibre pulls with the force T
/// per rest area whatever its length; K = T/|F a| (a·g)(a·h)(I − n ⊗ n) is positive semi-definite for T ≥ 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActiveTension;

impl ActiveTension {
    /// T n ⊗ a, |F a| and n.
    #[inline(always)]
    fn pull<R: Real>(p: &[R], f: &Mat3<R>) -> (R, [R; 3]) {
        let fa = f.mul_vec([p[1], p[2], p[3]]);
        // A fibre that is crushed to nothing has no direction.
        let length = dot(fa, fa).max(R::splat(1e-24)).sqrt();
        let inverse = length.recip();
        (length, fa.map(|c| c * inverse))
    }
}

impl Law for ActiveTension {
    const PARAMETERS: &'static [&'static str] = &["tension", "x", "y", "z"];
    const TAKES_INVERSION: bool = true;
    type Tangent<R: Real> = ActiveTangent<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        p[0] * (Self::pull(p, f).0 - 1.0)
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        let (_, n) = Self::pull(p, f);
        Mat3::outer(n.map(|c| c * p[0]), [p[1], p[2], p[3]])
    }
    /// Positive semi-definite as it is.
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        _project: bool,
    ) -> (Mat3<R>, ActiveTangent<R>) {
        let (length, n) = Self::pull(p, f);
        let transverse = Mat3::identity() - Mat3::outer(n, n);
        let direction = [p[1], p[2], p[3]];
        let tangent = ActiveTangent { direction, stiffness: transverse.scale(p[0] / length) };
        (Mat3::outer(n.map(|c| c * p[0]), direction), tangent)
    }
}

/// See [`ActiveTension`].
#[derive(Clone, Copy, Debug)]
pub struct ActiveTangent<R> {
    direction: [R; 3],
    /// T/|F a| (I − n ⊗ n)
    stiffness: Mat3<R>,
}

impl<R: Real> Tangent<R> for ActiveTangent<R> {
    /// a · gradient
    type Node = R;

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> R {
        dot(self.direction, gradient)
    }
    #[inline(always)]
    fn block(&self, a: &R, b: &R) -> Mat3<R> {
        self.stiffness.scale(*a * *b)
    }
}
