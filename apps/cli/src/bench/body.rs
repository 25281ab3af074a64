//! The body of a benchmark: a mesh scaled to 1 m, a material, and the state in which it is measured.

use std::path::Path;
use std::sync::Arc;

use pliant::algebra::sparse::{BlockMatrix, Pattern};
use pliant::forces::ForceModel;
use pliant::forces::springs::{MASS_SPRING, Stiffness};
use pliant::materials::maxwell::{Branch, Maxwell};
use pliant::materials::{Constants, Inversion, LawName, Material, PointLaw};
use pliant::mesh::measure::{bounding_box, longest_axis};
use pliant::mesh::{VolumeMesh, io::read_volume};
use pliant::model::{
    self, BodyBuilder, Elastic, MassKind, SpringDamping, SpringNetwork, World, WorldBuilder,
};

use crate::arguments::MaterialFlags;
use crate::context::Context;
use crate::failure::Failure;

/// A body alone in its world, without mass.
pub(crate) struct Body {
    pub(crate) world: World,
    /// Constants of its law; none for springs.
    parameters: Option<Vec<f64>>,
}

impl std::ops::Deref for Body {
    type Target = model::Body;

    fn deref(&self) -> &model::Body {
        &self.world.bodies[0]
    }
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
        let mut body = BodyBuilder::new("body", mesh).mass(MassKind::None);
        if let Some(name) = element {
            body = body.element(name.parse()?);
        }
        let mut parameters = None;
        if flags.material == MASS_SPRING {
            let stiffness = Stiffness::VanGelder(vec![flags.young]);
            body = body.springs(SpringNetwork { stiffness, damping: SpringDamping::NONE });
        } else {
            let (material, constants) = material(flags)?;
            parameters = Some(constants.parameters(material.law())?);
            let elastic = Elastic::of(material, &constants)?;
            body = body.material(match flags.memory {
                0 => elastic,
                count => elastic.remembering(branches(count)?),
            });
        }
        let mut builder = WorldBuilder::new();
        builder.add(body)?;
        Ok(Self { world: builder.build()?, parameters })
    }

    /// The model of its inner forces, bound to [`Body::pattern`].
    pub(crate) fn model(&self) -> Result<&dyn ForceModel, Failure> {
        let model = self.world.system.models().next().map(|(_, model)| model);
        model.ok_or_else(|| Failure::Input("the body exerts no forces".into()))
    }

    /// Its law with the constants; none for springs.
    pub(crate) fn law(&self) -> Option<(&dyn PointLaw, &[f64])> {
        Some((self.solids().first()?.law(), self.parameters.as_deref()?))
    }

    /// The pattern of its stiffness.
    pub(crate) fn pattern(&self) -> &Arc<Pattern> {
        self.world.system.pattern()
    }

    /// Positions in the numbering of the system: a twist of 90° and a stretch of 10 % along the longest
    /// axis.
    pub(crate) fn twisted(&self) -> Vec<[f64; 3]> {
        let axis = longest_axis(&self.mesh);
        let bounds = bounding_box(&self.mesh);
        let length = bounds.max[axis] - bounds.min[axis];
        let (side, other) = ((axis + 1) % 3, (axis + 2) % 3);
        let middle = |k: usize| 0.5 * (bounds.min[k] + bounds.max[k]);
        self.rest()
            .iter()
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
        BlockMatrix::zero(self.pattern().clone())
    }
}

/// So many branches, a decade apart, that are together as stiff as the law.
fn branches(count: u32) -> Result<Maxwell, Failure> {
    let strength = 1.0 / f64::from(count);
    let one = |k: u32| Branch { time: 1e-3 * 10.0_f64.powi(k as i32), strength };
    Ok(Maxwell::new(&(0..count).map(one).collect::<Vec<_>>())?)
}

/// The law and its constants.
pub(crate) fn material(flags: &MaterialFlags) -> Result<(Material, Constants), Failure> {
    let law: LawName = flags.material.parse()?;
    let mut material = Material::new(law);
    if flags.invertible {
        material = material.with_inversion(Inversion::Continued(None))?;
    }
    Ok((material, Constants::YoungPoisson { young: flags.young, poisson: flags.poisson }))
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
