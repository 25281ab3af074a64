//! [`BodyBuilder`]: what a body is made of, before it is made.

use std::sync::OnceLock;

use pliant_dynamics::{Acting, Role};
use pliant_forces::damping::{LinearDamping, viscous};
use pliant_forces::solid::{SolidModel, elastic, elastic_weighted, solid, solid_weighted};
use pliant_forces::springs::{
    DampingTangent, QualityFit, Springs, Stiffness, damp_for_quality, lumped_masses, mesh_springs,
};
use pliant_forces::{ElementName, ForceModel, Parameters, Partition};
use pliant_materials::compression_resistance::CompressionResistance;
use pliant_materials::fibres::ActiveTension;
use pliant_materials::parameters::check_density;
use pliant_materials::{LawName, PointLaw};
use pliant_mesh::VolumeMesh;

use crate::body::cell_size;
use crate::{Body, CellConstants, Elastic, ModelError};

/// Density of a body that is given none, kg/m³: that of water.
pub const DENSITY: f64 = 1000.0;

/// Springs along the edges of a mesh, in place of elements.
#[derive(Debug, Clone)]
pub struct SpringNetwork {
    /// How springs get their constants.
    pub stiffness: Stiffness,
    /// How they are damped.
    pub damping: SpringDamping,
}

/// How springs get their damping along the edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpringDamping {
    /// The same for all, N·s/m.
    Constant(f64),
    /// In proportion to the constant of each spring, s.
    PerStiffness(f64),
    /// For a quality Q = k/(ωR), with the reduced mass of the ends of each spring.
    Quality {
        /// Q.
        quality: f64,
        /// At which frequency.
        fit: QualityFit,
    },
}

impl SpringDamping {
    /// No damping.
    pub const NONE: Self = Self::Constant(0.0);
}

impl From<f64> for SpringDamping {
    /// The same for all springs, N·s/m.
    fn from(damping: f64) -> Self {
        Self::Constant(damping)
    }
}

/// How the mass of a body is spread.
///
/// Explicit methods divide by lumped masses, and solve with a consistent mass by its factors in every evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MassKind {
    /// At the vertices.
    #[default]
    Lumped,
    /// ∫ ρ Nₐ N_b dV.
    Consistent,
    /// Not at all: the body is for statics alone, and has no weight.
    None,
}

impl MassKind {
    /// Those that scenes and commands have, by name.
    pub const NAMES: [(&str, Self); 2] =
        [("lumped", Self::Lumped), ("consistent", Self::Consistent)];

    /// Its name in scenes and commands.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, kind)| *kind == self).map_or("none", |(name, _)| name)
    }
}

/// Damping of a body.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Damping {
    /// α, 1/s: D = α M + …
    pub mass: f64,
    /// β, s: … + β K
    pub stiffness: f64,
    /// dμ of the rate of strain, Pa·s.
    pub viscosity: f64,
    /// dλ of the rate of volume, Pa·s.
    pub volume_viscosity: f64,
}

/// A mesh with what it is made of. [`WorldBuilder::add`](crate::WorldBuilder::add) makes a [`Body`] of it.
#[derive(Debug)]
pub struct BodyBuilder {
    pub(crate) name: String,
    mesh: VolumeMesh,
    element: Option<ElementName>,
    elastic: Vec<Elastic>,
    /// Laws that are in no catalogue, on all cells, with their constants.
    laws: Vec<(Box<dyn PointLaw>, Vec<f64>)>,
    springs: Option<SpringNetwork>,
    density: Vec<f64>,
    weights: Option<Vec<f64>>,
    mass: MassKind,
    damping: Damping,
    modulus: Option<f64>,
    material_names: Vec<Option<String>>,
    material_of: Vec<u32>,
}

impl BodyBuilder {
    /// A mesh at rest, coordinates in m.
    pub fn new(name: &str, mesh: VolumeMesh) -> Self {
        Self {
            name: name.to_owned(),
            mesh,
            element: None,
            elastic: Vec::new(),
            laws: Vec::new(),
            springs: None,
            density: vec![DENSITY],
            weights: None,
            mass: MassKind::Lumped,
            damping: Damping::default(),
            modulus: None,
            material_names: Vec::new(),
            material_of: Vec::new(),
        }
    }

    /// Chooses the element; the plain one for the cells of the mesh if this is not called.
    #[must_use]
    pub fn element(mut self, element: ElementName) -> Self {
        self.element = Some(element);
        self
    }

    /// Adds a material. Several may share the cells out, each on its own.
    #[must_use]
    pub fn material(mut self, material: Elastic) -> Self {
        self.elastic.push(material);
        self
    }

    /// Adds a law of one's own on all cells, with the constants of its kernel.
    #[must_use]
    pub fn law(mut self, law: Box<dyn PointLaw>, constants: &[f64]) -> Self {
        self.laws.push((law, constants.to_vec()));
        self
    }

    /// Makes the body of springs.
    #[must_use]
    pub fn springs(mut self, springs: SpringNetwork) -> Self {
        self.springs = Some(springs);
        self
    }

    /// Sets the density, kg/m³; 1000 if this is not called.
    #[must_use]
    pub fn density(mut self, density: f64) -> Self {
        self.density = vec![density];
        self
    }

    /// Sets the density of each cell, kg/m³.
    #[must_use]
    pub fn densities(mut self, densities: Vec<f64>) -> Self {
        self.density = densities;
        self
    }

    /// Sets how often the energy, forces and stiffness of each cell count; once if this is not called. Masses and
    /// springs have no weights.
    #[must_use]
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Says what materials are called, by which friction between them is chosen, and which of these each cell is made of.
    #[must_use]
    pub fn material_names(mut self, names: Vec<Option<String>>, of_cells: Vec<u32>) -> Self {
        (self.material_names, self.material_of) = (names, of_cells);
        self
    }

    /// Chooses how mass is spread; lumped if this is not called.
    #[must_use]
    pub fn mass(mut self, kind: MassKind) -> Self {
        self.mass = kind;
        self
    }

    /// Sets its damping.
    #[must_use]
    pub fn damping(mut self, damping: Damping) -> Self {
        self.damping = damping;
        self
    }

    /// Says about which Young's modulus the body has, Pa, where its materials do not tell: springs that hold it,
    /// hands that pull at it and obstacles are scaled by it.
    #[must_use]
    pub fn modulus(mut self, modulus: f64) -> Self {
        self.modulus = Some(modulus);
        self
    }

    /// Makes the body, whose first vertex is number `first` of the system, and the models of its inner forces.
    /// `memories` models that were made before remember something.
    pub(crate) fn make(
        self,
        first: usize,
        memories: usize,
    ) -> Result<(Body, Vec<Acting>), ModelError> {
        let Self { name, mesh, density, mass, damping, .. } = self;
        let element = self.element.unwrap_or(ElementName::of(mesh.cell_type));
        if element.cell_type() != mesh.cell_type {
            return Err(ModelError::Unsupported {
                text: format!(
                    "{} elements need {} cells, and the mesh of body '{name}' has {} cells",
                    element.name(),
                    element.cell_type(),
                    mesh.cell_type
                ),
                hint: "take an element of its cells, or convert the mesh",
            });
        }
        if density.len() != 1 && density.len() != mesh.cell_count() {
            let what = format!("densities of body '{name}'");
            return Err(ModelError::Count {
                what,
                found: density.len(),
                needed: mesh.cell_count(),
            });
        }
        for &density in &density {
            check_density(density)?;
        }
        if !self.material_names.is_empty() && self.material_of.len() != mesh.cell_count() {
            let what = format!("materials of the cells of body '{name}'");
            let (found, needed) = (self.material_of.len(), mesh.cell_count());
            return Err(ModelError::Count { what, found, needed });
        }
        let names = self.material_names.len();
        if let Some(&last) = self.material_of.iter().find(|m| **m as usize >= names) {
            let what = format!("names of the materials of body '{name}'");
            return Err(ModelError::Count { what, found: names, needed: last as usize + 1 });
        }
        if self.springs.is_some() && !(self.elastic.is_empty() && self.laws.is_empty()) {
            return Err(ModelError::Unsupported {
                text: format!("body '{name}' has both springs and elements"),
                hint: "make two bodies of it, and join them by an attachment",
            });
        }
        if self.springs.is_some() && mass == MassKind::Consistent {
            return Err(ModelError::Unsupported {
                text: format!("body '{name}' is made of springs, which have no consistent mass"),
                hint: "take lumped masses",
            });
        }
        let partition = Partition::new(&mesh)?;
        let range = first..first + mesh.vertex_count();
        let size = cell_size(&mesh);
        let moduli = self.elastic.iter().map(|e| e.modulus);
        let of_laws = self.laws.iter().flat_map(|(_, list)| list.iter().copied());
        let of_springs = self.springs.iter().map(|s| match &s.stiffness {
            Stiffness::VanGelder(young) => young.iter().copied().fold(0.0, f64::max),
            // A spring of length l stands for an area of about l².
            Stiffness::Axial(rigidity) => rigidity / (size * size),
            Stiffness::Uniform(k) => k / size,
        });
        let modulus = moduli.chain(of_laws).chain(of_springs).fold(0.0, f64::max);
        let mut body = Body {
            name,
            element,
            partition,
            range,
            materials: self.elastic.iter().map(|e| e.material).collect(),
            solids: Vec::new(),
            remembers: Vec::new(),
            resisting: Vec::new(),
            boundary: OnceLock::new(),
            faces: OnceLock::new(),
            modulus: self.modulus.unwrap_or(modulus),
            masses: Vec::new(),
            mass_kind: mass,
            density,
            weights: self.weights,
            stores_energy: true,
            springs: self.springs.is_some(),
            material_names: self.material_names,
            material_of: self.material_of,
            mesh,
        };
        body.weigh()?;
        let mut models = body.solids_of(&self.elastic, self.laws)?;
        let mut next = memories..;
        let solids = body.solids.iter();
        body.remembers = solids.map(|solid| solid.memory().and_then(|_| next.next())).collect();
        if let Some(springs) = &self.springs {
            models.push(body.network(springs)?);
        }
        body.stores_energy = models.iter().all(|model| model.character().has_energy());
        let elastic = |model| Acting::new(Role::Elastic, model).damped(damping.stiffness);
        let mut models: Vec<_> = models.into_iter().map(elastic).collect();
        // What muscles do is work from outside.
        for model in body.active_fibres(&self.elastic)? {
            models.push(Acting::new(Role::Load, model));
        }
        if damping.mass > 0.0 {
            models.push(Acting::new(Role::Damping, body.mass_damping(damping.mass)?));
        }
        if let Some(constants) = viscosities(&self.elastic, &damping, &body) {
            models.push(Acting::new(Role::Damping, body.viscous(constants.parameters())?));
        }
        let range = body.range.clone();
        Ok((body, models.into_iter().map(|acting| acting.on(range.clone())).collect()))
    }
}

/// dλ and dμ of each cell, Pa·s: those of the body with those of its materials; none if nothing is viscous.
fn viscosities(list: &[Elastic], damping: &Damping, body: &Body) -> Option<CellConstants> {
    let all = [damping.volume_viscosity, damping.viscosity];
    if all == [0.0; 2] && list.iter().all(|made| made.viscosity == [0.0; 2]) {
        return None;
    }
    let mut constants = CellConstants::Uniform(all.to_vec());
    let cells = body.mesh.cell_count();
    for made in list.iter().filter(|made| made.viscosity != [0.0; 2]) {
        let [shear, volume] = made.viscosity;
        let own = [all[0] + volume, all[1] + shear];
        for cell in (0..cells).filter(|&cell| made.has(cell)) {
            constants.set(cell, &own, cells);
        }
    }
    Some(constants)
}

impl Body {
    /// Computes its masses at the vertices.
    pub(crate) fn weigh(&mut self) -> Result<(), ModelError> {
        let density = &self.density;
        let of = |cell: usize| density[cell.min(density.len() - 1)];
        self.masses = match self.mass_kind {
            MassKind::None => vec![0.0; self.mesh.vertex_count()],
            _ if self.springs => {
                self.partition.vertices().apply(&lumped_masses(&self.mesh, density)?)
            }
            _ => self.element.lumped_mass(&self.mesh, &self.partition, &of)?,
        };
        Ok(())
    }

    /// α M, with the mass that the body moves with.
    fn mass_damping(&self, alpha: f64) -> Result<Box<dyn ForceModel>, ModelError> {
        if self.mass_kind != MassKind::Consistent {
            return Ok(Box::new(LinearDamping::mass_proportional(&self.masses, alpha)?));
        }
        let mut blocks = self.mass_blocks()?;
        for (_, _, block) in &mut blocks {
            for m in block.iter_mut() {
                *m *= alpha;
            }
        }
        Ok(Box::new(LinearDamping::new(self.mesh.vertex_count(), &blocks, true)?))
    }

    /// Elements of all laws.
    fn solids_of(
        &mut self,
        list: &[Elastic],
        own: Vec<(Box<dyn PointLaw>, Vec<f64>)>,
    ) -> Result<Vec<Box<dyn ForceModel>>, ModelError> {
        let mut models: Vec<Box<dyn ForceModel>> = Vec::new();
        let (mut solids, mut resisting) = (Vec::new(), Vec::new());
        let (mesh, partition, element) = (&self.mesh, &self.partition, self.element);
        for made in list {
            let constants = made.constants.parameters();
            let chosen = |cell: usize| made.has(cell);
            let mut own = self.solid(made.material.point(), constants, &chosen)?;
            if let Some(memory) = &made.memory {
                own.remember(memory)?;
            }
            let material = &made.material;
            models.push(match self.weights_of(&chosen) {
                // The polynomial form is that of an elastic law.
                _ if own.memory().is_some()
                    || material.law() != LawName::ST_VENANT_KIRCHHOFF_POLYNOMIAL =>
                {
                    own.share()
                }
                None => elastic(mesh, partition, element, material, constants, &chosen)?,
                Some(w) => elastic_weighted(mesh, partition, element, material, constants, &w)?,
            });
            solids.push(own);
            if let Some(own) = self.resistance(made)? {
                models.push(own.share());
                resisting.push(own);
            }
        }
        for (law, constants) in own {
            let constants = Parameters::Uniform(&constants);
            let own = self.solid(law, constants, &|_| true)?;
            models.push(own.share());
            solids.push(own);
        }
        (self.solids, self.resisting) = (solids, resisting);
        Ok(models)
    }

    /// Fibres that pull.
    fn active_fibres(&self, list: &[Elastic]) -> Result<Vec<Box<dyn ForceModel>>, ModelError> {
        let mut models: Vec<Box<dyn ForceModel>> = Vec::new();
        for made in list {
            for active in &made.active {
                let pulls = |cell: usize| active.constants.of(cell).chunks(4).any(|p| p[0] > 0.0);
                let chosen = |cell: usize| made.has(cell) && pulls(cell);
                if !(0..self.mesh.cell_count()).any(chosen) {
                    continue;
                }
                let constants = active.constants.parameters();
                let mut own = self.solid(Box::new(ActiveTension), constants, &chosen)?;
                own.activate(active.activation.clone())?;
                models.push(own.share());
            }
        }
        Ok(models)
    }

    /// What resists the loss of volume on top of a law, if something does.
    fn resistance(&self, made: &Elastic) -> Result<Option<Box<dyn SolidModel>>, ModelError> {
        let some = |cell: usize| made.resistance.of(cell).iter().any(|k| *k > 0.0);
        let chosen = |cell: usize| made.has(cell) && some(cell);
        if !(0..self.mesh.cell_count()).any(chosen) {
            return Ok(None);
        }
        let law = CompressionResistance::law();
        let constants = made.resistance.parameters();
        Ok(Some(self.solid(law, constants, &chosen)?))
    }

    /// Springs along its edges. Their damping counts in the tangent by ∂g/∂v alone, which keeps it symmetric.
    fn network(&self, made: &SpringNetwork) -> Result<Box<dyn ForceModel>, ModelError> {
        let mut springs = mesh_springs(&self.mesh, &made.stiffness)?;
        for spring in &mut springs {
            self.partition.vertices().renumber(&mut spring.ends);
            spring.damping = match made.damping {
                SpringDamping::Constant(damping) => damping,
                SpringDamping::PerStiffness(time) => time * spring.stiffness,
                SpringDamping::Quality { .. } => 0.0,
            };
        }
        if let SpringDamping::Quality { quality, fit } = made.damping {
            damp_for_quality(&mut springs, &self.masses, quality, fit)?;
        }
        let count = self.mesh.vertex_count();
        Ok(Box::new(Springs::new(count, &springs, DampingTangent::VelocityOnly)?))
    }

    fn viscous(&self, constants: Parameters<'_>) -> Result<Box<dyn ForceModel>, ModelError> {
        // Strain rates have no mean dilatation: the plain element serves both.
        Ok(viscous(&self.mesh, &self.partition, self.element.plain(), constants)?)
    }

    /// The weights of some cells, 0 for all others, in the user's numbering; none if each counts once.
    fn weights_of(&self, chosen: &dyn Fn(usize) -> bool) -> Option<Vec<f64>> {
        let weights = self.weights.as_ref()?.iter().enumerate();
        Some(weights.map(|(cell, &w)| if chosen(cell) { w } else { 0.0 }).collect())
    }

    /// A law on some cells.
    fn solid(
        &self,
        law: Box<dyn PointLaw>,
        constants: Parameters<'_>,
        chosen: &dyn Fn(usize) -> bool,
    ) -> Result<Box<dyn SolidModel>, ModelError> {
        let (mesh, partition, element) = (&self.mesh, &self.partition, self.element);
        Ok(match self.weights_of(chosen) {
            None => solid(mesh, partition, element, law, constants, chosen)?,
            Some(w) => solid_weighted(mesh, partition, element, law, constants, &w)?,
        })
    }
}
