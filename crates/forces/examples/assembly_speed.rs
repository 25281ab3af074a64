//! Nanoseconds per element of energy, force and stiffness, beside the limits of the machine, as JSON.
//! State: a box with a 90° twist and 10 % stretch along its longest axis.
//!
//! Sample run: `cargo run --release -p pliant-forces --example assembly_speed -- 1 14000 82000`
//! (threads, then numbers of tetrahedra)

#[path = "../tests/suite/common/laws.rs"]
mod laws;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use laws::{PlainNeoHookean, PlainStVK};
use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::Vec3;
use pliant_elements::{Element, Tet4};
use pliant_forces::{
    Ask, Configuration, ForceModel, Parameters, Partition, Slots, Solid, Workspace,
};
use pliant_materials::Law;
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::BoxShape;

/// Seconds of one run: the best of many. On a shared machine only the best tells about the code, and
/// only if a run is short beside the slices of time that the system deals out.
fn best(mut work: impl FnMut()) -> f64 {
    work();
    let mut best = f64::INFINITY;
    let start = Instant::now();
    let mut runs = 0;
    while runs < 10 || start.elapsed().as_secs_f64() < 2.0 {
        let begin = Instant::now();
        work();
        best = best.min(begin.elapsed().as_secs_f64());
        runs += 1;
    }
    best
}

/// GB/s of a = b + s c, counting three arrays.
fn triad(bytes: usize) -> f64 {
    use rayon::prelude::*;
    let n = bytes / 8;
    let (mut a, b, c) = (vec![0.0; n], vec![1.0; n], vec![2.0; n]);
    let piece = n / rayon::current_num_threads() + 1;
    let time = best(|| {
        a.par_chunks_mut(piece).zip(b.par_chunks(piece)).zip(c.par_chunks(piece)).for_each(
            |((a, b), c)| {
                for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                    *a = b + 3.0 * c;
                }
            },
        );
        black_box(&a);
    });
    3.0 * bytes as f64 / time * 1e-9
}

fn twisted(mesh: &VolumeMesh, partition: &Partition) -> Vec<Vec3> {
    let rest = partition.vertices().apply(&mesh.vertices);
    rest.iter()
        .map(|&[x, y, z]| {
            let angle = x * std::f64::consts::FRAC_PI_2;
            let (s, c) = angle.sin_cos();
            let (y, z) = (y - 0.5, z - 0.5);
            [1.1 * x, c * y - s * z, s * y + c * z]
        })
        .collect()
}

fn measure<E: Element<3, N>, L: Law, const N: usize>(
    mesh: &VolumeMesh,
    element: E,
    law: L,
) -> String {
    let build = Instant::now();
    let partition = match std::env::var("CHUNK").ok().and_then(|c| c.parse().ok()) {
        Some(size) => Partition::with_chunk_size(mesh, size),
        None => Partition::new(mesh),
    }
    .unwrap();
    let mut solid =
        Solid::new(mesh, &partition, element, Box::new(law), Parameters::Uniform(&[3.1e6, 3.4e5]))
            .unwrap();
    let n = mesh.vertex_count();
    let pattern = Arc::new(Pattern::symmetric(n, |couple| solid.couplings(couple)).unwrap());
    solid.bind(&Slots::new(&pattern, 0, "model")).unwrap();
    let build = build.elapsed().as_secs_f64();
    let x = twisted(mesh, &partition);
    let v = vec![[0.0; 3]; n];
    let state = Configuration::new(&x, &v, 0.0);
    let mut matrix = BlockMatrix::zero(pattern.clone());
    let mut g = vec![[0.0; 3]; n];
    let mut e = 0.0;
    let force = best(|| {
        g.fill([0.0; 3]);
        solid
            .evaluate(
                &state,
                &mut Ask { gradient: Some(&mut g), ..Ask::default() },
                &mut Workspace::new(),
            )
            .unwrap();
    });
    let energy = best(|| {
        solid
            .evaluate(
                &state,
                &mut Ask { energy: Some(&mut e), ..Ask::default() },
                &mut Workspace::new(),
            )
            .unwrap();
    });
    let both = best(|| {
        g.fill([0.0; 3]);
        matrix.clear();
        let mut ask = Ask {
            gradient: Some(&mut g),
            tangent: Some(&mut matrix.values),
            position_weight: 1.0,
            ..Ask::default()
        };
        solid.evaluate(&state, &mut ask, &mut Workspace::new()).unwrap();
    });
    let clear = best(|| matrix.values.fill(black_box([0.0; 9])));
    let mut product = Product::new(&pattern);
    let mut y = vec![[0.0; 3]; n];
    let spmv = best(|| product.apply(&matrix.values, &x, &mut y));
    let blocks = pattern.blocks() as f64;
    let bytes = blocks * 76.0 + n as f64 * (2.0 * 24.0 + 4.0);
    let cells = mesh.cell_count() as f64;
    let ns = |t: f64| t * 1e9 / cells;
    let shared = n as u32 - partition.first_shared();
    format!(
        "  {{\"law\": \"{}\", \"cells\": {cells}, \"vertices\": {n}, \"blocks\": {blocks}, \"chunks\": {}, \"shared\": {shared}, \"build_s\": {build:.2}, \"energy_ns\": {:.1}, \"force_ns\": {:.1}, \"force_and_stiffness_ns\": {:.1}, \"of_which_clearing\": {:.1}, \"spmv_ms\": {:.3}, \"spmv_gbs\": {:.2}}}",
        solid.name(),
        partition.chunks(),
        ns(energy),
        ns(force),
        ns(both),
        ns(clear),
        spmv * 1e3,
        bytes / spmv * 1e-9
    )
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|a| a.parse::<usize>().ok());
    let threads = arguments.next().unwrap_or(1);
    let mut sizes: Vec<usize> = arguments.collect();
    if sizes.is_empty() {
        sizes = vec![14_000, 82_000, 160_000, 1_000_000];
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        println!("{{\"threads\": {threads}, \"triad_memory_gbs\": {:.1}, \"triad_cache_gbs\": {:.1}, \"rows\": [", triad(160 << 20), triad(4 << 20));
        let mut rows = Vec::new();
        for size in sizes {
            // Six tetrahedra a cell unless the generator says otherwise.
            let side = ((size as f64 / 6.0).cbrt()).round() as usize;
            let mesh =
                BoxShape { cells: [side; 3], jitter: 0.3, cell: pliant_mesh::generate::CellChoice::Tet6, ..BoxShape::default() }
                    .generate()
                    .unwrap();
            rows.push(measure(&mesh, Tet4, PlainStVK));
            rows.push(measure(&mesh, Tet4, PlainNeoHookean));
        }
        println!("{}\n]}}", rows.join(",\n"));
    });
}
