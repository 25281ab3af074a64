//! The couplings that contact names: those of pairs of primitives that are near each other, kept while they serve.
//!
//! Named are the couplings of all corners of both primitives, not only of those that the closest points depend on: these change as
//! surfaces slide, and the pattern need not.

use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::{Vec3, norm_squared, sub};
use pliant_forces::Change;
use rayon::prelude::*;

use super::candidates::Candidates;
use super::{NormalContact, Scratch};
use crate::distance::Stencil;

/// Couplings are named for pairs within this many d̂, so that the pattern need not follow each that comes and goes.
pub(super) const MARGIN: f64 = 2.0;
/// Couplings are given up at the start of a step when there are this many times as many as needed, and so many more.
const SPARE: (f64, usize) = (1.5, 64);
/// Candidates that one task looks at.
const CHUNK: usize = 256;

/// Couplings that are not always there, ascending.
pub(super) type Pairs = Vec<(u32, u32)>;

/// What chunks of candidates have found.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    chunks: Vec<Pairs>,
    used: usize,
}

impl Found {
    /// All of them, ascending.
    fn gather(&self, to: &mut Pairs) {
        to.clear();
        self.chunks[..self.used].iter().for_each(|pairs| to.extend_from_slice(pairs));
        to.par_sort_unstable();
        to.dedup();
    }
}

/// Where couplings were named: as long as nothing has moved far from there they serve for certain.
#[derive(Debug, Clone, Default)]
pub(super) struct Covered {
    y: Vec<Vec3>,
}

impl Covered {
    /// Says whether no vertex is farther than `by` from where couplings were named.
    fn serves(&self, y: &[Vec3], by: f64) -> bool {
        let near = |(y, then): (&Vec3, &Vec3)| norm_squared(sub(*y, *then)) <= by * by;
        self.y.len() == y.len() && y.iter().zip(&self.y).all(near)
    }

    pub(super) fn forget(&mut self) {
        self.y.clear();
    }
}

impl NormalContact {
    /// Names the couplings of `x` if those that are named do not serve, or, at the start of a step, if they are too many.
    pub(super) fn follow(&mut self, x: &[Vec3], at_start: bool, work: &mut Scratch) -> Change {
        let Scratch { near, found, pairs, .. } = work;
        self.surface.follow(x, &mut near.y);
        // Two vertices may come nearer to each other by twice what each may move.
        let mut enough = self.covered.serves(&near.y, 0.5 * (MARGIN - 1.0) * self.least_distance());
        let short = self.declared.len() <= SPARE.1 || !at_start;
        if enough && short {
            return Change::Same;
        }
        near.update(self, x, None, MARGIN * self.reach);
        if !enough {
            let known = |pair: &(u32, u32)| self.declared.binary_search(pair).is_ok();
            let all_known = |found: &Found| found.chunks[..found.used].iter().flatten().all(known);
            self.needed(near, MARGIN, found);
            enough = all_known(found);
            if enough {
                // As good as if they had been named here.
                self.covered.y.clone_from(&near.y);
            } else {
                self.needed(near, 1.0, found);
                enough = all_known(found);
            }
            if enough && short {
                return Change::Same;
            }
        }
        self.needed(near, MARGIN, found);
        found.gather(pairs);
        let most = (SPARE.0 * pairs.len() as f64) as usize + SPARE.1;
        if enough && self.declared.len() <= most {
            return Change::Same;
        }
        self.covered.y.clone_from(&near.y);
        if *pairs == self.declared {
            return Change::Same;
        }
        self.declared.clone_from(pairs);
        Change::Couplings
    }

    /// The smallest d̂ of two bodies, m.
    fn least_distance(&self) -> f64 {
        let of_bodies = self.bodies.iter().map(|touch| touch.distance);
        of_bodies.chain(self.pairs.iter().map(|(_, t)| t.distance)).fold(f64::INFINITY, f64::min)
    }

    /// Finds the couplings of candidates within `stretch` times their d̂.
    fn needed(&self, near: &Candidates, stretch: f64, found: &mut Found) {
        let counts = [near.points(), near.edges()].map(|list| list.len().div_ceil(CHUNK));
        found.used = counts[0] + counts[1];
        if found.chunks.len() < found.used {
            found.chunks.resize_with(found.used, Vec::new);
        }
        let Some(base) = &self.base else {
            found.used = 0;
            return;
        };
        found.chunks[..found.used].par_iter_mut().enumerate().for_each(|(chunk, pairs)| {
            pairs.clear();
            if let Some(k) = chunk.checked_sub(counts[0]) {
                self.edges_needed(near, k * CHUNK, stretch, base, pairs);
            } else {
                self.points_needed(near, chunk * CHUNK, stretch, base, pairs);
            }
        });
    }

    fn points_needed(
        &self,
        near: &Candidates,
        first: usize,
        stretch: f64,
        base: &Pattern,
        to: &mut Pairs,
    ) {
        let last = near.points().len().min(first + CHUNK);
        for (k, &[v, t]) in (first..).zip(&near.points()[first..last]) {
            let vertices = self.surface.point_and_triangle([v, t]);
            let apart = |reach| near.point_is_apart(k, &vertices, reach);
            if !self.surface.is_beside(v, t)
                && self.is_near(near, Stencil::PointTriangle, &vertices, stretch, apart)
            {
                self.couple(&vertices, base, to);
            }
        }
    }

    fn edges_needed(
        &self,
        near: &Candidates,
        first: usize,
        stretch: f64,
        base: &Pattern,
        to: &mut Pairs,
    ) {
        let last = near.edges().len().min(first + CHUNK);
        for (k, &pair) in (first..).zip(&near.edges()[first..last]) {
            let vertices = self.surface.two_edges(pair);
            let apart = |reach| near.edges_are_apart(k, &vertices, reach);
            if self.is_near(near, Stencil::EdgeEdge, &vertices, stretch, apart) {
                self.couple(&vertices, base, to);
            }
        }
    }

    fn is_near(
        &self,
        near: &Candidates,
        stencil: Stencil,
        vertices: &[u32; 4],
        stretch: f64,
        apart: impl Fn(f64) -> bool,
    ) -> bool {
        let second = vertices[stencil.first_vertices()];
        let [one, other] = [vertices[0], second].map(|v| self.surface.bodies()[v as usize]);
        let reach = stretch * self.between(one, other).0;
        let x = || vertices.map(|v| near.y[v as usize]);
        !apart(reach) && stencil.closest(&x()).distance < reach
    }

    /// Notes the couplings of all corners, as far as they are not in the base.
    fn couple(&self, vertices: &[u32; 4], base: &Pattern, to: &mut Pairs) {
        let nodes = || vertices.iter().flat_map(|&v| self.surface.nodes_of(v).0);
        for &i in nodes() {
            for &j in nodes().filter(|&&j| i < j) {
                if base.slot(self.first + i, self.first + j).is_none() {
                    to.push((i, j));
                }
            }
        }
    }
}
