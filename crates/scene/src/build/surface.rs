//! [`Surface`]: what is drawn of a body.

use std::path::PathBuf;

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_mesh::io::{Source, interp, read_surface};
use pliant_mesh::{SurfaceMesh, smooth_normals};
use pliant_model::{Body, CollisionSurface, ModelError, Scenery};

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::body::BodySpec;

/// A surface that a body carries along.
#[derive(Debug, Clone)]
pub struct SurfaceSpec {
    /// Its file, in the coordinates of the mesh of the body.
    pub file: PathBuf,
    /// A `.interp` file that binds it; bound to the cells its vertices are in if none.
    pub weights: Option<PathBuf>,
    /// Where it stands in the scene.
    pub location: Location,
}

impl SurfaceSpec {
    /// Reads `surface` of a body: a file, or a table.
    pub(crate) fn read(t: &Table<'_>) -> Result<Option<Self>, SceneError> {
        if !t.has("surface") {
            return Ok(None);
        }
        let location = t.place_of("surface");
        if !t.is_table("surface") {
            let file = t.folder().join(t.text("surface")?.unwrap_or_default());
            return Ok(Some(Self { file, weights: None, location }));
        }
        let Some(s) = t.table("surface")? else { return Ok(None) };
        let file = s.text("file")?.ok_or_else(|| s.missing("file", "\"skin.obj\""))?;
        let weights = s.text("weights")?.map(|w| s.folder().join(w));
        let spec = Self { file: s.folder().join(file), weights, location };
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
    carried: CollisionSurface,
}

impl Surface {
    /// Of a body at rest.
    pub(crate) fn new(
        spec: &BodySpec,
        body: &Body,
        warnings: &mut Vec<String>,
    ) -> Result<Self, SceneError> {
        let (mut mesh, carried) = match &spec.surface {
            None => (body.boundary().surface.clone(), CollisionSurface::boundary(body)),
            Some(surface) => {
                embedded(surface, spec, body, warnings).map_err(|e| e.at(&surface.location))?
            }
        };
        mesh.normals = vec![[0.0; 3]; mesh.vertices.len()];
        mesh.triangle_normals.clone_from(&mesh.triangles);
        let mut surface = Self { name: body.name.clone(), mesh, carried };
        smooth_normals(&surface.mesh.vertices, &surface.mesh.triangles, &mut surface.mesh.normals);
        Ok(surface)
    }

    /// Of an obstacle at rest.
    pub(crate) fn of_scenery(scenery: &Scenery) -> Self {
        let mut mesh = scenery.surface.clone();
        mesh.normals = vec![[0.0; 3]; mesh.vertices.len()];
        mesh.triangle_normals.clone_from(&mesh.triangles);
        smooth_normals(&mesh.vertices, &mesh.triangles, &mut mesh.normals);
        let carried = CollisionSurface::of_scenery(scenery);
        Self { name: scenery.name.clone(), mesh, carried }
    }

    /// Moves it to where the vertices of the system are. Allocates nothing.
    pub fn move_to(&mut self, x: &[Vec3]) {
        let mesh = &mut self.mesh;
        self.carried.carry(x, &mut mesh.vertices);
        smooth_normals(&mesh.vertices, &mesh.triangles, &mut mesh.normals);
    }

    /// How its vertices follow from those of the system: y = W x.
    pub fn carried(&self) -> &CollisionSurface {
        &self.carried
    }

    /// Values of the vertices of the system on the vertices of the surface. Allocates nothing.
    ///
    /// # Panics
    /// If `out` has another length than there are vertices of the surface, or `values` than of the system.
    pub fn carry(&self, values: &[Vec3], out: &mut [Vec3]) {
        self.carried.carry(values, out);
    }

    /// The vertices of the system that carry a point of a triangle, with their weights; none if there is no
    /// such triangle.
    pub fn point(&self, triangle: usize, weights: [f64; 3]) -> Option<Vec<(u32, f64)>> {
        self.carried.point(triangle, weights)
    }

    /// The vertices of the system that carry a vertex of the surface, with their weights.
    pub fn vertex(&self, vertex: usize) -> Vec<(u32, f64)> {
        self.carried.vertex(vertex)
    }

    /// The name of its body or obstacle.
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
) -> Result<(SurfaceMesh, CollisionSurface), SceneError> {
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
        let (carried, far) = CollisionSurface::embedded(body, &mesh).map_err(|e| match e {
            ModelError::Mesh(e) => e.in_file(file.to_string()).into(),
            e => SceneError::from(e),
        })?;
        // A skin sticks out of its mesh by a part of a cell; more is a sign of another scale or place.
        if far.largest > body.cell_size() {
            warnings.push(format!(
                "{}: {} vertices of {file} are outside of the mesh of body '{}', up to {:.3e} m: do the two belong together?",
                surface.location, far.count, body.name, far.largest
            ));
        }
        return Ok((mesh, carried));
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
            surface.location
        ));
    }
    mesh.vertices = rest;
    let carried = CollisionSurface::bound(body, &mesh.triangles, bound)?;
    Ok((mesh, carried))
}
