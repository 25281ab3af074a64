//! [`Springs`]: the force model of a spring network.

use pliant_algebra::dispatch::Level;
use pliant_algebra::sparse::{Block, for_each_part};
use pliant_algebra::vec3::{Vec3, distance};

use super::kernel::{Job, Work, add_block};
use super::network::Spring;
use super::parts::{Binding, Incoming, NO_BLOCK, Part, PartWork, bind, parts};
use crate::block_slots::{not_bound, stable_step};
use crate::character::{Character, Energy, Velocity};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{accepted, finite_vertex, not_negative, state_length, vertices};
use crate::slices::Slices;
use crate::slots::Slots;
use crate::workspace::Workspace;

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

    /// Whether ∂g/∂x and ∂g/∂v are symmetric.
    fn is_symmetric(&self) -> bool {
        !self.damped || self.damping_tangent == DampingTangent::VelocityOnly
    }

    /// Runs all parts, each on its own slices of gradient and matrix, and then hands over what they
    /// have for each other.
    fn run(
        &self,
        at: &Configuration<'_>,
        job: Job,
        gradient: &mut [Vec3],
        tangent: &mut [Block],
        tables: &mut [PartWork],
    ) {
        let Self { parts, incoming, starts, .. } = self;
        let level = Level::best();
        let work =
            |part: &Part, table: &mut PartWork, gradient: &mut [Vec3], tangent: &mut [Block]| {
                part.prepare(table, at.x, at.v, job.tangent);
                level.run(Work { job, part, table, gradient, tangent });
            };
        if job.tangent && self.binding.is_some_and(|b| !b.apart) {
            // Blocks that interleave cannot be cut apart: then it is one part after the other.
            let rows = |part: &Part| if job.gradient { part.rows.clone() } else { 0..0 };
            for (part, table) in parts.iter().zip(&mut *tables) {
                work(part, table, &mut gradient[rows(part)], tangent);
            }
            for (q, incoming) in incoming.iter().enumerate() {
                incoming.add(&parts[q], tables, &mut gradient[rows(&parts[q])], tangent);
            }
            return;
        }
        for_each_part(
            tables,
            Slices::new(&mut *gradient, &mut *tangent),
            &|slices: Slices<'_>, p| slices.split(starts[p]),
            &|p, table, slices| {
                let (gradient, tangent) = slices.part(&parts[p].rows, &parts[p].blocks);
                work(&parts[p], table, gradient, tangent);
            },
        );
        let tables = &*tables;
        for_each_part(
            // Items without size: nothing is allocated.
            &mut vec![(); incoming.len()],
            Slices::new(gradient, tangent),
            &|slices: Slices<'_>, q| slices.split(starts[q]),
            &|q, (), slices| {
                let (gradient, tangent) = slices.part(&parts[q].rows, &parts[q].blocks);
                incoming[q].add(&parts[q], tables, gradient, tangent);
            },
        );
    }

    /// The vertex that is not finite.
    fn culprit(&self, at: &Configuration<'_>) -> ForceError {
        for v in 0..self.vertex_count {
            if let Err(error) = finite_vertex(at, v as u32) {
                return error;
            }
        }
        ForceError::Unsupported("forces of the springs are beyond the range of numbers".into())
    }
}

impl Incoming {
    /// Adds what other parts have for a part, in their order.
    fn add(&self, part: &Part, tables: &[PartWork], gradient: &mut [Vec3], tangent: &mut [Block]) {
        for &(row, from, at) in &self.sums {
            let [upper, lower, last] = &tables[from as usize].sums[at as usize];
            if let Some(g) = gradient.get_mut(row as usize) {
                for i in 0..3 {
                    g[i] += last.0[1 + i];
                }
            }
            if !tangent.is_empty() {
                let place = part.diagonal[row as usize];
                if place != NO_BLOCK {
                    add_block(&mut tangent[place as usize], upper, lower, last);
                }
            }
        }
        if !tangent.is_empty() {
            for &(place, from, at) in &self.blocks {
                let kept = &tables[from as usize].kept[at as usize];
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

    fn character(&self) -> Character {
        Character {
            symmetric: self.is_symmetric(),
            energy: if self.damped { Energy::Stored } else { Energy::Conservative },
            velocity: if self.damped { Velocity::General } else { Velocity::None },
            ..Character::POTENTIAL
        }
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

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        if slots.one_triangle() && !self.is_symmetric() {
            return Err(ForceError::Unsupported(
                "the tangent of springs with damping is not symmetric: it needs a matrix that stores both triangles, or the damping tangent of velocities only".into(),
            ));
        }
        self.binding = Some(bind(&mut self.parts, &mut self.incoming, slots)?);
        for (start, part) in self.starts.iter_mut().zip(&self.parts) {
            start.1 = part.blocks.start;
        }
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let count = self.vertex_count;
        state_length(self.name(), at, count)?;
        if let Some(tangent) = &ask.tangent {
            let Some(binding) = self.binding else { return Err(not_bound(self.name())) };
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
        let tables: &mut Vec<PartWork> = work.get(
            |tables: &Vec<PartWork>| tables.len() == self.parts.len(),
            || self.parts.iter().map(|_| PartWork::default()).collect(),
        );
        self.run(at, job, gradient, tangent, tables);
        if !tables.iter().all(|part| part.finite) {
            return Err(self.culprit(at));
        }
        if let Some(energy) = ask.energy.as_deref_mut() {
            *energy += tables.iter().map(|part| part.energy).sum::<f64>();
        }
        Ok(())
    }

    /// ω² is at most the largest row of M⁻¹K: 2 Σ |K| / m over the springs at a vertex (Gershgorin by
    /// blocks), and so for the damping. It allocates.
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        let mut rows = vec![[0.0; 2]; self.vertex_count];
        for part in &self.parts {
            for spring in part.members() {
                let [a, b] = spring.ends.map(|v| v as usize);
                let r = spring.rest / distance(at.x[a], at.x[b]);
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
