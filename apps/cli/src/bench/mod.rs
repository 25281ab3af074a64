//! `pliant bench …`: timings of this machine and of Pliant on it, as JSON.

mod assembly;
mod body;
mod fill;
mod machine;
mod memory;
mod mesh_read;
mod numbers;
mod peak;

use crate::arguments::BenchCommand;
use crate::context::Context;
use crate::failure::Failure;

/// Runs one benchmark and prints its figures.
pub fn run(command: BenchCommand, context: &Context) -> Result<(), Failure> {
    let result = match command {
        BenchCommand::Machine => machine::Limits::measure().json(),
        BenchCommand::MeshRead { file: Some(file), .. } => mesh_read::one(&file)?,
        BenchCommand::MeshRead { cells, file: None } => mesh_read::all(cells, context)?,
        BenchCommand::Assembly { mesh, material, element, project } => {
            assembly::run(&mesh, &material, element.as_deref(), project, context)?
        }
        BenchCommand::Fill { size } => fill::run(size, context)?,
    };
    context.emit(&result, || format!("{result:#}\n"))
}
