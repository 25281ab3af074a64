//! A law given by its energy at run time: a [`Formula`] of invariants or stretches, with constants beside it.
//!
//! The formula is a list of steps for a stack. They are worked off in packs of eight points, with first and second
//! derivatives ([`Jet`]); parts that do not depend on the deformation are computed without. So what a step costs to look at is
//! shared by eight points, and the law is the same as a compiled one from there on.

mod check;
mod maker;

use pliant_algebra::real::Real;

use crate::catalogue::{Inversion, LawEntry, LawName};
use crate::invariants::{ByInvariants, InvariantLaw, spectrum_of};
use crate::isotropic::MAX_PARAMETERS;
use crate::jet::Jet;
use crate::parameters::Lame;
use crate::point::PointLaw;
use crate::stretches::{ByStretches, StretchLaw};
use crate::variants::by_stretches;

/// Most steps of a formula.
pub const MOST_STEPS: usize = 128;
/// Most numbers in a formula.
pub const MOST_NUMBERS: usize = 32;
/// Most constants beside a formula.
pub const MOST_CONSTANTS: usize = MAX_PARAMETERS;
/// Most values that wait on a stack at once.
const DEPTH: usize = 8;

/// A step of a formula, as a parser leaves it: operands first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// A number.
    Number(f64),
    /// A constant given beside the formula, from 0.
    Constant(usize),
    /// What the energy depends on.
    Argument(Argument),
    /// A function of one value.
    One(One),
    /// A function of two values.
    Two(Two),
}

/// What an energy depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// I₁ = tr C
    I1,
    /// I₂ = ½ (tr² C − tr C²)
    I2,
    /// J = det F
    J,
    /// A principal stretch, from 0.
    Stretch(u8),
}

/// A function of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum One {
    /// −a
    Negate,
    /// eᵃ
    Exp,
    /// ln a
    Log,
    /// √a
    Sqrt,
    /// |a|
    Abs,
}

/// A function of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Two {
    /// a + b
    Add,
    /// a − b
    Subtract,
    /// a b
    Multiply,
    /// a / b
    Divide,
    /// aᵇ
    Power,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

/// A step as it is worked off: on the stack of values that are the same for all deformations, on that of values with
/// derivatives, or on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Number(u8),
    Constant(u8),
    Argument(u8),
    OneFixed(One),
    One(One),
    TwoFixed(Two),
    Two(Two),
    /// The second one is fixed.
    FixedLast(Two),
    /// The first one is fixed.
    FixedFirst(Two),
    /// To a whole power.
    Whole(i8),
}

/// An energy density as a list of steps, J/m³.
#[derive(Clone, Copy, PartialEq)]
pub struct Formula {
    ops: [Op; MOST_STEPS],
    len: u8,
    numbers: [f64; MOST_NUMBERS],
    by_stretches: bool,
    uses_i2: bool,
}

impl std::fmt::Debug for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Formula of {} steps", self.len)
    }
}

impl Formula {
    /// Its value.
    #[inline(always)]
    fn value<R: Real>(&self, p: &[R], arguments: [R; 3]) -> R {
        let mut stack = [R::zero(); 2 * DEPTH];
        let mut top = 0;
        for op in &self.ops[..usize::from(self.len)] {
            let value = match *op {
                Op::Number(k) => R::splat(self.numbers[usize::from(k)]),
                Op::Constant(k) => p[usize::from(k)],
                Op::Argument(k) => arguments[usize::from(k)],
                Op::OneFixed(one) | Op::One(one) => {
                    top -= 1;
                    of_one(one, stack[top])
                }
                Op::TwoFixed(two) | Op::Two(two) | Op::FixedLast(two) | Op::FixedFirst(two) => {
                    top -= 2;
                    of_two(two, stack[top], stack[top + 1])
                }
                Op::Whole(n) => {
                    top -= 1;
                    whole(stack[top], n)
                }
            };
            stack[top] = value;
            top += 1;
        }
        stack[0]
    }

    /// Its value with derivatives.
    #[inline(always)]
    fn jet<R: Real>(&self, p: &[R], arguments: [R; 3]) -> Jet<R> {
        let mut fixed = [R::zero(); DEPTH];
        let mut jets = [Jet::constant(R::zero()); DEPTH];
        let (mut f, mut j) = (0, 0);
        for op in &self.ops[..usize::from(self.len)] {
            match *op {
                Op::Number(k) => {
                    fixed[f] = R::splat(self.numbers[usize::from(k)]);
                    f += 1;
                }
                Op::Constant(k) => {
                    fixed[f] = p[usize::from(k)];
                    f += 1;
                }
                Op::Argument(k) => {
                    jets[j] = Jet::constant(arguments[usize::from(k)]);
                    jets[j].first[usize::from(k)] = R::one();
                    j += 1;
                }
                Op::OneFixed(one) => fixed[f - 1] = of_one(one, fixed[f - 1]),
                Op::TwoFixed(two) => {
                    f -= 1;
                    fixed[f - 1] = of_two(two, fixed[f - 1], fixed[f]);
                }
                Op::One(one) => jets[j - 1] = of_one(one, jets[j - 1]),
                Op::Two(two) => {
                    j -= 1;
                    jets[j - 1] = of_two(two, jets[j - 1], jets[j]);
                }
                Op::FixedLast(two) => {
                    f -= 1;
                    jets[j - 1] = jet_and_fixed(two, jets[j - 1], fixed[f]);
                }
                Op::FixedFirst(two) => {
                    f -= 1;
                    jets[j - 1] = fixed_and_jet(two, fixed[f], jets[j - 1]);
                }
                Op::Whole(n) => {
                    let x = jets[j - 1];
                    let before = whole(x.value, n - 2);
                    let slope = before * x.value * f64::from(n);
                    let curvature = before * f64::from(i32::from(n) * (i32::from(n) - 1));
                    jets[j - 1] = x.chain(before * x.value.square(), slope, curvature);
                }
            }
        }
        jets[0]
    }

    /// The law of this energy.
    pub(crate) fn law(&self, inversion: Inversion) -> Box<dyn PointLaw> {
        match (self.by_stretches, self.uses_i2) {
            (true, _) => by_stretches(ByStretches(OfStretches(*self)), inversion),
            (_, true) => by_stretches(ByInvariants(OfInvariants::<true>(*self)), inversion),
            (_, false) => by_stretches(ByInvariants(OfInvariants::<false>(*self)), inversion),
        }
    }

    /// ψ with its derivatives by the stretches.
    fn of_stretches(&self, p: &[f64], sigma: [f64; 3]) -> Jet<f64> {
        if self.by_stretches {
            return self.jet(p, sigma);
        }
        let [i1, i2, j] = crate::invariants::invariants_of_stretches(sigma);
        let w = self.jet(p, [i1, i2, j]);
        let spectrum = spectrum_of(sigma, i1, w.first, w.second);
        Jet { value: w.value, first: spectrum.gradient, second: spectrum.hessian }
    }
}

/// xⁿ by repeated squares.
#[inline(always)]
fn whole<R: Real>(x: R, n: i8) -> R {
    let mut left = n.unsigned_abs();
    let (mut power, mut square) = (R::one(), x);
    while left > 0 {
        if left & 1 == 1 {
            power *= square;
        }
        square = square.square();
        left >>= 1;
    }
    if n < 0 { power.recip() } else { power }
}

#[inline(always)]
fn of_one<T: Real>(one: One, a: T) -> T {
    match one {
        One::Negate => -a,
        One::Exp => a.exp(),
        One::Log => a.ln(),
        One::Sqrt => a.sqrt(),
        One::Abs => a.abs(),
    }
}

#[inline(always)]
fn of_two<T: Real>(two: Two, a: T, b: T) -> T {
    match two {
        Two::Add => a + b,
        Two::Subtract => a - b,
        Two::Multiply => a * b,
        Two::Divide => a / b,
        Two::Power => (b * a.ln()).exp(),
        Two::Min => a.min(b),
        Two::Max => a.max(b),
    }
}

/// A value with derivatives, and one without.
#[inline(always)]
fn jet_and_fixed<R: Real>(two: Two, mut a: Jet<R>, b: R) -> Jet<R> {
    match two {
        Two::Add => {
            a.value += b;
            a
        }
        Two::Subtract => {
            a.value -= b;
            a
        }
        Two::Multiply => a.times(b),
        Two::Divide => a.times(b.recip()),
        Two::Power => {
            let power = (b * a.value.ln()).exp();
            let inverse = a.value.recip();
            let slope = power * inverse * b;
            a.chain(power, slope, slope * inverse * (b - 1.0))
        }
        Two::Min => a.min(Jet::constant(b)),
        Two::Max => a.max(Jet::constant(b)),
    }
}

/// A value without derivatives, and one with.
#[inline(always)]
fn fixed_and_jet<R: Real>(two: Two, a: R, b: Jet<R>) -> Jet<R> {
    match two {
        Two::Add | Two::Multiply | Two::Min | Two::Max => jet_and_fixed(two, b, a),
        Two::Subtract => jet_and_fixed(Two::Add, -b, a),
        Two::Divide => b.recip().times(a),
        Two::Power => b.times(a.ln()).exp(),
    }
}

/// An energy in I₁, J and, if `I2`, I₂.
#[derive(Clone, Copy, Debug)]
struct OfInvariants<const I2: bool>(Formula);

/// An energy in stretches.
#[derive(Clone, Copy, Debug)]
struct OfStretches(Formula);

const NAMES: &[&str] = &["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];

impl<const I2: bool> InvariantLaw for OfInvariants<I2> {
    const PARAMETERS: &'static [&'static str] = NAMES;
    const USES_I2: bool = I2;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> R {
        self.0.value(p, [i1, i2, j])
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        self.0.jet(p, [i1, i2, j])
    }
}

impl StretchLaw for OfStretches {
    const PARAMETERS: &'static [&'static str] = NAMES;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R {
        self.0.value(p, sigma)
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], sigma: [R; 3]) -> Jet<R> {
        self.0.jet(p, sigma)
    }
}

/// Steps of μ/2 (I₁ J^{−2/3} − 3) + (λ/2 + μ/3) (J − 1)² with the constants λ, μ.
const NEO_HOOKEAN: &[Step] = {
    use Argument::{I1, J};
    let (lambda, mu) = (Step::Constant(0), Step::Constant(1));
    let (two, three) = (Step::Number(2.0), Step::Number(3.0));
    let [add, subtract, multiply, divide, power] = [
        Step::Two(Two::Add),
        Step::Two(Two::Subtract),
        Step::Two(Two::Multiply),
        Step::Two(Two::Divide),
        Step::Two(Two::Power),
    ];
    &[
        mu,
        two,
        divide, // μ/2
        Step::Argument(I1),
        Step::Argument(J),
        Step::Number(-2.0),
        three,
        divide,
        power,
        multiply,
        three,
        subtract,
        multiply, // (I₁ J^{−2/3} − 3)
        lambda,
        two,
        divide,
        mu,
        three,
        divide,
        add, // λ/2 + μ/3
        Step::Argument(J),
        Step::Number(1.0),
        subtract,
        two,
        power,
        multiply, // (J − 1)²
        add,
    ]
};

/// Parameters of the formula that stands where none is given.
fn padded(lambda: f64, mu: f64) -> Vec<f64> {
    let mut list = vec![0.0; MOST_CONSTANTS];
    (list[0], list[1]) = (lambda, mu);
    list
}

/// Its line in the catalogue. Without a formula it is a neo-Hookean law, with the constants of Lamé.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "energy",
    about: "given by its energy in the scene: energy = \"mu/2*(I1 - 3) - …\"",
    from_lame: |lame, _| Ok(padded(lame.lambda, lame.mu)),
    from_own: |c| Lame::new(c[0], c[1]).map(|lame| padded(lame.lambda, lame.mu)),
    make: |inversion| match Formula::new(NEO_HOOKEAN) {
        Ok(formula) => formula.law(inversion),
        // These steps make one.
        Err(_) => Box::new(crate::neo_hookean::NeoHookean),
    },
    ..LawEntry::LAME
};

impl LawName {
    /// A [`Formula`] that is given with the material.
    pub const ENERGY: Self = Self::of(&ENTRY);
}
