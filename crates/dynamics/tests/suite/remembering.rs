//! Bodies that remember, under every method: one degree of freedom with a closed form, momenta, creep, checkpoints.

use crate::common;

use common::{Body, strict};
use pliant_algebra::vec3::{norm, sub};
use pliant_dynamics::{
    Adaptive, Constraints, DynamicsError, IntegratorName, LoadRule, Mass, Role, State,
    StaticOptions, StepControl, System,
};
use pliant_forces::solid::solid;
use pliant_forces::{ElementName, ForceModel, Parameters, Partition};
use pliant_materials::Material;
use pliant_materials::maxwell::{Branch, Interpolation, Maxwell, Start};
use pliant_mesh::generate::{BoxShape, CellChoice};

use IntegratorName as I;

fn maxwell(list: &[(f64, f64)]) -> Maxwell {
    let list: Vec<_> = list.iter().map(|&(time, strength)| Branch { time, strength }).collect();
    Maxwell::new(&list).unwrap()
}

/// A cube of 1 m that is held on one side, of mass 1 kg at the other, with k = 100 N/m after a long time.
fn oscillator(branches: &Maxwell, u: f64) -> (System, State) {
    let shape =
        BoxShape { size: [1.0; 3], cells: [1; 3], cell: CellChoice::Hex, ..BoxShape::default() };
    let mesh = shape.generate().unwrap();
    let partition = Partition::new(&mesh).unwrap();
    let law = Material::by_name("linear").unwrap().point();
    let parameters = Parameters::Uniform(&[0.0, 50.0]);
    let all = &|_: usize| true;
    let mut model = solid(&mesh, &partition, ElementName::Hex8, law, parameters, all).unwrap();
    model.remember(branches).unwrap();
    let rest = partition.vertices().apply(&mesh.vertices);
    let masses = ElementName::Hex8.lumped_mass(&mesh, &partition, &|_| 2.0).unwrap();
    let mut constraints = Constraints::new();
    let held: Vec<u32> = (0..8).filter(|v| rest[*v as usize][0] < 0.5).collect();
    constraints.fix(&held, &rest).unwrap();
    let models: [(Role, Box<dyn ForceModel>); 1] = [(Role::Elastic, model)];
    let mut system = System::new(&rest, models).unwrap();
    system = system.with_mass(Mass::Lumped(masses)).unwrap();
    system = system.with_constraints(constraints).unwrap();
    let mut state = State::at_rest(&rest);
    for x in state.x.iter_mut().filter(|x| x[0] > 0.5) {
        x[0] += u;
    }
    (system, state)
}

/// u/u₀ after t seconds in n steps.
fn swing(name: I, branches: &Maxwell, t: f64, n: u32) -> Result<f64, DynamicsError> {
    let u = 1e-3;
    let (mut system, mut state) = oscillator(branches, u);
    let mut integrator = name.build(&strict())?;
    for _ in 0..n {
        integrator.step(&mut system, &mut state, t / f64::from(n))?;
    }
    Ok((state.x.iter().map(|x| x[0]).fold(0.0, f64::max) - 1.0) / u)
}

const KNOWN: [(f64, f64); 3] =
    [(0.1, 0.551_078_026_088), (0.5, 0.201_209_137_528), (1.0, -0.526_417_027_062)];

#[test]
fn an_oscillator_that_remembers_swings_as_its_roots_say() {
    let cubic = maxwell(&[(0.01, 0.95)]).with_interpolation(Interpolation::Cubic);
    for (t, exact) in KNOWN {
        let found = swing(I::Bdf4, &cubic, t, (4000.0 * t) as u32).unwrap();
        assert!((found - exact).abs() < 1e-8, "{t} s: {found}");
        let found = swing(I::Rk4, &cubic, t, (4000.0 * t) as u32).unwrap();
        assert!((found - exact).abs() < 1e-10, "{t} s: {found}");
    }
    let instant = cubic.with_start(Start::Instant);
    for (t, exact) in
        [(0.1, 0.479_593_709_982), (0.5, 0.274_983_347_845), (1.0, -0.497_389_584_992)]
    {
        let found = swing(I::Rk4, &instant, t, (4000.0 * t) as u32).unwrap();
        assert!((found - exact).abs() < 1e-10, "{t} s: {found}");
    }
}

/// Steps to 0.5 s of the coarser of two runs.
fn first_steps(name: I) -> u32 {
    match name {
        I::ForwardEuler => 4000,
        I::SymplecticEuler | I::BackwardEuler | I::Bdf1 => 1000,
        I::Bdf4 => 600,
        I::DormandPrince5 | I::DormandPrince853 => 120,
        _ => 250,
    }
}

#[test]
fn every_method_keeps_its_order_up_to_that_of_memory() {
    let linear = maxwell(&[(0.01, 0.95)]);
    let cubic = linear.clone().with_interpolation(Interpolation::Cubic);
    let exact = KNOWN[1].1;
    let mut table = String::new();
    for &name in I::ALL {
        if name == I::QuasiStatic {
            continue;
        }
        let theory = name.build(&strict()).unwrap().order();
        let mut orders = [f64::NAN; 2];
        for (found, (branches, most)) in orders.iter_mut().zip([(&linear, 2), (&cubic, 4)]) {
            let n = first_steps(name);
            let run = |n: u32| swing(name, branches, 0.5, n);
            // Methods that do not take forces of velocities say so.
            let (Ok(coarse), Ok(fine)) = (run(n), run(2 * n)) else {
                assert_eq!(most, 4, "{}", name.name());
                continue;
            };
            let (coarse, fine) = ((coarse - exact).abs(), (fine - exact).abs());
            *found = (coarse / fine).log2();
            let expected = theory.min(most) as f64;
            assert!(
                *found > expected - 0.25 || fine < 1e-9,
                "{}, order {expected}: {found}, errors {coarse:e} and {fine:e}",
                name.name()
            );
        }
        table += &format!("| {} | {theory} | {:.2} | {:.2} |\n", name.name(), orders[0], orders[1]);
    }
    println!("{table}");
}

#[test]
fn energy_goes_where_the_closed_form_says() {
    let branches = maxwell(&[(0.01, 0.95)]);
    let (mut system, mut state) = oscillator(&branches, 1.0);
    system.start_memory(&mut state).unwrap();
    let mut ledger = pliant_dynamics::Ledger::new(&mut system, &state).unwrap();
    ledger = ledger.with_rule(LoadRule::default());
    let mut integrator = I::ImplicitMidpoint.build(&strict()).unwrap();
    for _ in 0..2000 {
        integrator.step(&mut system, &mut state, 1.0 / 2000.0).unwrap();
        ledger.record(&mut system, &state).unwrap();
    }
    let b = ledger.balance();
    let e = b.energies;
    assert!((e.kinetic + e.elastic + e.memory - 20.339_910_086_8).abs() < 8e-4, "{b:?}");
    assert!((b.dissipated - 29.660_089_913_2).abs() < 8e-4, "{b:?}");
    assert!(b.numerical_loss.abs() < 8e-4 && e.memory > 0.0, "{b:?}");
}

/// A bar of tissue.
fn tissue(branches: &Maxwell) -> Body {
    let mut body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    let lame = pliant_materials::parameters::Lame::from_young_poisson(common::YOUNG, 0.3).unwrap();
    let law = Material::by_name("neo-hookean").unwrap().point();
    let constants = [lame.lambda, lame.mu];
    let parameters = Parameters::Uniform(&constants);
    let (mesh, partition) = (&body.mesh, &body.partition);
    let tet = ElementName::Tet4;
    let mut model = solid(mesh, partition, tet, law, parameters, &|_| true).unwrap();
    model.remember(branches).unwrap();
    body.models = vec![(Role::Elastic, model as Box<dyn ForceModel>)];
    body
}

#[test]
fn free_spinning_tissue_keeps_its_angular_momentum() {
    let (mut system, mut state) = tissue(&maxwell(&[(0.01, 0.6), (0.3, 1.5)])).system();
    System::spin(&mut state, [0.5, 0.15, 0.15], [0.3, -1.0, 2.0]);
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [v[0] + 0.5 + 0.4 * x[0], v[1] - 0.2, v[2] + 0.3 * x[1]];
    }
    let mut integrator = I::ImplicitMidpoint.build(&strict()).unwrap();
    let (linear, angular) = system.momenta(&state);
    for _ in 0..150 {
        integrator.step(&mut system, &mut state, 0.02).unwrap();
    }
    let now = system.momenta(&state);
    assert!(norm(sub(now.1, angular)) < 1e-10 * norm(angular), "{:?} {angular:?}", now.1);
    assert!(norm(sub(now.0, linear)) < 1e-12 * norm(linear));
    assert!(state.dissipated > 1e-3, "it was deformed: {}", state.dissipated);
}

#[test]
fn a_state_that_was_written_goes_on_to_the_same_bits() {
    let branches = maxwell(&[(0.01, 0.6), (0.3, 1.5)]);
    for name in [I::BackwardEuler, I::Bdf2, I::Rosenbrock2, I::Rk4] {
        let body = || tissue(&branches).with_gravity([0.0, -9.81, 0.0]).clamped();
        let (mut system, mut state) = body().system();
        let mut integrator = name.build(&strict()).unwrap();
        let step = |integrator: &mut Box<dyn pliant_dynamics::Integrator>,
                    system: &mut System,
                    state: &mut State| {
            integrator.step(system, state, 1e-3).unwrap();
        };
        (0..6).for_each(|_| step(&mut integrator, &mut system, &mut state));
        let bytes = state.to_bytes();
        let mut kept = pliant_sections::Sections::new();
        integrator.save(&mut kept);
        (0..6).for_each(|_| step(&mut integrator, &mut system, &mut state));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let (mut other, _) = body().system();
        let mut resumed = State::from_bytes(&bytes).unwrap();
        let mut integrator = name.build(&strict()).unwrap();
        integrator.load(&kept, &other).unwrap();
        pool.install(|| (0..6).for_each(|_| step(&mut integrator, &mut other, &mut resumed)));
        assert_eq!(state.to_bytes(), resumed.to_bytes(), "{}", name.name());
    }
}

#[test]
fn a_step_that_fails_leaves_no_trace() {
    let branches = maxwell(&[(0.01, 0.6), (0.3, 1.5)]);
    let (mut system, mut state) =
        tissue(&branches).with_gravity([0.0, -9.81, 0.0]).clamped().system();
    let mut integrator = I::Rk4.build(&strict()).unwrap();
    for _ in 0..5 {
        integrator.step(&mut system, &mut state, 1e-3).unwrap();
    }
    let before = state.to_bytes();
    assert!(integrator.step(&mut system, &mut state, 100.0).is_err());
    assert_eq!(before, state.to_bytes());
}

#[test]
fn rest_has_the_stiffness_of_a_long_time_and_vibrations_that_of_an_instant() {
    let branches = maxwell(&[(0.01, 0.6), (0.3, 1.5)]);
    let rest_of = |branches: &Maxwell| {
        let (mut system, mut state) =
            tissue(branches).with_gravity([0.0, -9.81, 0.0]).clamped().system();
        let method = pliant_dynamics::StaticMethod::default();
        let mut statics = method.statics(&StaticOptions::default()).unwrap();
        statics.solve(&mut system, &mut state).unwrap();
        let frequency = system.highest_frequency(&State::at_rest(system.rest())).unwrap();
        (state.x, frequency)
    };
    let (elastic, slow) = rest_of(&maxwell(&[]));
    let (relaxed, fast) = rest_of(&branches);
    assert!(common::distance(&elastic, &relaxed) < 1e-9);
    assert!((fast / slow - branches.instant().sqrt()).abs() < 1e-3, "{fast} {slow}");
}

#[test]
fn rejected_steps_leave_no_trace() {
    let branches = maxwell(&[(0.01, 0.6), (0.3, 1.5)]);
    for name in [I::Rosenbrock4Lstable, I::DormandPrince5] {
        let body = || tissue(&branches).with_gravity([0.0, -9.81, 0.0]).clamped();
        let control = StepControl { first: Some(0.05), ..StepControl::with_tolerance(1e-7) };
        let inner = || name.build(&strict()).unwrap();
        let (mut system, mut state) = body().system();
        let mut adaptive = Adaptive::new(inner(), control).unwrap();
        let mut steps = Vec::new();
        while state.time < 0.1 {
            steps.push(adaptive.step_once(&mut system, &mut state, 1.0).unwrap().step);
        }
        assert!(adaptive.counts().rejected > 0, "{}: {:?}", name.name(), adaptive.counts());
        let (mut other, mut replayed) = body().system();
        let mut integrator = inner();
        for h in steps {
            integrator.step(&mut other, &mut replayed, h).unwrap();
        }
        assert_eq!(state.memory, replayed.memory, "{}", name.name());
        assert_eq!((&state.x, state.dissipated), (&replayed.x, replayed.dissipated));
    }
}
