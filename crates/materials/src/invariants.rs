//! Laws by invariants: [`InvariantLaw`] asks for the energy alone, [`ByInvariants`] makes a full
//! [`Law`] of it.
//!
//! With I₁ = tr C, I₂ = ½ (tr² C − tr C²) = |cof F|², J = det F and C = FᵀF,
//!
//! P = W₁ G₁ + W₂ G₂ + W₃ cof F,  G₁ = 2 F,  G₂ = 2 (I₁ F − F C)
//!
//! dP = 2 W₁ dF + 2 W₂ (2 (F:dF) F + I₁ dF − dF C − F dFᵀ F − F Fᵀ dF) + W₃ d cof F
//!    + Σ_αβ W_αβ G_α (G_β : dF),
//!
//! contracted with gradients a, b (dF = eₖ bᵀ) into
//!
//! K = \[2 (W₁ + W₂ I₁)(a·b) − 2 W₂ (Fa·Fb)\] I − 2 W₂ (a·b) F Fᵀ + 4 W₂ (Fa)(Fb)ᵀ − 2 W₂ (Fb)(Fa)ᵀ
//!    − W₃ \[F (a×b)\]× + Σ_αβ W_αβ (G_α a)(G_β b)ᵀ.
//!
//! No inverse of F and no SVD is needed, and J ≤ 0 does no harm where W is defined there.

use std::fmt::Debug;

use pliant_algebra::dispatch::Level;
use pliant_algebra::lanes::F64x8;
use pliant_algebra::mat3::{Mat3, cross, dot};
use pliant_algebra::real::Real;

use crate::eight::{self, EightPoints, Response};
use crate::isotropic::{Isotropic, MAX_PARAMETERS, lift};
use crate::jet::{Jet, PAIRS};
use crate::law::{Law, Tangent};
use crate::projectable::Projectable;
use crate::spectral::{self, Spectrum};

/// An isotropic law by its energy density W(I₁, I₂, J).
///
/// At most [`MAX_PARAMETERS`](crate::isotropic::MAX_PARAMETERS) parameters.
pub trait InvariantLaw: Copy + Debug + Send + Sync + 'static {
    /// Names of the parameters in `p`.
    const PARAMETERS: &'static [&'static str];
    /// Whether the energy is undefined for J ≤ 0.
    const NEEDS_POSITIVE_J: bool = true;
    /// Whether the energy depends on I₂. Saying `false` where it does not saves time.
    const USES_I2: bool = true;
    /// Default of [`Invertible`](crate::invertible::Invertible).
    const INVERSION_THRESHOLD: f64 = 0.2;
    /// Energy density, J/m³, zero for (3, 3, 1).
    fn energy<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> R;
    /// k of a part k/2 ln² J of the energy, which [`Invertible`](crate::invertible::Invertible) continues
    /// in a way of its own; zero if there is none.
    #[inline(always)]
    fn log_modulus<R: Real>(&self, _p: &[R]) -> R {
        R::zero()
    }
    /// The energy with its derivatives. By forward differentiation, unless a law has something faster.
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        const { assert!(Self::PARAMETERS.len() <= MAX_PARAMETERS, "too many parameters") };
        let [i1, i2, j] = Jet::variables([i1, i2, j]);
        self.energy(&lift!(Jet, p)[..Self::PARAMETERS.len()], i1, i2, j)
    }
}

/// An [`InvariantLaw`] as a [`Law`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByInvariants<L>(pub L);

impl<L: InvariantLaw> InvariantLaw for ByInvariants<L> {
    const PARAMETERS: &'static [&'static str] = L::PARAMETERS;
    const NEEDS_POSITIVE_J: bool = L::NEEDS_POSITIVE_J;
    const USES_I2: bool = L::USES_I2;
    const INVERSION_THRESHOLD: f64 = L::INVERSION_THRESHOLD;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> R {
        self.0.energy(p, i1, i2, j)
    }
    #[inline(always)]
    fn log_modulus<R: Real>(&self, p: &[R]) -> R {
        self.0.log_modulus(p)
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        self.0.derivatives(p, i1, i2, j)
    }
}

/// Which invariants an energy depends on.
pub(crate) trait Terms: Copy + Debug {
    /// [`InvariantLaw::USES_I2`]
    const I2: bool;
}

/// The terms of a law.
#[derive(Clone, Copy, Debug)]
pub struct TermsOf<L>(std::marker::PhantomData<L>);

impl<L: InvariantLaw> Terms for TermsOf<L> {
    const I2: bool = L::USES_I2;
}

/// F with what the invariants need.
pub(crate) struct Point<R> {
    cofactor: Mat3<R>,
    pub(crate) i1: R,
    pub(crate) i2: R,
    pub(crate) j: R,
}

#[inline(always)]
pub(crate) fn point<R: Real>(f: &Mat3<R>) -> Point<R> {
    let cofactor = f.cofactor();
    Point {
        i1: f.norm_squared(),
        i2: cofactor.norm_squared(),
        j: dot(f.0[0], cofactor.0[0]),
        cofactor,
    }
}

/// G₂ = ∂I₂/∂F
#[inline(always)]
fn second_gradient<R: Real>(f: &Mat3<R>, i1: R) -> Mat3<R> {
    let half = f.scale(i1) - *f * f.gram();
    half + half
}

/// P of the first derivatives of W.
#[inline(always)]
pub(crate) fn stress_of<R: Real, T: Terms>(f: &Mat3<R>, at: &Point<R>, first: [R; 3]) -> Mat3<R> {
    let [w1, w2, w3] = first;
    let stress = f.scale(w1 + w1) + at.cofactor.scale(w3);
    if T::I2 { stress + second_gradient(f, at.i1).scale(w2) } else { stress }
}

/// P and ∂P/∂F of the derivatives of W.
#[inline(always)]
pub(crate) fn stress_and_tangent_of<R: Real, T: Terms>(
    f: &Mat3<R>,
    at: &Point<R>,
    first: [R; 3],
    second: [R; 6],
) -> (Mat3<R>, InvariantTangent<R, T>) {
    let [w1, w2, w3] = first;
    let mut stress = f.scale(w1 + w1) + at.cofactor.scale(w3);
    let mut tangent = InvariantTangent {
        terms: std::marker::PhantomData,
        f: *f,
        cofactor: at.cofactor,
        g2: Mat3::zero(),
        left: Mat3::zero(),
        scale: w1 + w1,
        w2: w2 + w2,
        w3,
        second,
    };
    if T::I2 {
        tangent.g2 = second_gradient(f, at.i1);
        tangent.left = f.mul_transpose(f).scale(w2 + w2);
        tangent.scale += (w2 + w2) * at.i1;
        // 4 W₂ (Fa)(Fb)ᵀ = W₂ (G₁a)(G₁b)ᵀ
        tangent.second[0] += w2;
        stress += tangent.g2.scale(w2);
    }
    (stress, tangent)
}

impl<L: InvariantLaw> Law for ByInvariants<L> {
    const PARAMETERS: &'static [&'static str] = L::PARAMETERS;
    const NEEDS_POSITIVE_J: bool = L::NEEDS_POSITIVE_J;
    const TAKES_INVERSION: bool = !L::NEEDS_POSITIVE_J;
    type Tangent<R: Real> = Projectable<InvariantTangent<R, TermsOf<L>>, R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        let at = point(f);
        self.0.energy(p, at.i1, at.i2, at.j)
    }

    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        let at = point(f);
        stress_of::<R, TermsOf<L>>(f, &at, self.0.derivatives(p, at.i1, at.i2, at.j).first)
    }

    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        project: bool,
    ) -> (Mat3<R>, Self::Tangent<R>) {
        if project {
            let (stress, tangent) = spectral::stress_and_tangent(self, p, f, true);
            return (stress, Projectable::Projected(tangent));
        }
        let at = point(f);
        let w = self.0.derivatives(p, at.i1, at.i2, at.j);
        let (stress, tangent) = stress_and_tangent_of(f, &at, w.first, w.second);
        (stress, Projectable::Plain(tangent))
    }

    fn evaluate(&self, level: Level, points: &mut EightPoints<'_>) {
        if points.is_projected() {
            eight::spectral(self, level, points);
        } else {
            eight::by_invariants(self, level, points);
        }
    }
}

/// ∂P/∂F of a law by invariants; see the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct InvariantTangent<R, T> {
    terms: std::marker::PhantomData<T>,
    f: Mat3<R>,
    cofactor: Mat3<R>,
    g2: Mat3<R>,
    /// 2 W₂ F Fᵀ
    left: Mat3<R>,
    /// 2 (W₁ + W₂ I₁)
    scale: R,
    /// 2 W₂
    w2: R,
    w3: R,
    /// W_αβ, with W₂ added to W₁₁
    second: [R; 6],
}

/// What one gradient gives to [`InvariantTangent`].
#[derive(Clone, Copy, Debug)]
pub struct InvariantNode<R> {
    gradient: [R; 3],
    /// G₁ a, G₂ a, cof F a
    g: [[R; 3]; 3],
    /// Σ_β W_αβ G_β a
    weighted: [[R; 3]; 3],
}

impl<R: Real, T: Terms> Tangent<R> for InvariantTangent<R, T> {
    type Node = InvariantNode<R>;

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> InvariantNode<R> {
        let fa = self.f.mul_vec(gradient);
        let g1 = [fa[0] + fa[0], fa[1] + fa[1], fa[2] + fa[2]];
        let g3 = self.cofactor.mul_vec(gradient);
        let [w11, w22, w33, w12, w23, w13] = self.second;
        let mut node =
            InvariantNode { gradient, g: [g1, [R::zero(); 3], g3], weighted: [[R::zero(); 3]; 3] };
        for i in 0..3 {
            node.weighted[0][i] = w11 * g1[i] + w13 * g3[i];
            node.weighted[2][i] = w13 * g1[i] + w33 * g3[i];
        }
        if T::I2 {
            let g2 = self.g2.mul_vec(gradient);
            node.g[1] = g2;
            for i in 0..3 {
                node.weighted[0][i] += w12 * g2[i];
                node.weighted[1][i] = w12 * g1[i] + w22 * g2[i] + w23 * g3[i];
                node.weighted[2][i] += w23 * g2[i];
            }
        }
        node
    }

    #[inline(always)]
    fn block(&self, a: &InvariantNode<R>, b: &InvariantNode<R>) -> Mat3<R> {
        let product = dot(a.gradient, b.gradient);
        let c = self.f.mul_vec(cross(a.gradient, b.gradient));
        let skew = [c[0] * self.w3, c[1] * self.w3, c[2] * self.w3];
        let mut diagonal = self.scale * product;
        let mut block = Mat3::outer(a.g[0], b.weighted[0]) + Mat3::outer(a.g[2], b.weighted[2])
            - Mat3::cross_matrix(skew);
        if T::I2 {
            // G₁ = 2 F
            let quarter = self.w2 * 0.25;
            diagonal -= quarter * dot(a.g[0], b.g[0]);
            let fb = [b.g[0][0] * quarter, b.g[0][1] * quarter, b.g[0][2] * quarter];
            block += Mat3::outer(a.g[1], b.weighted[1])
                - self.left.scale(product)
                - Mat3::outer(fb, a.g[0]);
        }
        block + Mat3::diagonal([diagonal; 3])
    }
}

/// (I₁, I₂, J) of principal stretches.
#[inline(always)]
pub(crate) fn invariants_of_stretches<R: Real>(s: [R; 3]) -> [R; 3] {
    let (a, b, c) = (s[0].square(), s[1].square(), s[2].square());
    [a + b + c, a * b + b * c + a * c, s[0] * s[1] * s[2]]
}

/// Any law that knows its invariants is isotropic. Flips and twists have closed forms in which
/// nothing cancels: 2 W₁ + 2 W₂ (σₖ² ∓ σᵢσⱼ) ∓ W₃ σₖ.
impl<L: InvariantLaw + Law> Isotropic for L {
    const INVERSION_THRESHOLD: f64 = <L as InvariantLaw>::INVERSION_THRESHOLD;

    #[inline(always)]
    fn stretch_energy<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R {
        let [i1, i2, j] = invariants_of_stretches(sigma);
        InvariantLaw::energy(self, p, i1, i2, j)
    }

    #[inline(always)]
    fn log_modulus<R: Real>(&self, p: &[R]) -> R {
        InvariantLaw::log_modulus(self, p)
    }

    #[inline(always)]
    fn stretch_gradient<R: Real>(&self, p: &[R], sigma: [R; 3]) -> [R; 3] {
        let [i1, i2, j] = invariants_of_stretches(sigma);
        gradient_of(sigma, i1, self.derivatives(p, i1, i2, j).first)
    }

    #[inline(always)]
    fn spectrum<R: Real>(&self, p: &[R], sigma: [R; 3]) -> Spectrum<R> {
        let [i1, i2, j] = invariants_of_stretches(sigma);
        let w = self.derivatives(p, i1, i2, j);
        spectrum_of(sigma, i1, w.first, w.second)
    }

    fn respond(
        &self,
        level: Level,
        sigma: &[F64x8; 3],
        points: &mut EightPoints<'_>,
        response: &mut Response,
    ) {
        eight::respond_by_invariants(self, level, sigma, points, response);
    }
}

/// Derivatives of ψ of those of W, and the modes of pairs.
#[inline(always)]
pub(crate) fn spectrum_of<R: Real>(
    sigma: [R; 3],
    i1: R,
    first: [R; 3],
    second: [R; 6],
) -> Spectrum<R> {
    let n = first_derivatives(sigma, i1);
    let [w1, w2, w3] = [first[0] + first[0], first[1] + first[1], first[2]];
    let [w11, w22, w33, w12, w23, w13] = second;
    let mut spectrum = Spectrum {
        gradient: gradient(first, &n),
        hessian: [R::zero(); 6],
        flip: [R::zero(); 3],
        twist: [R::zero(); 3],
    };
    for k in 0..6 {
        let (i, j) = PAIRS[k];
        let [a, b] = [n[i], n[j]];
        let outer = a[0] * (w11 * b[0] + w12 * b[1] + w13 * b[2])
            + a[1] * (w12 * b[0] + w22 * b[1] + w23 * b[2])
            + a[2] * (w13 * b[0] + w23 * b[1] + w33 * b[2]);
        if k < 3 {
            spectrum.hessian[k] = (w1 + w2 * (i1 - sigma[k].square())) + outer;
        } else {
            let third = sigma[3 - i - j];
            let product = sigma[i] * sigma[j];
            spectrum.hessian[k] = (w2 + w2) * product + w3 * third + outer;
            let square = third.square();
            spectrum.flip[k - 3] = w1 + w2 * (square - product) - w3 * third;
            spectrum.twist[k - 3] = w1 + w2 * (square + product) + w3 * third;
        }
    }
    spectrum
}

/// ψᵢ of the first derivatives of W.
#[inline(always)]
pub(crate) fn gradient_of<R: Real>(sigma: [R; 3], i1: R, first: [R; 3]) -> [R; 3] {
    gradient(first, &first_derivatives(sigma, i1))
}

/// ∂(I₁, I₂, J)/∂σᵢ for each i.
#[inline(always)]
fn first_derivatives<R: Real>(s: [R; 3], i1: R) -> [[R; 3]; 3] {
    let mut n = [[R::zero(); 3]; 3];
    for i in 0..3 {
        let twice = s[i] + s[i];
        n[i] = [twice, twice * (i1 - s[i].square()), s[(i + 1) % 3] * s[(i + 2) % 3]];
    }
    n
}

#[inline(always)]
fn gradient<R: Real>(first: [R; 3], n: &[[R; 3]; 3]) -> [R; 3] {
    [dot(first, n[0]), dot(first, n[1]), dot(first, n[2])]
}
