//! [`Load`]: what pushes a part of a body.

use pliant_algebra::vec3::{Vec3, cross, norm, scale, sub};
use pliant_forces::ForceModel;
use pliant_forces::loads::{DeadLoad, Follower, Pressure, Shear, TimeCurve};
use pliant_mesh::VolumeMesh;

use crate::{Body, CellFaces, ModelError, Select, VaryingLoad};

/// Kinds of loads. Unless one is told otherwise, pressure and shear follow the surface, and all others are dead:
/// they keep their direction.
#[derive(Debug, Clone, PartialEq)]
pub enum LoadKind {
    /// A force, N, spread over the selected surface by area, or over the vertices where there is none.
    Total(Vec3),
    /// A force on each vertex, N.
    Each(Vec3),
    /// A force per rest area, Pa.
    Traction(Vec3),
    /// Against the outward normal, Pa.
    Pressure(f64),
    /// Along axis × normal, Pa.
    Shear(f64, Vec3),
    /// A force per rest volume, N/m³.
    Body(Vec3),
    /// One of these whose amount depends on the position at rest and on time.
    Varying(VaryingLoad),
}

impl LoadKind {
    /// Whether it belongs to the normal of a surface, which it follows unless it is told otherwise.
    pub fn is_of_normals(&self) -> bool {
        match self {
            Self::Pressure(_) | Self::Shear(..) => true,
            Self::Varying(kind) => {
                matches!(kind, VaryingLoad::Pressure(_) | VaryingLoad::Shear(..))
            }
            Self::Total(_) | Self::Each(_) | Self::Traction(_) | Self::Body(_) => false,
        }
    }

    /// Whether it acts on faces, and may follow them.
    pub fn is_of_faces(&self) -> bool {
        match self {
            Self::Each(_) | Self::Body(_) => false,
            Self::Varying(kind) => !matches!(kind, VaryingLoad::Each(_) | VaryingLoad::Body(_)),
            Self::Total(_) | Self::Traction(_) | Self::Pressure(_) | Self::Shear(..) => true,
        }
    }
}

/// A load on a body.
#[derive(Clone)]
pub struct Load {
    /// What it is.
    pub kind: LoadKind,
    /// Where it acts; everywhere if none.
    pub on: Option<Select>,
    /// Whether it turns with the surface, or keeps its direction.
    pub follows: bool,
    /// How it changes with time.
    pub curve: TimeCurve,
}

impl Load {
    /// A constant load everywhere.
    pub fn new(kind: LoadKind) -> Self {
        let follows = kind.is_of_normals();
        Self { kind, on: None, follows, curve: TimeCurve::default() }
    }

    /// Restricts it to a part of the body.
    #[must_use]
    pub fn on(mut self, on: impl Into<Select>) -> Self {
        self.on = Some(on.into());
        self
    }

    /// Makes it turn with the surface, or not. Loads on vertices and volumes never do.
    #[must_use]
    pub fn following(mut self, follows: bool) -> Self {
        self.follows = follows;
        self
    }

    /// Multiplies it with a curve of time.
    #[must_use]
    pub fn over_time(mut self, curve: TimeCurve) -> Self {
        self.curve = curve;
        self
    }

    /// The vertices it acts on, as the user counts them.
    pub(crate) fn vertices(&self, body: &Body) -> Result<Vec<u32>, ModelError> {
        match &self.on {
            Some(on) => body.select(on),
            None => Ok((0..body.mesh.vertex_count() as u32).collect()),
        }
    }

    /// The faces it acts on, in the numbering of the system.
    pub(crate) fn faces(&self, body: &Body) -> Result<CellFaces, ModelError> {
        let mut list = match &self.on {
            Some(on) => body.select_faces(on)?,
            None => body.boundary_faces().clone(),
        };
        list.nodes.iter_mut().for_each(|v| *v = body.system_vertex(*v));
        Ok(list)
    }

    /// The same, or an error where there is none.
    pub(crate) fn some_faces(&self, body: &Body) -> Result<CellFaces, ModelError> {
        match self.faces(body)? {
            list if list.is_empty() => Err(body.selects_nothing("no face of the surface")),
            list => Ok(list),
        }
    }

    /// The cells of the body in the numbering of the system, and those of them it acts on; all if none.
    pub(crate) fn cells(
        &self,
        body: &Body,
        rest: &[Vec3],
    ) -> Result<(VolumeMesh, Option<Vec<u32>>), ModelError> {
        let cells = match &self.on {
            None => None,
            Some(on) => Some(cells_of(body, on)?),
        };
        let nodes = body.mesh.cells.iter().map(|&v| body.system_vertex(v)).collect();
        Ok((VolumeMesh::new(body.mesh.cell_type, rest.to_vec(), nodes), cells))
    }

    /// Makes the model. `rest` is that of the system.
    pub(crate) fn model(
        &self,
        body: &Body,
        rest: &[Vec3],
    ) -> Result<Box<dyn ForceModel>, ModelError> {
        let some_faces = || self.some_faces(body);
        let curve = self.curve.clone();
        let on_vertices = |each: &dyn Fn(usize) -> Vec3| -> Result<DeadLoad, ModelError> {
            let list = self.vertices(body)?;
            let force = each(list.len());
            let points: Vec<(u32, Vec3)> =
                list.into_iter().map(|v| (body.system_vertex(v), force)).collect();
            Ok(DeadLoad::points(rest, &points, curve.clone())?)
        };
        Ok(match self.kind {
            LoadKind::Each(force) => Box::new(on_vertices(&|_| force)?),
            LoadKind::Total(force) if self.follows => {
                let faces = some_faces()?;
                let traction = scale(force, 1.0 / faces.area(rest)?);
                Box::new(Follower::new(rest, faces.list()?, traction, curve)?)
            }
            LoadKind::Total(force) => {
                let faces = if self.on.is_some() { Some(self.faces(body)?) } else { None };
                let area = faces.as_ref().map_or(Ok(0.0), |faces| faces.area(rest))?;
                match faces.filter(|_| area > 0.0) {
                    Some(faces) => {
                        let traction = scale(force, 1.0 / area);
                        Box::new(DeadLoad::traction(rest, faces.list()?, traction, curve)?)
                    }
                    None => Box::new(on_vertices(&|count| scale(force, 1.0 / count as f64))?),
                }
            }
            LoadKind::Traction(traction) if self.follows => {
                Box::new(Follower::new(rest, some_faces()?.list()?, traction, curve)?)
            }
            LoadKind::Traction(traction) => {
                Box::new(DeadLoad::traction(rest, some_faces()?.list()?, traction, curve)?)
            }
            LoadKind::Pressure(pressure) if !self.follows => {
                let push = |area: Vec3| scale(area, -pressure);
                Box::new(DeadLoad::of_areas(rest, some_faces()?.list()?, push, curve)?)
            }
            LoadKind::Pressure(pressure) => {
                let faces = some_faces()?;
                let list = faces.list()?;
                // On a closed surface the load has an energy and a symmetric tangent.
                match Pressure::closed(rest, list, pressure, curve.clone()) {
                    Ok(closed) => Box::new(closed),
                    Err(_) => Box::new(Pressure::uniform(rest.len(), list, pressure, curve)?),
                }
            }
            LoadKind::Shear(shear, axis) if !self.follows => {
                let push = |area: Vec3| scale(cross(axis, area), shear);
                Box::new(DeadLoad::of_areas(rest, some_faces()?.list()?, push, curve)?)
            }
            LoadKind::Shear(shear, axis) => {
                Box::new(Shear::new(rest.len(), some_faces()?.list()?, axis, shear, curve)?)
            }
            LoadKind::Body(force) => {
                let (mesh, cells) = self.cells(body, rest)?;
                Box::new(DeadLoad::body(&mesh, cells.as_deref(), force, curve)?)
            }
            LoadKind::Varying(ref kind) => self.varying(kind, body, rest)?,
        })
    }
}

/// Cells all of whose nodes are selected.
fn cells_of(body: &Body, on: &Select) -> Result<Vec<u32>, ModelError> {
    let mut inside = vec![false; body.mesh.vertex_count()];
    body.select(on)?.iter().for_each(|&v| inside[v as usize] = true);
    let all = |c: &u32| body.mesh.cell(*c as usize).iter().all(|&v| inside[v as usize]);
    let cells: Vec<u32> = (0..body.mesh.cell_count() as u32).filter(all).collect();
    if cells.is_empty() { Err(body.selects_nothing("no element")) } else { Ok(cells) }
}

pub(crate) fn area(face: [u32; 3], rest: &[Vec3]) -> f64 {
    let [a, b, c] = face.map(|v| rest[v as usize]);
    0.5 * norm(cross(sub(b, a), sub(c, a)))
}
