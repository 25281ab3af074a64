//! The largest |λ| of the motion as a system of order one, by power iteration on forces alone.

use pliant_algebra::vec3::Vec3;
use pliant_forces::Configuration;
use pliant_sections::{SectionError, Sections};

use crate::vector::{dot, set_sum};
use crate::{DynamicsError, State, System};

/// Pairs of products at most.
const ITERATIONS: usize = 100;
/// Changes below this end the iteration.
const TOLERANCE: f64 = 0.01;
/// It converges from below.
const SAFETY: f64 = 1.1;
/// Steps after which it is looked at again.
const STEPS: u64 = 25;

/// Of which motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Of {
    /// (x, v)′ = (v, a(x, v, t)): damping included.
    #[default]
    Motion,
    /// x″ = a(x), with velocities as they are: the highest frequency, rad/s.
    Vibration,
}

/// Estimates the largest |λ| now and then.
#[derive(Default)]
pub(crate) struct SpectralRadius {
    of: Of,
    radius: Option<f64>,
    /// The step that it was estimated at, and the last one that it was asked for at.
    estimated: u64,
    asked: u64,
    /// Of the eigenvector: kept, as it is a good start for the next time.
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    at_x: Vec<Vec3>,
    at_v: Vec<Vec3>,
    a: Vec<Vec3>,
}

impl SpectralRadius {
    pub(crate) fn new(of: Of) -> Self {
        Self { of, ..Self::default() }
    }

    /// Starts anew.
    pub(crate) fn forget(&mut self) {
        self.radius = None;
        self.x.clear();
    }

    /// Writes the estimate, when it was made, and the eigenvector that the next one starts from.
    pub(crate) fn save(&self, to: &mut Sections) {
        let mut section = to.write("spectral radius");
        section.maybe_number(self.radius).word(self.estimated).word(self.asked);
        section.vectors(&self.x).vectors(&self.v);
    }

    /// Reads what [`SpectralRadius::save`] wrote, of so many vertices.
    pub(crate) fn load(&mut self, from: &Sections, vertices: usize) -> Result<(), SectionError> {
        let mut section = from.read("spectral radius")?;
        let radius = section.maybe_number()?;
        let (estimated, asked) = (section.word()?, section.word()?);
        let (x, v) = (section.vectors()?, section.vectors()?);
        // No vectors before the first estimate.
        let used = if x.is_empty() { 0 } else { vertices };
        if x.len() != used || (used > 0 && v.len() != used) {
            return Err(section.wrong(format!("vectors of {} and {} vertices", x.len(), v.len())));
        }
        section.finish()?;
        (self.radius, self.estimated, self.asked) = (radius, estimated, asked);
        (self.x, self.v) = (x, v);
        for list in [&mut self.at_x, &mut self.at_v, &mut self.a] {
            list.clear();
            list.resize(used, [0.0; 3]);
        }
        Ok(())
    }

    /// For a step from this state, whose accelerations are `a`. It is estimated anew every 25 steps, and
    /// where a step is tried again. Stiffness that may set in meanwhile counts already.
    pub(crate) fn estimate(
        &mut self,
        system: &mut System,
        state: &State,
        a: &[Vec3],
    ) -> Result<f64, DynamicsError> {
        let known = self.radius.filter(|_| {
            self.x.len() == state.len()
                && (self.estimated..self.estimated.saturating_add(STEPS)).contains(&state.steps)
                && (state.steps != self.asked || state.steps == self.estimated)
        });
        self.asked = state.steps;
        let latent = system.latent_frequency(state)?;
        if let Some(radius) = known {
            return Ok(radius.hypot(latent));
        }
        let radius = SAFETY * self.iterate(system, state, a)?;
        (self.radius, self.estimated) = (Some(radius), state.steps);
        Ok(radius.hypot(latent))
    }

    fn iterate(
        &mut self,
        system: &mut System,
        state: &State,
        a: &[Vec3],
    ) -> Result<f64, DynamicsError> {
        let n = state.len();
        if self.x.len() != n {
            for list in [&mut self.x, &mut self.v, &mut self.at_x, &mut self.at_v, &mut self.a] {
                list.clear();
                list.resize(n, [0.0; 3]);
            }
            // Signs that change from vertex to vertex: near what is fastest.
            for (i, x) in self.x.iter_mut().enumerate() {
                *x = [1, 2, 3].map(|k| (f64::from(k) * 1.7 * (i as f64 + 1.0) * 1.1).sin());
            }
            system.constraints().filter(&mut self.x);
        }
        let small = f64::EPSILON.sqrt() * system.size();
        let mut radius = self.radius.unwrap_or(0.0);
        for _ in 0..ITERATIONS {
            // Seconds, by which velocities become as large as positions.
            let unit = if radius > 0.0 { 1.0 / radius } else { 1.0 };
            let length = self.length(unit);
            if !(length > 0.0 && length.is_finite()) {
                break;
            }
            self.scale(small / length);
            // Two products at a time: for vibrations J² is −ω², while J itself goes to and fro between
            // positions and velocities.
            self.multiply(system, state, a)?;
            let between = self.length(unit);
            if between == 0.0 {
                break;
            }
            // Products of another size would spoil the difference quotient.
            let scale = small / between;
            self.scale(scale);
            self.multiply(system, state, a)?;
            let square = self.length(unit) / scale / small;
            let now = match self.of {
                Of::Motion => square.sqrt(),
                Of::Vibration => square.sqrt().sqrt(),
            };
            let settled = (now - radius).abs() <= TOLERANCE * now;
            radius = now;
            if settled {
                break;
            }
        }
        Ok(radius)
    }

    fn scale(&mut self, s: f64) {
        for list in [&mut self.x, &mut self.v] {
            list.as_flattened_mut().iter_mut().for_each(|c| *c *= s);
        }
    }

    fn length(&self, unit: f64) -> f64 {
        (dot(&self.x, &self.x) + unit * unit * dot(&self.v, &self.v)).sqrt()
    }

    /// (x, v) ← (v, ∂a/∂x x + ∂a/∂v v), or x ← ∂a/∂x x, by a difference of accelerations.
    fn multiply(
        &mut self,
        system: &mut System,
        state: &State,
        a: &[Vec3],
    ) -> Result<(), DynamicsError> {
        set_sum(&mut self.at_x, &state.x, &self.x, 1.0);
        set_sum(&mut self.at_v, &state.v, &self.v, 1.0);
        let at = Configuration { x: &self.at_x, v: &self.at_v, ..state.configuration() };
        system.accelerations(&at, &mut self.a)?;
        if self.of == Of::Motion {
            std::mem::swap(&mut self.x, &mut self.v);
        }
        let to = if self.of == Of::Motion { &mut self.v } else { &mut self.x };
        set_sum(to, &self.a, a, -1.0);
        system.constraints().filter(to);
        Ok(())
    }
}
