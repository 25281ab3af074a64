//! Every built-in scene, and mechanics through scene files.

use std::path::Path;

use pliant_scene::{Scene, Simulation, builtin};

fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse(text, Path::new("test.toml")).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn run(text: &str) -> Simulation {
    let mut simulation = simulation(text);
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

#[test]
fn every_built_in_scene_is_short_and_takes_five_steps() {
    assert!(builtin::SCENES.len() >= 10);
    for (name, text) in builtin::SCENES {
        assert!(text.lines().count() < 60, "{name}");
        assert!(!builtin::about(text).is_empty(), "{name}");
        let scene = builtin::scene(name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{name}: {e}"));
        // VirTis's bodies are nearly incompressible on tet4, which is what his numbers stand for.
        let locks = |w: &String| name.starts_with("virtis") && w.contains("Poisson's ratio");
        assert!(simulation.warnings.iter().all(locks), "{name}: {:?}", simulation.warnings);
        assert!((0.01..=0.04).contains(&scene.time.step), "{name}");
        let bound = 10.0 * simulation.system().size();
        for _ in 0..5 {
            if !simulation.is_done() {
                simulation.step().unwrap_or_else(|e| panic!("{name}: {e}"));
            }
        }
        let far = simulation.state().x.iter().flatten().fold(0.0_f64, |m, c| m.max(c.abs()));
        assert!(far < bound, "{name}: a vertex is {far} m away");
    }
}

#[test]
fn an_unknown_scene_is_answered_with_the_nearest() {
    let error = builtin::scene("jely", &[]).unwrap_err().to_string();
    assert!(error.contains("did you mean 'jelly'"), "{error}");
}

/// Backward Euler adds up its own velocities: y = −g h² n(n+1)/2 without error.
#[test]
fn a_free_body_falls_as_the_method_says() {
    let text = r#"
[body.cube]
mesh = { shape = "box", cells = [1, 1, 1] }
material = { law = "corotational", young = "10 kPa", poisson = 0.3 }
velocity = [1, 0, 0]
[time]
step = 0.01
steps = 50
[solver]
newton_tolerance = 1e-11
[probe.p]
at = [0.5, 0.5, 0.5]
"#;
    let simulation = run(text);
    let u = simulation.displacement(&simulation.probes[0]);
    let (h, n) = (0.01_f64, 50.0);
    assert!((u[0] - h * n).abs() < 1e-9, "{u:?}");
    assert!((u[1] + 9.81 * h * h * n * (n + 1.0) / 2.0).abs() < 1e-9, "{u:?}");
}

/// They make many steps for one of the scene, which counts its own.
#[test]
fn methods_that_choose_their_steps_come_to_the_end() {
    for time in [
        "integrator = \"dormand-prince-853\"\ntolerance = 1e-9",
        "integrator = \"bdf2\"\ntolerance = 1e-5",
        "integrator = \"explicit-newmark\"",
    ] {
        let text = format!(
            "[body.b]\nmesh = {{ shape = \"box\", cells = [1, 1, 1] }}\nfixed = \"x-min\"\n\
             material = {{ law = \"corotational\", young = 1e5 }}\n[time]\nstep = 0.02\nend = 0.1\n{time}\n"
        );
        let simulation = run(&text);
        assert_eq!(simulation.state().steps, 5, "{time}");
        assert!((simulation.state().time - 0.1).abs() < 1e-12, "{time}");
    }
}

#[test]
fn each_kind_of_motion_moves_what_it_holds() {
    let body = |motion: &str| {
        format!(
            "gravity = [0, 0, 0]\n[body.b]\nmesh = {{ shape = \"box\", cells = [1, 1, 1] }}\n\
             material = {{ law = \"corotational\", young = 1e5 }}\n\
             moved = {{ set = \"x-min\", {motion} }}\n[time]\nstep = 0.05\nend = 0.25\n\
             [probe.p]\nvertices = [0]\n"
        )
    };
    // Vertex 0 is at the origin.
    let quarter = std::f64::consts::FRAC_PI_2;
    for (motion, expected) in [
        (
            "translation = { by = [0, 2, 0], curve = { kind = \"ramp\", end = 0.5 } }",
            [0.0, 1.0, 0.0],
        ),
        (
            "rotation = { centre = [0, 1, 0], axis = [1, 0, 0], rate = \"90 deg/s\" }",
            [0.0, 1.0 - (0.25 * quarter).cos(), -(0.25 * quarter).sin()],
        ),
        (
            "rotation = { centre = [0, 1, 0], axis = [1, 0, 0], angle = \"90 deg\", curve = { kind = \"ramp\", end = 0.25 } }",
            [0.0, 1.0, -1.0],
        ),
        ("oscillation = { by = [0, 0, 0.1], frequency = \"1 Hz\" }", [0.0, 0.0, 0.1]),
        (
            "keyframes = { times = [0, 0.5], displacements = [[0, 0, 0], [0.2, 0, 0]] }",
            [0.1, 0.0, 0.0],
        ),
    ] {
        let simulation = run(&body(motion));
        let u = simulation.displacement(&simulation.probes[0]);
        let error = (0..3).map(|k| (u[k] - expected[k]).abs()).fold(0.0, f64::max);
        assert!(error < 1e-9, "{motion}: {u:?}");
    }
}

/// σ = F/A, u = σ L/E in a bar that may narrow.
#[test]
fn loads_of_every_kind_stretch_a_bar_by_the_same() {
    let bar = |load: &str| {
        let text = format!(
            "gravity = [0, 0, 0]\n[time]\nanalysis = \"static\"\n[solver]\nnewton_tolerance = 1e-10\n[body.b]\n\
             mesh = {{ shape = \"box\", size = [2, 1, 1], cells = [2, 1, 1], cell = \"hex\" }}\n\
             material = {{ law = \"linear\", young = \"1 MPa\", poisson = 0.3 }}\n\
             fixed = [{{ set = \"x-min\", axes = \"x\" }}, {{ set = \"y-min\", axes = \"y\" }}, {{ set = \"z-min\", axes = \"z\" }}]\n\
             load = {{ {load} }}\n[probe.end]\nset = \"x-max\"\n"
        );
        let simulation = run(&text);
        simulation.displacement(&simulation.probes[0])[0]
    };
    for load in [
        "set = \"x-max\", force = [\"1 kN\", 0, 0]",
        "set = \"x-max\", traction = [\"1 kPa\", 0, 0]",
        "set = \"x-max\", force_per_vertex = [\"250 N\", 0, 0]",
        "normal = { direction = [1, 0, 0] }, traction = [\"1 kPa\", 0, 0]",
        "plane = { point = [2, 0, 0], normal = [1, 0, 0] }, traction = [\"1 kPa\", 0, 0]",
        "box = { min = [1.9, -1, -1], max = [3, 3, 3] }, traction = [\"1 kPa\", 0, 0]",
        "set = \"x-max\", traction = [\"2 kPa\", 0, 0], curve = 0.5",
        "where = \"x > 1.9\", traction = [\"1 kPa\", 0, 0]",
        "where = \"x == 200 cm && y >= 0\", force = [\"1 kN\", 0, 0]",
        "where = \"nx > 0.5\", traction = [\"1 kPa\", 0, 0]",
        "where = \"nx > 0.5 && x > y - 5\", force_per_vertex = [\"250 N\", 0, 0]",
    ] {
        let u = bar(load);
        assert!((u - 1e3 * 2.0 / 1e6).abs() < 1e-9, "{load}: {u}");
    }
    // A body force b pulls with b (L − x): u = b L²/2E.
    let u = bar("body_force = [\"1 kN/m^3\", 0, 0]");
    assert!((u - 1e3 * 4.0 / 2.0 / 1e6).abs() < 1e-9, "{u}");
    // A pressure follows the surface, and pulls if it is negative; the bar is stiff. So do others that are asked to.
    for load in ["pressure = \"-1 kPa\"", "traction = [1e3, 0, 0], follows = true"] {
        let u = bar(&format!("set = \"x-max\", {load}"));
        assert!((u - 2e-3).abs() < 1e-5, "{load}: {u}");
    }
    let u = bar("set = \"x-max\", pressure = \"-1 kPa\", follows = false");
    assert!((u - 2e-3).abs() < 1e-9, "{u}");
}

/// A body without support that is turned by a quarter before it is pushed: what is dead pushes as before, what
/// follows has turned with it.
#[test]
fn loads_follow_the_surface_or_are_dead_as_the_scene_says() {
    let pushed = |load: &str| {
        // Stiff, and turned by its spin within half a second, while nothing pushes.
        let text = format!(
            "gravity = [0, 0, 0]\n[time]\nintegrator = \"implicit-midpoint\"\nstep = \"5 ms\"\nend = 0.51\n\
             [solver]\nnewton_tolerance = 1e-10\n[body.b]\n\
             mesh = {{ shape = \"box\", size = [1, 1, 1], cells = [1, 1, 1], cell = \"hex\" }}\n\
             material = {{ law = \"corotational\", young = \"100 MPa\", poisson = 0 }}\n\
             spin = {{ axis = [0, 0, 1], rate = {} }}\n\
             load = {{ {load}, curve = {{ kind = \"pulse\", start = 0.5, hold = 1 }} }}\n",
            std::f64::consts::PI
        );
        let (p, _) = run(&text).momenta();
        // 10 ms of a force of 1 kN.
        p.map(|c| c / 10.0)
    };
    let along = |p: [f64; 3], expected: [f64; 3], what: &str| {
        assert!((0..3).all(|k| (p[k] - expected[k]).abs() < 0.03), "{what}: {p:?}");
    };
    for (load, turns) in [
        ("set = \"x-max\", force = [1e3, 0, 0]", false),
        ("set = \"x-max\", force = [1e3, 0, 0], follows = true", true),
        ("set = \"x-max\", traction = [1e3, 0, 0], follows = false", false),
        ("set = \"y-max\", traction = [1e3, 0, 0], follows = true", true),
        ("set = \"x-max\", pressure = -1e3", true),
        ("set = \"x-max\", pressure = -1e3, follows = false", false),
        // Along axis × normal: z × −y = x.
        ("set = \"y-min\", shear = 1e3, axis = [0, 0, 1]", true),
        ("set = \"y-min\", shear = 1e3, axis = [0, 0, 1], follows = false", false),
    ] {
        along(pushed(load), if turns { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] }, load);
    }
    let wrong = "[body.b]\nmesh = { shape = \"box\" }\nmaterial = { young = 1e5 }\n\
                 load = { body_force = [0, 1, 0], follows = true }\n";
    let error = Scene::parse(wrong, "b.toml".as_ref()).unwrap_err().to_string();
    assert!(error.contains("only what acts on faces"), "{error}");
}

/// Whichever of the two is joined to the other, and whatever their cells are.
#[test]
fn glued_bodies_move_as_one_and_reactions_carry_the_weight() {
    let text = r#"
[time]
analysis = "static"
[body.top]
mesh = { shape = "box", size = [1, 1, 1], cells = [2, 2, 2] }
material = { law = "corotational", young = "1 MPa", poisson = 0.3 }
fixed = "y-max"
[body.bottom]
mesh = { shape = "box", size = [1, 1, 1], cells = [3, 1, 3] }
element = "hex8"
position = [0, -1, 0]
material = { law = "corotational", young = "1 MPa", poisson = 0.3 }
[[attachment]]
JOINT
[probe.above]
body = "top"
at = [0.5, 0, 0.5]
[probe.below]
body = "bottom"
at = [0.5, 0, 0.5]
"#;
    for joint in [
        "body = \"bottom\"\nto = \"top\"\nset = \"y-max\"",
        "body = \"top\"\nto = \"bottom\"\nset = \"y-min\"",
        "body = \"top\"\nto = \"bottom\"\nwithin = \"1 mm\"",
    ] {
        let text = text.replace("JOINT", joint);
        // Nothing pulls before anything has moved.
        assert!(simulation(&text).balance().energies.other < 1e-9, "{joint}");
        let mut simulation = run(&text);
        let at = |s: &Simulation, k: usize| s.displacement(&s.probes[k])[1];
        let (above, below) = (at(&simulation, 0), at(&simulation, 1));
        assert!(above < -0.005 && (above - below).abs() < 0.25 * above.abs(), "{above} {below}");
        let reactions = simulation.reactions().unwrap();
        // Two cubes of 1000 kg.
        assert!((reactions[0][1] - 2000.0 * 9.81).abs() < 0.1, "{joint}: {reactions:?}");
    }
}

/// Pulled at both ends: each of the two pulls, and together they do nothing.
#[test]
fn a_body_held_in_several_places_has_a_reaction_for_each() {
    let text = r#"
gravity = [0, 0, 0]
[time]
analysis = "static"
[body.bar]
mesh = { shape = "bar", across = 1 }
material = { law = "linear", young = "1 MPa", poisson = 0 }
fixed = "x-min"
moved = [{ set = "x-max", translation = { by = ["1 cm", 0, 0] } }]
"#;
    let mut simulation = run(text);
    let names: Vec<&str> = simulation.supports.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["bar.x-min", "bar.x-max"]);
    let bounds = pliant_mesh::measure::bounding_box(&simulation.bodies[0].mesh).extent();
    let pull = 1e6 * 0.01 / bounds[0] * bounds[1] * bounds[2];
    let [all, left, right] = simulation.reactions().unwrap()[..] else { panic!("three sums") };
    assert!(all[0].abs() < 1e-6 * pull, "{all:?}");
    assert!((left[0] + pull).abs() < 1e-6 * pull, "{left:?} {pull}");
    assert!((right[0] - pull).abs() < 1e-6 * pull, "{right:?} {pull}");
}

#[test]
fn a_body_rests_on_the_floor_with_its_weight() {
    let text = r#"
[time]
step = "40 ms"
end = "4 s"
[body.cube]
mesh = { shape = "box", size = [0.2, 0.2, 0.2], cells = [2, 2, 2] }
position = [0, 0.02, 0]
material = { law = "stable-neo-hookean", young = "50 kPa", poisson = 0.4 }
damping = { mass = "4 1/s" }
[obstacle.floor]
shape = "floor"
[probe.bottom]
set = "y-min"
"#;
    let simulation = run(text);
    let bottom = simulation.probes[0].at(&simulation.state().x)[1];
    // Half a percent of 20 cm at most.
    assert!(bottom < 0.0 && bottom > -0.001, "{bottom}");
    let fastest = simulation.state().fastest().1;
    assert!(fastest < 1e-3, "{fastest}");
}

/// A weight on springs: m g = Σ k u, to another body as well as to the world, which stays where it is.
#[test]
fn springs_stretch_by_the_weight_they_carry() {
    let text = |joint: &str| {
        format!(
            r#"
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-10
[body.weight]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [1, 1, 1], cell = "hex" }}
material = {{ law = "linear", young = "1 GPa", poisson = 0 }}
[body.beam]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [1, 1, 1], cell = "hex" }}
position = [0, 0.1, 0]
material = {{ law = "linear", young = "1 GPa", poisson = 0 }}
fixed = {{ surface = true }}
[[attachment]]
body = "weight"
kind = "springs"
stiffness = "100 N/m"
{joint}
[probe.weight]
body = "weight"
set = "y-max"
"#
        )
    };
    for joint in ["set = \"y-max\"", "set = \"y-max\"\nto = \"beam\""] {
        let mut simulation = run(&text(joint));
        let u = simulation.displacement(&simulation.probes[0])[1];
        // 1 kg on four springs.
        assert!((u + 9.81 / 400.0).abs() < 1e-6, "{joint}: {u}");
        let pull = simulation.reactions().unwrap()[1][1];
        let carried = if joint.contains("to") { 2.0 * 9.81 } else { 9.81 };
        assert!((pull - carried).abs() < 1e-6, "{joint}: {pull}");
    }
}

/// Whatever way a ball is thrown, it stays out of what it cannot enter, or within its room.
#[test]
fn obstacles_of_every_shape_stop_a_body() {
    for obstacle in [
        "shape = \"plane\"\npoint = [0.3, 0, 0]\nnormal = [-1, 0, 0]",
        "shape = \"sphere\"\ncentre = [0.5, 0, 0]\nradius = \"20 cm\"",
        "shape = \"box\"\nmin = [0.3, -1, -1]\nmax = [2, 1, 1]",
        "shape = \"sphere\"\ncentre = [0, 0, 0]\nradius = \"30 cm\"\nroom = true",
        "shape = \"box\"\nmin = [-1, -1, -1]\nmax = [0.3, 1, 1]\nroom = true",
    ] {
        let text = format!(
            "gravity = [0, 0, 0]\n[time]\nstep = \"5 ms\"\nend = 0.3\n[body.ball]\n\
             mesh = {{ shape = \"sphere\", radius = \"10 cm\", core = 2, rings = 1 }}\n\
             material = {{ young = \"20 kPa\", poisson = 0.3 }}\nvelocity = [1, 0, 0]\n\
             [obstacle.o]\n{obstacle}\n"
        );
        let mut simulation = simulation(&text);
        let mut furthest = f64::NEG_INFINITY;
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|e| panic!("{obstacle}: {e}"));
            furthest = simulation.state().x.iter().fold(furthest, |m, x| m.max(x[0]));
        }
        // The surface is at 30 cm, and the ball bends round it; without it the ball would come to 40 cm.
        assert!(furthest > 0.29 && furthest < 0.33, "{obstacle}: {furthest}");
        let (p, _) = simulation.momenta();
        assert!(p[0] < 0.0, "{obstacle}: it comes back, {p:?}");
    }
}

#[test]
fn regions_have_their_own_material_and_density() {
    let folder = std::env::temp_dir().join(format!("pliant-regions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let veg = "*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n\
               *MATERIAL soft\nENU, 100, 1e4, 0.3\n*MATERIAL hard\nENU, 300, 1e6, 0.3\n*SET one\n1\n*SET two\n2\n*REGION\none, soft\n*REGION\ntwo, hard\n";
    std::fs::write(folder.join("two.veg"), veg).unwrap();
    let mass = |extra: &str| {
        let text = format!("[body.b]\nmesh = \"two.veg\"\n{extra}");
        let scene = Scene::parse(&text, &folder.join("scene.toml")).unwrap();
        let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
        let up = vec![[0.0, 1.0, 0.0]; 5];
        2.0 * simulation.system().kinetic(&up)
    };
    let volumes = [1.0 / 6.0, 1.0 / 3.0];
    let expected = |a: f64, b: f64| a * volumes[0] + b * volumes[1];
    assert!((mass("material = { law = \"neo-hookean\" }\n") - expected(100.0, 300.0)).abs() < 1e-9);
    assert!((mass("density = 50\n") - expected(50.0, 50.0)).abs() < 1e-9);
    let two =
        "[body.b.region.two]\ndensity = 700\nmaterial = { law = \"corotational\", young = 1e5 }\n";
    assert!((mass(two) - expected(100.0, 700.0)).abs() < 1e-9);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn finer_scenes_have_more_cells_and_come_nearer_to_curved_sides() {
    let volume = |scene: &Scene| {
        let simulation = Simulation::build(scene).unwrap();
        (simulation.cells(), pliant_mesh::measure::volume(&simulation.bodies[0].mesh))
    };
    let text = |mesh: &str| format!("[body.b]\nmesh = {mesh}\nmaterial.young = 1e5\n");
    let scene = |mesh: &str| Scene::parse(&text(mesh), Path::new("test.toml")).unwrap();
    let ball = scene("{ shape = \"sphere\", radius = 1, core = 2, rings = 1 }");
    let exact = 4.0 / 3.0 * std::f64::consts::PI;
    let (coarse, fine) = (volume(&ball), volume(&ball.refined(1).unwrap()));
    // Twice as fine: eight times the cells, a quarter of what is missing.
    assert_eq!(fine.0, 8 * coarse.0);
    let missing = (exact - coarse.1) / (exact - fine.1);
    assert!((missing - 4.0).abs() < 0.5, "{missing}");
    let block = scene("{ shape = \"box\", cells = [1, 2, 3] }");
    let (coarse, fine) = (volume(&block), volume(&block.refined(2).unwrap()));
    assert_eq!(fine.0, 64 * coarse.0);
    assert!((fine.1 - coarse.1).abs() < 1e-12);
}

#[test]
fn shear_needs_an_axis() {
    let text = "[body.b]\nmesh = { shape = \"box\" }\n[[body.b.load]]\nset = \"x-max\"\nshear = \"1 Pa\"\n";
    let error = Scene::parse(text, Path::new("test.toml")).unwrap_err().to_string();
    assert!(error.contains("axis"), "{error}");
}

/// Rows of K couple what shares an element, by the numbers of the meshes, one body after the other.
#[test]
fn matrices_have_the_numbers_of_the_meshes() {
    let mut simulation = simulation(
        r#"
gravity = [0, 0, 0]
[body.a]
mesh = { shape = "box", cells = [3, 2, 2] }
material = { young = "10 kPa" }
[body.b]
mesh = { shape = "sphere", radius = 0.5, core = 2, rings = 1 }
material = { law = "mass-spring", young = "10 kPa" }
position = [5, 0, 0]
"#,
    );
    let m = simulation.matrices().unwrap();
    assert!(m.symmetric);
    assert_eq!(m.force.len(), simulation.vertices());
    assert!(m.force.iter().flatten().all(|f| f.abs() < 1e-9), "{:?}", m.force);
    let mut first = 0;
    let mut reordered = false;
    for body in &simulation.bodies {
        let count = body.mesh.vertex_count();
        for v in 0..count {
            let mut expected: Vec<usize> = body
                .mesh
                .cells()
                .filter(|cell| cell.contains(&(v as u32)))
                .flat_map(|cell| cell.iter().map(|&w| first + w as usize))
                .collect();
            expected.sort_unstable();
            expected.dedup();
            let (columns, _) = m.stiffness.row(3 * (first + v));
            let mut got: Vec<usize> = columns.iter().map(|&c| c as usize / 3).collect();
            got.dedup();
            assert_eq!(got, expected, "vertex {v} of {}", body.name);
            let mass = body.masses()[body.system_vertex(v as u32) as usize - body.range.start];
            assert_eq!(m.mass.entry(3 * (first + v) + 2, 3 * (first + v) + 2), mass);
            reordered |= body.system_vertex(v as u32) as usize != first + v;
        }
        first += count;
    }
    assert!(reordered, "the system has the order of the meshes, and this test says nothing");
}

/// A file that names no sets has sides all the same.
#[test]
fn every_body_has_sides() {
    let folder = std::env::temp_dir().join(format!("pliant-sides-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("two.mesh");
    std::fs::write(
        &file,
        "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n\
         Tetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n",
    )
    .unwrap();
    let text = format!(
        "[body.b]\nmesh = {{ file = {:?} }}\nmaterial = {{ young = \"10 kPa\" }}\nfixed = \"x-min\"\n",
        file.display().to_string()
    );
    let mut simulation = simulation(&text);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(simulation.bodies[0].mesh.vertex_sets.is_empty());
    assert_eq!(simulation.system().constraints().vertices().len(), 3);
}
