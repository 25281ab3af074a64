//! `pliant bench tables …`: published tables again, the paper's column beside ours.

mod counts;
mod virtis;
mod virtis_paper;
mod virtis_text;
mod zhuang_canny;
mod zhuang_canny_paper;

use crate::arguments::TablesCommand;
use crate::context::Context;
use crate::failure::Failure;

pub(crate) fn run(command: &TablesCommand, context: &Context) -> Result<(), Failure> {
    match command {
        TablesCommand::ZhuangCanny { largest } => {
            let document = zhuang_canny::run(*largest, context)?;
            context.emit(&document, || zhuang_canny::text(&document))
        }
        TablesCommand::Virtis { largest, material, step } => {
            let document = virtis::run(*largest, material, *step, context)?;
            context.emit(&document, || virtis_text::text(&document))
        }
    }
}

/// What Ctrl-C makes of a table.
fn interrupted() -> Failure {
    Failure::Interrupted("interrupted; --largest leaves out the larger systems".into())
}
