//! `pliant bench step` and the names of integrators.

use crate::common;

use common::Folder;

fn with_bar() -> Folder {
    let folder = Folder::new();
    folder.json("mesh make box --size 4 1 1 --cells 8 2 2 bar.vtu");
    folder
}

#[test]
fn every_kind_of_integrator_takes_steps_and_tells_where_the_time_went() {
    let folder = with_bar();
    let run = |flags: &str| {
        folder.json(&format!("bench step --mesh bar.vtu --steps 3 --no-machine {flags}"))
    };
    for name in ["backward-euler", "bdf2", "newmark"] {
        let found = run(&format!("--integrator {name}"));
        assert_eq!(found["integrator"], name);
        assert_eq!(found["steps"], 3);
        let part = |key: &str| found[key].as_f64().unwrap();
        assert!(part("newton_iterations") >= 1.0, "{found}");
        let sum = part("assembly_ms") + part("solve_ms") + part("other_ms");
        assert!((sum - part("step_ms")).abs() < 1e-9, "{found}");
        assert!((part("time") - 0.04).abs() < 1e-12);
        // It falls, held at one end: no faster after 40 ms than in free fall, or little.
        assert!(part("fastest") > 0.05 && part("fastest") < 0.5, "{found}");
    }
    let explicit = run("--integrator verlet --step 0.1ms");
    assert!(explicit["assembly_ms"].is_null());
    assert!(explicit["force_evaluations"].as_f64().unwrap() >= 1.0);
    let semi = run("--newton 1 --solver cholesky");
    assert_eq!(semi["newton_iterations"], 1.0);
}

#[test]
fn an_explicit_step_that_is_too_long_is_warned_of() {
    let folder = with_bar();
    let output = folder
        .run("bench step --mesh bar.vtu --steps 1 --no-machine --integrator verlet --step 20ms");
    let message = common::text(&output.stderr);
    assert!(message.contains("verlet") && message.contains("step"), "{message}");
}

#[test]
fn wrong_names_and_numbers_are_refused_with_the_right_ones() {
    let folder = with_bar();
    for (flags, expected) in [
        ("--integrator bakward-euler", "backward-euler"),
        ("--step -1ms", "step"),
        ("--steps 0", "at least one"),
        ("--tolerance 2", "tolerance"),
    ] {
        let message = folder.fails(&format!("bench step --mesh bar.vtu {flags}"), 2);
        assert!(message.contains(expected), "{flags}: {message}");
    }
}

#[test]
fn all_integrators_and_static_methods_are_listed() {
    let names = Folder::new().json("list");
    for (topic, name) in
        [("integrators", "rosenbrock4-grk4t"), ("static-methods", "dynamic-relaxation")]
    {
        let list = names[topic].as_array().unwrap();
        assert!(list.iter().any(|row| row["name"] == name), "{topic}");
    }
}

#[test]
fn what_runs_cost_beside_their_steps_is_measured() {
    let folder = Folder::new();
    let found = folder.json("bench run --cells 200 --seconds 0.2 --setup-cells 3000");
    let part = |key: &str, name: &str| {
        let value = found[key][name].as_f64();
        value.filter(|v| v.is_finite()).unwrap_or_else(|| panic!("{key}.{name}: {found}"))
    };
    assert_eq!(found["outside"]["cells"], 192);
    assert!(part("outside", "share") > 0.0 && part("outside", "share") < 1.0, "{found}");
    assert!(part("outside", "steps") >= 1.0 && part("frames", "steps") >= 1.0, "{found}");
    assert!(part("frames", "output_ms_a_step") > 0.0, "{found}");
    assert_eq!(found["setup"]["cells"], 3000);
    assert_eq!(
        (&found["compare"]["runs"], &found["compare"]["same_numbers"]),
        (&8.into(), &true.into())
    );
    let only = folder.json("bench run --only setup --setup-cells 10");
    assert!(only["outside"].is_null() && only["setup"]["cells"] == 24, "{only}");
    assert!(folder.fails("bench run --seconds 0", 2).contains("--seconds 0"));
}
