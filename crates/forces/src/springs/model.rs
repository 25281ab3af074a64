//! [`Springs`]: the force model of a spring network.

use pliant_algebra::dispatch::Level;
use pliant_algebra::sparse::{Block, for_each_part};
use pliant_algebra::vec3::{Vec3, distance};

use super::kernel::{Job, Work, add_block};
use super::network::Spring;
use super::parts::{Binding, Incoming, NO_PLACE, Part, bind, parts};
use crate::model::{Ask, ForceError, ForceModel, State};
use crate::parameter::{accepted, finite_vertex, not_negative, state_length, vertices};
use crate::places::stable_step;
use crate::slices::Slices;

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
/// Parts of the network go to the threads of the current rayon pool, see `parts.rs`. They are fast
/// where neighbours have near numbers, as in the numbering of a [`Partition`](crate::Partition).
#[derive(Debug, Clone)]
pub struct Springs {
    parts: Vec<Part>,
    incoming: Vec<Incoming>,
    /// Where the vertices and the own blocks of each part start.
    starts: Vec<(usize, usize)>,
    vertex_count: usize,
    damped: bool,
    damping_tangent: DampingTangent,
    binding: Option<Binding>,
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
        let (parts, incoming) = parts(vertex_count, springs);
        Ok(Self {
            starts: parts.iter().map(|part| (part.rows.start, 0)).collect(),
            parts,
            incoming,
            vertex_count,
            damped: springs.iter().any(|s| s.damping != 0.0),
            damping_tangent,
            binding: None,
        })
    }

    /// Runs all parts, each on its own slices of gradient and matrix, and then hands over what they
    /// have for each other.
    fn run(&mut self, state: &State<'_>, job: Job, gradient: &mut [Vec3], tangent: &mut [Block]) {
        let Self { parts, incoming, starts, .. } = self;
        let level = Level::best();
        let work = |part: &mut Part, gradient: &mut [Vec3], tangent: &mut [Block]| {
            part.prepare(state.x, state.v, job.tangent);
            level.run(Work { job, part, gradient, tangent });
        };
        if job.tangent && self.binding.is_some_and(|b| !b.apart) {
            // Blocks that interleave cannot be cut apart: then it is one part after the other.
            let rows = |part: &Part| if job.gradient { part.rows.clone() } else { 0..0 };
            for part in &mut *parts {
                let rows = rows(part);
                work(part, &mut gradient[rows], tangent);
            }
            for (q, incoming) in incoming.iter().enumerate() {
                incoming.add(q, parts, &mut gradient[rows(&parts[q])], tangent);
            }
            return;
        }
        for_each_part(
            parts,
            Slices::new(&mut *gradient, &mut *tangent),
            &|slices: Slices<'_>, p| slices.split(starts[p]),
            &|_, part, slices| {
                let (gradient, tangent) = slices.part(&part.rows, &part.blocks);
                work(part, gradient, tangent);
            },
        );
        let parts = &*parts;
        for_each_part(
            incoming,
            Slices::new(gradient, tangent),
            &|slices: Slices<'_>, q| slices.split(starts[q]),
            &|q, incoming, slices| {
                let (gradient, tangent) = slices.part(&parts[q].rows, &parts[q].blocks);
                incoming.add(q, parts, gradient, tangent);
            },
        );
    }

    /// The vertex that is not finite.
    fn culprit(&self, state: &State<'_>) -> ForceError {
        for v in 0..self.vertex_count {
            if let Err(error) = finite_vertex(state, v as u32) {
                return error;
            }
        }
        ForceError::Unsupported("forces of the springs are beyond the range of numbers".into())
    }
}

impl Incoming {
    /// Adds what other parts have for part `q`, in their order.
    fn add(&self, q: usize, parts: &[Part], gradient: &mut [Vec3], tangent: &mut [Block]) {
        for &(row, from, at) in &self.sums {
            let [upper, lower, last] = &parts[from as usize].sums[at as usize];
            if let Some(g) = gradient.get_mut(row as usize) {
                for i in 0..3 {
                    g[i] += last.0[1 + i];
                }
            }
            if !tangent.is_empty() {
                let place = parts[q].diagonal[row as usize];
                if place != NO_PLACE {
                    add_block(&mut tangent[place as usize], upper, lower, last);
                }
            }
        }
        if !tangent.is_empty() {
            for &(place, from, at) in &self.blocks {
                let kept = &parts[from as usize].kept[at as usize];
                for (entry, add) in tangent[place as usize].iter_mut().zip(kept) {
                    *entry += add;
                }
            }
        }
    }
}

/// Refuses slices that are too short.
fn enough(what: &str, found: usize, needed: usize) -> Result<(), ForceError> {
    if found >= needed {
        return Ok(());
    }
    Err(ForceError::Unsupported(format!("{found} {what}: springs need {needed}")))
}

impl ForceModel for Springs {
    fn name(&self) -> &'static str {
        "springs"
    }

    fn is_symmetric(&self) -> bool {
        !self.damped || self.damping_tangent == DampingTangent::VelocityOnly
    }

    /// Damped springs have an energy too, and give it, but their g is not its gradient alone.
    fn has_energy(&self) -> bool {
        !self.damped
    }

    fn add_time_derivative(&self, _: &State<'_>, _: &mut [Vec3]) -> Result<bool, ForceError> {
        Ok(true) // it does not depend on time
    }

    fn stores_energy(&self) -> bool {
        true
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        let symmetric = self.is_symmetric();
        for [a, b] in self.parts.iter().flat_map(|p| p.members().map(|m| m.ends)) {
            couple(a, a);
            couple(b, b);
            couple(a.min(b), a.max(b));
            if !symmetric {
                couple(a.max(b), a.min(b));
            }
        }
    }

    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        self.binding = Some(bind(&mut self.parts, &mut self.incoming, slot));
        for (start, part) in self.starts.iter_mut().zip(&self.parts) {
            start.1 = part.blocks.start;
        }
    }

    fn add(&mut self, state: &State<'_>, ask: &mut Ask<'_>) -> Result<(), ForceError> {
        let count = self.vertex_count;
        state_length(self.name(), state, count)?;
        if let Some(tangent) = &ask.tangent {
            let Some(binding) = self.binding else {
                return Err(ForceError::Unsupported(
                    "springs were asked for their tangent before they were bound to a pattern"
                        .into(),
                ));
            };
            if binding.one_triangle && !self.is_symmetric() {
                return Err(ForceError::Unsupported(
                    "the tangent of springs with damping is not symmetric: it needs a matrix that stores both triangles, or the damping tangent of velocities only".into(),
                ));
            }
            enough("blocks in the matrix", tangent.len(), binding.blocks)?;
        }
        if let Some(gradient) = &ask.gradient {
            enough("entries in the gradient", gradient.len(), count)?;
        }
        let job = Job {
            gradient: ask.gradient.is_some(),
            tangent: ask.tangent.is_some(),
            position_weight: ask.position_weight,
            velocity_weight: ask.velocity_weight,
            project: ask.project,
            exact_damping: self.damping_tangent == DampingTangent::Exact && !ask.project,
        };
        let gradient = ask.gradient.as_deref_mut().unwrap_or_default();
        let tangent = ask.tangent.as_deref_mut().unwrap_or_default();
        self.run(state, job, gradient, tangent);
        if !self.parts.iter().all(|part| part.finite) {
            return Err(self.culprit(state));
        }
        if let Some(energy) = ask.energy.as_deref_mut() {
            *energy += self.parts.iter().map(|part| part.energy).sum::<f64>();
        }
        Ok(())
    }

    /// ω² is at most the largest row of M⁻¹K: 2 Σ |K| / m over the springs at a vertex (Gershgorin by
    /// blocks), and so for the damping. It allocates.
    fn largest_step(&self, state: &State<'_>, mass: &[f64]) -> f64 {
        let mut rows = vec![[0.0; 2]; self.vertex_count];
        for part in &self.parts {
            for spring in part.members() {
                let [a, b] = spring.ends.map(|v| v as usize);
                let r = spring.rest / distance(state.x[a], state.x[b]);
                let factor = if r.is_finite() { (r - 1.0).max(1.0) } else { 1.0 };
                for end in [a, b] {
                    rows[end][0] += 2.0 * spring.stiffness * factor;
                    rows[end][1] += 2.0 * spring.damping;
                }
            }
        }
        let (mut omega_squared, mut rate): (f64, f64) = (0.0, 0.0);
        for ([stiffness, damping], &mass) in rows.into_iter().zip(mass) {
            if stiffness > 0.0 || damping > 0.0 {
                omega_squared = omega_squared.max(stiffness / mass);
                rate = rate.max(damping / mass);
            }
        }
        stable_step(omega_squared, rate)
    }
}
