//! [`Faces`]: the faces of cells that a load acts on, with the shape functions of their elements.

use pliant_algebra::vec3::{Vec3, add_scaled, cross};
use pliant_elements::{
    Face, Point, Quad4, Quad8, Tri3, Tri6, consistent_mass, lumped_mass, points,
};

use super::field::{FaceAmount, LoadField};
use super::following::Points;
use crate::error::ForceError;
use crate::parameter::vertices;

/// Whole faces of cells, counter-clockwise seen from outside; of quadratic ones the corners first, then the middles of
/// the edges 01, 12, …
#[derive(Debug, Clone, Copy)]
pub enum Faces<'a> {
    /// Flat triangles.
    Triangles(&'a [[u32; 3]]),
    /// Bilinear quadrilaterals.
    Quads(&'a [[u32; 4]]),
    /// Quadratic triangles.
    QuadraticTriangles(&'a [[u32; 6]]),
    /// Quadratic quadrilaterals.
    QuadraticQuads(&'a [[u32; 8]]),
}

/// Something to be done with faces whose element is known by the list alone: see [`Faces::visit`].
pub trait FaceVisitor {
    /// What comes of it.
    type Output;

    /// Does it with the element itself and the nodes of each face.
    fn visit<E: Face<N>, const N: usize>(self, element: E, list: &[[u32; N]]) -> Self::Output;
}

/// A quadrature point of a face in some configuration.
#[derive(Debug, Clone, Copy)]
pub struct FacePoint<'a> {
    /// Index of the face.
    pub face: usize,
    /// Nodes of the face.
    pub nodes: &'a [u32],
    /// Shape functions of the nodes.
    pub values: &'a [f64],
    /// Its position, m.
    pub x: Vec3,
    /// The area vector that it stands for, m², outward.
    pub area: Vec3,
}

impl<'a> Faces<'a> {
    /// Faces of so many nodes each, one after the other: 3, 4, 6 or 8.
    pub fn of_nodes(count: usize, nodes: &'a [u32]) -> Result<Self, ForceError> {
        let rest = nodes.len() % count.max(1);
        match count {
            _ if rest != 0 => Err(ForceError::Unsupported(format!(
                "{} vertices are not those of whole faces of {count}",
                nodes.len()
            ))),
            3 => Ok(Self::Triangles(nodes.as_chunks().0)),
            4 => Ok(Self::Quads(nodes.as_chunks().0)),
            6 => Ok(Self::QuadraticTriangles(nodes.as_chunks().0)),
            8 => Ok(Self::QuadraticQuads(nodes.as_chunks().0)),
            _ => Err(ForceError::Unsupported(format!("no face has {count} nodes"))),
        }
    }

    /// Calls the visitor with the element of the faces: the one place that knows all of them.
    pub fn visit<V: FaceVisitor>(self, visitor: V) -> V::Output {
        match self {
            Self::Triangles(list) => visitor.visit(Tri3, list),
            Self::Quads(list) => visitor.visit(Quad4, list),
            Self::QuadraticTriangles(list) => visitor.visit(Tri6, list),
            Self::QuadraticQuads(list) => visitor.visit(Quad8, list),
        }
    }

    /// Number of faces.
    pub fn len(self) -> usize {
        struct Count;
        impl FaceVisitor for Count {
            type Output = usize;
            fn visit<E: Face<N>, const N: usize>(self, _: E, list: &[[u32; N]]) -> usize {
                list.len()
            }
        }
        self.visit(Count)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Calls `see` for each quadrature point of each face, by a rule that is exact for the integrals of shape functions
    /// over flat faces (m²). All nodes must be vertices of `x`.
    ///
    /// ```
    /// use pliant_forces::loads::Faces;
    ///
    /// // A square of 2 m²: each corner has a quarter of it.
    /// let x = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mut share = [0.0; 4];
    /// Faces::Quads(&[[0, 1, 2, 3]]).each_point(&x, &mut |point| {
    ///     for (&v, n) in point.nodes.iter().zip(point.values) {
    ///         share[v as usize] += n * point.area[2];
    ///     }
    /// })?;
    /// assert!(share.iter().all(|s| (s - 0.5).abs() < 1e-15));
    /// # Ok::<(), pliant_forces::ForceError>(())
    /// ```
    pub fn each_point(
        self,
        x: &[Vec3],
        see: &mut dyn FnMut(FacePoint<'_>),
    ) -> Result<(), ForceError> {
        self.each(x, false, see)
    }

    /// The same by a rule for what varies over the faces: exact on flat ones for N times a linear field.
    pub(super) fn each_field_point(
        self,
        x: &[Vec3],
        see: &mut dyn FnMut(FacePoint<'_>),
    ) -> Result<(), ForceError> {
        self.each(x, true, see)
    }

    fn each(
        self,
        x: &[Vec3],
        varies: bool,
        see: &mut dyn FnMut(FacePoint<'_>),
    ) -> Result<(), ForceError> {
        struct Each<'a>(&'a [Vec3], bool, &'a mut dyn FnMut(FacePoint<'_>));
        impl FaceVisitor for Each<'_> {
            type Output = ();
            fn visit<E: Face<N>, const N: usize>(self, _: E, list: &[[u32; N]]) {
                let rule = if self.1 { E::field_rule() } else { E::area_rule() };
                let points = points::<E, 2, N>(&rule);
                for (face, nodes) in list.iter().enumerate() {
                    let x = nodes.map(|v| self.0[v as usize]);
                    for point in &points {
                        let [at, a, b] = frame(point, &x);
                        let area = cross(a, b).map(|c| point.weight * c);
                        let values = &point.values;
                        (self.2)(FacePoint { face, nodes, values, x: at, area });
                    }
                }
            }
        }
        self.check("faces", x.len())?;
        self.visit(Each(x, varies, see));
        Ok(())
    }

    /// The amount of a field on each face, with the rule it is integrated by.
    pub(super) fn amounts(
        self,
        rest: &[Vec3],
        field: &LoadField<f64>,
    ) -> (Points, Vec<FaceAmount>) {
        struct At<'a>(&'a [Vec3], &'a LoadField<f64>);
        impl FaceVisitor for At<'_> {
            type Output = Vec<FaceAmount>;
            fn visit<E: Face<N>, const N: usize>(self, _: E, list: &[[u32; N]]) -> Self::Output {
                let points = Points::Field.of::<E, N>();
                let of = |nodes: &[u32; N]| {
                    let x = nodes.map(|v| self.0[v as usize]);
                    let at = points.iter().map(|point| frame(point, &x)[0]).collect();
                    FaceAmount::Field { field: self.1.clone(), at }
                };
                list.iter().map(of).collect()
            }
        }
        if field.varies() {
            return (Points::Field, self.visit(At(rest, field)));
        }
        let amount = FaceAmount::Field { field: field.clone(), at: Vec::new() };
        (Points::Load, vec![amount; self.len()])
    }

    /// The area that each vertex of `x` stands for, m², none of them negative: faces lumped as masses are. Where the
    /// integrals of shape functions are negative or vanish at corners, as those of quadratic faces, these do not.
    pub fn lumped_areas(self, x: &[Vec3]) -> Result<Vec<f64>, ForceError> {
        struct Lump<'a>(&'a [Vec3]);
        impl FaceVisitor for Lump<'_> {
            type Output = Vec<f64>;
            fn visit<E: Face<N>, const N: usize>(self, _: E, list: &[[u32; N]]) -> Vec<f64> {
                let rule = E::mass_rule();
                let mut areas = vec![0.0; self.0.len()];
                for nodes in list {
                    let x = nodes.map(|v| self.0[v as usize]);
                    let shares = lumped_mass::<E, 2, N>(&consistent_mass::<E, 2, N>(&rule, &x));
                    // A face without area has no diagonal to scale.
                    for (&v, share) in nodes.iter().zip(shares).filter(|(_, s)| s.is_finite()) {
                        areas[v as usize] += share;
                    }
                }
                areas
            }
        }
        self.check("faces", x.len())?;
        Ok(self.visit(Lump(x)))
    }

    /// Checks that all nodes are below the number of vertices.
    pub(super) fn check(self, what: &str, count: usize) -> Result<(), ForceError> {
        struct Check<'a>(&'a str, usize);
        impl FaceVisitor for Check<'_> {
            type Output = Result<(), ForceError>;
            fn visit<E: Face<N>, const N: usize>(self, _: E, list: &[[u32; N]]) -> Self::Output {
                vertices(self.0, list.as_flattened(), self.1)
            }
        }
        self.visit(Check(what, count))
    }

    /// Checks that the faces close a volume: each directed edge is met by its opposite, with the same middle.
    pub(super) fn check_closed(self) -> Result<(), ForceError> {
        struct Closed;
        impl FaceVisitor for Closed {
            type Output = Result<(), ForceError>;
            fn visit<E: Face<N>, const N: usize>(self, _: E, list: &[[u32; N]]) -> Self::Output {
                let edges = |face: &[u32; N]| {
                    let face = *face;
                    (0..E::CORNERS).map(move |k| {
                        let (a, b, middle) = E::edge(k);
                        [face[a], face[b], middle.map_or(u32::MAX, |m| face[m])]
                    })
                };
                closed(list.iter().flat_map(edges).collect())
            }
        }
        self.visit(Closed)
    }
}

fn closed(mut edges: Vec<[u32; 3]>) -> Result<(), ForceError> {
    let mut opposite: Vec<[u32; 3]> = edges.iter().map(|&[a, b, m]| [b, a, m]).collect();
    edges.sort_unstable();
    opposite.sort_unstable();
    match edges.iter().zip(&opposite).find(|(e, o)| e != o) {
        None => Ok(()),
        Some((&e, &o)) => {
            let [a, b, _] = e.min(o);
            Err(ForceError::Unsupported(format!(
                "pressure on a closed surface: the edge from vertex {a} to {b} does not have one face on either side, oriented alike; use the pressure for open surfaces"
            )))
        }
    }
}

/// x, a = ∂x/∂ξ and b = ∂x/∂η at a point of a face.
#[inline]
pub(super) fn frame<const N: usize>(point: &Point<2, N>, x: &[Vec3; N]) -> [Vec3; 3] {
    let mut frame = [[0.0; 3]; 3];
    for c in 0..N {
        let [along, across] = point.gradients[c];
        for (vector, share) in frame.iter_mut().zip([point.values[c], along, across]) {
            *vector = add_scaled(*vector, x[c], share);
        }
    }
    frame
}
