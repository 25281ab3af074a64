//! Repairs of surfaces.

use super::Options;
use super::duplicates::{first_alike, repeats};
use super::fix::{Action, compact, did, merge_vertices};
use super::orientation::{inside_out, patches};
use super::problem::{Diagnosis, ProblemKind};
use super::surface::check_surface;
use super::volume::{finite, structural_error};
use crate::surface::SurfaceMesh;

/// A repaired surface.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedSurface {
    /// The surface.
    pub surface: SurfaceMesh,
    /// What was done.
    pub done: Vec<Action>,
    /// What is still wrong.
    pub left: Diagnosis,
}

/// Repairs what can be repaired without moving the surface: merges duplicate and very close
/// vertices, removes collapsed triangles, copies of triangles and unreferenced vertices, turns
/// triangles to agree with their neighbours, and closed parts outward (inner shells of a hollow
/// body inward). Groups, texture coordinates and normals follow. Holes stay.
pub fn fix_surface(surface: &SurfaceMesh, options: &Options) -> FixedSurface {
    let mut surface = surface.clone();
    let mut done = Vec::new();
    let sound = structural_error(surface.validate(), || {
        SurfaceMesh { vertices: finite(&surface.vertices), ..surface.clone() }.validate()
    })
    .is_none();
    if sound {
        let nodes = surface.triangles.as_flattened_mut();
        let merged = merge_vertices(&surface.vertices, nodes, options, &mut done);
        drop_triangles(&mut surface, &mut done);
        let nodes = surface.triangles.as_flattened_mut();
        let (_, loose) = compact(&mut surface.vertices, nodes, &merged);
        did(&mut done, ProblemKind::UnreferencedVertices, loose);
        let patches = patches(&surface);
        let outward = inside_out(&surface, &patches);
        turn(&mut surface, &patches.contrary, ProblemKind::InconsistentOrientation, &mut done);
        turn(&mut surface, &outward, ProblemKind::InsideOut, &mut done);
    }
    let left = check_surface(&surface, options);
    FixedSurface { surface, done, left }
}

fn drop_triangles(surface: &mut SurfaceMesh, done: &mut Vec<Action>) {
    let nodes = surface.triangles.as_flattened();
    let alike = first_alike(nodes, 3, 3, surface.vertices.len());
    let collapsed = |t: usize| repeats(&surface.triangles[t]);
    let copied = |t: usize| alike[t] as usize != t && !collapsed(t);
    let n = surface.triangles.len();
    did(done, ProblemKind::RepeatedVertex, (0..n).filter(|&t| collapsed(t)).count());
    did(done, ProblemKind::DuplicateElements, (0..n).filter(|&t| copied(t)).count());
    let keep: Vec<bool> = (0..n).map(|t| !collapsed(t) && !copied(t)).collect();
    retain(&mut surface.triangles, &keep);
    retain(&mut surface.triangle_group, &keep);
    retain(&mut surface.triangle_texture, &keep);
    retain(&mut surface.triangle_normals, &keep);
}

/// Keeps the items so marked; an empty table stays empty.
fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut marks = keep.iter();
    items.retain(|_| marks.next().copied().unwrap_or(true));
}

/// Turns the triangles so marked round, with all that hangs on their corners.
fn turn(surface: &mut SurfaceMesh, marked: &[bool], kind: ProblemKind, done: &mut Vec<Action>) {
    let SurfaceMesh { triangles, triangle_texture, triangle_normals, .. } = surface;
    for table in [triangles, triangle_texture, triangle_normals] {
        for (triangle, _) in table.iter_mut().zip(marked).filter(|(_, marked)| **marked) {
            triangle.swap(1, 2);
        }
    }
    did(done, kind, marked.iter().filter(|&&m| m).count());
}
