//! Tests in Python: what Pliant writes is read by meshio and VTK, and what they write by Pliant.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Failure, Outcome, at, root, run, target_folder};
use crate::tools;

/// Runs pytest in an environment of its own.
pub(crate) fn check() -> Outcome {
    let pliant = tools::pliant()?;
    let python = environment(&target_folder().join("python"))?;
    run(Command::new(python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python"])
        .current_dir(root())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PLIANT_BIN", pliant))
}

/// A virtual environment with the packages of `requirements.txt`; made anew when that file changes.
fn environment(folder: &Path) -> Result<PathBuf, Failure> {
    let requirements = root().join("tests/python/requirements.txt");
    let wanted = fs::read_to_string(&requirements).map_err(at("read", &requirements))?;
    let stamp = folder.join("installed.txt");
    let python = folder.join("bin").join("python");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let system = tools::system_tool(&["python3", "python"], "python3")?;
    let make = || run(Command::new(&system).args(["-m", "venv", "--clear"]).arg(folder));
    if make().is_err() {
        // Debian keeps the module in a package of its own.
        tools::apt_install("python3-venv")?;
        make()?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    run(Command::new(&python).args(pip).arg(&requirements))?;
    fs::write(&stamp, wanted).map_err(at("write", &stamp))?;
    Ok(python)
}
