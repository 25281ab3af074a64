//! `pliant view`: a scene on a page of this machine, or recorded without one.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use pliant::scene::run::{Destination, Progress, run as run_scene};
use pliant::scene::{Folder, FrameFormat, Simulation};
use pliant_viewer::{Options, Server};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::run::scene;

/// Frames a second of a recording.
const RECORDED_RATE: f64 = 30.0;

/// Flags of `pliant view`.
#[derive(Debug, Args)]
pub struct ViewFlags {
    /// A scene file, or the name of a built-in scene, see 'pliant list scenes' [default: creature]
    pub scene: Option<String>,
    /// Override a key of the scene, as in time.step=0.01
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Listen on this port [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// The secret in the address, 16 letters and digits or more; with --port, an address that stays [default: random]
    #[arg(long, value_name = "TEXT")]
    pub token: Option<String>,
    /// Listen on this address: 0.0.0.0 for all of this machine. Whoever gets to know the address of the page can then
    /// watch, change and record [default: 127.0.0.1, this machine alone]
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<IpAddr>,
    /// Where the page records to [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Only print the address
    #[arg(long)]
    pub no_open: bool,
    /// At the end, write what hands did on the page to FILE, for pliant run --replay; of the scene that ran last
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    pub record_input: Option<PathBuf>,
    /// No page: run for --seconds, and write FILE.glb or FILE.usda, or with .vtu, .obj, .ply or .pc2 a folder FILE
    #[arg(long, value_name = "FILE", requires = "seconds")]
    pub record: Option<PathBuf>,
    /// Simulated time to record, s
    #[arg(long, value_name = "N", requires = "record")]
    pub seconds: Option<f64>,
}

/// Shows a scene until Ctrl-C, or records it.
pub fn view(flags: ViewFlags, context: &Context) -> Result<(), Failure> {
    if let (Some(file), Some(seconds)) = (&flags.record, flags.seconds) {
        return record(&flags, file, seconds, context);
    }
    let origin = scene::origin(flags.scene.as_deref(), flags.set);
    let host = flags.host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let folder = Some(flags.folder.unwrap_or_else(|| PathBuf::from(".")));
    let options =
        Options { port: flags.port, token: flags.token, host, folder, ..Options::new(origin) };
    let server = Server::start(options)?;
    if !host.is_loopback() {
        context.warn(&format!(
            "listening on {host}: whoever reaches this machine and gets to know the address can change and record the scene, and nothing on the way is encrypted. From other machines the page has this one's number in place of 127.0.0.1"
        ));
    }
    // Before anybody works for nothing.
    flags.record_input.as_deref().map_or(Ok(()), |file| save_input(&server, file))?;
    // The address is the result: it is printed even if nothing else is.
    eprintln!("{}", server.address());
    if !flags.no_open && !open(server.address()) {
        context.warn("no browser was found: open the address above in one; Ctrl-C ends");
    }
    while !context.interrupted() {
        std::thread::sleep(Duration::from_millis(50));
    }
    flags.record_input.as_deref().map_or(Ok(()), |file| save_input(&server, file))
}

/// Writes what hands have done so far.
fn save_input(server: &Server, file: &Path) -> Result<(), Failure> {
    let fail = |e: String| Failure::Input(format!("cannot write {}: {e}", file.display()));
    let text = server.input().ok_or_else(|| fail("the simulation has ended".to_owned()))?;
    std::fs::write(file, text).map_err(|e| fail(e.to_string()))
}

/// Opens the default browser; false where there is none.
fn open(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
            return false;
        }
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

fn record(flags: &ViewFlags, file: &Path, seconds: f64, context: &Context) -> Result<(), Failure> {
    if !(seconds > 0.0 && seconds.is_finite()) {
        return Err(Failure::Input(format!("--seconds {seconds}: more than 0 are needed")));
    }
    let extension = file.extension().map(|e| e.to_string_lossy().to_lowercase());
    let Some(format) = extension.as_deref().and_then(FrameFormat::parse) else {
        let names = FrameFormat::names();
        let text = format!("--record {}: its end says the format: {names}", file.display());
        return Err(Failure::Input(text));
    };
    let mut sets = flags.set.clone();
    sets.push(format!("time.end={seconds:?}"));
    sets.push(format!("output.frames={:?}", 1.0 / RECORDED_RATE));
    sets.push(format!("output.formats=[\"{}\"]", format.name()));
    let origin = scene::origin(flags.scene.as_deref(), sets).for_page()?;
    let scene = scene::load(&origin)?;
    let mut simulation = Simulation::build(&scene)?;
    for warning in &simulation.warnings {
        context.warn(warning);
    }
    let one = format.whole_file();
    let out = file.with_extension(if one.is_some() { "recording" } else { "" });
    let folder = Folder::create(&out, &origin, false)?;
    let bar = context.progress("recording");
    let mut watch = |progress: &Progress| {
        bar.set_position(progress.step * 1000 / progress.steps.max(1));
        !context.interrupted()
    };
    let place = Destination { folder: &folder, resume: false };
    let outcome = run_scene(&scene, &mut simulation, Some(&place), &mut watch);
    bar.finish_and_clear();
    let outcome = outcome?;
    let written = if let Some(name) = one {
        let made = folder.path().join(name);
        let fail = |e| Failure::Input(format!("cannot write {}: {e}", file.display()));
        std::fs::rename(made, file).map_err(fail)?;
        // Made a moment ago, by this run, for this run.
        std::fs::remove_dir_all(folder.path()).map_err(fail)?;
        file.to_owned()
    } else {
        out
    };
    if let Some(error) = outcome.failure {
        context.warn(&format!("what there is, up to the last good step, is {}", written.display()));
        return Err(error.into());
    }
    let seconds = simulation.state().time;
    if outcome.stopped {
        let text = format!("stopped at t = {seconds} s; {} ends there", written.display());
        return Err(Failure::Interrupted(text));
    }
    let result = json!({"output": written.display().to_string(), "seconds": seconds});
    context.emit(&result, || format!("{seconds} s are in {}\n", written.display()))
}
