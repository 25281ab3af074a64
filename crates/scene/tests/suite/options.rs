//! Options of methods: read where the chosen method takes them, and errors where it does not.

use std::path::Path;

use pliant_dynamics::{IntegratorName, Options};
use pliant_scene::{Origin, Scene};
use pliant_solvers::{Choice, SolverName};
use pliant_units::{OptionKind, OptionSpec};

const BODY: &str = "[body.b]\nmesh = { shape = \"box\", cells = [1, 1, 1] }\n";

fn read(tables: &str, sets: &[&str]) -> Result<Scene, String> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let text = format!("{tables}\n{BODY}");
    Scene::parse_with(&text, Path::new("scene.toml"), &sets).map_err(|e| e.to_string())
}

/// A line that gives an option a value that it takes.
fn line<T>(option: &OptionSpec<T>) -> String {
    let value = match option.kind {
        OptionKind::Number(_, within) => {
            format!("{:?}", [0.6, 1e-3].into_iter().find(|v| within.contains(*v)).unwrap())
        }
        OptionKind::Count(least) => (least + 1).to_string(),
        OptionKind::Name(names) => format!("{:?}", names()[0].0),
    };
    format!("{} = {value}", option.key)
}

/// Every integrator × every key of `[time]`.
#[test]
fn a_key_of_another_integrator_is_an_error_that_names_key_method_and_taker() {
    for &name in IntegratorName::ALL.iter().filter(|n| **n != IntegratorName::QuasiStatic) {
        for option in IntegratorName::OPTIONS {
            let tables = format!("[time]\nintegrator = {:?}\n{}", name.name(), line(option));
            let takes = name.options().iter().any(|o| o.key == option.key);
            match read(&tables, &[]) {
                Ok(scene) => {
                    assert!(takes, "{} took {}", name.name(), option.key);
                    let value = (option.get)(&scene.time.options);
                    assert_ne!(value, (option.get)(&Options::default()), "{}", option.key);
                }
                Err(text) => {
                    assert!(!takes, "{text}");
                    let taker = IntegratorName::takers(option.key)[0];
                    let key = format!("time.{}", option.key);
                    for part in [&*key, name.name(), "does not take it", taker] {
                        assert!(text.contains(part), "{text}: no {part}");
                    }
                }
            }
        }
    }
    let text = read("[time]\nintegrator = \"rk4\"\nbeta = 0.3", &[]).unwrap_err();
    assert!(text.contains("time.beta: rk4 does not take it; newmark does"), "{text}");
}

/// Every linear solver × every key of linear solvers.
#[test]
fn a_key_of_another_linear_solver_is_an_error() {
    for solver in SolverName::ALL {
        for option in Choice::OPTIONS {
            let tables = format!("[solver]\nlinear = {:?}\n{}", solver.name(), line(option));
            let takes = solver.options().iter().any(|o| o.key == option.key);
            match read(&tables, &[]) {
                Ok(_) => assert!(takes, "{} took {}", solver.name(), option.key),
                Err(text) => {
                    assert!(!takes, "{text}");
                    assert!(text.contains(&format!("solver.{}", option.key)), "{text}");
                    assert!(text.contains(solver.name()), "{text}");
                }
            }
        }
    }
    let stale =
        "[solver]\nlinear = \"cg\"\npreconditioner = \"stale-cholesky\"\nordering = \"amd\"";
    assert!(read(stale, &[]).is_ok());
}

#[test]
fn explicit_methods_solve_nothing() {
    let explicit = "[time]\nintegrator = \"verlet\"\n[solver]\n";
    for line in
        ["newton_tolerance = 1e-3", "linear = \"cg\"", "tolerance = 1e-3", "newton = \"full\""]
    {
        let text = read(&format!("{explicit}{line}"), &[]).unwrap_err();
        assert!(text.contains("verlet"), "{text}");
    }
    let rosenbrock = "[time]\nintegrator = \"rosenbrock2\"\n[solver]\n";
    assert!(read(&format!("{rosenbrock}linear = \"cg\"\nprojection = \"always\""), &[]).is_ok());
    let text = read(&format!("{rosenbrock}newton_tolerance = 1e-3"), &[]).unwrap_err();
    assert!(text.contains("rosenbrock2 does not take it; backward-euler"), "{text}");
}

#[test]
fn states_of_rest_take_what_their_method_takes() {
    let rest =
        |lines: &str| read(&format!("[time]\nanalysis = \"static\"\n[solver]\n{lines}"), &[]);
    assert_eq!(rest("load_steps = 5").unwrap().time.options.load_steps, 5);
    assert!(rest("static_method = \"nonlinear-cg\"\nnewton_tolerance = 1e-4").is_ok());
    let text = rest("static_method = \"nonlinear-cg\"\nnewton_iterations = 4").unwrap_err();
    assert!(text.contains("static analysis by nonlinear-cg does not take it"), "{text}");
    let text = rest("static_method = \"nonlinear-cg\"\nlinear = \"cg\"").unwrap_err();
    assert!(text.contains("nonlinear-cg"), "{text}");
    let text = read("[solver]\nload_steps = 5", &[]).unwrap_err();
    assert!(text.contains("backward-euler does not take it; a static analysis does"), "{text}");
    let text = read("[time]\nanalysis = \"static\"\nbeta = 0.3", &[]).unwrap_err();
    assert!(text.contains("a static analysis does not take it; newmark does"), "{text}");
}

#[test]
fn values_out_of_range_are_errors_that_say_the_range() {
    let radius = "[time]\nintegrator = \"generalized-alpha\"\nspectral_radius = 1.1";
    let text = read(radius, &[]).unwrap_err();
    assert!(text.contains("time.spectral_radius: 1.1: must be 0 to 1"), "{text}");
    let text = read("[time]\ntolerance = 0", &[]).unwrap_err();
    assert!(text.contains("time.tolerance: 0: must be above 0"), "{text}");
    let text = read("[solver]\nnewton_iterations = 0", &[]).unwrap_err();
    assert!(text.contains("solver.newton_iterations: 0: at least 1"), "{text}");
}

/// Comparisons, `--set` and the panel replace a method: what the file says about the other one is left out, and a
/// scene that is saved so can be read again.
#[test]
fn a_method_that_replaces_another_leaves_its_options_out() {
    let tables = "[time]\nintegrator = \"newmark\"\nbeta = 0.3\n[solver]\nnewton_tolerance = 1e-4\nlinear = \"cg\"\niterations = 50";
    assert_eq!(read(tables, &[]).unwrap().time.options.newmark.0, 0.3);
    let scene = read(tables, &["time.integrator=\"rk4\""]).unwrap();
    assert_eq!(scene.time.options.newmark, Options::default().newmark);
    let mut left = scene.time.left_out.clone();
    left.sort();
    let expected = ["solver.iterations", "solver.linear", "solver.newton_tolerance", "time.beta"];
    assert_eq!(left, expected);
    let scene = read(tables, &["solver.linear=\"cholesky\""]).unwrap();
    assert_eq!(scene.time.left_out, ["solver.iterations"]);
    // A key that is set on top of the method of the file must be one of its own.
    assert!(read(tables, &["time.spectral_radius=0.5"]).is_err());

    let file = std::env::temp_dir().join(format!("pliant-options-{}.toml", std::process::id()));
    std::fs::write(&file, format!("{tables}\n{BODY}")).unwrap();
    let sets = vec!["time.integrator=\"rk4\"".to_owned()];
    let saved = Origin { scene: file.display().to_string(), sets }.to_toml().unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(!saved.contains("beta") && !saved.contains("newton_tolerance"), "{saved}");
    let again = Scene::parse(&saved, Path::new("saved.toml")).unwrap();
    assert_eq!(again.time.integrator, IntegratorName::Rk4);
}

/// What one iteration gives is a step, but no state of rest.
#[test]
fn a_state_of_rest_must_have_converged() {
    for analysis in ["static", "quasi-static"] {
        let tables = |newton: &str| {
            format!("[time]\nanalysis = {analysis:?}\n[solver]\nnewton = {newton:?}\n")
        };
        let text = read(&tables("semi-implicit"), &[]).unwrap_err();
        assert!(text.contains("solver.newton: a state of rest is one only if"), "{text}");
        read(&tables("full"), &[]).unwrap();
    }
}
