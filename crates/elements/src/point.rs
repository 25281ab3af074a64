//! [`Point`]: the shape functions of an element at one point of its reference cell.

/// A quadrature point of an element of dimension D with N nodes.
#[derive(Clone, Copy, Debug)]
pub struct Point<const D: usize, const N: usize> {
    /// Coordinates ξ in the reference cell.
    pub at: [f64; D],
    /// Its weight; all weights of a rule add up to the measure of the reference cell.
    pub weight: f64,
    /// Shape functions N_a there.
    pub values: [f64; N],
    /// Reference gradients ∂N_a/∂ξ there.
    pub gradients: [[f64; D]; N],
}
