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

mod build;
pub mod check;
mod error;
mod file;
mod output;
pub mod report;
pub mod run;
mod spec;

pub use build::norm::Norm;
pub use build::simulation::{Others, Simulation, Tally};
pub use build::surface::{Surface, SurfaceSpec};
pub use check::check;
pub use error::{Details, Location, SceneError};
pub use file::copies::CopyOf;
pub use file::{builtin, schema, vega};
pub use output::formats::FrameFormat;
pub use output::frames::file_names;
pub use pliant_model::ContactMode;
pub use pliant_model::{Body, FRICTION, Matrices, Probe, StressModel, Support};
pub use run::depth::{Depth, TOO_DEEP};
pub use run::folder::{Folder, INPUT, Origin};
pub use run::kept::Kept;
pub use run::recorder::Recorder;
pub use run::retry::{MOST_PARTS, Retries};
pub use run::summary::{
    BodySummary, DepthSummary, EnergySummary, MomentumSummary, NormSummary, PhaseSummary,
    ProbeSummary, StageSummary, Summary,
};
pub use run::touching::{ContactForces, ContactTally, PairForce};
pub use spec::attachment::AttachmentSpec;
pub use spec::between::BetweenSpec;
pub use spec::body::{BodySpec, DampingSpec, Hold, Initial, ReducedSpec, RegionSpec, StartFields};
pub use spec::cell_quantity::{CellDataRef, CellQuantity, FormulaRef};
pub use spec::constraint::{ConstraintKind, ConstraintSpec};
pub use spec::field::{NumberField, VectorField};
pub use spec::load::{LoadKind, LoadSpec, VaryingLoad};
pub use spec::material::{MaterialConstants, MaterialKind, MaterialSpec, SpringStiffness};
pub use spec::mesh::MeshSpec;
pub use spec::norm::{NormKind, NormOf, NormSpec};
pub use spec::obstacle::ObstacleSpec;
pub use spec::output::OutputSpec;
pub use spec::probe::{ProbeAt, ProbeSpec};
pub use spec::scene::Scene;
pub use spec::scenery::ScenerySpec;
pub use spec::select::Selection;
pub use spec::stage::StageSpec;
pub use spec::table::{TableAt, TableColumn, TableSpec, TableTimes};
pub use spec::time::{Analysis, TimeSpec};
