//! After the first call nothing is allocated, on one thread and on several.

#[path = "suite/common/mod.rs"]
mod common;

use std::sync::Arc;

use common::laws::PlainNeoHookean;
use common::{deformed, irregular_box};
use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_elements::{Tet4, Tri3};
use pliant_forces::corotated::{CorotatedFixed, CorotatedLeast, FrameRule, FrameTangent};
use pliant_forces::damping::{LinearDamping, Viscous};
use pliant_forces::loads::{Faces, FieldLoad, Follower, LoadField, Pressure, TimeCurve};
use pliant_forces::obstacles::{Obstacle, Shape};
use pliant_forces::springs::{Attachments, DampingTangent, Springs, Stiffness, mesh_springs};
use pliant_forces::{
    Ask, Cells, Configuration, ElementMatrices, ForceModel, Membrane, Parameters, Partition,
    PolynomialStVenantKirchhoff, Slots, Solid, Workspace,
};
use pliant_mesh::VolumeMesh;
use pliant_test_support::{CountingAllocator, allocations};

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

/// The models, each with a matrix and a workspace of its own.
fn models(
    mesh: &VolumeMesh,
    partition: &Partition,
) -> Vec<(Box<dyn ForceModel>, BlockMatrix, Workspace)> {
    let lame = Parameters::Uniform(&[1.5, 1.0]);
    let exact = FrameTangent::Exact;
    let how = (FrameRule::LeastDisplacement, exact);
    let springs = mesh_springs(mesh, &Stiffness::Uniform(1.0)).unwrap();
    let n = mesh.vertex_count();
    let masses = vec![1.0; n];
    let polynomial = || PolynomialStVenantKirchhoff::new(mesh, partition, lame).unwrap();
    let rest = partition.vertices().apply(&mesh.vertices);
    let rest = Configuration::new(&rest, &rest, 0.0);
    let rayleigh = LinearDamping::rayleigh(&masses, 0.1, &mut polynomial(), &rest, 0.1);
    let triangles: Vec<[u32; 3]> = mesh.cells().map(|c| [c[0], c[1], c[2]]).collect();
    let vertices: Vec<u32> = (0..n as u32).collect();
    let curve = TimeCurve::Constant(1.0);
    let faces = Faces::Triangles(&triangles);
    let rising = LoadField::new(|x, t| x[0] + t, |_, _| 1.0);
    let turning = LoadField::new(|x, t| [x[1], t.cos(), t.sin()], |_, t| [0.0, -t.sin(), t.cos()]);
    let surface = Cells::new(triangles.as_flattened(), 3, &mesh.vertices);
    let on_surface = Partition::with_chunk_size(surface, 60).unwrap();
    let skin = Parameters::Uniform(&[2.0, 0.3, 0.01]);
    let springy: Vec<f64> =
        (0..81 * surface.len()).map(|k| f64::from(u8::from(k % 81 % 10 == 0))).collect();
    let models: Vec<Box<dyn ForceModel>> = vec![
        Box::new(Solid::new(mesh, partition, Tet4, Box::new(PlainNeoHookean), lame).unwrap()),
        Box::new(polynomial()),
        Box::new(CorotatedLeast::new(mesh, partition, lame, exact, &|_| true).unwrap()),
        Box::new(CorotatedFixed::new(mesh, partition, lame, &[0, 1, 2, 3, 4, 5], how).unwrap()),
        Box::new(Viscous::new(mesh, partition, Tet4, lame).unwrap()),
        Box::new(Springs::new(n, &springs, DampingTangent::Exact).unwrap()),
        Box::new(rayleigh.unwrap()),
        Box::new(Pressure::uniform(n, faces, 2.0, curve.clone()).unwrap()),
        Box::new(Pressure::field(rest.x, faces, &rising, curve.clone()).unwrap()),
        Box::new(Follower::field(rest.x, faces, 1.0, turning.clone(), curve.clone()).unwrap()),
        Box::new(FieldLoad::body(mesh, None, turning, curve).unwrap()),
        Box::new(Obstacle::new(Shape::floor(0.3), 5.0, 0.1, &vertices, n).unwrap()),
        Box::new(Attachments::pins(n, &[(3, [0.1; 3]), (9, [0.2; 3])], 4.0).unwrap()),
        Box::new(Membrane::new(surface, &on_surface, Tri3, skin).unwrap()),
        Box::new(ElementMatrices::<3>::new(surface, &on_surface, &springy).unwrap()),
    ];
    let bind = |mut model: Box<dyn ForceModel>| {
        let couplings = |couple: &mut dyn FnMut(u32, u32)| model.couplings(couple);
        let pattern = if model.character().symmetric {
            Pattern::symmetric(n, couplings)
        } else {
            Pattern::unsymmetric(n, couplings)
        };
        let pattern = Arc::new(pattern.unwrap());
        model.bind(&Slots::new(&pattern, 0, "model")).unwrap();
        (model, BlockMatrix::zero(pattern), Workspace::new())
    };
    models.into_iter().map(bind).collect()
}

#[test]
fn calls_after_the_first_allocate_nothing() {
    let mesh = irregular_box(4, [6, 5, 4]);
    let partition = Partition::with_chunk_size(&mesh, 60).unwrap();
    let x = deformed(&mesh, &partition, 0.01);
    let mut models = models(&mesh, &partition);
    let mut product = Product::new(models[0].1.pattern());
    let (mut energy, mut g, mut y) = (0.0, vec![[0.0; 3]; x.len()], vec![[0.0; 3]; x.len()]);
    let mut step = || {
        for (model, matrix, work) in &mut models {
            let mut ask = Ask {
                energy: model.character().is_conservative().then_some(&mut energy),
                gradient: Some(&mut g),
                tangent: Some(&mut matrix.values),
                position_weight: 1.0,
                velocity_weight: 0.5,
                ..Ask::default()
            };
            model.evaluate(&Configuration::new(&x, &x, 0.0), &mut ask, work).unwrap();
        }
        product.apply(&models[0].1.values, &x, &mut y);
    };
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        // A worker of the pool allocates when it starts and when it first looks for work, which may be
        // late on a busy machine: at most twice a worker, once. A call that allocates would do so in
        // every batch, so one batch without is the proof.
        let batch = |step: &mut (dyn FnMut() + Send)| {
            pool.install(|| {
                let before = allocations();
                for _ in 0..50 {
                    step();
                }
                allocations() - before
            })
        };
        pool.install(&mut step);
        let made: Vec<usize> = (0..5).map(|_| batch(&mut step)).collect();
        assert!(made.contains(&0), "{threads} threads: {made:?}");
        assert!(made.iter().sum::<usize>() <= 2 * threads, "{threads} threads: {made:?}");
    }
}
