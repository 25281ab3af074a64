//! What each linear solver and each barrier take for steps in contact: iterations of Newton's method and of the solver, and time.

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
    (
        "cg, block-diagonal",
        "linear = \"cg\"\npreconditioner = \"block-diagonal\"\niterations = 2000",
    ),
];

/// Barriers, as scenes name them.
const BARRIERS: [&str; 3] = ["log", "ipc", "cubic"];

/// Each solver with the usual barrier, and each barrier with the usual solver.
pub(super) fn run(context: &Context) -> Result<Value, Failure> {
    let mut rows = Vec::new();
    for barrier in BARRIERS {
        let contact = format!("mode = \"barrier\"\nfriction = 0.4\nbarrier = {barrier:?}");
        let all = [
            ("stack of three", scenes::pile(1, 3, 3, 0.5, &contact)),
            ("five cubes", scenes::five_cubes(&contact)),
            (
                "slope",
                scenes::slope().replace("[contact]", &format!("[contact]\nbarrier = {barrier:?}")),
            ),
            ("two bodies", scenes::two(2_500, &contact)),
            (
                "slabs",
                scenes::slabs(4_000)
                    .replace("[contact]", &format!("[contact]\nbarrier = {barrier:?}")),
            ),
            ("pile of 8", scenes::pile(2, 2, 3, 0.5, &contact)),
        ];
        let solvers = if barrier == BARRIERS[0] { &SOLVERS[..] } else { &SOLVERS[..1] };
        for (name, text) in &all {
            for (solver, keys) in solvers {
                if context.interrupted() {
                    break;
                }
                let mut row = match whole(&format!("{text}[solver]\n{keys}\n"), context) {
                    Ok(row) => row,
                    Err(Failure::Scene(error)) => json!({"error": error.to_string()}),
                    Err(other) => return Err(other),
                };
                row["scene"] = json!(format!("{name}, {barrier}, {solver}"));
                context.tell(&line(&row));
                rows.push(row);
            }
        }
    }
    Ok(Value::Array(rows))
}
