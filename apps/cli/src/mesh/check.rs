//! `pliant mesh check`

use std::path::Path;

use pliant::mesh::doctor::{Diagnosis, Options, Severity, check, check_surface, fix, fix_surface};
use serde_json::{Value, json};

use super::load::{self, AnyMesh};
use crate::arguments::WriteFlags;
use crate::context::Context;
use crate::failure::Failure;

pub(super) fn run(
    file: &Path,
    fixed_to: Option<&Path>,
    sliver: f64,
    context: &Context,
) -> Result<(), Failure> {
    if !(0.0..=60.0).contains(&sliver) {
        return Err(Failure::Input(format!("--sliver {sliver}: use 0 to 60 degrees")));
    }
    let options = Options { sliver_angle: sliver, ..Options::default() };
    let (mesh, notes) = load::any(file, context)?;
    let mut diagnosis = match &mesh {
        AnyMesh::Volume(mesh) => check(mesh, &options),
        AnyMesh::Surface(surface) => check_surface(surface, &options),
    };
    diagnosis.add_notes(&notes);
    let mut result = diagnosis_json(&diagnosis);
    let mut text = diagnosis_text(file, &diagnosis);
    let mut ok = diagnosis.ok;
    if let Some(output) = fixed_to {
        let flags = WriteFlags { base: 1, ..WriteFlags::default() };
        let (done, left) = match &mesh {
            AnyMesh::Volume(mesh) => {
                let fixed = fix(mesh, &options);
                load::save_volume(output, &fixed.mesh, &flags, context)?;
                (fixed.done, fixed.left)
            }
            AnyMesh::Surface(surface) => {
                let fixed = fix_surface(surface, &options);
                load::save_surface(output, &fixed.surface, &flags, context)?;
                (fixed.done, fixed.left)
            }
        };
        ok = left.ok;
        let done: Vec<String> = done.iter().map(ToString::to_string).collect();
        text += &format!(
            "\n{}\n",
            if done.is_empty() { "nothing to repair".into() } else { done.join("\n") }
        );
        text += &diagnosis_text(output, &left);
        result["fixed"] = json!({
            "output": output.display().to_string(),
            "done": done,
            "left": diagnosis_json(&left),
        });
    }
    context.emit(&result, || text)?;
    if ok { Ok(()) } else { Err(Failure::Negative) }
}

fn diagnosis_json(diagnosis: &Diagnosis) -> Value {
    let problems: Vec<Value> = diagnosis
        .problems
        .iter()
        .map(|p| {
            json!({
                "kind": p.kind.name(),
                "severity": p.severity.name(),
                "count": p.count,
                "first": p.first,
                "item": p.item.name(),
                "detail": p.detail,
                "hint": p.hint,
                "fixable": p.fixable,
            })
        })
        .collect();
    json!({"ok": diagnosis.ok, "problems": problems})
}

fn diagnosis_text(file: &Path, diagnosis: &Diagnosis) -> String {
    let verdict = match (diagnosis.ok, diagnosis.problems.is_empty()) {
        (true, true) => "nothing wrong",
        (true, false) => "can be used as it is",
        (false, _) => "needs attention",
    };
    let mut text = format!("{}: {verdict}\n", file.display());
    for p in &diagnosis.problems {
        let mark = match p.severity {
            Severity::Notice => "·",
            Severity::Warning => "!",
            Severity::Error => "✗",
        };
        let fix = if p.fixable { " [--fix repairs it]" } else { "" };
        text += &format!("  {mark} {}: {}\n      {}{fix}\n", p.kind, p.detail, p.hint);
    }
    text
}
