//! [`Element`]: the seam between elements and what is integrated over them.

use std::fmt::Debug;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::Point;
use crate::quadrature::Rule;

/// A volume element with N nodes, in VTK's order. Isoparametric: X(ξ) = Σ_a X_a N_a(ξ).
pub trait Element<const N: usize>: Copy + Debug + Default + Send + Sync + 'static {
    /// Its name on the command line.
    const NAME: &'static str;
    /// The rule for energy, force and stiffness: exact for the stiffness of a linear material on an
    /// affine element.
    const POINTS: &'static [Point<N>];
    /// Whether the nodes may be renumbered at will without changing the element.
    const ANY_ORDER: bool;
    /// Whether the deformation gradient takes its volume change from the mean over the element:
    /// F̄ = (J̄/J)^⅓ F with J̄ = ∫J dX / ∫dX, which does not lock where the volume is kept
    /// (T. Hughes, Int. J. Numer. Methods Eng. 15, 1980; finite strain: de Souza Neto et al., 1996).
    const MEAN_DILATATION: bool = false;

    /// N_a(ξ)
    fn values(xi: [f64; 3]) -> [f64; N];
    /// ∂N_a/∂ξ
    fn gradients(xi: [f64; 3]) -> [[f64; 3]; N];
    /// A rule that is exact for N_a N_b det ∂X/∂ξ.
    fn mass_rule() -> Rule;
    /// Whether the map from the reference cell is affine, to round-off.
    fn is_affine(x: &[[f64; 3]; N]) -> bool;
    /// Whether lumping takes the scaled diagonal of the consistent mass rather than the sum of its
    /// rows, which may be negative.
    const LUMP_BY_DIAGONAL: bool;

    /// ∂x/∂ξ = Σ_a x_a ⊗ ∂N_a/∂ξ: entry (i, j) is ∂x_i/∂ξ_j.
    #[inline(always)]
    fn jacobian<R: Real>(point: &Point<N>, x: &[[R; 3]; N]) -> Mat3<R> {
        let mut m = Mat3::zero();
        for a in 0..N {
            for i in 0..3 {
                for j in 0..3 {
                    m.0[i][j] += x[a][i] * point.gradients[a][j];
                }
            }
        }
        m
    }

    /// Adds T ∂N_a/∂ξ to each f_a: the transpose of [`Element::jacobian`].
    #[inline(always)]
    fn spread<R: Real>(point: &Point<N>, t: &Mat3<R>, f: &mut [[R; 3]; N]) {
        for a in 0..N {
            for i in 0..3 {
                let [gx, gy, gz] = point.gradients[a];
                f[a][i] += t.0[i][0] * gx + t.0[i][1] * gy + t.0[i][2] * gz;
            }
        }
    }

    /// ∇N_a = (∂X/∂ξ)⁻ᵀ ∂N_a/∂ξ, from the inverse of ∂X/∂ξ.
    #[inline(always)]
    fn physical_gradients<R: Real>(point: &Point<N>, inverse: &Mat3<R>) -> [[R; 3]; N] {
        let mut g = [[R::zero(); 3]; N];
        for a in 0..N {
            let [gx, gy, gz] = point.gradients[a];
            for j in 0..3 {
                g[a][j] = inverse.0[0][j] * gx + inverse.0[1][j] * gy + inverse.0[2][j] * gz;
            }
        }
        g
    }
}
