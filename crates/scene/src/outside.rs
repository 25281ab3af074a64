//! What acts on bodies from outside: loads, obstacles, attachments.

use pliant_algebra::vec3::{Vec3, cross, norm, scale, sub};
use pliant_forces::ForceModel;
use pliant_forces::loads::{DeadLoad, Faces, Follower, Pressure, Shear};
use pliant_forces::obstacles::Obstacle;
use pliant_forces::springs::{Attachment, Attachments, End, Point};
use pliant_mesh::embed::Embedding;
use pliant_mesh::refine::{Split, hex_to_tets};
use pliant_mesh::spatial::TriangleTree;
use pliant_mesh::{CellType, MeshError, VolumeMesh};

use crate::attachment::AttachmentSpec;
use crate::error::SceneError;
use crate::load::{LoadKind, LoadSpec};
use crate::model::Body;
use crate::obstacle::ObstacleSpec;
use crate::scene::Scene;
use crate::select::boundary_triangles;

/// A load on a body. `rest` is that of the system.
pub(crate) fn load(
    spec: &LoadSpec,
    body: &Body,
    rest: &[Vec3],
) -> Result<Box<dyn ForceModel>, SceneError> {
    let ground = body.ground();
    let system = |face: [u32; 3]| face.map(|v| body.system_vertex(v));
    let vertices = || match &spec.on {
        Some(on) => on.vertices(&ground),
        None => Ok((0..body.mesh.vertex_count() as u32).collect()),
    };
    let faces = || -> Result<Vec<[u32; 3]>, SceneError> {
        let list = match &spec.on {
            Some(on) => on.faces(&ground)?,
            None => boundary_triangles(&ground).collect(),
        };
        Ok(list.into_iter().map(system).collect())
    };
    let some_faces = || match faces()? {
        list if list.is_empty() => Err(match &spec.on {
            Some(on) => on.empty(&ground, "no face of the surface"),
            None => SceneError::new("the body has no surface").at(&spec.place),
        }),
        list => Ok(list),
    };
    let curve = spec.curve.clone();
    let on_vertices = |each: &dyn Fn(usize) -> Vec3| -> Result<DeadLoad, SceneError> {
        let list = vertices()?;
        let force = each(list.len());
        let points: Vec<(u32, Vec3)> =
            list.into_iter().map(|v| (body.system_vertex(v), force)).collect();
        Ok(DeadLoad::points(rest, &points, curve.clone())?)
    };
    Ok(match spec.kind {
        LoadKind::Each(force) => Box::new(on_vertices(&|_| force)?),
        LoadKind::Total(force) if spec.follows => {
            let faces = some_faces()?;
            let area: f64 = faces.iter().map(|&face| area(face, rest)).sum();
            Box::new(Follower::new(rest, &faces, scale(force, 1.0 / area), curve)?)
        }
        LoadKind::Total(force) => {
            let faces = if spec.on.is_some() { faces()? } else { Vec::new() };
            let area: f64 = faces.iter().map(|&face| area(face, rest)).sum();
            if area > 0.0 {
                let list = Faces::Triangles(&faces);
                Box::new(DeadLoad::traction(rest, list, scale(force, 1.0 / area), curve)?)
            } else {
                Box::new(on_vertices(&|count| scale(force, 1.0 / count as f64))?)
            }
        }
        LoadKind::Traction(traction) if spec.follows => {
            Box::new(Follower::new(rest, &some_faces()?, traction, curve)?)
        }
        LoadKind::Traction(traction) => {
            let faces = some_faces()?;
            Box::new(DeadLoad::traction(rest, Faces::Triangles(&faces), traction, curve)?)
        }
        LoadKind::Pressure(pressure) if !spec.follows => {
            let push = |area: Vec3| scale(area, -pressure);
            Box::new(DeadLoad::of_areas(rest, &some_faces()?, push, curve)?)
        }
        LoadKind::Pressure(pressure) => {
            let faces = some_faces()?;
            let list = Faces::Triangles(&faces);
            // On a closed surface the load has an energy and a symmetric tangent.
            match Pressure::closed(rest, list, pressure, curve.clone()) {
                Ok(closed) => Box::new(closed),
                Err(_) => Box::new(Pressure::uniform(rest.len(), list, pressure, curve)?),
            }
        }
        LoadKind::Shear(shear, axis) if !spec.follows => {
            let push = |area: Vec3| scale(cross(axis, area), shear);
            Box::new(DeadLoad::of_areas(rest, &some_faces()?, push, curve)?)
        }
        LoadKind::Shear(shear, axis) => {
            Box::new(Shear::new(rest.len(), &some_faces()?, axis, shear, curve)?)
        }
        LoadKind::Body(force) => {
            let cells = match &spec.on {
                None => None,
                Some(on) => {
                    let mut inside = vec![false; body.mesh.vertex_count()];
                    on.vertices(&ground)?.iter().for_each(|&v| inside[v as usize] = true);
                    let all =
                        |c: &u32| body.mesh.cell(*c as usize).iter().all(|&v| inside[v as usize]);
                    let cells: Vec<u32> = (0..body.mesh.cell_count() as u32).filter(all).collect();
                    if cells.is_empty() {
                        return Err(on.empty(&ground, "no element"));
                    }
                    Some(cells)
                }
            };
            // The same cells, in the numbering of the system.
            let nodes = body.mesh.cells.iter().map(|&v| body.system_vertex(v)).collect();
            let mesh = VolumeMesh::new(body.mesh.cell_type, rest.to_vec(), nodes);
            Box::new(DeadLoad::body(&mesh, cells.as_deref(), force, curve)?)
        }
    })
}

fn area(face: [u32; 3], rest: &[Vec3]) -> f64 {
    let [a, b, c] = face.map(|v| rest[v as usize]);
    0.5 * norm(cross(sub(b, a), sub(c, a)))
}

/// An obstacle for all bodies that it concerns. The vertices of their surfaces count by their areas, so
/// that the result does not depend on how fine the meshes are.
pub(crate) fn obstacle(
    spec: &ObstacleSpec,
    scene: &Scene,
    bodies: &[Body],
    rest: &[Vec3],
) -> Result<Box<dyn ForceModel>, SceneError> {
    let mut chosen: Vec<usize> = Vec::new();
    for (name, place) in &spec.bodies {
        chosen.push(scene.body(name, place)?);
    }
    if chosen.is_empty() {
        chosen = (0..bodies.len()).collect();
    }
    let mut areas = vec![0.0; rest.len()];
    let (mut stiffness, mut size) = (0.0_f64, f64::INFINITY);
    for body in chosen.into_iter().map(|b| &bodies[b]) {
        for face in boundary_triangles(&body.ground()) {
            let face = face.map(|v| body.system_vertex(v));
            let share = area(face, rest) / 3.0;
            for v in face {
                areas[v as usize] += share;
            }
        }
        stiffness = stiffness.max(20.0 * body.stiffness / body.size());
        size = size.min(body.size());
    }
    let on: Vec<u32> = (0..rest.len() as u32).filter(|&v| areas[v as usize] > 0.0).collect();
    let weights: Vec<f64> = on.iter().map(|&v| areas[v as usize]).collect();
    let stiffness = spec.stiffness.unwrap_or(stiffness);
    let smoothing = spec.smoothing.unwrap_or(0.005 * size);
    let model = Obstacle::weighted(spec.shape, stiffness, smoothing, &on, &weights, rest.len());
    Ok(Box::new(model.map_err(|e| SceneError::from(e).at(&spec.place))?))
}

/// Springs between the vertices of a body and points of another, or the world.
pub(crate) fn attachment(
    spec: &AttachmentSpec,
    scene: &Scene,
    bodies: &[Body],
    rest: &[Vec3],
) -> Result<Box<dyn ForceModel>, SceneError> {
    let body = &bodies[scene.body(&spec.body.0, &spec.body.1)?];
    let other = match &spec.to {
        Some((name, place)) => Some(&bodies[scene.body(name, place)?]),
        None => None,
    };
    if other.is_some_and(|other| std::ptr::eq(other, body)) {
        return Err(SceneError::new("a body cannot be joined to itself").at(&spec.place));
    }
    let mut vertices = match &spec.on {
        Some(on) => on.vertices(&body.ground())?,
        None => body.boundary.vertex_map.clone(),
    };
    if let (Some(within), Some(other)) = (spec.within, other) {
        let tree = TriangleTree::of(&other.boundary.surface);
        let near = |v: &u32| tree.nearest_within(body.mesh.vertices[*v as usize], within).is_some();
        vertices.retain(near);
        if vertices.is_empty() {
            let text =
                format!("no vertex of '{}' is within {within} m of '{}'", body.name, other.name);
            return Err(SceneError::new(text).at(&spec.place));
        }
    }
    let stiff = |body: &Body| 10.0 * body.stiffness * body.cell_size();
    let stiffness = spec
        .stiffness
        .unwrap_or_else(|| other.map_or(stiff(body), |other| stiff(body).min(stiff(other))));
    let places: Vec<Vec3> = vertices.iter().map(|&v| body.mesh.vertices[v as usize]).collect();
    let bound = other.map(|other| bind(other, &places)).transpose()?;
    let mut list = Vec::with_capacity(vertices.len());
    for (i, &v) in vertices.iter().enumerate() {
        let to = match (&bound, other) {
            (Some(bound), Some(other)) => End::Point(point(bound, i, other)?),
            _ => End::Fixed(places[i]),
        };
        let point = Point::vertex(body.system_vertex(v));
        list.push(Attachment { damping: spec.damping, ..Attachment::new(point, to, stiffness) });
    }
    Ok(Box::new(Attachments::new(rest.len(), list)?))
}

/// Points as means of four vertices: hexahedra are cut into tetrahedra for that.
fn bind(body: &Body, places: &[Vec3]) -> Result<Embedding, MeshError> {
    match body.mesh.cell_type {
        CellType::Hex8 => Embedding::bind(&hex_to_tets(&body.mesh, Split::Six)?, places),
        CellType::Tet4 | CellType::Tet10 => Embedding::bind(&body.mesh, places),
    }
}

fn point(bound: &Embedding, i: usize, body: &Body) -> Result<Point, SceneError> {
    let k = bound.vertices_per_point;
    let range = i * k..(i + 1) * k;
    let vertices: Vec<u32> =
        bound.indices[range.clone()].iter().map(|&v| body.system_vertex(v)).collect();
    let weights = &bound.weights[range];
    // Rounding may leave the sum off by more than is allowed.
    let sum: f64 = weights.iter().sum();
    let weights: Vec<f64> = weights.iter().map(|w| w / sum).collect();
    Ok(Point::barycentric(&vertices, &weights)?)
}
