//! Errors keep their class and their source, from a scene down to what caused them.

use std::error::Error;
use std::path::Path;

use pliant_dynamics::{DynamicsError, ModeSettings};
use pliant_errors::Class;
use pliant_forces::ForceError;
use pliant_materials::MaterialError;
use pliant_mesh::MeshError;
use pliant_scene::{Scene, SceneError, Simulation};
use pliant_sections::SectionError;
use pliant_solvers::SolverError;
use pliant_units::UnitError;

const BAR: &str = r#"
[time]
step = "10 ms"
[body.bar]
mesh = { shape = "box", size = [1, 0.2, 0.2], cells = [8, 2, 2] }
material = { law = "neo-hookean", young = "20 kPa", poisson = 0.3 }
fixed = "x-min"
"#;

fn scene(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, Path::new("bar.toml"))
}

fn simulation(text: &str) -> Simulation {
    Simulation::build(&scene(text).unwrap()).unwrap_or_else(|e| panic!("{e}"))
}

/// The texts of all sources, from the error down.
fn chain(error: &SceneError) -> Vec<String> {
    let mut list = vec![error.to_string()];
    let mut next = error.source();
    while let Some(source) = next {
        list.push(source.to_string());
        next = source.source();
    }
    list
}

#[test]
fn a_step_that_fails_can_be_told_apart_by_programs() {
    // Far above the critical step: elements invert, or numbers grow beyond all bounds.
    let text = BAR.replace("10 ms\"", "50 ms\"\nintegrator = \"symplectic-euler\"\nretry = false");
    let mut made = simulation(&text);
    let error = (0..1000).find_map(|_| made.step().err()).expect("it explodes");
    assert_eq!(error.class(), Class::Computation);
    assert!(error.find::<DynamicsError>().is_some(), "{error:?}");
    let lowest = error.find::<ForceError>();
    assert!(
        matches!(lowest, Some(ForceError::Inverted { .. } | ForceError::NotFinite { .. })),
        "{error:?}"
    );
    // Every level says what the next one says, and more; the scene says it in its own words, of the user's body.
    let list = chain(&error);
    assert!(list.len() >= 3, "{list:?}");
    assert!(list[0].contains("of body 'bar'"), "{list:#?}");
    assert!(list[1..].windows(2).all(|pair| pair[0].contains(&pair[1])), "{list:#?}");
    // Not enough iterations are another matter.
    let mut made = simulation(
        &(BAR.to_owned() + "[solver]\nnewton_iterations = 1\nnewton_tolerance = 1e-15\n"),
    );
    let error = made.step().unwrap_err();
    assert!(error.find::<ForceError>().is_none());
    let mut cause = error.source();
    let mut not_converged = false;
    while let Some(error) = cause {
        let plain = error.downcast_ref::<DynamicsError>();
        let boxed = || error.downcast_ref::<Box<DynamicsError>>().map(|boxed| &**boxed);
        not_converged |= matches!(plain.or_else(boxed), Some(DynamicsError::NotConverged { .. }));
        cause = error.source();
    }
    assert!(not_converged, "{:#?}", chain(&error));
    assert!(error.to_string().contains("failed even when divided"), "{error}");
}

#[test]
fn modes_that_are_not_found_are_failed_computations() {
    let settings = ModeSettings { largest_subspace: Some(1), ..ModeSettings::default() };
    let error = simulation(BAR).modes(&settings).unwrap_err();
    assert_eq!(error.class(), Class::Computation);
    assert!(matches!(error.find(), Some(DynamicsError::Modes { .. })), "{error:?}");
}

#[test]
fn bad_input_keeps_the_error_of_whoever_refused_it() {
    let refused = |from: &str, to: &str| {
        let text = BAR.replace(from, to);
        assert!(text != BAR, "{from}");
        let error = scene(&text).and_then(|scene| Simulation::build(&scene)).err().expect(to);
        assert_eq!(error.class(), Class::Input, "{error}");
        error
    };
    let error = refused("20 kPa", "20 kg");
    assert!(matches!(error.find(), Some(UnitError::WrongDimension { .. })), "{error:?}");
    let error = refused("0.3 }", "0.7 }");
    assert!(matches!(error.find(), Some(MaterialError::OutOfRange { .. })), "{error:?}");
    let error = refused("neo-hookean", "neo-hokean");
    assert!(matches!(error.find(), Some(MaterialError::UnknownLaw { .. })), "{error:?}");
    let error = refused("10 ms\"", "10 ms\"\nintegrator = \"bdf7\"");
    assert!(matches!(error.find(), Some(DynamicsError::UnknownIntegrator { .. })), "{error:?}");
    let error = refused("[time]", "[solver]\nlinear = \"lhu\"\n[time]");
    assert!(matches!(error.find(), Some(SolverError::Usage(_))), "{error:?}");
    let error =
        refused("{ shape = \"box\", size = [1, 0.2, 0.2], cells = [8, 2, 2] }", "\"no.vtu\"");
    assert!(error.find::<MeshError>().is_some(), "{error:?}");
    let io = error.find::<std::io::Error>().expect("from the operating system");
    assert_eq!(io.kind(), std::io::ErrorKind::NotFound);
    let error = Scene::read(Path::new("/nonexistent.toml"), &[]).unwrap_err();
    assert!(error.find::<std::io::Error>().is_some(), "{error:?}");
}

#[test]
fn a_damaged_checkpoint_is_bad_input() {
    let file = std::env::temp_dir().join(format!("pliant-errors-{}.bin", std::process::id()));
    std::fs::write(&file, b"no checkpoint").unwrap();
    let bar = scene(BAR).unwrap();
    let error = simulation(BAR).load_checkpoint(&file, &bar).unwrap_err();
    assert_eq!(error.class(), Class::Input);
    assert_eq!(error.find(), Some(&SectionError::NotACheckpoint), "{error:?}");
    std::fs::remove_file(&file).unwrap();
}

/// Two bodies whose meshes are numbered anew inside: a failure names the body, and the cell and the vertex by the numbers of its mesh.
#[test]
fn failures_speak_of_bodies_in_their_own_numbers() {
    let text = "gravity = [0, 0, 0]\n\
        [body.first]\nmesh = { shape = \"box\", cells = [5, 5, 5] }\n\
        material = { law = \"neo-hookean\", young = \"1 kPa\" }\n\
        [body.second]\nmesh = { shape = \"box\", cells = [4, 4, 4] }\nposition = [5, 0, 0]\n\
        material = { law = \"neo-hookean\", young = \"1 kPa\" }\n\
        [[body.second.load]]\nforce_per_vertex = [-1e9, 0, 0]\nvertices = [124]\n\
        [time]\nintegrator = \"symplectic-euler\"\nstep = 0.05\nsteps = 3\nretry = false\n";
    let scene = Scene::parse(text, Path::new("two.toml")).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
    let error =
        (0..3).find_map(|_| simulation.step().err()).expect("a corner is pushed through its cell");
    let message = error.details().message.clone();
    assert!(message.contains("of body 'second'") && !message.contains("'first'"), "{message}");
    let number = |before: &str| -> usize {
        let rest = message.split(before).nth(1).unwrap_or_else(|| panic!("{before}: {message}"));
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    };
    let mesh = &simulation.bodies[1].mesh;
    // The corner that is pushed, and one of the cells around it.
    let corner = 124;
    assert_eq!(mesh.vertices.len(), 125);
    let cell = mesh.cells().nth(number("cell ")).unwrap();
    assert!(cell.contains(&corner), "{message}");
    if message.contains("fastest") {
        assert_eq!(number("vertex "), corner as usize, "{message}");
    }
    // One sentence, numbers behind it, and one thing to do.
    let hint = error.details().hint.clone().expect("what to do");
    assert!(hint.starts_with("take "), "{hint}");
    assert!(message.ends_with(')') && message.find('(') > message.find("failed"), "{message}");
    let longest = message.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
    assert!(longest < Some(8), "{message}");
}
