//! [`Complex`]: numbers with a real and an imaginary part, as far as moduli over frequency need them.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// re + i im
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Complex {
    /// Real part; of a modulus: the storage modulus.
    pub re: f64,
    /// Imaginary part; of a modulus: the loss modulus.
    pub im: f64,
}

impl Complex {
    /// re + i im
    pub const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    /// A real number.
    pub const fn real(re: f64) -> Self {
        Self { re, im: 0.0 }
    }

    /// r e^(iφ)
    pub fn polar(r: f64, phi: f64) -> Self {
        Self { re: r * phi.cos(), im: r * phi.sin() }
    }

    /// Its absolute value.
    pub fn size(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Its angle, −π to π.
    pub fn angle(self) -> f64 {
        self.im.atan2(self.re)
    }

    /// Multiplied by a real number.
    #[must_use]
    pub fn scale(self, s: f64) -> Self {
        Self { re: s * self.re, im: s * self.im }
    }

    /// The root in the right half plane.
    #[must_use]
    pub fn sqrt(self) -> Self {
        Self::polar(self.size().sqrt(), 0.5 * self.angle())
    }

    /// e to the power of it.
    #[must_use]
    pub fn exp(self) -> Self {
        Self::polar(self.re.exp(), self.im)
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { re: self.re + o.re, im: self.im + o.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { re: self.re - o.re, im: self.im - o.im }
    }
}

impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}

impl Div for Complex {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        // Divided by the size first, so that neither squares nor products overflow.
        let size = o.size();
        let unit = Self::new(o.re / size, -o.im / size);
        (self * unit).scale(1.0 / size)
    }
}
