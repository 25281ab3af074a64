//! [`Surface`]: what is drawn of a body.

use std::path::PathBuf;

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_mesh::embed::Embedding;
use pliant_mesh::io::{Source, interp, read_surface};
use pliant_mesh::{SurfaceMesh, smooth_normals};

use crate::body::BodySpec;
use crate::error::{Place, SceneError};
use crate::model::Body;
use crate::table::Table;

/// A surface that a body carries along.
#[derive(Debug, Clone)]
pub struct SurfaceSpec {
    /// Its file, in the coordinates of the mesh of the body.
    pub file: PathBuf,
    /// A `.interp` file that binds it; bound to the cells its vertices are in if none.
    pub weights: Option<PathBuf>,
    /// Where it stands in the scene.
    pub place: Place,
}

impl SurfaceSpec {
    /// Reads `surface` of a body: a file, or a table.
    pub(crate) fn read(t: &Table<'_>) -> Result<Option<Self>, SceneError> {
        if !t.has("surface") {
            return Ok(None);
        }
        let place = t.place_of("surface");
        if !t.is_table("surface") {
            let file = t.folder().join(t.text("surface")?.unwrap_or_default());
            return Ok(Some(Self { file, weights: None, place }));
        }
        let Some(s) = t.table("surface")? else { return Ok(None) };
        let file = s.text("file")?.ok_or_else(|| s.missing("file", "\"skin.obj\""))?;
        let weights = s.text("weights")?.map(|w| s.folder().join(w));
        let spec = Self { file: s.folder().join(file), weights, place };
        s.finish()?;
        Ok(Some(spec))
    }
}

/// What is drawn of a body: a surface that is embedded in its mesh, or the boundary of the mesh.
#[derive(Debug, Clone)]
pub struct Surface {
    name: String,
    /// Vertices and normals are those of the state it was moved to last.
    mesh: SurfaceMesh,
    binding: Binding,
}

/// In numbers of the system.
#[derive(Debug, Clone)]
enum Binding {
    /// Each is a vertex.
    Vertices(Vec<u32>),
    /// Each is somewhere in a cell.
    Points(Embedding),
}

impl Surface {
    /// Of a body at rest.
    pub(crate) fn new(
        spec: &BodySpec,
        body: &Body,
        warnings: &mut Vec<String>,
    ) -> Result<Self, SceneError> {
        let (mut mesh, mut binding) = match &spec.surface {
            None => {
                let vertices = body.boundary.vertex_map.clone();
                (body.boundary.surface.clone(), Binding::Vertices(vertices))
            }
            Some(surface) => {
                let (mesh, points) =
                    embedded(surface, spec, body, warnings).map_err(|e| e.at(&surface.place))?;
                (mesh, Binding::Points(points))
            }
        };
        let (Binding::Vertices(numbers) | Binding::Points(Embedding { indices: numbers, .. })) =
            &mut binding;
        for v in numbers {
            *v = body.system_vertex(*v);
        }
        mesh.normals = vec![[0.0; 3]; mesh.vertices.len()];
        mesh.triangle_normals.clone_from(&mesh.triangles);
        let mut surface = Self { name: body.name.clone(), mesh, binding };
        smooth_normals(&surface.mesh.vertices, &surface.mesh.triangles, &mut surface.mesh.normals);
        Ok(surface)
    }

    /// Moves it to where the vertices of the system are. Allocates nothing.
    pub fn move_to(&mut self, x: &[Vec3]) {
        let mesh = &mut self.mesh;
        match &self.binding {
            Binding::Vertices(list) => {
                for (place, &v) in mesh.vertices.iter_mut().zip(list) {
                    *place = x[v as usize];
                }
            }
            Binding::Points(embedding) => embedding.interpolate(x, &mut mesh.vertices),
        }
        smooth_normals(&mesh.vertices, &mesh.triangles, &mut mesh.normals);
    }

    /// Values of the vertices of the system on the vertices of the surface. Allocates nothing.
    ///
    /// # Panics
    /// If `out` has another length than there are vertices of the surface, or `values` than of the system.
    pub fn carry(&self, values: &[Vec3], out: &mut [Vec3]) {
        match &self.binding {
            Binding::Vertices(list) => {
                assert_eq!(out.len(), list.len(), "one value for each vertex");
                for (out, &v) in out.iter_mut().zip(list) {
                    *out = values[v as usize];
                }
            }
            Binding::Points(embedding) => embedding.interpolate(values, out),
        }
    }

    /// The vertices of the system that carry a point of a triangle, with their weights; none if there is no
    /// such triangle.
    pub fn point(&self, triangle: usize, weights: [f64; 3]) -> Option<Vec<(u32, f64)>> {
        let corners = self.mesh.triangles.get(triangle)?;
        let mut nodes: Vec<(u32, f64)> = Vec::new();
        let mut add = |v: u32, w: f64| match nodes.iter_mut().find(|n| n.0 == v) {
            Some(node) => node.1 += w,
            None => nodes.push((v, w)),
        };
        for (&corner, weight) in corners.iter().zip(weights) {
            match &self.binding {
                Binding::Vertices(list) => add(list[corner as usize], weight),
                Binding::Points(embedding) => {
                    let k = embedding.vertices_per_point;
                    let range = corner as usize * k..(corner as usize + 1) * k;
                    let vertices = &embedding.indices[range.clone()];
                    for (&v, w) in vertices.iter().zip(&embedding.weights[range]) {
                        add(v, weight * w);
                    }
                }
            }
        }
        Some(nodes)
    }

    /// The vertices of the system that carry a vertex of the surface, with their weights.
    pub fn vertex(&self, vertex: usize) -> Vec<(u32, f64)> {
        match &self.binding {
            Binding::Vertices(list) => list.get(vertex).map(|&v| (v, 1.0)).into_iter().collect(),
            Binding::Points(embedding) => {
                let k = embedding.vertices_per_point;
                let range = vertex * k..(vertex + 1) * k;
                let weights = embedding.weights.get(range.clone()).unwrap_or_default();
                let vertices = embedding.indices.get(range).unwrap_or_default();
                vertices.iter().copied().zip(weights.iter().copied()).collect()
            }
        }
    }

    /// The name of its body.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its vertices, three a triangle; they never change.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.mesh.triangles
    }

    /// Where its vertices are, m.
    pub fn positions(&self) -> &[Vec3] {
        &self.mesh.vertices
    }

    /// Smooth normals of its vertices, of unit length, outward; zero where no triangle gives one.
    pub fn normals(&self) -> &[Vec3] {
        &self.mesh.normals
    }

    /// All of it, with the groups and texture coordinates of its file.
    pub fn mesh(&self) -> &SurfaceMesh {
        &self.mesh
    }
}

/// The surface of a file, put where the body is put, and bound to its mesh.
fn embedded(
    surface: &SurfaceSpec,
    spec: &BodySpec,
    body: &Body,
    warnings: &mut Vec<String>,
) -> Result<(SurfaceMesh, Embedding), SceneError> {
    let read = read_surface(&surface.file)?;
    let file = surface.file.display();
    warnings.extend(read.notes.iter().map(|note| format!("{file}: {note}")));
    let mut mesh = read.mesh;
    mesh.validate().map_err(|e| e.in_file(file.to_string()))?;
    if mesh.triangles.is_empty() {
        return Err(SceneError::new(format!("{file} has no triangles to draw")));
    }
    spec.pose.put(&mut mesh.vertices);
    let Some(weights) = &surface.weights else {
        let bound =
            Embedding::bind(&body.mesh, &mesh.vertices).map_err(|e| e.in_file(file.to_string()))?;
        let far = bound.outside;
        // A skin sticks out of its mesh by a part of a cell; more is a sign of another scale or place.
        if far.largest > body.cell_size() {
            warnings.push(format!(
                "{}: {} vertices of {file} are outside of the mesh of body '{}', up to {:.3e} m: do the two belong together?",
                surface.place, far.count, body.name, far.largest
            ));
        }
        return Ok((mesh, bound.quadratic(&body.mesh)));
    };
    let name = weights.display().to_string();
    let bound = Source::open(weights).and_then(interp::read);
    let bound = bound.map_err(|e| e.in_file(&name))?;
    bound.check(body.mesh.vertex_count()).map_err(|e| e.in_file(&name))?;
    if bound.point_count() != mesh.vertices.len() {
        let (points, vertices) = (bound.point_count(), mesh.vertices.len());
        let text = format!("{name} binds {points} points, but {file} has {vertices} vertices");
        return Err(SceneError::new(text).hint("leave 'weights' out, and they are computed"));
    }
    let mut rest = vec![[0.0; 3]; mesh.vertices.len()];
    bound.interpolate(&body.mesh.vertices, &mut rest);
    let off = rest.iter().zip(&mesh.vertices).map(|(&a, &b)| norm(sub(a, b)));
    let off = off.fold(0.0_f64, f64::max);
    if off > 1e-3 * body.size() {
        warnings.push(format!(
            "{}: the weights of {name} put a vertex of {file} {off:.3e} m away from its place at rest",
            surface.place
        ));
    }
    mesh.vertices = rest;
    Ok((mesh, bound))
}
