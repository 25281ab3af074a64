//! [`Element`]: the seam between elements and what is integrated over them.
//!
//! An element of dimension D lies in space: segments (D = 1) and triangles (D = 2) are as much at home in three
//! dimensions as tetrahedra and hexahedra (D = 3). Its map X(ξ) has a 3 × D Jacobian, and its measure is length, area
//! or volume; a cross-section or a thickness is a factor of whoever integrates.

use std::fmt::Debug;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;
use pliant_algebra::vec3::{cross, is_finite, norm, norm_squared, scale};

use crate::Point;
use crate::quadrature::Rule;

/// An element of dimension D with N nodes, in VTK's order. Isoparametric: X(ξ) = Σ_a X_a N_a(ξ).
pub trait Element<const D: usize, const N: usize>:
    Copy + Debug + Default + Send + Sync + 'static
{
    /// Its name on the command line.
    const NAME: &'static str;
    /// The rule for energy, force and stiffness: exact for the stiffness of a linear material on an
    /// affine element.
    const POINTS: &'static [Point<D, N>];
    /// Whether the nodes may be renumbered at will without changing the element.
    const ANY_ORDER: bool;
    /// Whether the deformation gradient takes its volume change from the mean over the element:
    /// F̄ = (J̄/J)^⅓ F with J̄ = ∫J dX / ∫dX, which does not lock where the volume is kept
    /// (T. Hughes, Int. J. Numer. Methods Eng. 15, 1980; finite strain: de Souza Neto et al., 1996).
    const MEAN_DILATATION: bool = false;

    /// Points of the reference cell, beyond those of the rule, at which the Jacobian of an element that is not affine must
    /// be positive too: the nodes of quadratic elements, whose edges may be curved so far that they fold.
    const CURVED_CHECKS: &'static [[f64; D]] = &[];

    /// N_a(ξ)
    fn values(xi: [f64; D]) -> [f64; N];
    /// ∂N_a/∂ξ
    fn gradients(xi: [f64; D]) -> [[f64; D]; N];
    /// A rule that is exact for N_a N_b times the measure of ∂X/∂ξ (on flat elements, if D < 3).
    fn mass_rule() -> Rule<D>;
    /// Returns true if the map from the reference cell is affine, to round-off.
    fn is_affine(x: &[[f64; 3]; N]) -> bool;
    /// Whether lumping takes the scaled diagonal of the consistent mass rather than the sum of its
    /// rows, which may be negative.
    const LUMP_BY_DIAGONAL: bool;

    /// Length (m), area (m²) or volume (m³; negative if inverted): exact for affine elements.
    fn measure(x: &[[f64; 3]; N]) -> f64 {
        Self::POINTS.iter().map(|p| p.weight * measure(&Self::jacobian(p, x))).sum()
    }

    /// ∂x/∂ξ = Σ_a x_a ⊗ ∂N_a/∂ξ: entry (i, j) is ∂x_i/∂ξ_j.
    #[inline(always)]
    fn jacobian<R: Real>(point: &Point<D, N>, x: &[[R; 3]; N]) -> [[R; D]; 3] {
        let mut m = [[R::zero(); D]; 3];
        for a in 0..N {
            for i in 0..3 {
                for j in 0..D {
                    m[i][j] += x[a][i] * point.gradients[a][j];
                }
            }
        }
        m
    }

    /// Adds T ∂N_a/∂ξ to each f_a: the transpose of [`Element::jacobian`].
    #[inline(always)]
    fn spread<R: Real>(point: &Point<D, N>, t: &[[R; D]; 3], f: &mut [[R; 3]; N]) {
        for a in 0..N {
            let g = point.gradients[a];
            for i in 0..3 {
                let mut sum = t[i][0] * g[0];
                for j in 1..D {
                    sum += t[i][j] * g[j];
                }
                f[a][i] += sum;
            }
        }
    }

    /// ∇N_a in space, from the D × 3 inverse of ∂X/∂ξ: Σ_k inverse_k ∂N_a/∂ξ_k. For D < 3 the inverse is the one
    /// whose rows lie in the element ([`pseudo_inverse`]), and so do the gradients.
    #[inline(always)]
    fn physical_gradients<R: Real>(point: &Point<D, N>, inverse: &[[R; 3]; D]) -> [[R; 3]; N] {
        let mut out = [[R::zero(); 3]; N];
        for a in 0..N {
            let g = point.gradients[a];
            for j in 0..3 {
                let mut sum = inverse[0][j] * g[0];
                for k in 1..D {
                    sum += inverse[k][j] * g[k];
                }
                out[a][j] = sum;
            }
        }
        out
    }
}

/// Whether every node is the first plus its parts of the edges that lead from there to the nodes `along`: those of
/// elements on [−1, 1]ᴰ whose first node is the corner of −1.
pub(crate) fn spanned<const D: usize, const N: usize>(
    x: &[[f64; 3]; N],
    nodes: &[[f64; D]; N],
    along: [usize; D],
) -> bool {
    let mut size: f64 = 0.0;
    let mut off: f64 = 0.0;
    for k in 0..3 {
        let first = x[0][k];
        let edges = along.map(|node| x[node][k] - first);
        size = edges.iter().fold(size, |size, edge| size.max(edge.abs()));
        for (x, node) in x.iter().zip(nodes) {
            let parts = edges.iter().zip(node).map(|(edge, s)| 0.5 * (1.0 + s) * edge);
            off = off.max((x[k] - parts.fold(first, |at, part| at + part)).abs());
        }
    }
    off <= 1e-13 * size
}

/// Measure of a 3 × D Jacobian: length of its column, area between its two columns, or determinant.
pub fn measure<const D: usize>(jacobian: &[[f64; D]; 3]) -> f64 {
    let column = |j: usize| [jacobian[0][j], jacobian[1][j], jacobian[2][j]];
    match D {
        1 => norm(column(0)),
        2 => norm(cross(column(0), column(1))),
        _ => Mat3(std::array::from_fn(|i| std::array::from_fn(|j| jacobian[i][j]))).determinant(),
    }
}

/// The D × 3 inverse of a 3 × D Jacobian, (JᵀJ)⁻¹Jᵀ: its rows lie in the element, and its product with J is 1. `None`
/// where the element has no measure.
pub fn pseudo_inverse<const D: usize>(jacobian: &[[f64; D]; 3]) -> Option<[[f64; 3]; D]> {
    let column = |j: usize| [jacobian[0][j], jacobian[1][j], jacobian[2][j]];
    let mut rows = [[0.0; 3]; D];
    match D {
        1 => rows[0] = scale(column(0), 1.0 / norm_squared(column(0))),
        2 => {
            // The dual basis: rows across the other column, in the plane of both.
            let (a, b) = (column(0), column(1));
            let normal = cross(a, b);
            let size = norm_squared(normal);
            rows[0] = scale(cross(b, normal), 1.0 / size);
            rows[1] = scale(cross(normal, a), 1.0 / size);
        }
        _ => {
            let whole = Mat3(std::array::from_fn(|i| std::array::from_fn(|j| jacobian[i][j])));
            for (row, inverse) in rows.iter_mut().zip(whole.inverse().0) {
                *row = inverse;
            }
        }
    }
    rows.iter().all(|&row| is_finite(row)).then_some(rows)
}
