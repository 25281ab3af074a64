//! Equation (12) of Zhuang and Canny (Real-time Global Deformations, section 6): n · u after two equal steps is what it was, for a
//! node that collides.

use std::path::Path;

use pliant_scene::{Scene, SceneError, Simulation};
use serde_json::json;

use super::{Going, NamedStudy};

pub(super) const NAME: &str = "zhuang-canny-12";

const SCENE: &str = r#"
[time]
integrator = "INTEGRATOR"
step = "0.2 ms"
end = "0.16 s"
[contact]
mode = "two-step"
[obstacle.ground]
shape = "plane"
point = [0, 0, 0]
normal = [0, 1, 0]
friction = 0
[body.block]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }
position = [0, "2 cm", 0]
material = { law = "st-venant-kirchhoff", young = "20 kPa", poisson = 0.3 }
DAMPING
"#;

/// Rounding of positions of a body of this size, m.
const ROUNDING: f64 = 1e-15;

pub(super) fn run(going: Going<'_>) -> Result<Option<NamedStudy>, SceneError> {
    let mut rows = Vec::new();
    let mut holds = true;
    let cases = [
        ("explicit-newmark", ""),
        ("explicit-newmark", "damping = { mass = \"5 1/s\" }"),
        ("central-differences", ""),
        ("central-differences", "damping = { mass = \"5 1/s\" }"),
    ];
    for (number, (integrator, damping)) in cases.into_iter().enumerate() {
        let text = SCENE.replace("INTEGRATOR", integrator).replace("DAMPING", damping);
        let scene = Scene::parse(&text, Path::new("zhuang-canny-12.toml"))?;
        let mut simulation = Simulation::build(&scene)?;
        let steps = scene.time.steps() as f64;
        let mut waiting: Vec<(usize, f64)> = Vec::new();
        let (mut collisions, mut worst, mut deepest) = (0_u64, 0.0_f64, 0.0_f64);
        while !simulation.is_done() {
            let state = simulation.state();
            let goes_in = |(x, v): (&[f64; 3], &[f64; 3])| x[1] < 0.0 && v[1] < 0.0;
            let colliding: Vec<(usize, f64)> = state
                .x
                .iter()
                .zip(&state.v)
                .enumerate()
                .filter(|(_, pair)| goes_in(*pair))
                .map(|(i, (x, _))| (i, x[1]))
                .collect();
            simulation.step()?;
            let x = &simulation.state().x;
            for (vertex, before) in waiting.drain(..) {
                worst = worst.max((x[vertex][1] - before).abs());
                collisions += 1;
            }
            deepest = x.iter().fold(deepest, |deepest, x| deepest.max(-x[1]));
            waiting = colliding;
            let part = simulation.state().steps as f64 / steps;
            if !going((number as f64 + part) / cases.len() as f64) {
                return Ok(None);
            }
        }
        holds &= worst <= ROUNDING && collisions > 0;
        let damped = if damping.is_empty() { "no" } else { "by mass, 5 1/s" };
        rows.push(vec![
            json!(integrator),
            json!(damped),
            json!(collisions),
            json!(worst),
            json!(deepest),
        ]);
    }
    Ok(Some(NamedStudy {
        name: NAME,
        claim: "The normal displacement of a node that collides is the same two equal steps later (12)".into(),
        holds,
        columns: vec!["integrator", "damped", "collisions", "largest |n·(u₂ − u₀)| m", "deepest m"],
        rows,
        notes: vec![
            "With the minus in (10) that is missing in print, and along the normal alone: (10) and (11) as they stand take two steps of tangential acceleration away as well.".into(),
        ],
    }))
}
