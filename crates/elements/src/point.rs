//! [`Point`]: what an element's shape functions are at one place of its reference cell.

/// A quadrature point of an element with N nodes.
#[derive(Clone, Copy, Debug)]
pub struct Point<const N: usize> {
    /// Where it lies in the reference cell.
    pub at: [f64; 3],
    /// Its weight; all weights of a rule add up to the volume of the reference cell.
    pub weight: f64,
    /// Shape functions N_a there.
    pub values: [f64; N],
    /// Reference gradients ∂N_a/∂ξ there.
    pub gradients: [[f64; 3]; N],
}
