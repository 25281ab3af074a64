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

/// A net of springs at rest: its K is Σ k d dᵀ and its D Σ R d dᵀ.
fn net(rule: &str) -> Result<pliant_model::Matrices, String> {
    let text = format!(
        r#"
gravity = [0, 0, 0]
[body.net]
mesh = {{ shape = "box", size = [0.2, 0.1, 0.1], cells = [2, 1, 1] }}
material = {{ law = "mass-spring", young = "10 kPa", {rule} }}
[time]
end = 0.1
"#
    );
    let scene = pliant_scene::Scene::parse(&text, std::path::Path::new("net.toml"));
    let mut simulation =
        Simulation::build(&scene.map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
    simulation.matrices().map_err(|e| e.to_string())
}

/// Traces of the blocks of two vertices: −k, or −R, of the spring between them.
fn traces(matrix: &pliant_algebra::sparse::Csr) -> std::collections::BTreeMap<(usize, usize), f64> {
    let mut blocks = std::collections::BTreeMap::new();
    for row in 0..matrix.rows() {
        for at in matrix.offsets[row]..matrix.offsets[row + 1] {
            let column = matrix.columns[at] as usize;
            if row % 3 == column % 3 {
                *blocks.entry((row / 3, column / 3)).or_insert(0.0) += matrix.values[at];
            }
        }
    }
    blocks
}

#[test]
fn springs_are_damped_by_a_number_by_their_stiffness_or_for_a_quality() {
    let check = |rule: &str, expected: &dyn Fn(f64, f64) -> f64| {
        let found = net(rule).unwrap();
        let (stiffness, damping) = (traces(&found.stiffness), traces(&found.damping));
        let masses = traces(&found.mass);
        let mut springs = 0;
        for (&(i, j), k) in stiffness.iter().filter(|((i, j), k)| i < j && **k < -1e-9) {
            let (a, b) = (masses[&(i, i)] / 3.0, masses[&(j, j)] / 3.0);
            let wanted = expected(-k, a * b / (a + b));
            let r = -damping[&(i, j)];
            assert!((r / wanted - 1.0).abs() < 1e-12, "{rule}: {r} for {wanted}");
            springs += 1;
        }
        assert!(springs > 20, "{springs}");
    };
    check("damping = 0.3", &|_, _| 0.3);
    check(r#"damping_per_stiffness = "20 ms""#, &|k, _| 0.02 * k);
    check("quality = 4.8", &|k, m| (k * m).sqrt() / 4.8);
    // Hauth, B.1: (1/Q) √(2kmQ√(Q²+1) − 2kmQ²).
    check(r#"quality = 0.25, quality_fit = "as-printed""#, &|k, m| {
        let q: f64 = 0.25;
        (2.0 * k * m * q * (q * q + 1.0).sqrt() - 2.0 * k * m * q * q).sqrt() / q
    });
    for (rule, key) in [
        ("damping = 0.3, quality = 2", "quality"),
        ("damping = 0.3, damping_per_stiffness = 2", "damping_per_stiffness"),
        ("quality = 0", "quality"),
        ("damping = -1", "damping"),
        ("quality_fit = \"as-printed\"", "quality_fit"),
    ] {
        let error = net(rule).err().unwrap();
        assert!(error.contains(key), "{rule}: {error}");
    }
}
