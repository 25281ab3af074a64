//! `pliant material`: curves of laws, and materials with memory from what is known of them.

mod curve;
mod fit;

use std::path::Path;

use crate::arguments::MaterialCommand;
use crate::context::Context;
use crate::failure::Failure;

/// Runs one command.
pub fn run(command: MaterialCommand, context: &Context) -> Result<(), Failure> {
    match command {
        MaterialCommand::Curve(flags) => curve::run(&flags, context),
        MaterialCommand::Fit(flags) => fit::run(&flags, context),
    }
}

fn write(path: &Path, svg: &str) -> Result<(), Failure> {
    std::fs::write(path, svg)
        .map_err(|e| Failure::unwritten(format!("{} cannot be written: {e}", path.display()), &e))
}
