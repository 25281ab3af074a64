//! [`Context`]: what all sub-commands share: where results, warnings and progress go.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pliant::mesh::Note;
use serde_json::Value;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::style::{Style, paint};

/// Bytes of a thread's stack.
pub(crate) const STACK: usize = 8 << 20;

/// True if this process was started with SIGHUP ignored, as nohup does; known where there is `/proc`.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The first bit is that of signal 1.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

/// Output, progress and interruption of one run of the command.
pub struct Context {
    /// Whether the result is one JSON document.
    pub json: bool,
    quiet: bool,
    interrupted: Arc<AtomicBool>,
}

impl Context {
    /// Sets up threads and Ctrl-C.
    pub fn new(global: &Global) -> Result<Self, Failure> {
        let threads = global.threads.unwrap_or(0);
        if global.threads.is_some() && !(1..=4096).contains(&threads) {
            return Err(Failure::Input(format!("--threads {threads}: use 1 to 4096")));
        }
        // 0: as many as there are cores. Commands run on these threads, so their stacks are as large as the main thread's.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
        match pool.build_global() {
            Err(e) if global.threads.is_some() => {
                return Err(Failure::Input(format!("cannot start {threads} threads: {e}")));
            }
            // In tests a pool may stand already.
            _ => {}
        }
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        // Ctrl-C, and SIGTERM and SIGHUP alike, as batch systems and closed terminals send them. A second one ends the process at
        // once. In tests a handler may stand already.
        let stop = move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        };
        // Under nohup signals are left as they are: a closed terminal must not end the run.
        let _ =
            if ignores_hangup() { ctrlc::try_set_handler(stop) } else { ctrlc::set_handler(stop) };
        Ok(Self { json: global.json, quiet: global.quiet, interrupted })
    }

    /// Whether the user asked to stop.
    pub fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Prints the result: the JSON document, or the text for people.
    pub fn emit(&self, json: &Value, text: impl FnOnce() -> String) -> Result<(), Failure> {
        if self.json { self.print(&format!("{json:#}\n")) } else { self.print(&text()) }
    }

    /// Writes to standard output; a reader that has gone away is no error.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        match std::io::stdout().lock().write_all(text.as_bytes()) {
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::Output(format!("cannot write to standard output: {e}")))
            }
            _ => Ok(()),
        }
    }

    /// A warning on standard error.
    pub fn warn(&self, text: &str) {
        if !self.quiet {
            eprintln!("{} {text}", paint(Style::Warning, "warning:"));
        }
    }

    /// What a long command has found so far, on standard error.
    pub fn tell(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }

    /// Notes of a reader or writer as warnings.
    pub fn warn_notes(&self, file: &std::path::Path, notes: &[Note]) {
        for note in notes {
            self.warn(&format!("{}: {note}", file.display()));
        }
    }

    /// A progress bar over 0..1, on a terminal only.
    pub fn progress(&self, title: &'static str) -> ProgressBar {
        if self.quiet || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {percent}% {eta}") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.with_message(title)
    }
}
