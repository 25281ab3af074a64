//! Distances between points, edges and triangles, one formula for all.
//!
//! A pair of primitives is a [`Stencil`] over up to four vertices. Its closest points differ by
//! r = Σ cᵢ xᵢ with weights c that are affine in the parameters β of the two points: none, one or
//! two of them.
//!
//! | stencil | vertices | c | β |
//! |---|---|---|---|
//! | point-point | p, q | (1, −1) | |
//! | point-edge | p, a, b | (1, −(1−u), −u) | u |
//! | point-triangle | p, a, b, c | (1, −(1−u−v), −u, −v) | u, v |
//! | edge-edge | a₀, a₁, b₀, b₁ | (1−s, s, −(1−t), −t) | s, t |
//!
//! Where the closest points lie at the rim of a primitive the pair is the smaller stencil of what
//! they depend on, with the weight zero for the vertices that are left out. Distance and gradient are
//! continuous across these regions, the Hessian is not.
//!
//! ```
//! use pliant_contact::distance::Stencil;
//!
//! let above = [[0.2, 0.3, 0.5], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let closest = Stencil::PointTriangle.closest(&above);
//! assert_eq!(closest.active, Stencil::PointTriangle);
//! assert!((closest.distance - 0.5).abs() < 1e-15);
//! assert!((closest.gradient()[0][2] - 1.0).abs() < 1e-15);
//! ```

mod blocks;
mod derivatives;
mod jacobi;
mod mollified;
pub mod mollifier;
mod projection;
mod regions;
mod signed;

use pliant_algebra::vec3::{Vec3, norm, scale};

pub use blocks::Blocks;

/// Two primitives, by the vertices they are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stencil {
    /// p and q.
    PointPoint,
    /// p, and the edge a–b.
    PointEdge,
    /// p, and the triangle a, b, c.
    PointTriangle,
    /// The edges a₀–a₁ and b₀–b₁.
    EdgeEdge,
}

impl Stencil {
    /// Number of vertices. What stands behind them in an array of four is not read.
    pub fn vertices(self) -> usize {
        match self {
            Self::PointPoint => 2,
            Self::PointEdge => 3,
            Self::PointTriangle | Self::EdgeEdge => 4,
        }
    }

    /// Number of vertices of the first primitive; the others make the second.
    pub fn first_vertices(self) -> usize {
        if self == Self::EdgeEdge { 2 } else { 1 }
    }

    /// Returns the closest points of the two primitives at `x`, in metres. Any finite positions will do,
    /// coincident and collinear ones included, as long as the fourth power of their differences stays within the range
    /// of `f64`. Of equally near points the one that depends on the vertex with the lowest place in
    /// the stencil is taken.
    #[inline]
    pub fn closest(self, x: &[Vec3; 4]) -> Closest {
        match self {
            Self::PointPoint => regions::point_point(x, 0, 1),
            Self::PointEdge => regions::point_edge(x, 0, [1, 2], 1.0),
            Self::PointTriangle => regions::point_triangle(x),
            Self::EdgeEdge => regions::edge_edge(x),
        }
    }
}

/// The closest points of two primitives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// The smallest stencil that the closest points depend on.
    pub active: Stencil,
    /// The weights c of r = Σ cᵢ xᵢ, zero for vertices outside the active stencil. They add up to
    /// one over the first primitive and to minus one over the second.
    pub weights: [f64; 4],
    /// d = |r|, m; with a sign after [`Closest::signed`].
    pub distance: f64,
    /// r / d, from the second primitive to the first; zero where they touch.
    pub normal: Vec3,
    /// Parameter k moves weight along the edge between these two vertices: ∂c/∂βₖ = ±(1, −1).
    edges: [[u8; 2]; 2],
}

impl Closest {
    fn new(active: Stencil, weights: [f64; 4], r: Vec3, edges: [[u8; 2]; 2]) -> Self {
        let distance = norm(r);
        let normal = if distance > 0.0 { scale(r, 1.0 / distance) } else { [0.0; 3] };
        Self { active, weights, distance, normal, edges }
    }

    /// Number of parameters of the active stencil: 0, 1 or 2.
    pub fn parameters(&self) -> usize {
        self.active.vertices() - 2
    }

    /// ∂d/∂xᵢ = cᵢ n: the derivatives of the weights do not enter, as r is orthogonal to what they
    /// move it along. Zero where the primitives touch.
    #[inline]
    pub fn gradient(&self) -> [Vec3; 4] {
        self.weights.map(|c| scale(self.normal, c))
    }
}
