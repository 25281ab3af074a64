//! The body of a benchmark: a mesh scaled to 1 m, a material, and the state in which it is measured.

use std::path::Path;
use std::sync::Arc;

use pliant::algebra::sparse::{BlockMatrix, Pattern};
use pliant::forces::solid::elastic;
use pliant::forces::springs::{DampingTangent, MASS_SPRING, Springs, Stiffness, mesh_springs};
use pliant::forces::{ElementName, ForceModel, Parameters, Partition, Slots};
use pliant::materials::{Constants, Inversion, LawName, Material, PointLaw};
use pliant::mesh::measure::{bounding_box, longest_axis};
use pliant::mesh::{VolumeMesh, io::read_volume};

use crate::arguments::MaterialFlags;
use crate::context::Context;
use crate::failure::Failure;

/// A mesh with what exerts forces in it.
pub(crate) struct Body {
    pub(crate) mesh: VolumeMesh,
    pub(crate) partition: Partition,
    pub(crate) element: ElementName,
    /// None for springs.
    pub(crate) law: Option<(Box<dyn PointLaw>, Vec<f64>)>,
    pub(crate) model: Box<dyn ForceModel>,
    pub(crate) pattern: Arc<Pattern>,
}

impl Body {
    /// Reads the mesh, builds the model and binds it to a matrix.
    pub(crate) fn new(
        file: &Path,
        flags: &MaterialFlags,
        element: Option<&str>,
        context: &Context,
    ) -> Result<Self, Failure> {
        let read = read_volume(file)?;
        context.warn_notes(file, &read.notes);
        Self::of(read.mesh, flags, element)
    }

    /// The same of a mesh that is there already.
    pub(crate) fn of(
        mut mesh: VolumeMesh,
        flags: &MaterialFlags,
        element: Option<&str>,
    ) -> Result<Self, Failure> {
        scale_to_one_metre(&mut mesh);
        let element = match element {
            Some(name) => name.parse()?,
            None => ElementName::of(mesh.cell_type),
        };
        let partition = Partition::new(&mesh)?;
        let (law, mut model): (_, Box<dyn ForceModel>) = if flags.material == MASS_SPRING {
            let mut springs = mesh_springs(&mesh, &Stiffness::VanGelder(vec![flags.young]))?;
            let new = partition.vertices().old_to_new();
            for spring in &mut springs {
                spring.ends = spring.ends.map(|v| new[v as usize]);
            }
            let model = Springs::new(mesh.vertex_count(), &springs, DampingTangent::Exact)?;
            (None, Box::new(model))
        } else {
            let (material, parameters) = material(flags)?;
            let everywhere = Parameters::Uniform(&parameters);
            let model = elastic(&mesh, &partition, element, &material, everywhere, &|_| true)?;
            (Some((material.point(), parameters)), model)
        };
        let rows = mesh.vertex_count();
        let pattern = if model.character().symmetric {
            Pattern::symmetric(rows, |couple| model.couplings(couple))
        } else {
            Pattern::unsymmetric(rows, |couple| model.couplings(couple))
        }
        .map_err(|e| Failure::Input(e.to_string()))?;
        let name = model.name().to_owned();
        model.bind(&Slots::new(&pattern, 0, &name))?;
        Ok(Self { mesh, partition, element, law, model, pattern: Arc::new(pattern) })
    }

    /// Positions in the numbering of the system: a twist of 90° and a stretch of 10 % along the longest
    /// axis.
    pub(crate) fn twisted(&self) -> Vec<[f64; 3]> {
        let axis = longest_axis(&self.mesh);
        let bounds = bounding_box(&self.mesh);
        let length = bounds.max[axis] - bounds.min[axis];
        let (side, other) = ((axis + 1) % 3, (axis + 2) % 3);
        let middle = |k: usize| 0.5 * (bounds.min[k] + bounds.max[k]);
        let rest = self.partition.vertices().apply(&self.mesh.vertices);
        rest.iter()
            .map(|p| {
                let along = p[axis] - bounds.min[axis];
                let (sin, cos) = (along / length * std::f64::consts::FRAC_PI_2).sin_cos();
                let (u, v) = (p[side] - middle(side), p[other] - middle(other));
                let mut x = *p;
                x[axis] = bounds.min[axis] + 1.1 * along;
                x[side] = middle(side) + cos * u - sin * v;
                x[other] = middle(other) + sin * u + cos * v;
                x
            })
            .collect()
    }

    pub(crate) fn matrix(&self) -> BlockMatrix {
        BlockMatrix::zero(self.pattern.clone())
    }
}

/// The law and its parameters.
pub(crate) fn material(flags: &MaterialFlags) -> Result<(Material, Vec<f64>), Failure> {
    let law: LawName = flags.material.parse()?;
    let mut material = Material::new(law);
    if flags.invertible {
        material = material.with_inversion(Inversion::Continued(None))?;
    }
    let constants = Constants::YoungPoisson { young: flags.young, poisson: flags.poisson };
    Ok((material, constants.parameters(law)?))
}

fn scale_to_one_metre(mesh: &mut VolumeMesh) {
    let bounds = bounding_box(mesh);
    let extent = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
    if extent > 0.0 {
        for p in &mut mesh.vertices {
            *p = p.map(|x| x / extent);
        }
    }
}
