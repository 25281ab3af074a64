//! What each linear solver takes for steps in contact: iterations of Newton's method and of the solver, and time.

use serde_json::{Value, json};

use super::{line, scenes, whole};
use crate::context::Context;
use crate::failure::Failure;

/// Solvers, as scenes name them.
const SOLVERS: [(&str, &str); 5] = [
    ("auto", ""),
    ("cholesky", "linear = \"cholesky\""),
    ("cg, stale-cholesky", "linear = \"cg\"\npreconditioner = \"stale-cholesky\""),
    ("cg, eisenstat", "linear = \"cg\"\npreconditioner = \"eisenstat\"\niterations = 2000"),
    ("cg, block-diagonal", "linear = \"cg\"\npreconditioner = \"block-diagonal\"\niterations = 2000"),
];

/// All of them.
pub(super) fn run(context: &Context) -> Result<Value, Failure> {
    let contact = "mode = \"barrier\"\nfriction = 0.4";
    let all = [
        ("stack of three", scenes::pile(1, 3, 3, 0.5, contact)),
        ("five cubes", scenes::five_cubes(contact)),
        ("slope", scenes::slope()),
        ("slider", scenes::slider(12, contact)),
        ("slabs", scenes::slabs(4_000)),
        ("two bodies", scenes::two(2_500, contact)),
    ];
    let mut rows = Vec::new();
    for (name, text) in &all {
        for (solver, keys) in SOLVERS {
            if context.interrupted() {
                break;
            }
            let mut row = match whole(&format!("{text}[solver]\n{keys}\n"), context) {
                Ok(row) => row,
                Err(Failure::Scene(error)) => json!({"error": error.to_string()}),
                Err(other) => return Err(other),
            };
            row["scene"] = json!(format!("{name}, {solver}"));
            context.tell(&line(&row));
            rows.push(row);
        }
    }
    Ok(Value::Array(rows))
}
