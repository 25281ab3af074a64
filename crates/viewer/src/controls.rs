//! [`Control`]: what of a scene a page may change, within which bounds. Nothing else can be set, so that no page
//! can make the program read or write a file.

use pliant_dynamics::{Form, IntegratorName, StaticMethod};
use pliant_materials::{Constants, Inversion, LawName, Material, NAMES};
use pliant_scene::{
    Analysis, BodySpec, CellQuantity, MASS_SPRING, MaterialConstants, MaterialKind, Scene,
    SpringStiffness, constant_dimension,
};
use pliant_solvers::SolverName;
use pliant_solvers::iterative::PreconditionerName;
use pliant_units::Dimension;
use serde_json::{Value, json};

use crate::command::Setting;

/// The key of what ends an iteration: a scene that says nothing gets what can be seen.
pub(crate) const NEWTON_TOLERANCE: &str = "solver.newton_tolerance";
/// The keys of the linear solver and of the form of Newton's method.
pub(crate) const LINEAR: &str = "solver.linear";
pub(crate) const NEWTON: &str = "solver.newton";
const PRECONDITIONER: &str = "solver.preconditioner";
/// What is shown of a constant that differs from cell to cell.
const PER_CELL: &str = "per cell";
/// The same of one that is a formula.
const FORMULA: &str = "by formula";
/// What such a key is where nobody chose.
pub(crate) const AUTO: &str = "auto";

/// Whether a setting leaves the choice to the program.
pub(crate) fn is_auto(key: &str, value: &Setting) -> bool {
    [NEWTON, PRECONDITIONER].contains(&key) && *value == Setting::Name(AUTO.into())
}

/// Whether a key is there or not as others are: it is looked for once they are set, and left out where it has no
/// meaning.
pub(crate) fn is_conditional(key: &str) -> bool {
    key == PRECONDITIONER || key.ends_with(".material.invertible")
}

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
    /// Yes or no; pages send 1 or 0.
    Switch {
        /// As it is.
        value: bool,
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
            (Range::Switch { .. }, Setting::Number(n)) => format!("{}", *n != 0.0),
            (Range::Name { value, .. }, _) if value == PER_CELL => {
                return Err(format!("{} is per cell: change it in the mesh file", self.label));
            }
            (Range::Name { value, .. }, _) if value == FORMULA => {
                return Err(format!("{} is a formula: change it in the scene file", self.label));
            }
            (Range::Name { choices, .. }, Setting::Name(name)) => {
                if !choices.iter().any(|(known, _)| known == name) {
                    return Err(format!("{}: there is no '{name}'", self.label));
                }
                format!("{name:?}")
            }
            (Range::Switch { .. }, _) => return Err(format!("{} is 1 or 0", self.label)),
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
            Range::Switch { value: now } => {
                value["value"] = json!(u8::from(*now));
                value["min"] = json!(0);
                value["max"] = json!(1);
                value["one"] = json!(1);
                value["switch"] = json!(true);
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
    // With steps that are chosen by their error, failures are taken care of.
    if scene.time.analysis == Analysis::Dynamic && scene.time.options.control.is_none() {
        let help =
            "A step that fails is taken again in shorter parts; otherwise the motion stops there.";
        let range = Range::Switch { value: scene.time.retry };
        list.push(world("time.retry", "Divide failed steps", help, range));
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
            constants: MaterialConstants::Uniform(Constants::YoungPoisson { young: e, poisson }),
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
            constants: MaterialConstants::Uniform(Constants::Lame { lambda, mu }),
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
        Some(MaterialKind::Elastic {
            material,
            constants: MaterialConstants::Uniform(Constants::Own(values)),
            ..
        }) => {
            let choices = NAMES.iter().filter(|(name, _)| *name == material.law().name());
            let (value, choices) = (material.law().name().to_owned(), choices.copied().collect());
            let help = "Others have other constants.";
            add("material.law", "Law", help, Range::Name { value, choices });
            for (&name, &value) in material.law().own_constants().iter().zip(values) {
                let help = "A constant of this law.";
                add(&format!("material.{name}"), name, help, own_constant(name, value));
            }
        }
        Some(MaterialKind::Springs { stiffness: SpringStiffness::Young(e), .. }) => {
            let value = MASS_SPRING.to_owned();
            let choices = vec![(MASS_SPRING, "springs along the edges of the mesh")];
            let help = "Springs have no other law.";
            add("material.law", "Law", help, Range::Name { value, choices });
            match e {
                CellQuantity::Uniform(e) => {
                    add("material.young", "Young's modulus", young_help, young(*e));
                }
                CellQuantity::PerCell(_) | CellQuantity::Formula(_) => {
                    add("material.young", "Young's modulus", young_help, shown(e));
                }
            }
        }
        Some(MaterialKind::Elastic {
            material,
            constants: MaterialConstants::PerCell(given),
            ..
        }) => {
            let choices = NAMES.iter().filter(|(name, _)| *name == material.law().name());
            let (value, choices) = (material.law().name().to_owned(), choices.copied().collect());
            add("material.law", "Law", "The law of its cells.", Range::Name { value, choices });
            for (name, quantity) in given {
                let range = match quantity {
                    CellQuantity::PerCell(_) | CellQuantity::Formula(_) => shown(quantity),
                    CellQuantity::Uniform(v) if *name == "poisson" => {
                        number(*v, (0.0, 0.49), false, ("", 1.0))
                    }
                    CellQuantity::Uniform(v) => own_constant(name, *v),
                };
                let help = "A constant of this law.";
                add(&format!("material.{name}"), name, help, range);
            }
        }
        _ => {}
    }
    if let Some(MaterialKind::Elastic { material, .. }) = body.material.as_ref().map(|m| &m.kind)
        && Material::new(material.law()).with_inversion(Inversion::Continued(None)).is_ok()
    {
        let help = "Goes on where elements are turned inside out, so that they come back.";
        let value = matches!(material.inversion(), Inversion::Continued(_));
        add("material.invertible", "Invertible", help, Range::Switch { value });
    }
    let usual = body.material.as_ref().map(|_| CellQuantity::Uniform(1000.0));
    if let Some(density) = body.density.clone().or(usual) {
        let help = "Mass of a cubic metre. Water 1000.";
        let range = density.uniform().map_or_else(
            || shown(&density),
            |density| {
                let bounds = (density.min(10.0), density.max(20000.0));
                number(density, bounds, true, ("kg/m³", 1.0))
            },
        );
        add("density", "Density", help, range);
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

/// A constant that differs from place to place: shown, with nothing else to choose.
fn shown(quantity: &CellQuantity) -> Range {
    let (value, about) = match quantity {
        CellQuantity::Formula(_) => {
            (FORMULA, "a formula of the position at rest, in the scene file")
        }
        CellQuantity::PerCell(_) | CellQuantity::Uniform(_) => {
            (PER_CELL, "from the cell data of the mesh file")
        }
    };
    Range::Name { value: value.to_owned(), choices: vec![(value, about)] }
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
    let solver = &time.options.solver;
    let value = solver.solver.name().to_owned();
    let help = "What solves the linear systems.";
    add(LINEAR, "Linear solver", help, Range::Name { value, choices });
    if solver.solver.is_iterative() {
        let mut choices = vec![(AUTO, "the one that suits the solver")];
        choices.extend(PreconditionerName::ALL.iter().map(|p| (p.name(), p.about())));
        let value = solver.preconditioner.map_or(AUTO, PreconditionerName::name).to_owned();
        let help = "Makes the iterations of the linear solver fewer.";
        add(PRECONDITIONER, "Preconditioner", help, Range::Name { value, choices });
    }
    if time.analysis == Analysis::Dynamic {
        let value = match newton.form {
            _ if newton.accept_last => "semi-implicit",
            Form::Full => "full",
            Form::Simplified { .. } => "simplified",
            Form::Inexact(_) => AUTO,
        };
        let help = "How Newton's method is done.";
        add(NEWTON, "Newton", help, Range::Name { value: value.into(), choices: FORMS.to_vec() });
    }
    let help = "Newton's method stops where the forces that are left are this part of all forces.";
    let value = newton.force_tolerance;
    if value > 0.0 {
        let bounds = (value.min(1e-10), value.max(0.1));
        add(NEWTON_TOLERANCE, "Newton tolerance", help, number(value, bounds, true, ("", 1.0)));
    }
    let help = "It stops as well where the forces that are left are below this. At its least this never happens.";
    let range = least(newton.absolute_force, LEAST_FORCE, 1.0, ("mN", 1e-3));
    add("solver.absolute_tolerance", "Force tolerance", help, range);
    // Static methods have no speeds.
    if time.analysis == Analysis::Dynamic {
        let help = "It stops as well where a correction over the step is below this. At its least this never happens.";
        let range = least(newton.speed_tolerance, LEAST_SPEED, 1.0, ("mm/s", 1e-3));
        add("solver.speed_tolerance", "Speed tolerance", help, range);
    }
    let value = newton.max_iterations;
    let bounds = (1, value.max(1000));
    let help = "A step that needs more iterations of Newton's method fails.";
    add("solver.newton_iterations", "Newton iterations", help, Range::Count { value, bounds });
}

/// N: below what rounding leaves of the forces of any body that one would look at.
const LEAST_FORCE: f64 = 1e-12;
/// m/s, likewise.
const LEAST_SPEED: f64 = 1e-12;

/// A tolerance that scenes may leave out, on a logarithmic slider whose lower end stands for none.
fn least(value: f64, low: f64, high: f64, unit: (&'static str, f64)) -> Range {
    number(value.max(low), (low, high), true, unit)
}

/// Forms of Newton's method.
const FORMS: [(&str, &str); 5] = [
    (AUTO, "chosen by the size of the bodies"),
    ("full", "a new Jacobian in every iteration"),
    ("simplified", "a Jacobian is kept as long as it serves"),
    ("inexact", "linear systems are solved only as well as it is worth"),
    ("semi-implicit", "one linear system a step"),
];

/// A hundred times more or less than it is.
fn own_constant(name: &str, value: f64) -> Range {
    let unit = match constant_dimension(name) {
        Dimension::PRESSURE => ("kPa", 1e3),
        Dimension::NONE => ("", 1.0),
        _ => ("1/kPa", 1e-3),
    };
    if value > 0.0 {
        return number(value, (0.01 * value, 100.0 * value), true, unit);
    }
    let most = if value < 0.0 { -10.0 * value } else { 100.0 * unit.1 };
    number(value, (-most, most), false, unit)
}

const LAW_HELP: &str = "How stress follows from strain.";

fn number(value: f64, bounds: (f64, f64), logarithmic: bool, unit: (&'static str, f64)) -> Range {
    Range::Number { value, bounds: (bounds.0.min(value), bounds.1.max(value)), logarithmic, unit }
}
