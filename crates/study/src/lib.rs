//! Many runs of one scene: [`compare`](fn@compare) varies methods, steps, solvers, meshes or any other key and
//! measures errors and costs against a reference solution; [`converge`](fn@converge) refines step and mesh and
//! estimates how far the scene is from its limit.
//!
//! [`NamedStudy`] runs what a source claims, with its numbers beside ours.
//!
//! Runs are independent of each other and made in parallel, one thread each, so that numbers are the same as
//! one by one.
//!
//! ```
//! use pliant_scene::Origin;
//! use pliant_study::{Axis, Plan, compare};
//! let origin = Origin { scene: "bar".into(), sets: vec!["time.end=0.02".into(), "body.bar.mesh.across=1".into()] };
//! let axes = [Axis::integrators("backward-euler,implicit-midpoint")?, Axis::steps("10 ms,5 ms")?];
//! let plan = Plan::new(&origin, &axes, None)?;
//! let comparison = compare(&plan, None, 2, &|_| true)?;
//! assert_eq!(comparison.rows.len(), 4);
//! assert!(comparison.rows[3].error < comparison.rows[1].error);
//! # Ok::<(), pliant_scene::SceneError>(())
//! ```

mod axis;
mod case;
mod clock;
mod compare;
mod converge;
mod execute;
mod folder;
mod named;
mod order;
mod outcome;
mod page;
mod picture;
mod plan;
mod pool;
mod reference;
mod table;

pub use axis::Axis;
pub use compare::{Comparison, ErrorBy, ReferenceRun, Row, compare};
pub use converge::{Convergence, Estimate, Level, Refine, Refinement, Sequence, converge};
pub use folder::StudyFolder;
pub use named::NamedStudy;
pub use order::{Richardson, Theory, Verdict, observed};
pub use outcome::{Outcome, Status};
pub use plan::Plan;
pub use pool::Progress;
pub use reference::Reference;
