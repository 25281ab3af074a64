//! After the first steps nothing is allocated, on one thread and on several.

#[path = "suite/common/mod.rs"]
mod common;

use common::Body;
use pliant_dynamics::{IntegratorName, Options, Role, StepControl};
use pliant_forces::damping::LinearDamping;
use pliant_forces::solid::solid;
use pliant_forces::{ElementName, ForceModel, Parameters};
use pliant_materials::Material;
use pliant_materials::maxwell::{Branch, Interpolation, Maxwell};
use pliant_solvers::{Choice, SolverName};
use pliant_test_support::{CountingAllocator, allocations};

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

/// Steps until there is no doubt, on one thread and on two.
fn check(name: IntegratorName, options: &Options, what: &str) {
    let body = Body::bar("neo-hookean", [6, 2, 2], 0.4);
    check_body(body, name, options, what);
}

fn check_body(body: Body, name: IntegratorName, options: &Options, what: &str) {
    let mut body = body.with_gravity([0.0, -9.81, 0.0]).clamped();
    if name != IntegratorName::Verlet {
        let damping = LinearDamping::mass_proportional(&body.masses, 0.5).unwrap();
        body = body.with_model(Role::Damping, Box::new(damping)).damped(1e-5);
    }
    let (mut system, mut state) = body.system();
    let mut integrator = name.build(options).unwrap();
    let mut step = || integrator.step(&mut system, &mut state, 0.002).map(drop).unwrap();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (0..8).for_each(|_| step()));
        // A worker of the pool allocates when it first looks for work, which may be late: a
        // step that allocates would do so in every batch, so one batch without is the proof.
        let made: Vec<usize> = (0..4)
            .map(|_| {
                pool.install(|| {
                    let before = allocations();
                    (0..5).for_each(|_| step());
                    allocations() - before
                })
            })
            .collect();
        assert!(made.contains(&0), "{} with {what}, {threads} threads: {made:?}", name.name());
    }
}

#[test]
fn steps_after_the_first_allocate_nothing() {
    for solver in [SolverName::Cholesky, SolverName::Cg] {
        let options =
            Options { solver: Choice { solver, ..Choice::default() }, ..Options::default() };
        for &name in IntegratorName::ALL {
            check(name, &options, solver.name());
        }
    }
    use IntegratorName as I;
    for tolerance in [1e-3, 1e-9] {
        let control = Some(StepControl::with_tolerance(tolerance));
        for name in [I::DormandPrince5, I::DormandPrince853, I::Rkc2] {
            check(name, &Options { control, ..Options::default() }, "step control");
        }
    }
    check_memory();
}

/// Materials that remember. Allocations are counted for the whole program: one test at a time.
fn check_memory() {
    use IntegratorName as I;
    for interpolation in [Interpolation::Linear, Interpolation::Cubic] {
        for name in [I::BackwardEuler, I::ImplicitMidpoint, I::Bdf3, I::Rosenbrock2, I::Rk4] {
            let mut body = Body::bar("neo-hookean", [6, 2, 2], 0.4);
            let branches = [(0.01, 0.5), (0.1, 0.4), (1.0, 0.3)];
            let branches = branches.map(|(time, strength)| Branch { time, strength });
            let maxwell = Maxwell::new(&branches).unwrap().with_interpolation(interpolation);
            let law = Material::by_name("neo-hookean").unwrap().point();
            let (mesh, partition) = (&body.mesh, &body.partition);
            let (tet, given) = (ElementName::Tet4, Parameters::Uniform(&[1e4, 3e3]));
            let mut model = solid(mesh, partition, tet, law, given, &|_| true).unwrap();
            model.remember(&maxwell).unwrap();
            body.models = vec![(Role::Elastic, model as Box<dyn ForceModel>)];
            check_body(body, name, &Options::default(), "memory");
        }
    }
}
