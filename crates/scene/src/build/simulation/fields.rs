//! Pressure and gap of contact of the present state, made when they are first asked for.

use pliant_model::{ContactFields, ContactMode};

use pliant_contact::normal::NormalContact;
use pliant_contact::soft::SoftContact;

use super::Simulation;
use crate::error::SceneError;
use crate::run::told::{Names, tell};

/// What has been made of the system so far.
#[derive(Debug, Default)]
pub(super) enum Fields {
    /// Nobody has asked.
    #[default]
    Unknown,
    /// There is nothing to touch, or no potential that would tell a pressure.
    None,
    /// Of the present system.
    Of(Box<ContactFields>),
}

impl Simulation {
    /// The largest distance at which bodies begin to repel each other, m; none where no force keeps them apart.
    pub fn contact_distance(&self) -> Option<f64> {
        let barrier = self.system.models_of::<NormalContact>().next().map(NormalContact::reach);
        barrier.or_else(|| self.system.models_of::<SoftContact>().next().map(SoftContact::reach))
    }

    /// Fails where a step must not end in the present state, as where bodies have sunk into each other and a barrier is to keep them
    /// apart.
    pub fn check_state(&mut self) -> Result<(), SceneError> {
        let Self { bodies, scenery, system, state, rows_are_vertices, .. } = self;
        let names = Names { bodies, scenery, rows_are_vertices: *rows_are_vertices };
        system.check_end(&state.x).map_err(|e| tell(e.into(), "", &names))
    }

    /// Pressure and gap of contact in the present state, at the vertices of the system; none where bodies have nothing to touch, and
    /// in modes of contact that stop them without a force.
    pub fn contact_fields(&mut self) -> Result<Option<&ContactFields>, SceneError> {
        if matches!(self.fields, Fields::Unknown) {
            let mode = self.depths.touching.mode();
            let silent = matches!(mode, ContactMode::Constraints | ContactMode::TwoStep);
            let made = if silent { None } else { ContactFields::new(&self.bodies, &self.system)? };
            self.fields = made.map_or(Fields::None, |made| Fields::Of(Box::new(made)));
        }
        let lagged = self.lagged();
        let Self { fields, system, state, step_start, .. } = self;
        let Fields::Of(fields) = fields else { return Ok(None) };
        fields.look(system, state, lagged.then_some(&step_start.x[..]))?;
        Ok(Some(fields))
    }
}
