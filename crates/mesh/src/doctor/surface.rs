//! Checks of surfaces.

use pliant_algebra::vec3::{cross, is_finite, norm, sub};

use super::Options;
use super::common::{
    copies, disconnected, empty, finite, invalid, not_finite, structural_error, unit_scale,
    vertices,
};
use super::duplicates::{first_alike, repeats};
use super::orientation::{inside_out, patches};
use super::problem::{Diagnosis, Item, ProblemKind, Severity, Tally, report_edges};
use crate::quality::shape::normalised;
use crate::surface::SurfaceMesh;
use crate::topology::{SurfaceEdges, surface_components, surface_edges};

use Severity::{Notice, Warning};

/// Finds everything that is wrong with a surface, save intersections with itself.
pub fn check_surface(surface: &SurfaceMesh, options: &Options) -> Diagnosis {
    let mut d = Diagnosis::default();
    if let Some(error) = structural_error(surface.validate(), || {
        let vertices = finite(&surface.vertices);
        SurfaceMesh { vertices, ..surface.clone() }.validate()
    }) {
        d.push(invalid(&error));
        return d;
    }
    if surface.triangles.is_empty() {
        d.push(empty(surface.vertices.len(), "triangles"));
    }
    not_finite(&surface.vertices, &mut d);
    triangles(surface, options, &mut d);
    vertices(&surface.vertices, (surface.triangles.as_flattened(), 3), options, Warning, &mut d);
    let report = surface_edges(surface);
    edges(&report, &mut d);
    let patches = patches(surface);
    Tally::of((0..patches.contrary.len()).filter(|&t| patches.contrary[t])).report(
        &mut d,
        (ProblemKind::InconsistentOrientation, Warning, Item::Triangle),
        "turned against their neighbours",
        "they can be turned to agree",
        true,
    );
    if !patches.contrary.contains(&true) {
        report_edges(
            &report.inconsistent,
            &mut d,
            (ProblemKind::InconsistentOrientation, Warning),
            "where triangles disagree about which side is out, however they are turned",
            "the surface has one side only, like a Möbius strip: cut it there",
        );
    }
    let inside_out = inside_out(surface, &patches);
    Tally::of((0..inside_out.len()).filter(|&t| inside_out[t])).report(
        &mut d,
        (ProblemKind::InsideOut, Warning, Item::Triangle),
        "part of a closed surface that faces inward",
        "they can be turned outward",
        true,
    );
    let parts = surface_components(surface);
    if parts.count > 1 {
        d.push(disconnected(&parts.sizes(), &parts.label, Item::Triangle, Notice));
    }
    unit_scale(&surface.vertices, options, &mut d);
    d
}

fn triangles(surface: &SurfaceMesh, options: &Options, d: &mut Diagnosis) {
    let [mut repeated, mut degenerate] = [Tally::default(); 2];
    for (t, triangle) in surface.triangles.iter().enumerate() {
        if repeats(triangle) {
            repeated.hit(t);
        } else if surface.corners(t).iter().all(|&p| is_finite(p))
            && relative_area(surface, t) <= options.degenerate
        {
            degenerate.hit(t);
        }
    }
    repeated.report(
        d,
        (ProblemKind::RepeatedVertex, Warning, Item::Triangle),
        "collapsed (a vertex is named twice)",
        "collapsed triangles can be removed",
        true,
    );
    degenerate.report(
        d,
        (ProblemKind::Degenerate, Warning, Item::Triangle),
        "degenerate (the vertices differ but lie on a line)",
        "removing them could leave gaps: move the vertices apart or mesh that place again",
        false,
    );
    let nodes = surface.triangles.as_flattened();
    copies(&first_alike(nodes, 3, 3, surface.vertices.len())).report(
        d,
        (ProblemKind::DuplicateElements, Warning, Item::Triangle),
        "made of the same vertices as an earlier one",
        "the copies can be removed",
        true,
    );
}

/// Twice the area over the square of the longest edge.
fn relative_area(surface: &SurfaceMesh, triangle: usize) -> f64 {
    let Some(([_, b, c], _)) = normalised(&surface.corners(triangle)) else { return 0.0 };
    let longest = norm(b).max(norm(c)).max(norm(sub(c, b)));
    norm(cross(b, c)) / (longest * longest)
}

fn edges(report: &SurfaceEdges, d: &mut Diagnosis) {
    report_edges(
        &report.open,
        d,
        (ProblemKind::OpenBoundary, Warning),
        "open",
        "the surface has holes; filling bridges small ones, close the others in a modelling program",
    );
    report_edges(
        &report.non_manifold,
        d,
        (ProblemKind::NonManifoldEdges, Warning),
        "shared by more than two triangles",
        "separate the parts that touch there, or remove inner walls",
    );
    Tally::of(report.non_manifold_vertices.iter().map(|&v| v as usize)).report(
        d,
        (ProblemKind::NonManifoldVertices, Warning, Item::Vertex),
        "where parts of the surface touch in a single point",
        "give each part a vertex of its own",
        false,
    );
}
