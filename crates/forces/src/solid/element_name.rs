//! [`ElementName`]: volume elements by name; [`ElementVisitor`]: code that is generic over them.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{Vec3, add_scaled};
use pliant_elements::{Element, Hex8, Hex8Bbar, Hex20, Tet4, Tet10, Tet10Bbar};
use pliant_mesh::CellType;

use crate::assembly::Partition;
use crate::cells::Cells;
use crate::error::ForceError;
use crate::mass;

/// The volume elements there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementName {
    /// Linear tetrahedron.
    Tet4,
    /// Quadratic tetrahedron.
    Tet10,
    /// Quadratic tetrahedron with the mean dilatation.
    Tet10Bbar,
    /// Trilinear hexahedron.
    Hex8,
    /// Trilinear hexahedron with the mean dilatation.
    Hex8Bbar,
    /// Quadratic hexahedron of twenty nodes.
    Hex20,
}

/// Something to be done with an element that is known by name only: see [`ElementName::visit`].
pub trait ElementVisitor {
    /// What comes of it.
    type Output;

    /// Does it with the element itself.
    fn visit<E: Element<3, N>, const N: usize>(self, element: E) -> Self::Output;
}

impl ElementName {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Tet4, Self::Tet10, Self::Tet10Bbar, Self::Hex8, Self::Hex8Bbar, Self::Hex20];

    /// Calls the visitor with the element of this name: the one place that knows all of them.
    pub fn visit<V: ElementVisitor>(self, visitor: V) -> V::Output {
        match self {
            Self::Tet4 => visitor.visit(Tet4),
            Self::Tet10 => visitor.visit(Tet10),
            Self::Tet10Bbar => visitor.visit(Tet10Bbar),
            Self::Hex8 => visitor.visit(Hex8),
            Self::Hex8Bbar => visitor.visit(Hex8Bbar),
            Self::Hex20 => visitor.visit(Hex20),
        }
    }

    /// Its name in scenes and on the command line: lower case with hyphens.
    pub fn name(self) -> &'static str {
        struct Name;
        impl ElementVisitor for Name {
            type Output = &'static str;
            fn visit<E: Element<3, N>, const N: usize>(self, _: E) -> &'static str {
                E::NAME
            }
        }
        self.visit(Name)
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        match self {
            Self::Tet4 => "linear tetrahedron: 4 nodes, 1 point; fast, stiff where volume is kept",
            Self::Tet10 => {
                "quadratic tetrahedron: 10 nodes, 4 points, edges may be curved; accurate in bending"
            }
            Self::Tet10Bbar => {
                "the same with the mean volume change: for bodies of tetrahedra that keep their volume"
            }
            Self::Hex8 => "trilinear hexahedron: 8 nodes, 8 points",
            Self::Hex8Bbar => {
                "the same with the mean volume change: does not lock where volume is kept"
            }
            Self::Hex20 => {
                "quadratic hexahedron: 20 nodes, 27 points, edges may be curved; most accurate in bending"
            }
        }
    }

    /// The cells it stands on.
    pub fn cell_type(self) -> CellType {
        match self {
            Self::Tet4 => CellType::Tet4,
            Self::Tet10 | Self::Tet10Bbar => CellType::Tet10,
            Self::Hex8 | Self::Hex8Bbar => CellType::Hex8,
            Self::Hex20 => CellType::Hex20,
        }
    }

    /// Quadrature points.
    pub fn points(self) -> usize {
        struct Points;
        impl ElementVisitor for Points {
            type Output = usize;
            fn visit<E: Element<3, N>, const N: usize>(self, _: E) -> usize {
                E::POINTS.len()
            }
        }
        self.visit(Points)
    }

    /// The positions of the quadrature points of a cell at rest, Σ_a N_a(ξ) X_a, m, in the order of
    /// [`Parameters::PerPoint`](crate::Parameters::PerPoint).
    pub fn rest_points<'a>(self, cells: impl Into<Cells<'a>>, cell: usize) -> Vec<Vec3> {
        struct RestPoints<'a>(Cells<'a>, usize);
        impl ElementVisitor for RestPoints<'_> {
            type Output = Vec<Vec3>;
            fn visit<E: Element<3, N>, const N: usize>(self, _: E) -> Vec<Vec3> {
                let Self(cells, cell) = self;
                let (nodes, rest) = (cells.cell(cell), cells.rest());
                let at = |values: [f64; N]| {
                    let parts = nodes.iter().zip(values);
                    parts.fold([0.0; 3], |x, (&v, n)| add_scaled(x, rest[v as usize], n))
                };
                E::POINTS.iter().map(|point| at(point.values)).collect()
            }
        }
        self.visit(RestPoints(cells.into(), cell))
    }

    /// The plain element on such cells.
    pub fn of(cells: CellType) -> Self {
        match cells {
            CellType::Tet4 => Self::Tet4,
            CellType::Tet10 => Self::Tet10,
            CellType::Hex8 => Self::Hex8,
            CellType::Hex20 => Self::Hex20,
        }
    }

    /// The same without mean dilatation, for models that have none.
    #[must_use]
    pub fn plain(self) -> Self {
        Self::of(self.cell_type())
    }

    // What visits is not generic in these, so that it is compiled in this crate alone.

    /// Masses of the vertices, kg, in the numbering of the partition; density by cell, kg/m³.
    pub fn lumped_mass<'a>(
        self,
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        density: &dyn Fn(usize) -> f64,
    ) -> Result<Vec<f64>, ForceError> {
        fn visit(element: ElementName, lumped: Lumped<'_>) -> Result<Vec<f64>, ForceError> {
            element.visit(lumped)
        }
        struct Lumped<'a>(Cells<'a>, &'a Partition, &'a dyn Fn(usize) -> f64);
        impl ElementVisitor for Lumped<'_> {
            type Output = Result<Vec<f64>, ForceError>;
            fn visit<E: Element<3, N>, const N: usize>(self, element: E) -> Self::Output {
                mass::lumped(self.0, self.1, element, self.2)
            }
        }
        visit(self, Lumped(cells.into(), partition, density))
    }

    /// ∫ ρ N of the vertices, kg, in the numbering of the partition: the sums of the rows of the consistent mass, which are
    /// negative at corners of tet10; density by cell, kg/m³.
    pub fn shape_integrals<'a>(
        self,
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        density: &dyn Fn(usize) -> f64,
    ) -> Result<Vec<f64>, ForceError> {
        fn visit(element: ElementName, integrals: Integrals<'_>) -> Result<Vec<f64>, ForceError> {
            element.visit(integrals)
        }
        struct Integrals<'a>(Cells<'a>, &'a Partition, &'a dyn Fn(usize) -> f64);
        impl ElementVisitor for Integrals<'_> {
            type Output = Result<Vec<f64>, ForceError>;
            fn visit<E: Element<3, N>, const N: usize>(self, element: E) -> Self::Output {
                mass::integrals(self.0, self.1, element, self.2)
            }
        }
        visit(self, Integrals(cells.into(), partition, density))
    }

    /// The consistent mass, kg, with the pattern of the stiffness.
    pub fn consistent_mass<'a>(
        self,
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        density: &dyn Fn(usize) -> f64,
        pattern: &Arc<Pattern>,
    ) -> Result<BlockMatrix, ForceError> {
        fn visit(
            element: ElementName,
            consistent: Consistent<'_>,
        ) -> Result<BlockMatrix, ForceError> {
            element.visit(consistent)
        }
        struct Consistent<'a> {
            cells: Cells<'a>,
            partition: &'a Partition,
            density: &'a dyn Fn(usize) -> f64,
            pattern: &'a Arc<Pattern>,
        }
        impl ElementVisitor for Consistent<'_> {
            type Output = Result<BlockMatrix, ForceError>;
            fn visit<E: Element<3, N>, const N: usize>(self, element: E) -> Self::Output {
                mass::consistent(self.cells, self.partition, element, self.density, self.pattern)
            }
        }
        visit(self, Consistent { cells: cells.into(), partition, density, pattern })
    }
}

impl std::str::FromStr for ElementName {
    type Err = ForceError;

    fn from_str(name: &str) -> Result<Self, ForceError> {
        Self::ALL.into_iter().find(|e| e.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            ForceError::Unsupported(format!("unknown element {name:?}: known are {known}"))
        })
    }
}
