//! The `pliant` command as a library, so that tests and the binary run the same code.
//!
//! Flags are parsed once into plain values ([`arguments`]); each sub-command is a function that
//! takes them and a [`Context`] and returns what it found, or a [`Failure`].

pub mod arguments;
pub mod bench;
pub mod check;
pub mod context;
pub mod failure;
pub mod list;
pub mod material;
pub mod mesh;
pub mod modes;
pub mod run;
pub mod study;
mod style;
pub mod verify;
pub mod view;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use arguments::{Arguments, Command};
use context::Context;
use failure::Failure;

/// Runs the command line `arguments` (the first one is the program's name).
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // `--help` and `--version` come here too, with status 0.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let context = match Context::new(&arguments.global) {
        Ok(context) => context,
        Err(failure) => return failure.report(false),
    };
    let Arguments { command, .. } = arguments;
    let outcome = match command {
        // Its thread enters the pool for each step; this one only waits.
        Command::View(flags) => view::view(flags, &context),
        // Inside the pool: a join from outside would put this thread to sleep and wake a worker, every time.
        command => rayon::scope(|_| execute(command, &context)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(context.json),
    }
}

fn execute(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Run(flags) => run::run(flags, context),
        Command::View(flags) => view::view(flags, context),
        Command::Check(flags) => check::run(flags, context),
        Command::Compare(flags) => study::compare(flags, context),
        Command::Study(flags) => study::named(flags, context),
        Command::Converge(flags) => study::converge(flags, context),
        Command::Report { folder } => run::report(&folder, context),
        Command::Import { file, out } => run::import(&file, &out, context),
        Command::Matrices(flags) => run::matrices(&flags, context),
        Command::SceneSchema => {
            let schema = pliant::scene::schema::schema()?;
            context.print(&format!("{schema:#}\n"))
        }
        Command::Mesh { command } => mesh::run(command, context),
        Command::Bench { command } => bench::run(command, context),
        Command::Modes(flags) => modes::run(&flags, context),
        Command::Verify(flags) => verify::run(&flags, context),
        Command::Material { command } => material::run(command, context),
        Command::List { topic } => list::run(topic, context),
        Command::Completions { shell } => {
            let mut command = Arguments::command();
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command, "pliant", &mut script);
            context.print(&String::from_utf8_lossy(&script))
        }
    }
}
