//! [`Pressure`]: what normal contact tells of the places where surfaces are pressed together, for friction and for reports.

use pliant_algebra::vec3::{Vec3, scale};
use pliant_forces::{Change, Configuration, ForceError, Workspace};

use super::terms::Term;
use super::{NormalContact, Scratch, Touch, scratch};
use crate::distance::Stencil;
use crate::distance::mollifier::Mollifier;
use crate::resultants::Resultants;

/// A pair of primitives that repel each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pressure {
    pub(crate) stencil: Stencil,
    /// Collision vertices; the last is repeated to make four.
    pub(crate) vertices: [u32; 4],
    /// The weights c of the closest points.
    pub(crate) weights: [f64; 4],
    /// From the second primitive to the first.
    pub(crate) normal: Vec3,
    /// −w κ b′, N, with the sign of w; of two edges times their mollifier.
    pub(crate) force: f64,
}

impl Term {
    fn pressed(&self, y: &[Vec3]) -> Pressure {
        let x = self.positions(y);
        let closest = self.stencil.closest(&x);
        let slope = self.barrier.jet(closest.distance, self.activation).first;
        let part = match self.stencil {
            Stencil::EdgeEdge => Mollifier::new(&x, self.rest).value,
            _ => 1.0,
        };
        Pressure {
            stencil: self.stencil,
            vertices: self.vertices,
            weights: closest.weights,
            normal: closest.normal,
            force: -part * self.weight * slope,
        }
    }

    /// κ P at a distance, Pa.
    pub(super) fn pressure(&self, distance: f64) -> f64 {
        let slope = self.barrier.jet(distance, self.activation).first;
        if self.area == 0.0 { 0.0 } else { -slope * self.weight / self.area }
    }
}

impl NormalContact {
    /// With distances and stiffnesses for some pairs of different bodies in place of the smaller ones of both.
    pub fn with_pairs(mut self, mut pairs: Vec<([u32; 2], Touch)>) -> Result<Self, ForceError> {
        for ([a, b], touch) in &mut pairs {
            (*a, *b) = (*a.min(b), *a.max(b));
            self.reach = self.reach.max(touch.distance);
        }
        pairs.sort_by_key(|(pair, _)| *pair);
        self.pairs = pairs;
        Ok(self)
    }

    /// Calls `visit` for each pair of primitives that repel each other at `x`: vertices and triangles in ascending
    /// order of vertices and of the bodies of the triangles, then edges in ascending order. `start` are the positions at
    /// the start of the step, if one led to `x`.
    pub(crate) fn pressures(
        &self,
        x: &[Vec3],
        start: Option<&[Vec3]>,
        work: &mut Scratch,
        mut visit: impl FnMut(Pressure),
    ) {
        let Scratch { near, terms, .. } = work;
        near.update(self, x, start, self.reach);
        terms.find(self, near, 1.0);
        terms.iter().for_each(|term| visit(term.pressed(&near.y)));
    }

    /// Calls `visit` for each vertex that a surface repels, with a distance from it, m: the smallest, and others.
    pub fn gaps(
        &self,
        at: &Configuration<'_>,
        work: &mut Workspace,
        mut visit: impl FnMut(u32, f64),
    ) {
        let Scratch { near, terms, .. } = scratch(work);
        near.update(self, at.x, at.lagged(), self.reach);
        terms.find(self, near, 1.0);
        for term in terms.iter().filter(|term| term.stencil != Stencil::EdgeEdge) {
            visit(term.vertices[0], term.stencil.closest(&term.positions(&near.y)).distance);
        }
    }

    /// The largest distance at which a body and another one begin to repel each other, m.
    pub fn reach_of(&self, body: u32) -> f64 {
        let own = self.bodies.get(body as usize).map_or(0.0, |touch| touch.distance);
        let pairs = self.pairs.iter().filter(|(pair, _)| pair.contains(&body));
        pairs.fold(own, |reach, (_, touch)| reach.max(touch.distance))
    }

    /// Names the couplings of all pairs that repel each other at `x`, and no others.
    pub(crate) fn name_couplings(&mut self, x: &[Vec3]) -> Change {
        let mut work = std::mem::take(&mut self.work);
        let Scratch { near, terms, pairs, .. } = &mut work;
        near.update(self, x, None, self.reach);
        terms.find(self, near, 1.0);
        self.couplings_of(terms.iter(), pairs);
        let changed = *pairs != self.declared;
        if changed {
            self.declared.clone_from(pairs);
        }
        self.work = work;
        if changed { Change::Couplings } else { Change::Same }
    }

    /// The pattern that it was bound to, in the numbering of the system, and the number of its first vertex there.
    pub(crate) fn bound(&self) -> Option<(&pliant_algebra::sparse::Pattern, u32)> {
        self.bound.as_ref().map(|pattern| (pattern, self.first))
    }

    /// Adds the forces by which bodies repel each other at `x`; `start` are the positions at the start of the step that led
    /// there, if one did.
    pub fn resultants(
        &self,
        x: &[Vec3],
        start: Option<&[Vec3]>,
        work: &mut Workspace,
        sums: &mut Resultants,
    ) {
        let Scratch { near, terms, .. } = scratch(work);
        near.update(self, x, start, self.reach);
        terms.find(self, near, 1.0);
        let bodies = self.surface.bodies();
        for term in terms.iter() {
            let (_, gradient) = term.place(&near.y).value();
            let (used, first) = (term.stencil.vertices(), term.stencil.first_vertices());
            let [one, other] = [0, first].map(|i| bodies[term.vertices[i] as usize]);
            for (i, g) in gradient.iter().enumerate().take(used) {
                let pair = if i < first { [one, other] } else { [other, one] };
                sums.add(pair, near.y[term.vertices[i] as usize], scale(*g, -1.0));
            }
        }
    }
}
