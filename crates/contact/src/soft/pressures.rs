//! The places where bodies are pressed together, for friction.

use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::Vec3;
use pliant_forces::Change;

use super::{Scratch, SoftContact, SoftTangent};
use crate::distance::Stencil;
use crate::normal::Pressure;

impl SoftContact {
    /// Calls `visit` for each vertex that presses on a body at `x`, in ascending order of vertices and of these bodies.
    pub(crate) fn pressures(
        &self,
        x: &[Vec3],
        work: &mut Scratch,
        mut visit: impl FnMut(Pressure),
    ) {
        let Scratch { presses, order, .. } = work;
        presses.find(self, x, 1.0);
        order.clear();
        order.extend(presses.iter().copied());
        let bodies = self.surface.bodies();
        order.sort_unstable_by_key(|press| {
            let [vertex, corner, ..] = press.vertices;
            (vertex, bodies[corner as usize])
        });
        for press in order {
            let [_, force, _] = press.potential();
            visit(Pressure {
                stencil: Stencil::PointTriangle,
                vertices: press.vertices,
                weights: press.closest.weights,
                normal: press.closest.normal,
                force,
            });
        }
    }

    /// Names the couplings of all vertices that press on a body at `x`, and no others; a diagonal has none.
    pub(crate) fn name_couplings(&mut self, x: &[Vec3]) -> Change {
        if self.tangent == SoftTangent::Majorant {
            return Change::Same;
        }
        let mut work = std::mem::take(&mut self.work);
        let Scratch { presses, pairs, .. } = &mut work;
        presses.find(self, x, 1.0);
        let lists = presses.iter().map(|p| p.vertices.map(|v| self.nodes[v as usize]));
        self.declared.missing(lists, pairs);
        let change = self.declared.replace(pairs);
        self.work = work;
        change
    }

    /// The pattern that it was bound to, and the number of its first vertex there.
    pub(crate) fn bound(&self) -> Option<(&Pattern, u32)> {
        self.declared.bound()
    }
}
