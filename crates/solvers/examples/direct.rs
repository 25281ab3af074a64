//! Analysis, factorisation and solution of M + h²K on bars and cubes, one line of JSON each, with faer's
//! own supernodal Cholesky beside it.
//!
//! `cargo run --release -p pliant-solvers --example direct -- [SIZE…] [--threads N] [--ordering NAME] [--faer]`
//! where SIZE is 4k, 19k or 47k.

#[path = "../tests/suite/direct_common/mod.rs"]
mod direct_common;

use std::time::Instant;

use direct_common::{System, elasticity, random_vector, tetrahedra};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, Mat, Par, Side};
use pliant_algebra::sparse::BlockMatrix;
use pliant_solvers::BlockSolver;
use pliant_solvers::direct::Cholesky;
use pliant_solvers::ordering::{OrderingName, order};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |key: &str| {
        arguments.iter().position(|a| a == key).and_then(|at| arguments.get(at + 1)).cloned()
    };
    let threads: usize = value("--threads").map_or(1, |t| t.parse().expect("a number of threads"));
    let ordering: OrderingName =
        value("--ordering").map_or(OrderingName::Metis, |o| o.parse().expect("an ordering"));
    let all = [
        ("bar 4k", [56, 8, 8]),
        ("cube 4k", [15, 15, 15]),
        ("bar 19k", [150, 10, 10]),
        ("cube 19k", [26, 26, 26]),
        ("bar 47k", [230, 13, 13]),
        ("cube 47k", [35, 35, 35]),
    ];
    let asked = |name: &str| arguments.iter().any(|a| name.ends_with(a.as_str()) || name == a);
    let any = all.iter().any(|(name, _)| asked(name));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    for (name, cells) in all.into_iter().filter(|(name, _)| !any || asked(name)) {
        let system = tetrahedra(cells, 0.01, 0.1, 7);
        let matrix = elasticity(&system, 1.0, 1e-4);
        pool.install(|| ours(name, &system, &matrix, ordering, threads));
        if arguments.iter().any(|a| a == "--faer") {
            pool.install(|| fears(name, &system, &matrix, ordering, threads));
        }
    }
}

/// Time this thread was on a processor, ms, where the system tells: steadier on a busy machine, and
/// right for one thread only.
fn cpu_ms() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(stat.split(' ').next()?.parse::<f64>().ok()? * 1e-6)
}

/// The least of several times, ms.
fn best(times: usize, mut work: impl FnMut()) -> f64 {
    (0..times)
        .map(|_| {
            let (start, cpu) = (Instant::now(), cpu_ms());
            work();
            let wall = start.elapsed().as_secs_f64() * 1e3;
            match (std::env::var_os("CPU_TIME"), cpu, cpu_ms()) {
                (Some(_), Some(from), Some(to)) => to - from,
                _ => wall,
            }
        })
        .fold(f64::INFINITY, f64::min)
}

fn ours(name: &str, system: &System, matrix: &BlockMatrix, ordering: OrderingName, threads: usize) {
    let n = matrix.rows();
    let mut solver = Cholesky::new(ordering);
    let ordering_ms = best(1, || drop(order(ordering, &system.pattern, &system.layout())));
    let analyze = best(1, || solver.analyze(&system.pattern, &system.layout()).expect("analysis"));
    let times = if n > 10_000 { 5 } else { 40 };
    let first = best(1, || solver.factor(matrix).expect("factor"));
    let factor = best(times, || solver.factor(matrix).expect("factor")).min(first);
    let b = random_vector(n, 3);
    let mut x = vec![[0.0; 3]; n];
    let mut residual = 0.0;
    let solve = best(2 * times, || {
        residual = solver.solve(matrix, &b, &mut x).expect("solve").relative_residual;
    });
    let s = solver.statistics().expect("statistics");
    println!(
        "{{\"system\":\"{name}\",\"solver\":\"cholesky\",\"ordering\":\"{ordering}\",\"threads\":{threads},\"vertices\":{n},\"order_ms\":{ordering_ms:.2},\"analyze_ms\":{analyze:.2},\"factor_ms\":{factor:.2},\"first_factor_ms\":{first:.2},\"solve_ms\":{solve:.3},\"residual\":{residual:.2e},\"nonzeros\":{},\"stored\":{},\"gflop\":{:.3},\"gflops\":{:.2},\"memory_mb\":{:.1},\"supernodes\":{},\"widest\":{},\"tasks\":{}}}",
        s.nonzeros,
        s.stored,
        s.flops * 1e-9,
        s.flops * 1e-6 / factor,
        s.memory as f64 * 1e-6,
        s.supernodes,
        s.widest,
        s.tasks
    );
}

fn fears(
    name: &str,
    system: &System,
    matrix: &BlockMatrix,
    ordering: OrderingName,
    threads: usize,
) {
    let par = if threads > 1 { Par::rayon(threads) } else { Par::Seq };
    let csr = matrix.to_csr();
    let n = 3 * matrix.rows();
    let offsets: Vec<u32> = csr.offsets.iter().map(|&o| o as u32).collect();
    // Rows of a symmetric matrix are its columns; the upper triangle of rows is the lower of columns.
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, &offsets, None, &csr.columns);
    let a = SparseColMatRef::new(pattern, &csr.values);
    let vertices = order(ordering, &system.pattern, &system.layout()).expect("order");
    let forward: Vec<u32> = vertices.iter().flat_map(|&v| [3 * v, 3 * v + 1, 3 * v + 2]).collect();
    let mut inverse = vec![0_u32; n];
    for (new, &old) in forward.iter().enumerate() {
        inverse[old as usize] = new as u32;
    }
    let perm = PermRef::new_checked(&forward, &inverse, n);
    let mut symbolic = None;
    let analyze = best(1, || {
        symbolic = factorize_symbolic_cholesky(
            pattern,
            Side::Lower,
            SymmetricOrdering::Custom(perm),
            CholeskySymbolicParams::default(),
        )
        .ok();
    });
    let symbolic = symbolic.expect("symbolic");
    let mut values = vec![0.0; symbolic.len_val()];
    let mut memory =
        MemBuffer::new(symbolic.factorize_numeric_llt_scratch::<f64>(par, faer::Spec::default()));
    let times = if n > 30_000 { 5 } else { 40 };
    let factor = best(times, || {
        symbolic
            .factorize_numeric_llt(
                &mut values,
                a,
                Side::Lower,
                LltRegularization::default(),
                par,
                MemStack::new(&mut memory),
                faer::Spec::default(),
            )
            .expect("factor");
    });
    let mut memory = MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(1, par));
    let mut x = Mat::<f64>::from_fn(n, 1, |i, _| (i as f64).sin());
    let solve = best(2 * times, || {
        LltRef::new(&symbolic, &values).solve_in_place_with_conj(
            Conj::No,
            x.as_mut(),
            par,
            MemStack::new(&mut memory),
        );
    });
    println!(
        "{{\"system\":\"{name}\",\"solver\":\"faer llt\",\"ordering\":\"{ordering}\",\"threads\":{threads},\"vertices\":{},\"analyze_ms\":{analyze:.2},\"factor_ms\":{factor:.2},\"solve_ms\":{solve:.3},\"stored\":{}}}",
        n / 3,
        values.len()
    );
}
