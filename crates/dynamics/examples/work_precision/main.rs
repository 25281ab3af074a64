//! Work-precision diagrams of all integrators on the problems of VirTis (figures 3.8 and 5.8 to 5.15).
//!
//! cargo run --release -p pliant-dynamics --example work_precision -- FOLDER [--problem bar|shear|toy]
//!     [--newton strict|loose] [--solver direct|cg] [--budget SECONDS] [--clock wall|cpu]
//!
//! Every integrator makes runs with steps that are halved each time, until a run takes longer than the budget
//! (2 s) or errors stop falling; those that know their error make runs with tolerances too. Errors are the root mean square over
//! positions and velocities at the end, against Dormand and Prince 8(5,3) with a tolerance of 1e-12 (the toy:
//! against its closed form). Written are `PROBLEM-samples.csv` and a picture for each group of methods, over
//! seconds and over evaluations of the forces.
//!
//! `--newton loose` stops Newton at 2e-6 of the forces, which is about the 1e-5 N of the thesis, `strict` at
//! rounding. The matrices of bar and cube are not symmetric, as viscous forces and live loads are not
//! gradients: `direct` is then LU and `cg` BiCGSTAB. `--clock cpu` counts the time of all threads (Linux only),
//! for machines that have other things to do; with RAYON_NUM_THREADS=1 that is what a quiet one would take.

mod problems;
mod runs;
mod toy;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use pliant_algebra::vec3::{norm, sub};
use pliant_draw::plot::{Axis, Curve, Plot};
use pliant_dynamics::{
    DynamicsError, IntegratorName, NewtonSettings, Options, State, StepControl, System,
};
use pliant_solvers::iterative::Settings;
use pliant_solvers::{Choice, SolverName};
use problems::Problem;
use runs::{Sample, Task};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

struct Arguments {
    folder: PathBuf,
    problem: Problem,
    strict: bool,
    direct: bool,
    budget: f64,
    clock: fn() -> Duration,
}

fn arguments() -> Fallible<Arguments> {
    let mut given = std::env::args().skip(1);
    let folder = given.next().ok_or("a folder to write to is needed")?;
    let mut arguments = Arguments {
        folder: folder.into(),
        problem: Problem::Bar,
        strict: true,
        direct: true,
        budget: 2.0,
        clock: wall,
    };
    while let Some(option) = given.next() {
        let value = given.next().ok_or_else(|| format!("{option} needs a value"))?;
        match (option.as_str(), value.as_str()) {
            ("--problem", name) => {
                let problem = Problem::by_name(name);
                arguments.problem = problem.ok_or_else(|| format!("{name}: bar, shear or toy"))?;
            }
            ("--newton", "strict" | "loose") => arguments.strict = value == "strict",
            ("--solver", "direct" | "cg") => arguments.direct = value == "direct",
            ("--clock", "wall") => arguments.clock = wall,
            ("--clock", "cpu") => arguments.clock = cpu,
            ("--budget", seconds) => arguments.budget = seconds.parse()?,
            _ => return Err(format!("{option} {value} is not known").into()),
        }
    }
    Ok(arguments)
}

/// Since the first call.
fn wall() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Of all threads of this process; none where the system does not tell.
fn cpu() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let spent = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(spent.sum())
}

fn options(arguments: &Arguments, symmetric: bool) -> Options {
    let solver = match (arguments.direct, symmetric) {
        (true, true) => SolverName::Cholesky,
        (true, false) => SolverName::Lu,
        (false, true) => SolverName::Cg,
        (false, false) => SolverName::Bicgstab,
    };
    let (force_tolerance, tolerance) = if arguments.strict { (1e-13, 1e-12) } else { (2e-6, 1e-6) };
    Options {
        newton: NewtonSettings { force_tolerance, ..NewtonSettings::default() },
        solver: Choice {
            solver,
            settings: Settings { tolerance, ..Settings::default() },
            ..Choice::default()
        },
        ..Options::default()
    }
}

fn reference(problem: Problem) -> Result<State, DynamicsError> {
    let (mut system, mut state) = problem.make()?;
    if problem == Problem::Toy {
        let [z, v] = toy::exact(problem.end());
        return Ok(State::new(&[[0.0, 0.0, z]], &[[0.0, 0.0, v]], problem.end()));
    }
    let control = Some(StepControl::with_tolerance(1e-12));
    let options = Options { control, ..Options::default() };
    let mut integrator = IntegratorName::DormandPrince853.build(&options)?;
    integrator.step(&mut system, &mut state, problem.end())?;
    Ok(state)
}

/// A method and its runs.
struct Line {
    name: String,
    group: &'static str,
    samples: Vec<Sample>,
}

/// Halves steps until it takes too long or nothing is gained.
fn halve(
    task: &Task<'_>,
    name: IntegratorName,
    options: &Options,
    budget: f64,
) -> Result<Vec<Sample>, DynamicsError> {
    let mut samples: Vec<Sample> = Vec::new();
    let mut best = f64::INFINITY;
    let mut worse = 0;
    for k in 0..20 {
        let sample = task.run(name, options, 5 << k)?;
        let slow = sample.seconds > 0.5 * budget;
        samples.push(sample);
        if let Some(error) = sample.error {
            worse = if error < best { 0 } else { worse + 1 };
            best = best.min(error);
            // At rounding.
            if best < 1e-9 && worse > 1 {
                break;
            }
        }
        if slow {
            break;
        }
    }
    Ok(samples)
}

fn tighten(
    task: &Task<'_>,
    name: IntegratorName,
    options: &Options,
    budget: f64,
) -> Result<Vec<Sample>, DynamicsError> {
    let mut samples: Vec<Sample> = Vec::new();
    for k in 1..=12 {
        let sample = task.run_controlled(name, options, 0.1_f64.powi(k), budget)?;
        samples.push(sample);
        if sample.seconds > 0.5 * budget {
            break;
        }
    }
    Ok(samples)
}

fn group(name: IntegratorName) -> &'static str {
    match name.about().split(',').next() {
        Some("explicit") => "explicit",
        Some("implicit") => "implicit",
        _ => "linearly-implicit",
    }
}

/// The methods of the picture in the book.
const CHOSEN: [&str; 10] = [
    "backward-euler",
    "implicit-midpoint",
    "generalized-alpha",
    "bdf2",
    "bdf3",
    "rosenbrock2",
    "rosenbrock4-grk4t",
    "central-differences",
    "rk4",
    "rock2",
];

type Cost = fn(&Sample) -> f64;
const COSTS: [(&str, &str, Cost); 2] = [
    ("seconds", "time / s", |s| s.seconds),
    ("evaluations", "evaluations of the forces", |s| s.evaluations as f64),
];

fn picture(path: &Path, title: &str, lines: &[&Line], axis: &str, cost: Cost) -> Fallible<()> {
    // What grew beyond a body's size says only that it grew.
    let shown = |s: &Sample| s.error.filter(|e| *e < 10.0);
    let curve = |line: &&Line| Curve {
        name: line.name.clone(),
        points: line.samples.iter().filter_map(|s| Some([cost(s), shown(s)?])).collect(),
        marks: true,
        dashed: false,
    };
    let log = |label: &str| Axis { label: label.into(), log: true, range: None };
    let plot = Plot {
        title: title.into(),
        x: log(axis),
        y: log("error of positions (m) and velocities (m/s)"),
        curves: lines.iter().map(curve).filter(|c| !c.points.is_empty()).collect(),
    };
    std::fs::write(path, plot.svg_with_labels(860.0, 560.0))?;
    Ok(())
}

fn main() -> Fallible<()> {
    let arguments = arguments()?;
    let Arguments { folder, problem, budget, .. } = &arguments;
    std::fs::create_dir_all(folder)?;
    let clock = Instant::now();
    let reference = reference(*problem)?;
    let make = || -> Result<(System, State), DynamicsError> { problem.make() };
    let (system, _) = make()?;
    let moves = reference.x.iter().zip(system.rest()).map(|(&x, &rest)| norm(sub(x, rest)));
    println!(
        "reference in {:.1} s; vertices have moved by up to {:.2} mm",
        clock.elapsed().as_secs_f64(),
        1e3 * moves.fold(0.0, f64::max)
    );
    let symmetric = system.pattern().is_symmetric();
    let options = options(&arguments, symmetric);
    let clock_of_runs = arguments.clock;
    let task =
        Task { make: &make, end: problem.end(), clock: &clock_of_runs, reference: &reference };

    let mut lines = Vec::new();
    for &name in IntegratorName::ALL.iter().filter(|n| **n != IntegratorName::QuasiStatic) {
        match halve(&task, name, &options, *budget) {
            Ok(samples) => {
                lines.push(Line { name: name.name().into(), group: group(name), samples });
            }
            Err(error) => println!("{}: {error}", name.name()),
        }
        // Those that do not know their error say so, here as anywhere.
        if let Ok(samples) = tighten(&task, name, &options, *budget)
            && samples.iter().any(|s| s.error.is_some())
        {
            lines.push(Line { name: name.name().into(), group: "controlled", samples });
        }
    }

    let mut csv = String::from("group,integrator,setting,steps,seconds,evaluations,error\n");
    for line in &lines {
        let best = line.samples.iter().filter_map(|s| s.error).fold(f64::INFINITY, f64::min);
        println!(
            "{:18} {:26} {:2} runs, best {best:.1e}",
            line.group,
            line.name,
            line.samples.len()
        );
        for s in &line.samples {
            let error = s.error.map_or(String::new(), |e| format!("{e:.4e}"));
            writeln!(
                csv,
                "{},{},{:.6e},{},{:.6},{},{error}",
                line.group, line.name, s.setting, s.steps, s.seconds, s.evaluations
            )?;
        }
    }
    std::fs::write(folder.join(format!("{}-samples.csv", problem.name())), csv)?;
    for (suffix, axis, cost) in COSTS {
        for group in ["explicit", "implicit", "linearly-implicit", "controlled"] {
            let own: Vec<&Line> = lines.iter().filter(|l| l.group == group).collect();
            let title = format!("{group} methods: {}", problem.title());
            let path = folder.join(format!("{}-{group}-{suffix}.svg", problem.name()));
            picture(&path, &title, &own, axis, cost)?;
        }
        let chosen = |l: &&Line| l.group != "controlled" && CHOSEN.contains(&l.name.as_str());
        let own: Vec<&Line> = lines.iter().filter(chosen).collect();
        let path = folder.join(format!("{}-chosen-{suffix}.svg", problem.name()));
        picture(&path, problem.title(), &own, axis, cost)?;
    }
    println!("all in {:.0} s", clock.elapsed().as_secs_f64());
    Ok(())
}
