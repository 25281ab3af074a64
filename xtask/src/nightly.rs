//! `cargo xtask nightly`: what takes too long for CI.

use crate::arguments::Arguments;
use crate::process::{Outcome, cargo, run as execute};
use crate::stages::{self, Stage};
use crate::{book, fuzz, soak, test};

/// Random inputs of each property test that does not set its own number; 256 by default.
const CASES: &str = "5000";

pub(crate) fn run(mut arguments: Arguments) -> Outcome {
    let executions = arguments.number("--executions")?.unwrap_or(10_000_000);
    let soak_seconds = arguments.number("--soak-seconds")?.unwrap_or(3600);
    let stages = [
        Stage {
            name: "random",
            about: "the Rust tests, with many more and new random inputs",
            work: Box::new(|| execute(test::tests().env("PROPTEST_CASES", CASES))),
        },
        Stage {
            name: "verify",
            about: "the verification problems that take minutes",
            work: Box::new(|| {
                let flags =
                    ["--release", "--locked", "--package", "pliant-verify", "--test", "short"];
                execute(cargo(["test"]).args(flags).args(["--", "--ignored"]))
            }),
        },
        Stage {
            name: "kills",
            about: "a run killed at fifty moments, resumed and compared bit by bit",
            work: Box::new(|| {
                let flags = ["--release", "--locked", "--package", "pliant-cli", "--test", "suite"];
                execute(cargo(["test"]).args(flags).arg("a_killed_run").env("PLIANT_KILLS", "50"))
            }),
        },
        Stage {
            name: "vega",
            about: "the examples of Vega, where they are, for a hundred steps",
            work: Box::new(|| {
                let flags = [
                    "--release",
                    "--locked",
                    "--package",
                    "pliant-scene",
                    "--test",
                    "suite",
                    "vega",
                ];
                execute(cargo(["test"]).args(flags).args(["--", "--ignored"]))
            }),
        },
        Stage {
            name: "contact",
            about: "continuous collision detection on millions of meetings",
            work: Box::new(|| {
                let flags =
                    ["--release", "--locked", "--package", "pliant-contact", "--test", "suite"];
                execute(cargo(["test"]).args(flags).args(["--", "--ignored"]))
            }),
        },
        Stage {
            name: "standing",
            about: "built-in scenes of contact in full: arch, cards and cubes stand, the others show what they are to show",
            work: Box::new(|| {
                let flags =
                    ["--release", "--locked", "--package", "pliant-scene", "--test", "suite"];
                let which = ["--", "--ignored", "held_by_friction", "contact_scenes"];
                execute(cargo(["test"]).args(flags).args(which))
            }),
        },
        Stage {
            name: "auto",
            about: "solver 'auto' beside every solver that could be named, on forty systems",
            work: Box::new(|| {
                let bench = ["run", "--release", "--locked", "--", "bench", "auto"];
                execute(&mut cargo(bench))?;
                execute(cargo(bench).arg("--held-out"))
            }),
        },
        Stage {
            name: "book",
            about: "the book, run and built",
            work: Box::new(|| {
                book::check()?;
                book::build()
            }),
        },
        Stage {
            name: "soak",
            about: "the viewer under random hands for an hour",
            work: Box::new(move || soak::run_for(soak_seconds)),
        },
        Stage {
            name: "fuzz",
            about: "a long run of every fuzz target",
            work: Box::new(move || fuzz::long(executions)),
        },
    ];
    stages::run(&stages, arguments)
}
