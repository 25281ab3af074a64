//! What pages are told of a session: the scene, how it stands, and frames.

use pliant_errors::Class;
use pliant_forces::obstacles::{Shape, Side};
use pliant_forces::springs::Grab;
use pliant_scene::builtin;
use serde_json::{Value, json};

use crate::acting;
use crate::command::Setting;
use crate::frame::{self, COLOUR_SHIFT, Kind, Numbers, PAUSED, Pull};
use crate::marks;
use crate::parts::{Encoder, Frame};
use crate::session::Session;
use crate::sight::carried;

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
        "contact": session.contact_mode().map(pliant_scene::ContactMode::name),
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
    Value::Object(list.iter().map(|(key, value)| (key.clone(), value.json())).collect())
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
        Shape::Capsule { from, to, radius, side } => {
            json!({"kind": "capsule", "from": from, "to": to, "radius": radius, "room": room(side)})
        }
        Shape::Cylinder { from, to, radius, side } => {
            json!({"kind": "cylinder", "from": from, "to": to, "radius": radius, "room": room(side)})
        }
        Shape::Box { min, max, side } => {
            json!({"kind": "box", "min": min, "max": max, "room": room(side)})
        }
    }
}

/// How it stands.
pub fn status(session: &Session) -> String {
    let marks = session.marks();
    let notice = session.notice().map(|n| {
        let class = n.class.map(Class::name);
        json!({"number": n.number, "error": class.is_some(), "class": class, "text": n.text})
    });
    json!({
        "type": "status",
        "paused": session.is_paused(),
        "speed": session.speed(),
        "colour": session.colour().name(),
        "marks": {"holds": marks.holds, "forces": marks.forces},
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
    /// From the first command that is answered to the answer, s; 0 if there was none.
    pub answer: f64,
}

/// All of a frame, as a page gets it that has seen none.
pub fn frame(session: &mut Session, clock: Clock) -> Vec<u8> {
    next_frame(session, clock, &mut Encoder::default()).since(0)
}

/// Where everything is.
pub fn next_frame(session: &mut Session, clock: Clock, encoder: &mut Encoder) -> Frame {
    let generation = session.generation();
    let head = head(session, clock);
    encoder.next(generation, head, parts(session))
}

fn head(session: &mut Session, clock: Clock) -> Vec<u8> {
    let (paused, step_length) = (session.is_paused(), session.scene().time.step);
    let (generation, colour) = (session.generation(), session.colour());
    let simulation = session.simulation();
    let momenta = simulation.momenta();
    let state = simulation.state();
    let pull = |(id, grab): (u64, &Grab)| Pull {
        id: id as u32,
        force: grab.force(&state.x),
        point: grab.point(&state.x),
        target: grab.target,
    };
    let pulls: Vec<Pull> = acting::hands(simulation).iter().map(pull).collect();
    let balance = simulation.balance();
    let e = balance.energies;
    let numbers = Numbers {
        generation,
        flags: clock.flags | if paused { PAUSED } else { 0 } | colour.number() << COLOUR_SHIFT,
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
        momenta: [momenta.0, momenta.1],
        step_ms: (1e3 * clock.step) as f32,
        real_time: clock.real_time as f32,
        newton_iterations: simulation.last_iterations().map_or(0.0, |n| n as f32),
        step_length_ms: (1e3 * step_length) as f32,
        answer_ms: (1e3 * clock.answer) as f32,
    };
    frame::head(&numbers, &pulls)
}

fn parts(session: &mut Session) -> Vec<Vec<u8>> {
    let loads = session.scene().bodies.iter().map(|body| body.loads.len()).sum();
    let (sight, simulation) = session.sight();
    let mut parts = Vec::new();
    for (body, surface) in simulation.surfaces().iter().enumerate() {
        parts.push(frame::positions(Kind::Positions, body as u32, surface.positions()));
    }
    if let (number, Some(cut)) = sight.cut(simulation) {
        let x = cut.carry(&simulation.state().x);
        parts.push(frame::positions(Kind::CutPositions, number, &x));
    }
    let colour = sight.colour();
    if let Some(values) = sight.values(simulation).map(<[_]>::to_vec) {
        for (body, surface) in simulation.surfaces().iter().enumerate() {
            let list = carried(surface, &values);
            let list = list.iter().map(|&v| colour.of(v));
            parts.push(frame::colours(Kind::Colours, body as u32, list));
        }
        if let (number, Some(cut)) = sight.cut(simulation) {
            let list = cut.carry(&values);
            let list = list.iter().map(|&v| colour.of(v));
            parts.push(frame::colours(Kind::CutColours, number, list));
        }
    }
    let shown = sight.marks();
    if shown.holds {
        parts.push(frame::holds(&marks::holds(simulation)));
    }
    if shown.forces {
        parts.push(frame::arrows(&marks::arrows(simulation, loads)));
    }
    parts
}

/// Where bodies are cut, at rest.
pub fn cut(session: &mut Session) -> Vec<u8> {
    let generation = session.generation();
    let (sight, simulation) = session.sight();
    let rest = simulation.system_ref().rest().to_vec();
    let (number, cut) = sight.cut(simulation);
    frame::cut(generation, number, cut.map(|cut| (cut, rest.as_slice())))
}
