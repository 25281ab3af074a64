//! Configurations of Vega's interactive simulator, where the machine has them.

use std::path::{Path, PathBuf};

use pliant_scene::{Scene, Simulation, StressModel, vega};

fn examples() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/data/vega/examples"))
        .find(|examples| examples.is_dir())
}

fn configurations(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for sub in std::fs::read_dir(folder).unwrap().flatten().filter(|e| e.path().is_dir()) {
        let files = std::fs::read_dir(sub.path()).unwrap().flatten().map(|e| e.path());
        found.extend(files.filter(|p| p.extension().is_some_and(|e| e == "config")));
    }
    found.sort();
    found
}

/// Runs each configuration that is not cloth for so many steps, with `sets` on top of it.
fn run_all(sets: &[&str], steps: impl Fn(usize) -> u64) {
    let Some(folder) = examples() else { return };
    let list = configurations(&folder);
    assert_eq!(list.len(), 12);
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
    for file in list {
        let name = file.display();
        let scene = match Scene::read(&file, &sets) {
            Ok(scene) => scene,
            Err(error) => {
                assert!(file.ends_with("cloth100.config"), "{name}: {error}");
                assert!(error.to_string().contains("cloth"), "{error}");
                continue;
            }
        };
        assert!(
            scene.notes.iter().all(|n| n.contains("no effect") || n.contains("is free")),
            "{:?}",
            scene.notes
        );
        assert_eq!(scene.time.steps(), 100, "{name}");
        let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{name}: {e}"));
        let size = simulation.system().size();
        for _ in 0..steps(simulation.vertices()) {
            simulation.step().unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        // Nothing flies away: what is free falls by g t²/2 at most, what is held sags by less.
        let state = simulation.state();
        let fallen = 0.5 * 9.81 * (state.time + scene.time.step).powi(2);
        let far = state.x.iter().flatten().fold(0.0_f64, |m, c| m.max(c.abs()));
        assert!(far.is_finite() && far < 2.0 * size + fallen, "{name}: {far} m");
        assert!(state.fastest().1 > 0.0 || scene.gravity == [0.0; 3], "{name}");
    }
}

/// Gravity moves those that leave it out too.
const PUSHED: &[&str] = &["gravity=[0, -3, 0]"];

#[test]
fn the_small_ones_take_a_hundred_steps_and_the_large_ones_five() {
    run_all(PUSHED, |vertices| if vertices < 500 { 100 } else { 5 });
}

#[test]
#[ignore = "half a minute without optimisation: cargo xtask nightly runs it"]
fn all_but_the_cloth_take_a_hundred_steps() {
    run_all(&[], |_| 100);
    run_all(PUSHED, |_| 100);
}

/// A push of a tenth of a second on its upper half, then nothing: p = ∫ F dt, and stays.
#[test]
fn the_unconstrained_dragon_keeps_the_momentum_of_an_impulse() {
    let Some(folder) = examples() else { return };
    let file = folder.join("asianDragon/asianDragon_unconstrained.config");
    let force = [3e5, 2e5, -1e5];
    let sets = [
        "time.step=0.01".to_owned(),
        "time.steps=60".to_owned(),
        "time.integrator=\"implicit-midpoint\"".to_owned(),
        "solver.newton_tolerance=1e-10".to_owned(),
        "body.body.damping.mass=0".to_owned(),
        format!(
            "body.body.load={{ where = \"y > 0\", force = {force:?}, curve = {{ kind = \"pulse\", hold = \"0.1 s\" }} }}"
        ),
    ];
    let scene = Scene::read(&file, &sets).unwrap();
    let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(simulation.momenta().0, [0.0; 3]);
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
        if simulation.state().steps < 10 {
            continue;
        }
        let (p, _) = simulation.momenta();
        for k in 0..3 {
            let expected = 0.1 * force[k];
            let error = (p[k] - expected).abs() / (0.1 * force[0]);
            assert!(error < 1e-10, "step {}: {p:?}, off by {error:.1e}", simulation.state().steps);
        }
    }
    let balance = simulation.balance().energies;
    assert!(balance.elastic > 0.1 * balance.kinetic, "it bends as it flies: {balance:?}");
}

/// Linear momentum of a free body changes by the impulse alone: here by none, as it is thrown.
#[test]
fn the_unconstrained_dragon_keeps_its_momentum() {
    let Some(folder) = examples() else { return };
    let file = folder.join("asianDragon/asianDragon_unconstrained.config");
    let sets = [
        "time.steps=20",
        "time.integrator=\"implicit-midpoint\"",
        "solver.newton_tolerance=1e-10",
        "body.body.damping.mass=0",
        // β K v turns a body that is under stress.
        "body.body.damping.stiffness=0",
        "body.body.velocity=[1, 2, 3]",
        "body.body.spin={ axis = [0, 1, 0], rate = 3 }",
    ];
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
    let scene = Scene::read(&file, &sets).unwrap();
    let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
    let before = simulation.momenta();
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    let after = simulation.momenta();
    for k in 0..3 {
        let scale = before.0.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
        assert!((after.0[k] - before.0[k]).abs() < 1e-8 * scale, "{before:?} {after:?}");
        let scale = before.1.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
        assert!((after.1[k] - before.1[k]).abs() < 1e-6 * scale, "{before:?} {after:?}");
    }
}

/// Where it is asked for, the extra energy r K (1 − J)³/864 is there: a body pressed to half its height has it.
#[test]
fn compression_is_resisted_as_in_vega() {
    let config = |extra: &str| {
        let text = format!(
            "*volumetricMeshFilename\na.veg\n*deformableObjectMethod\nInvertibleFEM\n{extra}"
        );
        vega::import(&text, Path::new("a.config")).unwrap()
    };
    let asked = config("*enableCompressionResistance\n1\n*compressionResistance\n500\n");
    assert!(asked.scene.contains("compression_resistance = 500.0"), "{}", asked.scene);
    assert!(asked.notes.is_empty(), "{:?}", asked.notes);
    let not = config("*enableCompressionResistance\n0\n*compressionResistance\n500\n");
    assert!(!not.scene.contains("compression_resistance"), "{}", not.scene);

    let energies = |material: &str| {
        let text = format!(
            "gravity = [0, 0, 0]\n[body.b]\nmesh = {{ shape = \"box\", cells = [1, 1, 1] }}\n\
             stretch = [1, 0.5, 1]\n\
             material = {{ young = 3e3, poisson = 0.25, {material} }}\n"
        );
        let scene = Scene::parse(&text, Path::new("b.toml")).unwrap();
        let simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
        let stress = StressModel::new(&simulation.bodies[0]).unwrap();
        let density = stress.stresses(&simulation.state().x, &[])[0].unwrap().energy_density;
        (simulation.balance().energies.elastic, density)
    };
    for law in ["st-venant-kirchhoff", "neo-hookean", "mooney-rivlin"] {
        let (plain, _) = energies(&format!("law = \"{law}\""));
        let (more, density) = energies(&format!("law = \"{law}\", compression_resistance = 500"));
        // K = E/3(1 − 2ν) = 2000 Pa, 1 m³, J = 1/2.
        let extra = 500.0 * 2000.0 * 0.125 / 864.0;
        assert!((more - plain - extra).abs() < 1e-9 * more, "{law}: {more} {plain}");
        assert!((density - more).abs() < 1e-9 * more, "{law}: {density} {more}");
    }
    let wrong = "[body.b]\nmesh = { shape = \"box\" }\nmaterial = { law = \"linear\", young = 1e5, compression_resistance = 2 }\n";
    let error = Scene::parse(wrong, Path::new("b.toml")).unwrap_err().to_string();
    assert!(error.contains("compression_resistance"), "{error}");
}

#[test]
fn bad_configurations_are_refused_with_their_line() {
    for (text, line, word) in [
        ("value\n", 1, "belongs to no key"),
        ("*timestep\n*solver\nEuler\n", 1, "has no value"),
        ("*volumetricMeshFilename\na.veg\n*timestep\nsoon\n", 3, "no number"),
        ("*volumetricMeshFilename\na.veg\n*solver\nmagic\n", 3, "implicitNewmark"),
    ] {
        let error = vega::import(text, Path::new("a.config")).unwrap_err();
        assert_eq!(error.details().location.as_ref().unwrap().line, line, "{error}");
        assert!(error.to_string().contains(word), "{error}");
    }
    let error = vega::import("*timestep\n0.1\n", Path::new("a.config")).unwrap_err();
    assert!(error.to_string().contains("volumetricMeshFilename"), "{error}");
}
