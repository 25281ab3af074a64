//! Stages: named steps that run in order, with a header before each and a table at the end.

use std::time::Instant;

use crate::arguments::Arguments;
use crate::process::{Failure, Outcome};

/// A named step.
pub(crate) struct Stage<'a> {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) work: Box<dyn Fn() -> Outcome + 'a>,
}

/// Runs the stages that the command line names. The first failure ends the run, unless
/// `--keep-going` is given; either way the run fails.
pub(crate) fn run(stages: &[Stage<'_>], mut arguments: Arguments) -> Outcome {
    let keep_going = arguments.flag("--keep-going");
    let names: Vec<_> = stages.iter().map(|stage| stage.name).collect();
    let chosen = arguments.choose(&names)?;
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for stage in stages.iter().filter(|stage| chosen.iter().any(|name| name == stage.name)) {
        if !keep_going && !failed.is_empty() {
            rows.push(format!("{:<10} {:>8}  not run", stage.name, "-"));
            continue;
        }
        eprintln!("\n=== {}: {} ===", stage.name, stage.about);
        let start = Instant::now();
        let outcome = (stage.work)();
        let seconds = start.elapsed().as_secs_f64();
        let result = if outcome.is_ok() { "passed" } else { "FAILED" };
        rows.push(format!("{:<10} {seconds:>8.1}  {result}", stage.name));
        if let Err(failure) = outcome {
            eprintln!("error: {}", failure.message);
            failed.push(stage.name);
        }
    }
    eprintln!("\n{:<10} {:>8}  result", "stage", "seconds");
    for row in rows {
        eprintln!("{row}");
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(format!("{} failed", failed.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn ran(line: &str) -> (Vec<&'static str>, bool) {
        let seen = RefCell::new(Vec::new());
        let stages = ["a", "b", "c"].map(|name| Stage {
            name,
            about: "",
            work: Box::new({
                let seen = &seen;
                move || {
                    seen.borrow_mut().push(name);
                    if name == "b" { Err(Failure::new("broken")) } else { Ok(()) }
                }
            }),
        });
        let words = line.split_whitespace().map(str::to_owned);
        let passed = run(&stages, Arguments::new(words)).is_ok();
        drop(stages);
        (seen.into_inner(), passed)
    }

    #[test]
    fn the_first_failure_ends_the_run_and_fails_it() {
        assert_eq!(ran(""), (vec!["a", "b"], false));
        assert_eq!(ran("--keep-going"), (vec!["a", "b", "c"], false));
        assert_eq!(ran("c a"), (vec!["a", "c"], true));
    }
}
