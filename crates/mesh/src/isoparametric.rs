//! The maps of quadratic cells, X(ξ) = Σ N_a(ξ) X_a: points, Jacobians, and integrals of curved cells.

use pliant_algebra::vec3::{Vec3, add_scaled, norm, scale, sub, triple};

use crate::cell::{CellType, HEX_CORNERS, HEX_EDGES, TET_EDGES};

/// Shape functions of a cell of N nodes at one point of its reference cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape<const N: usize> {
    pub(crate) values: [f64; N],
    /// ∂N/∂ξ
    pub(crate) gradients: [Vec3; N],
}

impl<const N: usize> Shape<N> {
    /// Where the point is.
    pub(crate) fn point(&self, nodes: &[Vec3; N]) -> Vec3 {
        nodes.iter().zip(self.values).fold([0.0; 3], |x, (p, n)| add_scaled(x, *p, n))
    }

    /// The columns ∂X/∂ξ.
    pub(crate) fn columns(&self, nodes: &[Vec3; N]) -> [Vec3; 3] {
        let mut columns = [[0.0; 3]; 3];
        for (x, g) in nodes.iter().zip(self.gradients) {
            for (column, g) in columns.iter_mut().zip(g) {
                *column = add_scaled(*column, *x, g);
            }
        }
        columns
    }

    /// det ∂X/∂ξ
    pub(crate) fn jacobian(&self, nodes: &[Vec3; N]) -> f64 {
        let [a, b, c] = self.columns(nodes);
        triple(a, b, c)
    }
}

/// A kind of quadratic cell of N nodes, of which the first are the corners.
pub(crate) trait Quadratic<const N: usize> {
    /// Its name in a mesh.
    const CELL: CellType;

    /// Shape functions at ξ.
    fn shape(xi: Vec3) -> Shape<N>;
    /// Where node `a` is in the reference cell.
    fn node(a: usize) -> Vec3;
    /// A point of the reference cell near ξ: ξ itself if it is inside.
    fn clamp(xi: Vec3) -> Vec3;
    /// Change of the weight of corner `a` for a step of ξ by the affine map of the corners alone.
    fn corner_slope(a: usize) -> Vec3;

    /// Returns true if all middle nodes lie midway between the corners, to rounding. The map of a tetrahedron is
    /// affine then.
    fn is_straight(nodes: &[Vec3; N]) -> bool {
        let (mut size, mut off): (f64, f64) = (0.0, 0.0);
        for (middle, &[a, b]) in nodes[Self::CELL.corners()..].iter().zip(Self::CELL.edges()) {
            for k in 0..3 {
                size = size.max((nodes[b][k] - nodes[a][k]).abs());
                off = off.max((middle[k] - 0.5 * (nodes[a][k] + nodes[b][k])).abs());
            }
        }
        off <= 1e-13 * size
    }

    /// The least det ∂X/∂ξ over the nodes.
    fn least_jacobian(nodes: &[Vec3; N]) -> f64 {
        (0..N).map(|a| Self::shape(Self::node(a)).jacobian(nodes)).fold(f64::INFINITY, f64::min)
    }

    /// ξ of the point of the cell that lies at the origin, or of one nearby, and its squared distance, which is 0 inside.
    ///
    /// Newton's method, from the middle of the cell, with steps that stay in the reference cell once they leave it.
    /// Outside it ends near the closest point, not always at it.
    fn closest(nodes: &[Vec3; N]) -> (Vec3, f64) {
        let middle = scale(
            (0..Self::CELL.corners()).fold([0.0; 3], |sum, a| add_scaled(sum, Self::node(a), 1.0)),
            1.0 / Self::CELL.corners() as f64,
        );
        let size = nodes[1..].iter().map(|&p| norm(sub(p, nodes[0]))).fold(0.0, f64::max);
        let (mut xi, mut best) = (middle, (middle, f64::INFINITY));
        for _ in 0..24 {
            let shape = Self::shape(xi);
            let place = shape.point(nodes);
            let distance = norm(place);
            if distance < best.1 {
                best = (xi, distance);
            }
            if distance <= 1e-14 * size {
                break;
            }
            let Some(step) = newton_step(shape.columns(nodes), place) else { break };
            let next = Self::clamp(sub(xi, step));
            let moved = norm(sub(next, xi));
            xi = next;
            if moved < 1e-15 {
                break;
            }
        }
        // What rounding leaves over is none.
        let inside = best.1 <= 1e-12 * size;
        (best.0, if inside { 0.0 } else { best.1 * best.1 })
    }
}

/// y with E y = r, for the columns of E, if E can be inverted.
pub(crate) fn newton_step([e1, e2, e3]: [Vec3; 3], r: Vec3) -> Option<Vec3> {
    let det = triple(e1, e2, e3);
    let y = [triple(r, e2, e3) / det, triple(e1, r, e3) / det, triple(e1, e2, r) / det];
    y.iter().all(|c| c.is_finite()).then_some(y)
}

/// The ten-node tetrahedron on 0 ≤ ξ, η, ζ, ξ + η + ζ ≤ 1.
pub(crate) struct Tet10;

impl Tet10 {
    /// At barycentric coordinates λ: λᵢ(2λᵢ−1) for the corners, 4 λₐ λ_b for the middles.
    fn at(lambda: [f64; 4]) -> Shape<10> {
        let mut shape = Shape { values: [0.0; 10], gradients: [[0.0; 3]; 10] };
        for i in 0..4 {
            shape.values[i] = lambda[i] * (2.0 * lambda[i] - 1.0);
            shape.gradients[i] = scale(Self::corner_slope(i), 4.0 * lambda[i] - 1.0);
        }
        for (i, [a, b]) in TET_EDGES.into_iter().enumerate() {
            shape.values[4 + i] = 4.0 * lambda[a] * lambda[b];
            let along_a = scale(Self::corner_slope(a), 4.0 * lambda[b]);
            shape.gradients[4 + i] = add_scaled(along_a, Self::corner_slope(b), 4.0 * lambda[a]);
        }
        shape
    }
}

impl Quadratic<10> for Tet10 {
    const CELL: CellType = CellType::Tet10;

    fn shape(xi: Vec3) -> Shape<10> {
        Self::at([1.0 - (xi[0] + xi[1] + xi[2]), xi[0], xi[1], xi[2]])
    }

    fn node(a: usize) -> Vec3 {
        let corner = |a: usize| std::array::from_fn(|k| f64::from(u8::from(a == k + 1)));
        if let 0..4 = a {
            corner(a)
        } else {
            let [a, b] = TET_EDGES[a - 4].map(corner);
            std::array::from_fn(|k| 0.5 * (a[k] + b[k]))
        }
    }

    fn clamp(xi: Vec3) -> Vec3 {
        let xi = xi.map(|x| x.clamp(0.0, 1.0));
        let over = xi[0] + xi[1] + xi[2];
        if over > 1.0 { scale(xi, 1.0 / over) } else { xi }
    }

    fn corner_slope(a: usize) -> Vec3 {
        if a == 0 { [-1.0; 3] } else { Self::node(a) }
    }
}

/// The twenty-node hexahedron on [−1, 1]³.
pub(crate) struct Hex20;

impl Quadratic<20> for Hex20 {
    const CELL: CellType = CellType::Hex20;

    /// Serendipity functions: ⅛ (1+sξ)(1+tη)(1+uζ)(sξ+tη+uζ−2) for the corners, ¼ (1−ξ²)(1+tη)(1+uζ) for the
    /// middle of an edge along ξ.
    fn shape(xi: Vec3) -> Shape<20> {
        let mut shape = Shape { values: [0.0; 20], gradients: [[0.0; 3]; 20] };
        for a in 0..20 {
            let s = Self::node(a);
            // Along each axis 1 + sξ, or 1 − ξ² where the node is in the middle; and its derivative.
            let f: [[f64; 2]; 3] = std::array::from_fn(|k| {
                if s[k] == 0.0 {
                    [1.0 - xi[k] * xi[k], -2.0 * xi[k]]
                } else {
                    [1.0 + s[k] * xi[k], s[k]]
                }
            });
            let product = f[0][0] * f[1][0] * f[2][0];
            let slopes = [
                f[0][1] * f[1][0] * f[2][0],
                f[0][0] * f[1][1] * f[2][0],
                f[0][0] * f[1][0] * f[2][1],
            ];
            if a < 8 {
                let sum = s[0] * xi[0] + s[1] * xi[1] + s[2] * xi[2] - 2.0;
                shape.values[a] = 0.125 * product * sum;
                shape.gradients[a] =
                    std::array::from_fn(|k| 0.125 * (slopes[k] * sum + product * s[k]));
            } else {
                shape.values[a] = 0.25 * product;
                shape.gradients[a] = slopes.map(|g| 0.25 * g);
            }
        }
        shape
    }

    fn node(a: usize) -> Vec3 {
        if let 0..8 = a {
            HEX_CORNERS[a]
        } else {
            let [a, b] = HEX_EDGES[a - 8].map(|corner| HEX_CORNERS[corner]);
            std::array::from_fn(|k| 0.5 * (a[k] + b[k]))
        }
    }

    fn clamp(xi: Vec3) -> Vec3 {
        xi.map(|x| x.clamp(-1.0, 1.0))
    }

    fn corner_slope(a: usize) -> Vec3 {
        scale(HEX_CORNERS[a], 0.125)
    }
}

/// Signed volume of a ten-node tetrahedron, m³, with its curved sides. det ∂X/∂ξ has degree 3, for which five points
/// are exact (A. Stroud, Approximate Calculation of Multiple Integrals, 1971, T3: 3-1).
pub fn tet10_volume(nodes: &[Vec3; 10]) -> f64 {
    if Tet10::is_straight(nodes) {
        return triple(sub(nodes[1], nodes[0]), sub(nodes[2], nodes[0]), sub(nodes[3], nodes[0]))
            / 6.0;
    }
    let centre = Tet10::at([0.25; 4]).jacobian(nodes);
    let around: f64 = (0..4)
        .map(|i| {
            let mut lambda = [1.0 / 6.0; 4];
            lambda[i] = 0.5;
            Tet10::at(lambda).jacobian(nodes)
        })
        .sum();
    (0.45 * around - 0.8 * centre) / 6.0
}

/// Signed volume of a twenty-node hexahedron, m³, with its curved sides: det ∂X/∂ξ has degree 5 at most in each
/// coordinate, for which 3×3×3 Gauss points are exact.
pub fn hex20_volume(nodes: &[Vec3; 20]) -> f64 {
    let rule = gauss(3);
    rule.iter().map(|&(xi, weight)| weight * Hex20::shape(xi).jacobian(nodes)).sum()
}

/// The product rule of n³ Gauss points on [−1, 1]³, for n of 3 to 5: exact for degree 2n − 1 in each coordinate.
pub(crate) fn gauss(n: usize) -> Vec<(Vec3, f64)> {
    // Roots of the Legendre polynomials of degree 3, 4 and 5, in closed form.
    let root = f64::sqrt;
    let line: Vec<(f64, f64)> = match n {
        3 => {
            let g = root(0.6);
            vec![(-g, 5.0 / 9.0), (0.0, 8.0 / 9.0), (g, 5.0 / 9.0)]
        }
        4 => {
            let (near, far) =
                (root((3.0 - 2.0 * root(1.2)) / 7.0), root((3.0 + 2.0 * root(1.2)) / 7.0));
            let (w, v) = ((18.0 + root(30.0)) / 36.0, (18.0 - root(30.0)) / 36.0);
            vec![(-far, v), (-near, w), (near, w), (far, v)]
        }
        _ => {
            let d = 2.0 * root(10.0 / 7.0);
            let (near, far) = (root(5.0 - d) / 3.0, root(5.0 + d) / 3.0);
            let s = 13.0 * root(70.0);
            let (w, v) = ((322.0 + s) / 900.0, (322.0 - s) / 900.0);
            vec![(-far, v), (-near, w), (0.0, 128.0 / 225.0), (near, w), (far, v)]
        }
    };
    let mut rule = Vec::with_capacity(n * n * n);
    for &(z, wz) in &line {
        for &(y, wy) in &line {
            rule.extend(line.iter().map(|&(x, wx)| ([x, y, z], wx * wy * wz)));
        }
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<Q: Quadratic<N>, const N: usize>() {
        let points = [[0.2, 0.3, 0.1], [0.05, 0.6, 0.2], [0.25, 0.25, 0.25]];
        for a in 0..N {
            for (b, value) in Q::shape(Q::node(a)).values.into_iter().enumerate() {
                assert_eq!(value, f64::from(u8::from(a == b)), "{} {a} {b}", Q::CELL);
            }
        }
        let bend = |[x, y, z]: Vec3| [x + 0.1 * y * z, y - 0.1 * x * x, z + 0.1 * x * y];
        let nodes: [Vec3; N] = std::array::from_fn(|a| bend(Q::node(a)));
        assert!(!Q::is_straight(&nodes) && Q::least_jacobian(&nodes) > 0.0);
        assert!(Q::is_straight(&std::array::from_fn(Q::node)));
        for xi in points {
            let shape = Q::shape(xi);
            assert!(norm(sub(shape.point(&nodes), bend(xi))) < 1e-15, "quadratic maps are held");
            for k in 0..3 {
                let (mut low, mut high) = (xi, xi);
                (low[k], high[k]) = (xi[k] - 1e-5, xi[k] + 1e-5);
                let (low, high) = (Q::shape(low), Q::shape(high));
                for a in 0..N {
                    let slope = (high.values[a] - low.values[a]) / 2e-5;
                    assert!((slope - shape.gradients[a][k]).abs() < 1e-9, "{} {a} {k}", Q::CELL);
                }
            }
            let around = nodes.map(|p| sub(p, bend(xi)));
            let (found, distance) = Q::closest(&around);
            assert_eq!(distance, 0.0);
            assert!(norm(sub(found, xi)) < 1e-12, "{} {found:?}", Q::CELL);
        }
    }

    #[test]
    fn maps_hold_quadratic_functions_and_are_inverted() {
        check::<Tet10, 10>();
        check::<Hex20, 20>();
    }

    #[test]
    fn volumes_of_curved_cells_are_exact() {
        // (x, y, z + x²) keeps volumes; x (1 + y/4) has the Jacobian 1 + y/4.
        let shear = |[x, y, z]: Vec3| [x * (1.0 + 0.25 * y), y, z + x * x];
        let tet = std::array::from_fn(|a| shear(Tet10::node(a)));
        assert!((tet10_volume(&tet) - (1.0 / 6.0 + 0.25 / 24.0)).abs() < 1e-16);
        let hex = std::array::from_fn(|a| shear(Hex20::node(a)));
        assert!((hex20_volume(&hex) - 8.0).abs() < 1e-14);
    }
}
