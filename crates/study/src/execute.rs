//! One run of a study.

use std::time::Instant;

use pliant_algebra::vec3::Vec3;
use pliant_errors::Class;
use pliant_scene::{Scene, Simulation};

use crate::clock::thread_seconds;
use crate::outcome::{Outcome, Status, checksum};
use crate::pool::Report;
use crate::reference::work;

/// Runs a scene to its end and keeps what matters; none if it was stopped. A run that would take more than
/// `most` evaluations of forces of single cells gives up.
pub(crate) fn execute(scene: &Scene, most: Option<f64>, report: Report<'_>) -> Option<Outcome> {
    let begin = Instant::now();
    let mut simulation = match Simulation::build(scene) {
        Ok(simulation) => simulation,
        Err(error) => return Some(Outcome::failed(&error)),
    };
    // Orders and errors are told of equal steps: one that fails is a result.
    simulation.never_retry();
    let setup_seconds = begin.elapsed().as_secs_f64();
    let steps = scene.time.steps();
    let cells = simulation.cells();
    let (start, spent) = (Instant::now(), thread_seconds());
    let mut failure = None;
    while !simulation.is_done() {
        if let Err(error) = simulation.step() {
            failure = Some((error.to_string(), error.class()));
            break;
        }
        let share = simulation.state().steps as f64 / steps as f64;
        let work = work(simulation.tally().evaluations as f64, cells);
        if let Some(most) = most.filter(|most| work / share > *most) {
            let reason = format!("takes more than {most:.0e} evaluations of cells");
            failure = Some((reason, Class::Computation));
            break;
        }
        if !report(share) && !simulation.is_done() {
            return None;
        }
    }
    let (wall_seconds, now) = (start.elapsed().as_secs_f64(), thread_seconds());
    let x = &simulation.state().x;
    let mut positions = Vec::with_capacity(x.len());
    let mut rest = Vec::with_capacity(x.len());
    for body in &simulation.bodies {
        let list = 0..body.mesh.vertex_count() as u32;
        positions.extend(list.map(|v| x[body.system_vertex(v) as usize]));
        rest.extend_from_slice(&body.mesh.vertices);
    }
    let probes = simulation.probes.iter();
    let probes = probes.map(|p| (p.name.clone(), p.at(x), simulation.displacement(p))).collect();
    Some(Outcome {
        status: if failure.is_some() { Status::Failed } else { Status::Done },
        class: failure.as_ref().map(|(_, class)| *class),
        reason: failure.map(|(reason, _)| reason),
        vertices: positions.len(),
        cells,
        size: extent(&rest),
        rest: checksum(&rest.iter().flatten().flat_map(|c| c.to_le_bytes()).collect::<Vec<u8>>()),
        steps: simulation.state().steps,
        simulated_seconds: simulation.state().time,
        setup_seconds,
        wall_seconds,
        cpu_seconds: now.zip(spent).map(|(now, before)| now - before),
        tally: simulation.tally(),
        warnings: simulation.warnings.clone(),
        positions,
        probes,
    })
}

fn extent(x: &[Vec3]) -> f64 {
    let along = |k: usize| {
        let ends = x.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
            [low.min(p[k]), high.max(p[k])]
        });
        ends[1] - ends[0]
    };
    (0..3).map(along).fold(0.0, f64::max)
}
