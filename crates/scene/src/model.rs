//! A body of a scene, made: mesh, numbering, masses and force models.

use std::ops::Range;

use pliant_algebra::vec3::{Vec3, add, cross, norm, scale, sub};
use pliant_dynamics::{Acting, Role};
use pliant_forces::damping::{LinearDamping, viscous};
use pliant_forces::solid::{SolidModel, elastic, elastic_weighted, solid, solid_weighted};
use pliant_forces::springs::{DampingTangent, Springs, Stiffness, lumped_masses, mesh_springs};
use pliant_forces::{ElementName, ForceModel, Parameters, Partition};
use pliant_materials::compression_resistance::CompressionResistance;
use pliant_materials::invariants::ByInvariants;
use pliant_materials::{Constants, LawName, Material, MaterialError};
use pliant_mesh::VolumeMesh;
use pliant_mesh::measure::{bounding_box, volume};
use pliant_mesh::topology::{Boundary, boundary, components};
use pliant_units::vector;

use crate::body::{BodySpec, DampingSpec};
use crate::cell_quantity::{CellQuantity, CellValues, MeshData, centre};
use crate::error::SceneError;
use crate::material::{MaterialConstants, MaterialKind, MaterialSpec, SpringStiffness, of_record};
use crate::odd;
use crate::select::Ground;

/// Density where nothing says it, kg/m³: that of water.
const DENSITY: f64 = 1000.0;

/// A body in a simulation.
pub struct Body {
    /// Its name.
    pub name: String,
    /// At rest, where the scene puts it, as the user numbers vertices and cells.
    pub mesh: VolumeMesh,
    /// What stands on its cells.
    pub element: ElementName,
    /// From the user's numbering of vertices to that of the system, relative to `range.start`.
    pub partition: Partition,
    /// Its vertices in the system.
    pub range: Range<usize>,
    /// Its laws; none for springs.
    pub(crate) groups: Vec<Group>,
    /// The elements of its laws, for stresses: the same that the system steps with.
    pub(crate) solids: Vec<Box<dyn SolidModel>>,
    /// Elements that act on top of them.
    pub(crate) resisting: Vec<Box<dyn SolidModel>>,
    pub(crate) boundary: Boundary,
    /// How often the energy, forces and stiffness of each cell count, as the user numbers cells; once if none.
    weights: Option<Vec<f64>>,
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
    /// Constants of the law.
    pub(crate) parameters: ByCell,
    /// k of a resistance to the loss of volume, Pa; 0 for none.
    pub(crate) resistance: ByCell,
    /// Which cells are meant.
    pub(crate) cells: Vec<bool>,
}

impl Group {
    /// What resists the loss of volume on top of the law, if something does.
    pub(crate) fn resisting(&self, body: &Body) -> Result<Option<Box<dyn SolidModel>>, SceneError> {
        let chosen = |c: usize| self.cells[c] && self.resistance.of(c).iter().any(|k| *k > 0.0);
        if !(0..self.cells.len()).any(chosen) {
            return Ok(None);
        }
        let law = Box::new(ByInvariants(CompressionResistance));
        let constants = self.resistance.parameters();
        let (mesh, partition, element) = (&body.mesh, &body.partition, body.element);
        Ok(Some(match body.weights_of(&chosen) {
            None => solid(mesh, partition, element, law, constants, &chosen)?,
            Some(w) => solid_weighted(mesh, partition, element, law, constants, &w)?,
        }))
    }
}

/// Numbers of cells, a few each: one list while all cells have the same.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ByCell {
    Same(Vec<f64>),
    /// `count` for each of the `points` of each cell of the mesh; one point while all of a cell have the same.
    Each {
        count: usize,
        points: usize,
        values: Vec<f64>,
    },
}

impl ByCell {
    /// As force models take them.
    pub(crate) fn parameters(&self) -> Parameters<'_> {
        match self {
            Self::Same(list) => Parameters::Uniform(list),
            Self::Each { points: 1, values, .. } => Parameters::PerElement(values),
            Self::Each { values, .. } => Parameters::PerPoint(values),
        }
    }

    /// Those of a cell, at its points one after the other.
    fn of(&self, cell: usize) -> &[f64] {
        match self {
            Self::Same(list) => list,
            Self::Each { count, points, values } => {
                let size = count * points;
                &values[cell * size..(cell + 1) * size]
            }
        }
    }

    /// Gives one of `cells` cells its numbers: one list, or one for each point.
    fn set(&mut self, cell: usize, list: &[f64], cells: usize) {
        let bits = |list: &[f64]| list.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        match self {
            Self::Same(same) => {
                if list.chunks(same.len()).all(|part| bits(part) == bits(same)) {
                    return;
                }
                let (count, points) = (same.len(), list.len() / same.len());
                *self = Self::Each { count, points, values: same.repeat(cells * points) };
            }
            Self::Each { count, points, values } if *points < list.len() / *count => {
                let more = list.len() / *count;
                *values = values.chunks(*count).flat_map(|part| part.repeat(more)).collect();
                *points = more;
            }
            Self::Each { .. } => {}
        }
        if let Self::Each { count, points, values } = self {
            let size = *count * *points;
            for part in values[cell * size..(cell + 1) * size].chunks_mut(list.len()) {
                part.copy_from_slice(list);
            }
        }
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
        warnings.extend(notes.iter().cloned());
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
        let cells = Cells::of(spec, MeshData { body: spec, mesh: &mesh, notes: &notes })?;
        for (material, density) in cells.extremes(&mesh) {
            for warning in odd::of_material(&material, element, density) {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
        }
        let density = |cell: usize| cells.density[cell];
        let data = MeshData { body: spec, mesh: &mesh, notes: &notes };
        let (groups, springing) = cells.groups(data, element)?;
        let weights = weights(data, &springing)?;
        let masses = match springing {
            Springing::Elements => element.lumped_mass(&mesh, &partition, &density)?,
            Springing::Springs { .. } => {
                partition.vertices().apply(&lumped_masses(&mesh, &cells.density)?)
            }
        };
        let range = first..first + mesh.vertex_count();
        let boundary = boundary(&mesh);
        let stiffness = cells.stiffness(cell_size(&mesh), &mesh);
        let name = spec.name.clone();
        let body = Self {
            name,
            mesh,
            element,
            partition,
            range,
            groups,
            solids: Vec::new(),
            resisting: Vec::new(),
            boundary,
            weights,
            stiffness,
            masses,
            stores_energy: true,
        };
        warnings.extend(odd::of_size(spec, body.size()));
        Ok((body, springing))
    }

    /// The models of its inner forces, which number its vertices from 0.
    pub(crate) fn models(
        &mut self,
        springing: &Springing,
        damping: DampingSpec,
    ) -> Result<Vec<Acting>, SceneError> {
        let mut models: Vec<Box<dyn ForceModel>> = Vec::new();
        let (mut solids, mut resisting) = (Vec::new(), Vec::new());
        for group @ Group { material, parameters, cells, .. } in &self.groups {
            let constants = parameters.parameters();
            let chosen = |cell: usize| cells[cell];
            let (mesh, partition, element) = (&self.mesh, &self.partition, self.element);
            let (law, weights) = (material.point(), self.weights_of(&chosen));
            let own = match &weights {
                None => solid(mesh, partition, element, law, constants, &chosen)?,
                Some(w) => solid_weighted(mesh, partition, element, law, constants, w)?,
            };
            models.push(match &weights {
                _ if material.law() != LawName::ST_VENANT_KIRCHHOFF_POLYNOMIAL => own.share(),
                None => elastic(mesh, partition, element, material, constants, &chosen)?,
                Some(w) => elastic_weighted(mesh, partition, element, material, constants, w)?,
            });
            solids.push(own);
            if let Some(own) = group.resisting(self)? {
                models.push(own.share());
                resisting.push(own);
            }
        }
        (self.solids, self.resisting) = (solids, resisting);
        if let Springing::Springs { stiffness, damping } = springing {
            let mut springs = mesh_springs(&self.mesh, stiffness)?;
            for spring in &mut springs {
                self.partition.vertices().renumber(&mut spring.ends);
                spring.damping = *damping;
            }
            let count = self.mesh.vertex_count();
            models.push(Box::new(Springs::new(count, &springs, DampingTangent::VelocityOnly)?));
        }
        self.stores_energy = models.iter().all(|model| model.character().has_energy());
        let elastic = |model| Acting::new(Role::Elastic, model).damped(damping.stiffness);
        let mut models: Vec<_> = models.into_iter().map(elastic).collect();
        if damping.mass > 0.0 {
            let damping = LinearDamping::mass_proportional(&self.masses, damping.mass)?;
            models.push(Acting::new(Role::Damping, Box::new(damping)));
        }
        if damping.viscosity > 0.0 || damping.volume_viscosity > 0.0 {
            let constants = [damping.volume_viscosity, damping.viscosity];
            models.push(Acting::new(Role::Damping, self.viscous(&constants)?));
        }
        Ok(models.into_iter().map(|acting| acting.on(self.range.clone())).collect())
    }

    /// The weights of some cells, 0 for all others, as the user numbers cells; none if each counts once.
    fn weights_of(&self, chosen: &dyn Fn(usize) -> bool) -> Option<Vec<f64>> {
        let weights = self.weights.as_ref()?.iter().enumerate();
        Some(weights.map(|(cell, &w)| if chosen(cell) { w } else { 0.0 }).collect())
    }

    fn viscous(&self, constants: &[f64]) -> Result<Box<dyn ForceModel>, SceneError> {
        let constants = Parameters::Uniform(constants);
        // Strain rates have no mean dilatation: the plain element serves both.
        Ok(viscous(&self.mesh, &self.partition, self.element.plain(), constants)?)
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
    kinds: Vec<(MaterialSpec, CellQuantity)>,
    /// Of each cell, which one.
    kind: Vec<usize>,
    /// kg/m³
    density: Vec<f64>,
}

impl Cells {
    fn of(spec: &BodySpec, data: MeshData<'_>) -> Result<Self, SceneError> {
        let mesh = data.mesh;
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
        let density = spec.density.clone().unwrap_or(CellQuantity::Uniform(DENSITY));
        cells.put(whole.clone(), density, &mut (0..count));
        for (r, region) in mesh.regions.iter().enumerate() {
            let Some(record) = region.material.and_then(|m| mesh.materials.get(m as usize)) else {
                continue;
            };
            let density = spec.density.clone().unwrap_or(CellQuantity::Uniform(record.density));
            let mut list = mesh.region_cells(r).into_iter().map(|c| c as usize);
            cells.put(whole.with_constants(&of_record(record)), density, &mut list);
        }
        for region in &spec.regions {
            let Some(list) = cells_called(&region.name, mesh) else {
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
            };
            for kind in 0..cells.kinds.len() {
                let of_kind = |c: &usize| cells.kind[*c] == kind;
                let own: Vec<usize> = list.iter().map(|&c| c as usize).filter(of_kind).collect();
                let (old, old_density) = cells.kinds[kind].clone();
                let material = region.material.clone().unwrap_or(old);
                let density = region.density.clone().unwrap_or(old_density);
                cells.put(material, density, &mut own.into_iter());
            }
        }
        // A material without constants is one whose constants the mesh should have had.
        for (cell, &kind) in cells.kind.iter().enumerate() {
            let material = &cells.kinds[kind].0;
            if matches!(
                material.kind,
                MaterialKind::Elastic { constants: MaterialConstants::OfMesh, .. }
            ) {
                let text =
                    format!("nothing says the constants of element {cell} of body '{}'", spec.name);
                let place = asked.map_or(&spec.place, |m| &m.place);
                let hint = "give the material young = \"100 kPa\" and poisson = 0.45";
                return Err(SceneError::new(text).at(place).hint(hint));
            }
        }
        cells.weigh(data)?;
        Ok(cells)
    }

    /// Gives each cell its density.
    fn weigh(&mut self, data: MeshData<'_>) -> Result<(), SceneError> {
        let densities = self.kinds.iter().map(|(_, density)| density.on(&data));
        let densities = densities.collect::<Result<Vec<_>, _>>()?;
        for (cell, (&kind, density)) in self.kind.iter().zip(&mut self.density).enumerate() {
            let at = centre(data.mesh, cell);
            *density = densities[kind].at(cell, at);
            if !(*density > 0.0 && density.is_finite()) {
                let error = refused("density", *density, "must be above 0, kg/m³");
                return Err(in_cell(
                    error,
                    Spot { cell, point: None, at },
                    &densities[kind..=kind],
                    data,
                ));
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        material: MaterialSpec,
        density: CellQuantity,
        cells: &mut dyn Iterator<Item = usize>,
    ) {
        let same = |(m, d): &(MaterialSpec, CellQuantity)| {
            m.place == material.place && m.kind == material.kind && *d == density
        };
        let kind = self.kinds.iter().position(same).unwrap_or_else(|| {
            self.kinds.push((material, density));
            self.kinds.len() - 1
        });
        for cell in cells {
            self.kind[cell] = kind;
        }
    }

    /// Cells of the same law together.
    fn groups(
        &self,
        data: MeshData<'_>,
        element: ElementName,
    ) -> Result<(Vec<Group>, Springing), SceneError> {
        let MeshData { body, mesh, .. } = data;
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
                        SpringStiffness::Young(e) => {
                            let e = e.on(&data)?;
                            for c in cells {
                                let at = centre(mesh, c);
                                young[c] = e.at(c, at);
                                if !(young[c] > 0.0 && young[c].is_finite()) {
                                    let error = refused("young", young[c], "must be above 0");
                                    let spot = Spot { cell: c, point: None, at };
                                    return Err(in_cell(error, spot, &[e], data));
                                }
                            }
                        }
                        SpringStiffness::Rigidity(ea) => rigidity = Some(*ea),
                    }
                }
                MaterialKind::Elastic { material, constants, resistance } => {
                    let at = |e: SceneError| e.at(&spec.place);
                    let law = material.law();
                    let count = material.point().parameters().len();
                    let mut put = |c: usize, values: &[f64], k: &[f64]| {
                        let place = groups.iter().position(|g| g.material == *material);
                        let place = place.unwrap_or_else(|| {
                            groups.push(Group {
                                material: *material,
                                parameters: ByCell::Same(values[..count].to_vec()),
                                resistance: ByCell::Same(k[..1].to_vec()),
                                cells: vec![false; mesh.cell_count()],
                            });
                            groups.len() - 1
                        });
                        let group = &mut groups[place];
                        group.cells[c] = true;
                        group.parameters.set(c, values, mesh.cell_count());
                        group.resistance.set(c, k, mesh.cell_count());
                    };
                    let computed = |constants: &Constants| -> Result<_, MaterialError> {
                        let k = match *resistance {
                            0.0 => 0.0,
                            r => CompressionResistance::stiffness(r, law, constants)?,
                        };
                        Ok((constants.parameters(law)?, k))
                    };
                    match constants {
                        MaterialConstants::OfMesh => {}
                        MaterialConstants::Uniform(constants) => {
                            let (values, k) = computed(constants).map_err(|e| at(e.into()))?;
                            cells.for_each(|c| put(c, &values, &[k]));
                        }
                        MaterialConstants::PerCell(list) => {
                            let sources = list.iter().map(|(_, q)| q.on(&data));
                            let sources = sources.collect::<Result<Vec<_>, _>>()?;
                            let by_point = sources.iter().any(CellValues::is_formula);
                            for c in cells {
                                let points = match by_point {
                                    true => element.rest_points(mesh, c),
                                    false => vec![[0.0; 3]],
                                };
                                let (mut values, mut resistances) = (Vec::new(), Vec::new());
                                for (p, &x) in points.iter().enumerate() {
                                    let (own, k) = given_at(c, x, list, &sources, law)
                                        .and_then(|constants| computed(&constants))
                                        .map_err(|e| {
                                            let point = by_point.then_some(p);
                                            let spot = Spot { cell: c, point, at: x };
                                            at(in_cell(e, spot, &sources, data))
                                        })?;
                                    values.extend(own);
                                    resistances.push(k);
                                }
                                put(c, &values, &resistances);
                            }
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
                let text = format!("body '{}' has both springs and elements", body.name);
                let hint = "make two bodies of it, and join them by an attachment";
                Err(SceneError::new(text).at(&body.place).hint(hint))
            }
        }
    }

    /// Each material with the least of its values, and with the largest, where they differ from cell to cell.
    fn extremes(&self, mesh: &VolumeMesh) -> Vec<(MaterialSpec, f64)> {
        let mut list = Vec::new();
        for (k, (spec, density)) in self.kinds.iter().enumerate() {
            let own: Vec<u32> =
                (0..self.kind.len() as u32).filter(|&c| self.kind[c as usize] == k).collect();
            let range =
                |q: &CellQuantity| q.range(mesh, Some(&own)).or(q.uniform().map(|v| (v, v)));
            for largest in [false, true] {
                let pick = |q: &CellQuantity| {
                    range(q).map_or(f64::NAN, |(low, high)| if largest { high } else { low })
                };
                let mut spec = spec.clone();
                match &mut spec.kind {
                    MaterialKind::Elastic { material, constants, .. } => {
                        if let MaterialConstants::PerCell(given) = constants {
                            let given: Vec<_> = given.iter().map(|(n, q)| (*n, pick(q))).collect();
                            *constants = Constants::from_names(material.law(), &given)
                                .map_or(MaterialConstants::OfMesh, MaterialConstants::Uniform);
                        }
                    }
                    MaterialKind::Springs { stiffness: SpringStiffness::Young(q), .. } => {
                        *q = CellQuantity::Uniform(pick(q));
                    }
                    MaterialKind::Springs { .. } => {}
                }
                let entry = (spec, pick(density));
                list.push(entry);
            }
        }
        list
    }

    /// About the largest Young's modulus, Pa.
    fn stiffness(&self, cell_size: f64, mesh: &VolumeMesh) -> f64 {
        let of = |(spec, _): (MaterialSpec, f64)| match &spec.kind {
            MaterialKind::Springs { stiffness: SpringStiffness::Young(young), .. } => {
                young.uniform().unwrap_or(0.0)
            }
            // A spring of length l stands for an area of about l².
            MaterialKind::Springs { stiffness: SpringStiffness::Rigidity(ea), .. } => {
                ea / (cell_size * cell_size)
            }
            MaterialKind::Elastic {
                material,
                constants: MaterialConstants::Uniform(constants),
                ..
            } => match constants {
                Constants::YoungPoisson { young, .. } => *young,
                other => other
                    .parameters(material.law())
                    .map_or(0.0, |list| list.into_iter().fold(0.0, f64::max)),
            },
            MaterialKind::Elastic { .. } => 0.0,
        };
        self.extremes(mesh).into_iter().map(of).fold(0.0, f64::max)
    }
}

/// The cells of a region or cell set of that name.
pub(crate) fn cells_called(name: &str, mesh: &VolumeMesh) -> Option<Vec<u32>> {
    match mesh.regions.iter().position(|r| r.name == name) {
        Some(region) => Some(mesh.region_cells(region)),
        None => mesh.cell_sets.iter().find(|s| s.name == name).map(|s| s.items.clone()),
    }
}

/// How often each cell counts, if the scene says so.
fn weights(data: MeshData<'_>, springing: &Springing) -> Result<Option<Vec<f64>>, SceneError> {
    let MeshData { body, mesh, .. } = data;
    let Some(quantity) = &body.weights else { return Ok(None) };
    if let Springing::Springs { .. } = springing {
        let text = format!("body '{}' is made of springs, which have no weights", body.name);
        return Err(SceneError::new(text).at(&body.place).hint("weights are those of elements"));
    }
    let values = quantity.on(&data)?;
    let of = |cell: usize| {
        let at = centre(mesh, cell);
        let weight = values.at(cell, at);
        if weight.is_finite() && weight >= 0.0 {
            return Ok(weight);
        }
        let error = refused("weights", weight, "must be a finite number of 0 or more");
        Err(in_cell(error, Spot { cell, point: None, at }, &[values], data))
    };
    Ok(Some((0..mesh.cell_count()).map(of).collect::<Result<_, _>>()?))
}

/// The constants of a cell, at a position at rest in it.
fn given_at(
    cell: usize,
    at: Vec3,
    list: &[(&'static str, CellQuantity)],
    values: &[CellValues<'_>],
    law: LawName,
) -> Result<Constants, MaterialError> {
    let given: Vec<_> = list.iter().zip(values).map(|((n, _), v)| (*n, v.at(cell, at))).collect();
    Constants::from_names(law, &given)
}

fn refused(parameter: &str, found: f64, accepted: &'static str) -> MaterialError {
    MaterialError::OutOfRange { parameter: parameter.to_owned(), found, accepted }
}

/// Where in a mesh something is wrong.
#[derive(Clone, Copy)]
struct Spot {
    cell: usize,
    /// The quadrature point, from 0, where it is not the same in all of the cell.
    point: Option<usize>,
    /// At rest, m.
    at: Vec3,
}

/// An error in a cell, with the numbers that the mesh file or a formula has for it.
fn in_cell(
    error: impl Into<SceneError> + std::fmt::Display,
    Spot { cell, point, at }: Spot,
    values: &[CellValues<'_>],
    data: MeshData<'_>,
) -> SceneError {
    let (number, body) = (data.body.mesh.file_cell(cell), &data.body.name);
    let sources: Vec<String> = values.iter().filter_map(|v| v.source(cell, at)).collect();
    let mut text = format!("element {number} of body '{body}'");
    if let Some(point) = point {
        text += &format!(", point {} at {}", point + 1, vector(at, "m"));
    }
    if !sources.is_empty() {
        text += &format!(", where {}", sources.join(" and "));
    }
    text += &format!(": {error}");
    let place = values.iter().find_map(CellValues::place);
    error.into().told(text).at(place.unwrap_or(&data.body.place))
}
