//! `pliant bench …`: timings of this machine and of Pliant on it, as JSON.

mod assembly;
mod auto;
mod body;
mod contact;
mod fill;
mod machine;
mod matrices;
mod memory;
mod mesh_read;
mod numbers;
mod orderings;
mod peak;
mod run;
mod solve;
mod step;
mod system;
mod tables;
mod view;

use pliant::solvers::Choice;
use pliant::solvers::iterative::Settings;

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
        BenchCommand::Matrices { mesh, material, element } => {
            matrices::run(&mesh, &material, element.as_deref(), context)?
        }
        BenchCommand::Solve {
            mesh,
            material,
            solver,
            preconditioner,
            ordering,
            step,
            tolerance,
            save_matrix,
            no_machine,
        } => {
            if !(tolerance > 0.0 && tolerance < 1.0) {
                let text = format!("--tolerance {tolerance}: must lie between 0 and 1");
                return Err(Failure::Input(text));
            }
            let settings = Settings { tolerance, ..Settings::default() };
            let choice = Choice {
                solver: solver.parse()?,
                preconditioner: preconditioner.map(|p| p.parse()).transpose()?,
                ordering: ordering.map(|o| o.parse()).transpose()?,
                settings,
            };
            let system = system::System::new(&mesh, &material, step, context)?;
            solve::run(&system, choice, save_matrix.as_deref(), !no_machine, context)?
        }
        BenchCommand::Step(flags) => step::run(&flags, context)?,
        BenchCommand::Contact(flags) => contact::run(&flags, context)?,
        BenchCommand::View(flags) => view::run(&flags, context)?,
        BenchCommand::Orderings { mesh, material, draw } => {
            let system = system::System::new(&mesh, &material, 0.01, context)?;
            let rows = orderings::run(&system, draw.as_deref(), context)?;
            return context.emit(&rows, || orderings::table(&rows));
        }
        BenchCommand::Tables { command } => return tables::run(&command, context),
        BenchCommand::Fill { size } => fill::run(size, context)?,
        BenchCommand::Run(flags) => run::run(&flags, context)?,
        BenchCommand::Auto(flags) => auto::run(&flags, context)?,
    };
    context.emit(&result, || format!("{result:#}\n"))
}
