//! How what holds a part of a body moves: expressions, keyframes, rotation, oscillation, translation.

use std::f64::consts::TAU;
use std::sync::Arc;

use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, scale, sub};
use pliant_dynamics::{Moment, Motion};
use pliant_forces::loads::TimeCurve;
use pliant_units::{Dimension, si, vector};

use crate::error::SceneError;
use crate::file::expression::OF_PLACE_AND_TIME;
use crate::file::table::Table;
use crate::spec::curve;
use crate::spec::field::VectorField;
use crate::spec::select::direction;

/// Reads the one motion that a table describes, and says what it is where the motion itself does not.
pub(crate) fn read(t: &Table<'_>) -> Result<(Motion, String), SceneError> {
    let mut found = Vec::new();
    if let Some(m) = t.table("translation")? {
        let by =
            m.vector("by", Dimension::LENGTH)?.ok_or_else(|| m.missing("by", "[0, 0.1, 0]"))?;
        let curve = curve::read(&m)?;
        m.finish()?;
        found.push((Motion::Translation { direction: by, curve }, String::new()));
    }
    if let Some(m) = t.table("rotation")? {
        found.push(rotation(&m)?);
    }
    if let Some(m) = t.table("oscillation")? {
        let by =
            m.vector("by", Dimension::LENGTH)?.ok_or_else(|| m.missing("by", "[0, 0.1, 0]"))?;
        let frequency = m.positive("frequency", Dimension::FREQUENCY)?;
        let omega = TAU * frequency.ok_or_else(|| m.missing("frequency", "\"1 Hz\""))?;
        let phase = m.quantity("phase", Dimension::ANGLE)?.unwrap_or(0.0);
        m.finish()?;
        let words = format!("to and fro by {} at {}", vector(by, "m"), si(omega / TAU, "Hz"));
        let motion = Motion::Function(Arc::new(move |anchor, t| {
            // Starts where the body is, whatever the phase.
            let (s, c) = (omega * t + phase).sin_cos();
            Moment {
                x: add_scaled(anchor, by, s - phase.sin()),
                v: scale(by, omega * c),
                a: scale(by, -omega * omega * s),
            }
        }));
        found.push((motion, words));
    }
    if let Some(m) = t.table("keyframes")? {
        found.push(keyframes(&m)?);
    }
    if let Some(field) = VectorField::read(t, "expression", Dimension::LENGTH, OF_PLACE_AND_TIME)? {
        let words = format!("displaced by {} m", field.words());
        let motion = Motion::Function(Arc::new(move |anchor, t| field.moment(anchor, t)));
        found.push((motion, words));
    }
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        0 => Err(t.missing_or(
            "translation",
            "a motion is one of translation, rotation, oscillation, keyframes, expression",
        )),
        n => {
            Err(SceneError::new(format!("{} has {n} motions: give one", t.path())).at(t.location()))
        }
    }
}

/// About an axis, at a rate or by an angle over a curve.
fn rotation(m: &Table<'_>) -> Result<(Motion, String), SceneError> {
    let centre = m.vector("centre", Dimension::LENGTH)?.unwrap_or([0.0; 3]);
    let axis = direction(m, "axis", "[1, 0, 0]")?;
    let rate = m.quantity("rate", Dimension::ANGULAR_VELOCITY)?;
    let angle = m.quantity("angle", Dimension::ANGLE)?;
    let curve = curve::read(m)?;
    m.finish()?;
    match (rate, angle) {
        (Some(rate), None) => {
            let words = format!(
                "turned about {} through {} at {}",
                vector(axis, ""),
                vector(centre, "m"),
                si(rate, "rad/s")
            );
            let motion = Motion::Function(Arc::new(move |anchor, t| {
                let arm = sub(anchor, centre);
                let along = scale(axis, dot(axis, arm));
                let (radial, side) = (sub(arm, along), cross(axis, arm));
                let (s, c) = (rate * t).sin_cos();
                let turned = add(scale(radial, c), scale(side, s));
                Moment {
                    x: add(centre, add(along, turned)),
                    v: scale(cross(axis, turned), rate),
                    a: scale(turned, -rate * rate),
                }
            }));
            Ok((motion, words))
        }
        (None, Some(angle)) => {
            let curve = scaled(curve, angle);
            Ok((Motion::Rotation { centre, axis, curve }, String::new()))
        }
        _ => Err(m.missing_or("angle", "a rotation has either an angle or a rate")),
    }
}

fn scaled(curve: TimeCurve, by: f64) -> TimeCurve {
    match curve {
        TimeCurve::Constant(value) => TimeCurve::Constant(by * value),
        TimeCurve::Ramp { start, end, from, to } => {
            TimeCurve::Ramp { start, end, from: by * from, to: by * to }
        }
        TimeCurve::Pulse { start, rise, hold, height } => {
            TimeCurve::Pulse { start, rise, hold, height: by * height }
        }
        TimeCurve::Table { times, values } => {
            TimeCurve::Table { times, values: values.iter().map(|v| by * v).collect() }
        }
    }
}

/// Displacements at times, joined smoothly: the motion rests at every key.
fn keyframes(m: &Table<'_>) -> Result<(Motion, String), SceneError> {
    let times = m.quantities("times", Dimension::TIME)?;
    let times = times.ok_or_else(|| m.missing("times", "[0, 1]"))?;
    let places = m.vectors("displacements", Dimension::LENGTH)?;
    let places = places.ok_or_else(|| m.missing("displacements", "[[0, 0, 0], [0, 0.1, 0]]"))?;
    m.finish()?;
    if times.len() != places.len() || times.is_empty() {
        let text = format!("{} times and {} displacements", times.len(), places.len());
        return Err(m.error("times", text).hint("give one displacement for each time"));
    }
    if times.windows(2).any(|pair| pair[1] <= pair[0]) {
        return Err(m.error("times", "must ascend"));
    }
    let words = format!(
        "along {} keyframes from {} to {}",
        times.len(),
        si(times[0], "s"),
        si(times[times.len() - 1], "s")
    );
    let motion = Motion::Function(Arc::new(move |anchor, t| {
        let (u, v, a) = between(&times, &places, t);
        Moment { x: add(anchor, u), v, a }
    }));
    Ok((motion, words))
}

/// s = 10 τ³ − 15 τ⁴ + 6 τ⁵ between two keys: first and second derivatives vanish at both.
fn between(times: &[f64], places: &[Vec3], t: f64) -> (Vec3, Vec3, Vec3) {
    let after = times.partition_point(|&time| time <= t);
    let still = |i: usize| (places[i], [0.0; 3], [0.0; 3]);
    if after == 0 || after == times.len() {
        return still(after.saturating_sub(1));
    }
    let (h, from) = (times[after] - times[after - 1], places[after - 1]);
    let (tau, way) = ((t - times[after - 1]) / h, sub(places[after], from));
    let s = tau * tau * tau * (10.0 + tau * (6.0 * tau - 15.0));
    let ds = 30.0 * tau * tau * (1.0 + tau * (tau - 2.0)) / h;
    let dds = 60.0 * tau * (1.0 + tau * (2.0 * tau - 3.0)) / (h * h);
    (add_scaled(from, way, s), scale(way, ds), scale(way, dds))
}
