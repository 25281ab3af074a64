//! Programs that the chores need beyond cargo: found, or installed.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::process::{Failure, cargo, run, target_folder};

/// Whether the program can be started.
fn starts(program: &str) -> bool {
    let probe =
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}

/// The `pliant` program, built as the Rust tests build it, so that it is not built twice.
pub(crate) fn pliant() -> Result<PathBuf, Failure> {
    run(&mut cargo(["test", "--locked", "--workspace", "--no-run", "--quiet"]))?;
    let program = target_folder().join("debug").join("pliant");
    if program.exists() {
        return Ok(program);
    }
    Err(Failure::new(format!("the build left no {}", program.display())))
}

/// A program from the registry: the one on the path, or else one built into `target/tools`, without
/// optimisation: that takes a third of the time, and its work here is small.
pub(crate) fn cargo_tool(name: &str, version: &str, flags: &[&str]) -> Result<PathBuf, Failure> {
    if starts(name) {
        return Ok(name.into());
    }
    let folder = target_folder().join("tools");
    let program = folder.join("bin").join(name);
    if !program.exists() {
        eprintln!("{name} is not installed: building it once, which takes minutes");
        let mut build = cargo(["install", "--locked", "--version", version, name]);
        build.args(["--debug", "--config", "profile.dev.debug=false"]);
        run(build.args(flags).arg("--root").arg(&folder)).map_err(|failure| {
            Failure::new(format!(
                "{}\n{name} is needed here; install it by hand with `cargo install --locked {name}`",
                failure.message
            ))
        })?;
    }
    Ok(program)
}

/// The first of `programs` that starts; otherwise Debian's `package` is installed where that is
/// possible, and the user is told what to install where it is not.
pub(crate) fn system_tool(programs: &[&str], package: &str) -> Result<PathBuf, Failure> {
    let find = || programs.iter().find(|program| starts(program)).map(PathBuf::from);
    if let Some(program) = find() {
        return Ok(program);
    }
    apt_install(package)?;
    find().ok_or_else(|| {
        Failure::new(format!("{package} is installed, but {programs:?} is not there"))
    })
}

/// Installs a Debian package, as root only.
pub(crate) fn apt_install(package: &str) -> Result<(), Failure> {
    let advice =
        |why: &str| Failure::new(format!("{package} is needed and {why}; please install it"));
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.starts_with(b"0\n"));
    if !starts("apt-get") {
        return Err(advice("there is no apt-get"));
    }
    if !root {
        return Err(advice(&format!("only root may `apt-get install {package}`")));
    }
    run(Command::new("apt-get").args(["update", "--quiet"]))?;
    run(Command::new("apt-get")
        .args(["install", "--yes", "--quiet", "--no-install-recommends", package])
        .env("DEBIAN_FRONTEND", "noninteractive"))
}
