//! Complex numbers, as far as roots of polynomials need them.

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Complex(pub f64, pub f64);

impl Complex {
    pub fn size(self) -> f64 {
        self.0.hypot(self.1)
    }
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0, self.1 + o.1)
    }
    fn sub(self, o: Self) -> Self {
        Self(self.0 - o.0, self.1 - o.1)
    }
    fn mul(self, o: Self) -> Self {
        Self(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
    }
    fn div(self, o: Self) -> Self {
        let n = o.0 * o.0 + o.1 * o.1;
        let Self(a, b) = self.mul(Self(o.0, -o.1));
        Self(a / n, b / n)
    }
}

/// The size of the largest root of a polynomial, lowest coefficient first (Durand and Kerner).
pub fn largest_root(p: &[Complex]) -> f64 {
    let lead = p[p.len() - 1];
    let p: Vec<Complex> = p.iter().map(|c| c.div(lead)).collect();
    let n = p.len() - 1;
    let mut roots: Vec<Complex> = vec![Complex(1.0, 0.0)];
    while roots.len() < n {
        roots.push(roots[roots.len() - 1].mul(Complex(0.4, 0.9)));
    }
    for _ in 0..500 {
        for i in 0..n {
            let z = roots[i];
            let value = p.iter().rev().fold(Complex(0.0, 0.0), |s, c| s.mul(z).add(*c));
            let others = (0..n).filter(|&j| j != i);
            let product = others.fold(Complex(1.0, 0.0), |s, j| s.mul(z.sub(roots[j])));
            if product != Complex(0.0, 0.0) {
                roots[i] = z.sub(value.div(product));
            }
        }
    }
    roots.iter().fold(0.0, |m, z| m.max(z.size()))
}
