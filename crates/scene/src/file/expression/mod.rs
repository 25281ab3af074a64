//! [`Expression`]: a condition on places, `x < 0.1 && abs(y) > 2 cm`, read once and asked for every vertex; and
//! [`Formula`]: a number that depends on the place, `10 kPa * (1 + x / 2 m)`; and [`Field`]: a number that depends on
//! the place and, where it may, on time, `0.1*X*sin(2*t)`.
//!
//! A plain number is SI and goes with everything, as everywhere in a scene; what has a unit must fit. The
//! parser goes down by recursion to a bounded depth; what it leaves is a list of operations for a stack, so
//! that long expressions need no deep one.

mod energy;
mod parser;
mod scalar;
mod tokens;

use pliant_algebra::vec3::Vec3;
use pliant_units::Dimension;

pub(crate) use energy::{constants, energy};
pub(crate) use parser::{Names, OF_PLACE, OF_PLACE_AND_TIME, OF_TIME};
pub(crate) use scalar::Jet;
use scalar::Scalar;

/// Of the size of a body: places nearer than this are equal, whatever rounding does.
const SLACK: f64 = 1e-9;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Function {
    Abs,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Exp,
    Log,
    Tanh,
    Atan2,
    Hypot,
    Min,
    Max,
    Pi,
    /// The second of three where the first holds, else the third.
    If,
}

/// Operations on a stack of numbers; a condition is 1 where it holds.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Number(f64),
    Variable(usize),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Apply(Function),
    /// With the power of length that both sides have, if it is known.
    Compare(Relation, Option<i8>),
    And,
    Or,
    Not,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Relation {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
}

/// A condition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expression {
    steps: Vec<Step>,
    uses_normal: bool,
}

/// What is wrong with an expression, and which bytes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpressionError {
    pub(crate) at: usize,
    pub(crate) width: usize,
    pub(crate) message: String,
}

impl Expression {
    /// Reads a condition.
    pub(crate) fn parse(text: &str) -> Result<Self, ExpressionError> {
        let steps = parser::condition(text)?;
        let uses_normal = steps.iter().any(|s| matches!(s, Step::Variable(3..=5)));
        Ok(Self { steps, uses_normal })
    }

    /// Whether it asks for the normal.
    pub(crate) fn uses_normal(&self) -> bool {
        self.uses_normal
    }

    /// Whether it holds at a place with a normal, of a body of that size. What is no number holds nowhere.
    pub(crate) fn holds(&self, location: Vec3, normal: Vec3, size: f64) -> bool {
        let [x, y, z] = location;
        let [nx, ny, nz] = normal;
        run(&self.steps, &[x, y, z, nx, ny, nz, 0.0], Some(size)) == 1.0
    }
}

/// A number that depends on the position at rest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Formula {
    steps: Vec<Step>,
}

impl Formula {
    /// Reads a formula; returns it with its dimension, which is none where plain numbers leave it open.
    pub(crate) fn parse(text: &str) -> Result<(Self, Option<Dimension>), ExpressionError> {
        let (steps, dimension) = parser::number_of(text)?;
        Ok((Self { steps }, dimension))
    }

    /// Whether it is the same everywhere.
    pub(crate) fn is_constant(&self) -> bool {
        !self.steps.iter().any(|step| matches!(step, Step::Variable(_)))
    }

    /// Its value at a place, SI; NaN or infinite where it has none.
    pub(crate) fn value(&self, location: Vec3) -> f64 {
        let [x, y, z] = location;
        run(&self.steps, &[x, y, z, 0.0, 0.0, 0.0, 0.0], Some(1.0))
    }
}

/// A number that depends on the position at rest and, where it may, on time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    steps: Vec<Step>,
}

impl Field {
    /// The same everywhere and always.
    pub(crate) fn constant(value: f64) -> Self {
        Self { steps: vec![Step::Number(value)] }
    }

    /// Reads a field of that dimension. Where the text has no unit, all of it is SI and no dimension is asked for.
    pub(crate) fn parse(
        text: &str,
        wanted: Dimension,
        names: Names,
    ) -> Result<Self, ExpressionError> {
        let (steps, found) = parser::field(text, names)?;
        // Radians are numbers.
        let bare = |d: Dimension| [d.exponents[0], d.exponents[1], d.exponents[2]];
        match found.filter(|found| bare(*found) != bare(wanted)) {
            None => Ok(Self { steps }),
            Some(found) => {
                let message = format!("this is {found}, but {wanted} is needed here");
                Err(ExpressionError { at: 0, width: text.len().max(1), message })
            }
        }
    }

    /// Its value if it is the same everywhere and always.
    pub(crate) fn uniform(&self) -> Option<f64> {
        let varies = self.steps.iter().any(|step| matches!(step, Step::Variable(_)));
        (!varies).then(|| self.value([0.0; 3], 0.0))
    }

    /// Whether it depends on the position.
    pub(crate) fn varies(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Variable(k) if *k != TIME))
    }

    /// Whether it changes with time.
    pub(crate) fn changes(&self) -> bool {
        self.steps.contains(&Step::Variable(TIME))
    }

    /// Its value at a position at rest and a time, SI; NaN or infinite where it has none. Allocates nothing.
    pub(crate) fn value(&self, at: Vec3, t: f64) -> f64 {
        let [x, y, z] = at;
        run(&self.steps, &[x, y, z, 0.0, 0.0, 0.0, t], None)
    }

    /// The same with its first and second derivative in time, exact but for rounding.
    pub(crate) fn jet(&self, at: Vec3, t: f64) -> Jet {
        let [x, y, z] = at.map(Jet::constant);
        let none = Jet::constant(0.0);
        run(&self.steps, &[x, y, z, none, none, none, Jet::time(t)], None)
    }
}

/// The number of the variable that is time.
const TIME: usize = 6;
/// How many numbers operations may keep at once.
const STACK: usize = 64;

/// How many numbers operations keep at once, at most.
fn depth(steps: &[Step]) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    for step in steps {
        now = match step {
            Step::Number(_) | Step::Variable(_) | Step::Apply(Function::Pi) => now + 1,
            Step::Negate | Step::Not => now,
            Step::Apply(Function::If) => now.saturating_sub(2),
            Step::Apply(function) if function.takes() == 1 => now,
            _ => now.saturating_sub(1),
        };
        most = most.max(now);
    }
    most
}

impl Function {
    /// How many numbers it takes.
    fn takes(self) -> usize {
        match self {
            Self::Pi => 0,
            Self::Atan2 | Self::Hypot | Self::Min | Self::Max => 2,
            Self::If => 3,
            _ => 1,
        }
    }
}

/// What the operations leave, for variables x, y, z, nx, ny, nz and t. Comparisons have the slack of a body of that
/// size, or of their own values if there is none. Allocates nothing.
#[allow(clippy::explicit_counter_loop)] // The top of the stack goes down as well.
fn run<N: Scalar>(steps: &[Step], variables: &[N; 7], size: Option<f64>) -> N {
    let mut stack = [N::constant(f64::NAN); STACK];
    let mut top = 0;
    let truth = |holds: bool| N::constant(f64::from(u8::from(holds)));
    for step in steps {
        // The parser leaves a list that never takes from an empty stack, nor puts more on it than there is room.
        let mut pop = || {
            top -= 1;
            stack[top]
        };
        let value = match *step {
            Step::Number(value) => N::constant(value),
            Step::Variable(k) => variables[k],
            Step::Negate => pop().negate(),
            Step::Not => truth(pop().value() == 0.0),
            Step::Apply(Function::Pi) => N::constant(std::f64::consts::PI),
            Step::Apply(Function::If) => {
                let (no, yes, holds) = (pop(), pop(), pop());
                if holds.value() == 0.0 { no } else { yes }
            }
            Step::Apply(function) if function.takes() == 1 => N::one(function, pop()),
            _ => {
                let (b, a) = (pop(), pop());
                match *step {
                    Step::Add => a.plus(b),
                    Step::Subtract => a.plus(b.negate()),
                    Step::Multiply => a.times(b),
                    Step::Divide => a.over(b),
                    Step::Power => a.power(b),
                    Step::And => truth(a.value() != 0.0 && b.value() != 0.0),
                    Step::Or => truth(a.value() != 0.0 || b.value() != 0.0),
                    Step::Apply(function) => N::two(function, a, b),
                    Step::Compare(relation, power) => {
                        let (a, b) = (a.value(), b.value());
                        let scale = match (power, size) {
                            (Some(power), Some(size)) => size.powi(i32::from(power)),
                            _ => a.abs().max(b.abs()),
                        };
                        truth(relation.holds(a - b, SLACK * scale))
                    }
                    _ => N::constant(f64::NAN),
                }
            }
        };
        stack[top] = value;
        top += 1;
    }
    stack[0]
}

impl Relation {
    /// Of a difference, where less than `slack` is nothing.
    fn holds(self, difference: f64, slack: f64) -> bool {
        match self {
            Self::Less => difference < -slack,
            Self::LessEqual => difference <= slack,
            Self::Greater => difference > slack,
            Self::GreaterEqual => difference >= -slack,
            Self::Equal => difference.abs() <= slack,
            Self::Unequal => difference.abs() > slack,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, location: Vec3) -> bool {
        let expression = Expression::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        expression.holds(location, [0.0, 1.0, 0.0], 1.0)
    }

    #[test]
    fn arithmetic_and_logic_bind_as_usual() {
        let at = [0.5, -0.25, 2.0];
        for truth in [
            "x < 0.6 && abs(y) > 2 cm",
            "1 + 2 * 3 ^ 2 == 19",
            "-2 ^ 2 == -4",
            "2 ^ -1 == 0.5",
            "2 ^ 3 ^ 2 == 512",
            "8 / 4 / 2 == 1 && 8 - 4 - 2 == 2",
            "x < 0 || y < 0 && z > 0",
            "!(x < 0) && !(z < 1)",
            "hypot(x, y) < 56 cm && sqrt(x*x + y*y) > 55.9 cm",
            "x^2 + y^2 < 0.32 m^2 && x*y > -2000 cm²",
            "min(x, z) == x && max(x, z) == z",
            "sin(pi / 2) == 1 && cos(180 deg) == -1 && abs(tan(45 deg) - 1) < 1e-6",
            "atan2(y, x) < 0 && sin(20 * x) < 0",
            "ny > 0.9 && nx == 0 && nz != 1",
            "z >= 2 && z <= 2.0000000001 && !(z < 2) && !(z > 2)",
            "((((x))) == 50 cm)",
        ] {
            assert!(holds(truth, at), "{truth}");
            assert!(!holds(&format!("!({truth})"), at), "{truth}");
        }
        assert!(!holds("sqrt(y / 1 m) > 0 || sqrt(y / 1 m) <= 0", at), "no number holds nowhere");
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        for (text, part, word) in [
            ("x < 5 kg", "<", "a length and a mass"),
            ("x < 0.1 && radius > 2", "radius", "there are x, y, z"),
            ("x < 0.1 cmm", "0.1 cmm", "unknown unit"),
            ("0 < x < 1", "< 1", "do not chain"),
            ("x = 1", "=", "'=='"),
            ("x + 1", "x + 1", "a condition is needed"),
            ("(x < 1", "", "')' is needed"),
            ("x < 1)", ")", "not expected"),
            ("x < ", "", "ends too early"),
            ("x < 1 && y", "&&", "joins conditions"),
            ("!x", "!", "needs a condition"),
            ("(x < 1) + 2 > 1", "+", "needs numbers"),
            ("x ^ 0.5 < 1", "^", "whole number"),
            ("sqrt(x) < 1", "sqrt", "the root of a length"),
            ("sin(x) < 1", "sin", "an angle"),
            ("min(x) < 1", ")", "second value"),
            ("abs x < 1", "x", "follows 'abs'"),
            ("x < $3", "$", "no meaning"),
            ("1.2.3 < x", ".3", "not expected"),
            ("", "", "ends too early"),
            ("x^100 * x^100 < 1", "*", "beyond all measure"),
        ] {
            let error = Expression::parse(text).unwrap_err();
            let rest = text.get(error.at..).unwrap();
            assert!(rest.starts_with(part) && error.width >= 1, "{text}: {error:?}");
            assert!(error.message.contains(word), "{text}: {error:?}");
        }
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let deep = format!("{}x{} < 1", "(".repeat(5000), ")".repeat(4000));
        for text in
            [deep, "-".repeat(9000), "!".repeat(9000), "2^".repeat(4000), "abs(".repeat(2000)]
        {
            let error = Expression::parse(&text).unwrap_err();
            assert!(error.message.contains("nested deeper"), "{error:?}");
        }
        assert!(Expression::parse(&"x".repeat(20_000)).unwrap_err().message.contains("bytes"));
        // Long is not deep.
        assert!(holds(&format!("x{} < 5000", " + x".repeat(2000)), [1.0; 3]));
    }

    /// Scrambled pieces of expressions: an answer or an error inside of the text, never a panic.
    #[test]
    fn no_text_is_too_strange() {
        let pieces = [
            "x", "ny", "1", "2.5e", "3 cm", "°", "µm", "²", "<", "<=", "==", "!", "&&", "||", "(",
            ")", "+", "-", "*", "/", "^", ",", "abs(", "hypot(", "sqrt(", " ", "1e308", "\"", "é",
            ".", "=", "\0", "m^99", "^-1",
        ];
        let mut state = 1_u64;
        let mut next = |count: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % count
        };
        let mut good = 0;
        for _ in 0..100_000 {
            let text: String = (0..=next(12)).map(|_| pieces[next(pieces.len())]).collect();
            match Expression::parse(&text) {
                Ok(expression) => {
                    expression.holds([1.0, -2.0, 0.0], [0.0; 3], 1.0);
                    good += 1;
                }
                Err(error) => {
                    assert!(text.is_char_boundary(error.at), "{text:?}: {error:?}");
                    assert!(text.is_char_boundary((error.at + error.width).min(text.len())));
                }
            }
        }
        assert!(good > 10, "{good}");
    }
}
