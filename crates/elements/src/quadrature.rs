//! Quadrature rules of any degree on the reference cells.

/// Points of a reference cell of dimension D, with weights.
pub type Rule<const D: usize> = Vec<([f64; D], f64)>;

/// The Gauss-Legendre rule of `n` points on [−1, 1], exact for degree 2n − 1: roots of P_n by
/// Newton's method from Tricomi's estimate.
pub fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    let mut rule = Vec::with_capacity(n);
    for i in 0..n {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..8 {
            // P_k by its three-term recurrence, and P_n' from P_n and P_{n−1}.
            let (mut p, mut before) = (1.0, 0.0);
            for k in 0..n {
                let k = k as f64;
                (p, before) = (((2.0 * k + 1.0) * x * p - k * before) / (k + 1.0), p);
            }
            slope = n as f64 * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        rule.push((x, 2.0 / ((1.0 - x * x) * slope * slope)));
    }
    rule
}

/// The product rule of n³ points on [−1, 1]³.
pub fn cube_rule(n: usize) -> Rule<3> {
    let line = gauss_legendre(n);
    let mut rule = Vec::with_capacity(n * n * n);
    for &(x, u) in &line {
        for &(y, v) in &line {
            for &(z, w) in &line {
                rule.push(([x, y, z], u * v * w));
            }
        }
    }
    rule
}

/// The product rule of n² points on [−1, 1]².
pub fn square_rule(n: usize) -> Rule<2> {
    let line = gauss_legendre(n);
    let along =
        |&(x, u): &(f64, f64)| line.iter().map(move |&(y, v)| ([x, y], u * v)).collect::<Vec<_>>();
    line.iter().flat_map(along).collect()
}

/// A rule on [0, 1] that is exact for polynomials of the given degree.
pub fn line_rule(degree: usize) -> Rule<1> {
    unit_interval(degree).map(|(x, w)| ([x], w)).collect()
}

fn unit_interval(degree: usize) -> impl Iterator<Item = (f64, f64)> {
    gauss_legendre(degree / 2 + 1).into_iter().map(|(x, w)| (0.5 * (1.0 + x), 0.5 * w))
}

/// A rule on the triangle 0 ≤ ξ, η, ξ + η ≤ 1 that is exact for polynomials of the given degree: Gauss points of
/// the square, which the map (a, b) → (a, b(1−a)) collapses.
pub fn triangle_rule(degree: usize) -> Rule<2> {
    let mut rule = Vec::new();
    // The map's determinant 1−a adds to the degree along a.
    for (a, u) in unit_interval(degree + 1) {
        for (b, v) in unit_interval(degree) {
            rule.push(([a, b * (1.0 - a)], u * v * (1.0 - a)));
        }
    }
    rule
}

/// A rule on the tetrahedron 0 ≤ ξ, η, ζ, ξ + η + ζ ≤ 1 that is exact for polynomials of the given
/// degree: Gauss points of the cube, which the map (a, b, c) → (a, b(1−a), c(1−a)(1−b)) collapses.
pub fn tetrahedron_rule(degree: usize) -> Rule<3> {
    // The map's determinant (1−a)²(1−b) adds to the degree along a and b.
    let line = unit_interval;
    let mut rule = Vec::new();
    for (a, u) in line(degree + 2) {
        for (b, v) in line(degree + 1) {
            for (c, w) in line(degree) {
                let (p, q) = (1.0 - a, 1.0 - b);
                rule.push(([a, b * p, c * p * q], u * v * w * p * p * q));
            }
        }
    }
    rule
}
