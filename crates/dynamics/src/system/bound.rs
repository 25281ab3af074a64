//! [`Bound`]: the pattern of a system, and what hangs on it.
//!
//! The pattern is the union of all couplings that models name. Those of models whose couplings are fixed make up
//! the base, computed once; what changing models add to it is merged in whenever they say that it has changed. So
//! the pattern is a function of what the models name now, not of what they named before.

use std::sync::Arc;

use pliant_algebra::sparse::{Pattern, PatternError, Slot};
use pliant_forces::{Change, Configuration, Couplings, Slots};
use pliant_sections::Sections;

use super::damping::StiffnessDamping;
use super::{Entry, System};
use crate::DynamicsError;

/// The pattern of a system, and what follows from it alone.
pub(super) struct Bound {
    pattern: Arc<Pattern>,
    /// Couplings of the models that never change them.
    base: Arc<Pattern>,
    /// Couplings of the others that are not in the base, ascending.
    extra: Vec<(u32, u32)>,
    /// Slots of the diagonal blocks.
    diagonal: Vec<u32>,
}

impl Bound {
    /// Makes the pattern of all models and binds them to it.
    pub(super) fn new(vertices: usize, entries: &mut [Entry]) -> Result<Self, DynamicsError> {
        let symmetric = entries.iter().all(|e| e.character.symmetric);
        let fixed = |couple: &mut dyn FnMut(u32, u32)| {
            let fixed = |e: &&Entry| e.character.couplings == Couplings::Fixed;
            entries.iter().filter(fixed).for_each(|e| e.couplings(symmetric, couple));
        };
        let base = if symmetric {
            Pattern::symmetric(vertices, fixed)
        } else {
            Pattern::unsymmetric(vertices, fixed)
        };
        let base = Arc::new(base.map_err(unsupported)?);
        let extra = further(&base, entries);
        let mut bound =
            Self { pattern: base.clone(), base, extra: Vec::new(), diagonal: Vec::new() };
        bound.extend(extra)?;
        for entry in entries {
            entry.bind(&bound.pattern)?;
        }
        Ok(bound)
    }

    pub(super) fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Slots of the diagonal blocks.
    pub(super) fn diagonal(&self) -> &[u32] {
        &self.diagonal
    }

    /// Makes the pattern of the base and further couplings.
    fn extend(&mut self, extra: Vec<(u32, u32)>) -> Result<(), DynamicsError> {
        self.pattern = if extra.is_empty() {
            self.base.clone()
        } else {
            Arc::new(self.base.with(&extra).map_err(unsupported)?)
        };
        self.extra = extra;
        let diagonal = |i: u32| self.pattern.slot(i, i).map_or(0, Slot::index);
        self.diagonal = (0..self.pattern.rows() as u32).map(diagonal).collect();
        Ok(())
    }
}

/// Couplings of changing models that are not in the base, ascending.
fn further(base: &Pattern, entries: &[Entry]) -> Vec<(u32, u32)> {
    let mut extra = Vec::new();
    for entry in entries.iter().filter(|e| e.character.couplings == Couplings::Changing) {
        entry.couplings(base.is_symmetric(), &mut |i, j| {
            let (i, j) = if base.is_symmetric() { (i.min(j), i.max(j)) } else { (i, j) };
            if base.slot(i, j).is_none() {
                extra.push((i, j));
            }
        });
    }
    extra.sort_unstable();
    extra.dedup();
    extra
}

#[allow(clippy::needless_pass_by_value, reason = "given to map_err")]
fn unsupported(error: PatternError) -> DynamicsError {
    DynamicsError::Unsupported(error.to_string())
}

impl Entry {
    /// Names all couplings in the numbering of the system, both triangles where the pattern has them.
    fn couplings(&self, symmetric_pattern: bool, couple: &mut dyn FnMut(u32, u32)) {
        let first = self.vertices.start as u32;
        let mirror = self.character.symmetric && !symmetric_pattern;
        self.model.couplings(&mut |i, j| {
            couple(first + i, first + j);
            if mirror {
                couple(first + j, first + i);
            }
        });
    }

    fn bind(&mut self, pattern: &Pattern) -> Result<(), DynamicsError> {
        let name = self.model.name().to_owned();
        self.model.bind(&Slots::new(pattern, self.vertices.start as u32, &name))?;
        Ok(())
    }
}

impl System {
    /// Asks the models whose couplings may change to look at a configuration, and where they have changed
    /// follows with the pattern and all that hangs on it. Returns whether the pattern is another one now.
    ///
    /// [`System::begin_step`] does this once a step; nonlinear solvers do it once an iteration.
    pub fn follow_couplings(&mut self, at: &Configuration<'_>) -> Result<bool, DynamicsError> {
        let mut changed = Vec::new();
        for (k, entry) in self.entries.iter_mut().enumerate() {
            if entry.character.couplings == Couplings::Changing {
                let part = entry.part(at)?;
                if entry.model.begin(&part).map_err(|e| entry.in_system(e))? == Change::Couplings {
                    changed.push(k);
                }
                entry.character = entry.model.character();
            }
        }
        if changed.is_empty() {
            return Ok(false);
        }
        self.changes += 1;
        let extra = further(&self.bound.base, &self.entries);
        if extra == self.bound.extra {
            for k in changed {
                self.entries[k].bind(&self.bound.pattern)?;
            }
            return Ok(false);
        }
        self.rebind(extra)?;
        Ok(true)
    }

    /// Writes the couplings of models that change them, as far as the pattern has them: all, and those of each model.
    pub fn save(&self, to: &mut Sections) {
        let flat =
            |pairs: &[(u32, u32)]| pairs.iter().flat_map(|&(i, j)| [i, j]).collect::<Vec<_>>();
        let mut section = to.write("couplings");
        section.indices(&flat(&self.bound.extra));
        for k in self.changing() {
            section.indices(&flat(&further(&self.bound.base, &self.entries[k..=k])));
        }
    }

    /// Models that change their couplings.
    fn changing(&self) -> Vec<usize> {
        let changes = |&k: &usize| self.entries[k].character.couplings == Couplings::Changing;
        (0..self.entries.len()).filter(changes).collect()
    }

    /// Brings the pattern to what it was when these sections were written.
    pub fn load(&mut self, from: &Sections) -> Result<(), DynamicsError> {
        let mut section = from.read("couplings")?;
        let base = &self.bound.base;
        let mut lists = Vec::new();
        for range in std::iter::once(0..self.rest.len())
            .chain(self.changing().into_iter().map(|k| self.entries[k].vertices.clone()))
        {
            let pairs = section.indices()?;
            let (pairs, rest) = pairs.as_chunks::<2>();
            let pairs: Vec<(u32, u32)> = pairs.iter().map(|&[i, j]| (i, j)).collect();
            let known = |&(i, j): &(u32, u32)| base.slot(i, j).is_some();
            let ascending = pairs.windows(2).all(|pair| pair[0] < pair[1]);
            let upper = !base.is_symmetric() || pairs.iter().all(|(i, j)| i <= j);
            let own = |&(i, j): &(u32, u32)| {
                range.contains(&(i as usize)) && range.contains(&(j as usize))
            };
            let fit = ascending && upper && pairs.iter().all(own);
            if !(rest.is_empty() && fit) || pairs.iter().any(known) {
                return Err(section.wrong("pairs that are not those of this system").into());
            }
            lists.push(pairs);
        }
        section.finish()?;
        let extra = lists.remove(0);
        for (k, pairs) in self.changing().into_iter().zip(lists) {
            let first = self.entries[k].vertices.start as u32;
            let own: Vec<_> = pairs.into_iter().map(|(i, j)| (i - first, j - first)).collect();
            self.entries[k].model.adopt_couplings(&own);
        }
        if extra == self.bound.extra { Ok(()) } else { self.rebind(extra) }
    }

    /// Forgets which couplings models have named: the next step finds them as that of a new system does.
    pub fn forget_couplings(&mut self) -> Result<(), DynamicsError> {
        let changing = self.entries.iter_mut();
        changing
            .filter(|e| e.character.couplings == Couplings::Changing)
            .for_each(|e| e.model.adopt_couplings(&[]));
        self.seen.forget();
        if self.bound.extra.is_empty() { Ok(()) } else { self.rebind(Vec::new()) }
    }

    /// The one place where everything that hangs on the pattern is made anew.
    fn rebind(&mut self, extra: Vec<(u32, u32)>) -> Result<(), DynamicsError> {
        self.bound.extend(extra)?;
        for entry in &mut self.entries {
            entry.bind(&self.bound.pattern)?;
        }
        self.constraints.bind(&self.bound.pattern);
        self.mass_binding = self.mass.bind(&self.bound.pattern)?;
        self.mass_solver = None;
        self.stiffness_damping = StiffnessDamping::of(&self.entries, &self.bound.pattern);
        self.seen.forget();
        self.bind_map()
    }
}
