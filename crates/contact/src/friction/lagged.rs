//! [`Lagged`]: the places where surfaces rub in a step, with the normal forces of its start.
//!
//! The places are those of the positions at the start; the forces are those that acted at the end of the step before, which is
//! remembered. They differ where the area of a vertex changes from step to step, as that of a vertex does which comes below the edge
//! of a block: taken at once, the new area would press with the old gap, and friction would be too large by far for a step.
//!
//! Friction must be that of the pressure in all. The terms of the normal force count places with signs, by inclusion and
//! exclusion, and friction of a negative term would drive what slides. So the terms of a vertex and one other body are
//! taken together: friction acts at its positive terms, each with its own normal and closest point, and their forces are
//! scaled to the sum with signs. On a flat or convex surface one term is left and keeps its force; where rounding splits
//! a place at an edge into several terms with one normal, these share it; in a groove the vertex rubs along both sides,
//! as it must (one resultant normal force there would be too small by the cosine of half the opening). What is
//! left is a sum of convex potentials. Terms of two edges have no signs: each rubs for itself, with its small part of the pressure, or
//! with all of it where edges cross.

use pliant_algebra::vec3::Vec3;
use pliant_forces::Keyed;
use pliant_forces::coulomb::Pressed;
use pliant_forces::obstacles::Stepping;

use super::ContactFriction;
use super::memory::{key, remembered};
use super::pressing::Scratch;
use crate::distance::Stencil;
use crate::normal::{Node, Pressure};

/// Two primitives that rub.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rub {
    /// What its slip is remembered by: see [`key`].
    pub(super) key: u64,
    pub(super) stencil: Stencil,
    /// Collision vertices; the last is repeated to make four.
    pub(super) vertices: [u32; 4],
    /// The weights c of the closest points.
    pub(super) weights: [f64; 4],
    /// From the second primitive to the first.
    pub(super) pressed: Pressed,
}

/// All of a configuration, in ascending order of keys.
#[derive(Debug, Clone, Default)]
pub(super) struct Lagged {
    pub(super) rubs: Vec<Rub>,
    /// Scratch of tangents.
    pub(super) nodes: Vec<Node>,
    /// Positions that they were found for, and what was remembered.
    x: Vec<Vec3>,
    remembered: Vec<f64>,
    /// Whether they were found, and whether with what was remembered.
    found: Option<bool>,
    ends: Vec<End>,
    normal: Scratch,
    /// Scratch of explicit methods: of each vertex Σ μ λ |c| Σ |c|, N.
    held_by: Vec<f64>,
}

/// The terms of one key at the end of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) key: u64,
    /// Σ λ with signs, N.
    pub(super) force: f64,
    /// That of the largest term.
    pub(super) normal: Vec3,
    largest: f64,
}

/// The terms of one vertex and one other body.
#[derive(Default)]
struct Group {
    key: u64,
    /// The first of its rubs.
    first: usize,
    /// Σ λ with signs, and of the positive ones, N.
    sum: f64,
    positive: f64,
}

impl Lagged {
    /// Finds those at `x` with the forces that are remembered, or those at `x` where there is no memory, if they are not those that
    /// it has.
    pub(super) fn update(
        &mut self,
        friction: &ContactFriction,
        x: &[Vec3],
        memory: Option<&Keyed>,
    ) -> &[Rub] {
        let Self { rubs, x: known, remembered, found, normal, held_by, .. } = self;
        let values = memory.map_or(&[][..], Keyed::values);
        let by_memory = Some(memory.is_some());
        if *found == by_memory && known == x && remembered == values {
            return rubs;
        }
        rubs.clear();
        let mut group = Group::default();
        friction.pressing.pressures(x, None, normal, |pressure| {
            let key = key(friction.pressing.surface(), &pressure);
            if key != group.key {
                group.close(memory, rubs);
                group = Group { key, first: rubs.len(), sum: 0.0, positive: 0.0 };
            }
            group.sum += pressure.force;
            group.positive += pressure.force.max(0.0);
            rubs.extend(friction.rub(key, &pressure));
        });
        group.close(memory, rubs);
        friction.steady(rubs, held_by);
        known.clear();
        known.extend_from_slice(x);
        remembered.clear();
        remembered.extend_from_slice(values);
        *found = by_memory;
        rubs
    }

    /// Finds the normal forces at the end of a step that led from `start` to `x`, in ascending order of keys.
    pub(super) fn ends(
        &mut self,
        friction: &ContactFriction,
        x: &[Vec3],
        start: Option<&[Vec3]>,
    ) -> (&[Rub], &[End]) {
        let Self { rubs, ends, normal, .. } = self;
        ends.clear();
        friction.pressing.pressures(x, start, normal, |pressure| {
            let key = key(friction.pressing.surface(), &pressure);
            let Pressure { force, normal, .. } = pressure;
            match ends.last_mut().filter(|end| end.key == key) {
                None => ends.push(End { key, force, normal, largest: force }),
                Some(end) => {
                    end.force += force;
                    if force > end.largest {
                        (end.largest, end.normal) = (force, normal);
                    }
                }
            }
        });
        (rubs, ends)
    }
}

impl Group {
    /// Scales the forces of its rubs, which are the last ones, to the sum that is remembered, or to their own with signs.
    fn close(&self, memory: Option<&Keyed>, rubs: &mut Vec<Rub>) {
        let force = memory.map_or(self.sum, |memory| remembered(memory, self.key));
        if force <= 0.0 {
            rubs.truncate(self.first);
        } else if force != self.positive {
            let part = force / self.positive;
            rubs[self.first..].iter_mut().for_each(|rub| rub.pressed.force *= part);
        }
    }
}

impl ContactFriction {
    /// Raises the stick lengths of an explicit method with steps h to 2 h² Σ μ λ |cᵢ| (Σ |cⱼ|)/mᵢ of the vertices that rub: friction then
    /// changes no velocity by more than there is, as the majorant of its matrix is at most m/h.
    fn steady(&self, rubs: &mut [Rub], held_by: &mut Vec<f64>) {
        let Stepping::Explicit(h) = self.stepping else { return };
        let surface = self.pressing.surface();
        let total = |rub: &Rub| {
            let sum: f64 = rub.weights[..rub.stencil.vertices()].iter().map(|c| c.abs()).sum();
            sum * rub.pressed.force
        };
        let each = |rub: &Rub, visit: &mut dyn FnMut(usize, f64)| {
            let used = rub.stencil.vertices();
            for (&vertex, c) in rub.vertices[..used].iter().zip(rub.weights) {
                let (nodes, weights) = surface.nodes_of(vertex);
                nodes.iter().zip(weights).for_each(|(&n, w)| visit(n as usize, (c * w).abs()));
            }
        };
        held_by.clear();
        held_by.resize(self.masses.len(), 0.0);
        for rub in &*rubs {
            let force = total(rub);
            each(rub, &mut |node, part| {
                if let Some(sum) = held_by.get_mut(node) {
                    *sum += part * force;
                }
            });
        }
        for rub in rubs {
            let mut least = 0.0_f64;
            each(rub, &mut |node, part| {
                let mass = self.masses.get(node).copied().unwrap_or(0.0);
                if part > 0.0 && mass > 0.0 {
                    least = least.max(2.0 * h * h * held_by[node] / mass);
                }
            });
            rub.pressed.stick = rub.pressed.stick.max(least);
        }
    }

    /// A pair that is pressed together as one that rubs, if it does.
    fn rub(&self, key: u64, pressure: &Pressure) -> Option<Rub> {
        let Pressure { stencil, vertices, weights, normal, force } = *pressure;
        let used = stencil.vertices();
        let (v, c) = (&vertices[..used], &weights[..used]);
        let rubbing = self.rubbings.of(v, c, stencil.first_vertices());
        let force = rubbing.coefficient * force;
        let pressed = Pressed { normal, force, stick: rubbing.stick };
        (force > 0.0).then_some(Rub { key, stencil, vertices, weights, pressed })
    }
}
