//! Sweeping a plane section along a path.

use pliant_algebra::vec3::Vec3;

use super::check;
use super::section::Section;
use crate::cell::CellType;
use crate::error::MeshError;
use crate::volume::{NamedSet, VolumeMesh};

/// The stations of a sweep.
pub(super) struct Path<'a> {
    /// Parameters along the path, one for each station.
    pub(super) stations: &'a [f64],
    /// Names of the first and last station, or none if the last is joined to the first.
    pub(super) ends: Option<[&'a str; 2]>,
}

/// Hexahedra between copies of a section; `map` gives the position of a section point at a
/// station. Positive when `map` is right-handed in (section, path).
pub(super) fn sweep(
    section: &Section,
    path: &Path<'_>,
    map: impl Fn([f64; 2], f64) -> Vec3,
) -> Result<VolumeMesh, MeshError> {
    let (size, stations) = (section.points.len(), path.stations.len());
    let mut vertices = check::table(check::vertices(size.saturating_mul(stations))?)?;
    for &t in path.stations {
        vertices.extend(section.points.iter().map(|&p| map(p, t)));
    }
    let layers = if path.ends.is_some() { stations.saturating_sub(1) } else { stations };
    let mut cells = check::table(section.quads.len().saturating_mul(layers).saturating_mul(8))?;
    for layer in 0..layers {
        let (low, high) = ((layer * size) as u32, ((layer + 1) % stations * size) as u32);
        for quad in &section.quads {
            cells.extend(quad.map(|v| low + v));
            cells.extend(quad.map(|v| high + v));
        }
    }
    let mut mesh = VolumeMesh::new(CellType::Hex8, vertices, cells);
    for (name, points) in &section.sets {
        let items = (0..stations).flat_map(|s| points.iter().map(move |&v| (s * size) as u32 + v));
        mesh.vertex_sets.push(NamedSet::new(*name, items.collect()));
    }
    if let Some(names) = path.ends {
        for (name, station) in names.into_iter().zip([0, stations.saturating_sub(1)]) {
            let first = (station * size) as u32;
            mesh.vertex_sets.push(NamedSet::new(name, (first..first + size as u32).collect()));
        }
    }
    Ok(mesh)
}

/// `cells` equal steps from 0 to 1.
pub(super) fn unit_lines(cells: usize) -> Vec<f64> {
    (0..=cells).map(|i| i as f64 / cells as f64).collect()
}

/// `cells` steps from 0 to 1 in geometric progression, the last `ratio` times the first.
pub(super) fn graded_lines(cells: usize, ratio: f64) -> Vec<f64> {
    if ratio == 1.0 || cells < 2 {
        return unit_lines(cells);
    }
    // With q the ratio of neighbours, the sum of i steps is (qⁱ − 1)/(qⁿ − 1).
    let log_q = ratio.ln() / (cells - 1) as f64;
    let sum = |i: usize| (i as f64 * log_q).exp_m1();
    (0..=cells).map(|i| sum(i) / sum(cells)).collect()
}
