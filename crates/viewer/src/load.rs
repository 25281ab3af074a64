//! A scene as a session runs it: with what pages changed, with hands, and set up for steps within a frame.

use pliant_dynamics::{Form, Options, Projection};
use pliant_scene::{Analysis, BodySpec, MaterialKind, Origin, Scene, SceneError, Simulation};
use pliant_solvers::SolverName;

use crate::acting;
use crate::command::Setting;
use crate::controls::{
    AUTO, Control, LINEAR, NEWTON, NEWTON_TOLERANCE, controls, is_auto, is_conditional,
    tell_distance,
};

/// Newton's method stops here, relative to the forces: more cannot be seen.
const TOLERANCE: f64 = 1e-3;
/// Vertices up to which a factor is kept: beyond, making one takes longer than a frame.
const MOST_FACTORED: usize = 6000;
/// The same for bodies whose one factor serves for ever: here a solution must not take longer than a frame.
const MOST_LINEAR: usize = 30_000;
/// Linear systems need not be solved better than kept factors are true.
const ROUGH: f64 = 1e-3;
/// Steps of a run without end.
const ENDLESS: f64 = 1e9;

/// A scene that can be shown.
pub(crate) struct Loaded {
    pub(crate) made: Origin,
    pub(crate) scene: Scene,
    pub(crate) controls: Vec<Control>,
    /// With the models of [`acting`], of which nobody uses any yet.
    pub(crate) simulation: Simulation,
}

/// A scene with settings, checked against what may be set.
pub(crate) fn load(origin: &Origin, settings: &[(String, Setting)]) -> Result<Loaded, SceneError> {
    let mut origin = origin.for_page()?;
    let mut scene = origin.load()?;
    // Those that are there only if others are what they are come last.
    for conditional in [false, true] {
        let known = controls(&scene);
        let before = origin.sets.len();
        for (key, value) in settings {
            if is_conditional(key) != conditional || is_auto(key, value) {
                continue;
            }
            match known.iter().find(|c| c.key == *key) {
                Some(control) => origin.sets.push(control.set(value).map_err(SceneError::new)?),
                None if conditional => {}
                None => {
                    let text = format!("'{key}' of this scene cannot be changed");
                    return Err(SceneError::new(text));
                }
            }
        }
        if origin.sets.len() > before {
            scene = origin.load()?;
        }
    }
    if scene.time.analysis != Analysis::Static {
        scene.time.end = ENDLESS * scene.time.step;
    }
    // What every step needs within a frame: matrices that fast solvers take, and no digits that nobody sees.
    let newton = &mut scene.time.options.newton;
    if !settings.iter().any(|(key, _)| key == NEWTON_TOLERANCE) {
        newton.force_tolerance = newton.force_tolerance.max(TOLERANCE);
    }
    let projection = newton.projection;
    if projection == Projection::WhenNeeded {
        newton.projection = Projection::Always;
    }
    // As the scene has it: what is chosen below for the sake of speed is no setting.
    let mut controls = controls(&scene);
    let asked = |(key, value): &(String, Setting)| {
        [LINEAR, NEWTON].contains(&key.as_str()) && *value != Setting::Name(AUTO.into())
    };
    let asked = settings.iter().any(asked);
    let mut simulation = Simulation::build_with(&scene, acting::models())?;
    if !asked && keeps_factors(&scene, &simulation) {
        scene.time.options.newton.form = Form::KEPT;
        // A kept factor converges the faster the truer it is.
        scene.time.options.newton.projection = projection;
        scene.time.options.solver.solver = SolverName::CholeskySingle;
        let settings = &mut scene.time.options.solver.settings;
        if settings.tolerance == Options::default().solver.settings.tolerance {
            settings.tolerance = ROUGH;
        }
        simulation = Simulation::build_with(&scene, acting::models())?;
    }
    tell_distance(&mut controls, &simulation);
    simulation.act_in_stages(acting::models);
    Ok(Loaded { made: origin, controls, scene, simulation })
}

/// Whether one factor, kept from step to step as long as it serves, is faster than iterations: for small bodies,
/// where no other solver was asked for.
fn keeps_factors(scene: &Scene, simulation: &Simulation) -> bool {
    let options = &scene.time.options;
    let asked = options.newton.form != Options::default().newton.form
        || options.solver.solver != SolverName::Auto;
    let implicit = scene.time.analysis == Analysis::Dynamic;
    let most = if is_linear(scene) { MOST_LINEAR } else { MOST_FACTORED };
    let small = simulation.vertices() <= most;
    implicit && small && !asked && simulation.system_ref().pattern().is_symmetric()
}

/// Whether the matrix of all steps is the same, but for hands.
fn is_linear(scene: &Scene) -> bool {
    let linear = |body: &BodySpec| {
        let kind = body.material.as_ref().map(|m| &m.kind);
        matches!(kind, Some(MaterialKind::Elastic { material, .. }) if material.law().entry().is_linear)
    };
    scene.obstacles.is_empty() && scene.bodies.iter().all(linear)
}
