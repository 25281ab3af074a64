//! [`Control`]: what of a scene a page may change, within which bounds. Nothing else can be set, so that no page
//! can make the program read or write a file.

mod methods;

use pliant_dynamics::{IntegratorName, Options};
use pliant_forces::loads::TimeCurve;
use pliant_forces::springs::{MASS_SPRING, MASS_SPRING_ABOUT};
use pliant_materials::{Constant, Constants, Continuation, Inversion, LawName, Material};
use pliant_scene::{
    Analysis, BodySpec, CellQuantity, ContactMode, FRICTION, MaterialConstants, MaterialKind,
    Scene, Simulation, SpringStiffness,
};
use pliant_solvers::Choice;
use pliant_units::Dimension;
use serde_json::{Value, json};

use self::methods::of_methods;
use crate::command::Setting;

/// The key of what ends an iteration: a scene that says nothing gets what can be seen.
pub(crate) const NEWTON_TOLERANCE: &str = "solver.newton_tolerance";
/// The keys of the linear solver and of the form of Newton's method.
pub(crate) const LINEAR: &str = "solver.linear";
pub(crate) const NEWTON: &str = "solver.newton";
/// The key of the distance of contact, and what pages may make it, m.
const DISTANCE: &str = "contact.distance";
const DISTANCES: (f64, f64) = (1e-5, 0.1);
/// What is shown of a constant that differs from cell to cell.
const PER_CELL: &str = "per cell";
/// The same of one that is a formula.
const FORMULA: &str = "by formula";
/// What such a key is where nobody chose.
pub(crate) const AUTO: &str = "auto";

/// True if a setting leaves the choice to the program.
pub(crate) fn is_auto(key: &str, value: &Setting) -> bool {
    is_conditional(key) && *value == Setting::Name(AUTO.into())
}

/// True if a key is there or not as others are: it is looked for once they are set, and left out where it has no
/// meaning. Such are the options of methods, which others of the same kind do not take.
pub(crate) fn is_conditional(key: &str) -> bool {
    let is_option = match key.split_once('.') {
        Some(("time", key)) => IntegratorName::OPTIONS.iter().any(|o| o.key == key),
        Some(("solver", key)) => {
            let linear = Choice::OPTIONS.iter().any(|o| o.key == key);
            // That of a static method decides which others there are.
            linear || key != "static_method" && Options::SOLVER.iter().any(|o| o.key == key)
        }
        _ => false,
    };
    is_option || key.ends_with(".material.invertible")
}

/// True of names that exist, whether or not they suit what else is set: which modes of contact and which integrators go together is told
/// once all of them are, by the scene.
fn is_checked(key: &str, name: &str) -> bool {
    match key {
        "contact.mode" => ContactMode::NAMES.iter().any(|(known, _)| *known == name),
        "time.integrator" => IntegratorName::ALL.iter().any(|known| known.name() == name),
        _ => false,
    }
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
                if !choices.iter().any(|(known, _)| known == name) && !is_checked(&self.key, name) {
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
        if let Some(name) = self.key.strip_prefix("obstacle.").and_then(|k| k.split('.').next()) {
            value["group"] = json!(format!("Obstacle {name}"));
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
        let serves = |i: &&IntegratorName| {
            let contact = scene.contact.as_ref();
            **i != IntegratorName::QuasiStatic && contact.is_none_or(|c| c.serves(**i, &scene.time))
        };
        let choices = IntegratorName::ALL.iter().filter(serves);
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
    of_methods(scene, &mut list);
    if scene.time.analysis == Analysis::Dynamic {
        for obstacle in &scene.obstacles {
            let help = "What slides along it is held back. Ice 0.05, wood 0.4, rubber 1.";
            let range = number(obstacle.friction.unwrap_or(FRICTION), (0.0, 1.5), false, ("", 1.0));
            let key = format!("obstacle.{}.friction", obstacle.name);
            list.push(world(&key, "Friction", help, range));
        }
    }
    if let Some(spec) = &scene.contact {
        let mode = spec.contact.mode;
        // Obstacles of triangles are seen by the barrier alone.
        let seen = |m| m == ContactMode::Barrier || scene.scenery.is_empty();
        let serves = |(_, m): &&(_, ContactMode)| seen(*m) && spec.serves_in(*m, &scene.time);
        let serves = ContactMode::NAMES.iter().filter(serves);
        let choices = serves.map(|(name, mode)| (*name, mode.about())).collect();
        let range = Range::Name { value: mode.name().to_owned(), choices };
        let help = "How bodies answer that touch each other.";
        list.push(world("contact.mode", "Contact", help, range));
        let help = "Surfaces repel each other from here on. A smaller one looks better, and needs more iterations.";
        let value = spec.contact.distance.unwrap_or(f64::NAN);
        let range = number(value, DISTANCES, true, ("mm", 1e-3));
        list.push(world(DISTANCE, "Contact distance", help, range));
        let help = "What slides between bodies is held back. Ice 0.05, wood 0.4, rubber 1.";
        let range = number(spec.contact.friction, (0.0, 1.5), false, ("", 1.0));
        list.push(world("contact.friction", "Friction between bodies", help, range));
    }
    // The keys of a body that has copies are those of all.
    for body in scene.bodies.iter().filter(|b| b.copy.as_ref().is_none_or(|c| c.number == 1)) {
        of_body(body, scene.time.analysis == Analysis::Dynamic, &mut list);
    }
    list
}

/// Writes the contact distance that was chosen where the scene leaves it open; without one there is no such control.
pub(crate) fn tell_distance(list: &mut Vec<Control>, simulation: &Simulation) {
    list.retain_mut(|control| match &mut control.range {
        Range::Number { value, .. } if control.key == DISTANCE && value.is_nan() => {
            let chosen = simulation.contact_distance();
            *value = chosen.unwrap_or(f64::NAN);
            chosen.is_some()
        }
        _ => true,
    });
}

fn of_body(body: &BodySpec, moves: bool, list: &mut Vec<Control>) {
    let name = body.copy.as_ref().map_or(&body.name, |copy| &copy.name);
    let mut add = |key: &str, label, help, range| {
        let key = format!("body.{name}.{key}");
        list.push(Control { key, body: Some(name.clone()), label, help, range });
    };
    let of_law = |material: &Material, given: &Constants| {
        let by_name = |law: &LawName| *law != LawName::ENERGY && given.parameters(*law).is_ok();
        let laws = LawName::ALL.into_iter().filter(by_name);
        let choices = laws.map(|law| (law.name(), law.about())).collect();
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
            add("material.law", "Law", "Others have other constants.", only(material.law()));
            for (constant, &value) in material.law().constants().iter().zip(values) {
                let (key, range) =
                    (format!("material.{}", constant.name), own_constant(constant, value));
                add(&key, constant.name, constant.about, range);
            }
        }
        Some(MaterialKind::Elastic { constants: MaterialConstants::OfEnergy(energy), .. }) => {
            // Those that are called as constants of laws are.
            let known = |name: &str| {
                let mut all = LawName::ALL.into_iter().flat_map(LawName::all_constants);
                all.find(|constant| constant.name == name).map(|constant| constant.name)
            };
            for (name, value) in energy.constants.iter().filter(|(_, value)| *value > 0.0) {
                let Some(label) = known(name) else { continue };
                let range = number(*value, (0.1 * value, 10.0 * value), true, ("", 1.0));
                let help = "A constant of the energy that the scene gives, SI.";
                add(&format!("material.{name}"), label, help, range);
            }
        }
        Some(MaterialKind::Springs { stiffness: SpringStiffness::Young(e), .. }) => {
            let value = MASS_SPRING.to_owned();
            let choices = vec![(MASS_SPRING, MASS_SPRING_ABOUT)];
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
            add("material.law", "Law", "The law of its cells.", only(material.law()));
            for (name, quantity) in given {
                let Some(constant) = material.law().constant(name) else { continue };
                let range = match quantity {
                    CellQuantity::PerCell(_) | CellQuantity::Formula(_) => shown(quantity),
                    CellQuantity::Uniform(v) if *name == "poisson" => {
                        number(*v, (0.0, 0.49), false, ("", 1.0))
                    }
                    CellQuantity::Uniform(v) => own_constant(constant, *v),
                };
                add(&format!("material.{name}"), name, constant.about, range);
            }
        }
        _ => {}
    }
    if let Some(MaterialKind::Elastic { material, .. }) = body.material.as_ref().map(|m| &m.kind)
        && material.law().entry().inversion == Continuation::Offered
    {
        let help = "Goes on where elements are turned inside out, so that they come back.";
        let value = matches!(material.inversion(), Inversion::Continued(_));
        add("material.invertible", "Invertible", help, Range::Switch { value });
    }
    if let Some(MaterialKind::Elastic { fibres, .. }) = body.material.as_ref().map(|m| &m.kind) {
        for (k, family) in fibres.iter().enumerate() {
            if let (true, TimeCurve::Constant(part)) = (family.tension > 0.0, &family.activation) {
                let help = "How much of their tension the fibres pull with: a muscle contracts.";
                let key = format!("material.fibres.{k}.activation");
                add(&key, "Activation", help, number(*part, (0.0, 1.0), false, ("", 1.0)));
            }
        }
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
    // Springs, and bodies that move in a few modes, have lumped masses alone; rest knows no mass.
    let solid =
        matches!(body.material.as_ref().map(|m| &m.kind), Some(MaterialKind::Elastic { .. }));
    if moves && solid && body.reduced.is_none() {
        let help = "How its mass is spread. Lumped waves are too slow on coarse meshes, consistent ones too fast.";
        let value = body.mass.name().to_owned();
        let choices = vec![
            ("lumped", "At the vertices: cheap, and what explicit methods want."),
            (
                "consistent",
                "As the shape functions spread it: explicit methods solve with it in every step.",
            ),
        ];
        add("mass", "Mass", help, Range::Name { value, choices });
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

/// A law with no others to choose from.
fn only(law: LawName) -> Range {
    Range::Name { value: law.name().to_owned(), choices: vec![(law.name(), law.about())] }
}

/// A hundred times more or less than it is.
fn own_constant(constant: &Constant, value: f64) -> Range {
    let unit = match constant.dimension {
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
