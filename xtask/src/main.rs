//! Project chores, run as `cargo xtask …`. Needs nothing but the standard library, so that it
//! builds in a second.

mod arguments;
mod book;
mod browser;
mod fuzz;
mod install;
mod lint;
mod nightly;
mod process;
mod python;
mod soak;
mod stages;
mod test;
mod tools;

use std::process::ExitCode;

use arguments::Arguments;
use process::{Failure, Outcome};

const HELP: &str = "\
Pliant's chores. From anywhere in the project:

  cargo xtask test [STAGE]…        everything CI runs, installing what it needs
      stages, in order: lint rust licences book fuzz soak python browser (default: all)
      --keep-going                 go on after a stage that fails
  cargo xtask install              what the tests need beyond Rust; `test` does it by itself
  cargo xtask lint [--fix]         formatting and clippy; --fix repairs what it can
  cargo xtask nightly [STAGE]…     what takes too long for CI
      stages, in order: random verify kills vega book soak fuzz (default: all)
      --executions N               of each fuzz target (default 10000000)
      --soak-seconds S             of the viewer under random hands (default 3600)
      --keep-going                 go on after a stage that fails
  cargo xtask fuzz [TARGET]…       fuzz these targets (default: all), keeping the corpus
      --seconds S                  for each target (default 60)
      --executions N               for each target, instead of a time
      --jobs J                     targets at the same time (default: the number of cores)
      --list                       print the targets
  cargo xtask book                 run the book's code blocks, then build it into book/build

Exit status: 0 when all passed, 1 when something failed, 2 for a usage error.";

fn main() -> ExitCode {
    let mut given = std::env::args().skip(1);
    let chore = given.next().unwrap_or_default();
    let arguments = Arguments::new(given);
    if arguments.asks_for_help() || matches!(chore.as_str(), "" | "help" | "-h" | "--help") {
        println!("{HELP}");
        return if chore.is_empty() { ExitCode::from(2) } else { ExitCode::SUCCESS };
    }
    let outcome = match chore.as_str() {
        "test" => test::run(arguments),
        "install" => install::run(arguments),
        "lint" => lint::run(arguments),
        "nightly" => nightly::run(arguments),
        "fuzz" => fuzz::run(arguments),
        "book" => book::run(arguments),
        other => Err(Failure::usage(format!("there is no chore '{other}'"))),
    };
    report(outcome)
}

fn report(outcome: Outcome) -> ExitCode {
    let Err(failure) = outcome else { return ExitCode::SUCCESS };
    eprintln!("error: {}", failure.message);
    if failure.usage {
        eprintln!("`cargo xtask --help` lists what there is");
        return ExitCode::from(2);
    }
    ExitCode::FAILURE
}
