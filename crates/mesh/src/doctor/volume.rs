//! Checks of volume meshes.

use std::borrow::Cow;

use pliant_algebra::vec3::is_finite;

use super::Options;
use super::common::{
    copies, disconnected, empty, finite, invalid, not_finite, structural_error, unit_scale,
    vertices,
};
use super::duplicates::{first_alike, repeats};
use super::problem::{Diagnosis, Item, ProblemKind, Severity, Tally, report_edges};
use crate::cell::CellType;
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
        "made of the same vertices as an earlier one",
        "the copies can be removed",
        true,
    );
    vertices(&mesh.vertices, (&mesh.cells, mesh.cell_type.nodes()), options, Error, &mut d);
    boundary(mesh, &alike, &mut d);
    parts(mesh, &mut d);
    names(mesh, &mut d);
    unit_scale(&mesh.vertices, options, &mut d);
    d
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
        "inverted (of negative volume)",
        "inverted elements can be turned round by renumbering their vertices",
        true,
    );
    folded.report(
        d,
        // No run takes quadratic elements that fold.
        (
            ProblemKind::Folded,
            if mesh.cell_type.is_quadratic() { Error } else { Warning },
            Item::Element,
        ),
        "folded over at a corner or middle node, though of positive volume",
        "move the vertices apart or mesh that place again",
        false,
    );
    degenerate.report(
        d,
        (ProblemKind::Degenerate, Error, Item::Element),
        "degenerate (the vertices differ but span no volume)",
        "removing them would leave gaps: move the vertices apart or mesh that place again",
        false,
    );
    let collapsed = mesh.cell_type.linear() == CellType::Hex8;
    repeated.report(
        d,
        (ProblemKind::RepeatedVertex, Error, Item::Element),
        "collapsed (a vertex is named twice)",
        if collapsed {
            "those without volume can be removed; split wedges and pyramids into tetrahedra"
        } else {
            "elements without volume can be removed"
        },
        true,
    );
    let shape = worst.map_or(String::new(), |w| {
        format!(
            "badly shaped (the worst has angles from {:.2}° to {:.2}° and radius ratio {:.4})",
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

/// Faces with too many cells, and a boundary that touches itself.
fn boundary(mesh: &VolumeMesh, alike: &[u32], d: &mut Diagnosis) {
    // Copies and collapsed tetrahedra are reported as such; here they would only hide the rest.
    let wedges = mesh.cell_type.linear() == CellType::Hex8;
    let counts = |c: usize| alike[c] as usize == c && (wedges || !repeats(mesh.cell(c)));
    let kept: Vec<usize> = (0..mesh.cell_count()).filter(|&c| counts(c)).collect();
    let mesh = if kept.len() == mesh.cell_count() {
        Cow::Borrowed(mesh)
    } else {
        let cells = kept.iter().flat_map(|&c| mesh.cell(c)).copied().collect();
        Cow::Owned(VolumeMesh::new(mesh.cell_type, mesh.vertices.clone(), cells))
    };
    let mut crowded: Vec<usize> = Vec::new();
    for_each_face(&mesh, |sides| {
        crowded.extend(sides.iter().skip(2).map(|s| kept[s.cell as usize]));
    });
    crowded.sort_unstable();
    crowded.dedup();
    Tally::of(crowded.into_iter()).report(
        d,
        (ProblemKind::NonManifoldFaces, Error, Item::Element),
        "at a face that two other elements already share",
        "elements overlap there: remove those that do not belong",
        false,
    );
    let faces = boundary_faces(&mesh);
    let report = polygon_edges(&faces.vertices, faces.corners, mesh.vertex_count());
    report_edges(
        &report.non_manifold,
        d,
        (ProblemKind::NonManifoldEdges, Warning),
        "where parts of the body touch without sharing a face",
        "such an edge is a hinge without stiffness: join the parts by elements, or part them",
    );
    Tally::of(report.non_manifold_vertices.iter().map(|&v| v as usize)).report(
        d,
        (ProblemKind::NonManifoldVertices, Warning, Item::Vertex),
        "where parts of the body touch in a single point",
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
            "remove them, or check that all elements were exported",
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
            "remove them, or check that all members were exported",
            true,
        );
    }
    let lost = |&c: &usize| mesh.cell_region[c] == NO_REGION;
    Tally::of((0..mesh.cell_region.len()).filter(lost)).report(
        d,
        (ProblemKind::WithoutRegion, Notice, Item::Element),
        "in no region, though the mesh has regions",
        "they get the default material; put them into a region if that is not meant",
        false,
    );
}
