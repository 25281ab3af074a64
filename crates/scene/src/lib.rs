//! Scene files, and runs of what they describe.
//!
//! A [`Scene`] is all that a file says, in SI units; a [`Simulation`] is a scene with its meshes, ready to
//! move; [`run::run`] moves it to its end and writes frames, history, checkpoints and a summary.
//!
//! ```
//! use pliant_scene::{Scene, Simulation};
//! let text = r#"
//! [body.ball]
//! mesh = { shape = "sphere", radius = "10 cm", core = 2, rings = 1 }
//! material = { law = "stable-neo-hookean", young = "50 kPa" }
//! [time]
//! step = "10 ms"
//! end = "30 ms"
//! "#;
//! let scene = Scene::parse(text, "ball.toml".as_ref())?;
//! let mut simulation = Simulation::build(&scene)?;
//! while !simulation.is_done() {
//!     simulation.step()?;
//! }
//! assert!((simulation.state().time - 0.03).abs() < 1e-12);
//! # Ok::<(), pliant_scene::SceneError>(())
//! ```

mod attachment;
mod body;
mod build;
pub mod builtin;
mod cell_quantity;
mod checkpoint;
mod constraint;
mod curve;
mod document;
mod error;
mod expression;
mod folder;
mod formats;
mod frames;
mod history;
mod load;
mod material;
mod mesh;
mod model;
mod motion;
mod obstacle;
mod odd;
mod output;
mod probe;
mod record;
mod recorder;
pub mod report;
mod restriction;
mod retry;
pub mod run;
mod save;
mod scene;
pub mod schema;
mod select;
mod simulation;
mod summary;
mod surface;
mod table;
mod time;
pub mod vega;

pub use attachment::AttachmentSpec;
pub use body::{BodySpec, DampingSpec, Hold, Initial, ReducedSpec, RegionSpec};
pub use cell_quantity::{CellDataRef, CellQuantity, FormulaRef};
pub use constraint::{ConstraintKind, ConstraintSpec};
pub use error::{Details, Place, SceneError};
pub use folder::{Folder, Origin};
pub use formats::FrameFormat;
pub use frames::file_names;
pub use load::{LoadKind, LoadSpec};
pub use material::{MaterialConstants, MaterialKind, MaterialSpec, SpringStiffness};
pub use mesh::MeshSpec;
pub use obstacle::ObstacleSpec;
pub use output::OutputSpec;
pub use pliant_model::{Body, Matrices, Probe, StressModel, Support};
pub use probe::{ProbeAt, ProbeSpec};
pub use recorder::Recorder;
pub use retry::{MOST_PARTS, Retries};
pub use scene::Scene;
pub use select::Selection;
pub use simulation::{Simulation, Tally};
pub use summary::{
    BodySummary, EnergySummary, MomentumSummary, PhaseSummary, ProbeSummary, Summary,
};
pub use surface::{Surface, SurfaceSpec};
pub use time::{Analysis, TimeSpec};
