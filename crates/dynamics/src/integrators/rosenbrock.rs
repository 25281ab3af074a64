//! Rosenbrock methods from their tables.

use crate::linearly_implicit::{LinearlyImplicitScheme, Stage};

/// A method, in the variables u = Γ k of Hairer and Wanner: a = α Γ⁻¹, c = diag(1/γ) − Γ⁻¹, m = b Γ⁻¹.
#[derive(Debug, Clone, Copy)]
pub struct RosenbrockTable {
    /// The name users know it by.
    pub name: &'static str,
    /// Its order with the exact Jacobian.
    pub order: usize,
    /// Its order with any matrix in place of the Jacobian.
    pub order_with_any_jacobian: usize,
    /// γ
    pub gamma: f64,
    /// α, Σ γᵢⱼ, a and c.
    pub stages: &'static [Stage],
    /// m
    pub weights: &'static [f64],
    /// m less that of the embedded method.
    pub error: &'static [f64],
    /// The order of the embedded method.
    pub error_order: usize,
}

impl LinearlyImplicitScheme for &'static RosenbrockTable {
    fn name(&self) -> &'static str {
        self.name
    }

    fn order(&self) -> usize {
        self.order
    }

    fn order_with_any_jacobian(&self) -> usize {
        self.order_with_any_jacobian
    }

    fn gamma(&self) -> f64 {
        self.gamma
    }

    fn stages(&self) -> &[Stage] {
        self.stages
    }

    fn weights(&self) -> &[f64] {
        self.weights
    }

    fn error(&self) -> (&[f64], usize) {
        (self.error, self.error_order)
    }
}
