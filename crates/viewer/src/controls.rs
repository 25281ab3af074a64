//! [`Control`]: what of a scene a page may change, within which bounds. Nothing else can be set, so that no page
//! can make the program read or write a file.

use pliant_dynamics::{IntegratorName, StaticMethod};
use pliant_materials::{Constants, LawName, Material, NAMES};
use pliant_scene::{Analysis, BodySpec, MASS_SPRING, MaterialKind, Scene, SpringStiffness};
use pliant_solvers::SolverName;
use serde_json::{Value, json};

use crate::command::Setting;

/// The key of what ends an iteration: a scene that says nothing gets what can be seen.
pub(crate) const NEWTON_TOLERANCE: &str = "solver.newton_tolerance";

/// What a control takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Range {
    /// A number in SI units.
    Number {
        /// As it is.
        value: f64,
        /// Lowest and highest.
        bounds: (f64, f64),
        /// Whether a slider is to be logarithmic.
        logarithmic: bool,
        /// The unit shown, and what one of it is in SI.
        unit: (&'static str, f64),
    },
    /// A whole number.
    Count {
        /// As it is.
        value: usize,
        /// Lowest and highest.
        bounds: (usize, usize),
    },
    /// One of a list.
    Name {
        /// As it is.
        value: String,
        /// With a line about each.
        choices: Vec<(&'static str, &'static str)>,
    },
}

/// A key of a scene that can be changed while it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Control {
    /// As in `--set`.
    pub key: String,
    /// The body it belongs to, or none.
    pub body: Option<String>,
    /// What it is called.
    pub label: &'static str,
    /// A sentence about it.
    pub help: &'static str,
    /// What it takes.
    pub range: Range,
}

impl Control {
    /// The override that sets it, or why it cannot be set so.
    pub fn set(&self, value: &Setting) -> Result<String, String> {
        let text = match (&self.range, value) {
            (Range::Number { bounds: (low, high), unit, .. }, Setting::Number(n)) => {
                if !(low..=high).contains(&n) {
                    let (name, one) = unit;
                    return Err(format!(
                        "{} = {} {name}: it takes {} to {} {name}",
                        self.label,
                        n / one,
                        low / one,
                        high / one
                    ));
                }
                // Gravity is a vector in scenes; a page changes how strong it is.
                if self.key == "gravity" { format!("[0, {:?}, 0]", -n) } else { format!("{n:?}") }
            }
            (Range::Count { bounds: (low, high), .. }, Setting::Number(n)) => {
                if !(*low as f64..=*high as f64).contains(n) {
                    return Err(format!("{} = {n}: it takes {low} to {high}", self.label));
                }
                format!("{}", n.round() as usize)
            }
            (Range::Name { choices, .. }, Setting::Name(name)) => {
                if !choices.iter().any(|(known, _)| known == name) {
                    return Err(format!("{}: there is no '{name}'", self.label));
                }
                format!("{name:?}")
            }
            (Range::Number { .. } | Range::Count { .. }, _) => {
                return Err(format!("{} is a number", self.label));
            }
            (Range::Name { .. }, _) => return Err(format!("{} is a name", self.label)),
        };
        Ok(format!("{}={text}", self.key))
    }

    /// As the page wants it.
    pub fn json(&self) -> Value {
        let mut value = json!({
            "key": self.key, "body": self.body, "label": self.label, "help": self.help,
        });
        if self.key.starts_with("solver.") {
            value["group"] = json!("Solver");
        }
        match &self.range {
            Range::Number { value: now, bounds, logarithmic, unit } => {
                value["value"] = json!(now);
                value["min"] = json!(bounds.0);
                value["max"] = json!(bounds.1);
                value["log"] = json!(logarithmic);
                value["unit"] = json!(unit.0);
                value["one"] = json!(unit.1);
            }
            Range::Count { value: now, bounds } => {
                value["value"] = json!(now);
                value["min"] = json!(bounds.0);
                value["max"] = json!(bounds.1);
                value["log"] = json!(true);
                value["unit"] = json!("");
                value["one"] = json!(1);
                value["whole"] = json!(true);
            }
            Range::Name { value: now, choices } => {
                value["value"] = json!(now);
                value["choices"] = choices.iter().map(|(n, a)| json!([n, a])).collect();
            }
        }
        value
    }
}

/// The controls of a scene.
pub fn controls(scene: &Scene) -> Vec<Control> {
    let mut list = Vec::new();
    let world = |key: &str, label, help, range| Control {
        key: key.to_owned(),
        body: None,
        label,
        help,
        range,
    };
    if scene.gravity[0] == 0.0 && scene.gravity[2] == 0.0 {
        let help = "Pulls everything down. 9.81 on Earth, 1.62 on the Moon.";
        let range = number(-scene.gravity[1], (-30.0, 30.0), false, ("m/s²", 1.0));
        list.push(world("gravity", "Gravity", help, range));
    }
    if scene.time.analysis == Analysis::Dynamic {
        let choices = IntegratorName::ALL.iter().filter(|&&i| i != IntegratorName::QuasiStatic);
        let choices = choices.map(|i| (i.name(), i.about())).collect();
        let value = scene.time.integrator.name().to_owned();
        let help = "The method that advances time. Explicit ones need small steps.";
        list.push(world("time.integrator", "Integrator", help, Range::Name { value, choices }));
    }
    if scene.time.analysis != Analysis::Static {
        let help = "Simulated time of one step. Smaller is more accurate, and costs more.";
        let range = number(scene.time.step, (1e-5, 0.1), true, ("ms", 1e-3));
        list.push(world("time.step", "Step", help, range));
    }
    of_solver(scene, &mut list);
    for body in &scene.bodies {
        of_body(body, scene.time.analysis == Analysis::Dynamic, &mut list);
    }
    list
}

fn of_body(body: &BodySpec, moves: bool, list: &mut Vec<Control>) {
    let mut add = |key: &str, label, help, range| {
        let key = format!("body.{}.{key}", body.name);
        list.push(Control { key, body: Some(body.name.clone()), label, help, range });
    };
    let of_law = |material: &Material, given: &Constants| {
        let laws = LawName::ALL.into_iter().zip(NAMES);
        let laws = laws.filter(|&(law, _)| given.parameters(law).is_ok());
        let choices = laws.map(|(_, name)| *name).collect();
        Range::Name { value: material.law().name().to_owned(), choices }
    };
    let young_help = "Young's modulus: how hard it is to stretch. Jelly 3 kPa, rubber 1 MPa.";
    let young = |e: f64| number(e, (e.min(100.0), e.max(1e9)), true, ("kPa", 1e3));
    match body.material.as_ref().map(|m| &m.kind) {
        Some(MaterialKind::Elastic {
            material,
            constants: Some(Constants::YoungPoisson { young: e, poisson }),
            ..
        }) => {
            let given = Constants::YoungPoisson { young: *e, poisson: *poisson };
            add("material.law", "Law", LAW_HELP, of_law(material, &given));
            add("material.young", "Young's modulus", young_help, young(*e));
            let help = "How much it thins when stretched. 0.5 would keep its volume.";
            add(
                "material.poisson",
                "Poisson's ratio",
                help,
                number(*poisson, (0.0, 0.49), false, ("", 1.0)),
            );
        }
        Some(MaterialKind::Elastic {
            material,
            constants: Some(Constants::Lame { lambda, mu }),
            ..
        }) => {
            let given = Constants::Lame { lambda: *lambda, mu: *mu };
            add("material.law", "Law", LAW_HELP, of_law(material, &given));
            let help = "First constant of Lamé: how hard it is to compress.";
            let range = number(*lambda, (lambda.min(100.0), lambda.max(1e9)), true, ("kPa", 1e3));
            if *lambda > 0.0 {
                add("material.lambda", "Lamé's λ", help, range);
            }
            let help = "Shear modulus: how hard it is to change its form.";
            let range = number(*mu, (mu.min(100.0), mu.max(1e9)), true, ("kPa", 1e3));
            add("material.mu", "Shear modulus", help, range);
        }
        Some(MaterialKind::Springs { stiffness: SpringStiffness::Young(e), .. }) => {
            let value = MASS_SPRING.to_owned();
            let choices = vec![(MASS_SPRING, "springs along the edges of the mesh")];
            let help = "Springs have no other law.";
            add("material.law", "Law", help, Range::Name { value, choices });
            add("material.young", "Young's modulus", young_help, young(*e));
        }
        _ => {}
    }
    if let Some(density) = body.density.or(body.material.as_ref().map(|_| 1000.0)) {
        let help = "Mass of a cubic metre. Water 1000.";
        let bounds = (density.min(10.0), density.max(20000.0));
        add("density", "Density", help, number(density, bounds, true, ("kg/m³", 1.0)));
    }
    if moves {
        let d = body.damping;
        let help = "Slows all motion, as thick air would.";
        let range = number(d.mass, (0.0, d.mass.max(50.0)), false, ("1/s", 1.0));
        add("damping.mass", "Mass damping", help, range);
        let help = "Slows deformation: wobbles die out, flight does not.";
        let range = number(d.stiffness, (0.0, d.stiffness.max(0.1)), false, ("ms", 1e-3));
        add("damping.stiffness", "Stiffness damping", help, range);
    }
}

/// What solves the equations of a step.
fn of_solver(scene: &Scene, list: &mut Vec<Control>) {
    let mut add = |key: &str, label, help, range| {
        list.push(Control { key: key.to_owned(), body: None, label, help, range });
    };
    let (time, newton) = (&scene.time, &scene.time.options.newton);
    if time.analysis == Analysis::Static {
        let choices = StaticMethod::ALL.iter().map(|m| (m.name(), m.about())).collect();
        let value = time.options.static_method.name().to_owned();
        let help = "How the state of rest is found.";
        add("solver.static_method", "Method", help, Range::Name { value, choices });
        let (value, bounds) = (time.load_steps, (1, time.load_steps.max(100)));
        let help = "Loads grow in so many steps at first; more of them go where one would fail.";
        add("solver.load_steps", "Load steps", help, Range::Count { value, bounds });
    } else if time.integrator.imaginary_interval().is_finite() {
        // Explicit methods solve nothing.
        return;
    }
    let choices = SolverName::ALL.iter().map(|s| (s.name(), s.about())).collect();
    let value = time.options.solver.solver.name().to_owned();
    let help = "What solves the linear systems.";
    add("solver.linear", "Linear solver", help, Range::Name { value, choices });
    let help = "Newton's method stops where the forces that are left are this part of all forces.";
    let value = newton.force_tolerance;
    if value > 0.0 {
        let bounds = (value.min(1e-10), value.max(0.1));
        add(NEWTON_TOLERANCE, "Newton tolerance", help, number(value, bounds, true, ("", 1.0)));
    }
    let value = newton.max_iterations;
    let bounds = (1, value.max(1000));
    let help = "A step that needs more iterations of Newton's method fails.";
    add("solver.newton_iterations", "Newton iterations", help, Range::Count { value, bounds });
}

const LAW_HELP: &str = "How stress follows from strain.";

fn number(value: f64, bounds: (f64, f64), logarithmic: bool, unit: (&'static str, f64)) -> Range {
    Range::Number { value, bounds: (bounds.0.min(value), bounds.1.max(value)), logarithmic, unit }
}
