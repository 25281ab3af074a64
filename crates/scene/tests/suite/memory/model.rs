//! [`Remembering`]: a force model with memory, for tests.

use pliant_algebra::vec3::{Vec3, add_scaled, norm_squared, scale, sub};
use pliant_forces::{
    Ask, Character, Configuration, Energy, ForceError, ForceModel, Memory, MemoryLayout, Slots,
    TimeDependence, Tried, Workspace,
};

/// N/m
pub(crate) const STIFFNESS: f64 = 20.0;
/// τ, s
pub(crate) const RELAXATION: f64 = 0.05;
/// Vertices that have sunk this far, m, hold on to where they are, with as much stiffness.
const LOW: f64 = 2e-3;

/// On every vertex a spring in series with a dashpot (Maxwell), to its rest position: g = k (u − q), τ q' = u − q. And
/// vertices that have sunk hold on to the place at which the step found them low, until they rise again.
///
/// Over Δt, by backward Euler: q₁ = (q₀ + s u) / (1 + s) with s = Δt/τ, so that g = k (u − q₀) / (1 + s), the gradient
/// of ½ k |u − q₀|² / (1 + s). Stored is ½ k |u − q₁|², dissipated k τ |q₁ − q₀|² / Δt.
pub(crate) struct Remembering {
    rest: Vec<Vec3>,
    slots: Vec<u32>,
}

impl Remembering {
    pub(crate) fn new(rest: Vec<Vec3>) -> Self {
        Self { rest, slots: Vec::new() }
    }
}

impl ForceModel for Remembering {
    fn name(&self) -> &'static str {
        "remembering"
    }

    fn character(&self) -> Character {
        Character {
            energy: Energy::Incremental,
            time: TimeDependence::Unknown,
            memory: MemoryLayout { numbers: 3 * self.rest.len(), keyed: 3 },
            ..Character::POTENTIAL
        }
    }

    fn couplings(&self, _: &mut dyn FnMut(u32, u32)) {}

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        let diagonal = (0..self.rest.len() as u32).map(|i| Ok(slots.get(i, i)?.index()));
        self.slots = diagonal.collect::<Result<_, ForceError>>()?;
        Ok(())
    }

    fn start_memory(&self, at: &Configuration<'_>, memory: &mut Memory) -> Result<(), ForceError> {
        let (all, rest) = memory.numbers.as_chunks_mut::<3>();
        assert!(rest.is_empty() && memory.keyed.is_empty());
        for (q, (&x, &rest)) in all.iter_mut().zip(at.x.iter().zip(&self.rest)) {
            *q = sub(x, rest);
        }
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        let [memory] = at.memory else {
            return Err(ForceError::Unsupported("remembering: no memory was given".into()));
        };
        let s = at.elapsed() / RELAXATION;
        let soft = STIFFNESS / (1.0 + s);
        let (committed, _) = memory.numbers.as_chunks::<3>();
        if let Some(Tried { numbers, keyed }) = &mut ask.memory {
            assert!(keyed.is_empty() && numbers.len() == memory.numbers.len());
        }
        for (i, (&x, &rest)) in at.x.iter().zip(&self.rest).enumerate() {
            let u = sub(x, rest);
            let q0 = committed[i];
            let q1 = scale(add_scaled(q0, u, s), 1.0 / (1.0 + s));
            let anchor = memory.keyed.get(i as u64).map(|a| [a[0], a[1], a[2]]);
            let off = anchor.map_or([0.0; 3], |anchor| sub(x, anchor));
            if let Some(energy) = ask.energy.as_deref_mut() {
                *energy += 0.5 * soft * norm_squared(sub(u, q0));
                *energy += 0.5 * STIFFNESS * norm_squared(off);
            }
            if let Some(stored) = ask.stored.as_deref_mut() {
                *stored += 0.5 * STIFFNESS * (norm_squared(sub(u, q1)) + norm_squared(off));
            }
            if let Some(dissipated) = ask.dissipated.as_deref_mut()
                && s > 0.0
            {
                *dissipated += STIFFNESS * norm_squared(sub(q1, q0)) / s;
            }
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                gradient[i] = add_scaled(gradient[i], sub(u, q0), soft);
                gradient[i] = add_scaled(gradient[i], off, STIFFNESS);
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                let anchored = if anchor.is_some() { STIFFNESS } else { 0.0 };
                for k in [0, 4, 8] {
                    tangent[self.slots[i] as usize][k] += ask.position_weight * (soft + anchored);
                }
            }
            if let Some(Tried { numbers, keyed }) = &mut ask.memory {
                numbers[3 * i..3 * i + 3].copy_from_slice(&q1);
                if u[1] < -LOW {
                    assert!(keyed.push(i as u64, &anchor.unwrap_or(x)));
                }
            }
        }
        Ok(())
    }

    fn stable_step(&self, _: &Configuration<'_>, mass: &[f64]) -> f64 {
        let least = mass.iter().copied().fold(f64::INFINITY, f64::min);
        (2.0 * least / STIFFNESS).sqrt()
    }
}
