//! Speed of the geometry of contact on one thread, as JSON: nanoseconds for a distance with derivatives, queries of
//! continuous collision detection a second, milliseconds of the broad phase over 100,000 triangles. Best of several repetitions.
//! With `--save FOLDER` the surfaces of the broad phase and their motions are written too, for others to be measured on
//! (`benches/ipc_toolkit.py`).
//!
//! Sample run: `cargo run --release -p pliant-contact --example speed`

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use pliant_algebra::vec3::{Vec3, scale};
use pliant_contact::barrier::Barrier;
use pliant_contact::broad::BroadPhase;
use pliant_contact::ccd::{CcdParams, safe_time};
use pliant_contact::distance::Stencil;
use pliant_contact::surface::{BodySurface, CollisionSurface, VertexNodes};
use pliant_mesh::generate::surface_torus;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as f64 / 2_f64.powi(63) - 1.0
    }
    fn points(&mut self) -> [Vec3; 4] {
        std::array::from_fn(|_| std::array::from_fn(|_| self.symmetric()))
    }
}

/// Best time of `work`, s, over `repetitions`.
fn best(repetitions: usize, mut work: impl FnMut()) -> f64 {
    (0..repetitions).fold(f64::INFINITY, |best, _| {
        let start = Instant::now();
        work();
        best.min(start.elapsed().as_secs_f64())
    })
}

fn distances() {
    let mut random = Random(1);
    let samples: Vec<[Vec3; 4]> = (0..20_000).map(|_| random.points()).collect();
    for (name, stencil) in [("pt", Stencil::PointTriangle), ("ee", Stencil::EdgeEdge)] {
        for inside in [false, true] {
            let chosen: Vec<&[Vec3; 4]> = samples
                .iter()
                .filter(|x| !inside || stencil.closest(x).active == stencil)
                .take(1000)
                .collect();
            let each = |work: &dyn Fn(&[Vec3; 4])| {
                1e9 * best(200, || chosen.iter().for_each(|x| work(x))) / chosen.len() as f64
            };
            let closest = each(&|x| {
                black_box(stencil.closest(x));
            });
            let full = each(&|x| {
                let closest = stencil.closest(x);
                black_box(closest.gradient());
                black_box(closest.tangent(x, -1.0, 2.0));
            });
            let projected = each(&|x| {
                let closest = stencil.closest(x);
                let jet = Barrier::Log.jet(closest.distance, 4.0);
                black_box(closest.gradient());
                black_box(closest.projected_tangent(x, jet.first, jet.second));
            });
            let region = if inside { "inside" } else { "all" };
            println!(
                "  \"{name}_{region}\": {{ \"closest_ns\": {closest:.1}, \"derivatives_ns\": {full:.1}, \"projected_ns\": {projected:.1} }},"
            );
        }
    }
}

fn collisions() {
    let mut random = Random(2);
    for (name, reach) in [("short", 0.1), ("long", 2.0)] {
        for (kind, stencil) in [("pt", Stencil::PointTriangle), ("ee", Stencil::EdgeEdge)] {
            let motions: Vec<_> = (0..2000)
                .map(|_| (random.points(), random.points().map(|v| scale(v, reach))))
                .collect();
            let params = CcdParams::default();
            let time = best(100, || {
                for (x, by) in &motions {
                    black_box(safe_time(stencil, x, by, 1.0, &params));
                }
            });
            let advances: u32 = motions
                .iter()
                .map(|(x, by)| safe_time(stencil, x, by, 1.0, &params).iterations)
                .sum();
            println!(
                "  \"ccd_{kind}_{name}\": {{ \"millions_per_s\": {:.2}, \"mean_advances\": {:.2} }},",
                motions.len() as f64 / time / 1e6,
                f64::from(advances) / motions.len() as f64
            );
        }
    }
}

/// A torus of 100,000 triangles, smooth or with folds that touch.
fn torus(folds: f64) -> (CollisionSurface, Vec<Vec3>) {
    let mut mesh = surface_torus(1.0, 0.4, 500, 100).expect("valid numbers");
    let mut random = Random(3);
    for p in &mut mesh.vertices {
        let wave = (40.0 * p[0]).sin() + (37.0 * p[1]).sin() + (43.0 * p[2]).cos();
        *p = scale(*p, 1.0 + folds * wave);
        for c in p {
            *c += 0.05 * folds * random.symmetric();
        }
    }
    let nodes: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
    let mut surface = CollisionSurface::new();
    let body = BodySurface {
        rest: &mesh.vertices,
        triangles: &mesh.triangles,
        strands: &[],
        areas: None,
        two_sided: false,
        samples: &[],
        nodes: VertexNodes::Same(&nodes),
    };
    surface.add(&body).expect("a valid surface");
    (surface, mesh.vertices)
}

/// `motion` is the length of a random displacement of each vertex, m; edges are 13 to 40 mm long.
fn broad(name: &str, folds: f64, motion: f64, save: Option<&Path>, last: &str) {
    let (surface, y) = torus(folds);
    let mut random = Random(4);
    let by: Vec<Vec3> = y.iter().map(|_| scale(random.points()[0], motion)).collect();
    if let Some(folder) = save {
        write(&folder.join(name), &surface, &y, &by).expect("a folder that can be written to");
    }
    let by = (motion > 0.0).then_some(&by[..]);
    let mut broad = BroadPhase::new();
    broad.update(&surface, &y, by, 5e-4);
    let build = best(3, || {
        let mut broad = BroadPhase::new();
        broad.update(&surface, &y, by, 5e-4);
        black_box(&broad);
    });
    let (mut refit, mut points, mut edges) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let mut counts = [0; 2];
    for _ in 0..20 {
        refit = refit.min(best(1, || broad.update(&surface, &y, by, 5e-4)));
        points = points.min(best(1, || counts[0] = broad.point_triangle(|_, _| true).len()));
        edges = edges.min(best(1, || counts[1] = broad.edge_edge(|_, _| true).len()));
    }
    let ccd = by.map_or(0.0, |by| ccd_of_candidates(&surface, &mut broad, &y, by));
    println!(
        "  \"broad_{name}\": {{ \"triangles\": {}, \"build_ms\": {:.2}, \"refit_ms\": {:.2}, \"point_triangle_ms\": {:.2}, \"edge_edge_ms\": {:.2}, \"total_ms\": {:.2}, \"point_triangle_pairs\": {}, \"edge_edge_pairs\": {}, \"ccd_millions_per_s\": {:.2} }}{last}",
        surface.triangles().len(),
        1e3 * build,
        1e3 * refit,
        1e3 * points,
        1e3 * edges,
        1e3 * (refit + points + edges),
        counts[0],
        counts[1],
        ccd,
    );
}

/// Millions of times of impact a second, over all pairs that the broad phase names for the motion `by`.
fn ccd_of_candidates(
    surface: &CollisionSurface,
    broad: &mut BroadPhase,
    y: &[Vec3],
    by: &[Vec3],
) -> f64 {
    let points = broad.point_triangle(|_, _| true).to_vec();
    let edges = broad.edge_edge(|_, _| true).to_vec();
    let (triangles, ends) = (surface.triangles(), surface.edges());
    let stencils: Vec<(Stencil, [u32; 4])> = points
        .iter()
        .map(|&[p, t]| {
            let [a, b, c] = triangles[t as usize];
            (Stencil::PointTriangle, [p, a, b, c])
        })
        .chain(edges.iter().map(|&[e, f]| {
            let ([a, b], [c, d]) = (ends[e as usize], ends[f as usize]);
            (Stencil::EdgeEdge, [a, b, c, d])
        }))
        .collect();
    let params = CcdParams::default();
    let time = best(20, || {
        let mut least = 1.0_f64;
        for (stencil, vertices) in &stencils {
            let at = |from: &[Vec3]| vertices.map(|v| from[v as usize]);
            let found = safe_time(*stencil, &at(y), &at(by), least, &params);
            least = least.min(found.time);
        }
        black_box(least);
    });
    stencils.len() as f64 / time / 1e6
}

/// Vertices, their displacements and the triangles as raw little-endian numbers.
fn write(
    folder: &Path,
    surface: &CollisionSurface,
    y: &[Vec3],
    by: &[Vec3],
) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, vectors) in [("positions.f64", y), ("displacements.f64", by)] {
        let bytes: Vec<u8> = vectors.as_flattened().iter().flat_map(|c| c.to_le_bytes()).collect();
        std::fs::File::create(folder.join(name))?.write_all(&bytes)?;
    }
    let triangles = surface.triangles().as_flattened();
    let bytes: Vec<u8> = triangles.iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::File::create(folder.join("triangles.u32"))?.write_all(&bytes)
}

/// The folder behind `--save`, if it is given.
fn folder() -> Option<std::path::PathBuf> {
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--save" {
            return words.next().map(Into::into);
        }
    }
    None
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one");
    pool.install(|| {
        println!("{{");
        println!("  \"level\": \"{}\",", pliant_algebra::dispatch::Level::best().name());
        distances();
        collisions();
        let folder = folder();
        let save = folder.as_deref();
        broad("torus", 0.0, 0.0, save, ",");
        broad("crumpled", 0.02, 0.0, save, ",");
        broad("swept", 0.0, 2e-3, save, "");
        println!("}}");
    });
}
