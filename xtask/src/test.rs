//! `cargo xtask test`: everything CI runs.

use std::process::Command;

use crate::arguments::Arguments;
use crate::install::Ahead;
use crate::process::{Outcome, cargo, run as execute};
use crate::soak::Beside;
use crate::stages::{self, Stage};
use crate::{book, browser, fuzz, lint, python};

/// Executions of each fuzz target: a few seconds.
const SHORT_FUZZ: u64 = 60_000;
/// Of the viewer under random hands, s.
const SHORT_SOAK: u64 = 120;

pub(crate) fn run(arguments: Arguments) -> Outcome {
    // Single stages install what they need, if they need it.
    let ahead = Ahead::start(arguments.names_nothing());
    // The soak lasts as long beside other stages as alone; only a run of all stages has others.
    let (soak, beside) = (Beside::default(), arguments.names_nothing());
    let with_tools = |work: fn() -> Outcome| {
        let ahead = &ahead;
        move || {
            ahead.wait();
            work()
        }
    };
    let stages = [
        Stage {
            name: "lint",
            about: "formatting and clippy",
            work: Box::new(|| lint::check(false)),
        },
        Stage { name: "rust", about: "unit and integration tests", work: Box::new(rust) },
        Stage {
            name: "licences",
            about: "licences and sources of all dependencies",
            work: Box::new(|| {
                if beside {
                    soak.begin(SHORT_SOAK);
                }
                with_tools(lint::licences)()
            }),
        },
        Stage {
            name: "book",
            about: "every code block of the book and the documentation, compiled and run",
            work: Box::new(book::check),
        },
        Stage {
            name: "fuzz",
            about: "a short run of every fuzz target",
            work: Box::new(with_tools(|| fuzz::short(SHORT_FUZZ))),
        },
        Stage {
            name: "soak",
            about: "the viewer under random hands for two minutes",
            work: Box::new(|| soak.end(SHORT_SOAK)),
        },
        Stage {
            name: "python",
            about: "files exchanged with meshio, VTK, USD and Blender",
            work: Box::new(with_tools(python::check)),
        },
        Stage {
            name: "browser",
            about: "the viewer's page in Chromium",
            work: Box::new(with_tools(browser::check)),
        },
    ];
    stages::run(&stages, arguments)
}

fn rust() -> Outcome {
    // The same inputs for property tests on every run; `nightly` draws new ones.
    execute(tests().env("PROPTEST_RNG_SEED", "1"))
}

/// The Rust tests, without the book's.
pub(crate) fn tests() -> Command {
    cargo(["test", "--locked", "--workspace", "--exclude", book::PACKAGE, "--tests"])
}
