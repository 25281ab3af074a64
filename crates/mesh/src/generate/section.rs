//! Plane meshes of quadrilaterals, to be swept into bodies.

use super::check;
use super::lattice::{cell_lines, core_point, on_ball};
use crate::error::MeshError;

/// A plane mesh of quadrilaterals, counter-clockwise, with named points.
pub(super) struct Section {
    pub(super) points: Vec<[f64; 2]>,
    pub(super) quads: Vec<[u32; 4]>,
    pub(super) sets: Vec<(&'static str, Vec<u32>)>,
}

impl Section {
    /// A grid over the given lines; `names` are those of the sides first x, last x, first y,
    /// last y.
    pub(super) fn grid(
        xs: &[f64],
        ys: &[f64],
        names: [&'static str; 4],
    ) -> Result<Self, MeshError> {
        let (nx, ny) = (xs.len(), ys.len());
        let count = check::vertices(nx.saturating_mul(ny))?;
        let mut points = check::table(count)?;
        for &y in ys {
            points.extend(xs.iter().map(|&x| [x, y]));
        }
        let index = |i: usize, j: usize| (i + nx * j) as u32;
        let mut quads = check::table(count)?;
        for j in 1..ny {
            quads.extend(
                (1..nx)
                    .map(|i| [index(i - 1, j - 1), index(i, j - 1), index(i, j), index(i - 1, j)]),
            );
        }
        let column = |i: usize| (0..ny).map(|j| index(i, j)).collect();
        let row = |j: usize| (0..nx).map(|i| index(i, j)).collect();
        let sides = [column(0), column(nx - 1), row(0), row(ny - 1)];
        Ok(Self { points, quads, sets: names.into_iter().zip(sides).collect() })
    }

    /// The unit disc: a square of `core` × `core` cells in the middle, `rings` rings around it.
    /// The rim is named `outer`.
    pub(super) fn disc(core: usize, rings: usize) -> Result<Self, MeshError> {
        let rim = core.saturating_mul(4);
        let square = (core + 1).saturating_mul(core + 1);
        check::vertices(square.saturating_add(rim.saturating_mul(rings)))?;
        let lines = cell_lines(core);
        let mut section = Self::grid(&lines, &lines, [""; 4])?;
        section.sets.clear();

        // The border of the square, counter-clockwise from its first corner.
        let at = |i: usize, j: usize| (i + (core + 1) * j) as u32;
        let border: Vec<u32> = (0..core)
            .map(|i| at(i, 0))
            .chain((0..core).map(|j| at(core, j)))
            .chain((0..core).map(|i| at(core - i, core)))
            .chain((0..core).map(|j| at(0, core - j)))
            .collect();
        let square_points = section.points.clone();
        for point in &mut section.points {
            *point = core_point(*point);
        }
        let mut inner = border.clone();
        for ring in 1..=rings {
            let t = ring as f64 / rings as f64;
            let first = section.points.len() as u32;
            section.points.extend(border.iter().map(|&b| {
                let p = square_points[b as usize];
                let (from, to) = (core_point(p), on_ball(p));
                [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])]
            }));
            let outer: Vec<u32> = (first..first + rim as u32).collect();
            section.quads.extend((0..rim).map(|j| {
                let next = (j + 1) % rim;
                [inner[j], outer[j], outer[next], inner[next]]
            }));
            inner = outer;
        }
        section.sets.push(("outer", inner));
        Ok(section)
    }

    /// A ring between the radii `inner` and `outer`, which name its sides.
    pub(super) fn annulus(
        radii: [f64; 2],
        radial: usize,
        around: usize,
    ) -> Result<Self, MeshError> {
        check::vertices((radial + 1).saturating_mul(around))?;
        let mut section = Self { points: Vec::new(), quads: Vec::new(), sets: Vec::new() };
        for j in 0..around {
            let (sin, cos) = (std::f64::consts::TAU * j as f64 / around as f64).sin_cos();
            section.points.extend((0..=radial).map(|i| {
                let t = i as f64 / radial as f64;
                let r = radii[0] * (1.0 - t) + radii[1] * t;
                [r * cos, r * sin]
            }));
        }
        let at = |i: usize, j: usize| (i + (radial + 1) * (j % around)) as u32;
        for j in 0..around {
            section.quads.extend(
                (0..radial).map(|i| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]),
            );
        }
        for (name, i) in [("inner", 0), ("outer", radial)] {
            section.sets.push((name, (0..around).map(|j| at(i, j)).collect()));
        }
        Ok(section)
    }

    /// Removes the quadrilaterals whose middle `is_gone`; the cut they leave is named `cut`.
    #[must_use]
    pub(super) fn without(self, cut: &'static str, is_gone: impl Fn([f64; 2]) -> bool) -> Self {
        let middle = |quad: &[u32; 4]| {
            let sum = |axis| quad.iter().map(|&v| self.points[v as usize][axis]).sum::<f64>();
            [0.25 * sum(0), 0.25 * sum(1)]
        };
        let (gone, kept): (Vec<[u32; 4]>, Vec<[u32; 4]>) =
            self.quads.iter().partition(|quad| is_gone(middle(quad)));
        let mark = |quads: &[[u32; 4]]| {
            let mut marked = vec![false; self.points.len()];
            for &v in quads.as_flattened() {
                marked[v as usize] = true;
            }
            marked
        };
        let (at_gone, at_kept) = (mark(&gone), mark(&kept));
        let mut new_index = vec![0; self.points.len()];
        let mut points = Vec::new();
        let mut on_cut = Vec::new();
        for (v, &point) in self.points.iter().enumerate() {
            if at_kept[v] {
                new_index[v] = points.len() as u32;
                if at_gone[v] {
                    on_cut.push(new_index[v]);
                }
                points.push(point);
            }
        }
        let rename = |v: u32| new_index[v as usize];
        let mut sets: Vec<_> = self
            .sets
            .iter()
            .map(|(name, items)| {
                let kept = items.iter().filter(|&&v| at_kept[v as usize]);
                (*name, kept.map(|&v| rename(v)).collect())
            })
            .collect();
        sets.push((cut, on_cut));
        Self { points, quads: kept.iter().map(|quad| quad.map(rename)).collect(), sets }
    }
}
