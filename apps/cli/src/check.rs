//! `pliant check`: what would stop a run or spoil it, found before it.

use clap::Args;
use pliant::scene::check::{BodyOverlap, Check, Problem, check};
use pliant_units::{si, vector};
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::run::scene;

/// Flags of `pliant check`.
#[derive(Debug, Args)]
pub struct CheckFlags {
    /// A scene file, or the name of a built-in scene [default: creature]
    pub scene: Option<String>,
    /// Override a key of the scene
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Checks a scene and prints what was found.
pub fn run(flags: CheckFlags, context: &Context) -> Result<(), Failure> {
    let origin = scene::origin(flags.scene.as_deref(), flags.set);
    let found = check(&scene::load(&origin)?)?;
    context.emit(&to_json(&found), || to_text(&origin.scene, &found))?;
    if found.is_ok() { Ok(()) } else { Err(Failure::Negative) }
}

fn to_json(found: &Check) -> Value {
    let overlap = |o: &BodyOverlap| {
        let edge = o.edge.as_ref().map(|(body, v)| json!({"body": body, "vertices": v}));
        let triangle = o.triangle.as_ref().map(|(body, v)| json!({"body": body, "vertices": v}));
        json!({
            "bodies": o.bodies, "count": o.count, "edge": edge, "triangle": triangle,
            "place": o.place, "depth": o.depth,
        })
    };
    let problem = |p: &Problem| {
        let location = p.location.as_ref().map(ToString::to_string);
        json!({
            "kind": p.kind, "severity": if p.is_error { "error" } else { "warning" },
            "message": p.message, "hint": p.hint, "location": location,
        })
    };
    json!({
        "ok": found.is_ok(),
        "overlaps": found.overlaps.iter().map(overlap).collect::<Vec<_>>(),
        "problems": found.problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

fn to_text(scene: &str, found: &Check) -> String {
    let verdict = match (found.is_ok(), found.problems.is_empty()) {
        (true, true) => "nothing wrong",
        (true, false) => "can be run as it is",
        (false, _) => "needs attention",
    };
    let mut text = format!("{scene}: {verdict}\n");
    for overlap in &found.overlaps {
        text += &format!("  ✗ {}\n", sentence(overlap));
    }
    for p in &found.problems {
        let mark = if p.is_error { "✗" } else { "!" };
        let place = p.location.as_ref().map_or_else(String::new, |at| format!("{at}: "));
        text += &format!("  {mark} {place}{}\n", p.message);
        if let Some(hint) = &p.hint {
            text += &format!("      {hint}\n");
        }
    }
    text
}

fn sentence(o: &BodyOverlap) -> String {
    let [one, other] = &o.bodies;
    let depth = o.depth.map_or_else(String::new, |d| format!(", {} deep", si(d, "m")));
    let place = vector(o.place, "m");
    let (Some((owner, [a, b])), Some((holder, [c, d, e]))) = (&o.edge, &o.triangle) else {
        return format!(
            "one of bodies '{one}' and '{other}' lies inside the other, at {place}{depth}"
        );
    };
    let bodies = if one == other {
        format!("body '{one}' intersects itself")
    } else {
        format!("bodies '{one}' and '{other}' overlap")
    };
    let pairs = match o.count {
        1 => "1 edge passes through a triangle".to_owned(),
        n => format!("{n} times an edge passes through a triangle"),
    };
    format!(
        "{bodies}{depth}: {pairs}, first the edge {a}-{b} of '{owner}' through the triangle {c}-{d}-{e} of '{holder}', at {place}"
    )
}
