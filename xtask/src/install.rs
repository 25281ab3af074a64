//! `cargo xtask install`: what the tests need beyond Rust. `cargo xtask test` begins it beside the first stages, as
//! most of it waits for downloads; stages wait for it, and find what is there or say what is not.

use std::cell::RefCell;
use std::fs::File;
use std::process::{Child, Command, Stdio};

use crate::arguments::Arguments;
use crate::process::{Failure, Outcome, target_folder};
use crate::{browser, lint, python};

/// `cargo xtask install`
pub(crate) fn run(arguments: Arguments) -> Outcome {
    arguments.finish("`install` takes nothing")?;
    let outcomes = [lint::install(), python::install(), browser::install()];
    let failed: Vec<_> =
        outcomes.into_iter().filter_map(Result::err).map(|failure| failure.message).collect();
    if failed.is_empty() { Ok(()) } else { Err(Failure::new(failed.join("\n"))) }
}

/// An installation that goes on beside other work.
pub(crate) struct Ahead(RefCell<Option<Child>>);

impl Ahead {
    /// Begins if wanted, and if this program can be started again; if not, stages install what they need themselves.
    pub(crate) fn start(wanted: bool) -> Self {
        Self(RefCell::new(wanted.then(|| begin().ok()).flatten()))
    }

    /// Until it is over. What failed is tried again by the stage that needs it, which tells why.
    pub(crate) fn wait(&self) {
        if let Some(mut child) = self.0.borrow_mut().take() {
            eprintln!("waiting for what is being installed");
            let _ = child.wait();
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.wait();
    }
}

fn begin() -> std::io::Result<Child> {
    let log = File::create(target_folder().join("install.log"))?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("install").stdin(Stdio::null()).stderr(log.try_clone()?).stdout(log);
    command.spawn()
}
