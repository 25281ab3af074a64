//! The viewer under random hands, for as long as one likes.

use crate::process::{Outcome, cargo, run};
use crate::tools;

/// Runs the program for so many seconds, with a client that is part of the viewer's tests.
pub(crate) fn run_for(seconds: u64) -> Outcome {
    let pliant = tools::pliant()?;
    // All of the workspace, so that nothing is built with other features, and twice.
    let mut test = cargo(["test", "--locked", "--workspace", "--test", "viewer", "--quiet"]);
    test.args(["--", "--ignored", "--nocapture", "soak::"]);
    run(test.env("PLIANT_BIN", pliant).env("PLIANT_SOAK_SECONDS", seconds.to_string()))
}
