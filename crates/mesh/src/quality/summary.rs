//! The quality of a mesh: ranges, means, histograms.

use super::{CellQuality, cells};
use crate::volume::VolumeMesh;

/// How one measure is spread over the cells of a mesh. All zero when there is no cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// Mean over the cells.
    pub mean: f64,
    /// The worst cell, the first of several.
    pub worst: Option<usize>,
    /// How many cells have which value.
    pub histogram: Histogram,
}

/// Counts in bins of equal width.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Where the first bin starts.
    pub from: f64,
    /// Where the last bin ends; values beyond either end are counted in the bin there.
    pub to: f64,
    /// Cells in each bin.
    pub counts: Vec<usize>,
}

/// The quality of a whole mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Least angle between faces of each cell, degrees; histogram over 0 to 180.
    pub min_dihedral: Summary,
    /// Greatest angle between faces of each cell, degrees; histogram over 0 to 180.
    pub max_dihedral: Summary,
    /// Radius ratio; histogram over 0 to 1.
    pub radius_ratio: Summary,
    /// Scaled Jacobian; histogram over −1 to 1. Its `min` is [`min_quality`](super::min_quality).
    pub scaled_jacobian: Summary,
    /// Aspect; histogram over 0 to 1.
    pub aspect: Summary,
    /// Shortest edge of the mesh, m.
    pub shortest_edge: f64,
    /// Longest edge of the mesh, m.
    pub longest_edge: f64,
}

impl Summary {
    /// Summarises values; `low_is_bad` says at which end the worst is.
    pub fn of(
        values: impl Iterator<Item = f64>,
        low_is_bad: bool,
        (from, to): (f64, f64),
        bins: usize,
    ) -> Self {
        let mut counts = vec![0; bins];
        let (mut min, mut max, mut sum, mut n) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0);
        let (mut lowest, mut highest) = (None, None);
        for (index, value) in values.enumerate() {
            if value < min {
                (min, lowest) = (value, Some(index));
            }
            if value > max {
                (max, highest) = (value, Some(index));
            }
            sum += value;
            n += 1;
            if bins > 0 {
                // The cast of a negative or unordered number gives bin 0.
                let bin = ((value - from) / (to - from) * bins as f64) as usize;
                counts[bin.min(bins - 1)] += 1;
            }
        }
        let or_zero = |x: f64| if n > 0 { x } else { 0.0 };
        Self {
            min: or_zero(min),
            max: or_zero(max),
            mean: or_zero(sum / f64::from(n.max(1))),
            worst: if low_is_bad { lowest } else { highest },
            histogram: Histogram { from, to, counts },
        }
    }
}

/// Summarises the quality of a mesh with histograms of `bins` bins.
pub fn summary(mesh: &VolumeMesh, bins: usize) -> Quality {
    let cells = cells(mesh);
    let of = |value: fn(&CellQuality) -> f64, low_is_bad, range| {
        Summary::of(cells.iter().map(value), low_is_bad, range, bins)
    };
    let shortest = cells.iter().fold(f64::INFINITY, |m, q| m.min(q.shortest_edge));
    Quality {
        min_dihedral: of(|q| q.min_dihedral, true, (0.0, 180.0)),
        max_dihedral: of(|q| q.max_dihedral, false, (0.0, 180.0)),
        radius_ratio: of(|q| q.radius_ratio, true, (0.0, 1.0)),
        scaled_jacobian: of(|q| q.scaled_jacobian, true, (-1.0, 1.0)),
        aspect: of(|q| q.aspect, true, (0.0, 1.0)),
        shortest_edge: if cells.is_empty() { 0.0 } else { shortest },
        longest_edge: cells.iter().fold(0.0, |m, q| m.max(q.longest_edge)),
    }
}
