//! What most programs begin with: meshes, materials, bodies and worlds, and the methods that move them.
//!
//! ```
//! use pliant::prelude::*;
//!
//! let mesh = BoxShape { cells: [2, 2, 2], ..BoxShape::default() }.generate()?;
//! let mut builder = WorldBuilder::new();
//! let jelly = Elastic::young("stable-neo-hookean", 5e3, 0.45)?;
//! let cube = builder.add(BodyBuilder::new("cube", mesh).material(jelly))?;
//! builder.fix(cube, "y-min")?;
//! let mut world = builder.build()?;
//! let k = world.stiffness()?;
//! assert_eq!(k.rows(), 3 * world.body(cube).mesh.vertex_count());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::algebra::sparse::Csr;
pub use crate::algebra::vec3::Vec3;
pub use crate::dynamics::{
    Integrator as _, IntegratorName, Ledger, Motion, Options, Role, StaticMethod, StaticOptions,
};
pub use crate::forces::loads::{LoadField, TimeCurve};
pub use crate::forces::{ElementName, Stress};
pub use crate::materials::{Constants, Material};
pub use crate::mesh::VolumeMesh;
pub use crate::mesh::generate::{BoxShape, CellChoice};
pub use crate::mesh::io::read_volume;
pub use crate::model::{
    Barrier, Body, BodyBuilder, BodyId, Damping, Elastic, Initial, Joint, Load, LoadKind, MassKind,
    Matrices, ModelError, Numbering, Probe, Rule, Select, SpringDamping, SpringNetwork,
    VaryingLoad, Weight, World, WorldBuilder,
};
pub use crate::scene::{Scene, Simulation};
