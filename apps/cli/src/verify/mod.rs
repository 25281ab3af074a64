//! `pliant verify`: problems with known answers, computed here.

mod page;

use std::time::Instant;

use pliant::mesh::io::write_file;
use pliant_verify::{Cost, Problem, Row, problems};
use serde_json::{Value, json};

use crate::arguments::VerifyFlags;
use crate::context::Context;
use crate::failure::Failure;

/// Runs the chosen problems and prints their rows. A row that fails is a failure of the command.
pub fn run(flags: &VerifyFlags, context: &Context) -> Result<(), Failure> {
    let chosen = choose(flags)?;
    let bar = context.progress("verifying");
    let (mut rows, mut text) = (Vec::new(), String::new());
    let (start, mut outcomes) = (Instant::now(), Vec::new());
    let (mut passed, mut failed) = (0, 0);
    for (k, problem) in chosen.iter().enumerate() {
        if context.interrupted() {
            let text = format!("stopped after {k} of {} problems", chosen.len());
            return Err(Failure::Interrupted(text));
        }
        bar.set_position((1000 * k / chosen.len()) as u64);
        let outcome = problem.run(&mut |what| bar.set_message(format!("{}: {what}", problem.id)));
        text += &format!("{}: {} ({})\n", problem.id, problem.title, problem.source);
        match &outcome {
            Ok(all) => {
                for row in all {
                    *if row.pass { &mut passed } else { &mut failed } += 1;
                    text += &line(row);
                    rows.push(document(problem, row));
                }
            }
            Err(error) => {
                failed += 1;
                text += &format!("  FAILED  {error}\n");
                rows.push(json!({
                    "problem": problem.id, "source": problem.source, "section": problem.section,
                    "quantity": "solution", "expected": null, "got": null, "error": error.to_string(), "class": error.class().name(),
                    "tolerance": null, "pass": false, "mesh": null,
                }));
            }
        }
        outcomes.push((*problem, outcome.map_err(|e| e.to_string())));
    }
    bar.finish_and_clear();
    if let Some(path) = &flags.page {
        let html = page::html(&outcomes, start.elapsed().as_secs_f64(), &command(flags));
        write_file(path, |sink| Ok(sink.write_all(html.as_bytes())?))?;
    }
    text += &format!("{passed} passed, {failed} failed, {} problems\n", chosen.len());
    text += &format!("computed by: {}\n", command(flags));
    let ids: Vec<&str> = chosen.iter().map(|p| p.id).collect();
    let result = json!({
        "command": command(flags), "problems": ids, "passed": passed, "failed": failed, "rows": rows,
    });
    context.emit(&result, || text)?;
    if failed == 0 { Ok(()) } else { Err(Failure::Negative) }
}

/// The short ones, all, or those named.
fn choose(flags: &VerifyFlags) -> Result<Vec<&'static Problem>, Failure> {
    if flags.only.is_empty() {
        let wanted = |p: &&Problem| flags.all || p.cost == Cost::Short;
        return Ok(problems().iter().filter(wanted).collect());
    }
    let find = |id: &String| {
        problems().iter().find(|p| p.id == *id).ok_or_else(|| {
            let all = problems().iter().map(|p| p.id);
            let near = pliant::errors::names::nearest(id, all.clone());
            let all = all.collect::<Vec<_>>().join(", ");
            Failure::Input(format!(
                "--only {id}: no such problem; did you mean {near}? (there are {all})"
            ))
        })
    };
    flags.only.iter().map(find).collect()
}

fn document(problem: &Problem, row: &Row) -> Value {
    json!({
        "problem": problem.id,
        "source": problem.source,
        "section": problem.section,
        "quantity": row.quantity,
        "expected": row.expected,
        "got": row.got,
        "difference": (row.got - row.expected).abs(),
        "error": row.error,
        "tolerance": row.tolerance,
        "pass": row.pass,
        "mesh": row.mesh,
    })
}

/// Nine digits behind the point, or behind the first digit where that is far from it.
fn digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-4..1e9).contains(&size) {
        format!("{value:.9}")
    } else {
        format!("{value:.9e}")
    }
}

/// The command line that computes the same.
fn command(flags: &VerifyFlags) -> String {
    let mut text = "pliant verify".to_owned();
    if flags.all {
        text += " --all";
    }
    for id in &flags.only {
        text += &format!(" --only {id}");
    }
    text
}

fn line(row: &Row) -> String {
    let verdict = if row.pass { "passed" } else { "FAILED" };
    format!(
        "  {verdict}  {}, {}: expected {}, got {}, |got − expected| {:.1e}, error {:.1e}, tolerance {:.1e}\n",
        row.quantity,
        row.mesh,
        digits(row.expected),
        digits(row.got),
        (row.got - row.expected).abs(),
        row.error,
        row.tolerance
    )
}
