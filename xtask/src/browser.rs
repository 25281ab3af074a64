//! Tests of the viewer's page in Chromium, without a display.

use std::path::PathBuf;
use std::process::Command;

use crate::process::{Failure, Outcome, root, run, target_folder};
use crate::tools;

/// Runs them; where no browser or no Node can be had, says why not.
pub(crate) fn check() -> Outcome {
    let (node, chromium) = match programs() {
        Ok(programs) => programs,
        Err(failure) => {
            eprintln!("skipped: {}", failure.message);
            return Ok(());
        }
    };
    let pliant = tools::pliant()?;
    let folder = packages()?;
    let mut tests = Command::new(node);
    tests
        .arg("test.mjs")
        .current_dir(folder)
        .env("PLIANT_BIN", pliant)
        .env("PLIANT_CHROMIUM", chromium)
        .env("PLIANT_SHOTS", target_folder().join("browser"));
    run(&mut tests)
}

/// What the stage needs, where it can be had.
pub(crate) fn install() -> Outcome {
    if programs().is_ok() {
        packages()?;
    }
    Ok(())
}

/// The folder of the tests, with the packages they need.
fn packages() -> Result<PathBuf, Failure> {
    let folder = root().join("tests/browser");
    let mut install = Command::new("npm");
    install.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]);
    run(install.current_dir(&folder))?;
    Ok(folder)
}

/// Node and Chromium.
fn programs() -> Result<(PathBuf, PathBuf), Failure> {
    let node = tools::system_tool(&["node", "nodejs"], "nodejs")?;
    tools::system_tool(&["npm"], "npm")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    Ok((node, tools::system_tool(&names, "chromium")?))
}
