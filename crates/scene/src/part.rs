//! [`Part`]: a model of one body in a system of several.

use std::ops::Range;

use pliant_algebra::vec3::Vec3;
use pliant_forces::model::State;
use pliant_forces::{Ask, ForceError, ForceModel, Worst};

/// A model that numbers its vertices from 0, which are a range of those of the system.
pub(crate) struct Part {
    model: Box<dyn ForceModel>,
    range: Range<usize>,
}

impl Part {
    /// A model of the vertices of a range.
    pub(crate) fn new(model: Box<dyn ForceModel>, range: Range<usize>) -> Self {
        Self { model, range }
    }

    fn state<'a>(&self, state: &State<'a>) -> Result<State<'a>, ForceError> {
        let cut = |list: &'a [Vec3]| {
            list.get(self.range.clone()).ok_or_else(|| {
                let text =
                    format!("{} vertices, but a body ends at {}", list.len(), self.range.end);
                ForceError::Unsupported(text)
            })
        };
        Ok(State { x: cut(state.x)?, v: cut(state.v)?, time: state.time })
    }
}

impl ForceModel for Part {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn is_symmetric(&self) -> bool {
        self.model.is_symmetric()
    }

    fn has_energy(&self) -> bool {
        self.model.has_energy()
    }

    fn stores_energy(&self) -> bool {
        self.model.stores_energy()
    }

    fn has_energy_at_rest(&self) -> bool {
        self.model.has_energy_at_rest()
    }

    fn is_linear_damping(&self) -> bool {
        self.model.is_linear_damping()
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        let first = self.range.start as u32;
        self.model.couplings(&mut |i, j| couple(first + i, first + j));
    }

    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        let first = self.range.start as u32;
        self.model.bind(&|i, j| slot(first + i, first + j));
    }

    fn add(&mut self, state: &State<'_>, ask: &mut Ask<'_>) -> Result<(), ForceError> {
        let state = self.state(state)?;
        let mut own = Ask {
            energy: ask.energy.as_deref_mut(),
            gradient: ask.gradient.as_deref_mut().map(|g| &mut g[self.range.clone()]),
            tangent: ask.tangent.as_deref_mut(),
            position_weight: ask.position_weight,
            velocity_weight: ask.velocity_weight,
            project: ask.project,
        };
        self.model.add(&state, &mut own)
    }

    fn add_time_derivative(
        &self,
        state: &State<'_>,
        rates: &mut [Vec3],
    ) -> Result<bool, ForceError> {
        self.model.add_time_derivative(&self.state(state)?, &mut rates[self.range.clone()])
    }

    fn largest_step(&self, state: &State<'_>, mass: &[f64]) -> f64 {
        match (self.state(state), mass.get(self.range.clone())) {
            (Ok(state), Some(mass)) => self.model.largest_step(&state, mass),
            _ => 0.0,
        }
    }

    fn worst(&self, x: &[Vec3]) -> Option<Worst> {
        self.model.worst(x.get(self.range.clone())?)
    }

    fn takes_inversion(&self) -> bool {
        self.model.takes_inversion()
    }
}
