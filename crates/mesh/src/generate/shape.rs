//! The catalogue of generators.

use super::{
    Bar, BoxShape, CellChoice, CookPanel, CurvedBeam, Cylinder, EllipticPlate, HollowSphere,
    LShape, NotchedBar, QuarterRing, Sphere, Torus, Tube, TwistedBeam,
};
use crate::error::{ErrorKind, MeshError};
use crate::volume::VolumeMesh;

macro_rules! catalogue {
    ($($name:literal $variant:ident($parameters:ident) $description:literal;)*) => {
        /// Any of the bodies, with its parameters.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Shape {
            $(#[doc = $description] $variant($parameters),)*
        }

        impl Shape {
            /// Name on the command line and one line of description of every shape.
            pub const NAMES: &'static [(&'static str, &'static str)] =
                &[$(($name, $description),)*];

            /// The shape of that name with its default parameters.
            pub fn by_name(name: &str) -> Result<Self, MeshError> {
                match name {
                    $($name => Ok(Shape::$variant($parameters::default())),)*
                    _ => Err(unknown(name)),
                }
            }

            /// Its name on the command line.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Shape::$variant(_) => $name,)*
                }
            }

            /// Makes the mesh.
            pub fn generate(&self) -> Result<VolumeMesh, MeshError> {
                let linear = match self {
                    $(Shape::$variant(parameters) => parameters.linear(),)*
                }?;
                if self.cell().is_quadratic() { self.quadratic(&linear) } else { Ok(linear) }
            }

            /// The cells it is made of.
            pub fn cell(&self) -> CellChoice {
                match self {
                    $(Shape::$variant(parameters) => parameters.cell,)*
                }
            }

            /// The cells it is made of, to be changed.
            pub fn cell_mut(&mut self) -> &mut CellChoice {
                match self {
                    $(Shape::$variant(parameters) => &mut parameters.cell,)*
                }
            }
        }

        $(impl $parameters {
            /// Makes the mesh. Middle nodes of quadratic cells lie on the curved sides of the shape.
            pub fn generate(&self) -> Result<VolumeMesh, MeshError> {
                Shape::$variant(self.clone()).generate()
            }
        })*
    };
}

catalogue! {
    "box" Box(BoxShape) "A box from the origin, graded and jittered if asked for";
    "bar" Bar(Bar) "A bar along x, with cells as near to cubes as fit";
    "cylinder" Cylinder(Cylinder) "A cylinder along z, without wedges at the axis";
    "tube" Tube(Tube) "A hollow cylinder along z";
    "sphere" Sphere(Sphere) "A ball, without degenerate cells";
    "hollow-sphere" HollowSphere(HollowSphere) "A hollow sphere";
    "torus" Torus(Torus) "A solid torus about the z axis";
    "l-shape" LShape(LShape) "Two legs along x and y with a re-entrant edge";
    "notched-bar" NotchedBar(NotchedBar) "A bar along x with a rectangular notch on top";
    "cook" Cook(CookPanel) "Cook's tapered panel, 48 x 44/16";
    "quarter-ring" QuarterRing(QuarterRing) "A quarter of a hollow cylinder in plane strain";
    "curved-beam" CurvedBeam(CurvedBeam) "The 45 degree bend of radius 100";
    "twisted-beam" TwistedBeam(TwistedBeam) "MacNeal and Harder's cantilever twisted by 90 degrees";
    "elliptic-plate" EllipticPlate(EllipticPlate) "The quarter of an elliptic plate of NAFEMS LE1 and LE10";
}

impl Shape {
    /// Whether it has sides that flat or bilinear ones only come near to.
    pub fn is_curved(&self) -> bool {
        match self {
            Self::Box(_) | Self::Bar(_) | Self::LShape(_) | Self::NotchedBar(_) | Self::Cook(_) => {
                false
            }
            Self::Cylinder(_)
            | Self::Tube(_)
            | Self::Sphere(_)
            | Self::HollowSphere(_)
            | Self::Torus(_)
            | Self::QuarterRing(_)
            | Self::CurvedBeam(_)
            | Self::TwistedBeam(_)
            | Self::EllipticPlate(_) => true,
        }
    }

    /// Makes it of twice as many cells along every direction.
    pub fn double(&mut self) {
        let counts: Vec<&mut usize> = match self {
            Self::Box(s) => s.cells.iter_mut().collect(),
            Self::Cook(s) => s.cells.iter_mut().collect(),
            Self::QuarterRing(s) => s.cells.iter_mut().collect(),
            Self::CurvedBeam(s) => s.cells.iter_mut().collect(),
            Self::TwistedBeam(s) => s.cells.iter_mut().collect(),
            Self::EllipticPlate(s) => s.cells.iter_mut().collect(),
            Self::Bar(s) => vec![&mut s.across],
            Self::LShape(s) => vec![&mut s.across],
            Self::NotchedBar(s) => vec![&mut s.across],
            Self::Cylinder(s) => vec![&mut s.core, &mut s.rings, &mut s.layers],
            Self::Tube(s) => vec![&mut s.radial, &mut s.around, &mut s.layers],
            Self::Sphere(s) => vec![&mut s.core, &mut s.rings],
            Self::HollowSphere(s) => vec![&mut s.across, &mut s.radial],
            Self::Torus(s) => vec![&mut s.core, &mut s.rings, &mut s.around],
        };
        for count in counts {
            *count = count.saturating_mul(2);
        }
    }
}

fn unknown(name: &str) -> MeshError {
    let names: Vec<&str> = Shape::NAMES.iter().map(|(name, _)| *name).collect();
    let message = format!("there is no shape '{name}'");
    MeshError::new(ErrorKind::Unsupported, message).hint(format!("known are {}", names.join(", ")))
}
