//! `pliant mesh …`

mod check;
mod convert;
mod draw;
mod embed;
mod fill;
mod info;
mod load;
pub mod make;
mod refine;
mod surface;

use crate::arguments::MeshCommand;
use crate::context::Context;
use crate::failure::Failure;

/// Runs one of the mesh commands.
pub fn run(command: MeshCommand, context: &Context) -> Result<(), Failure> {
    match command {
        MeshCommand::Info { file } => info::run(&file, context),
        MeshCommand::Check { file, fix, sliver } => {
            check::run(&file, fix.as_deref(), sliver, context)
        }
        MeshCommand::Convert { input, output, write, scale, cells, reorder, set, add_set } => {
            let change = convert::Change { scale, cells, reorder, add_set };
            convert::run(&input, &output, &write, &change, set.as_deref(), context)
        }
        MeshCommand::Make { shape } => make::run(shape, context),
        MeshCommand::Fill { surface, output, size, grade, write } => {
            fill::run(&surface, &output, size, grade.unwrap_or(0), &write, context)
        }
        MeshCommand::Refine { input, output, levels, write } => {
            refine::run(&input, &output, levels, &write, context)
        }
        MeshCommand::Surface { input, output, write } => {
            surface::run(&input, &output, &write, context)
        }
        MeshCommand::Embed { volume, surface, output } => {
            embed::run(&volume, &surface, &output, context)
        }
        MeshCommand::Draw { file, output, cut, colour, from, no_lines, pixels } => {
            let look = draw::Look { cut, colour, from, lines: !no_lines, pixels };
            draw::run(&file, &output, &look, context)
        }
    }
}
