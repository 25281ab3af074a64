//! [`Rubbings`]: how each two kinds of surface rub.

use pliant_forces::ForceError;

/// How two surfaces rub.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rubbing {
    /// μ
    pub coefficient: f64,
    /// ε, m: what sticks gives way by less.
    pub stick: f64,
}

/// A [`Rubbing`] for each two kinds of surface. Each collision vertex is of one kind, such as a body, or a material.
#[derive(Debug, Clone, PartialEq)]
pub struct Rubbings {
    kinds: Vec<u32>,
    count: usize,
    /// Of kinds i and j, at i `count` + j.
    table: Vec<Rubbing>,
}

impl Rubbings {
    /// Asks `between` for each two of `count` kinds. `kinds` are those of the collision vertices.
    pub fn new(
        kinds: Vec<u32>,
        count: usize,
        mut between: impl FnMut(usize, usize) -> Rubbing,
    ) -> Result<Self, ForceError> {
        let refuse = |what: &str, found: f64, accepted: String| {
            Err(ForceError::Parameter { what: what.to_owned(), found, accepted })
        };
        if let Some(&kind) = kinds.iter().find(|k| **k as usize >= count) {
            let accepted = format!("there are {count}, numbered from 0");
            return refuse("kind of surface", f64::from(kind), accepted);
        }
        let mut table = Vec::with_capacity(count * count);
        for i in 0..count {
            for j in 0..count {
                let rubbing = between(i.min(j), i.max(j));
                let Rubbing { coefficient, stick } = rubbing;
                if !(coefficient >= 0.0 && coefficient.is_finite()) {
                    let accepted = "a finite number of 0 or more is needed".to_owned();
                    return refuse("contact friction", coefficient, accepted);
                }
                if !(stick > 0.0 && stick.is_finite()) {
                    let accepted = "a finite number above 0 is needed".to_owned();
                    return refuse("stick length of contact friction", stick, accepted);
                }
                table.push(rubbing);
            }
        }
        Ok(Self { kinds, count, table })
    }

    /// Number of collision vertices.
    pub(super) fn vertices(&self) -> usize {
        self.kinds.len()
    }

    /// Returns true if nothing rubs.
    pub fn is_smooth(&self) -> bool {
        self.table.iter().all(|r| r.coefficient == 0.0)
    }

    /// Of two primitives that touch where the vertices have these weights. The first `first` vertices are the
    /// one primitive; a primitive is of the kind of the vertex that it touches with most.
    pub(super) fn of(&self, vertices: &[u32], weights: &[f64], first: usize) -> Rubbing {
        let kind = |range: std::ops::Range<usize>| {
            let mut most = range.start;
            for i in range {
                if weights[i].abs() > weights[most].abs() {
                    most = i;
                }
            }
            self.kinds[vertices[most] as usize] as usize
        };
        self.table[kind(0..first) * self.count + kind(first..vertices.len())]
    }
}
