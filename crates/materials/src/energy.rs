//! A law given by its energy at run time: a [`Formula`] of invariants or stretches, with constants beside it.
//!
//! The formula is a list of steps for a stack. They are worked off in packs of eight points, with first and second
//! derivatives ([`Jet`]); parts that do not depend on the deformation are computed without. So what a step costs to look at is
//! shared by eight points, and the law is the same as a compiled one from there on.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::catalogue::{Inversion, LawEntry, LawName};
use crate::error::MaterialError;
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

/// What can be wrong with the steps of a formula.
fn refused(text: &str) -> MaterialError {
    MaterialError::NotAnEnergy { text: text.to_owned(), hint: "shorten the formula" }
}

/// A formula while it is made.
struct Maker {
    formula: Formula,
    numbers: usize,
    /// Of each value on the stack, whether it is fixed.
    fixed: Vec<bool>,
}

impl Maker {
    fn push(&mut self, op: Op) -> Result<(), MaterialError> {
        let at = usize::from(self.formula.len);
        let slot = self.formula.ops.get_mut(at);
        *slot.ok_or_else(|| refused("the energy has more than 128 steps"))? = op;
        self.formula.len += 1;
        Ok(())
    }

    fn value(&mut self, fixed: bool) -> Result<(), MaterialError> {
        self.fixed.push(fixed);
        let waiting = self.fixed.iter().filter(|f| **f == fixed).count();
        if waiting > DEPTH {
            return Err(refused("the energy is nested deeper than 8 values"));
        }
        Ok(())
    }

    fn number(&mut self, value: f64) -> Result<(), MaterialError> {
        let known = self.formula.numbers[..self.numbers].iter();
        let known = known.clone().position(|n| n.to_bits() == value.to_bits());
        let index = match known {
            Some(index) => index,
            None if self.numbers < MOST_NUMBERS => {
                self.formula.numbers[self.numbers] = value;
                self.numbers += 1;
                self.numbers - 1
            }
            None => return Err(refused("the energy has more than 32 different numbers")),
        };
        self.push(Op::Number(index as u8))?;
        self.value(true)
    }

    fn argument(&mut self, argument: Argument) -> Result<(), MaterialError> {
        let index = match argument {
            Argument::I1 => 0,
            Argument::I2 => 1,
            Argument::J => 2,
            Argument::Stretch(k) => k.min(2),
        };
        self.push(Op::Argument(index))?;
        self.value(false)
    }

    fn one(&mut self, one: One) -> Result<(), MaterialError> {
        let fixed = self.fixed.last().copied().unwrap_or(true);
        self.push(if fixed { Op::OneFixed(one) } else { Op::One(one) })
    }

    fn two(&mut self, two: Two) -> Result<(), MaterialError> {
        let second = self.fixed.pop().unwrap_or(true);
        let first = self.fixed.pop().unwrap_or(true);
        if !first && second && two == Two::Power && self.whole_power()? {
            return self.value(false);
        }
        self.push(match (first, second) {
            (true, true) => Op::TwoFixed(two),
            (false, true) => Op::FixedLast(two),
            (true, false) => Op::FixedFirst(two),
            (false, false) => Op::Two(two),
        })?;
        self.value(first && second)
    }

    /// Turns a number on top of the stack into a whole power, if it is one.
    fn whole_power(&mut self) -> Result<bool, MaterialError> {
        let last = usize::from(self.formula.len) - 1;
        let (number, steps) = match self.formula.ops[last] {
            Op::Number(k) => (self.formula.numbers[usize::from(k)], 1),
            Op::OneFixed(One::Negate) => match self.formula.ops[last.saturating_sub(1)] {
                Op::Number(k) => (-self.formula.numbers[usize::from(k)], 2),
                _ => return Ok(false),
            },
            _ => return Ok(false),
        };
        if number.fract() != 0.0 || number.abs() > 16.0 || number == 0.0 {
            return Ok(false);
        }
        self.formula.len -= steps;
        if number == 1.0 {
            return Ok(true);
        }
        self.push(Op::Whole(number as i8))?;
        Ok(true)
    }
}

impl Formula {
    /// Makes a formula of the steps of a parser, which leave one value on the stack.
    pub fn new(steps: &[Step]) -> Result<Self, MaterialError> {
        let stretch = |s: &Step| matches!(s, Step::Argument(Argument::Stretch(_)));
        let formula = Self {
            ops: [Op::Number(0); MOST_STEPS],
            len: 0,
            numbers: [0.0; MOST_NUMBERS],
            by_stretches: steps.iter().any(stretch),
            uses_i2: steps.contains(&Step::Argument(Argument::I2)),
        };
        let mut maker = Maker { formula, numbers: 0, fixed: Vec::new() };
        for step in steps {
            match *step {
                Step::Number(value) => maker.number(value)?,
                Step::Constant(k) if k < MOST_CONSTANTS => {
                    maker.push(Op::Constant(k as u8))?;
                    maker.value(true)?;
                }
                Step::Constant(_) => {
                    return Err(refused("the energy has more than 8 constants"));
                }
                Step::Argument(argument) if formula.by_stretches => {
                    maker.of_stretches(argument)?;
                }
                Step::Argument(argument) => maker.argument(argument)?,
                Step::One(one) => maker.one(one)?,
                Step::Two(two) => maker.two(two)?,
            }
        }
        if maker.fixed != [false] {
            let text = "the energy does not depend on the deformation".to_owned();
            let hint = "write it in I1, I2 and J, or in the stretches l1, l2 and l3";
            return Err(MaterialError::NotAnEnergy { text, hint });
        }
        Ok(maker.formula)
    }

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

    /// Checks that this is the energy of an isotropic elastic body with these constants: zero and without stress at
    /// rest, stable there, and symmetric in the stretches. Returns the moduli of small strains.
    pub fn check(&self, constants: &[f64]) -> Result<Lame, MaterialError> {
        let mut p = [0.0; MOST_CONSTANTS];
        for (to, from) in p.iter_mut().zip(constants) {
            *to = *from;
        }
        let wrong = |text: String, hint| Err(MaterialError::NotAnEnergy { text, hint });
        let rest = self.of_stretches(&p, [1.0; 3]);
        let all = rest.first.iter().chain(&rest.second).chain(std::iter::once(&rest.value));
        if all.clone().any(|v| !v.is_finite()) {
            let hint = "logarithms, roots and powers have no value, or no slope, where their argument is 0";
            return wrong(
                "the energy or its derivatives are no finite numbers at rest".into(),
                hint,
            );
        }
        let scale = rest.second.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        if rest.value.abs() > 1e-10 * scale {
            let text = format!("the energy at rest is {} J/m³, not 0", rest.value);
            return wrong(
                text,
                "subtract its value where I1 = I2 = 3, J = 1 and all stretches are 1",
            );
        }
        if let Some((a, b)) = self.asymmetry(&p, scale) {
            let text = format!(
                "the energy is not symmetric in the stretches: it is {a} J/m³ for l1, l2, l3 = 1.2, 1.1, 0.9, and {b} J/m³ in another order"
            );
            return wrong(text, "an isotropic energy treats l1, l2 and l3 alike");
        }
        if rest.first[0].abs() > 1e-9 * scale {
            let text = format!("the stress at rest is {} Pa, not 0", rest.first[0]);
            return wrong(
                text,
                "add a term in log(J) or J that takes it away, as - mu*log(J) beside mu/2*(I1 - 3)",
            );
        }
        let lame = Lame { lambda: rest.second[3], mu: 0.5 * (rest.second[0] - rest.second[3]) };
        if lame.mu <= 1e-12 * scale || lame.bulk() <= 1e-12 * scale {
            let text = format!(
                "the body is not stable at rest: its shear modulus is {} Pa, its bulk modulus {} Pa",
                lame.mu,
                lame.bulk()
            );
            return wrong(text, "both must be above 0");
        }
        Ok(lame)
    }

    /// Two values that should be equal and are not.
    fn asymmetry(&self, p: &[f64], scale: f64) -> Option<(f64, f64)> {
        if !self.by_stretches {
            return None;
        }
        let [a, b, c] = [1.2, 1.1, 0.9];
        let first = self.value(p, [a, b, c]);
        let others = [[b, a, c], [a, c, b], [c, b, a]].map(|order| self.value(p, order));
        let other = others.into_iter().find(|w| (w - first).abs() > 1e-10 * scale)?;
        Some((first, other))
    }

    /// Checks that no inverted deformation has less energy than rest once the law is continued: terms that are concave where the
    /// continuation begins fall without bound.
    pub fn check_continued(
        &self,
        constants: &[f64],
        threshold: Option<f64>,
    ) -> Result<(), MaterialError> {
        let mut p = vec![0.0; MOST_CONSTANTS];
        p.iter_mut().zip(constants).for_each(|(to, from)| *to = *from);
        let law = self.law(Inversion::Continued(threshold));
        let scale = self.check(constants)?;
        let stretches = [-6.0, -1.5, -0.5, -0.05, 0.0, 0.05, 0.2, 0.4, 0.7, 1.0, 1.5, 3.0, 6.0];
        for a in stretches {
            for b in stretches {
                for c in stretches {
                    let w = law.energy(&p, &Mat3::diagonal([a, b, c]));
                    if w < -1e-9 * scale.mu {
                        let text = format!(
                            "continued to inverted elements the energy falls to {w} J/m³ at the stretches {a}, {b}, {c}, below that of rest"
                        );
                        let hint = "take (J - 1)^2 in place of log(J)^2, or leave invertible out";
                        return Err(MaterialError::NotAnEnergy { text, hint });
                    }
                }
            }
        }
        Ok(())
    }
}

impl Maker {
    /// An argument in terms of stretches.
    fn of_stretches(&mut self, argument: Argument) -> Result<(), MaterialError> {
        let stretch = Argument::Stretch;
        match argument {
            Argument::Stretch(_) => self.argument(argument),
            Argument::J => {
                self.argument(stretch(0))?;
                self.argument(stretch(1))?;
                self.two(Two::Multiply)?;
                self.argument(stretch(2))?;
                self.two(Two::Multiply)
            }
            Argument::I1 => {
                for k in 0..3 {
                    self.argument(stretch(k))?;
                    self.push(Op::Whole(2))?;
                    if k > 0 {
                        self.two(Two::Add)?;
                    }
                }
                Ok(())
            }
            Argument::I2 => {
                for k in 0..3 {
                    self.argument(stretch(k))?;
                    self.argument(stretch((k + 1) % 3))?;
                    self.two(Two::Multiply)?;
                    self.push(Op::Whole(2))?;
                    if k > 0 {
                        self.two(Two::Add)?;
                    }
                }
                Ok(())
            }
        }
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
