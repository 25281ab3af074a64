//! A body of a scene, made: mesh, numbering, masses and force models.

use std::ops::Range;

use pliant_algebra::vec3::{Vec3, add, cross, norm, scale, sub};
use pliant_dynamics::Role;
use pliant_elements::{Hex8, Tet4, Tet10};
use pliant_forces::damping::{CurrentRayleigh, LinearDamping, RayleighTangent, Viscous};
use pliant_forces::solid::{SolidModel, elastic, solid};
use pliant_forces::springs::{DampingTangent, Springs, Stiffness, lumped_masses, mesh_springs};
use pliant_forces::{ElementName, ForceModel, Parameters, Partition};
use pliant_materials::compression_resistance::CompressionResistance;
use pliant_materials::invariants::ByInvariants;
use pliant_materials::{Constants, Material};
use pliant_mesh::VolumeMesh;
use pliant_mesh::measure::{bounding_box, volume};
use pliant_mesh::topology::{Boundary, boundary, components};

use crate::body::{BodySpec, DampingSpec};
use crate::error::SceneError;
use crate::material::{MaterialKind, MaterialSpec, SpringStiffness, of_record};
use crate::odd;
use crate::select::Ground;

/// Density where nothing says it, kg/m³: that of water.
const DENSITY: f64 = 1000.0;

/// A model and what it stands for.
pub(crate) type Acting = (Role, Box<dyn ForceModel>);

/// A body in a simulation.
pub struct Body {
    /// Its name.
    pub name: String,
    /// At rest, where the scene puts it, as the user numbers vertices and cells.
    pub mesh: VolumeMesh,
    /// What stands on its cells.
    pub element: ElementName,
    /// From the user's numbering of vertices to that of the system, but for the first vertex.
    pub partition: Partition,
    /// Its vertices in the system.
    pub range: Range<usize>,
    /// Its laws, for stresses; none for springs.
    pub(crate) groups: Vec<Group>,
    pub(crate) boundary: Boundary,
    /// About Young's modulus, Pa.
    pub(crate) stiffness: f64,
    /// kg, as the system numbers vertices.
    pub(crate) masses: Vec<f64>,
    /// Whether its inner forces come from an energy.
    pub(crate) stores_energy: bool,
}

/// The cells of one law.
pub(crate) struct Group {
    pub(crate) material: Material,
    /// Of all cells of the mesh.
    pub(crate) parameters: Vec<f64>,
    /// k of a resistance to the loss of volume of all cells, Pa; empty if none has one.
    pub(crate) resistance: Vec<f64>,
    /// Which cells are meant.
    pub(crate) cells: Vec<bool>,
}

impl Group {
    /// What resists the loss of volume on top of the law, if something does.
    pub(crate) fn resisting(&self, body: &Body) -> Result<Option<Box<dyn SolidModel>>, SceneError> {
        if self.resistance.is_empty() {
            return Ok(None);
        }
        let law = Box::new(ByInvariants(CompressionResistance));
        let chosen = |cell: usize| self.resistance[cell] > 0.0;
        let constants = Parameters::PerElement(&self.resistance);
        Ok(Some(solid(&body.mesh, &body.partition, body.element, law, constants, &chosen)?))
    }
}

impl Body {
    /// Makes mesh, numbering and masses.
    pub(crate) fn new(
        spec: &BodySpec,
        first: usize,
        warnings: &mut Vec<String>,
    ) -> Result<(Self, Springing), SceneError> {
        let (mut mesh, element, notes) = spec.mesh.make()?;
        warnings.extend(notes);
        let parts = components(&mesh).count;
        if parts > 1 {
            warnings.push(format!(
                "{}: the mesh of body '{}' has {parts} parts that nothing holds together",
                spec.place, spec.name
            ));
        }
        spec.pose.put(&mut mesh.vertices);
        let at = |e: SceneError| e.at(&spec.place);
        let partition = Partition::new(&mesh).map_err(|e| at(e.into()))?;
        let cells = Cells::of(spec, &mesh)?;
        for (material, density) in &cells.kinds {
            warnings.extend(odd::of_material(material, element, *density));
        }
        let density = |cell: usize| cells.density[cell];
        let (groups, springing) = cells.groups(spec, &mesh)?;
        let masses = match springing {
            Springing::Elements => element.lumped_mass(&mesh, &partition, &density)?,
            Springing::Springs { .. } => {
                partition.vertices().apply(&lumped_masses(&mesh, &cells.density)?)
            }
        };
        let range = first..first + mesh.vertex_count();
        let boundary = boundary(&mesh);
        let stiffness = cells.stiffness(cell_size(&mesh));
        let name = spec.name.clone();
        let body = Self {
            name,
            mesh,
            element,
            partition,
            range,
            groups,
            boundary,
            stiffness,
            masses,
            stores_energy: true,
        };
        warnings.extend(odd::of_size(spec, body.size()));
        Ok((body, springing))
    }

    /// The models of its inner forces, which number its vertices from 0.
    pub(crate) fn models(
        &self,
        springing: &Springing,
        damping: DampingSpec,
    ) -> Result<Vec<Acting>, SceneError> {
        let mut models: Vec<Box<dyn ForceModel>> = Vec::new();
        for group @ Group { material, parameters, cells, .. } in &self.groups {
            let constants = Parameters::PerElement(parameters);
            let chosen = |cell: usize| cells[cell];
            models.push(elastic(
                &self.mesh,
                &self.partition,
                self.element,
                material,
                constants,
                &chosen,
            )?);
            models.extend(group.resisting(self)?.map(|solid| solid as Box<dyn ForceModel>));
        }
        if let Springing::Springs { stiffness, damping } = springing {
            let mut springs = mesh_springs(&self.mesh, stiffness)?;
            for spring in &mut springs {
                self.partition.vertices().renumber(&mut spring.ends);
                spring.damping = *damping;
            }
            let count = self.mesh.vertex_count();
            models.push(Box::new(Springs::new(count, &springs, DampingTangent::VelocityOnly)?));
        }
        if damping.stiffness > 0.0 {
            let damp = |model| {
                let (beta, option) = (damping.stiffness, RayleighTangent::Omit);
                let damped = CurrentRayleigh::new(model, &self.masses, 0.0, beta, option)?;
                Ok(Box::new(damped) as Box<dyn ForceModel>)
            };
            models = models.into_iter().map(damp).collect::<Result<_, SceneError>>()?;
        }
        let mut models: Vec<_> = models.into_iter().map(|model| (Role::Elastic, model)).collect();
        if damping.mass > 0.0 {
            let damping = LinearDamping::mass_proportional(&self.masses, damping.mass)?;
            models.push((Role::Damping, Box::new(damping)));
        }
        if damping.viscosity > 0.0 || damping.volume_viscosity > 0.0 {
            let constants = [damping.volume_viscosity, damping.viscosity];
            models.push((Role::Damping, self.viscous(&constants)?));
        }
        Ok(models)
    }

    fn viscous(&self, constants: &[f64]) -> Result<Box<dyn ForceModel>, SceneError> {
        let (mesh, partition, p) = (&self.mesh, &self.partition, Parameters::Uniform(constants));
        Ok(match self.element {
            ElementName::Tet4 => Box::new(Viscous::new(mesh, partition, Tet4, p)?),
            ElementName::Tet10 => Box::new(Viscous::new(mesh, partition, Tet10, p)?),
            // Strain rates have no mean dilatation: the plain element serves both.
            ElementName::Hex8 | ElementName::Hex8Bbar => {
                Box::new(Viscous::new(mesh, partition, Hex8, p)?)
            }
        })
    }

    /// The boundary of its mesh at rest, as the user numbers vertices.
    pub fn boundary(&self) -> &Boundary {
        &self.boundary
    }

    /// The number of a vertex in the system.
    pub fn system_vertex(&self, vertex: u32) -> u32 {
        self.range.start as u32 + self.partition.vertices().old_to_new()[vertex as usize]
    }

    /// Rest positions as the system numbers them.
    pub(crate) fn rest(&self) -> Vec<Vec3> {
        self.partition.vertices().apply(&self.mesh.vertices)
    }

    /// What belongs to this body of a list of the system, as the user numbers vertices.
    pub fn of_user(&self, system: &[Vec3]) -> Vec<Vec3> {
        let own = &system[self.range.clone()];
        self.partition.vertices().old_to_new().iter().map(|&v| own[v as usize]).collect()
    }

    /// The stiffness of a spring that moves it as a hand would, N/m: E h, about that of the cell it pulls at, so
    /// that spring and body give way alike. A stiffer one would pull single cells out of fine meshes.
    pub fn hand_stiffness(&self) -> f64 {
        self.stiffness * self.cell_size()
    }

    /// About Young's modulus, Pa.
    pub fn modulus(&self) -> f64 {
        self.stiffness
    }

    /// Of its vertices, kg, in the order of the system, of which they are [`Body::range`].
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    pub(crate) fn ground(&self) -> Ground<'_> {
        Ground { name: &self.name, mesh: &self.mesh, boundary: &self.boundary }
    }

    /// The diagonal of its box, m.
    pub fn size(&self) -> f64 {
        let bounds = bounding_box(&self.mesh);
        norm(sub(bounds.max, bounds.min))
    }

    /// About the length of a cell, m.
    pub(crate) fn cell_size(&self) -> f64 {
        cell_size(&self.mesh)
    }

    /// Centre of mass at these positions of the system, m.
    pub(crate) fn centre(&self, x: &[Vec3]) -> Vec3 {
        let (mut sum, mut mass) = ([0.0; 3], 0.0);
        for (&x, &m) in x[self.range.clone()].iter().zip(&self.masses) {
            sum = add(sum, scale(x, m));
            mass += m;
        }
        scale(sum, 1.0 / mass)
    }

    /// Puts the body where the scene lets it start.
    pub(crate) fn start(&self, spec: &BodySpec, x: &mut [Vec3], v: &mut [Vec3]) {
        let initial = &spec.initial;
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

fn cell_size(mesh: &VolumeMesh) -> f64 {
    (volume(mesh).abs() / mesh.cell_count() as f64).cbrt()
}

/// Whether elements or springs make the forces.
#[derive(Debug, Clone)]
pub(crate) enum Springing {
    Elements,
    Springs { stiffness: Stiffness, damping: f64 },
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

/// What each cell is made of.
struct Cells {
    /// Materials with constants, and the densities they come with.
    kinds: Vec<(MaterialSpec, f64)>,
    /// Of each cell, which one.
    kind: Vec<usize>,
    /// kg/m³
    density: Vec<f64>,
}

impl Cells {
    fn of(spec: &BodySpec, mesh: &VolumeMesh) -> Result<Self, SceneError> {
        let count = mesh.cell_count();
        let mut cells = Self {
            kinds: Vec::new(),
            kind: vec![usize::MAX; count],
            density: vec![DENSITY; count],
        };
        let default = MaterialSpec::stable();
        let asked = spec.material.as_ref();
        let whole = asked.unwrap_or(&default);
        // The mesh's own constants first, then the scene's, then those of its regions.
        let density = spec.density.unwrap_or(DENSITY);
        cells.put(whole.clone(), density, &mut (0..count));
        for (r, region) in mesh.regions.iter().enumerate() {
            let Some(record) = region.material.and_then(|m| mesh.materials.get(m as usize)) else {
                continue;
            };
            let density = spec.density.unwrap_or(record.density);
            let mut list = mesh.region_cells(r).into_iter().map(|c| c as usize);
            cells.put(whole.with_constants(&of_record(record)), density, &mut list);
        }
        for region in &spec.regions {
            let of_region = mesh.regions.iter().position(|r| r.name == region.name);
            let set = mesh.cell_sets.iter().find(|s| s.name == region.name);
            let list = match (of_region, set) {
                (Some(r), _) => mesh.region_cells(r),
                (None, Some(set)) => set.items.clone(),
                (None, None) => {
                    let text =
                        format!("the mesh of body '{}' has no region '{}'", spec.name, region.name);
                    let names: Vec<&str> = mesh
                        .regions
                        .iter()
                        .map(|r| r.name.as_str())
                        .chain(mesh.cell_sets.iter().map(|s| s.name.as_str()))
                        .collect();
                    let hint = format!("there are {}", names.join(", "));
                    return Err(SceneError::new(text).at(&region.place).hint(hint));
                }
            };
            for kind in 0..cells.kinds.len() {
                let of_kind = |c: &usize| cells.kind[*c] == kind;
                let own: Vec<usize> = list.iter().map(|&c| c as usize).filter(of_kind).collect();
                let (old, old_density) = cells.kinds[kind].clone();
                let material = region.material.clone().unwrap_or(old);
                let density = region.density.unwrap_or(old_density);
                cells.put(material, density, &mut own.into_iter());
            }
        }
        // A material without constants is one whose constants the mesh should have had.
        for (cell, &kind) in cells.kind.iter().enumerate() {
            let material = &cells.kinds[kind].0;
            if matches!(material.kind, MaterialKind::Elastic { constants: None, .. }) {
                let text =
                    format!("nothing says the constants of element {cell} of body '{}'", spec.name);
                let place = asked.map_or(&spec.place, |m| &m.place);
                let hint = "give the material young = \"100 kPa\" and poisson = 0.45";
                return Err(SceneError::new(text).at(place).hint(hint));
            }
        }
        Ok(cells)
    }

    fn put(
        &mut self,
        material: MaterialSpec,
        density: f64,
        cells: &mut dyn Iterator<Item = usize>,
    ) {
        let same = |(m, d): &(MaterialSpec, f64)| {
            m.place == material.place && m.kind == material.kind && *d == density
        };
        let kind = self.kinds.iter().position(same).unwrap_or_else(|| {
            self.kinds.push((material, density));
            self.kinds.len() - 1
        });
        for cell in cells {
            self.kind[cell] = kind;
            self.density[cell] = density;
        }
    }

    /// Cells of the same law together.
    fn groups(
        &self,
        spec: &BodySpec,
        mesh: &VolumeMesh,
    ) -> Result<(Vec<Group>, Springing), SceneError> {
        let used: Vec<bool> = (0..self.kinds.len()).map(|k| self.kind.contains(&k)).collect();
        let mut groups: Vec<Group> = Vec::new();
        let (mut young, mut rigidity) = (vec![0.0; mesh.cell_count()], None);
        let mut damping = None;
        for (k, (spec, _)) in self.kinds.iter().enumerate().filter(|(k, _)| used[*k]) {
            let cells = (0..mesh.cell_count()).filter(|&c| self.kind[c] == k);
            match &spec.kind {
                MaterialKind::Springs { stiffness, damping: d } => {
                    damping = Some(*d);
                    match stiffness {
                        SpringStiffness::Young(e) => cells.for_each(|c| young[c] = *e),
                        SpringStiffness::Rigidity(ea) => rigidity = Some(*ea),
                    }
                }
                MaterialKind::Elastic { material, constants, resistance } => {
                    let Some(constants) = constants else { continue };
                    let values = constants.parameters(material.law());
                    let values = values.map_err(|e| SceneError::from(e).at(&spec.place))?;
                    let n = values.len();
                    let at = groups.iter().position(|g| g.material == *material);
                    let at = at.unwrap_or_else(|| {
                        groups.push(Group {
                            material: *material,
                            parameters: values.repeat(mesh.cell_count()),
                            resistance: Vec::new(),
                            cells: vec![false; mesh.cell_count()],
                        });
                        groups.len() - 1
                    });
                    let group = &mut groups[at];
                    let law = material.law();
                    let k = CompressionResistance::stiffness(*resistance, law, constants);
                    let k = match *resistance {
                        0.0 => 0.0,
                        _ => k.map_err(|e| SceneError::from(e).at(&spec.place))?,
                    };
                    if k > 0.0 {
                        group.resistance.resize(mesh.cell_count(), 0.0);
                    }
                    for c in cells {
                        group.cells[c] = true;
                        group.parameters[c * n..(c + 1) * n].copy_from_slice(&values);
                        if k > 0.0 {
                            group.resistance[c] = k;
                        }
                    }
                }
            }
        }
        match damping {
            None => Ok((groups, Springing::Elements)),
            Some(damping) if groups.is_empty() => {
                let stiffness = rigidity.map_or(Stiffness::VanGelder(young), Stiffness::Axial);
                Ok((groups, Springing::Springs { stiffness, damping }))
            }
            Some(_) => {
                let text = format!("body '{}' has both springs and elements", spec.name);
                let hint = "make two bodies of it, and join them by an attachment";
                Err(SceneError::new(text).at(&spec.place).hint(hint))
            }
        }
    }

    /// About the largest Young's modulus, Pa.
    fn stiffness(&self, cell_size: f64) -> f64 {
        let of = |(spec, _): &(MaterialSpec, f64)| match &spec.kind {
            MaterialKind::Springs { stiffness: SpringStiffness::Young(young), .. } => *young,
            // A spring of length l stands for an area of about l².
            MaterialKind::Springs { stiffness: SpringStiffness::Rigidity(ea), .. } => {
                ea / (cell_size * cell_size)
            }
            MaterialKind::Elastic { material, constants: Some(constants), .. } => match constants {
                Constants::YoungPoisson { young, .. } => *young,
                other => other
                    .parameters(material.law())
                    .map_or(0.0, |list| list.into_iter().fold(0.0, f64::max)),
            },
            MaterialKind::Elastic { constants: None, .. } => 0.0,
        };
        self.kinds.iter().map(of).fold(0.0, f64::max)
    }
}
