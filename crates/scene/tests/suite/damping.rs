//! Damping by stiffness through scenes.

use pliant_scene::Simulation;

/// The built-in jelly with so many cells a side, until it has left the floor again.
fn dropped(integrator: &str, cells: usize) -> Result<Simulation, String> {
    let keys = [
        ("body.jelly.mesh.cells", format!("[{cells}, {cells}, {cells}]")),
        ("time.integrator", format!("\"{integrator}\"")),
        ("time.end", "0.3".to_owned()),
    ];
    let keys: Vec<_> = keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let scene = pliant_scene::builtin::scene("jelly", &keys).unwrap();
    let mut simulation = Simulation::build(&scene).unwrap();
    while !simulation.is_done() {
        simulation.step().map_err(|e| format!("{integrator}: {e}"))?;
    }
    Ok(simulation)
}

/// Where K v was taken without its derivative by x, the trapezoidal rule stopped at 0.18 s, and BDF2 took 565 iterations.
#[test]
fn a_jelly_that_falls_is_damped_by_every_implicit_method_in_few_iterations() {
    for (name, most) in
        [("backward-euler", 250), ("bdf2", 250), ("trapezoidal", 300), ("newmark", 300)]
    {
        let simulation = dropped(name, 5).unwrap();
        let iterations = simulation.tally().newton_iterations;
        assert!(iterations < most, "{name}: {iterations}");
        assert!(simulation.balance().dissipated > 0.05, "{name}: {:?}", simulation.balance());
    }
}
