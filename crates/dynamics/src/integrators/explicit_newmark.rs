//! The explicit Newmark method of Zhuang and Canny (Real-time Global Deformations, section 4): central
//! differences with constant M and D, on steps T/2^i only, so that few matrices M + T/2^(i+1) D are needed and
//! each is factored once.
//!
//! Equations (7) to (9) are those of [`CentralDifferences`](super::CentralDifferences). T is the step asked for;
//! it is cut into steps T/2^i, the longest that are stable for the highest frequency of the body as it is now
//! and that fit the grid of times. A step that fails is tried again half as long.

use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::damped_mass::DampedMass;
use super::entry::{IntegratorEntry, explicit};
use super::verlet::drift;
use super::{ExplicitScheme, Method, Next};
use crate::adaptive::StepCounts;
use crate::spectral_radius::{Of, SpectralRadius};
use crate::system::{Accelerations, End};
use crate::vector::{add_scaled, check_finite};
use crate::{DynamicsError, State, System};

/// The shortest step is T/2^12.
const LEVELS: u32 = 12;
/// Of the critical step 2/ω.
const SAFETY: f64 = 0.95;

/// Order 2 for damping with a constant matrix, of order 1 where D changes: it is that of the first state.
pub struct ExplicitNewmark {
    damped: Option<bool>,
    /// M + T/2^(i+1) D, made when they are first needed.
    matrices: Vec<Option<DampedMass>>,
    /// T
    longest: f64,
    /// Where D is taken.
    first: Option<State>,
    frequency: SpectralRadius,
    now: State,
    /// Whether a collision has changed the accelerations of `now`.
    collided: bool,
    /// Those of the forces alone, where that is so.
    smooth: Vec<Vec3>,
    counts: StepCounts,
}

impl Default for ExplicitNewmark {
    fn default() -> Self {
        Self::new()
    }
}

impl ExplicitNewmark {
    /// As it is.
    pub fn new() -> Self {
        Self {
            damped: None,
            matrices: Vec::new(),
            longest: 0.0,
            first: None,
            frequency: SpectralRadius::new(Of::Vibration),
            now: State::default(),
            collided: false,
            smooth: Vec::new(),
            counts: StepCounts::default(),
        }
    }

    /// The i of the longest stable step.
    fn level(&mut self, system: &mut System) -> Result<u32, DynamicsError> {
        let now = &mut self.now;
        if !now.knows_acceleration {
            let mut a = std::mem::take(&mut now.a);
            let found = system.accelerations(&now.configuration(), &mut a);
            now.a = a;
            found?;
            now.knows_acceleration = true;
        }
        // Differences of forces are taken from there.
        let frequency = if self.collided {
            self.smooth.resize(now.len(), [0.0; 3]);
            system.accelerations(&now.configuration(), &mut self.smooth)?;
            self.frequency.estimate(system, now, &self.smooth)?
        } else {
            self.frequency.estimate(system, now, &now.a)?
        };
        let ratio = self.longest * frequency / (2.0 * SAFETY);
        let level = ratio.log2().ceil().max(0.0);
        if level > f64::from(LEVELS) {
            let accepted = "explicit-newmark takes steps down to 1/4096 of the one asked for: take a shorter step or an implicit method";
            return Err(DynamicsError::Setting {
                what: "step × highest frequency",
                found: 2.0 * ratio,
                accepted,
            });
        }
        Ok(level as u32)
    }

    /// One step T/2^level of `now`, into `next`.
    fn step(
        &mut self,
        system: &mut System,
        level: u32,
        next: &mut Next,
    ) -> Result<(), DynamicsError> {
        let h = self.longest / f64::from(1_u32 << level);
        drift(system, &self.now, h, next)?;
        let time = self.now.time + h;
        let end = self.now.ahead(&next.x, &next.v, time, h);
        if self.damped == Some(true) {
            let matrix = &mut self.matrices[level as usize];
            let matrix = match matrix {
                Some(matrix) if matrix.serves(system) => matrix,
                none => {
                    let mut made = DampedMass::new(system)?;
                    let first = self.first.as_ref().unwrap_or(&self.now);
                    made.renew(system, &first.configuration(), h)?;
                    none.insert(made)
                }
            };
            matrix.accelerations(system, &end, &mut next.a)?;
        } else {
            system.accelerations(&end, &mut next.a)?;
        }
        add_scaled(&mut next.v, &next.a, 0.5 * h);
        let ends = [&mut next.v[..], &mut next.a];
        self.collided = system.collide([&self.now.x, &self.now.v], h, &next.x, ends);
        system.constraints().impose_velocities(time, &mut next.v);
        check_finite("new position", &next.x)?;
        check_finite("new velocity", &next.v)
    }
}

impl Method for ExplicitNewmark {
    fn name(&self) -> &'static str {
        "explicit-newmark"
    }

    fn order(&self) -> usize {
        2
    }

    fn step_counts(&self) -> Option<StepCounts> {
        Some(self.counts)
    }

    /// Where D was taken, from which the matrices are made again, and when the frequency was estimated.
    fn save(&self, to: &mut Sections) {
        let mut section = to.write("explicit newmark");
        section.flag(self.damped.is_some()).flag(self.damped == Some(true)).word(self.now.steps);
        section.flag(self.collided).flag(self.first.is_some());
        if let Some(State { x, v, time, .. }) = &self.first {
            section.number(*time).vectors(x).vectors(v);
        }
        self.counts.save(&mut section);
        self.frequency.save(to);
    }

    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        let n = system.vertices();
        let mut section = from.read("explicit newmark")?;
        let (known, damped, steps) = (section.flag()?, section.flag()?, section.word()?);
        self.collided = section.flag()?;
        let first = if section.flag()? {
            let time = section.number()?;
            let (x, v) = (section.vectors_of(n)?, section.vectors_of(n)?);
            Some(State::new(&x, &v, time))
        } else {
            None
        };
        let counts = StepCounts::load(&mut section)?;
        section.finish()?;
        self.frequency.load(from, n)?;
        (self.damped, self.first, self.counts) = (known.then_some(damped), first, counts);
        // Matrices of another D are not to be taken for these.
        (self.longest, self.now.steps) = (0.0, steps.min(u64::MAX / 2));
        Ok(())
    }

    fn forget(&mut self) {
        self.frequency.forget();
        (self.damped, self.first, self.longest, self.collided) = (None, None, 0.0, false);
    }
}

impl ExplicitScheme for ExplicitNewmark {
    fn takes_velocity_forces(&self) -> bool {
        true
    }

    fn advance(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        next: &mut Next,
    ) -> Result<bool, DynamicsError> {
        if self.damped.is_none() {
            let damped = system.is_damped();
            self.damped = Some(damped);
            self.first = damped.then(|| state.clone());
        }
        if self.longest != h {
            self.longest = h;
            self.matrices.clear();
            self.matrices.resize_with(LEVELS as usize + 1, || None);
        }
        self.now.copy_from(state);
        // Time in units of the shortest step.
        let (mut done, all) = (0_u32, 1_u32 << LEVELS);
        while done < all {
            let mut level = self.level(system)?.max(LEVELS.saturating_sub(done.trailing_zeros()));
            loop {
                match self.step(system, level, next) {
                    Ok(()) => break,
                    // An element inverted, or a number is none.
                    Err(DynamicsError::Force(_) | DynamicsError::NotFinite { .. })
                        if level < LEVELS =>
                    {
                        self.counts.failed += 1;
                        level += 1;
                    }
                    Err(cause) => return Err(cause),
                }
            }
            done += 1 << (LEVELS - level);
            let length = h / f64::from(1_u32 << level);
            let counts = &mut self.counts;
            counts.accepted += 1;
            counts.smallest = counts.smallest.min(length);
            counts.largest = counts.largest.max(length);
            let end = End {
                x: &mut next.x,
                v: &mut next.v,
                a: Accelerations::Known(&mut next.a),
                time: state.time + h * (f64::from(done) / f64::from(all)),
                keep: 0,
                followed: None,
            };
            system.end_step(&mut self.now, end)?;
        }
        let now = &mut self.now;
        std::mem::swap(&mut now.x, &mut next.x);
        std::mem::swap(&mut now.v, &mut next.v);
        std::mem::swap(&mut now.a, &mut next.a);
        std::mem::swap(&mut now.memory, &mut next.memory);
        next.followed = Some(now.dissipated - state.dissipated);
        Ok(true)
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "explicit-newmark",
    about: "explicit, order 2; prefactored steps T/2^i, chosen by stability",
    imaginary_interval: || f64::INFINITY,
    make: |_| explicit(ExplicitNewmark::new()),
    ..IntegratorEntry::SYMPLECTIC
};
