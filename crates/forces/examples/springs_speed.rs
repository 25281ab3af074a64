//! Nanoseconds per tetrahedron of the springs on the edges of a mesh, as JSON.
//! State: a box with a 90° twist and 10 % stretch along its longest axis, in the numbering of a partition.
//!
//! Sample run: `cargo run --release -p pliant-forces --example springs_speed -- 1 14000 82000`
//! (threads, then numbers of tetrahedra)

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_forces::springs::{DampingTangent, Springs, Stiffness, mesh_springs};
use pliant_forces::{Ask, Configuration, ForceModel, Partition, Slots, Workspace};
use pliant_mesh::generate::{BoxShape, CellChoice};

/// Seconds of one run: the best of many, as a shared machine only slows code down.
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

fn twisted([x, y, z]: Vec3) -> Vec3 {
    let (s, c) = (x * std::f64::consts::FRAC_PI_2).sin_cos();
    let (y, z) = (y - 0.5, z - 0.5);
    [1.1 * x, c * y - s * z, s * y + c * z]
}

fn measure(size: usize) -> String {
    let side = (size as f64 / 6.0).cbrt().round() as usize;
    let shape =
        BoxShape { cells: [side; 3], jitter: 0.3, cell: CellChoice::Tet6, ..BoxShape::default() };
    let mesh = shape.generate().unwrap();
    let partition = Partition::new(&mesh).unwrap();
    let new = partition.vertices().old_to_new();
    let mut springs = mesh_springs(&mesh, &Stiffness::VanGelder(vec![1e6])).unwrap();
    for spring in &mut springs {
        spring.ends = spring.ends.map(|v| new[v as usize]);
    }
    let n = mesh.vertex_count();
    let mut model = Springs::new(n, &springs, DampingTangent::Exact).unwrap();
    let pattern = Arc::new(Pattern::symmetric(n, |couple| model.couplings(couple)).unwrap());
    model.bind(&Slots::new(&pattern, 0, "model")).unwrap();
    let rest = partition.vertices().apply(&mesh.vertices);
    let x: Vec<Vec3> = rest.iter().map(|&p| twisted(p)).collect();
    let state = Configuration::new(&x, &x, 0.0);
    let mut matrix = BlockMatrix::zero(pattern.clone());
    let (mut e, mut g) = (0.0, vec![[0.0; 3]; n]);
    let energy = best(|| {
        model
            .evaluate(
                &state,
                &mut Ask { energy: Some(&mut e), ..Ask::default() },
                &mut Workspace::new(),
            )
            .unwrap();
    });
    let force = best(|| {
        g.fill([0.0; 3]);
        model
            .evaluate(
                &state,
                &mut Ask { gradient: Some(&mut g), ..Ask::default() },
                &mut Workspace::new(),
            )
            .unwrap();
    });
    let clear = best(|| matrix.values.fill(black_box([0.0; 9])));
    let mut both = |first: &dyn Fn(&mut BlockMatrix)| {
        best(|| {
            g.fill([0.0; 3]);
            first(&mut matrix);
            let mut ask = Ask {
                gradient: Some(&mut g),
                tangent: Some(&mut matrix.values),
                position_weight: 1.0,
                ..Ask::default()
            };
            model.evaluate(&state, &mut ask, &mut Workspace::new()).unwrap();
        })
    };
    let (added, cleared) = (both(&|_| ()), both(&BlockMatrix::clear));
    let ns = |t: f64| t * 1e9 / mesh.cell_count() as f64;
    format!(
        "  {{\"cells\": {}, \"springs\": {}, \"energy_ns\": {:.1}, \"force_ns\": {:.1}, \"force_and_stiffness_ns\": {:.1}, \"clearing_ns\": {:.1}, \"cleared_force_and_stiffness_ns\": {:.1}}}",
        mesh.cell_count(),
        springs.len(),
        ns(energy),
        ns(force),
        ns(added),
        ns(clear),
        ns(cleared)
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
        let rows: Vec<String> = sizes.into_iter().map(measure).collect();
        println!("{{\"threads\": {threads}, \"rows\": [\n{}\n]}}", rows.join(",\n"));
    });
}
