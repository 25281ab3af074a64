//! Set-up and solve of iterative solvers on M + h² K of elastic boxes, as JSON.
//! Young 1 MPa (or the variable YOUNG), Poisson 0.45, density 1000, h = 0.01; unit cubes and bars 4:1:1.
//!
//! Sample run: `cargo run --release -p pliant-solvers --example iterative_speed -- 1 cube ic0 4000 19000 47000`
//! (threads, cube or bar, preconditioners, numbers of vertices)

#[path = "../tests/suite/iterative_common/mod.rs"]
mod common;

use std::sync::OnceLock;
use std::time::Instant;

use common::{Body, Matter, RUBBER, box_mesh, random_vector};
use pliant_solvers::iterative::{PreconditionerName, Settings};

/// Seconds; with the variable CPU, those the processor spent on this thread (Linux), which on a
/// crowded machine tell more about one thread.
fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let spent = std::env::var_os("CPU")
        .and_then(|_| std::fs::read_to_string("/proc/thread-self/schedstat").ok())
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    spent.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

fn main() {
    let mut threads = 1;
    let (mut names, mut sizes, mut bar) = (Vec::new(), Vec::new(), false);
    for (k, argument) in std::env::args().skip(1).enumerate() {
        match (argument.parse::<usize>(), argument.parse::<PreconditionerName>()) {
            (Ok(n), _) if k == 0 => threads = n,
            (Ok(n), _) => sizes.push(n),
            (_, Ok(name)) => names.push(name),
            _ if argument == "bar" => bar = true,
            _ if argument == "cube" => bar = false,
            (_, Err(error)) => {
                eprintln!("{error}");
                return;
            }
        }
    }
    if names.is_empty() {
        names = PreconditionerName::ALL.to_vec();
    }
    if sizes.is_empty() {
        sizes = vec![4_000, 19_000, 47_000];
    }
    let young = std::env::var("YOUNG").ok().and_then(|y| y.parse().ok()).unwrap_or(1e6);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        for &size in &sizes {
            let body = body(size, bar, Matter { young, ..RUBBER });
            let matrix = body.implicit(0.01);
            let b = random_vector(body.len(), 1);
            for &name in &names {
                // The best of several: on a shared machine only the best tells about the code.
                let (mut analyze, mut factor, mut solve) = (f64::MAX, f64::MAX, f64::MAX);
                let mut told = String::new();
                for _ in 0..5 {
                    let settings = Settings { tolerance: 1e-6, ..Settings::default() };
                    let mut solver = name.cg(settings).unwrap();
                    let mut x = vec![[0.0; 3]; b.len()];
                    let mut lap = seconds();
                    let mut ms = || {
                        let now = seconds();
                        1e3 * (now - std::mem::replace(&mut lap, now))
                    };
                    solver.analyze(&body.pattern, &body.layout()).unwrap();
                    analyze = ms().min(analyze);
                    let done = solver.factor(&matrix);
                    factor = ms().min(factor);
                    let report = done.and_then(|()| solver.solve(&matrix, &b, &mut x));
                    solve = ms().min(solve);
                    told = match report {
                        Ok(r) => format!(
                            "\"iterations\": {}, \"residual\": {:.2e}, \"mb\": {:.1}",
                            r.iterations,
                            r.relative_residual,
                            solver.memory() as f64 * 1e-6
                        ),
                        Err(error) => format!("\"error\": \"{error}\""),
                    };
                }
                println!(
                    "{{\"shape\": \"{}\", \"vertices\": {}, \"threads\": {threads}, \"preconditioner\": \"{}\", \"analyze_ms\": {analyze:.2}, \"factor_ms\": {factor:.2}, \"solve_ms\": {solve:.2}, {told}}}",
                    if bar { "bar" } else { "cube" },
                    body.len(),
                    name.name(),
                );
            }
        }
    });
}

fn body(vertices: usize, bar: bool, matter: Matter) -> Body {
    let aspect = if bar { 4.0 } else { 1.0 };
    let side = (vertices as f64 / aspect).cbrt().round() as usize;
    let along = (aspect * side as f64).round() as usize;
    let cells = [along - 1, side - 1, side - 1];
    Body::new(&box_mesh([1.0, 1.0 / aspect, 1.0 / aspect], cells, 0.3), matter)
}
