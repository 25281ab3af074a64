//! Loads that scenes give as expressions of the position at rest and of time.

use std::path::Path;

use pliant_algebra::vec3::{Vec3, add, cross, norm, scale, sub};
use pliant_scene::{Scene, SceneError, Simulation};

use crate::load_patch::{ELEMENTS, Folder, block};

/// ρ g of water, N/m³.
const WEIGHT: f64 = 9810.0;

/// Sum and moment about the origin of all forces on the vertices of the one body.
fn resultant(simulation: &mut Simulation) -> (Vec3, Vec3) {
    let force = simulation.matrices().unwrap().force;
    let rest = &simulation.bodies[0].mesh.vertices;
    force.iter().zip(rest).fold(([0.0; 3], [0.0; 3]), |(sum, moment), (&f, &x)| {
        (add(sum, f), add(moment, cross(x, f)))
    })
}

/// Water against the side x = 0 of a block 1 m wide, up to its top at h = 0.8 m: F = ½ ρ g h² b, at a third of the height.
#[test]
fn the_pressure_of_water_has_its_resultant_and_moment_on_every_element() {
    let h: f64 = 0.8;
    let force = 0.5 * WEIGHT * h * h;
    let close = |a: Vec3, b: Vec3, what: &str| {
        assert!(norm(sub(a, b)) < 1e-10 * force, "{what}: {a:?} {b:?}");
    };
    for element in ELEMENTS {
        let folder = Folder::with(&block(element));
        let build = |load: &str| {
            folder.build(&format!(
                r#"
gravity = [0, 0, 0]
[body.block]
mesh = "block.vtu"
element = "{element}"
material = {{ law = "linear", young = "100 kPa", poisson = 0.3 }}
fixed = {{ set = "z-min" }}
load = {{ {load} }}
"#
            ))
        };
        let pressure = |more: &str| {
            let given = r#"pressure = "1000 kg/m^3 * 9.81 m/s^2 * (0.8 m - Z)""#;
            resultant(&mut build(&format!("set = \"x-min\", {given}{more}")))
        };
        let moment = [0.0, force * h / 3.0, -0.5 * force];
        for (what, (f, m)) in [("following", pressure("")), ("dead", pressure(", follows = false"))]
        {
            close(f, [force, 0.0, 0.0], &format!("{element}, {what}"));
            close(m, moment, &format!("{element}, {what}"));
        }
        // The same as a traction, dead and following, and as a shear about y: y × (−x) = z.
        for more in ["", ", follows = true"] {
            let load = format!("set = \"x-min\", traction = [\"9810*(0.8 - Z)\", 0, 0]{more}");
            let (f, m) = resultant(&mut build(&load));
            close(f, [force, 0.0, 0.0], element);
            close(m, moment, element);
        }
        for more in ["", ", follows = false"] {
            let load =
                format!("set = \"x-min\", shear = \"9810*(0.8 - Z)\", axis = [0, 1, 0]{more}");
            let (f, m) = resultant(&mut build(&load));
            close(f, [0.0, 0.0, force], element);
            close(m, [0.5 * force, 0.0, 0.0], element);
        }
        // A density that is linear along z: ∫ z dV = h²/2, ∫ z² dV = h³/3.
        let (f, m) = resultant(&mut build("body_force = [\"9810*Z\", 0, 0]"));
        close(f, [force, 0.0, 0.0], element);
        close(m, [0.0, WEIGHT * h.powi(3) / 3.0, -0.5 * force], element);
    }
}

/// Water around a block of its own weight leaves it under σ = −p 1, so that ε = −p/(3K) 1 with p = ρ g (h − Z). What has this
/// strain is quadratic: u = −c ((h − Z) X, (h − Z) Y, h Z − Z²/2 + (X² + Y²)/2) with c = ρ g/(3K), and quadratic elements
/// hold it.
#[test]
fn a_block_in_water_has_the_stress_of_the_water() {
    let (h, young, poisson) = (0.8, 1e6, 0.3);
    let c = WEIGHT * (1.0 - 2.0 * poisson) / young;
    let exact = |[x, y, z]: Vec3| {
        scale([(h - z) * x, (h - z) * y, h * z - 0.5 * z * z + 0.5 * (x * x + y * y)], -c)
    };
    // Irregular hexahedra of 20 nodes hold what is linear alone.
    let regular = r#"{ shape = "box", size = [1, 1, 0.8], cells = [2, 2, 2], cell = "hex" }"#;
    for (element, mesh) in [("tet10", "\"block.vtu\""), ("hex20", regular)] {
        let folder = Folder::with(&block("tet10"));
        let text = format!(
            r#"
gravity = [0, 0, 0]
[body.block]
mesh = {mesh}
element = "{element}"
material = {{ law = "linear", young = {young}, poisson = {poisson} }}
moved = {{ set = "z-min", expression = ["-{c}*0.8*X", "-{c}*0.8*Y", "-{c}*(X^2 + Y^2)/2"] }}
load = [
    {{ where = "x == 0", pressure = "9810*(0.8 - Z)", follows = false }},
    {{ where = "x == 1", pressure = "9810*(0.8 - Z)", follows = false }},
    {{ where = "y == 0", pressure = "9810*(0.8 - Z)", follows = false }},
    {{ where = "y == 1", pressure = "9810*(0.8 - Z)", follows = false }},
    {{ body_force = [0, 0, "-9810 + 0*X"] }},
]
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-13
[probe.inside]
at = [0.5, 0.5, 0.4]
stress = true
"#
        );
        let mut simulation = folder.build(&text);
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|e| panic!("{e}"));
        }
        let body = &simulation.bodies[0];
        let x = body.of_user(&simulation.state().x);
        for (x, &rest) in x.iter().zip(&body.mesh.vertices) {
            let off = norm(sub(sub(*x, rest), exact(rest)));
            assert!(off < 1e-10 * c, "{element} at {rest:?}: {off:.1e} of {c:.1e}");
        }
    }
}

/// E u'' = −(b₀ + b₁ x), u(0) = 0, u'(L) = 0: u = (b₀ (L x − x²/2) + b₁ (L² x/2 − x³/6))/E, which linear elements have at
/// their nodes.
#[test]
fn a_bar_under_a_body_force_linear_along_it_has_its_closed_form() {
    let (b0, b1, young, length) = (3e3, 2e3, 1e6, 2.0);
    let text = format!(
        r#"
gravity = [0, 0, 0]
[body.bar]
mesh = {{ shape = "box", size = [2, 0.3, 0.2], cells = [7, 1, 1], cell = "hex" }}
material = {{ law = "linear", young = {young}, poisson = 0 }}
fixed = {{ set = "x-min" }}
load = {{ body_force = ["{b0} + {b1}*X", 0, 0] }}
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-13
"#
    );
    let mut simulation = built(&text).unwrap_or_else(|e| panic!("{e}"));
    simulation.step().unwrap_or_else(|e| panic!("{e}"));
    let body = &simulation.bodies[0];
    let x = body.of_user(&simulation.state().x);
    for (x, &rest) in x.iter().zip(&body.mesh.vertices) {
        let at = rest[0];
        let u = (b0 * (length * at - at * at / 2.0)
            + b1 * (length * length * at / 2.0 - at.powi(3) / 6.0))
            / young;
        assert!(norm(sub(sub(*x, rest), [u, 0.0, 0.0])) < 1e-12, "{rest:?}: {x:?}, not {u}");
    }
}

fn built(text: &str) -> Result<Simulation, SceneError> {
    Simulation::build(&Scene::parse(text, Path::new("test.toml"))?)
}

/// Where the body is, and the work of its load, after some steps.
fn driven(load: &str, integrator: &str) -> (Vec<Vec3>, f64) {
    let linear = integrator.starts_with("rosenbrock");
    let solver = if linear { "" } else { "[solver]\nnewton_tolerance = 1e-11" };
    let text = format!(
        r#"
gravity = [0, 0, 0]
[body.bar]
mesh = {{ shape = "box", size = [1, 0.4, 0.4], cells = [2, 1, 1] }}
material = {{ law = "stable-neo-hookean", young = 1e5, poisson = 0.3 }}
fixed = {{ set = "x-min" }}
load = [{{ {load} }}]
[time]
integrator = "{integrator}"
step = "5 ms"
steps = 6
{solver}
"#
    );
    let mut simulation = built(&text).unwrap_or_else(|e| panic!("{load}: {e}"));
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{load}: {e}"));
    }
    let work = simulation.balance().external_work;
    (simulation.state().x.clone(), work)
}

/// An expression of time is what a curve is, for every kind of load and wherever a method takes its forces.
#[test]
fn a_load_by_an_expression_of_time_is_that_by_a_curve() {
    // Its kink is not at the end of a step, where either slope would do.
    let ramp = r#"curve = { kind = "ramp", start = 0, end = "22 ms", to = 2 }"#;
    let factor = "2*min(t/0.022, 1 + 0*t)";
    let kinds: [(&str, [f64; 3], &str); 9] = [
        (r#"set = "x-max", force"#, [40.0, -10.0, 5.0], ""),
        (r#"set = "x-max", force"#, [40.0, -10.0, 5.0], ", follows = true"),
        (r#"set = "x-max", traction"#, [200.0, -60.0, 30.0], ""),
        (r#"set = "x-max", traction"#, [200.0, -60.0, 30.0], ", follows = true"),
        (r#"set = "x-max", force_per_vertex"#, [10.0, -2.0, 1.0], ""),
        ("body_force", [200.0, -60.0, 30.0], ""),
        (r#"set = "y-max", pressure"#, [500.0, 0.0, 0.0], ""),
        ("pressure", [500.0, 0.0, 0.0], ""),
        (r#"set = "y-max", shear"#, [500.0, 0.0, 0.0], ", axis = [0, 0, 1]"),
    ];
    for (key, amount, more) in kinds {
        let number = key.ends_with("pressure") || key.ends_with("shear");
        let given = |of: &dyn Fn(f64) -> String| {
            if number { of(amount[0]) } else { format!("[{}]", amount.map(of).join(", ")) }
        };
        let by_curve = format!("{key} = {}, {ramp}{more}", given(&|a| format!("{a}")));
        let by_text = format!("{key} = {}{more}", given(&|a| format!("\"{a}*{factor}\"")));
        for integrator in ["backward-euler", "newmark", "rosenbrock4-lstable"] {
            let (x, work) = driven(&by_curve, integrator);
            let (y, same) = driven(&by_text, integrator);
            let off = x.iter().zip(&y).fold(0.0, |most, (x, y)| f64::max(most, norm(sub(*x, *y))));
            assert!(off < 1e-11, "{by_text}, {integrator}: {off:.1e} m");
            assert!(work.abs() > 1e-6, "{by_curve}, {integrator}: {work:.1e} J");
            assert!((work - same).abs() < 1e-9 * work.abs(), "{by_text}: {work} J, not {same} J");
        }
    }
}

/// A traction that is not a product of a function of place and one of time, and two that are: the same load.
#[test]
fn a_load_of_place_and_time_is_the_sum_of_its_separable_parts() {
    let whole = "traction = [0, \"100*X*sin(30*t) + 100*cos(30*t)*Z\", 0]";
    let (x, _) = driven(&format!("set = \"y-max\", {whole}"), "newmark");
    let parts = "set = \"y-max\", traction = [0, \"100*X*sin(30*t)\", 0] }, { set = \"y-max\", traction = [0, \"100*cos(30*t)*Z\", 0]";
    let (y, _) = driven(parts, "newmark");
    let off = x.iter().zip(&y).fold(0.0, |most, (x, y)| f64::max(most, norm(sub(*x, *y))));
    assert!(off < 1e-12, "{off:.1e} m");
    // Turned round it is another one.
    let other = whole.replace("+ 100", "- 100");
    let (y, _) = driven(&format!("set = \"y-max\", {other}"), "newmark");
    let off = x.iter().zip(&y).fold(0.0, |most, (x, y)| f64::max(most, norm(sub(*x, *y))));
    assert!(off > 1e-6, "{off:.1e} m");
}

#[test]
fn what_is_wrong_with_the_expression_of_a_load_is_pointed_at() {
    let refused = |load: &str| {
        let text = format!(
            "[body.bar]\nmesh = {{ shape = \"box\" }}\nmaterial = {{ law = \"linear\", young = 1e5 }}\nfixed = {{ set = \"x-min\" }}\nload = {{ set = \"x-max\", {load} }}\n"
        );
        match built(&text) {
            Ok(_) => panic!("this was accepted: {load}"),
            Err(error) => {
                let at = error.details().location.as_ref().map(|l| (l.line, l.column));
                (error.to_string(), at, text)
            }
        }
    };
    for (load, part, word) in [
        ("pressure = \"9810*(1 - depth)\"", "depth", "'depth' is not known: there are X, Y, Z, t"),
        ("traction = [0, \"2*X +\", 0]", "\", 0]", "ends too early"),
        ("force = [0, \"3*t*X\", 0]", "X\", 0]", "give a traction"),
        ("body_force = [0, \"2 kg * t\", 0]", "2 kg", "but"),
        ("pressure = \"2 kPa * X\"", "2 kPa", "a pressure"),
    ] {
        let (error, at, text) = refused(load);
        let column = text.lines().nth(4).unwrap().find(part).unwrap() as u64 + 1;
        assert_eq!(at, Some((5, column)), "{load}: {error}");
        assert!(error.contains(word), "{load}: {error}");
    }
    let (error, at, _) = refused("pressure = \"1/(X - 1)\"");
    assert!(error.contains("must be finite wherever"), "{error}");
    assert_eq!(at.map(|at| at.0), Some(5), "{error}");
}
