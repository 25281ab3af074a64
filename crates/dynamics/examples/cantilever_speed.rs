//! One second of a neo-Hookean cantilever under gravity with backward Euler, steps of 10 ms.
//!
//! cargo run --release -p pliant-dynamics --example cantilever_speed -- [cells along x, a multiple of 4] [solver] [full|simplified|kept|inexact]
//!
//! 36 cells along x make 14,580 tetrahedra.

use std::time::Instant;

use pliant_dynamics::{
    Constraints, Forcing, Form, IntegratorName, Mass, NewtonSettings, Options, Role, State, System,
};
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_forces::{ElementName, Parameters, Partition, solid};
use pliant_materials::Material;
use pliant_materials::parameters::Lame;
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_solvers::{Choice, SolverName};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let along: usize = arguments.next().map_or(Ok(16), |a| a.parse())?;
    let (solver, preconditioner) = match arguments.next() {
        None => (SolverName::Auto, None),
        Some(name) => match name.parse() {
            Ok(solver) => (solver, None),
            Err(_) => (SolverName::Cg, Some(name.parse()?)),
        },
    };
    let form = match arguments.next().as_deref() {
        None | Some("full") => Form::Full,
        Some("simplified") => Form::Simplified { slowest: 0.3 },
        Some("kept") => Form::KEPT,
        Some("inexact") => Form::Inexact(Forcing::EisenstatWalker { gamma: 0.9, largest: 0.1 }),
        Some(other) => return Err(format!("{other}: full, simplified, kept or inexact").into()),
    };
    let across = (along / 4).max(1);
    let shape = BoxShape {
        size: [1.0, 0.25, 0.25],
        cells: [along, across, across],
        cell: CellChoice::Tet5,
        ..BoxShape::default()
    };
    let mesh = shape.generate()?;
    let partition = Partition::new(&mesh)?;
    let rest = partition.vertices().apply(&mesh.vertices);
    let lame = Lame::from_young_poisson(1e6, 0.45)?;
    let constants = [lame.lambda, lame.mu];
    let (law, tet) = (Material::by_name("neo-hookean")?.point(), ElementName::Tet4);
    let elastic =
        solid::solid(&mesh, &partition, tet, law, Parameters::Uniform(&constants), &|_| true)?;
    let masses = tet.lumped_mass(&mesh, &partition, &|_| 1000.0)?;
    let weight = DeadLoad::gravity(&rest, &masses, [0.0, -9.81, 0.0], TimeCurve::default())?;
    let mut constraints = Constraints::new();
    let wall: Vec<u32> = (0..rest.len() as u32).filter(|&v| rest[v as usize][0] < 1e-9).collect();
    constraints.fix(&wall, &rest)?;
    let models: Vec<(Role, Box<dyn pliant_forces::ForceModel>)> =
        vec![(Role::Elastic, elastic), (Role::Gravity, Box::new(weight))];
    let mut system = System::new(&rest, models)?
        .with_mass(Mass::Lumped(masses))?
        .with_constraints(constraints)?;
    let mut state = State::at_rest(&rest);
    let options = Options {
        newton: NewtonSettings { form, force_tolerance: 1e-4, ..NewtonSettings::default() },
        solver: Choice { solver, preconditioner, ..Choice::default() },
        ..Options::default()
    };
    let mut integrator = IntegratorName::BackwardEuler.build(&options)?;
    let tip = rest.iter().position(|x| x[0] > 1.0 - 1e-9).ok_or("no tip")?;
    println!("{} vertices, {} tetrahedra", rest.len(), mesh.cell_count());
    let clock = Instant::now();
    let mut lowest = f64::INFINITY;
    for _ in 0..100 {
        integrator.step(&mut system, &mut state, 0.01)?;
        lowest = lowest.min(state.x[tip][1] - rest[tip][1]);
    }
    println!(
        "{:.3} s for 1 s of motion; {:?}",
        clock.elapsed().as_secs_f64(),
        integrator.counters()
    );
    println!(
        "tip {:.6e} m at the end, {lowest:.6e} m at the lowest",
        state.x[tip][1] - rest[tip][1]
    );
    Ok(())
}
