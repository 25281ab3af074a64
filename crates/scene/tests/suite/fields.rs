//! Fields of place and time in scenes: how bodies start, how what holds them moves, and what pushes them.

use std::f64::consts::PI;
use std::path::Path;

use pliant_algebra::vec3::{Vec3, cross, norm, sub};
use pliant_dynamics::Motion;
use pliant_scene::{Scene, SceneError, Simulation};

fn parsed(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, Path::new("test.toml"))
}

fn simulation(text: &str) -> Simulation {
    let scene = parsed(text).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn run(text: &str) -> Simulation {
    let mut simulation = simulation(text);
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

fn refused(text: &str) -> SceneError {
    match parsed(text).and_then(|scene| Simulation::build(&scene)) {
        Ok(_) => panic!("this was accepted: {text}"),
        Err(error) => error,
    }
}

/// Rest position, displacement and velocity of each vertex of the one body.
fn moved(simulation: &Simulation) -> Vec<(Vec3, Vec3, Vec3)> {
    let body = &simulation.bodies[0];
    let (x, v) = (body.of_user(&simulation.state().x), body.of_user(&simulation.state().v));
    let rest = body.mesh.vertices.iter();
    rest.zip(x).zip(v).map(|((&rest, x), v)| (rest, sub(x, rest), v)).collect()
}

/// The largest difference of displacements from a field.
fn error_of(simulation: &Simulation, field: impl Fn(Vec3) -> Vec3) -> f64 {
    let far = moved(simulation).into_iter().map(|(at, u, _)| norm(sub(u, field(at))));
    far.fold(0.0, f64::max)
}

/// The swinging cube: u = U cos(ω t) (sin cos cos, cos sin cos, cos cos sin) of πX/2, πY/2, πZ/2, with
/// ω = (√3 π/2) √((λ + 2μ)/ρ), is a motion of the linear solid on rollers. Returns the error at a sixth of a period.
fn swinging_cube(cells: usize) -> f64 {
    let (young, poisson, density) = (1.7e7, 0.3, 1100.0);
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let mu = young / (2.0 * (1.0 + poisson));
    let omega = 3.0_f64.sqrt() * PI / 2.0 * f64::sqrt((lambda + 2.0 * mu) / density);
    let end = PI / 3.0 / omega;
    let text = format!(
        r#"
gravity = [0, 0, 0]
[body.cube]
mesh = {{ shape = "box", size = [1, 1, 1], cells = [{cells}, {cells}, {cells}], cell = "hex" }}
material = {{ law = "linear", young = {young}, poisson = {poisson} }}
density = {density}
fixed = [
    {{ set = "x-min", axes = "x" }}, {{ set = "y-min", axes = "y" }}, {{ set = "z-min", axes = "z" }},
    {{ set = "x-max", axes = "yz" }}, {{ set = "y-max", axes = "xz" }}, {{ set = "z-max", axes = "xy" }},
]
initial = {{ displacement = ["1e-3*sin(pi*X/2)*cos(pi*Y/2)*cos(pi*Z/2)", "1e-3*cos(pi*X/2)*sin(pi*Y/2)*cos(pi*Z/2)", "1e-3*cos(pi*X/2)*cos(pi*Y/2)*sin(pi*Z/2)"] }}
[time]
integrator = "trapezoidal"
step = {}
end = {end}
[solver]
newton_tolerance = 1e-10
"#,
        end / 32.0
    );
    let simulation = run(&text);
    let swing = 1e-3 * (omega * end).cos();
    let field = |at: Vec3| {
        let ([sx, sy, sz], [cx, cy, cz]) =
            (at.map(|c| (PI * c / 2.0).sin()), at.map(|c| (PI * c / 2.0).cos()));
        [swing * sx * cy * cz, swing * cx * sy * cz, swing * cx * cy * sz]
    };
    error_of(&simulation, field) / 1e-3
}

#[test]
fn a_swinging_cube_follows_its_closed_form_with_second_order() {
    let (coarse, fine) = (swinging_cube(3), swinging_cube(6));
    // Lumped masses: the frequency is low by about (kh)²/6 of three directions.
    assert!(fine < 2e-2, "{coarse:.3e} {fine:.3e}");
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.15, "order {order}: {coarse:.3e} {fine:.3e}");
}

/// Displacements of the boundary that are linear in the place leave the whole body in that state; quadratic ones with
/// div σ = 0 are the solution as well, and quadratic elements hold them.
#[test]
fn a_field_on_the_boundary_is_the_field_inside() {
    let scene = |element: &str, cell: &str, field: &str| {
        format!(
            r#"
gravity = [0, 0, 0]
[body.block]
mesh = {{ shape = "box", size = [1, 1, 1], cells = [3, 3, 3], cell = "{cell}", jitter = 0.2 }}
element = "{element}"
material = {{ law = "linear", young = 1e5, poisson = 0.3 }}
moved = {{ surface = true, expression = [{field}] }}
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-12
"#
        )
    };
    let affine = r#""0.01*X + 0.02*Y - 0.005", "0.03*Z - 0.01*X", "0.02*X - 0.04*Z + 1 mm""#;
    let expected = |[x, y, z]: Vec3| {
        [0.01 * x + 0.02 * y - 0.005, 0.03 * z - 0.01 * x, 0.02 * x - 0.04 * z + 1e-3]
    };
    // A number with a unit asks for units throughout: this one has them all.
    let affine = affine.replace("0.005\"", "5 mm\"");
    for (element, cell) in [("tet4", "tet5"), ("hex8", "hex"), ("tet10", "tet5")] {
        let simulation = run(&scene(element, cell, &affine));
        let error = error_of(&simulation, expected);
        assert!(error < 1e-12, "{element}: {error:.3e}");
    }
    // u = (X² − Y², −2 X Y, 0) is harmonic and free of divergence.
    let quadratic = r#""0.01*(X^2 - Y^2)", "-0.02*X*Y", 0"#;
    let simulation = run(&scene("tet10", "tet5", quadratic));
    let expected = |[x, y, _]: Vec3| [0.01 * (x * x - y * y), -0.02 * x * y, 0.0];
    let error = error_of(&simulation, expected);
    assert!(error < 1e-12, "{error:.3e}");
}

#[test]
fn an_initial_velocity_that_turns_is_a_spin() {
    let scene = |start: &str| {
        format!(
            r#"
gravity = [0, 0, 0]
[body.bar]
mesh = {{ shape = "box", size = [1, 0.2, 0.3], cells = [4, 2, 2] }}
position = [-0.5, -0.1, -0.15]
material = {{ law = "stable-neo-hookean", young = 1e6 }}
{start}
[time]
step = 1e-3
steps = 5
integrator = "implicit-midpoint"
"#
        )
    };
    let omega = [1.0, 2.0, -3.0];
    let field = r#"initial = { velocity = ["2*Z + 3*Y", "-3*X - 1 rad/s * Z", "1*Y - 2*X"], displacement = [0, "2 mm", 0] }"#;
    let mut by_field = simulation(&scene(field));
    for (at, u, v) in moved(&by_field) {
        assert!(norm(sub(v, cross(omega, at))) < 1e-15, "{at:?} {v:?}");
        assert!(norm(sub(u, [0.0, 2e-3, 0.0])) < 1e-16, "{u:?}");
    }
    let rate = norm(omega);
    let mut by_spin = simulation(&scene(&format!("spin = {{ axis = [1, 2, -3], rate = {rate} }}")));
    let (a, b) = (by_field.momenta().1, by_spin.momenta().1);
    assert!(norm(sub(a, b)) < 1e-12 * norm(b), "{a:?} {b:?}");
}

/// Velocities and accelerations of what is moved are the derivatives of where it is.
#[test]
fn a_motion_by_expressions_has_exact_derivatives() {
    let text = r#"
[body.block]
mesh = { shape = "box", cells = [2, 2, 2] }
material = { law = "linear", young = 1e5 }
[body.block.moved]
set = "y-max"
expression = [
    "0.1*X*sin(3*t)^2/(1 + t) + if(t < 0.5, t^3, 0.125 + 0.75*(t - 0.5))",
    "exp(-2*t)*Y - Y + sqrt(1 + t)*tanh(t - 0.2) + log(1 + t*t)",
    "hypot(t, 0.3) + atan2(t, 1 + t) + min(t, 0.25 + 0*t) + max(t^2, 0.01) + abs(0.1 - t) + cos(t*Z)*tan(0.2*t) + t^t",
]
"#;
    let scene = parsed(text).unwrap();
    let motion: &Motion = &scene.bodies[0].holds[0].motion;
    let at = [0.3, 1.0, 0.7];
    for t in [0.05_f64, 0.2, 0.4, 0.7, 1.3] {
        let closed = [
            at[0]
                + 0.1 * at[0] * (3.0 * t).sin().powi(2) / (1.0 + t)
                + if t < 0.5 { t.powi(3) } else { 0.125 + 0.75 * (t - 0.5) },
            (-2.0 * t).exp() + (1.0 + t).sqrt() * (t - 0.2).tanh() + (1.0 + t * t).ln(),
            at[2]
                + t.hypot(0.3)
                + t.atan2(1.0 + t)
                + t.min(0.25)
                + (t * t).max(0.01)
                + (0.1 - t).abs()
                + (t * at[2]).cos() * (0.2 * t).tan()
                + t.powf(t),
        ];
        let here = motion.at(at, t);
        let e = 1e-4;
        let [low, high] = [t - e, t + e].map(|t| motion.at(at, t));
        for k in 0..3 {
            assert!((here.x[k] - closed[k]).abs() < 1e-14, "{k} at {t}");
            let (v, a) = ((high.x[k] - low.x[k]) / (2.0 * e), (high.v[k] - low.v[k]) / (2.0 * e));
            assert!(
                (here.v[k] - v).abs() < 1e-6 * (1.0 + v.abs()),
                "{k} at {t}: {} {v}",
                here.v[k]
            );
            assert!(
                (here.a[k] - a).abs() < 1e-5 * (1.0 + a.abs()),
                "{k} at {t}: {} {a}",
                here.a[k]
            );
        }
    }
}

/// A block between rollers on three sides, pulled at the fourth: each roller pushes along its own axis alone, though they
/// share edges; and a hold along x goes with a motion along y of the same vertices.
#[test]
fn holds_of_one_vertex_are_joined_by_axis() {
    let block = |holds: &str, force: &str| {
        format!(
            r#"
gravity = [0, 0, 0]
[body.block]
mesh = {{ shape = "box", size = [1, 1, 1], cells = [2, 2, 2] }}
material = {{ law = "linear", young = 1e5, poisson = 0.3 }}
{holds}
{force}
[time]
analysis = "static"
end = 2
[solver]
newton_tolerance = 1e-12
"#
        )
    };
    let rollers = r#"fixed = [{ set = "x-min", axes = "x" }, { set = "y-min", axes = "y" }, { set = "z-min", axes = "z" }]
moved = { set = "y-max", axes = "y", expression = [0, "0.01*t*X", 0] }"#;
    let mut simulation = run(&block(rollers, "load = { set = \"x-max\", force = [50, 0, 0] }"));
    let reactions = simulation.reactions().unwrap();
    let [all, x, y, z, top] = reactions[..] else { panic!("{reactions:?}") };
    assert!((x[0] + 50.0).abs() < 1e-7 && x[1] == 0.0 && x[2] == 0.0, "{x:?}");
    assert!(y[0] == 0.0 && y[1] < -1.0 && y[2] == 0.0, "{y:?}");
    assert!(z[0] == 0.0 && z[1] == 0.0 && z[2].abs() < 1e-7, "{z:?}");
    assert!(top[0] == 0.0 && (top[1] + y[1]).abs() < 1e-7 && top[2] == 0.0, "{top:?}");
    for k in 0..3 {
        let sum = x[k] + y[k] + z[k] + top[k];
        assert!((all[k] - sum).abs() < 1e-9, "{all:?}");
    }
    for (at, u, _) in moved(&simulation) {
        for k in 0..3 {
            assert!(at[k] > 0.0 || u[k] == 0.0, "{at:?} {u:?}");
        }
        assert!(at[1] < 1.0 || (u[1] - 0.02 * at[0]).abs() < 1e-16, "{at:?} {u:?}");
    }
    // All three directions, by two holds.
    let split = r#"fixed = { set = "x-min", axes = "xz" }
moved = { set = "x-min", axes = "y", translation = { by = [0, 0.5, 0] } }"#;
    let simulation = run(&block(split, ""));
    for (_, u, _) in moved(&simulation) {
        assert!(norm(sub(u, [0.0, 0.5, 0.0])) < 1e-9, "{u:?}");
    }
    // Along the edge that both hold, they agree.
    let agree = r#"fixed = "x-min"
moved = { set = "y-min", expression = ["0.1*X*t", 0, 0] }"#;
    run(&block(agree, ""));
    let differ = r#"fixed = "x-min"
moved = { set = "y-min", axes = "x", expression = ["0.1*t", 0, 0] }"#;
    let error = refused(&block(differ, "")).to_string();
    for part in [
        "vertex ",
        "of body 'block' at (0, 0, ",
        "held twice along x",
        "set x-min, fixed",
        "test.toml:6",
        "set y-min, displaced by (0.1*t, 0, 0)",
        "test.toml:7",
        "axes",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn what_is_wrong_in_a_field_is_pointed_at() {
    let scene = |line: &str| {
        format!("[body.b]\nmesh = {{ shape = \"box\" }}\nmaterial = {{ young = 1e5 }}\n{line}\n")
    };
    for (line, part, word) in [
        ("initial = { velocity = [0, '2*Q', 0] }", "Q", "there are X, Y, Z, abs"),
        ("initial = { velocity = [0, '2*t', 0] }", "t", "'t' is not known"),
        ("initial = { displacement = ['X*3 kPa', 0, 0] }", "X*3 kPa", "a length is needed"),
        ("initial = { displacement = ['X', 0] }", "['X', 0]", "three"),
        ("initial = { displacement = ['1/0', 0, 0] }", "'1/0'", "finite"),
        ("initial = { displacement = ['X + ', 0, 0] }", "", "ends too early"),
        ("moved = { set = 'x-min', expression = ['X*sin(t', 0, 0] }", "", "')' ends 'sin'"),
        (
            "moved = { set = 'x-min', expression = ['if(X, 1, 2)', 0, 0] }",
            "if",
            "a condition first",
        ),
        ("moved = { set = 'x-min', expression = ['X < 1', 0, 0] }", "X < 1", "a number is needed"),
        ("moved = { set = 'x-min', expression = '2*X' }", "'2*X'", "a list of three"),
    ] {
        let error = refused(&scene(line));
        let place = error.details().location.clone().unwrap();
        let at = place.column as usize - 1;
        assert!(place.source[at..].starts_with(part), "{line}: {error}");
        assert!(error.to_string().contains(word), "{line}: {error}");
    }
    for (line, word) in [
        (
            "initial = { displacement = ['sqrt(X - 2)', 0, 0] }",
            "displacement of vertex 0 of body 'b'",
        ),
        ("moved = { set = 'x-min', expression = ['0.1*log(t)', 0, 0] }", "at t = 0"),
        ("moved = { set = 'x-min', expression = ['sqrt(t)', 0, 0] }", "the velocity that"),
    ] {
        let error = refused(&scene(line)).to_string();
        assert!(error.contains(word), "{line}: {error}");
    }
}
