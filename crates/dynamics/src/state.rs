//! [`State`]: where a body is, how it moves, and what multistep methods remember.

use pliant_algebra::vec3::{Vec3, norm};

use crate::DynamicsError;
use crate::vector::{check_finite, check_length};

/// A state of before: what a multistep method goes on from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Past {
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// Velocities, m/s.
    pub v: Vec<Vec3>,
    /// When, s.
    pub time: f64,
}

/// All that changes from step to step. One entry a vertex, in the numbering of the system.
///
/// Whoever changes positions or velocities by hand calls [`State::restart`] afterwards.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// Velocities, m/s.
    pub v: Vec<Vec3>,
    /// Accelerations, m/s², if `knows_acceleration`; otherwise those of the last step or so, from which
    /// implicit methods guess.
    pub a: Vec<Vec3>,
    /// Whether `a` belongs to this state.
    pub knows_acceleration: bool,
    /// Time, s.
    pub time: f64,
    /// Steps made.
    pub steps: u64,
    /// States of before, the latest first, as many as the last method wanted to have.
    pub past: Vec<Past>,
}

const MAGIC: &[u8; 8] = b"pliantS1";

impl State {
    /// At rest at these positions.
    pub fn at_rest(x: &[Vec3]) -> Self {
        Self::new(x, &vec![[0.0; 3]; x.len()], 0.0)
    }

    /// Positions, velocities, time; velocities that are missing are zero.
    pub fn new(x: &[Vec3], v: &[Vec3], time: f64) -> Self {
        let mut v = v.to_vec();
        v.resize(x.len(), [0.0; 3]);
        Self { x: x.to_vec(), v, a: vec![[0.0; 3]; x.len()], time, ..Self::default() }
    }

    /// Forgets accelerations and past states.
    pub fn restart(&mut self) {
        self.a.fill([0.0; 3]);
        self.knows_acceleration = false;
        self.past.clear();
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// The fastest vertex and its speed, m/s.
    pub fn fastest(&self) -> (usize, f64) {
        let faster = |best: (usize, f64), (i, &v): (usize, &Vec3)| {
            let speed = norm(v);
            if speed > best.1 { (i, speed) } else { best }
        };
        self.v.iter().enumerate().fold((0, 0.0), faster)
    }

    /// An error where lengths differ from `vertices` or a number is not finite.
    pub fn check(&self, vertices: usize) -> Result<(), DynamicsError> {
        check_length("positions", self.x.len(), vertices)?;
        check_length("velocities", self.v.len(), vertices)?;
        check_length("accelerations", self.a.len(), vertices)?;
        check_finite("position", &self.x)?;
        check_finite("velocity", &self.v)?;
        if self.knows_acceleration {
            check_finite("acceleration", &self.a)?;
        }
        if !self.time.is_finite() {
            let accepted = "a finite number is needed";
            return Err(DynamicsError::Setting { what: "time", found: self.time, accepted });
        }
        Ok(())
    }

    /// How many past states lie h, 2h, … before this one.
    pub fn evenly_spaced(&self, h: f64) -> usize {
        let expected = |k: usize| self.time - h * (k + 1) as f64;
        // Times are sums of steps: they differ from multiples by rounding.
        let fits = |&(k, past): &(usize, &Past)| (past.time - expected(k)).abs() <= 1e-6 * h;
        self.past.iter().enumerate().take_while(fits).count()
    }

    /// Puts this state into the past, of which `keep` states stay. No allocation once there are that
    /// many.
    pub(crate) fn remember(&mut self, keep: usize) {
        if keep == 0 {
            self.past.clear();
            return;
        }
        if self.past.len() < keep {
            self.past.push(Past::default());
        }
        self.past.truncate(keep);
        self.past.rotate_right(1);
        let latest = &mut self.past[0];
        latest.x.clone_from(&self.x);
        latest.v.clone_from(&self.v);
        latest.time = self.time;
    }

    /// All of it as bytes (little endian), from which [`State::from_bytes`] makes the same state to the
    /// last bit.
    pub fn to_bytes(&self) -> Vec<u8> {
        let n = self.len();
        let mut bytes = Vec::with_capacity(64 + 24 * n * (3 + 2 * self.past.len()));
        bytes.extend_from_slice(MAGIC);
        let past = self.past.len() as u64;
        for word in [n as u64, past, self.steps, u64::from(self.knows_acceleration)] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let mut put = |numbers: &[f64]| {
            for number in numbers {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        };
        put(&[self.time]);
        for list in [&self.x, &self.v, &self.a] {
            put(list.as_flattened());
        }
        for past in &self.past {
            put(&[past.time]);
            put(past.x.as_flattened());
            put(past.v.as_flattened());
        }
        bytes
    }

    /// The state that was written by [`State::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DynamicsError> {
        let wrong = |why: &str| DynamicsError::Checkpoint(why.to_owned());
        let (words, rest) = bytes.as_chunks::<8>();
        let [magic, n, past, steps, known, numbers @ ..] = words else {
            return Err(wrong("it is too short"));
        };
        if magic != MAGIC || !rest.is_empty() {
            return Err(wrong("it does not begin as one, or is cut off"));
        }
        let [n, past, steps, known] = [n, past, steps, known].map(|w| u64::from_le_bytes(*w));
        // Checked before anything is allocated: the lengths must account for every word.
        let expected = (|| {
            let per_past = n.checked_mul(6)?.checked_add(1)?;
            n.checked_mul(9)?.checked_add(1)?.checked_add(past.checked_mul(per_past)?)
        })();
        if expected != Some(numbers.len() as u64) || known > 1 {
            return Err(wrong("its length does not fit the number of vertices it names"));
        }
        let mut numbers = numbers.iter().map(|w| f64::from_le_bytes(*w));
        let mut state = Self { steps, knows_acceleration: known == 1, ..Self::default() };
        state.time = one(&mut numbers);
        state.x = list(&mut numbers, n);
        state.v = list(&mut numbers, n);
        state.a = list(&mut numbers, n);
        for _ in 0..past {
            let time = one(&mut numbers);
            let x = list(&mut numbers, n);
            state.past.push(Past { x, v: list(&mut numbers, n), time });
        }
        Ok(state)
    }
}

/// The next number. There always is one: they were counted.
fn one(numbers: &mut impl Iterator<Item = f64>) -> f64 {
    numbers.next().unwrap_or(f64::NAN)
}

fn list(numbers: &mut impl Iterator<Item = f64>, n: u64) -> Vec<Vec3> {
    (0..n).map(|_| [one(numbers), one(numbers), one(numbers)]).collect()
}
