//! Obstacles that are surfaces of triangles.

use std::path::PathBuf;

use pliant_dynamics::Motion;
use pliant_mesh::SurfaceMesh;
use pliant_mesh::io::read_surface;
use pliant_mesh::topology::boundary;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::between::friction;
use crate::spec::body::Pose;
use crate::spec::mesh::MeshSpec;
use crate::spec::motion;

/// An obstacle with `shape = "mesh"`.
#[derive(Debug, Clone)]
pub struct ScenerySpec {
    /// Its name.
    pub name: String,
    /// Where its triangles come from.
    from: From,
    /// Where it is put.
    pose: Pose,
    /// Coefficient of friction; that of the contact if none.
    pub friction: Option<f64>,
    /// How it moves.
    pub motion: Motion,
    /// That in words, where the motion is a function.
    pub words: String,
    /// Where it stands in the scene.
    pub location: Location,
}

#[derive(Debug, Clone)]
enum From {
    /// A file of triangles.
    File(PathBuf),
    /// The boundary of a mesh of cells.
    Boundary(Box<MeshSpec>),
}

impl ScenerySpec {
    /// Reads a table.
    pub(crate) fn read(name: &str, t: &Table<'_>) -> Result<Self, SceneError> {
        let from = match t.text("file")? {
            Some(file) => From::File(t.folder().join(file)),
            None if t.has("mesh") => From::Boundary(Box::new(MeshSpec::read(t)?)),
            None => {
                let text = "an obstacle of shape = \"mesh\" has a file of triangles, or a mesh";
                return Err(t.missing_or("file", text));
            }
        };
        let (motion, words) = match t.table("moved")? {
            Some(m) => {
                let found = motion::read(&m)?;
                m.finish()?;
                found
            }
            None => (Motion::Still, String::new()),
        };
        let friction = friction(t)?;
        let spec = Self {
            name: name.to_owned(),
            from,
            pose: Pose::read(t)?,
            friction,
            motion,
            words,
            location: t.location().clone(),
        };
        t.finish()?;
        Ok(spec)
    }

    /// The file that it is made of, if it is.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match &self.from {
            From::File(file) => Some(file.clone()),
            From::Boundary(mesh) => mesh.file().map(PathBuf::from),
        }
    }

    /// Where it comes from and how it moves, in words.
    pub(crate) fn words(&self) -> String {
        let from = match &self.from {
            From::File(file) => {
                let name = file.file_name().map(|n| n.to_string_lossy().into_owned());
                format!("triangles of {}", name.unwrap_or_default())
            }
            From::Boundary(mesh) => format!("surface of a mesh, {}", mesh.words()),
        };
        match &self.motion {
            Motion::Still => from,
            Motion::Translation { .. } => format!("{from}, moved along"),
            Motion::Rotation { .. } => format!("{from}, turned"),
            Motion::Function(_) => format!("{from}, {}", self.words),
        }
    }

    /// Makes its surface at rest, with what the reader noted and what is odd about it.
    pub(crate) fn surface(&self, warnings: &mut Vec<String>) -> Result<SurfaceMesh, SceneError> {
        let at = |e: SceneError| e.at(&self.location);
        let mut surface = match &self.from {
            From::File(file) => {
                let name = file.display();
                let read = read_surface(file).map_err(|e| at(e.into()))?;
                warnings.extend(read.notes.iter().map(|note| format!("{name}: {note}")));
                read.mesh.validate().map_err(|e| at(e.in_file(name.to_string()).into()))?;
                read.mesh
            }
            From::Boundary(mesh) => {
                let (mesh, _, notes) = mesh.make()?;
                warnings.extend(notes);
                boundary(&mesh).surface
            }
        };
        if surface.triangles.is_empty() {
            let text = format!("the surface of obstacle '{}' has no triangles", self.name);
            return Err(at(SceneError::new(text)).hint("take a file with faces, such as an .obj"));
        }
        self.pose.put(&mut surface.vertices);
        Ok(surface)
    }
}
