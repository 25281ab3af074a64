//! [`Scalar`]: what operations compute in: numbers, or numbers with two derivatives in time.

use super::Function;

/// A number that operations of an expression work on.
pub(super) trait Scalar: Copy {
    /// A constant.
    fn constant(value: f64) -> Self;
    /// Its value.
    fn value(self) -> f64;
    /// −a
    fn negate(self) -> Self;
    /// a + b
    fn plus(self, b: Self) -> Self;
    /// a b
    fn times(self, b: Self) -> Self;
    /// a / b
    fn over(self, b: Self) -> Self;
    /// a to the power of b
    fn power(self, b: Self) -> Self;
    /// A function of one number.
    fn one(function: Function, a: Self) -> Self;
    /// A function of two numbers.
    fn two(function: Function, a: Self, b: Self) -> Self;
}

impl Scalar for f64 {
    fn constant(value: f64) -> Self {
        value
    }

    fn value(self) -> f64 {
        self
    }

    fn negate(self) -> Self {
        -self
    }

    fn plus(self, b: Self) -> Self {
        self + b
    }

    fn times(self, b: Self) -> Self {
        self * b
    }

    fn over(self, b: Self) -> Self {
        self / b
    }

    fn power(self, b: Self) -> Self {
        self.powf(b)
    }

    fn one(function: Function, a: Self) -> Self {
        match function {
            Function::Abs => a.abs(),
            Function::Sqrt => a.sqrt(),
            Function::Sin => a.sin(),
            Function::Cos => a.cos(),
            Function::Tan => a.tan(),
            Function::Exp => a.exp(),
            Function::Log => a.ln(),
            Function::Tanh => a.tanh(),
            _ => f64::NAN,
        }
    }

    fn two(function: Function, a: Self, b: Self) -> Self {
        match function {
            Function::Hypot => a.hypot(b),
            Function::Atan2 => a.atan2(b),
            Function::Min => a.min(b),
            Function::Max => a.max(b),
            _ => f64::NAN,
        }
    }
}

/// A function of time at one time: f, f′ and f″.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Jet {
    /// f
    pub(crate) value: f64,
    /// f′
    pub(crate) rate: f64,
    /// f″
    pub(crate) curvature: f64,
}

impl Jet {
    /// Time itself.
    pub(super) fn time(t: f64) -> Self {
        Self { value: t, rate: 1.0, curvature: 0.0 }
    }

    fn is_constant(self) -> bool {
        self.rate == 0.0 && self.curvature == 0.0
    }

    /// g(f) from g, g′ and g″ at f: (g f)″ = g″ f′² + g′ f″.
    fn chain(self, g: [f64; 3]) -> Self {
        if self.is_constant() {
            // g′ may be infinite where nothing changes.
            return Self::constant(g[0]);
        }
        let curvature = g[2] * self.rate * self.rate + g[1] * self.curvature;
        Self { value: g[0], rate: g[1] * self.rate, curvature }
    }
}

impl Scalar for Jet {
    fn constant(value: f64) -> Self {
        Self { value, rate: 0.0, curvature: 0.0 }
    }

    fn value(self) -> f64 {
        self.value
    }

    fn negate(self) -> Self {
        Self { value: -self.value, rate: -self.rate, curvature: -self.curvature }
    }

    fn plus(self, b: Self) -> Self {
        Self {
            value: self.value + b.value,
            rate: self.rate + b.rate,
            curvature: self.curvature + b.curvature,
        }
    }

    fn times(self, b: Self) -> Self {
        let a = self;
        Self {
            value: a.value * b.value,
            rate: a.rate * b.value + a.value * b.rate,
            curvature: a.curvature * b.value + 2.0 * a.rate * b.rate + a.value * b.curvature,
        }
    }

    fn over(self, b: Self) -> Self {
        let i = 1.0 / b.value;
        let inverse = b.chain([i, -i * i, 2.0 * i * i * i]);
        // The value as it is without derivatives, to the last bit.
        Self { value: self.value / b.value, ..self.times(inverse) }
    }

    fn power(self, b: Self) -> Self {
        let a = self.value;
        let value = a.powf(b.value);
        if b.is_constant() {
            let n = b.value;
            // Without the terms whose factor is zero, as their powers may be infinite.
            let first = if n == 0.0 { 0.0 } else { n * a.powf(n - 1.0) };
            let second = if n == 0.0 || n == 1.0 { 0.0 } else { n * (n - 1.0) * a.powf(n - 2.0) };
            return self.chain([value, first, second]);
        }
        let exponent = b.times(Self::one(Function::Log, self));
        Self { value, ..exponent.chain([value; 3]) }
    }

    fn one(function: Function, a: Self) -> Self {
        let f = f64::one(function, a.value);
        let x = a.value;
        a.chain(match function {
            Function::Abs => [f, x.signum(), 0.0],
            Function::Sqrt => [f, 0.5 / f, -0.25 / (f * x)],
            Function::Sin => [f, x.cos(), -f],
            Function::Cos => [f, -x.sin(), -f],
            Function::Tan => [f, 1.0 + f * f, 2.0 * f * (1.0 + f * f)],
            Function::Exp => [f; 3],
            Function::Log => [f, 1.0 / x, -1.0 / (x * x)],
            Function::Tanh => [f, 1.0 - f * f, -2.0 * f * (1.0 - f * f)],
            _ => [f64::NAN; 3],
        })
    }

    fn two(function: Function, a: Self, b: Self) -> Self {
        let value = f64::two(function, a.value, b.value);
        if a.is_constant() && b.is_constant() {
            return Self::constant(value);
        }
        match function {
            Function::Min => {
                if b.value < a.value {
                    b
                } else {
                    a
                }
            }
            Function::Max => {
                if b.value > a.value {
                    b
                } else {
                    a
                }
            }
            Function::Hypot => {
                let rate = (a.value * a.rate + b.value * b.rate) / value;
                let inner = a.rate * a.rate
                    + a.value * a.curvature
                    + b.rate * b.rate
                    + b.value * b.curvature;
                Self { value, rate, curvature: (inner - rate * rate) / value }
            }
            Function::Atan2 => {
                // (y, x) = (a, b): θ′ = (x y′ − y x′)/(x² + y²).
                let n = b.value * a.rate - a.value * b.rate;
                let d = a.value * a.value + b.value * b.value;
                let dn = b.value * a.curvature - a.value * b.curvature;
                let dd = 2.0 * (a.value * a.rate + b.value * b.rate);
                Self { value, rate: n / d, curvature: (dn * d - n * dd) / (d * d) }
            }
            _ => Self::constant(f64::NAN),
        }
    }
}
