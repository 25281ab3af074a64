//! Values that are allowed but odd, each with a reason and what to look at. What cannot be is an error where it
//! is read; what is only strange is said here.

use pliant_algebra::vec3::norm;
use pliant_dynamics::Solves;
use pliant_forces::ElementName;
use pliant_materials::Constants;
use pliant_materials::maxwell::Form;
use pliant_model::ContactMode;
use pliant_units::{exact, number};

use crate::spec::body::BodySpec;
use crate::spec::material::{MaterialConstants, MaterialKind, MaterialSpec, SpringStiffness};
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;

/// Strength of a term beside which the law alone is soft.
const STRONG: f64 = 10.0;

/// What is odd about the scene as a whole.
pub(crate) fn of_scene(scene: &Scene) -> Vec<String> {
    let mut warnings = Vec::new();
    let gravity = norm(scene.gravity);
    if gravity > 100.0 {
        warnings.push(format!(
            "gravity of {} m/s² is {} times that of the Earth: is its unit wrong?",
            exact(gravity),
            number(gravity / 9.81)
        ));
    }
    if let Some(spec) = &scene.contact
        && !spec.contact.mode.has_friction()
        && (spec.contact.friction > 0.0 || spec.between.iter().any(|b| b.friction.is_some()))
    {
        warnings.push(format!(
            "{}: friction between bodies is left out: contact.mode = \"{}\" has none, take \"barrier\", \"soft\", \"penalty\" or \"constraints\"",
            spec.location,
            spec.contact.mode.name()
        ));
    }
    if scene.time.analysis != Analysis::Static {
        warnings.extend(of_fits(scene));
    }
    if scene.time.analysis == Analysis::QuasiStatic {
        let cubic = |m: &MaterialSpec| match &m.kind {
            MaterialKind::Elastic { memory: Some(memory), .. } => memory.kind.is_cubic(),
            _ => false,
        };
        let regions = scene.bodies.iter().flat_map(|b| b.regions.iter().map(|r| &r.material));
        let all = scene.bodies.iter().map(|b| &b.material).chain(regions).flatten();
        for material in all.filter(|m| cubic(m)) {
            warnings.push(format!(
                "{}: memory.interpolation = \"cubic\" goes by velocities, and a quasi-static analysis has none: take \"linear\"",
                material.location
            ));
        }
    }
    let step = scene.time.step;
    if scene.time.analysis == Analysis::Dynamic && step > 0.1 {
        warnings.push(format!(
            "time.step of {} s: nothing that happens within a step is seen, and implicit methods damp it; 10 to 40 ms are usual (\"10 ms\")",
            exact(step)
        ));
    }
    if scene.time.analysis == Analysis::Dynamic {
        let method = scene.time.integrator.entry();
        let is_linear = method.solves == Solves::Linear;
        for obstacle in &scene.obstacles {
            let (name, place) = (&obstacle.name, &obstacle.location);
            if method.averages_ends && obstacle.friction != Some(0.0) {
                warnings.push(format!(
                    "{place}: what sticks to obstacle '{name}' may chatter and gain energy, as {} averages the forces of both ends of a step; take backward-euler, bdf2 or implicit-midpoint, or friction = 0",
                    method.name
                ));
            }
            if is_linear {
                warnings.push(format!(
                    "{place}: what lands on obstacle '{name}' may be thrown back harder than it came, as {} solves linear equations that know an obstacle only from inside; take backward-euler, bdf2 or implicit-midpoint",
                    method.name
                ));
            }
        }
        if let Some(spec) = scene.contact.as_ref().filter(|c| method.averages_ends && c.rubs()) {
            warnings.push(format!(
                "{}: bodies that stick to each other may chatter and gain energy, as {} averages the forces of both ends of a step; take backward-euler or bdf2, or friction = 0",
                spec.location,
                method.name
            ));
        }
    } else if !scene.contact.as_ref().is_some_and(|spec| spec.contact.mode == ContactMode::Barrier)
    {
        for obstacle in scene.obstacles.iter().filter(|o| o.friction.is_some_and(|f| f > 0.0)) {
            warnings.push(format!(
                "{}: friction of obstacle '{}' is left out: a {} analysis knows no motion that it could hold back; take analysis = \"dynamic\" to see what sticks",
                obstacle.location,
                obstacle.name,
                scene.time.analysis.name()
            ));
        }
        if let Some(spec) =
            scene.contact.as_ref().filter(|c| c.contact.mode.has_friction() && c.rubs())
        {
            warnings.push(format!(
                "{}: friction between bodies is left out: a {} analysis knows it with contact.mode = \"barrier\" alone",
                spec.location,
                scene.time.analysis.name()
            ));
        }
    }
    warnings
}

/// Materials with a quality factor whose fit ends before the run does.
fn of_fits(scene: &Scene) -> Vec<String> {
    let regions = scene.bodies.iter().flat_map(|b| b.regions.iter().map(|r| &r.material));
    let all = scene.bodies.iter().map(|b| &b.material).chain(regions).flatten();
    let fitted = all.filter_map(|material| match &material.kind {
        MaterialKind::Elastic { memory: Some(memory), .. } => {
            Some((memory, memory.fitted_until()?))
        }
        _ => None,
    });
    let late = fitted.filter(|(_, until)| scene.time.end > *until);
    late.map(|(memory, until)| {
        format!(
            "{}: the material is fitted for about {} s, and has stopped creeping after that: take a lower memory.from for longer runs",
            memory.location,
            number(until)
        )
    })
    .collect()
}

/// What is odd about the size of a body, m.
pub(crate) fn of_size(spec: &BodySpec, size: f64) -> Option<String> {
    let (what, unit) = match size {
        s if s > 500.0 => ("as large as a mountain", "are its coordinates in mm?"),
        s if s < 2e-5 => ("as small as a cell", "are its coordinates in km, or scaled twice?"),
        _ => return None,
    };
    Some(format!(
        "{}: body '{}' is {size:.3e} m long, {what}: {unit} Lengths are in m; scale = 0.001 makes metres of mm",
        spec.location, spec.name
    ))
}

/// What is odd about a material on such elements.
pub(crate) fn of_material(spec: &MaterialSpec, element: ElementName, density: f64) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut warn = |text: String| warnings.push(format!("{}: {text}", spec.location));
    let (young, poisson) = moduli(&spec.kind);
    let locks = |poisson: f64| match element {
        ElementName::Tet4 | ElementName::Hex8 => poisson > 0.485,
        ElementName::Tet10 | ElementName::Hex20 => poisson > 0.4995,
        ElementName::Tet10Bbar | ElementName::Hex8Bbar => false,
    };
    if let Some(poisson) = poisson.filter(|p| locks(*p)) {
        // What the body has already is no advice.
        let others = if element.cell_type().is_quadratic() {
            "tet10-bbar or hex8-bbar, or 0.499"
        } else {
            "tet10-bbar, hex8-bbar, hex20 or tet10, or 0.45"
        };
        warn(format!(
            "Poisson's ratio {} on {}: the body will be far too stiff in bending, as its elements cannot keep their volume and bend; take {others}",
            exact(poisson),
            element.name()
        ));
    }
    if let MaterialKind::Elastic { material, memory: Some(memory), .. } = &spec.kind {
        if let Some([a, b]) = memory.nearly_equal() {
            warn(format!(
                "memory: terms of {} and {} s differ by less than 1 %: one term would serve as well",
                exact(a),
                exact(b)
            ));
        }
        let strong = memory.strongest_part().filter(|part| *part > STRONG);
        if let Some(part) =
            strong.filter(|_| memory.kind.form == Form::Strain && !material.law().entry().is_linear)
        {
            warn(format!(
                "memory: a term of strength {} resists in Green's strain, which gives way where it is pressed to less than 58 % of its length (E = -1/3): mind how far the body is pressed, or take form = \"stress\"",
                exact(part)
            ));
        }
    }
    let (young_text, density_text) = (young.map_or_else(String::new, exact), exact(density));
    match young {
        Some(young) if (5000.0..=23_000.0).contains(&density) && young < 1e7 => warn(format!(
            "a density of {density_text} kg/m³ is that of metal, Young's modulus of {young_text} Pa that of jelly or rubber: is the unit of one of them wrong?"
        )),
        Some(young) if young < 10.0 => warn(format!(
            "Young's modulus of {young_text} Pa is below that of the softest gel: is its unit missing (\"3 kPa\")?"
        )),
        Some(young) if young > 1.3e12 => warn(format!(
            "Young's modulus of {young_text} Pa is above that of diamond: is its unit wrong?"
        )),
        _ => {}
    }
    if density < 5.0 {
        warn(format!(
            "a density of {density_text} kg/m³ is that of a gas, not of a solid: is its unit wrong (\"1 g/cm^3\" is 1000 kg/m³)?"
        ));
    } else if density > 23_000.0 {
        warn(format!("a density of {density_text} kg/m³ is that of no solid: is its unit wrong?"));
    }
    warnings
}

/// Young's modulus and Poisson's ratio, where they are known.
fn moduli(kind: &MaterialKind) -> (Option<f64>, Option<f64>) {
    match kind {
        MaterialKind::Elastic { constants: MaterialConstants::Uniform(constants), .. } => {
            match constants {
                Constants::YoungPoisson { young, poisson } => (Some(*young), Some(*poisson)),
                Constants::Lame { lambda, mu } => {
                    let sum = lambda + mu;
                    (Some(mu * (3.0 * lambda + 2.0 * mu) / sum), Some(0.5 * lambda / sum))
                }
                _ => (None, None),
            }
        }
        MaterialKind::Elastic { constants: MaterialConstants::OfEnergy(energy), .. } => {
            let lame = energy.lame;
            (Some(energy.young()), Some(0.5 * lame.lambda / (lame.lambda + lame.mu)))
        }
        MaterialKind::Springs { stiffness: SpringStiffness::Young(young), .. } => {
            (young.uniform(), None)
        }
        _ => (None, None),
    }
}
