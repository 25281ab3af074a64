//! Bodies and worlds: meshes, materials, supports and loads put together, in the user's numbering.
//!
//! A [`BodyBuilder`] says what a body is made of. A [`WorldBuilder`] makes bodies of them, holds, pushes and joins
//! them, and binds everything to one [`System`](pliant_dynamics::System) with its state: a [`World`]. Vertices and
//! cells have the numbers of their meshes throughout; inside they are numbered for locality, and [`Numbering`] leads
//! there and back.
//!
//! ```
//! use pliant_dynamics::{IntegratorName, Options};
//! use pliant_mesh::generate::BoxShape;
//! use pliant_model::{BodyBuilder, Elastic, WorldBuilder};
//!
//! let mesh = BoxShape { size: [1.0, 0.2, 0.2], cells: [5, 1, 1], ..BoxShape::default() }.generate()?;
//! let mut builder = WorldBuilder::new();
//! let rubber = Elastic::young("neo-hookean", 1e6, 0.45)?;
//! let bar = builder.add(BodyBuilder::new("bar", mesh).material(rubber))?;
//! builder.gravity([0.0, -9.81, 0.0]).fix(bar, "x-min")?;
//! let mut world = builder.build()?;
//! let mut integrator = IntegratorName::BackwardEuler.build(&Options::default())?;
//! world.step(&mut *integrator, 0.01)?;
//! assert!(world.displacements(bar).iter().all(|u| u[1] <= 0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attach;
mod body;
mod builder;
mod contact;
mod contact_fields;
mod contact_mode;
mod elastic;
mod error;
mod faces;
mod load;
mod matrices;
mod meeting;
mod numbering;
mod obstacle;
mod probe;
mod rubbing;
mod scenery;
mod select;
mod skin;
mod stress;
mod support;
mod surface;
mod varying_load;
mod weight;
mod world;

pub use attach::Joint;
pub use body::{Body, Initial};
pub use builder::{BodyBuilder, DENSITY, Damping, MassKind, SpringDamping, SpringNetwork};
pub use contact::Contact;
pub use contact_fields::ContactFields;
pub use contact_mode::ContactMode;
pub use elastic::{ActiveFibres, CellConstants, Elastic};
pub use error::ModelError;
pub use faces::CellFaces;
pub use load::{Load, LoadKind};
pub use matrices::Matrices;
pub use meeting::{Meeting, Overlap};
pub use numbering::Numbering;
pub use obstacle::{Barrier, FRICTION};
pub use probe::Probe;
pub use rubbing::{Between, Pairing};
pub use scenery::Scenery;
pub use select::{FaceTest, PlaceTest, Rule, Select};
pub use stress::StressModel;
pub use support::{AXES, Support, moments, reactions};
pub use surface::CollisionSurface;
pub use varying_load::VaryingLoad;
pub use weight::Weight;
pub use world::{BodyId, World, WorldBuilder};
