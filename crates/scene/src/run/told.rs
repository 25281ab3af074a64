//! Errors of steps as people read them: one sentence, numbers behind it, and one thing to do. Vertices and cells are those of the meshes of
//! bodies, which are called by their names.

use pliant_dynamics::{BlowUp, DynamicsError};
use pliant_forces::ForceError;
use pliant_model::{Body, Scenery};
use pliant_solvers::SolverError;
use pliant_units::{number, si, vector};

use crate::error::SceneError;

/// Numbers of the system as those of bodies.
pub(crate) struct Names<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) scenery: &'a [Scenery],
    /// True if block rows of matrices stand for the vertices of the system.
    pub(crate) rows_are_vertices: bool,
}

impl Names<'_> {
    /// A vertex of the system.
    pub(crate) fn vertex(&self, vertex: usize) -> String {
        match self.bodies.iter().find(|b| b.range.contains(&vertex)) {
            Some(body) => format!("vertex {} of body '{}'", body.user_vertex(vertex), body.name),
            None => match self.scenery.iter().find(|s| s.range.contains(&vertex)) {
                Some(s) => format!("vertex {} of obstacle '{}'", vertex - s.range.start, s.name),
                None => "a vertex".to_owned(),
            },
        }
    }

    /// A block row of a matrix.
    fn row(&self, row: usize) -> String {
        if self.rows_are_vertices { self.vertex(row) } else { "an unknown".to_owned() }
    }

    /// The law of the body that begins with a vertex of the system.
    fn law(&self, first_vertex: usize) -> String {
        let body = self.bodies.iter().find(|b| b.range.contains(&first_vertex));
        match body.map(Body::law_names).as_deref() {
            Some([law]) => (*law).clone(),
            _ => "its law".to_owned(),
        }
    }

    /// A cell of the body that begins with a vertex of the system.
    fn cell(&self, first_vertex: usize, cell: usize) -> String {
        match self.bodies.iter().find(|b| b.range.contains(&first_vertex)) {
            Some(body) => format!("cell {cell} of body '{}'", body.name),
            None => format!("cell {cell}"),
        }
    }
}

/// What is said about an error.
#[derive(Default)]
struct Told {
    what: String,
    numbers: Vec<String>,
    action: Option<String>,
}

impl Told {
    fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), ..Self::default() }
    }

    fn number(mut self, text: impl Into<String>) -> Self {
        self.numbers.push(text.into());
        self
    }

    fn action(mut self, text: impl Into<String>) -> Self {
        self.action = Some(text.into());
        self
    }
}

/// The error of a scene; `begin` stands before the sentence.
pub(crate) fn tell(error: DynamicsError, begin: &str, names: &Names<'_>) -> SceneError {
    let Told { what, numbers, action } = told(&error, names);
    let mut text = format!("{begin}{what}");
    if !numbers.is_empty() {
        text += &format!(" ({})", numbers.join("; "));
    }
    let mut scene_error = SceneError::from(error).told(text);
    if let Some(action) = action {
        scene_error = scene_error.hint(action);
    }
    scene_error
}

fn stretches([a, b, c]: [f64; 3]) -> String {
    format!("stretches {}, {}, {}", number(a), number(b), number(c))
}

fn told(error: &DynamicsError, names: &Names<'_>) -> Told {
    match error {
        DynamicsError::Failed { time, step, vertex, speed, cause, report } => {
            let mut all = told(cause, names);
            all.what = format!("the step from t = {} failed: {}", si(*time, "s"), all.what);
            all.numbers.push(format!("the step is {}", si(*step, "s")));
            if *speed > 0.0 {
                let fastest = format!("{} at {}", names.vertex(*vertex), si(*speed, "m/s"));
                all.numbers.push(format!("fastest before it was {fastest}"));
            }
            // What is in the way is no matter of how long steps are.
            let own = all.action.clone().filter(|_| is_blocked(cause));
            if let Some(report) = report {
                add_report(&mut all, report, names);
            }
            all.action = own.or(all.action);
            all
        }
        DynamicsError::Load { factor, increments, cause } => {
            let mut all = told(cause, names);
            all.what = format!(
                "the load could be brought to {} % of itself only: {}",
                number(100.0 * factor),
                all.what
            );
            all.number(format!("after {increments} increments"))
        }
        DynamicsError::StepTooSmall { time, step, smallest, trials, cause } => {
            let mut all = Told::new(format!("at t = {} no step is short enough", si(*time, "s")))
                .number(format!(
                    "{} after {trials} trials, and {} is the shortest allowed",
                    si(*step, "s"),
                    si(*smallest, "s")
                ))
                .action("loosen time.tolerance, or smooth what jumps at this time");
            if let Some(cause) = cause {
                let last = told(cause, names);
                all.what += &format!(": {}", last.what);
                all.numbers.extend(last.numbers);
            }
            all
        }
        DynamicsError::NotConverged { iterations, residual, wanted, scale, change } => {
            Told::new("Newton's method did not converge")
                .number(format!("|r| = {} after {iterations} iterations", si(*residual, "N")))
                .number(format!("wanted {}", si(*wanted, "N")))
                .number(format!("largest force {}", si(*scale, "N")))
                .number(format!("last change {}", si(*change, "m")))
                .action("take a smaller step or smaller load steps, or allow more iterations")
        }
        DynamicsError::Stuck { iteration, residual, wanted, trials, shortest, merit, inverted } => {
            let about = if inverted.is_some() { ": an element is about to invert" } else { "" };
            Told::new(format!("Newton's method is stuck, as no shorter step lowers {merit}{about}"))
                .number(format!("|r| = {} in iteration {iteration}", si(*residual, "N")))
                .number(format!("wanted {}", si(*wanted, "N")))
                .number(format!("{trials} lengths tried, down to {}", number(*shortest)))
                .action("take a smaller step")
        }
        DynamicsError::InsideOut { element, first_vertex, jacobian, stretches: s, .. } => {
            let cell = names.cell(*first_vertex, *element);
            let text = "turned inside out, which its law is not made for";
            Told::new(format!("forces balance only with {cell} {text}"))
                .number(format!("J = {}", number(*jacobian)))
                .number(stretches(*s))
                .action("lower the load, or take the invertible form of the material")
        }
        DynamicsError::NotFinite { what, vertex, .. } => {
            Told::new(format!("the {what} of {} is not finite", names.vertex(*vertex)))
                .action("take a smaller step")
        }
        DynamicsError::Force(ForceError::Inverted { element, jacobian, first_vertex, .. }) => {
            let (cell, law) = (names.cell(*first_vertex, *element), names.law(*first_vertex));
            Told::new(format!("{cell} is inverted or collapsed, which {law} cannot take"))
                .number(format!("J = {}", number(*jacobian)))
                .action("take a smaller step, or the invertible form of the material")
        }
        DynamicsError::Force(ForceError::NotFinite { vertex, .. }) => {
            Told::new(format!("the position of {} is not finite any more", names.vertex(*vertex)))
                .action("take a smaller step")
        }
        DynamicsError::Force(ForceError::Blocked { vertex, other, place }) => {
            let (vertex, other) = (names.vertex(*vertex), names.vertex(*other));
            Told::new(format!(
                "{vertex} cannot go on without passing through the surface at {other}"
            ))
            .number(format!("at {}", vector(*place, "m")))
            .action("stop what drives it there, or let one of both give way; where it is fast, take a smaller step")
        }
        DynamicsError::Force(ForceError::Intersecting { edge, triangle, place }) => {
            let [a, b] = edge.map(|v| names.vertex(v));
            let [c, d, e] = triangle.map(|v| names.vertex(v));
            Told::new(format!(
                "the edge from {a} to {b} passes through the triangle of {c}, {d} and {e}"
            ))
            .number(format!("at {}", vector(*place, "m")))
            .action("take a smaller step")
        }
        DynamicsError::Force(ForceError::Obstacle { vertex, obstacle, place, inside }) => {
            let vertex = names.vertex(*vertex);
            let does = if *inside { "is inside" } else { "cannot go on without entering" };
            Told::new(format!("{vertex} {does} obstacle '{obstacle}'"))
                .number(format!("at {}", vector(*place, "m")))
                .action("stop what drives it there, or let one of both give way; where it is fast, take a smaller step")
        }
        DynamicsError::Linear(error) => linear(error, names),
        DynamicsError::Unheld { vertex, way, rounds } => {
            let vertex = names.vertex(*vertex);
            Told::new(format!("nothing stops {vertex}, so that it has no state of rest"))
                .number(format!("followed for {rounds} rounds"))
                .number(format!("still moving by {}", vector(*way, "m")))
                .action(
                    "fix the body, put something in its way, or give what it slides on friction",
                )
        }
        DynamicsError::Untouched { vertex } => Told::new(format!(
            "the body of {} touches nothing where forces balance, and nothing else holds it",
            names.vertex(*vertex)
        ))
        .action("fix the body, or press something on it"),
        DynamicsError::Unsettled { rounds, vertex, moved, residual, scale } => {
            Told::new("areas of contact and normal forces of friction go on changing")
                .number(format!("after {rounds} rounds {} moves", names.vertex(*vertex)))
                .number(format!("by {} in the last one", si(*moved, "m")))
                .number(format!("|r| = {} at its end", si(*residual, "N")))
                .number(format!("largest force {}", si(*scale, "N")))
                .action("take smaller load steps, a larger contact.distance, or less friction")
        }
        other => Told::new(other.to_string()),
    }
}

/// True of what ended as a surface or an obstacle was in the way.
fn is_blocked(error: &DynamicsError) -> bool {
    let force = |e: &ForceError| {
        matches!(e, ForceError::Blocked { .. } | ForceError::Obstacle { inside: false, .. })
    };
    match error {
        DynamicsError::Failed { cause, .. } | DynamicsError::Load { cause, .. } => {
            is_blocked(cause)
        }
        DynamicsError::Force(error) => force(error),
        _ => false,
    }
}

/// Where a step broke down, and what to try first.
fn add_report(all: &mut Told, report: &BlowUp, names: &Names<'_>) {
    if let Some(worst) = report.element {
        let kind = if worst.jacobian > 0.0 { "most compressed" } else { "first inverted" };
        let when = if report.at_start { " before the step" } else { "" };
        let cell = names.cell(report.first_vertex, worst.element);
        let j = number(worst.jacobian);
        all.numbers.push(format!("{kind}{when}: {cell}, J = {j}, {}", stretches(worst.stretches)));
    }
    if let [first, others @ ..] = &report.suggestions[..] {
        let mut text = format!("take {first}");
        for other in others {
            text += &format!(", or {other}");
        }
        all.action = Some(text);
    }
}

fn linear(error: &SolverError, names: &Names<'_>) -> Told {
    match error {
        SolverError::NotPositiveDefinite { vertex, axis, pivot } => {
            let axis = ["x", "y", "z"].get(*axis).copied().unwrap_or("x");
            let row = names.row(*vertex);
            Told::new(format!("a matrix is not positive definite at {row}, along {axis}"))
                .number(format!("the pivot is {}", number(*pivot)))
                .action("fix three vertices that are not on a line if the body is free; if it is compressed, take solver.linear = \"ldlt\"")
        }
        SolverError::Singular { vertex, remedy } => {
            Told::new(format!("a matrix is singular at {}", names.row(*vertex))).action(remedy)
        }
        SolverError::NotFinite { what, vertex } => {
            Told::new(format!("{what} of {} is not finite", names.row(*vertex)))
                .action("take a smaller step")
        }
        SolverError::NotConverged { solver, iterations, residual, tolerance, hint } => {
            Told::new(format!("{solver} did not converge"))
                .number(format!(
                    "relative residual {} after {iterations} iterations",
                    number(*residual)
                ))
                .number(format!("wanted {}", number(*tolerance)))
                .action(hint)
        }
        other => Told::new(other.to_string()),
    }
}
