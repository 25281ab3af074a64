//! What pages are told of a session: the scene, how it stands, and frames.

use pliant_forces::obstacles::{Shape, Side};
use pliant_scene::builtin;
use serde_json::{Value, json};

use crate::command::{Colour, Setting};
use crate::frame::{self, COLOURED, Numbers, PAUSED, Pull, Writer};
use crate::session::Session;

/// All that stays while a scene runs: as JSON, and its surfaces as bytes.
pub fn scene(session: &mut Session) -> (String, Vec<u8>) {
    let cells = session.simulation().cells();
    let vertices = session.simulation().vertices();
    let warnings = session.simulation().warnings.clone();
    let bodies: Vec<Value> = session
        .simulation()
        .bodies
        .iter()
        .map(|b| {
            json!({
                "name": b.name,
                "vertices": b.mesh.vertex_count(),
                "cells": b.mesh.cell_count(),
                "element": b.element.name(),
                "stiffness": b.hand_stiffness(),
            })
        })
        .collect();
    let scene = session.scene();
    let value = json!({
        "type": "scene",
        "generation": session.generation(),
        "name": session.name(),
        "own": session.own_name(),
        "title": scene.title,
        "about": scene.about,
        "analysis": scene.time.analysis.name(),
        "step": scene.time.step,
        "gravity": scene.gravity,
        "vertices": vertices,
        "cells": cells,
        "bodies": bodies,
        "obstacles": scene.obstacles.iter().map(|o| obstacle(&o.shape)).collect::<Vec<_>>(),
        "controls": session.controls().iter().map(crate::controls::Control::json).collect::<Vec<_>>(),
        "settings": settings(session.settings()),
        "warnings": warnings,
        "scenes": builtin::SCENES.iter().map(|(name, text)| {
            json!([name, builtin::about(text)])
        }).collect::<Vec<_>>(),
        "version": env!("CARGO_PKG_VERSION"),
    });
    let list: Vec<_> = session.rest().iter().map(|s| (s.triangles(), s.positions())).collect();
    (value.to_string(), frame::surfaces(session.generation(), &list))
}

fn settings(list: &[(String, Setting)]) -> Value {
    let pairs = list.iter().map(|(key, value)| {
        let value = match value {
            Setting::Number(n) => json!(n),
            Setting::Name(name) => json!(name),
        };
        (key.clone(), value)
    });
    Value::Object(pairs.collect())
}

fn obstacle(shape: &Shape) -> Value {
    let room = |side: Side| side == Side::Inside;
    match *shape {
        Shape::Plane { point, normal } => {
            json!({"kind": "plane", "point": point, "normal": normal})
        }
        Shape::Sphere { centre, radius, side } => {
            json!({"kind": "sphere", "centre": centre, "radius": radius, "room": room(side)})
        }
        Shape::Box { min, max, side } => {
            json!({"kind": "box", "min": min, "max": max, "room": room(side)})
        }
    }
}

/// How it stands.
pub fn status(session: &Session) -> String {
    let colour = match session.colour() {
        Colour::None => "none",
        Colour::VonMises => "von-mises",
        Colour::EnergyDensity => "energy-density",
    };
    let notice =
        session.notice().map(|n| json!({"number": n.number, "error": n.error, "text": n.text}));
    json!({
        "type": "status",
        "paused": session.is_paused(),
        "speed": session.speed(),
        "colour": colour,
        "notice": notice,
    })
    .to_string()
}

/// Pins, probe and recording.
pub fn tools(session: &Session) -> String {
    session.tools_json().to_string()
}

/// The scene with its settings as a scene file; where it cannot be made, a comment that says why.
pub fn file(session: &Session) -> String {
    session.to_toml().unwrap_or_else(|error| {
        let text = error.to_string().replace('\n', "\n# ");
        format!("# The scene could not be saved: {text}\n")
    })
}

/// What the clock says about a frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Clock {
    /// Wall time of the last step, s.
    pub step: f64,
    /// Simulated over wall time.
    pub real_time: f64,
    /// [`frame::BEHIND`] or 0.
    pub flags: u32,
}

/// Where everything is.
pub fn frame(session: &mut Session, clock: Clock) -> Vec<u8> {
    let (paused, step_length) = (session.is_paused(), session.scene().time.step);
    let generation = session.generation();
    let mut pulls = Vec::new();
    let grabs = session.grabs().clone();
    let simulation = session.simulation();
    let state = simulation.state();
    grabs.each(|id, grab| {
        let (force, point) = (grab.force(&state.x), grab.point(&state.x));
        pulls.push(Pull { id: id as u32, force, point, target: grab.target });
    });
    let balance = simulation.balance();
    let e = balance.energies;
    let mut numbers = Numbers {
        generation,
        flags: clock.flags | if paused { PAUSED } else { 0 },
        steps: state.steps as u32,
        time: state.time,
        energies: [
            e.kinetic,
            e.elastic,
            e.gravity,
            balance.dissipated,
            balance.external_work,
            balance.numerical_loss,
        ],
        step_ms: (1e3 * clock.step) as f32,
        real_time: clock.real_time as f32,
        newton_iterations: simulation.last_iterations().map_or(0.0, |n| n as f32),
        step_length_ms: (1e3 * step_length) as f32,
    };
    if session.colour() != Colour::None {
        numbers.flags |= COLOURED;
    }
    let surfaces = session.simulation().surfaces();
    let vertices = surfaces.iter().map(|s| s.positions().len()).sum();
    let mut out = Writer::new(vertices, &numbers, &pulls);
    for surface in surfaces {
        out.vectors(surface.positions());
    }
    if let Some((colour, lists)) = session.colours() {
        for list in lists {
            out.numbers(list.iter().map(|&v| colour.of(v)));
        }
    }
    out.finish()
}
