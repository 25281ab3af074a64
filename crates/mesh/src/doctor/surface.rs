//! Checks of surfaces.

use pliant_algebra::vec3::{cross, is_finite, norm, sub};

use super::Options;
use super::duplicates::{first_alike, repeats};
use super::orientation::{inside_out, patches};
use super::problem::{Diagnosis, Item, ProblemKind, Severity, Tally};
use super::volume::{
    copies, disconnected, empty, finite, invalid, not_finite, structural_error, unit_scale,
    vertices,
};
use crate::quality::shape::normalised;
use crate::surface::SurfaceMesh;
use crate::topology::{surface_components, surface_edges};

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
    vertices(&surface.vertices, surface.triangles.as_flattened(), options, Warning, &mut d);
    edges(surface, &mut d);
    let patches = patches(surface);
    Tally::of((0..patches.contrary.len()).filter(|&t| patches.contrary[t])).report(
        &mut d,
        (ProblemKind::InconsistentOrientation, Warning, Item::Triangle),
        "turned against its neighbours",
        "they can be turned to agree",
        true,
    );
    let inside_out = inside_out(surface, &patches);
    Tally::of((0..inside_out.len()).filter(|&t| inside_out[t])).report(
        &mut d,
        (ProblemKind::InsideOut, Warning, Item::Triangle),
        "part of a closed surface that faces inward",
        "it can be turned outward",
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
        "collapsed: it names a vertex twice",
        "collapsed triangles can be removed",
        true,
    );
    degenerate.report(
        d,
        (ProblemKind::Degenerate, Warning, Item::Triangle),
        "degenerate: its vertices differ but lie on a line",
        "removing it could leave a gap: move its vertices apart or mesh that place again",
        false,
    );
    let nodes = surface.triangles.as_flattened();
    copies(&first_alike(nodes, 3, 3, surface.vertices.len())).report(
        d,
        (ProblemKind::DuplicateElements, Warning, Item::Triangle),
        "a copy of an earlier one with the same vertices",
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

fn edges(surface: &SurfaceMesh, d: &mut Diagnosis) {
    let report = surface_edges(surface);
    let begins = |edges: &[[u32; 2]]| Tally::of(edges.iter().map(|e| e[0] as usize));
    begins(&report.open).report(
        d,
        (ProblemKind::OpenBoundary, Warning, Item::Vertex),
        "the beginning of an open edge",
        "the surface has holes; filling bridges small ones, close the others in a modelling program",
        false,
    );
    begins(&report.non_manifold).report(
        d,
        (ProblemKind::NonManifoldEdges, Warning, Item::Vertex),
        "the beginning of an edge where more than two triangles meet",
        "separate the parts that touch there, or remove inner walls",
        false,
    );
    Tally::of(report.non_manifold_vertices.iter().map(|&v| v as usize)).report(
        d,
        (ProblemKind::NonManifoldVertices, Warning, Item::Vertex),
        "a point where parts of the surface touch",
        "give each part a vertex of its own",
        false,
    );
}
