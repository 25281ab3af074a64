//! [`Rates`]: damping by stiffness as the rate of forces.
//!
//! β K(x) v is the rate of z = Σ β f(x), and a rate can be found from differences of values. That needs no matrix, leaves
//! no derivative of K out of the tangent, and the damping force
//!
//! ```text
//! ż_e = s z_e + c,   z_e = Σ β f(x_e)
//! ```
//!
//! has a potential, which Newton's method lowers where K v would leave it without one. It is of the order of the method:
//!
//! - [`Differentiation::AsVelocities`]: the scheme is applied to (z, ż, z̈) as it is to (x, v, a). On a linear body that is
//!   β K v to the last step. By the trapezoidal rule the impulse of a step is exactly z₁ − z₀, and its work Δz·Δx/h;
//! - [`Differentiation::Backward`]: the parabola through z_e and those of the last two steps. At the start of a motion it goes
//!   through z₀ with the slope β K v₀.

use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::{Differentiation, ImplicitScheme, Prediction};
use crate::state::Past;
use crate::system::DampingForm;
use crate::vector::{add_scaled, set_sum};
use crate::{DynamicsError, State, System};

/// The most by which steps may grow for backward differences.
const GROWTH: f64 = 2.4;

/// z and its rates, and what the scheme makes of them.
#[derive(Debug, Default)]
pub(super) struct Rates {
    /// When the state is that these belong to, s; none where nothing is known.
    belongs: Option<f64>,
    /// z, ż, z̈ as x, v, a at the time of the last z; z of the past.
    at: State,
    end: Prediction,
    /// s, 1/s, and c, N.
    slope: f64,
    fixed: Vec<Vec3>,
    /// z_e
    now: Vec<Vec3>,
}

impl Rates {
    /// From here on nothing is known.
    pub(super) fn forget(&mut self) {
        self.belongs = None;
    }

    /// Whether what is known is that of a state.
    fn knows(&self, scheme: &dyn ImplicitScheme, state: &State) -> bool {
        let same_past = || {
            let mut times = self.at.past.iter().zip(&state.past);
            self.at.past.len() == state.past.len() && times.all(|(a, b)| a.time == b.time)
        };
        self.belongs == Some(state.time)
            && self.at.len() == state.len()
            && (scheme.differentiation() == Differentiation::Backward || same_past())
    }

    /// Finds z and its rates where those of another state are at hand: ż = β K v, and z̈ = β K a, which is exact at rest and
    /// elsewhere is off by an error that is gone after some steps.
    fn look(
        &mut self,
        scheme: &dyn ImplicitScheme,
        system: &mut System,
        state: &State,
    ) -> Result<(), DynamicsError> {
        let at = &mut self.at;
        at.copy_from(state);
        for (past, of) in at.past.iter_mut().zip(&state.past) {
            let place = state.ahead(&of.x, &of.v, of.time, 0.0);
            system.secant_damping(&place, &mut past.x)?;
            past.v.fill([0.0; 3]);
        }
        at.v.fill([0.0; 3]);
        at.a.fill([0.0; 3]);
        if scheme.needs_accelerations() {
            system.add_stiffness_damping(&state.configuration(), &mut at.v)?;
            let by_acceleration = state.configuration().with_velocities(&state.a);
            system.add_stiffness_damping(&by_acceleration, &mut at.a)?;
        }
        system.secant_damping(&state.configuration(), &mut at.x)?;
        self.belongs = Some(state.time);
        Ok(())
    }

    /// The form of damping for a step of h seconds.
    pub(super) fn begin(
        &mut self,
        scheme: &dyn ImplicitScheme,
        system: &mut System,
        state: &State,
        h: f64,
    ) -> Result<DampingForm<'_>, DynamicsError> {
        let differentiation = scheme.differentiation();
        if differentiation == Differentiation::Never || !system.has_secants() {
            self.forget();
            return Ok(DampingForm::Tangent);
        }
        if !self.knows(scheme, state) {
            self.look(scheme, system, state)?;
        }
        let n = state.len();
        let Self { end, fixed, now, .. } = self;
        for list in [&mut end.x, &mut end.v, &mut end.a, fixed, now] {
            list.resize(n, [0.0; 3]);
        }
        self.slope = if differentiation == Differentiation::Backward {
            let ahead = state.time + scheme.shares().position * h - self.at.time;
            self.by_differences(ahead)
        } else {
            scheme.predict(&self.at, h, &mut self.end);
            set_sum(&mut self.fixed, &self.end.v, &self.end.x, -self.end.velocity_slope);
            self.end.velocity_slope
        };
        Ok(DampingForm::Secant { slope: self.slope, fixed: &self.fixed })
    }

    /// c, and s, of the parabola to a z so many seconds after the last one.
    fn by_differences(&mut self, ahead: f64) -> f64 {
        let Self { at, fixed, .. } = self;
        // Where steps grow too fast, as at the start, the slope at the last z is taken.
        let before = at.past.first().filter(|past| ahead <= GROWTH * (at.time - past.time));
        let Some(before) = before else {
            set_sum(fixed, &at.v, &at.x, 2.0 / ahead);
            for c in fixed.as_flattened_mut() {
                *c = -*c;
            }
            return 2.0 / ahead;
        };
        let (near, far) = (ahead, ahead + at.time - before.time);
        let weights = [far / (near * (far - near)), near / (far * (far - near))];
        for ((c, z), before) in fixed.iter_mut().zip(&at.x).zip(&before.x) {
            *c = std::array::from_fn(|k| weights[1] * before[k] - weights[0] * z[k]);
        }
        1.0 / near + 1.0 / far
    }

    /// Goes on to the end of the step, in which equations held at the positions x_e.
    pub(super) fn end(
        &mut self,
        scheme: &dyn ImplicitScheme,
        system: &mut System,
        (state, x, h): (&State, &[Vec3], f64),
    ) -> Result<(), DynamicsError> {
        if self.belongs.take().is_none() {
            return Ok(());
        }
        let Self { at, end, now, .. } = self;
        let time = state.time + scheme.shares().position * h;
        system.secant_damping(&state.ahead(x, &state.v, time, h), now)?;
        if scheme.differentiation() == Differentiation::Backward {
            at.remember(1);
            set_sum(&mut at.v, &self.fixed, now, self.slope);
            std::mem::swap(&mut at.x, now);
            at.time = time;
        } else {
            at.remember(scheme.keeps());
            if scheme.needs_accelerations() {
                set_sum(&mut at.v, &end.v, now, end.velocity_slope);
                add_scaled(&mut at.v, &end.x, -end.velocity_slope);
                set_sum(&mut at.a, &end.a, now, end.acceleration_slope);
                add_scaled(&mut at.a, &end.x, -end.acceleration_slope);
            }
            std::mem::swap(&mut at.x, now);
            at.time = state.time + h;
        }
        self.belongs = Some(state.time + h);
        Ok(())
    }

    /// Whether more is carried on from step to step than follows from positions.
    fn carries(scheme: &dyn ImplicitScheme) -> bool {
        scheme.differentiation() != Differentiation::Never && scheme.needs_accelerations()
    }

    /// Writes what is carried on.
    pub(super) fn save(&self, scheme: &dyn ImplicitScheme, to: &mut Sections) {
        if !Self::carries(scheme) {
            return;
        }
        let mut section = to.write("damping-rates");
        section.maybe_number(self.belongs);
        if self.belongs.is_some() {
            let State { x, v, a, time, past, .. } = &self.at;
            section.number(*time).vectors(x).vectors(v).vectors(a).count(past.len());
            for past in past {
                section.number(past.time).vectors(&past.x);
            }
        }
    }

    /// Reads what was written, of so many vertices.
    pub(super) fn load(
        &mut self,
        scheme: &dyn ImplicitScheme,
        from: &Sections,
        vertices: usize,
    ) -> Result<(), DynamicsError> {
        self.forget();
        if !Self::carries(scheme) {
            return Ok(());
        }
        let mut section = from.read("damping-rates")?;
        self.belongs = section.maybe_number()?;
        if self.belongs.is_some() {
            let time = section.number()?;
            let x = section.vectors_of(vertices)?;
            let v = section.vectors_of(vertices)?;
            let a = section.vectors_of(vertices)?;
            self.at = State { x, v, a, time, ..State::default() };
            for _ in 0..section.count()? {
                let (time, x) = (section.number()?, section.vectors_of(vertices)?);
                self.at.past.push(Past { v: vec![[0.0; 3]; vertices], x, time });
            }
        }
        Ok(section.finish()?)
    }
}
