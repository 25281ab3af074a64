//! [`Springs`]: the force model of a spring network.

use pliant_algebra::dispatch::Level;
use pliant_algebra::vec3::distance;

use super::kernel::{Job, Work};
use super::network::Spring;
use super::parts::{Member, Part, PartTargets, PartWork, divide};
use crate::assembly::{Assembly, Binding, Chunk, Task, stable_step, total_energy};
use crate::character::{Character, Energy, Velocity};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{accepted, finite_vertex, not_negative, vertices};
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
/// Chunks of the network go to the threads of the current rayon pool, see `parts.rs`. They are fast
/// where neighbours have near numbers, as in the numbering of a [`Partition`](crate::Partition).
#[derive(Debug, Clone)]
pub struct Springs {
    assembly: Assembly<Part>,
    damped: bool,
    damping_tangent: DampingTangent,
    binding: Option<Binding<PartTargets>>,
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
        Ok(Self {
            assembly: divide(vertex_count, springs),
            damped: springs.iter().any(|s| s.damping != 0.0),
            damping_tangent,
            binding: None,
        })
    }

    /// Whether ∂g/∂x and ∂g/∂v are symmetric.
    fn is_symmetric(&self) -> bool {
        !self.damped || self.damping_tangent == DampingTangent::VelocityOnly
    }

    /// All springs.
    fn members(&self) -> impl Iterator<Item = Member> + '_ {
        self.assembly.chunks().iter().flat_map(|chunk| chunk.data.members(&chunk.rows))
    }

    /// The vertex that is not finite.
    fn culprit(&self, at: &Configuration<'_>) -> ForceError {
        for v in 0..self.assembly.vertices() {
            if let Err(error) = finite_vertex(at, v as u32) {
                return error;
            }
        }
        ForceError::Unsupported("forces of the springs are beyond the range of numbers".into())
    }
}

/// Targets where no tangent is wanted.
static NO_TARGETS: PartTargets =
    PartTargets { pairs: Vec::new(), mirrors: Vec::new(), diagonal: Vec::new() };

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
        for [a, b] in self.members().map(|m| m.ends) {
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
        let binding = self
            .assembly
            .bind(slots, |Chunk { rows, data: part }, lookup| part.look_up(rows, lookup))?;
        self.binding = Some(binding);
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        self.assembly.check(self.name(), &[at.x, at.v], ask, self.binding.as_ref())?;
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
        let binding = self.binding.as_ref().filter(|_| job.tangent);
        let tables = self.assembly.tables::<PartWork>(work);
        let level = Level::best();
        self.assembly.sweep(
            binding,
            tables,
            (&mut *gradient, &mut *tangent),
            &|task, collected, table: &mut PartWork| {
                let Task { rows, data: part, targets, gradient, blocks: tangent } = task;
                part.prepare(rows, table, at.x, at.v);
                let targets = targets.unwrap_or(&NO_TARGETS);
                level.run(Work { job, part, targets, table, collected, gradient, tangent });
            },
        );
        if !tables.iter().all(|table| table.data.finite) {
            return Err(self.culprit(at));
        }
        self.assembly.reduce(binding, tables, (gradient, tangent));
        if let Some(energy) = ask.energy.as_deref_mut() {
            *energy += total_energy(tables);
        }
        Ok(())
    }

    /// ω² is at most the largest row of M⁻¹K: 2 Σ |K| / m over the springs at a vertex (Gershgorin by
    /// blocks), and so for the damping. It allocates.
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        let mut rows = vec![[0.0; 2]; self.assembly.vertices()];
        for spring in self.members() {
            let [a, b] = spring.ends.map(|v| v as usize);
            let r = spring.rest / distance(at.x[a], at.x[b]);
            let factor = if r.is_finite() { (r - 1.0).max(1.0) } else { 1.0 };
            for end in [a, b] {
                rows[end][0] += 2.0 * spring.stiffness * factor;
                rows[end][1] += 2.0 * spring.damping;
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
