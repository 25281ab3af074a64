//! Terminal sessions: the commands of `console` blocks, and whether their output is as shown.
//!
//! A block holds lines `$ COMMAND`, perhaps `> MORE` lines that go on with it, and the output. A
//! command without output shown may print anything. `…` stands for anything within a line, and
//! alone on a line for any number of lines. A command ends with status 0 unless a trailing comment
//! says `# exits 2`.

use std::path::Path;
use std::process::Command;

use crate::blocks::Block;

/// A command, and what the page says about it.
#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    /// Line of the page, from 1.
    pub line: usize,
    /// What is run by `sh`.
    pub command: String,
    /// The status it ends with.
    pub status: i32,
    /// The output shown.
    pub output: Vec<String>,
}

/// The steps of a block; an error names what is not understood.
pub fn steps(block: &Block<'_>) -> Result<Vec<Step>, String> {
    let mut steps: Vec<Step> = Vec::new();
    for (i, text) in block.lines.iter().enumerate() {
        let line = block.line + i;
        if let Some(command) = text.strip_prefix("$ ") {
            let (command, status) = match command.rsplit_once("# exits ") {
                Some((command, status)) => match status.trim().parse() {
                    Ok(status) => (command.trim_end(), status),
                    Err(_) => return Err(format!("line {line}: '# exits' needs a number")),
                },
                None => (command, 0),
            };
            steps.push(Step { line, command: command.to_owned(), status, output: Vec::new() });
            continue;
        }
        let step = steps.last_mut();
        let step = step.ok_or_else(|| format!("line {line}: output before any '$ ' command"))?;
        match text.strip_prefix("> ") {
            Some(more) if step.output.is_empty() => {
                step.command.push('\n');
                step.command.push_str(more);
            }
            _ => step.output.push((*text).to_owned()),
        }
    }
    // A blank line between two commands is for the eye.
    for step in &mut steps {
        while step.output.last().is_some_and(|line| line.trim().is_empty()) {
            step.output.pop();
        }
    }
    Ok(steps)
}

/// Runs a step in `folder`, with the programs of `programs` first on the path; the error shows the
/// command, what came, and what should have come.
pub fn run(step: &Step, folder: &Path, programs: &Path) -> Result<(), String> {
    let Step { command, status, output, .. } = step;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(programs.to_path_buf()).chain(std::env::split_paths(&path)),
    );
    // One pipe for both streams, so that the output comes in the order a terminal shows.
    let script = format!("exec 2>&1\n{command}\n");
    let result = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder)
        .env("PATH", path.map_err(|error| error.to_string())?)
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .map_err(|error| format!("sh cannot be started: {error}"))?;
    let printed = String::from_utf8_lossy(&result.stdout);
    let code = result.status.code().unwrap_or(-1);
    if code != *status {
        return Err(format!("$ {command}\nexits {code}, not {status}:\n{printed}"));
    }
    let lines: Vec<_> = printed.trim_end().lines().map(str::trim_end).collect();
    let shown: Vec<_> = output.iter().map(|line| line.trim_end()).collect();
    if !shown.is_empty() && !matches(&shown, &lines) {
        let shown = shown.join("\n");
        return Err(format!("$ {command}\nprints\n{printed}\nwhere the page shows\n{shown}\n"));
    }
    Ok(())
}

/// Whether `lines` are those shown, where a line `…` stands for any number of lines.
pub fn matches(shown: &[&str], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((&"…", rest)) => (0..=lines.len()).any(|skip| matches(rest, &lines[skip..])),
        Some((first, rest)) => {
            let fits = lines.first().is_some_and(|line| line_matches(first, line));
            fits && matches(rest, &lines[1..])
        }
    }
}

/// Whether `line` is as shown, where `…` stands for anything.
pub fn line_matches(shown: &str, line: &str) -> bool {
    match shown.split_once('…') {
        None => shown == line,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|line| {
            let ends = line.char_indices().map(|(i, _)| i).chain([line.len()]);
            ends.into_iter().any(|end| line_matches(rest, &line[end..]))
        }),
    }
}
