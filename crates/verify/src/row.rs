//! [`Row`]: one number that was expected, and what came out.

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What is compared.
    pub quantity: String,
    /// What it ought to be.
    pub expected: f64,
    /// What came out.
    pub got: f64,
    /// How far that is off: relative, or absolute where zero is expected or the quantity says so.
    pub error: f64,
    /// The largest error that passes.
    pub tolerance: f64,
    /// Whether it passes.
    pub pass: bool,
    /// The mesh, or what else it was computed with.
    pub mesh: String,
}

impl Row {
    /// With its error, which passes up to the tolerance; one that is not a number does not.
    pub fn new(
        quantity: impl Into<String>,
        mesh: impl Into<String>,
        [expected, got]: [f64; 2],
        error: f64,
        tolerance: f64,
    ) -> Self {
        let (quantity, mesh) = (quantity.into(), mesh.into());
        Self { quantity, expected, got, error, tolerance, pass: error <= tolerance, mesh }
    }

    /// |got / expected − 1| up to the tolerance.
    pub fn relative(
        quantity: impl Into<String>,
        mesh: impl Into<String>,
        expected: f64,
        got: f64,
        tolerance: f64,
    ) -> Self {
        Self::new(quantity, mesh, [expected, got], (got / expected - 1.0).abs(), tolerance)
    }

    /// |got − expected| up to the tolerance.
    pub fn absolute(
        quantity: impl Into<String>,
        mesh: impl Into<String>,
        expected: f64,
        got: f64,
        tolerance: f64,
    ) -> Self {
        Self::new(quantity, mesh, [expected, got], (got - expected).abs(), tolerance)
    }

    /// |got| up to the tolerance.
    pub fn zero(
        quantity: impl Into<String>,
        mesh: impl Into<String>,
        got: f64,
        tolerance: f64,
    ) -> Self {
        Self::absolute(quantity, mesh, 0.0, got, tolerance)
    }

    /// Whether something is so: 1 is expected.
    pub fn holds(quantity: impl Into<String>, mesh: impl Into<String>, so: bool) -> Self {
        Self::absolute(quantity, mesh, 1.0, f64::from(u8::from(so)), 0.0)
    }

    /// Values on three meshes, each twice as fine, must change less and less: the second change over the
    /// first, which is 2⁻ᵖ where the order is p and known.
    pub fn converges(
        quantity: impl Into<String>,
        mesh: impl Into<String>,
        order: Option<f64>,
        [a, b, c]: [f64; 3],
    ) -> Self {
        // Values that are the same to rounding have converged.
        let same = (c - b).abs() <= 1e-10 * c.abs();
        let ratio = if same { 0.0 } else { ((c - b) / (b - a)).abs() };
        let quantity = format!("{}: change from mesh to mesh", quantity.into());
        let expected = order.map_or(0.0, |p| 0.5_f64.powf(p));
        // Within half an order of the one that is known.
        let most = order.map_or(1.0, |p| 0.5_f64.powf(p - 0.5));
        let mut row = Self::new(quantity, mesh, [expected, ratio], ratio, most);
        row.pass = ratio < most;
        row
    }

    /// The order of convergence from the errors on a mesh and on one twice as fine, which may be higher but
    /// not lower than expected by more than the tolerance.
    pub fn order(
        quantity: impl Into<String>,
        mesh: impl Into<String>,
        expected: f64,
        [coarse, fine]: [f64; 2],
        tolerance: f64,
    ) -> Self {
        let got = (coarse / fine).log2();
        Self::new(quantity, mesh, [expected, got], (expected - got).max(0.0), tolerance)
    }
}
