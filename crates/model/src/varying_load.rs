//! [`VaryingLoad`]: loads whose amounts depend on the position at rest and on time.

use pliant_algebra::vec3::{Vec3, cross, scale};
use pliant_forces::ForceModel;
use pliant_forces::loads::{Amount, FieldLoad, Follower, LoadField, Pressure, Shear};

use crate::{Body, Load, ModelError};

/// Loads whose amounts depend on the position at rest and on time, in the units of [`LoadKind`](crate::LoadKind).
///
/// ```
/// use pliant_forces::loads::LoadField;
/// use pliant_model::{Load, LoadKind, VaryingLoad};
///
/// // The pressure of water that stands 2 m high.
/// let depth = LoadField::of_position(|x| 1000.0 * 9.81 * (2.0 - x[2]));
/// let load = Load::new(LoadKind::Varying(VaryingLoad::Pressure(depth))).on("x-min");
/// assert!(load.follows);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum VaryingLoad {
    /// A force, N, spread over the selected surface by area, or over the vertices where there is none. Where it varies, each
    /// point has its share of the force that the field gives there.
    Total(LoadField<Vec3>),
    /// A force on each vertex, N.
    Each(LoadField<Vec3>),
    /// A force per rest area, Pa.
    Traction(LoadField<Vec3>),
    /// Against the outward normal, Pa.
    Pressure(LoadField<f64>),
    /// Along axis × normal, Pa.
    Shear(LoadField<f64>, Vec3),
    /// A force per rest volume, N/m³.
    Body(LoadField<Vec3>),
}

impl Load {
    /// Makes the model of an amount that varies. `rest` is that of the system.
    pub(crate) fn varying(
        &self,
        kind: &VaryingLoad,
        body: &Body,
        rest: &[Vec3],
    ) -> Result<Box<dyn ForceModel>, ModelError> {
        let faces = || self.some_faces(body);
        let curve = self.curve.clone();
        Ok(match kind {
            VaryingLoad::Each(field) => self.on_vertices(field, 1.0, body, rest)?,
            VaryingLoad::Total(field) if self.follows => {
                let faces = faces()?;
                let part = 1.0 / faces.area(rest)?;
                Box::new(Follower::field(rest, faces.list()?, part, field.clone(), curve)?)
            }
            VaryingLoad::Total(field) => {
                let faces = if self.on.is_some() { Some(self.faces(body)?) } else { None };
                let area = faces.as_ref().map_or(Ok(0.0), |faces| faces.area(rest))?;
                if let Some(faces) = faces.filter(|_| area > 0.0) {
                    let (list, part) = (faces.list()?, 1.0 / area);
                    dead(FieldLoad::traction(rest, list, part, field.clone(), curve)?, rest)?
                } else {
                    let count = self.vertices(body)?.len().max(1);
                    self.on_vertices(field, 1.0 / count as f64, body, rest)?
                }
            }
            VaryingLoad::Traction(field) if self.follows => {
                Box::new(Follower::field(rest, faces()?.list()?, 1.0, field.clone(), curve)?)
            }
            VaryingLoad::Traction(field) => {
                let field = field.clone();
                dead(FieldLoad::traction(rest, faces()?.list()?, 1.0, field, curve)?, rest)?
            }
            VaryingLoad::Pressure(field) if !self.follows => {
                let push = |area: Vec3| scale(area, -1.0);
                dead(
                    FieldLoad::on_faces(rest, faces()?.list()?, push, field.clone(), curve)?,
                    rest,
                )?
            }
            VaryingLoad::Pressure(field) => {
                let faces = faces()?;
                let list = faces.list()?;
                // One that does not vary has an energy on a closed surface, as a uniform one has.
                match Pressure::closed_of_time(rest, list, field, curve.clone()) {
                    Ok(closed) => Box::new(closed),
                    Err(_) => Box::new(Pressure::field(rest, list, field, curve)?),
                }
            }
            VaryingLoad::Shear(field, axis) if !self.follows => {
                let push = |area: Vec3| cross(*axis, area);
                dead(
                    FieldLoad::on_faces(rest, faces()?.list()?, push, field.clone(), curve)?,
                    rest,
                )?
            }
            VaryingLoad::Shear(field, axis) => {
                Box::new(Shear::field(rest, faces()?.list()?, *axis, field, curve)?)
            }
            VaryingLoad::Body(field) => {
                let (mesh, cells) = self.cells(body, rest)?;
                let load = FieldLoad::body(&mesh, cells.as_deref(), field.clone(), curve)?;
                dead(load, rest)?
            }
        })
    }

    fn on_vertices(
        &self,
        field: &LoadField<Vec3>,
        part: f64,
        body: &Body,
        rest: &[Vec3],
    ) -> Result<Box<dyn ForceModel>, ModelError> {
        let list: Vec<u32> =
            self.vertices(body)?.into_iter().map(|v| body.system_vertex(v)).collect();
        let curve = self.curve.clone();
        dead(FieldLoad::on_vertices(rest, &list, part, field.clone(), curve)?, rest)
    }
}

/// The model of a dead load: integrated once where it does not change.
fn dead<T: Amount>(load: FieldLoad<T>, rest: &[Vec3]) -> Result<Box<dyn ForceModel>, ModelError> {
    Ok(if load.changes() { Box::new(load) } else { Box::new(load.still(rest)?) })
}
