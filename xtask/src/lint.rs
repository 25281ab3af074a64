//! Formatting, clippy, and the licences of dependencies.

use std::path::PathBuf;
use std::process::Command;

use crate::arguments::Arguments;
use crate::process::{Failure, Outcome, cargo, root, run as execute};
use crate::tools;

/// `cargo xtask lint`
pub(crate) fn run(mut arguments: Arguments) -> Outcome {
    let fix = arguments.flag("--fix");
    arguments.finish("`lint` takes --fix")?;
    check(fix)
}

/// Formatting of everything, clippy of the workspace; repaired where possible if `fix`.
pub(crate) fn check(fix: bool) -> Outcome {
    let clippy = ["clippy", "--locked", "--workspace", "--all-targets"];
    if fix {
        execute(cargo(clippy).args(["--fix", "--allow-dirty", "--allow-staged"]))?;
    }
    for manifest in ["Cargo.toml", "fuzz/Cargo.toml"] {
        let mut format = cargo(["fmt", "--all", "--manifest-path", manifest]);
        if !fix {
            format.arg("--check");
        }
        execute(&mut format)?;
    }
    execute(cargo(clippy).args(["--", "--deny", "warnings"]))
}

fn deny() -> Result<PathBuf, Failure> {
    tools::cargo_tool("cargo-deny", "0.20.2", &[])
}

/// What the stages need.
pub(crate) fn install() -> Outcome {
    deny().map(drop)
}

/// Licences, sources and bans as `deny.toml` has them, for the workspace and the fuzz targets.
/// Advisories are left out: their database needs a network that CI may not have.
pub(crate) fn licences() -> Outcome {
    let deny = deny()?;
    for manifest in ["Cargo.toml", "fuzz/Cargo.toml"] {
        let mut command = Command::new(&deny);
        command.args(["--locked", "--all-features", "--manifest-path", manifest]);
        command.args(["--config", "deny.toml", "check", "--hide-inclusion-graph"]);
        command.args(["licenses", "bans", "sources"]);
        execute(command.current_dir(root()))?;
    }
    Ok(())
}
