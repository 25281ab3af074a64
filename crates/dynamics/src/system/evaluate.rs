//! Forces, energies and tangents of all models of a system.

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::{self, Vec3, is_finite};
use pliant_forces::{
    Ask, Character, Configuration, Couplings, Energy, ForceError, Inspection, TimeDependence,
    Velocity,
};
use pliant_solvers::sums;

use super::damping::{DampingForm, StiffnessDamping, of_positions};
use super::seen::Seen;
use super::{Entry, Forces, System, Weights, factor};
use crate::DynamicsError;
use crate::problem::inside;
use crate::vector::{add_scaled, dot, norm};

/// A matrix to be made: its weights, and whether stiffnesses are projected to positive semi-definite.
pub(crate) struct Linearization<'a> {
    pub(crate) weights: Weights,
    pub(crate) project: bool,
    pub(crate) matrix: &'a mut BlockMatrix,
}

impl System {
    /// g = Σ of all models, overwriting; the energy too, where it is asked for, in the same pass.
    pub fn forces(
        &mut self,
        at: &Configuration<'_>,
        g: &mut [Vec3],
        with_energy: bool,
    ) -> Result<Forces, ForceError> {
        self.evaluate(at, g, with_energy, DampingForm::Tangent, None)
    }

    /// The same and, in the same pass, wm M + wx ∂g/∂x + wv ∂g/∂v without constraints, overwriting.
    pub(crate) fn evaluate(
        &mut self,
        at: &Configuration<'_>,
        g: &mut [Vec3],
        with_energy: bool,
        form: DampingForm<'_>,
        mut linear: Option<Linearization<'_>>,
    ) -> Result<Forces, ForceError> {
        let mut sums = Forces::default();
        self.evaluations += 1;
        self.seen.forget();
        // Only what a pass for forces and energies gives is kept: another pass may round another way.
        let keep = linear.is_none();
        g.fill([0.0; 3]);
        if let Some(linear) = &mut linear {
            linear.matrix.clear();
        }
        // B = Σ β K is assembled along with the forces where it is that of another x.
        let (mut damping, mut secant) = match (self.stiffness_damping.as_mut(), form) {
            (Some(damping), DampingForm::Secant { slope, fixed }) => {
                damping.begin_secant(fixed);
                (None, Some((damping, slope)))
            }
            (damping, _) => (damping, None),
        };
        let assemble = damping.as_ref().is_some_and(|d| !d.knows(at.x));
        if let Some(damping) = damping.as_mut().filter(|_| assemble) {
            damping.clear();
        }
        // With projection the tangent is another one than B tells.
        let from_damping = damping.is_some() && linear.as_ref().is_some_and(|l| !l.project);
        let mut seen = 0;
        for (number, entry) in self.entries.iter_mut().enumerate() {
            let part_at = entry.part(at)?;
            let factor = factor(entry.role, self.load_factor);
            let own = &mut self.part[entry.vertices.clone()];
            own.fill([0.0; 3]);
            let mut energy = 0.0;
            let has_energy = with_energy && entry.character.has_energy();
            let damped = entry.damping != 0.0;
            let mut potential = 0.0;
            let has_rates = with_energy && entry.character.velocity == Velocity::Friction;
            let mut ask = Ask {
                energy: has_energy.then_some(&mut energy),
                rate_potential: has_rates.then_some(&mut potential),
                gradient: Some(own),
                ..Ask::default()
            };
            match (&mut linear, &mut damping) {
                (_, Some(damping)) if damped && assemble => {
                    ask.tangent = Some(&mut damping.values);
                    ask.position_weight = entry.damping;
                }
                (Some(linear), _) if !(damped && from_damping) => {
                    ask.project = linear.project;
                    ask.position_weight = factor
                        * (linear.weights.position + entry.damping * linear.weights.velocity);
                    ask.velocity_weight = factor * linear.weights.velocity;
                    ask.tangent = Some(&mut linear.matrix.values);
                }
                _ => {}
            }
            let done = entry.model.evaluate(&part_at, &mut ask, &mut entry.work);
            done.map_err(|e| entry.in_system(e))?;
            if keep {
                let energy = has_energy.then_some(energy);
                self.seen.energy(number, energy.filter(|_| has_lasting_energy(&entry.character)));
            }
            if let Some((secant, slope)) = secant.as_mut().filter(|_| damped) {
                let (own, s) = (&self.part[entry.vertices.clone()], entry.damping * *slope);
                if keep {
                    secant.see(seen, own);
                }
                secant.add_secant(entry.vertices.clone(), s, own);
                energy *= 1.0 + s;
                seen += 1;
            }
            sums.energy += factor * energy;
            sums.energy_size += (factor * energy).abs();
            let own = &self.part[entry.vertices.clone()];
            if with_energy && entry.character.velocity == Velocity::LinearDamping {
                potential = 0.5 * dot(part_at.v, own);
            }
            sums.damping_potential += factor * potential;
            add_scaled(&mut g[entry.vertices.clone()], own, factor);
            sums.largest = sums.largest.max(factor.abs() * norm(own));
        }
        if let Some(damping) = damping {
            if assemble {
                damping.take(at.x);
            }
            damping.multiply(at.v, &mut self.part);
            add_scaled(g, &self.part, 1.0);
            sums.largest = sums.largest.max(norm(&self.part));
        }
        if let (Some((secant, _)), DampingForm::Secant { fixed, .. }) = (&secant, form) {
            add_scaled(g, secant.secant(), 1.0);
            sums.largest = sums.largest.max(norm(secant.secant()));
            // The potential of the fixed part, from the start of the step on.
            if let Some(start) = at.start.filter(|_| with_energy) {
                let work = |i: usize| vec3::dot(fixed[i], vec3::sub(at.x[i], start.x[i]));
                let [work] = sums::over(fixed.len(), &|range| [range.map(work).sum()]);
                sums.energy += work;
                sums.energy_size += work.abs();
            }
        }
        if let Some(vertex) = g.iter().position(|&g| !is_finite(g)) {
            return Err(ForceError::NotFinite { vertex, position: at.x[vertex] });
        }
        if keep {
            self.seen.at(at.x, secant.is_some());
        }
        if let Some(Linearization { weights, project, matrix }) = linear {
            let missing = from_damping || assemble;
            self.add_damped_tangent(at, weights, (project, true), missing, matrix)?;
            self.add_mass(weights.mass, matrix);
        }
        Ok(sums)
    }

    /// wm M + wx ∂g/∂x + wv ∂g/∂v, overwriting, without constraints.
    pub fn tangent(
        &mut self,
        at: &Configuration<'_>,
        weights: Weights,
        project: bool,
        matrix: &mut BlockMatrix,
    ) -> Result<(), ForceError> {
        self.tangent_with(at, weights, DampingForm::Tangent, project, matrix)
    }

    /// The same where damping has one of its forms.
    pub(crate) fn tangent_with(
        &mut self,
        at: &Configuration<'_>,
        weights: Weights,
        form: DampingForm<'_>,
        project: bool,
        matrix: &mut BlockMatrix,
    ) -> Result<(), ForceError> {
        matrix.clear();
        for entry in &mut self.entries {
            if entry.damping != 0.0
                || weights.position == 0.0 && entry.character.velocity == Velocity::None
            {
                continue;
            }
            let factor = factor(entry.role, self.load_factor);
            let mut ask = Ask {
                tangent: Some(&mut matrix.values),
                position_weight: factor * weights.position,
                velocity_weight: factor * weights.velocity,
                project,
                ..Ask::default()
            };
            let done = entry.model.evaluate(&entry.part(at)?, &mut ask, &mut entry.work);
            done.map_err(|e| entry.in_system(e))?;
        }
        let project = (project, form == DampingForm::Tangent);
        self.add_damped_tangent(at, weights, project, true, matrix)?;
        self.add_mass(weights.mass, matrix);
        Ok(())
    }

    /// Adds wx ∂g/∂x + wv ∂g/∂v of models with stiffness damping that are `missing` from the matrix: from B
    /// where that may serve and is not to be projected, else from the models.
    fn add_damped_tangent(
        &mut self,
        at: &Configuration<'_>,
        weights: Weights,
        (project, serves): (bool, bool),
        missing: bool,
        matrix: &mut BlockMatrix,
    ) -> Result<(), ForceError> {
        let Some(damping) = self.stiffness_damping.as_mut().filter(|_| missing) else {
            return Ok(());
        };
        let both = (weights.position, weights.velocity);
        if serves && !project && damping.tells_tangent() {
            // Also where B is not known yet: the bits must not depend on what was asked before.
            learn_matrix(damping, &mut self.entries, at)?;
            damping.add_tangent(both, &mut matrix.values);
            return Ok(());
        }
        for entry in self.entries.iter_mut().filter(|e| e.damping != 0.0) {
            let factor = factor(entry.role, self.load_factor);
            let mut ask = Ask {
                tangent: Some(&mut matrix.values),
                position_weight: factor * (weights.position + entry.damping * weights.velocity),
                velocity_weight: factor * weights.velocity,
                project,
                ..Ask::default()
            };
            let done = entry.model.evaluate(&entry.part(at)?, &mut ask, &mut entry.work);
            done.map_err(|e| entry.in_system(e))?;
        }
        Ok(())
    }

    /// Adds the forces of one kind of models: those for which `weigh` gives a weight. Outputs of other kinds
    /// are the caller's business.
    pub(crate) fn add_forces_of(
        &mut self,
        at: &Configuration<'_>,
        weigh: impl Fn(&super::Entry) -> Option<f64>,
        g: &mut [Vec3],
    ) -> Result<(), ForceError> {
        for entry in &mut self.entries {
            let Some(weight) = weigh(entry) else { continue };
            let own = &mut self.part[entry.vertices.clone()];
            own.fill([0.0; 3]);
            let mut ask = Ask { gradient: Some(own), ..Ask::default() };
            let done = entry.model.evaluate(&entry.part(at)?, &mut ask, &mut entry.work);
            done.map_err(|e| entry.in_system(e))?;
            let weight = weight * factor(entry.role, self.load_factor);
            let own = &self.part[entry.vertices.clone()];
            add_scaled(&mut g[entry.vertices.clone()], own, weight);
        }
        Ok(())
    }

    /// Writes Σ β f of all models with stiffness damping; returns false, with zeros, where their forces are not functions of
    /// positions alone. A step from there, by secants, has the forces at hand.
    pub(crate) fn secant_damping(
        &mut self,
        at: &Configuration<'_>,
        sum: &mut [Vec3],
    ) -> Result<bool, ForceError> {
        sum.fill([0.0; 3]);
        let Some(damping) = &mut self.stiffness_damping else { return Ok(true) };
        if !damping.has_secants() {
            return Ok(false);
        }
        learn_forces(damping, &mut self.entries, &mut self.seen, at)?;
        let damped = self.entries.iter().filter(|e| e.damping != 0.0);
        for (entry, forces) in damped.zip(damping.start_forces()) {
            add_scaled(&mut sum[entry.vertices.clone()], forces, entry.damping);
        }
        Ok(true)
    }

    /// Adds β K(x) v of all models with stiffness damping.
    pub(crate) fn add_stiffness_damping(
        &mut self,
        at: &Configuration<'_>,
        g: &mut [Vec3],
    ) -> Result<(), ForceError> {
        let Some(damping) = &mut self.stiffness_damping else { return Ok(()) };
        learn_matrix(damping, &mut self.entries, at)?;
        damping.multiply(at.v, &mut self.part);
        add_scaled(g, &self.part, 1.0);
        Ok(())
    }

    /// Energies that models store, one call of `see(role, energy, remembered)` each, J: all of it, and what of it relaxes with time.
    pub(crate) fn stored_energies(
        &mut self,
        at: &Configuration<'_>,
        mut see: impl FnMut(super::Role, f64, f64),
    ) -> Result<(), ForceError> {
        let seen = self.seen.knows(at.x);
        for (number, entry) in self.entries.iter_mut().enumerate() {
            if !entry.character.has_energy() {
                continue;
            }
            let factor = factor(entry.role, self.load_factor);
            if let Some(energy) = self.seen.energy_of(number).filter(|_| seen) {
                see(entry.role, factor * energy, 0.0);
                continue;
            }
            let (mut energy, mut remembered) = (0.0, 0.0);
            let remembers = entry.character.memory.numbers > 0;
            let mut ask = if entry.character.energy == Energy::Incremental || remembers {
                let remembered = Some(&mut remembered);
                Ask { stored: Some(&mut energy), remembered, ..Ask::default() }
            } else {
                Ask { energy: Some(&mut energy), ..Ask::default() }
            };
            let done = entry.model.evaluate(&entry.part(at)?, &mut ask, &mut entry.work);
            done.map_err(|e| entry.in_system(e))?;
            see(entry.role, factor * energy, factor * remembered);
        }
        Ok(())
    }

    /// The largest α ≤ `limit` for which all models admit x + α d and everything on the way there.
    pub fn admissible(
        &mut self,
        at: &Configuration<'_>,
        direction: &[Vec3],
        limit: f64,
    ) -> Result<f64, ForceError> {
        let mut reach = limit;
        for entry in self.entries.iter_mut().filter(|e| e.character.bounds_steps) {
            let (part, own) = (entry.part(at)?, &direction[entry.vertices.clone()]);
            let found = entry.model.admissible(&part, own, reach, &mut entry.work);
            reach = reach.min(found.map_err(|e| entry.in_system(e))?);
        }
        Ok(reach)
    }

    /// As [`System::admissible`], with a margin to the bounds of all models but those of contact, which keep one themselves.
    pub(crate) fn safe_length(
        &mut self,
        at: &Configuration<'_>,
        direction: &[Vec3],
        limit: f64,
    ) -> Result<f64, ForceError> {
        let (mut reach, mut clear) = (limit, limit);
        for entry in self.entries.iter_mut().filter(|e| e.character.bounds_steps) {
            let (part, own) = (entry.part(at)?, &direction[entry.vertices.clone()]);
            let found = entry.model.admissible(&part, own, reach.min(clear), &mut entry.work);
            let found = found.map_err(|e| entry.in_system(e))?;
            let bound = if entry.character.activation.is_some() { &mut clear } else { &mut reach };
            *bound = bound.min(found);
        }
        Ok(inside(reach, limit).min(clear))
    }

    /// The error of a motion that [`System::admissible`] bounds to less than `limit`: what stops it first.
    pub(crate) fn obstruction(
        &mut self,
        at: &Configuration<'_>,
        direction: &[Vec3],
        limit: f64,
    ) -> Result<ForceError, ForceError> {
        let mut first = (limit, None);
        for (number, entry) in self.entries.iter_mut().enumerate() {
            if entry.character.bounds_steps {
                let (part, own) = (entry.part(at)?, &direction[entry.vertices.clone()]);
                let reach = entry.model.admissible(&part, own, limit, &mut entry.work);
                let reach = reach.map_err(|e| entry.in_system(e))?;
                if reach < first.0 {
                    first = (reach, Some(number));
                }
            }
        }
        if let (_, Some(number)) = first {
            let entry = &mut self.entries[number];
            let (part, own) = (entry.part(at)?, &direction[entry.vertices.clone()]);
            if let Some(e) = entry.model.obstruction(&part, own, limit, &mut entry.work) {
                return Ok(entry.in_system(e));
            }
        }
        // The element that inverts first.
        let mut x = at.x.to_vec();
        add_scaled(&mut x, direction, first.0);
        Ok(self.inverted_at(&x))
    }

    /// Inverted points and the smallest J of all models that have elements; none where no model has.
    pub fn inspect(&mut self, x: &[Vec3]) -> Result<Option<Inspection>, ForceError> {
        let mut all: Option<Inspection> = None;
        for entry in self.entries.iter_mut().filter(|e| e.character.has_elements) {
            let part = x.get(entry.vertices.clone()).unwrap_or_default();
            let seen = entry.model.inspect(part, &mut entry.work)?;
            all = Some(all.unwrap_or_default().with(seen));
        }
        Ok(all)
    }

    /// Lets easier laws stand in for those of elastic models ([`ForceModel::stand_in`](pliant_forces::ForceModel::stand_in)), or
    /// takes them away. Returns true while any does.
    pub(crate) fn stand_in(&mut self, on: bool) -> bool {
        let mut any = false;
        self.seen.forget();
        for entry in &mut self.entries {
            any |= entry.model.stand_in(on);
        }
        any
    }

    /// The error of positions at which a model that bounds steps has come to its bound.
    pub(crate) fn inverted_at(&self, x: &[Vec3]) -> ForceError {
        let bounded = self.entries.iter().filter(|e| e.character.bounds_steps);
        let worst = bounded.filter_map(|e| Some((e, e.model.worst(x.get(e.vertices.clone())?)?)));
        match worst.min_by(|a, b| a.1.jacobian.total_cmp(&b.1.jacobian)) {
            Some((entry, worst)) => ForceError::Inverted {
                element: worst.element,
                jacobian: worst.jacobian,
                law: entry.model.name().to_owned(),
                first_vertex: entry.vertices.start,
            },
            None => ForceError::Unsupported("a model bounds steps and does not say where".into()),
        }
    }

    /// ∂g/∂t of all models, overwriting; false where one of them does not know its own.
    pub(crate) fn time_derivative(
        &mut self,
        at: &Configuration<'_>,
        rates: &mut [Vec3],
    ) -> Result<bool, DynamicsError> {
        rates.fill([0.0; 3]);
        if self.entries.iter().any(|e| e.character.time == TimeDependence::Unknown) {
            return Ok(false);
        }
        for entry in &mut self.entries {
            if entry.character.time == TimeDependence::Known {
                let own = &mut self.part[entry.vertices.clone()];
                own.fill([0.0; 3]);
                entry.model.add_time_derivative(&entry.part(at)?, own, &mut entry.work)?;
                let factor = factor(entry.role, self.load_factor);
                add_scaled(&mut rates[entry.vertices.clone()], own, factor);
            }
        }
        Ok(true)
    }
}

/// Evaluates the forces of damped models where those at hand are of other positions.
fn learn_forces(
    damping: &mut StiffnessDamping,
    entries: &mut [Entry],
    seen: &mut Seen,
    at: &Configuration<'_>,
) -> Result<(), ForceError> {
    if damping.knows_start(at.x) {
        return Ok(());
    }
    if seen.take_forces(at.x) {
        damping.take_seen(at.x);
        return Ok(());
    }
    let damped = entries.iter_mut().filter(|e| e.damping != 0.0);
    for (entry, forces) in damped.zip(damping.new_start_forces()) {
        forces.fill([0.0; 3]);
        let mut ask = Ask { gradient: Some(forces), ..Ask::default() };
        let done = entry.model.evaluate(&entry.part(at)?, &mut ask, &mut entry.work);
        done.map_err(|e| entry.in_system(e))?;
    }
    damping.take_start(at.x);
    Ok(())
}

/// Assembles B where it is that of other positions.
fn learn_matrix(
    damping: &mut StiffnessDamping,
    entries: &mut [Entry],
    at: &Configuration<'_>,
) -> Result<(), ForceError> {
    if !damping.knows(at.x) {
        damping.clear();
        for entry in entries.iter_mut().filter(|e| e.damping != 0.0) {
            let mut ask = Ask {
                tangent: Some(&mut damping.values),
                position_weight: entry.damping,
                ..Ask::default()
            };
            let done = entry.model.evaluate(&entry.part(at)?, &mut ask, &mut entry.work);
            done.map_err(|e| entry.in_system(e))?;
        }
        damping.take(at.x);
    }
    Ok(())
}

/// Whether the energy of a model is a function of positions alone, whatever step is under way.
fn has_lasting_energy(character: &Character) -> bool {
    character.energy == Energy::Conservative
        && character.couplings == Couplings::Fixed
        && of_positions(character)
}
