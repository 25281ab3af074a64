//! [`Summary`]: the result of a run in numbers; `summary.json` is made of it and read back into it.

use pliant_algebra::vec3::Vec3;
use pliant_solvers::SolverUse;
use serde_json::{Value, json};

use super::keys::{Keys, vector};
pub use super::summary_parts::{NormSummary, PhaseSummary};
use super::summary_parts::{norms_json, norms_of, solver_json, solver_of, stages};
use crate::build::simulation::Simulation;
use crate::run::depth::Depth;
use crate::run::touching::{
    ContactForces, ContactTally, contact_forces_of, contact_json, contact_of,
};
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;

/// The result of a run in numbers, SI.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The title of the scene.
    pub scene: String,
    /// One for each body, in the order of the scene.
    pub bodies: Vec<BodySummary>,
    /// Vertices of all bodies.
    pub vertices: usize,
    /// Cells of all bodies.
    pub cells: usize,
    /// `"dynamic"`, `"static"` or `"quasi-static"`.
    pub analysis: String,
    /// The integrator by name; none where there are no steps in time.
    pub integrator: Option<String>,
    /// The time step of the scene, s.
    pub step: f64,
    /// Steps made, those before a checkpoint included.
    pub steps: u64,
    /// Simulated time, s.
    pub simulated_seconds: f64,
    /// Time on the clock, since the run was started or resumed, s.
    pub wall_seconds: f64,
    /// True if the run came to its end.
    pub converged: bool,
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Iterations of the linear solver.
    pub linear_iterations: u64,
    /// Factorisations, or preconditioners made.
    pub factorizations: u64,
    /// Evaluations of the forces.
    pub force_evaluations: u64,
    /// The methods that solved linear systems, and why these; none where there were no such systems.
    pub solver: Option<SolverUse>,
    /// Attempts at steps that failed and were divided.
    pub retries: u64,
    /// Steps that were divided.
    pub divided_steps: u64,
    /// When the first of them began, s.
    pub first_divided: Option<f64>,
    /// When the last of them began, s.
    pub last_divided: Option<f64>,
    /// The shortest part of a divided step, s.
    pub shortest_step: Option<f64>,
    /// The greatest depth of a vertex inside an obstacle or another body, m; none without obstacles and contact.
    pub greatest_depth: Option<f64>,
    /// Contact between bodies; none where the scene has none.
    pub contact: Option<ContactTally>,
    /// Forces of contact between bodies at the end.
    pub contact_forces: ContactForces,
    /// The smallest J = det F of all quadrature points at the end; none where no body has elements.
    pub min_j: Option<f64>,
    /// Quadrature points that are inverted at the end, J ≤ 0.
    pub inverted_points: u64,
    /// Whether the state of rest at the end is stable; none in motion, and where it is not known.
    pub stable: Option<bool>,
    /// Negative eigenvalues of the tangent of a state of rest that is not stable; none where they were not counted.
    pub negative_pivots: Option<usize>,
    /// Energies at the end, and what became of them.
    pub energy: EnergySummary,
    /// Linear (kg m/s) and angular momentum about the origin (kg m²/s) at the end.
    pub momentum: MomentumSummary,
    /// Probes at the end, in the order of the scene.
    pub probes: Vec<ProbeSummary>,
    /// Norms of fields at the end, in the order of the scene.
    pub norms: Vec<NormSummary>,
    /// Stages in their order; none where the run is one.
    pub stages: Vec<StageSummary>,
    /// What is odd about the scene, and what the run has shown to be odd.
    pub warnings: Vec<String>,
    /// The version that made it.
    pub pliant: String,
    /// Where the time went; none where nobody looked at the clock.
    pub phases: Option<PhaseSummary>,
    /// The fingerprint of the scene, 16 hexadecimal digits.
    pub fingerprint: Option<String>,
    /// Threads that computed.
    pub threads: Option<usize>,
    /// The step of the checkpoint that the run went on from, if it was resumed.
    pub resumed_at: Option<u64>,
    /// Why the run could not go on, if it could not.
    pub error: Option<String>,
}

/// A stage of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct StageSummary {
    /// Its name.
    pub name: String,
    /// What was sought.
    pub analysis: String,
    /// The method, where it steps in time.
    pub integrator: Option<String>,
    /// When it ends, s.
    pub end: f64,
    /// The number of its last step.
    pub last_step: u64,
    /// Whether the run has come to its end.
    pub done: bool,
}

/// A body of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct BodySummary {
    /// Its name.
    pub name: String,
    /// Vertices of its mesh.
    pub vertices: usize,
    /// Cells of its mesh.
    pub cells: usize,
    /// Its element by name.
    pub element: String,
    /// How its mass is spread: "lumped" or "consistent".
    pub mass: String,
    /// How deep it was inside obstacles; none without obstacles.
    pub depth: Option<DepthSummary>,
}

/// How deep a body was inside obstacles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthSummary {
    /// The greatest depth of a vertex, m.
    pub greatest: f64,
    /// The same as a part of the thickness of the body.
    pub part: f64,
    /// When that was, s.
    pub time: f64,
    /// The depth at the end, m.
    pub end: f64,
}

/// Energies, J. Those that depend on the potential of the inner forces are none where there is no such potential.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergySummary {
    /// ½ v·M v.
    pub kinetic: f64,
    /// Stored in the material, but for what is in `memory`.
    pub elastic: Option<f64>,
    /// Stored in the material, of what relaxes with time; none where nothing remembers, or it is not known.
    pub memory: Option<f64>,
    /// Of the masses in the field of gravity.
    pub gravity: f64,
    /// Of obstacles and attachments.
    pub other: f64,
    /// SolverUse away by damping.
    pub dissipated: Option<f64>,
    /// Put in by loads and by supports that move.
    pub external_work: f64,
    /// Lost by the method; none for states of rest, which are not reached by a motion.
    pub numerical_loss: Option<f64>,
}

impl EnergySummary {
    /// Its keys and values, in the order of `summary.json`.
    pub fn entries(&self) -> Vec<(&'static str, Option<f64>)> {
        let mut list = vec![
            ("kinetic", Some(self.kinetic)),
            ("elastic", self.elastic),
            ("gravity", Some(self.gravity)),
            ("other", Some(self.other)),
            ("dissipated", self.dissipated),
            ("external_work", Some(self.external_work)),
            ("numerical_loss", self.numerical_loss),
        ];
        if self.memory.is_some() {
            list.insert(2, ("memory", self.memory));
        }
        list
    }
}

/// Momenta of all bodies together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentumSummary {
    /// kg m/s
    pub linear: Vec3,
    /// About the origin, kg m²/s.
    pub angular: Vec3,
}

/// A probe at the end.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeSummary {
    /// Its name.
    pub name: String,
    /// Where it is, m.
    pub position: Vec3,
    /// How far it has moved, m.
    pub displacement: Vec3,
}

impl Summary {
    /// Of a simulation as it is now.
    pub(crate) fn of(scene: &Scene, simulation: &mut Simulation, wall_seconds: f64) -> Self {
        let b = simulation.balance();
        let inner = simulation.has_energy();
        // A state of rest was not reached by a motion: nothing was lost on the way.
        let moves = scene.time.analysis == Analysis::Dynamic;
        let (linear, angular) = simulation.momenta();
        let tally = simulation.tally();
        let retries = tally.retries;
        let divided = |value: f64| (retries.steps > 0).then_some(value);
        let seen = simulation.inspect().unwrap_or(None);
        let (stable, negative_pivots) = (simulation.stable(), simulation.negative_pivots());
        let contact_forces = simulation.contact_forces();
        let state = simulation.state();
        let probe = |probe: &pliant_model::Probe| ProbeSummary {
            name: probe.name.clone(),
            position: probe.at(&state.x),
            displacement: simulation.displacement(probe),
        };
        let depth = |d: &Depth| {
            let (greatest, part, time, end) = (d.greatest, d.part(), d.time, d.now);
            (!scene.obstacles.is_empty()).then_some(DepthSummary { greatest, part, time, end })
        };
        let body = |(b, d): (&pliant_model::Body, &Depth)| BodySummary {
            name: b.name.clone(),
            vertices: b.mesh.vertex_count(),
            cells: b.mesh.cell_count(),
            element: b.element.name().to_owned(),
            mass: b.mass_kind().name().to_owned(),
            depth: depth(d),
        };
        let depths = simulation.depths();
        let steps_in_time = scene.time.analysis != Analysis::Static;
        Self {
            scene: scene.title.clone(),
            bodies: simulation.bodies.iter().zip(depths).map(body).collect(),
            vertices: simulation.vertices(),
            cells: simulation.cells(),
            analysis: scene.time.analysis.name().to_owned(),
            integrator: steps_in_time.then(|| scene.time.integrator.name().to_owned()),
            step: scene.time.step,
            steps: state.steps,
            simulated_seconds: state.time,
            wall_seconds,
            converged: false,
            newton_iterations: tally.newton_iterations,
            linear_iterations: tally.linear_iterations,
            factorizations: tally.factorizations,
            force_evaluations: tally.evaluations,
            solver: simulation.linear_solver(),
            retries: retries.attempts,
            divided_steps: retries.steps,
            first_divided: divided(retries.first),
            last_divided: divided(retries.last),
            shortest_step: divided(retries.shortest),
            greatest_depth: depths
                .iter()
                .filter_map(depth)
                .map(|d| d.greatest)
                .chain(simulation.contact().map(|c| c.greatest_depth()))
                .reduce(f64::max),
            contact: simulation.contact(),
            contact_forces,
            min_j: seen.map(|seen| seen.min_j),
            inverted_points: seen.map_or(0, |seen| seen.inverted),
            stable,
            negative_pivots,
            energy: EnergySummary {
                kinetic: b.energies.kinetic,
                elastic: inner.then_some(b.energies.elastic),
                memory: (inner && simulation.remembers()).then_some(b.energies.memory),
                gravity: b.energies.gravity,
                other: b.energies.other,
                dissipated: inner.then_some(b.dissipated),
                external_work: b.external_work,
                numerical_loss: (inner && moves).then_some(b.numerical_loss),
            },
            momentum: MomentumSummary { linear, angular },
            probes: simulation.probes.iter().map(probe).collect(),
            norms: simulation.norms.iter().map(|norm| NormSummary::of(norm, state)).collect(),
            stages: stages(scene, state.steps),
            warnings: simulation.warnings.clone(),
            pliant: env!("CARGO_PKG_VERSION").to_owned(),
            phases: None,
            fingerprint: None,
            threads: None,
            resumed_at: None,
            error: None,
        }
    }

    /// As `summary.json`, with the keys that scripts rely on. Numbers that are not finite are null.
    pub fn to_json(&self) -> Value {
        let body = |b: &BodySummary| {
            let mut entry = json!({
                "name": b.name, "vertices": b.vertices, "cells": b.cells, "element": b.element,
                "mass": b.mass,
            });
            if let Some(DepthSummary { greatest, part, time, end }) = b.depth {
                entry["depth"] =
                    json!({"greatest": greatest, "part": part, "time": time, "end": end});
            }
            entry
        };
        let probe = |p: &ProbeSummary| {
            let entry = json!({"position": p.position, "displacement": p.displacement});
            (p.name.clone(), entry)
        };
        let energy = self.energy.entries().into_iter();
        let energy = energy.map(|(key, value)| (key.to_owned(), json!(value)));
        let mut document = json!({
            "scene": self.scene,
            "bodies": self.bodies.iter().map(body).collect::<Vec<_>>(),
            "vertices": self.vertices,
            "cells": self.cells,
            "analysis": self.analysis,
            "integrator": self.integrator,
            "step": self.step,
            "steps": self.steps,
            "simulated_seconds": self.simulated_seconds,
            "wall_seconds": self.wall_seconds,
            "converged": self.converged,
            "newton_iterations": self.newton_iterations,
            "linear_iterations": self.linear_iterations,
            "factorizations": self.factorizations,
            "force_evaluations": self.force_evaluations,
            "solver": self.solver.as_ref().map(solver_json),
            "retries": self.retries,
            "divided_steps": self.divided_steps,
            "first_divided": self.first_divided,
            "last_divided": self.last_divided,
            "shortest_step": self.shortest_step,
            "greatest_depth": self.greatest_depth,
            "min_j": self.min_j,
            "inverted_points": self.inverted_points,
            "stable": self.stable,
            "negative_pivots": self.negative_pivots,
            "energy": Value::Object(energy.into_iter().collect()),
            "momentum": {"linear": self.momentum.linear, "angular": self.momentum.angular},
            "probes": Value::Object(self.probes.iter().map(probe).collect()),
            "warnings": self.warnings,
            "pliant": self.pliant,
        });
        // These are there only where they say something.
        if !self.norms.is_empty() {
            document["norms"] = norms_json(&self.norms);
        }
        if !self.stages.is_empty() {
            let stage = |s: &StageSummary| {
                json!({
                    "name": s.name, "analysis": s.analysis, "integrator": s.integrator,
                    "end": s.end, "last_step": s.last_step, "done": s.done,
                })
            };
            document["stages"] = self.stages.iter().map(stage).collect();
        }
        if let Some(phases) = &self.phases {
            let list = phases.entries().map(|(key, value)| (key.to_owned(), json!(value)));
            document["phases"] = Value::Object(list.into_iter().collect());
        }
        let others = [
            ("contact", self.contact.map(|tally| contact_json(tally, &self.contact_forces))),
            ("fingerprint", self.fingerprint.clone().map(Value::from)),
            ("threads", self.threads.map(Value::from)),
            ("resumed_at", self.resumed_at.map(Value::from)),
            ("error", self.error.clone().map(Value::from)),
        ];
        for (key, value) in others {
            if let Some(value) = value {
                document[key] = value;
            }
        }
        document
    }

    /// Reads what [`Summary::to_json`] made; none if it is something else. Keys that an older version did not write
    /// are zero, or none.
    pub fn from_json(document: &Value) -> Option<Self> {
        let keys = Keys(document.as_object()?);
        let energy = Keys(document["energy"].as_object()?);
        let bodies = document["bodies"].as_array().map(Vec::as_slice).unwrap_or_default();
        let body = |b: &Value| {
            let keys = Keys(b.as_object()?);
            Some(BodySummary {
                name: keys.word("name")?,
                vertices: keys.whole_or_0("vertices") as usize,
                cells: keys.whole_or_0("cells") as usize,
                element: keys.word("element").unwrap_or_default(),
                mass: keys.word("mass").unwrap_or_default(),
                depth: b["depth"].as_object().map(|depth| {
                    let of = |key: &str| Keys(depth).or_nan(key);
                    DepthSummary {
                        greatest: of("greatest"),
                        part: of("part"),
                        time: of("time"),
                        end: of("end"),
                    }
                }),
            })
        };
        let probe = |(name, p): (&String, &Value)| ProbeSummary {
            name: name.clone(),
            position: vector(&p["position"]),
            displacement: vector(&p["displacement"]),
        };
        let phases = document["phases"].as_object().map(|phases| {
            let of = |key: &str| Keys(phases).real(key).unwrap_or(0.0);
            PhaseSummary {
                setup: of("setup"),
                residuals: of("residuals"),
                jacobians: of("jacobians"),
                factorizations: of("factorizations"),
                linear_solves: of("linear_solves"),
                rest_of_steps: of("rest_of_steps"),
                output: of("output"),
            }
        });
        let stage = |s: &Value| {
            let keys = Keys(s.as_object()?);
            Some(StageSummary {
                name: keys.word("name")?,
                analysis: keys.word("analysis").unwrap_or_default(),
                integrator: keys.word("integrator"),
                end: keys.or_nan("end"),
                last_step: keys.whole_or_0("last_step"),
                done: s["done"].as_bool()?,
            })
        };
        let stages = document["stages"].as_array().into_iter().flatten();
        let warnings = document["warnings"].as_array().into_iter().flatten();
        Some(Self {
            scene: keys.word("scene")?,
            bodies: bodies.iter().map(body).collect::<Option<_>>()?,
            vertices: keys.whole_or_0("vertices") as usize,
            cells: keys.whole_or_0("cells") as usize,
            analysis: keys.word("analysis").unwrap_or_default(),
            integrator: keys.word("integrator"),
            step: keys.or_nan("step"),
            steps: keys.whole_or_0("steps"),
            simulated_seconds: keys.or_nan("simulated_seconds"),
            wall_seconds: keys.or_nan("wall_seconds"),
            converged: document["converged"].as_bool()?,
            newton_iterations: keys.whole_or_0("newton_iterations"),
            linear_iterations: keys.whole_or_0("linear_iterations"),
            factorizations: keys.whole_or_0("factorizations"),
            force_evaluations: keys.whole_or_0("force_evaluations"),
            solver: document["solver"].as_object().and_then(|s| solver_of(&Keys(s))),
            retries: keys.whole_or_0("retries"),
            divided_steps: keys.whole_or_0("divided_steps"),
            first_divided: keys.real("first_divided"),
            last_divided: keys.real("last_divided"),
            shortest_step: keys.real("shortest_step"),
            greatest_depth: keys.real("greatest_depth"),
            contact: contact_of(&document["contact"]),
            contact_forces: contact_forces_of(&document["contact"]),
            min_j: keys.real("min_j"),
            inverted_points: keys.whole_or_0("inverted_points"),
            stable: document["stable"].as_bool(),
            negative_pivots: document["negative_pivots"].as_u64().map(|n| n as usize),
            energy: EnergySummary {
                kinetic: energy.or_nan("kinetic"),
                elastic: energy.real("elastic"),
                memory: energy.real("memory"),
                gravity: energy.or_nan("gravity"),
                other: energy.or_nan("other"),
                dissipated: energy.real("dissipated"),
                external_work: energy.or_nan("external_work"),
                numerical_loss: energy.real("numerical_loss"),
            },
            momentum: MomentumSummary {
                linear: vector(&document["momentum"]["linear"]),
                angular: vector(&document["momentum"]["angular"]),
            },
            probes: document["probes"].as_object().into_iter().flatten().map(probe).collect(),
            norms: norms_of(&document["norms"]),
            stages: stages.map(stage).collect::<Option<_>>()?,
            warnings: warnings.filter_map(Value::as_str).map(str::to_owned).collect(),
            pliant: keys.word("pliant").unwrap_or_default(),
            phases,
            fingerprint: keys.word("fingerprint"),
            threads: keys.whole("threads").map(|n| n as usize),
            resumed_at: keys.whole("resumed_at"),
            error: keys.word("error"),
        })
    }
}
