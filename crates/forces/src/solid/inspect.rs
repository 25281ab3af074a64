//! J at all points of a solid, eight elements at a time.

use std::marker::PhantomData;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::{F64x8, LANES, Pack, Row4};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::Vec3;
use pliant_elements::{Element, Point};

use super::Solid;
use super::chunk::{ChunkWork, Elements, Geometry};
use super::stages::{gather, load_geometry};
use crate::inspection::Inspection;
use crate::workspace::Workspace;

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    /// The smallest J, and the number of points where it is not above 0.
    pub(super) fn inspection(&self, x: &[Vec3], work: &mut Workspace) -> Inspection {
        let assembly = &self.parts.assembly;
        let tables = assembly.tables::<ChunkWork<N>>(work);
        assembly.each(tables, &|rows, elements, table: &mut ChunkWork<N>| {
            rows.fill(&mut table.x, x);
            table.inspection = elements.inspect::<E>(table, self.level);
        });
        tables.iter().fold(Inspection::default(), |all, table| all.with(table.data.inspection))
    }
}

impl<const N: usize> Elements<N> {
    fn inspect<E: Element<3, N>>(&self, table: &ChunkWork<N>, level: Level) -> Inspection {
        let mut seen = Inspection::default();
        for pack in 0..self.packs() {
            // The last pack is filled up with elements that do not count.
            let lanes = LANES.min(self.cells.len() - pack * LANES);
            for (q, point) in E::POINTS.iter().enumerate() {
                let jacobians = level.run(Jacobians {
                    point,
                    geometry: &self.geometry[pack * E::POINTS.len() + q],
                    nodes: &self.nodes[pack * N..(pack + 1) * N],
                    x: &table.x,
                    element: PhantomData::<E>,
                });
                jacobians.0[..lanes].iter().for_each(|&j| seen.see(j));
            }
        }
        seen
    }
}

/// det F = det(∂x/∂ξ) det(∂X/∂ξ)⁻¹ of eight elements at a point.
struct Jacobians<'a, E, const N: usize> {
    point: &'a Point<3, N>,
    geometry: &'a Geometry,
    nodes: &'a [[u32; LANES]],
    x: &'a [Row4],
    element: PhantomData<E>,
}

impl<E: Element<3, N>, const N: usize> Kernel for Jacobians<'_, E, N> {
    type Output = F64x8;

    #[inline(always)]
    fn run<P: Pack>(self) -> F64x8 {
        let a = Mat3(E::jacobian(self.point, &gather::<P, N>(self.x, self.nodes)));
        let inverse = load_geometry::<P>(self.geometry).0;
        (a.determinant() * inverse.determinant()).store()
    }
}
