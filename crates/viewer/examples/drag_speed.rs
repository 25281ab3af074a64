//! How long steps take while a hand pulls: `cargo run --release -p pliant-viewer --example drag_speed -- [SCENE] [KEY=VALUE]…`

use std::time::Instant;

use pliant_scene::{Origin, SceneError};
use pliant_viewer::{Colour, Command, Session, describe};

const STEPS: usize = 300;

fn main() -> Result<(), SceneError> {
    let mut arguments = std::env::args().skip(1);
    let scene = arguments.next().unwrap_or_else(|| "creature".into());
    let start = Instant::now();
    let mut session = Session::new(Origin { scene, sets: arguments.collect() })?;
    println!("loaded in {:.0} ms", 1e3 * start.elapsed().as_secs_f64());
    let (cells, vertices) = (session.simulation().cells(), session.simulation().vertices());
    for (name, pulls, colour) in [
        ("free", false, Colour::None),
        ("pulled", true, Colour::None),
        ("pulled, coloured by stress", true, Colour::VonMises),
    ] {
        session.apply(Command::Reset);
        session.apply(Command::Colour(colour));
        let surface = session.rest()[0].clone();
        let at = surface.positions()[surface.triangles()[0][0] as usize];
        if pulls {
            let weights = [1.0 / 3.0; 3];
            session.apply(Command::Grab {
                id: 1,
                body: 0,
                triangle: 0,
                weights,
                at,
                stiffness: None,
            });
        }
        let size = session.simulation().bodies[0].size();
        let (mut longest, mut iterations) = (0.0_f64, 0);
        let (mut steps, mut frames) = (0.0, 0.0);
        for step in 0..STEPS {
            // A hand that goes around in a circle, once in a hundred steps.
            let (sin, cos) = (0.063 * step as f64).sin_cos();
            let to = [at[0] + 0.2 * size * cos, at[1] + 0.2 * size * (1.0 + sin), at[2]];
            session.apply(Command::Move { id: 1, at: to });
            let start = Instant::now();
            session.step();
            let took = start.elapsed().as_secs_f64();
            longest = longest.max(took);
            steps += took;
            iterations += session.simulation().last_iterations().unwrap_or(0);
            let start = Instant::now();
            describe::frame(&mut session, describe::Clock::default());
            frames += start.elapsed().as_secs_f64();
        }
        let mean = |sum: f64| 1e3 * sum / STEPS as f64;
        println!(
            "{name}: {cells} cells, {vertices} vertices: {:.2} ms a step (longest {:.2}), {:.2} Newton iterations, {:.2} ms a frame, {:.2}x real time{}",
            mean(steps),
            1e3 * longest,
            iterations as f64 / STEPS as f64,
            mean(frames),
            session.scene().time.step * STEPS as f64 / (steps + frames),
            session.notice().map_or(String::new(), |n| format!("; {}", n.text)),
        );
    }
    Ok(())
}
