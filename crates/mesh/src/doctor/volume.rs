//! Checks of volume meshes.

use pliant_algebra::vec3::{Vec3, is_finite};

use super::Options;
use super::duplicates::{first_alike, repeats};
use super::problem::{Diagnosis, Item, Problem, ProblemKind, Severity, Tally};
use super::weld::{first_at_same_place, first_nearby};
use crate::cell::CellType;
use crate::error::{ErrorKind, MeshError};
use crate::measure::BoundingBox;
use crate::quality::{self, CellQuality};
use crate::topology::{boundary_faces, components, for_each_face, polygon_edges};
use crate::volume::{NO_REGION, VolumeMesh};

use Severity::{Error, Notice, Warning};

/// Finds everything that is wrong with a volume mesh.
pub fn check(mesh: &VolumeMesh, options: &Options) -> Diagnosis {
    let mut d = Diagnosis::default();
    if let Some(error) = structural_error(mesh.validate(), || {
        let vertices = finite(&mesh.vertices);
        VolumeMesh { vertices, ..mesh.clone() }.validate()
    }) {
        d.push(invalid(&error));
        return d;
    }
    if mesh.cell_count() == 0 {
        d.push(empty(mesh.vertex_count(), "elements"));
    }
    not_finite(&mesh.vertices, &mut d);
    elements(mesh, options, &mut d);
    let alike = first_alike(
        &mesh.cells,
        mesh.cell_type.nodes(),
        mesh.cell_type.corners(),
        mesh.vertex_count(),
    );
    copies(&alike).report(
        &mut d,
        (ProblemKind::DuplicateElements, Error, Item::Element),
        "a copy of an earlier one with the same vertices",
        "the copies can be removed",
        true,
    );
    vertices(&mesh.vertices, &mesh.cells, options, Error, &mut d);
    boundary(mesh, &alike, &mut d);
    parts(mesh, &mut d);
    names(mesh, &mut d);
    unit_scale(&mesh.vertices, options, &mut d);
    d
}

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

/// What the shape of each element says.
fn elements(mesh: &VolumeMesh, options: &Options, d: &mut Diagnosis) {
    let [mut repeated, mut degenerate, mut inverted, mut folded, mut sliver] =
        [Tally::default(); 5];
    let mut worst: Option<CellQuality> = None;
    for (index, q) in quality::cells(mesh).into_iter().enumerate() {
        let cell = mesh.cell(index);
        if repeats(cell) {
            repeated.hit(index);
        } else if !cell.iter().all(|&v| is_finite(mesh.vertices[v as usize])) {
            // Counted by vertices.
        } else if q.relative_volume.abs() <= options.degenerate {
            degenerate.hit(index);
        } else if q.relative_volume < 0.0 {
            inverted.hit(index);
        } else if q.scaled_jacobian < 0.0 {
            folded.hit(index);
        } else if q.min_dihedral < options.sliver_angle
            || q.max_dihedral > 180.0 - options.sliver_angle
            || q.radius_ratio < options.sliver_ratio
        {
            sliver.hit(index);
            if worst.is_none_or(|w| q.radius_ratio < w.radius_ratio) {
                worst = Some(q);
            }
        }
    }
    inverted.report(
        d,
        (ProblemKind::Inverted, Error, Item::Element),
        "inverted: its volume is negative",
        "inverted elements can be turned round by renumbering their vertices",
        true,
    );
    folded.report(
        d,
        (ProblemKind::Folded, Warning, Item::Element),
        "folded over at a corner or middle node, though its volume is positive",
        "move its vertices apart or mesh that place again",
        false,
    );
    degenerate.report(
        d,
        (ProblemKind::Degenerate, Error, Item::Element),
        "degenerate: its vertices differ but span no volume",
        "removing it would leave a gap: move its vertices apart or mesh that place again",
        false,
    );
    let collapsed = mesh.cell_type == CellType::Hex8;
    repeated.report(
        d,
        (ProblemKind::RepeatedVertex, Error, Item::Element),
        "collapsed: it names a vertex twice",
        if collapsed {
            "those without volume can be removed; split wedges and pyramids into tetrahedra"
        } else {
            "elements without volume can be removed"
        },
        true,
    );
    let shape = worst.map_or(String::new(), |w| {
        format!(
            "a sliver (the worst has angles from {:.2}° to {:.2}° and radius ratio {:.4})",
            w.min_dihedral, w.max_dihedral, w.radius_ratio
        )
    });
    sliver.report(
        d,
        (ProblemKind::Slivers, Warning, Item::Element),
        &shape,
        "slivers make systems stiff and badly conditioned: fill the surface anew, or smooth the mesh",
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
    nodes: &[u32],
    options: &Options,
    severity: Severity,
    d: &mut Diagnosis,
) {
    let same = first_at_same_place(vertices);
    copies(&same).report(
        d,
        (ProblemKind::DuplicateVertices, severity, Item::Vertex),
        "at exactly the place of an earlier one",
        "merge them: where they meet, the mesh is not connected",
        true,
    );
    let tolerance = options.close * BoundingBox::of(vertices).diagonal();
    let near = first_nearby(vertices, &same, tolerance);
    let close = |&v: &usize| near[v] as usize != v && same[v] as usize == v;
    Tally::of((0..vertices.len()).filter(close)).report(
        d,
        (ProblemKind::CloseVertices, Warning, Item::Vertex),
        &format!("within {tolerance:.1e} m of an earlier one"),
        "merge them: they look like one vertex written twice",
        true,
    );
    let mut used = vec![false; vertices.len()];
    nodes.iter().for_each(|&v| used[v as usize] = true);
    Tally::of((0..vertices.len()).filter(|&v| !used[v])).report(
        d,
        (ProblemKind::UnreferencedVertices, Warning, Item::Vertex),
        "not used by any element",
        "they would have no mass; remove them",
        true,
    );
}

/// Faces with too many cells, and a boundary that touches itself.
fn boundary(mesh: &VolumeMesh, alike: &[u32], d: &mut Diagnosis) {
    let mut crowded: Vec<u32> = Vec::new();
    for_each_face(mesh, |sides| {
        // Copies of one element share all faces, and are reported as copies.
        let different = sides.iter().filter(|s| alike[s.cell as usize] == s.cell);
        let third = different.clone().nth(2);
        if let Some(third) = third {
            crowded.push(third.cell);
        }
    });
    crowded.sort_unstable();
    Tally::of(crowded.iter().map(|&c| c as usize)).report(
        d,
        (ProblemKind::NonManifoldFaces, Error, Item::Element),
        "the third or further one at a face",
        "only two elements can share a face: these overlap, remove what does not belong there",
        false,
    );
    let faces = boundary_faces(mesh);
    let report = polygon_edges(&faces.vertices, faces.corners, mesh.vertex_count());
    let at_edges: Vec<usize> = report.non_manifold.iter().map(|e| e[0] as usize).collect();
    Tally::of(at_edges.into_iter()).report(
        d,
        (ProblemKind::NonManifoldEdges, Warning, Item::Vertex),
        "the beginning of an edge where parts of the body touch without sharing a face",
        "such an edge is a hinge without stiffness: join the parts by elements, or part them",
        false,
    );
    Tally::of(report.non_manifold_vertices.iter().map(|&v| v as usize)).report(
        d,
        (ProblemKind::NonManifoldVertices, Warning, Item::Vertex),
        "a point where parts of the body touch without sharing a face",
        "such a point is a joint without stiffness: join the parts by elements, or part them",
        false,
    );
}

fn parts(mesh: &VolumeMesh, d: &mut Diagnosis) {
    let parts = components(mesh);
    if parts.count > 1 {
        d.push(disconnected(&parts.sizes(), &parts.label, Item::Element, Warning));
    }
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

/// Regions and sets that are empty or incomplete.
fn names(mesh: &VolumeMesh, d: &mut Diagnosis) {
    let mut filled = vec![false; mesh.regions.len()];
    mesh.cell_region.iter().filter(|&&r| r != NO_REGION).for_each(|&r| filled[r as usize] = true);
    let empty: Vec<usize> = (0..filled.len()).filter(|&r| !filled[r]).collect();
    if let Some(&first) = empty.first() {
        Tally { count: empty.len(), first }.report(
            d,
            (ProblemKind::EmptyRegions, Notice, Item::Region),
            &format!("without elements, such as '{}'", mesh.regions[first].name),
            "remove it, or check that all elements were exported",
            true,
        );
    }
    let sets = || mesh.cell_sets.iter().chain(&mesh.vertex_sets);
    let empty = Tally::of(sets().enumerate().filter(|(_, s)| s.items.is_empty()).map(|(i, _)| i));
    if let Some(set) = sets().nth(empty.first) {
        empty.report(
            d,
            (ProblemKind::EmptySets, Notice, Item::Set),
            &format!("without members, such as '{}'", set.name),
            "remove it, or check that all members were exported",
            true,
        );
    }
    let lost = |&c: &usize| mesh.cell_region[c] == NO_REGION;
    Tally::of((0..mesh.cell_region.len()).filter(lost)).report(
        d,
        (ProblemKind::WithoutRegion, Notice, Item::Element),
        "in no region, though the mesh has regions",
        "it gets the default material; put it into a region if that is not meant",
        false,
    );
}

pub(super) fn unit_scale(vertices: &[Vec3], options: &Options, d: &mut Diagnosis) {
    let length = BoundingBox::of(vertices).extent().into_iter().fold(0.0, f64::max);
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
