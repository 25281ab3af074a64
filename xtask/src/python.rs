//! Tests in Python: what Pliant writes is read by meshio, VTK, USD and Blender, and what the first two
//! write by Pliant.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Failure, Outcome, at, capture, root, run, target_folder};
use crate::tools;

/// The one Python that Blender's module is built for.
const BLENDER_PYTHON: &str = "3.11";

/// Runs pytest in an environment of its own.
pub(crate) fn check() -> Outcome {
    let pliant = tools::pliant()?;
    let python = plain()?;
    let mut tests = Command::new(python);
    tests
        .args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "tests/python"])
        .current_dir(root())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PLIANT_BIN", pliant);
    match blender() {
        Ok(python) => tests.env("PLIANT_BLENDER", python),
        Err(failure) => {
            eprintln!("without Blender: {}", failure.message);
            tests.env("PLIANT_NO_BLENDER", failure.message)
        }
    };
    run(&mut tests)
}

/// What the stage needs; Blender where it can be had.
pub(crate) fn install() -> Outcome {
    plain()?;
    let _ = blender();
    Ok(())
}

/// A Python with all but Blender.
fn plain() -> Result<PathBuf, Failure> {
    let system = tools::system_tool(&["python3", "python"], "python3")?;
    environment(&system, &target_folder().join("python"), "requirements.txt")
}

/// A Python that can import Blender's module. It has an environment of its own, as it wants another
/// numpy; where it cannot be had the other tests are run without it.
fn blender() -> Result<PathBuf, Failure> {
    let fits = |program: &str| {
        let version = "import sys; print('%d.%d' % sys.version_info[:2])";
        capture(Command::new(program).args(["-c", version]))
            .is_ok_and(|v| v.trim() == BLENDER_PYTHON)
    };
    let Some(system) = ["python3", "python3.11"].into_iter().find(|p| fits(p)) else {
        let text = format!("its module needs Python {BLENDER_PYTHON}, which is not there");
        return Err(Failure::new(text));
    };
    let folder = target_folder().join("python-blender");
    let python = environment(Path::new(system), &folder, "blender.txt")?;
    capture(Command::new(&python).args(["-c", "import bpy"]))?;
    Ok(python)
}

/// A virtual environment with the packages of a list in `tests/python`; made anew when that changes.
fn environment(system: &Path, folder: &Path, list: &str) -> Result<PathBuf, Failure> {
    let requirements = root().join("tests/python").join(list);
    let wanted = fs::read_to_string(&requirements).map_err(at("read", &requirements))?;
    let stamp = folder.join("installed.txt");
    let python = folder.join("bin").join("python");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let make = || run(Command::new(system).args(["-m", "venv", "--clear"]).arg(folder));
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
