//! The book: its code blocks as tests, and its pages.

use std::process::Command;

use crate::arguments::Arguments;
use crate::process::{Outcome, cargo, root, run as execute};
use crate::tools;

/// The package whose tests are the book's code blocks.
pub(crate) const PACKAGE: &str = "book-tests";

/// `cargo xtask book`
pub(crate) fn run(arguments: Arguments) -> Outcome {
    arguments.finish("`book` takes nothing")?;
    check()?;
    build()
}

/// Compiles and runs every code block, those of the documentation too. The package is not chosen by `--package`, which would build
/// all its dependencies once more: cargo settles their features for the packages it is given.
pub(crate) fn check() -> Outcome {
    let pliant = tools::pliant()?;
    let tests = ["--test", "reading", "--test", "pages", "--test", "console"];
    let mut commands = cargo(["test", "--locked", "--workspace"]);
    execute(commands.args(tests).env("PLIANT_BIN", pliant))?;
    execute(&mut cargo(["test", "--locked", "--workspace", "--doc"]))
}

/// Makes the pages, in `book/build`.
pub(crate) fn build() -> Outcome {
    let mdbook = tools::cargo_tool("mdbook", "0.5.4", &["--no-default-features"])?;
    execute(Command::new(mdbook).args(["build", "book"]).current_dir(root()))
}
