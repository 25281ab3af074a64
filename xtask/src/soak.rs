//! The viewer under random hands, for as long as one likes.

use std::cell::RefCell;
use std::process::{Child, Command};

use crate::process::{Failure, Outcome, cargo, run};
use crate::tools;

/// With a client that is part of the viewer's tests.
fn command(seconds: u64) -> Result<Command, Failure> {
    let pliant = tools::pliant()?;
    // All of the workspace, so that nothing is built with other features, and twice.
    let mut test = cargo(["test", "--locked", "--workspace", "--test", "viewer", "--quiet"]);
    test.args(["--", "--ignored", "--nocapture", "soak::"]);
    test.env("PLIANT_BIN", pliant).env("PLIANT_SOAK_SECONDS", seconds.to_string());
    Ok(test)
}

/// Runs the program for so many seconds.
pub(crate) fn run_for(seconds: u64) -> Outcome {
    run(&mut command(seconds)?)
}

/// A soak that goes on beside other work: its length is one of time, not of work.
#[derive(Default)]
pub(crate) struct Beside(RefCell<Option<Child>>);

impl Beside {
    /// Begins, once. Where it cannot, [`Beside::end`] runs it.
    pub(crate) fn begin(&self, seconds: u64) {
        let mut child = self.0.borrow_mut();
        if child.is_none() {
            *child = command(seconds).ok().and_then(|mut soak| soak.spawn().ok());
        }
    }

    /// Until it is over; the whole of it if it was not begun.
    pub(crate) fn end(&self, seconds: u64) -> Outcome {
        let Some(mut child) = self.0.borrow_mut().take() else { return run_for(seconds) };
        match child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Failure::new(format!("the soak failed ({status})"))),
            Err(error) => Err(Failure::new(format!("the soak cannot be waited for: {error}"))),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.borrow_mut().take() {
            let _ = child.wait();
        }
    }
}
