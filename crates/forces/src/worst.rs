//! [`Worst`]: an element that is, or soon will be, in trouble, and how it is found.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::svd3::svd3;
use pliant_algebra::vec3::Vec3;

/// An element that is, or soon will be, in trouble.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// Its number as the user counts.
    pub element: usize,
    /// J = det F, the smallest of its points.
    pub jacobian: f64,
    /// The singular values of F there, largest first; the last one has the sign of J.
    pub stretches: [f64; 3],
}

/// The first element that is inverted or not finite, of those seen so far; else the one with the smallest J.
#[derive(Debug, Default)]
pub(crate) struct Search(Option<(usize, f64, Mat3<f64>)>);

impl Search {
    /// F at a point of an element.
    pub(crate) fn see(&mut self, cell: usize, gradient: Mat3<f64>) {
        let inverted = |j: f64| j.is_nan() || j <= 0.0;
        let j = gradient.determinant();
        let replaces =
            self.0.as_ref().is_none_or(|&(other, least, _)| match (inverted(j), inverted(least)) {
                (true, true) => cell < other || (cell == other && j < least),
                (false, false) => j < least,
                (bad, _) => bad,
            });
        if replaces {
            self.0 = Some((cell, j, gradient));
        }
    }

    /// What was found.
    pub(crate) fn end(self) -> Option<Worst> {
        let (element, jacobian, gradient) = self.0?;
        Some(Worst { element, jacobian, stretches: svd3(&gradient).sigma })
    }
}

/// F = Σ x_a ∇N_aᵀ
pub(crate) fn deformation_gradient<const N: usize>(x: &[Vec3; N], shape: &[Vec3; N]) -> Mat3<f64> {
    let entry = |i: usize, j: usize| (0..N).map(|a| x[a][i] * shape[a][j]).sum();
    Mat3(std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))))
}
