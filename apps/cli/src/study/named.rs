//! `pliant study`: what a source claims, run anew.

use pliant::study::NamedStudy;
use serde_json::{Value, json};

use super::flags::StudyFlags;
use crate::context::Context;
use crate::failure::Failure;

/// Runs a study by name, or lists all of them.
pub fn named(flags: StudyFlags, context: &Context) -> Result<(), Failure> {
    let Some(name) = flags.name else {
        let all: Vec<Value> =
            NamedStudy::all().map(|(name, about)| json!({"name": name, "about": about})).collect();
        return context.emit(&json!(all), || {
            NamedStudy::all()
                .fold(String::new(), |text, (name, about)| text + &format!("{name:<18} {about}\n"))
        });
    };
    let bar = context.progress("studying");
    let going = |part: f64| {
        bar.set_position((1000.0 * part) as u64);
        !context.interrupted()
    };
    let made = NamedStudy::run(&name, &going);
    bar.finish_and_clear();
    let Some(made) = made? else {
        return Err(Failure::Interrupted("stopped; nothing is kept".into()));
    };
    context.emit(&made.json(), || made.text())?;
    if made.holds { Ok(()) } else { Err(Failure::Negative) }
}
