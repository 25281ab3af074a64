//! `summary.json` and the struct it is made of.

use std::path::Path;

use pliant_scene::run::run;
use pliant_scene::{Scene, Simulation, Summary};
use serde_json::Value;

const BAR: &str = r#"
title = "A bar"
[time]
step = "10 ms"
steps = 3
[body.bar]
mesh = { shape = "box", size = [0.4, 0.1, 0.1], cells = [4, 1, 1] }
material = { law = "neo-hookean", young = "20 kPa", poisson = 0.3 }
fixed = "x-min"
[probe.tip]
at = [0.4, 0.05, 0.05]
[probe.middle]
at = [0.2, 0.05, 0.05]
"#;

fn summary(text: &str) -> Summary {
    let scene = Scene::parse(text, Path::new("bar.toml")).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::build(&scene).unwrap();
    run(&scene, &mut simulation, None, &mut |_| true).unwrap().summary
}

/// Scripts see the keys in this order, and those below them: a change here is one that they notice.
#[test]
fn the_document_has_the_keys_of_always_in_their_order() {
    let document = summary(BAR).to_json();
    let keys = |v: &Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        keys(&document),
        "scene bodies vertices cells analysis integrator step steps simulated_seconds wall_seconds \
         converged newton_iterations linear_iterations factorizations force_evaluations solver retries \
         divided_steps first_divided last_divided shortest_step greatest_depth min_j \
         inverted_points stable negative_pivots energy momentum probes warnings \
         pliant phases fingerprint threads"
    );
    assert_eq!(keys(&document["bodies"][0]), "name vertices cells element mass");
    assert_eq!(
        keys(&document["energy"]),
        "kinetic elastic gravity other dissipated external_work numerical_loss"
    );
    assert_eq!(keys(&document["momentum"]), "linear angular");
    assert_eq!(keys(&document["probes"]), "tip middle");
    assert_eq!(keys(&document["probes"]["tip"]), "position displacement");
    assert_eq!(
        keys(&document["phases"]),
        "setup residuals jacobians factorizations linear_solves rest_of_steps output"
    );
    assert_eq!((&document["scene"], &document["converged"]), (&"A bar".into(), &true.into()));
    assert!(document["first_divided"].is_null() && document["energy"]["elastic"].is_f64());
}

#[test]
fn what_is_written_is_read_back_as_it_was() {
    let rest = BAR.replace("[time]", "[time]\nanalysis = \"static\"");
    let rest = rest.replace("step = \"10 ms\"\nsteps = 3\n", "");
    let frame = BAR.replace("law = \"neo-hookean\"", "law = \"corotational-qr\"");
    for text in [BAR, &rest, &frame] {
        let mut made = summary(text);
        made.resumed_at = Some(2);
        made.error = Some("the disk is full".into());
        assert_eq!(Summary::from_json(&made.to_json()), Some(made.clone()));
    }
    let (dynamic, still, frame) = (summary(BAR), summary(&rest), summary(&frame));
    assert_eq!((dynamic.analysis.as_str(), still.analysis.as_str()), ("dynamic", "static"));
    assert_eq!((dynamic.integrator.as_deref(), still.integrator), (Some("backward-euler"), None));
    assert!(dynamic.energy.numerical_loss.is_some() && still.energy.numerical_loss.is_none());
    // Forces that are no gradient have no energy.
    assert!(frame.energy.elastic.is_none() && frame.energy.dissipated.is_none());
    // An older version did not know of retries, and something else is no summary.
    let mut document = dynamic.to_json();
    for key in ["retries", "divided_steps", "threads"] {
        document.as_object_mut().unwrap().remove(key);
    }
    let old = Summary::from_json(&document).unwrap();
    assert_eq!((old.retries, old.threads, old.steps), (0, None, 3));
    for other in [Value::Null, serde_json::json!({"scene": "x"}), serde_json::json!([1])] {
        assert_eq!(Summary::from_json(&other), None);
    }
}

/// Norms of fields are in the summary as they are in the last row of the history, and read back as they were.
#[test]
fn the_last_norms_are_in_the_summary() {
    let norms = "[norm.far]\nkind = \"max\"\n[norm.speed]\nof = \"velocity\"\nkind = \"mean\"\n";
    let summary = summary(&format!("{BAR}{norms}"));
    let [far, speed] = &summary.norms[..] else { panic!("{:?}", summary.norms) };
    assert_eq!((far.name.as_str(), far.unit.as_str()), ("far", "m"));
    assert_eq!((speed.name.as_str(), speed.unit.as_str()), ("speed", "m/s"));
    // The tip, which is nearly the farthest vertex, falls.
    let tip = &summary.probes[0].displacement;
    let fall = tip.iter().map(|c| c * c).sum::<f64>().sqrt();
    assert!(far.value >= 0.9 * fall && far.value < 1.5 * fall, "{} {fall}", far.value);
    assert!(speed.value > 0.0, "{}", speed.value);
    let document = summary.to_json();
    assert_eq!(document["norms"]["far"]["value"].as_f64(), Some(far.value));
    assert_eq!(document["norms"]["speed"]["unit"], "m/s");
    assert_eq!(Summary::from_json(&document).unwrap().norms, summary.norms);
}
