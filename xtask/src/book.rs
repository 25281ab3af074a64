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

/// Compiles and runs every code block.
pub(crate) fn check() -> Outcome {
    execute(&mut cargo(["test", "--locked", "--package", PACKAGE]))
}

/// Makes the pages, in `book/build`.
pub(crate) fn build() -> Outcome {
    let mdbook = tools::cargo_tool("mdbook", "0.5.4", &["--no-default-features"])?;
    execute(Command::new(mdbook).args(["build", "book"]).current_dir(root()))
}
