//! [`Body`]: a mesh with numbering, masses and elements, in a world.

use std::ops::Range;
use std::sync::OnceLock;

use pliant_algebra::vec3::{Vec3, add, cross, distance, is_finite, norm, scale, sub};
use pliant_forces::solid::SolidModel;
use pliant_forces::{ElementName, Partition};
use pliant_materials::Material;
use pliant_mesh::VolumeMesh;
use pliant_mesh::measure::{bounding_box, volume};
use pliant_mesh::topology::{Boundary, boundary};

use crate::load::area;
use crate::{CellFaces, MassKind, ModelError};

/// A body in a world. Made by [`WorldBuilder::add`](crate::WorldBuilder::add).
pub struct Body {
    /// Its name.
    pub name: String,
    /// At rest, in the user's numbering of vertices and cells.
    pub mesh: VolumeMesh,
    /// The element on its cells.
    pub element: ElementName,
    /// From the user's numbering of vertices to that of the system, relative to the start of `range`.
    pub partition: Partition,
    /// Its vertices in the system.
    pub range: Range<usize>,
    /// Its laws that are in the catalogue.
    pub(crate) materials: Vec<Material>,
    /// The elements of its laws, for stresses: the same that the system steps with.
    pub(crate) solids: Vec<Box<dyn SolidModel>>,
    /// Which of the memories of a state is that of each solid, if it has one.
    pub(crate) remembers: Vec<Option<usize>>,
    /// Elements that act on top of them.
    pub(crate) resisting: Vec<Box<dyn SolidModel>>,
    pub(crate) boundary: OnceLock<Boundary>,
    pub(crate) faces: OnceLock<CellFaces>,
    /// About Young's modulus, Pa.
    pub(crate) modulus: f64,
    /// kg, in the system's numbering.
    pub(crate) masses: Vec<f64>,
    pub(crate) mass_kind: MassKind,
    /// kg/m³, one for all cells or one for each.
    pub(crate) density: Vec<f64>,
    /// How often each cell counts, in the user's numbering; once if none.
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) stores_energy: bool,
    pub(crate) springs: bool,
    /// What its materials are called, and which of them each cell is made of, in the user's numbering; empty where none
    /// has a name.
    pub(crate) material_names: Vec<Option<String>>,
    pub(crate) material_of: Vec<u32>,
}

impl Body {
    /// The boundary of its mesh at rest, in the user's numbering. Found when it is first asked for.
    pub fn boundary(&self) -> &Boundary {
        self.boundary.get_or_init(|| boundary(&self.mesh))
    }

    /// The triangles of its boundary, outward, in the user's numbering.
    pub fn boundary_triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let Boundary { surface, vertex_map, .. } = self.boundary();
        surface.triangles.iter().map(move |t| t.map(|v| vertex_map[v as usize]))
    }

    /// The names of its materials.
    pub fn material_names(&self) -> impl Iterator<Item = &str> {
        self.material_names.iter().flatten().map(String::as_str)
    }

    /// Returns the number of a vertex in the system.
    ///
    /// # Panics
    /// If the mesh has no such vertex.
    pub fn system_vertex(&self, vertex: u32) -> u32 {
        self.range.start as u32 + self.partition.vertices().old_to_new()[vertex as usize]
    }

    /// Returns the number that the mesh gives to a vertex of the system.
    ///
    /// # Panics
    /// If the vertex is of another body.
    pub fn user_vertex(&self, vertex: usize) -> u32 {
        self.partition.vertices().new_to_old()[vertex - self.range.start]
    }

    /// Rest positions in the system's numbering, m.
    pub fn rest(&self) -> Vec<Vec3> {
        self.partition.vertices().apply(&self.mesh.vertices)
    }

    /// Returns its part of a list of the system, in the user's numbering.
    ///
    /// # Panics
    /// If the list is shorter than the system.
    pub fn of_user(&self, system: &[Vec3]) -> Vec<Vec3> {
        let own = &system[self.range.clone()];
        self.partition.vertices().old_to_new().iter().map(|&v| own[v as usize]).collect()
    }

    /// Sets its part of a list of the system from values in the user's numbering.
    pub fn set_user(&self, system: &mut [Vec3], user: &[Vec3]) -> Result<(), ModelError> {
        if user.len() != self.mesh.vertex_count() {
            return Err(ModelError::Count {
                what: format!("vertices of body '{}'", self.name),
                found: user.len(),
                needed: self.mesh.vertex_count(),
            });
        }
        for (v, &value) in user.iter().enumerate() {
            system[self.system_vertex(v as u32) as usize] = value;
        }
        Ok(())
    }

    /// Returns the vertex nearest a point at rest, in the user's numbering; vertex 0 of an empty mesh.
    pub fn nearest(&self, point: Vec3) -> u32 {
        let from = |v: usize| distance(self.mesh.vertices[v], point);
        let all = 0..self.mesh.vertex_count();
        all.min_by(|&a, &b| from(a).total_cmp(&from(b))).unwrap_or(0) as u32
    }

    /// The stiffness of a spring that moves it as a hand would, N/m: E h, about that of the cell it pulls at, so
    /// that spring and body give way alike. A stiffer one would pull single cells out of fine meshes.
    pub fn hand_stiffness(&self) -> f64 {
        self.modulus * self.cell_size()
    }

    /// About Young's modulus, Pa.
    pub fn modulus(&self) -> f64 {
        self.modulus
    }

    /// Of its vertices, kg, in the order of the system, of which they are [`Body::range`].
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// How its mass is spread.
    pub fn mass_kind(&self) -> MassKind {
        self.mass_kind
    }

    /// Whether it is made of springs, not of elements.
    pub fn has_springs(&self) -> bool {
        self.springs
    }

    /// Whether its inner forces come from an energy.
    pub fn stores_energy(&self) -> bool {
        self.stores_energy
    }

    /// Handles to its elements, one for each law; none for springs. They are those the system steps with, and
    /// count its vertices from 0 in the system's numbering.
    pub fn solids(&self) -> &[Box<dyn SolidModel>] {
        &self.solids
    }

    /// Numbers of a state's memories that are those of its solids, in their order; none for solids without memory.
    pub fn memories(&self) -> &[Option<usize>] {
        &self.remembers
    }

    /// Names of its laws, those that stand one after the other once; none for springs.
    pub fn law_names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.materials.iter().map(|m| m.law().name().to_owned()).collect();
        let others = self.solids.iter().skip(self.materials.len());
        names.extend(others.map(|solid| solid.law().name()));
        names.dedup();
        names
    }

    /// The diagonal of its box at rest, m.
    pub fn size(&self) -> f64 {
        size(&self.mesh)
    }

    /// About how thick it is, m: ∛V, and of plates and rods no more than 12 V/A, which is six times the thickness of a
    /// plate. It is the side of a cube and 0.8 diameters of a ball, however they are turned.
    pub fn thickness(&self) -> f64 {
        let volume = volume(&self.mesh).abs();
        let surface = &self.boundary().surface;
        let area: f64 = surface.triangles.iter().map(|&t| area(t, &surface.vertices)).sum();
        let thickness = volume.cbrt().min(12.0 * volume / area);
        if thickness > 0.0 { thickness } else { self.size() }
    }

    /// Mass over volume, kg/m³; 0 for a body without volume.
    pub(crate) fn density_in_all(&self) -> f64 {
        let volume = volume(&self.mesh).abs();
        if volume > 0.0 { self.masses.iter().sum::<f64>() / volume } else { 0.0 }
    }

    /// About the length of a cell, m.
    pub fn cell_size(&self) -> f64 {
        cell_size(&self.mesh)
    }

    /// Centre of mass at these positions of the system, m; that of the vertices where nothing has mass.
    pub fn centre(&self, x: &[Vec3]) -> Vec3 {
        let x = &x[self.range.clone()];
        let (mut sum, mut mass) = ([0.0; 3], 0.0);
        for (&x, &m) in x.iter().zip(&self.masses) {
            sum = add(sum, scale(x, m));
            mass += m;
        }
        if mass > 0.0 {
            return scale(sum, 1.0 / mass);
        }
        scale(x.iter().copied().fold([0.0; 3], add), 1.0 / x.len().max(1) as f64)
    }

    /// Adds a field of the positions at rest to the values of its vertices in a list of the system.
    pub(crate) fn add_field(
        &self,
        what: &'static str,
        field: impl Fn(Vec3) -> Vec3,
        to: &mut [Vec3],
    ) -> Result<(), ModelError> {
        for (vertex, &at) in self.mesh.vertices.iter().enumerate() {
            let value = field(at);
            if !is_finite(value) {
                let body = self.name.clone();
                return Err(ModelError::NotFinite { what, body, vertex, at, value });
            }
            let slot = &mut to[self.system_vertex(vertex as u32) as usize];
            *slot = add(*slot, value);
        }
        Ok(())
    }

    /// Moves the body from rest to where it starts, in lists of the system.
    pub(crate) fn start(&self, initial: &Initial, x: &mut [Vec3], v: &mut [Vec3]) {
        let bounds = bounding_box(&self.mesh);
        let middle = bounds.centre();
        if let Some(stretch) = initial.stretch {
            for x in &mut x[self.range.clone()] {
                *x = std::array::from_fn(|k| middle[k] + stretch[k] * (x[k] - middle[k]));
            }
        }
        if let Some((part, seed)) = initial.scatter {
            let mut random = Random(seed);
            // In the user's order, so that the start does not depend on internal numbers.
            for vertex in 0..self.mesh.vertex_count() as u32 {
                let slot = &mut x[self.system_vertex(vertex) as usize];
                *slot = std::array::from_fn(|k| {
                    let extent = bounds.max[k] - bounds.min[k];
                    middle[k] + part * (random.next() - 0.5) * extent
                });
            }
        }
        let centre = self.centre(x);
        for (v, &x) in v[self.range.clone()].iter_mut().zip(&x[self.range.clone()]) {
            *v = add(initial.velocity, cross(initial.spin, sub(x, centre)));
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Body")
            .field("name", &self.name)
            .field("element", &self.element)
            .field("vertices", &self.mesh.vertex_count())
            .field("cells", &self.mesh.cell_count())
            .finish_non_exhaustive()
    }
}

/// How a body starts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Initial {
    /// m/s
    pub velocity: Vec3,
    /// About its centre of mass, rad/s.
    pub spin: Vec3,
    /// Factors of its extent about its centre.
    pub stretch: Option<Vec3>,
    /// Puts vertices anywhere within this part of the body's box, by a seed.
    pub scatter: Option<(f64, u64)>,
}

pub(crate) fn size(mesh: &VolumeMesh) -> f64 {
    let bounds = bounding_box(mesh);
    norm(sub(bounds.max, bounds.min))
}

pub(crate) fn cell_size(mesh: &VolumeMesh) -> f64 {
    (volume(mesh).abs() / mesh.cell_count() as f64).cbrt()
}

/// Splitmix64: numbers from 0 to 1, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }
}
