//! Running programs, and saying what failed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a chore failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What happened and, where possible, what to do.
    pub(crate) message: String,
    /// Whether the command line was at fault.
    pub(crate) usage: bool,
}

pub(crate) type Outcome = Result<(), Failure>;

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), usage: false }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), usage: true }
    }
}

/// "cannot {action} {path}: {error}" for file operations.
pub(crate) fn at<'a>(
    action: &'a str,
    path: &'a Path,
) -> impl FnOnce(std::io::Error) -> Failure + 'a {
    move |error| Failure::new(format!("cannot {action} {}: {error}", path.display()))
}

/// The project's folder.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

/// Where cargo builds: this program lies in `TARGET/PROFILE`.
pub(crate) fn target_folder() -> PathBuf {
    let built = std::env::current_exe().ok();
    let folder = built.as_deref().and_then(Path::parent).and_then(Path::parent);
    folder.map_or_else(|| root().join("target"), Path::to_path_buf)
}

/// Cargo, in the project's folder.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Prints the command, runs it with this terminal, and fails when it does.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let text = describe(command);
    eprintln!("+ {text}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(format!("`{text}` failed ({status})"))),
        Err(error) => Err(Failure::new(format!("`{text}` cannot be started: {error}"))),
    }
}

/// Runs a command and returns what it prints.
pub(crate) fn capture(command: &mut Command) -> Result<String, Failure> {
    let text = describe(command);
    let output = command
        .output()
        .map_err(|error| Failure::new(format!("`{text}` cannot be started: {error}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(format!("`{text}` failed ({}):\n{errors}", output.status)))
}

/// The command as one would type it; the program without its folder.
fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut text = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}
