//! Fuzzing on stable Rust: libFuzzer with the coverage pass of LLVM. Each target is a program of
//! its own; this module builds them, runs as many at a time as there are cores, and reports.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use crate::arguments::Arguments;
use crate::process::{Failure, Outcome, at, capture, cargo, root, run as execute, target_folder};
use crate::tools;

/// What libFuzzer needs to see: counters on every edge, and the operands of comparisons.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Longest input, bytes: room for a mesh of a few cells in every format. Longer ones run slower;
/// whether they would find more was not measured.
const MAX_LENGTH: usize = 1024;
/// One input may take so many seconds; it takes microseconds.
const TIMEOUT: u64 = 10;

/// When a target has run long enough.
#[derive(Clone, Copy)]
enum Budget {
    Executions(u64),
    Seconds(u64),
}

/// Where a run starts, and what it leaves.
#[derive(Clone, Copy, PartialEq)]
enum Corpus {
    /// From the seeds with a fixed random seed: the same inputs on every run.
    Fresh,
    /// From the seeds and all that earlier runs found.
    Kept,
}

/// `cargo xtask fuzz`
pub(crate) fn run(mut arguments: Arguments) -> Outcome {
    let executions = arguments.number("--executions")?;
    let seconds = arguments.number("--seconds")?;
    let jobs = arguments.number("--jobs")?.map_or_else(cores, |jobs| jobs as usize);
    let list = arguments.flag("--list");
    let known = targets()?;
    let names: Vec<_> = known.iter().map(String::as_str).collect();
    let chosen = arguments.choose(&names)?;
    if list {
        println!("{}", chosen.join("\n"));
        return Ok(());
    }
    let budget = match (executions, seconds) {
        (Some(_), Some(_)) => {
            return Err(Failure::usage("give --executions or --seconds, not both"));
        }
        (Some(n), None) => Budget::Executions(n),
        (None, seconds) => Budget::Seconds(seconds.unwrap_or(60)),
    };
    campaign(&chosen, budget, Corpus::Kept, jobs)
}

/// Every target, from its seeds only.
pub(crate) fn short(executions: u64) -> Outcome {
    campaign(&targets()?, Budget::Executions(executions), Corpus::Fresh, cores())
}

/// Every target, from all that was ever found.
pub(crate) fn long(executions: u64) -> Outcome {
    campaign(&targets()?, Budget::Executions(executions), Corpus::Kept, cores())
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The targets: the files of `fuzz/targets`.
fn targets() -> Result<Vec<String>, Failure> {
    let folder = root().join("fuzz/targets");
    let files = fs::read_dir(&folder).map_err(at("list", &folder))?;
    let mut names: Vec<_> = files
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

/// Builds all targets; returns the folder that they lie in.
fn build() -> Result<PathBuf, Failure> {
    tools::system_tool(&["c++", "g++", "clang++"], "g++")?;
    let version = capture(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or_else(|| Failure::new("`rustc -vV` names no host"))?;
    let folder = target_folder().join("fuzz");
    // Naming the host as the target keeps the coverage flags away from build scripts.
    let mut command = cargo(["build", "--locked", "--release", "--bins", "--target", host]);
    command.args(["--manifest-path", "fuzz/Cargo.toml", "--target-dir"]).arg(&folder);
    execute(command.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", COVERAGE))?;
    Ok(folder.join(host).join("release"))
}

/// What came of one target.
struct Report {
    name: String,
    executions: u64,
    seconds: f64,
    /// Empty if nothing was found.
    trouble: String,
}

/// Runs the targets, `jobs` at a time, and prints a table. Any finding fails the campaign.
fn campaign(names: &[String], budget: Budget, corpus: Corpus, jobs: usize) -> Outcome {
    let programs = build()?;
    let queue = Mutex::new(names.iter().collect::<VecDeque<_>>());
    let reports = Mutex::new(Vec::new());
    let next = || queue.lock().ok()?.pop_front();
    thread::scope(|scope| {
        for _ in 0..jobs.min(names.len()) {
            scope.spawn(|| {
                while let Some(name) = next() {
                    let report = run_target(&programs, name, budget, corpus);
                    let report = report.unwrap_or_else(|failure| Report {
                        name: name.clone(),
                        executions: 0,
                        seconds: 0.0,
                        trouble: failure.message,
                    });
                    let found = if report.trouble.is_empty() { "" } else { ", and FAILED" };
                    eprintln!("  {name}: {} executions{found}", report.executions);
                    if let Ok(mut reports) = reports.lock() {
                        reports.push(report);
                    }
                }
            });
        }
    });
    let mut reports = reports.into_inner().unwrap_or_default();
    reports.sort_by(|a, b| a.name.cmp(&b.name));
    print_table(&reports);
    let failed: Vec<_> = reports.iter().filter(|report| !report.trouble.is_empty()).collect();
    for report in &failed {
        eprintln!("\n--- {} ---\n{}", report.name, report.trouble);
    }
    if failed.is_empty() && reports.len() == names.len() {
        return Ok(());
    }
    Err(Failure::new(format!("{} of {} fuzz targets failed", failed.len(), names.len())))
}

fn print_table(reports: &[Report]) {
    println!("\n{:<16} {:>12} {:>9} {:>10}  result", "target", "executions", "seconds", "exec/s");
    for Report { name, executions, seconds, trouble } in reports {
        let rate = *executions as f64 / seconds.max(1e-3);
        let result = if trouble.is_empty() { "ok" } else { "FAILED" };
        println!("{name:<16} {executions:>12} {seconds:>9.1} {rate:>10.0}  {result}");
    }
}

fn run_target(
    programs: &Path,
    name: &str,
    budget: Budget,
    corpus: Corpus,
) -> Result<Report, Failure> {
    let program = programs.join(name);
    if !program.exists() {
        let text = format!("fuzz/targets/{name}.rs has no [[bin]] entry in fuzz/Cargo.toml");
        return Err(Failure::new(text));
    }
    let fuzz = root().join("fuzz");
    let scratch = target_folder().join("fuzz");
    let found = match corpus {
        Corpus::Kept => fuzz.join("corpus").join(name),
        Corpus::Fresh => {
            let folder = scratch.join("corpus").join(name);
            if folder.exists() {
                fs::remove_dir_all(&folder).map_err(at("empty", &folder))?;
            }
            folder
        }
    };
    let artifacts = fuzz.join("artifacts").join(name);
    let logs = scratch.join("logs");
    for folder in [&found, &artifacts, &logs] {
        fs::create_dir_all(folder).map_err(at("make", folder))?;
    }
    let log = logs.join(format!("{name}.log"));
    let output = File::create(&log).map_err(at("write", &log))?;
    let errors = output.try_clone().map_err(at("write", &log))?;

    let mut command = Command::new(&program);
    command.arg(&found);
    let seeds = fuzz.join("seeds").join(name);
    if seeds.exists() {
        command.arg(seeds);
    }
    match budget {
        Budget::Executions(n) => command.arg(format!("-runs={n}")),
        Budget::Seconds(s) => command.arg(format!("-max_total_time={s}")),
    };
    if corpus == Corpus::Fresh {
        command.arg("-seed=1");
    }
    let dictionary = fuzz.join("dictionaries").join(format!("{name}.dict"));
    if dictionary.exists() {
        command.arg(format!("-dict={}", dictionary.display()));
    }
    command.args([format!("-max_len={MAX_LENGTH}"), format!("-timeout={TIMEOUT}")]);
    command.args(["-print_final_stats=1", "-reload=0", "-verbosity=1"]);
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    // One input at a time: threads would only blur the coverage.
    command.env("RAYON_NUM_THREADS", "1").current_dir(&fuzz);
    let start = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(output).stderr(errors).status();
    let status = status.map_err(at("start", &program))?;
    let seconds = start.elapsed().as_secs_f64();

    let text = fs::read(&log).map_err(at("read", &log))?;
    let text = String::from_utf8_lossy(&text);
    let executions = executions(&text).unwrap_or(0);
    let trouble = match budget {
        _ if !status.success() => explain(&text, &program),
        Budget::Executions(n) if executions < n => {
            format!("it stopped after {executions} of {n} executions, see {}", log.display())
        }
        _ => String::new(),
    };
    Ok(Report { name: name.to_owned(), executions, seconds, trouble })
}

/// The count in libFuzzer's closing statistics.
fn executions(log: &str) -> Option<u64> {
    let line =
        log.lines().rev().find(|line| line.starts_with("stat::number_of_executed_units:"))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// What libFuzzer says about a finding, and how to see it again.
fn explain(log: &str, program: &Path) -> String {
    let lines: Vec<_> = log.lines().collect();
    let start = lines.iter().position(|line| line.contains("panicked at"));
    let start = start.or_else(|| lines.iter().position(|line| line.contains("ERROR: libFuzzer")));
    let start = start.unwrap_or(lines.len().saturating_sub(20));
    let text = lines[start..lines.len().min(start + 25)].join("\n");
    let written = lines.iter().find_map(|line| line.split("Test unit written to ").nth(1));
    match written {
        Some(input) => format!("{text}\nAgain: {} {input}", program.display()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
thread '<unnamed>' panicked at targets/veg.rs:9:5:
boom
==1== ERROR: libFuzzer: deadly signal
artifact_prefix='a/'; Test unit written to a/crash-12ab
stat::number_of_executed_units: 4373
stat::average_exec_per_sec:     0
";

    #[test]
    fn the_log_of_a_finding_tells_executions_cause_and_input() {
        assert_eq!(executions(LOG), Some(4373));
        assert_eq!(executions("killed"), None);
        let text = explain(LOG, Path::new("veg"));
        assert!(text.starts_with("thread '<unnamed>' panicked at targets/veg.rs"));
        assert!(text.ends_with("Again: veg a/crash-12ab"));
    }

    #[test]
    fn every_target_is_declared() {
        let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
        for name in targets().unwrap() {
            assert!(manifest.contains(&format!("path = \"targets/{name}.rs\"")), "{name}");
        }
    }
}
