//! Two ways to rest compared: nonlinear conjugate gradients and dynamic relaxation on the soft rod of
//! Nienhuys (figures 4.7 to 4.15, table 4.4).
//!
//! cargo run --release -p pliant-dynamics --example relaxation -- FOLDER [small]
//!
//! Writes one picture a figure, all samples as `samples.csv` and the dampings as `damping.csv`. Costs are
//! operations as he counted them (table 4.3) and seconds of this machine. With `small` the large mesh is left
//! out.

mod rod;

use std::fmt::Write as _;
use std::path::PathBuf;

use pliant_algebra::vec3::{Vec3, lerp, norm, sub};
use pliant_draw::plot::{Axis, Curve, Plot};
use pliant_dynamics::{
    CgSearch, Damper, DynamicRelaxation, DynamicRelaxationSettings, NonlinearCg,
    NonlinearCgSettings, NonlinearSolver, TruncatedNewton, TruncatedNewtonSettings,
};
use pliant_mesh::VolumeMesh;
use rod::{Exact, Fallible, LARGE, LAWS, Law, Rest, Rod, SMALL, Sample, mesh};

/// Where results go.
struct Output {
    folder: PathBuf,
    samples: String,
    dampings: String,
}

/// A run and its name.
type Run = (String, Vec<Sample>);

impl Output {
    /// Energy errors over operations and over seconds.
    fn figure(&mut self, file: &str, title: &str, runs: &[Run]) -> Fallible<()> {
        let error = |s: &Sample| s.energy_error;
        self.plot(file, title, "energy error / J", runs, error)
    }

    fn plot(
        &mut self,
        file: &str,
        title: &str,
        label: &str,
        runs: &[Run],
        value: impl Fn(&Sample) -> f64,
    ) -> Fallible<()> {
        for (name, samples) in runs {
            for s in samples {
                let Sample { flops, seconds, energy_error, residual } = s;
                writeln!(
                    self.samples,
                    "{file},{name},{flops},{seconds:.6},{energy_error:.6e},{residual:.6e}"
                )?;
            }
        }
        type Cost = fn(&Sample) -> f64;
        let costs: [(&str, &str, Cost); 2] = [
            ("mflop", "operations / 10⁶", |s| s.flops / 1e6),
            ("seconds", "time / s", |s| s.seconds),
        ];
        for (suffix, axis, cost) in costs {
            let curve = |(name, samples): &Run| Curve {
                name: name.clone(),
                points: samples.iter().map(|s| [cost(s), value(s)]).collect(),
                ..Curve::default()
            };
            let plot = Plot {
                title: title.to_owned(),
                x: Axis { label: axis.to_owned(), ..Axis::default() },
                y: Axis { label: label.to_owned(), log: true, range: None },
                curves: runs.iter().map(curve).collect(),
            };
            let path = self.folder.join(format!("{file}-{suffix}.svg"));
            std::fs::write(path, plot.svg(820.0, 460.0))?;
        }
        for (name, samples) in runs {
            let (first, last) = (samples.first(), samples.last());
            if let (Some(first), Some(last)) = (first, last) {
                // Where the error has fallen by four decades for good.
                let enough = 1e-4 * first.energy_error;
                let until = samples.iter().rposition(|s| s.energy_error > enough).unwrap_or(0);
                let there = samples[(until + 1).min(samples.len() - 1)];
                println!(
                    "{file:18} {name:32} {:6} evaluations, 1e-4 after {:9.1} Mflop, {:7.3} s; all {:9.1} Mflop",
                    samples.len(),
                    there.flops / 1e6,
                    there.seconds,
                    last.flops / 1e6
                );
            }
        }
        Ok(())
    }
}

/// As he found it: nonlinear CG to 10⁻², then truncated Newton to 10⁻⁸ (10⁻¹² where all is linear).
fn solution(rod: &mut Rod) -> Fallible<Exact> {
    let mut x = rod.system.rest().to_vec();
    let tolerance = if rod.law.name == "linear" { 1e-12 } else { 1e-8 };
    let mut problem = Rest::new(rod, None);
    let rough = NonlinearCgSettings { force_tolerance: 1e-2, ..NonlinearCgSettings::default() };
    NonlinearCg::new(rough)?.solve(&mut problem, x.as_flattened_mut())?;
    let fine = TruncatedNewtonSettings {
        force_tolerance: tolerance,
        ..TruncatedNewtonSettings::default()
    };
    TruncatedNewton::new(fine)?.solve(&mut problem, x.as_flattened_mut())?;
    Ok(problem.exact_at(x)?)
}

/// A run from rest until |r| is 10⁻⁵ of the weight.
fn run(rod: &mut Rod, exact: &mut Exact, solver: &mut dyn NonlinearSolver) -> Vec<Sample> {
    let mut x = rod.system.rest().to_vec();
    let mut problem = Rest::new(rod, Some(exact));
    if let Err(e) = solver.solve(&mut problem, x.as_flattened_mut()) {
        println!("{e}");
    }
    problem.trace
}

const TOLERANCE: f64 = 1e-5;

fn cg(search: CgSearch, search_tolerance: f64) -> Fallible<NonlinearCg> {
    let settings = NonlinearCgSettings {
        search,
        search_tolerance,
        force_tolerance: TOLERANCE,
        ..NonlinearCgSettings::default()
    };
    Ok(NonlinearCg::new(settings)?)
}

fn relaxation(rod: &Rod, damper: Damper) -> Fallible<DynamicRelaxation> {
    let settings = DynamicRelaxationSettings {
        damper,
        masses: Some(rod.masses.clone()),
        force_tolerance: TOLERANCE,
        absolute_force: 0.0,
        max_iterations: 20_000,
    };
    Ok(DynamicRelaxation::new(settings)?)
}

/// Steps to rest for each damping: the best of them, 1/s, and what is found on the way.
fn scan(rod: &mut Rod, output: &mut Output, what: &str) -> Fallible<f64> {
    let mut steps = |damper: Damper| -> Fallible<(usize, f64)> {
        let mut x = rod.system.rest().to_vec();
        let mut solver = relaxation(rod, damper)?;
        let report = solver.solve(&mut Rest::new(rod, None), x.as_flattened_mut());
        Ok((report.map_or(usize::MAX, |r| r.iterations), solver.damping()))
    };
    let mut best = (usize::MAX, 0.0);
    for k in 0..22 {
        let eta = 8.0 * 1.1_f64.powi(k);
        best = best.min_by_steps((steps(Damper::Fixed(eta))?.0, eta));
    }
    let (automatic, found) = steps(Damper::Automatic)?;
    let kinetic = match steps(Damper::Kinetic)?.0 {
        usize::MAX => "not there".to_owned(),
        steps => steps.to_string(),
    };
    println!(
        "{what:44} best η {:5.1}/s in {} steps; found {found:5.1}/s in {automatic}; kinetic damping {kinetic}; Nienhuys: {}/s",
        best.1, best.0, rod.law.damping
    );
    writeln!(
        output.dampings,
        "{what},{},{},{found},{automatic},{kinetic},{}",
        best.1, best.0, rod.law.damping
    )?;
    Ok(best.1)
}

trait BySteps {
    fn min_by_steps(self, other: Self) -> Self;
}

impl BySteps for (usize, f64) {
    fn min_by_steps(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }
}

/// CG with secants, and relaxation with the best damping, two thirds and three halves of it, and its own.
fn compare(rod: &mut Rod, exact: &mut Exact, eta: f64) -> Fallible<Vec<Run>> {
    let mut runs =
        vec![("static, secant".to_owned(), run(rod, exact, &mut cg(CgSearch::Secant, 0.1)?))];
    for (name, damper) in [
        (format!("dynamic, η = {eta:.1}/s"), Damper::Fixed(eta)),
        (format!("dynamic, η = {:.1}/s", eta * 2.0 / 3.0), Damper::Fixed(eta * 2.0 / 3.0)),
        (format!("dynamic, η = {:.1}/s", eta * 1.5), Damper::Fixed(eta * 1.5)),
        ("dynamic, η found".to_owned(), Damper::Automatic),
    ] {
        let mut solver = relaxation(rod, damper)?;
        runs.push((name, run(rod, exact, &mut solver)));
    }
    Ok(runs)
}

/// The same mesh with one vertex moved next to another, without inverting a cell.
fn with_short_edge(mesh: &VolumeMesh) -> Option<VolumeMesh> {
    let middle = mesh.vertices.iter().map(|x| x[2]).fold(0.0, f64::max) / 2.0;
    let mut order: Vec<usize> = (0..mesh.cell_count()).collect();
    let centre = |c: usize| mesh.cell(c).iter().map(|&v| mesh.vertices[v as usize][2]).sum::<f64>();
    order.sort_by(|&a, &b| {
        (centre(a) - 4.0 * middle).abs().total_cmp(&(centre(b) - 4.0 * middle).abs())
    });
    for c in order {
        for &a in mesh.cell(c) {
            for &b in mesh.cell(c).iter().filter(|&&b| b != a) {
                let (from, to): (Vec3, Vec3) =
                    (mesh.vertices[a as usize], mesh.vertices[b as usize]);
                let mut short = mesh.clone();
                short.vertices[a as usize] = lerp(from, to, 0.97);
                let whole = (0..short.cell_count()).all(|c| short.cell_volume(c) > 0.0);
                if whole && norm(sub(from, to)) > 0.0 {
                    return Some(short);
                }
            }
        }
    }
    None
}

fn study(output: &mut Output, with_large: bool) -> Fallible<()> {
    let small = mesh(SMALL)?;
    let [linear, stvk, neo, veronda] = LAWS;
    let materials: [(&str, Law, f64, &str); 5] = [
        ("figure-4.10", linear, 1e4, "linear"),
        ("figure-4.12", stvk, 1e4, "St. Venant-Kirchhoff"),
        ("figure-4.13", Law { damping: 27.0, ..stvk }, 2e4, "St. Venant-Kirchhoff, E = 20 kPa"),
        ("figure-4.9-small", neo, 1e4, "neo-Hookean"),
        ("figure-4.11", veronda, 1e4, "Veronda-Westmann"),
    ];
    for (file, law, young, title) in materials {
        let mut rod = Rod::new(&small, law, young)?;
        let mut exact = solution(&mut rod)?;
        let eta = scan(&mut rod, output, title)?;
        let runs = compare(&mut rod, &mut exact, eta)?;
        output.figure(file, title, &runs)?;
        if file == "figure-4.9-small" {
            let title = "neo-Hookean, residual";
            output.plot("figure-4.14", title, "|r| / |f|", &runs, |s| s.residual)?;
        }
        if file == "figure-4.11" {
            let mut runs = Vec::new();
            for (name, search) in [
                ("Newton", CgSearch::Newton),
                ("secant", CgSearch::Secant),
                ("scale-dependent secant", CgSearch::ScaleDependentSecant),
            ] {
                runs.push((name.to_owned(), run(&mut rod, &mut exact, &mut cg(search, 0.1)?)));
            }
            output.figure("figure-4.7", "Veronda-Westmann, line searches", &runs)?;
            runs.clear();
            for tolerance in [0.5, 0.1, 0.01, 0.001] {
                let mut solver = cg(CgSearch::Newton, tolerance)?;
                runs.push((format!("ε = {tolerance}"), run(&mut rod, &mut exact, &mut solver)));
            }
            output.figure(
                "figure-4.8",
                "Veronda-Westmann, tolerance of Newton line search",
                &runs,
            )?;
        }
    }
    if with_large {
        let mut rod = Rod::new(&mesh(LARGE)?, neo, 1e4)?;
        let mut exact = solution(&mut rod)?;
        let eta = scan(&mut rod, output, "neo-Hookean, large mesh")?;
        let runs = compare(&mut rod, &mut exact, eta)?;
        output.figure("figure-4.9-large", "neo-Hookean, large mesh", &runs)?;
    }
    if let Some(short) = with_short_edge(&small) {
        let mut rod = Rod::new(&short, neo, 1e4)?;
        let mut exact = solution(&mut rod)?;
        let eta = scan(&mut rod, output, "neo-Hookean, one short edge")?;
        let runs = compare(&mut rod, &mut exact, eta)?;
        output.figure("figure-4.15", "neo-Hookean, one short edge", &runs)?;
    }
    Ok(())
}

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        return Err("usage: relaxation FOLDER [small]".into());
    };
    std::fs::create_dir_all(&folder)?;
    let mut output = Output {
        folder,
        samples: "figure,run,flops,seconds,energy_error_J,relative_residual\n".into(),
        dampings:
            "case,best_damping_1/s,best_steps,found_damping_1/s,found_steps,kinetic_steps,nienhuys_1/s\n"
                .into(),
    };
    study(&mut output, arguments.next().as_deref() != Some("small"))?;
    std::fs::write(output.folder.join("samples.csv"), &output.samples)?;
    std::fs::write(output.folder.join("damping.csv"), &output.dampings)?;
    Ok(())
}
