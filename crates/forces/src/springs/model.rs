//! [`Springs`]: the force model of a spring network.

use pliant_algebra::dispatch::Level;
use pliant_algebra::vec3::distance;

use super::kernel::{Job, Outcome, Part};
use super::network::Spring;
use super::rows::Rows;
use crate::model::{Ask, ForceError, ForceModel, State};
use crate::parameter::{accepted, finite_vertex, not_negative, state_length, vertices};
use crate::places::stable_step;

/// Rows that one thread takes at a time. The sum of energies is a tree over these: it does not
/// depend on the number of threads.
const ROWS_AT_ONCE: usize = 512;

/// What damping along the edge adds to the tangent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DampingTangent {
    /// ∂g/∂v and ∂g/∂x. The latter is not symmetric, and neither is the model.
    #[default]
    Exact,
    /// ∂g/∂v only, which is symmetric and positive semi-definite: Newton's method then converges
    /// linearly, with a rate of the order of step × strain rate.
    VelocityOnly,
}

/// A network of springs: Π = Σ ½ k (|d| − l₀)², and damping R (Δv·n) n along n = d/|d|, which rigid
/// motions do not feel (Hauth, appendix B).
///
/// A spring shorter than 1e-12 l₀ has no direction; it acts as one without rest length (g = k d, so
/// zero where the ends meet, and K = k I) and is not damped. Springs with l₀ = 0 do so always.
///
/// With [`Ask::project`] the stiffness of compressed springs is cut to its positive part, and the
/// unsymmetric ∂g/∂x of the damping is left out.
///
/// Every spring is computed in the rows of both its ends, see `rows.rs`; rows go to the threads of
/// the current rayon pool.
#[derive(Debug, Clone)]
pub struct Springs {
    rows: Rows,
    damping_tangent: DampingTangent,
    bound: bool,
}

impl Springs {
    /// Springs between vertices below `vertex_count`; several may join the same two.
    pub fn new(
        vertex_count: usize,
        springs: &[Spring],
        damping_tangent: DampingTangent,
    ) -> Result<Self, ForceError> {
        for (i, spring) in springs.iter().enumerate() {
            vertices(format_args!("spring {i}"), &spring.ends, vertex_count)?;
            accepted(
                format_args!("spring {i}: both ends at vertex"),
                f64::from(spring.ends[0]),
                |_| spring.ends[0] != spring.ends[1],
                "two different vertices are needed",
            )?;
            not_negative(format_args!("spring {i}: rest length"), spring.rest)?;
            not_negative(format_args!("spring {i}: stiffness"), spring.stiffness)?;
            not_negative(format_args!("spring {i}: damping"), spring.damping)?;
        }
        Ok(Self { rows: Rows::new(vertex_count, springs), damping_tangent, bound: false })
    }

    fn is_damped(&self) -> bool {
        !self.rows.damping.is_empty()
    }

    /// The vertex that is not finite.
    fn culprit(&self, state: &State<'_>) -> ForceError {
        for v in 0..self.rows.len() {
            if let Err(error) = finite_vertex(state, v as u32) {
                return error;
            }
        }
        ForceError::Unsupported("forces of the springs are beyond the range of numbers".into())
    }
}

/// Splits rows in halves until they are few enough.
fn run(part: Part<'_>, level: Level) -> Outcome {
    if part.count <= ROWS_AT_ONCE {
        return level.run(part);
    }
    let Part { job, first, count, gradient, tangent, tangent_from } = part;
    // Whole chunks to the left, so that the partition is the same for every caller.
    let left = (count / 2).next_multiple_of(ROWS_AT_ONCE);
    let middle = first + left;
    let (left_gradient, right_gradient) = split(gradient, left);
    let cut = match job.rows.from.get(middle) {
        Some(&from) if from != u32::MAX => from,
        _ => tangent_from + tangent.as_ref().map_or(0, |t| t.len() as u32),
    };
    let (left_tangent, right_tangent) = split(tangent, (cut - tangent_from) as usize);
    let left = Part {
        job,
        first,
        count: left,
        gradient: left_gradient,
        tangent: left_tangent,
        tangent_from,
    };
    let right = Part {
        job,
        first: middle,
        count: count + first - middle,
        gradient: right_gradient,
        tangent: right_tangent,
        tangent_from: cut,
    };
    let (a, b) = rayon::join(|| run(left, level), || run(right, level));
    Outcome { energy: a.energy + b.energy, finite: a.finite && b.finite }
}

fn split<T>(slice: Option<&mut [T]>, at: usize) -> (Option<&mut [T]>, Option<&mut [T]>) {
    match slice.map(|s| s.split_at_mut(at)) {
        Some((a, b)) => (Some(a), Some(b)),
        None => (None, None),
    }
}

impl ForceModel for Springs {
    fn name(&self) -> &'static str {
        "springs"
    }

    fn is_symmetric(&self) -> bool {
        !self.is_damped() || self.damping_tangent == DampingTangent::VelocityOnly
    }

    /// Damped springs have an energy too, and give it, but their g is not its gradient alone.
    fn has_energy(&self) -> bool {
        !self.is_damped()
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        let symmetric = self.is_symmetric();
        for row in 0..self.rows.len() {
            let mut last = None;
            for (other, ..) in self.rows.springs(row) {
                let row = row as u32;
                if last.is_none() {
                    couple(row, row);
                }
                if last != Some(other) && (row < other || !symmetric) {
                    couple(row, other);
                }
                last = Some(other);
            }
        }
    }

    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        self.rows.bind(slot);
        self.bound = true;
    }

    fn add(&mut self, state: &State<'_>, ask: &mut Ask<'_>) -> Result<(), ForceError> {
        let count = self.rows.len();
        state_length(self.name(), state, count)?;
        let tangent = ask.tangent.as_deref_mut();
        if tangent.is_some() {
            if !self.bound {
                return Err(ForceError::Unsupported(
                    "springs were asked for their tangent before they were bound to a pattern"
                        .into(),
                ));
            }
            if self.rows.one_triangle && !self.is_symmetric() {
                return Err(ForceError::Unsupported(
                    "the tangent of springs with damping is not symmetric: it needs a matrix that stores both triangles, or the damping tangent of velocities only".into(),
                ));
            }
        }
        let job = Job {
            rows: &self.rows,
            x: state.x,
            v: state.v,
            energy: ask.energy.is_some(),
            position_weight: ask.position_weight,
            velocity_weight: ask.velocity_weight,
            project: ask.project,
            exact_damping: self.damping_tangent == DampingTangent::Exact && !ask.project,
        };
        let gradient = ask.gradient.as_deref_mut().map(|g| &mut g[..count]);
        let level = Level::best();
        let interleaved = tangent.is_some() && self.rows.from.is_empty();
        let part = Part { job, first: 0, count, gradient, tangent, tangent_from: 0 };
        // Rows whose blocks interleave cannot be cut apart: then it is one part.
        let outcome = if interleaved { level.run(part) } else { run(part, level) };
        if !outcome.finite {
            return Err(self.culprit(state));
        }
        if let Some(energy) = ask.energy.as_deref_mut() {
            *energy += outcome.energy;
        }
        Ok(())
    }

    /// ω² is at most the largest row of M⁻¹K: 2 Σ |K| / m over the springs at a vertex (Gershgorin by
    /// blocks), and so for the damping.
    fn largest_step(&self, state: &State<'_>, mass: &[f64]) -> f64 {
        let (mut omega_squared, mut rate): (f64, f64) = (0.0, 0.0);
        for row in 0..self.rows.len() {
            let (mut stiffness, mut damping) = (0.0, 0.0);
            for (other, pack, lane) in self.rows.springs(row) {
                let length = distance(state.x[row], state.x[other as usize]);
                let r = self.rows.rest[pack].0[lane] / length;
                let factor = if r.is_finite() { (r - 1.0).max(1.0) } else { 1.0 };
                stiffness += 2.0 * self.rows.stiffness[pack].0[lane] * factor;
                damping += self.rows.damping.get(pack).map_or(0.0, |d| 2.0 * d.0[lane]);
            }
            if stiffness > 0.0 || damping > 0.0 {
                omega_squared = omega_squared.max(stiffness / mass[row]);
                rate = rate.max(damping / mass[row]);
            }
        }
        stable_step(omega_squared, rate)
    }
}
