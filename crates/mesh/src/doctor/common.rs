//! Checks that volume meshes and surfaces share.

use pliant_algebra::vec3::{Vec3, is_finite};

use super::Options;
use super::problem::{Diagnosis, Item, Problem, ProblemKind, Severity, Tally};
use super::weld::{Same, same_vertices};
use crate::error::{ErrorKind, MeshError};
use crate::spatial::Aabb;

use Severity::{Error, Notice, Warning};

/// The error of a mesh whose tables contradict each other. Numbers that are not finite hide other
/// errors from `validate`, so that without them it is asked again.
pub(super) fn structural_error(
    result: Result<(), MeshError>,
    again: impl FnOnce() -> Result<(), MeshError>,
) -> Option<MeshError> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFinite => again().err(),
        other => other.err(),
    }
}

/// The same points with all that is not finite replaced by zero.
pub(super) fn finite(points: &[Vec3]) -> Vec<Vec3> {
    points.iter().map(|&p| if is_finite(p) { p } else { [0.0; 3] }).collect()
}

pub(super) fn invalid(error: &MeshError) -> Problem {
    Problem {
        kind: ProblemKind::Invalid,
        severity: Error,
        count: 1,
        first: 0,
        item: Item::Mesh,
        detail: error.details().message.clone(),
        hint: "the mesh was put together wrongly; no reader gives such a mesh".into(),
        fixable: false,
    }
}

pub(super) fn empty(vertices: usize, what: &str) -> Problem {
    Problem {
        kind: ProblemKind::Empty,
        severity: Error,
        count: 1,
        first: 0,
        item: Item::Mesh,
        detail: format!("there are {vertices} vertices but no {what}"),
        hint: "check that the whole mesh was exported".into(),
        fixable: false,
    }
}

pub(super) fn not_finite(vertices: &[Vec3], d: &mut Diagnosis) {
    Tally::of((0..vertices.len()).filter(|&v| !is_finite(vertices[v]))).report(
        d,
        (ProblemKind::NotFinite, Error, Item::Vertex),
        "at a place that is not finite",
        "correct their coordinates in the file",
        false,
    );
}

/// Counts the entries that are not the first of their kind.
pub(super) fn copies(first: &[u32]) -> Tally {
    Tally::of((0..first.len()).filter(|&i| first[i] as usize != i))
}

/// Vertices that are repeated or not used.
pub(super) fn vertices(
    vertices: &[Vec3],
    (nodes, stride): (&[u32], usize),
    options: &Options,
    severity: Severity,
    d: &mut Diagnosis,
) {
    let Same { exact, close, tolerance } = same_vertices(vertices, nodes, stride, options.close);
    copies(&exact).report(
        d,
        (ProblemKind::DuplicateVertices, severity, Item::Vertex),
        "at exactly the place of an earlier one",
        "merge them: where they meet, the mesh is not connected",
        true,
    );
    let close = |&v: &usize| close[v] as usize != v && exact[v] as usize == v;
    Tally::of((0..vertices.len()).filter(close)).report(
        d,
        (ProblemKind::CloseVertices, Warning, Item::Vertex),
        &format!("within {tolerance:.1e} m of an earlier one"),
        "merge them: they look like one vertex written twice",
        true,
    );
    let mut used = vec![false; vertices.len()];
    for &v in nodes {
        used[v as usize] = true;
    }
    Tally::of((0..vertices.len()).filter(|&v| !used[v])).report(
        d,
        (ProblemKind::UnreferencedVertices, Warning, Item::Vertex),
        "not used by any element",
        "they would have no mass; remove them",
        true,
    );
}

/// The problem of several parts; the first item of the second part is named.
pub(super) fn disconnected(
    sizes: &[usize],
    label: &[u32],
    item: Item,
    severity: Severity,
) -> Problem {
    let (least, most) = sizes.iter().fold((usize::MAX, 0), |(l, m), &s| (l.min(s), m.max(s)));
    let name = item.name();
    Problem {
        kind: ProblemKind::Disconnected,
        severity,
        count: sizes.len(),
        first: label.iter().position(|&l| l != 0).unwrap_or(0),
        item,
        detail: format!("{} parts that do not touch, of {least} to {most} {name}s", sizes.len()),
        hint: "hold each part by itself, or remove what does not belong there".into(),
        fixable: false,
    }
}

pub(super) fn unit_scale(vertices: &[Vec3], options: &Options, d: &mut Diagnosis) {
    let length = Aabb::of(vertices).extent().into_iter().fold(0.0, f64::max);
    let hint = if length >= options.largest {
        "lengths are metres: if the file is in millimetres, scale it by 0.001"
    } else if length > 0.0 && length <= options.smallest {
        "lengths are metres: if the file is in kilometres, scale it by 1000; if it was scaled from \
         millimetres or micrometres twice, undo one of them"
    } else {
        return;
    };
    d.push(Problem {
        kind: ProblemKind::UnitScale,
        severity: Notice,
        count: 1,
        first: 0,
        item: Item::Mesh,
        detail: format!("the body is {length:.3e} m long"),
        hint: hint.into(),
        fixable: false,
    });
}
