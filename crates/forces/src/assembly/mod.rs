//! The one assembler: which chunk owns which rows, where blocks lie, and in which order shared sums are taken.
//!
//! A model is divided into chunks, whatever the number of threads. The vertices of a chunk are its [`Rows`]: those
//! *inside*, which it owns, and those it *shares*, which others add to as well. Matrices are stored by rows, so the
//! blocks in the rows of a chunk are one contiguous range:
//!
//! ```text
//! gradient  | inside 0 | inside 1 | inside 2 | shared by several |
//! blocks    | rows 0      | rows 1         | rows 2  | …         |
//!             ^ chunk 0 writes here alone, chunk 1 there, …
//! ```
//!
//! A chunk adds to its own range directly. What it has for any other row it puts into `Collected`, and when all
//! chunks are done `Reduction` adds that, for each target in the order of the chunks. So one code path serves one
//! thread and many with the same bits, without atomics and without `unsafe`.
//!
//! A kernel (elements in lanes, stencils in plain numbers, springs) says which blocks it has (`Lookup`), keeps
//! what it is told about them (`Target`), and computes. A model that acts on few vertices, such as a load, is one
//! chunk that owns all rows.

mod bind;
mod chunk;
mod collected;
mod partition;
mod reduce;
mod slices;

pub(crate) use bind::{Binding, Lookup, Target, not_bound};
pub use chunk::Rows;
pub(crate) use collected::{Collected, Table};
pub use partition::Partition;
pub(crate) use reduce::Reduction;

use pliant_algebra::sparse::{Block, for_each_part};
use pliant_algebra::vec3::Vec3;

use crate::error::ForceError;
use crate::model::Ask;
use crate::slots::Slots;
use crate::workspace::Workspace;
use slices::Slices;

/// A chunk: its rows, and what its kernel works on.
#[derive(Debug, Clone)]
pub(crate) struct Chunk<C> {
    pub(crate) rows: Rows,
    pub(crate) data: C,
}

/// The chunks of a model, and who shares what with whom.
#[derive(Debug, Clone)]
pub(crate) struct Assembly<C> {
    vertices: usize,
    chunks: Vec<Chunk<C>>,
    shared: Reduction,
}

/// One chunk's part of a sweep: what it reads, and the slices that it alone writes to (empty if not asked for).
pub(crate) struct Task<'a, C, T> {
    pub(crate) rows: &'a Rows,
    pub(crate) data: &'a C,
    /// Where its blocks go; absent where no tangent is wanted.
    pub(crate) targets: Option<&'a T>,
    pub(crate) gradient: &'a mut [Vec3],
    pub(crate) blocks: &'a mut [Block],
}

impl<C> Assembly<C> {
    /// Chunks of a model on `vertices` vertices, ascending in the rows that they own.
    pub(crate) fn new(vertices: usize, chunks: Vec<Chunk<C>>) -> Self {
        let mut entries = Vec::new();
        for (c, chunk) in (0..).zip(&chunks) {
            entries.extend((0..).zip(&chunk.rows.shared).map(|(at, &v)| (v, c, at)));
        }
        Self { vertices, chunks, shared: Reduction::new(entries) }
    }

    /// One chunk that owns all rows.
    pub(crate) fn whole(vertices: usize, data: C) -> Self {
        Self::new(vertices, vec![Chunk { rows: Rows::all(vertices), data }])
    }

    /// The chunks, in their order.
    pub(crate) fn chunks(&self) -> &[Chunk<C>] {
        &self.chunks
    }

    /// The same, to change what kernels work on.
    pub(crate) fn chunks_mut(&mut self) -> &mut [Chunk<C>] {
        &mut self.chunks
    }

    /// Number of vertices of the model.
    pub(crate) fn vertices(&self) -> usize {
        self.vertices
    }

    /// Finds out where blocks go: `look_up` names those of a chunk in the order in which its kernel has them, and
    /// keeps the targets.
    pub(crate) fn bind<T>(
        &self,
        slots: &Slots<'_>,
        mut look_up: impl FnMut(&Chunk<C>, &mut Lookup<'_>) -> Result<T, ForceError>,
    ) -> Result<Binding<T>, ForceError> {
        let mut bound = Vec::with_capacity(self.chunks.len());
        let mut entries = Vec::new();
        for (c, chunk) in (0..).zip(&self.chunks) {
            let mut lookup = Lookup::new(slots, &chunk.rows);
            let targets = look_up(chunk, &mut lookup)?;
            bound.push(lookup.end(targets, c, &mut entries));
        }
        Ok(Binding::new(bound, Reduction::new(entries), slots))
    }

    /// Refuses vectors and matrices of the wrong size, and tangents before binding.
    pub(crate) fn check<T>(
        &self,
        model: &str,
        fields: &[&[Vec3]],
        ask: &Ask<'_>,
        binding: Option<&Binding<T>>,
    ) -> Result<(), ForceError> {
        let n = self.vertices;
        let wrong = |text: String| Err(ForceError::Unsupported(text));
        if let Some(field) = fields.iter().find(|f| f.len() < n) {
            let found = field.len();
            return wrong(format!("{model} acts on {n} vertices, but the state has {found}"));
        }
        if ask.gradient.as_ref().is_some_and(|g| g.len() < n) {
            return wrong(format!(
                "the gradient must have an entry for each of {n} vertices of {model}"
            ));
        }
        match (&ask.tangent, binding) {
            (Some(_), None) => Err(not_bound(model)),
            (Some(blocks), Some(binding)) if blocks.len() != binding.matrix_blocks() => {
                wrong(format!("{model} is bound to another matrix"))
            }
            _ => Ok(()),
        }
    }

    /// Returns a table for each chunk from the caller's workspace, made at first use.
    pub(crate) fn tables<'w, W: Default + Send + 'static>(
        &self,
        work: &'w mut Workspace,
    ) -> &'w mut [Table<W>] {
        work.get(
            |tables: &Vec<Table<W>>| tables.len() == self.chunks.len(),
            || self.chunks.iter().map(|_| Table::default()).collect(),
        )
    }
}

impl<C: Sync> Assembly<C> {
    /// Runs `kernel` on every chunk, in parallel as far as there are threads, with cleared [`Collected`]. What was
    /// not asked for is an empty slice.
    pub(crate) fn sweep<T: Sync, W: Send>(
        &self,
        binding: Option<&Binding<T>>,
        tables: &mut [Table<W>],
        (gradient, blocks): (&mut [Vec3], &mut [Block]),
        kernel: &(impl Fn(Task<'_, C, T>, &mut Collected, &mut W) + Sync),
    ) {
        let chunks = &self.chunks;
        let bound = |c: usize| binding.map(|binding| binding.chunk(c));
        let asked = !gradient.is_empty();
        for_each_part(
            tables,
            Slices::new(gradient, blocks),
            &|slices: Slices<'_>, c| {
                slices.split((chunks[c].rows.inside.start, bound(c).map_or(0, |b| b.own.start)))
            },
            &|c, Table { collected, data: table }, slices| {
                let (Chunk { rows, data }, bound) = (&chunks[c], bound(c));
                collected.clear(
                    if asked { rows.shared.len() } else { 0 },
                    bound.map_or(0, |b| b.collected),
                );
                let own = bound.map_or(0..0, |b| b.own.clone());
                let (gradient, blocks) = slices.part(&rows.inside, &own);
                let targets = bound.map(|b| &b.targets);
                kernel(Task { rows, data, targets, gradient, blocks }, collected, table);
            },
        );
    }

    /// Adds what the chunks have for rows that they do not own, in the order of the chunks.
    pub(crate) fn reduce<T: Sync, W: Sync>(
        &self,
        binding: Option<&Binding<T>>,
        tables: &[Table<W>],
        (gradient, blocks): (&mut [Vec3], &mut [Block]),
    ) {
        if !gradient.is_empty() {
            self.shared.sum(gradient, &|g: &mut Vec3, chunk, at| {
                for (g, add) in g.iter_mut().zip(tables[chunk].collected.gradient[at]) {
                    *g += add;
                }
            });
        }
        if let Some(binding) = binding {
            binding.shared().sum(blocks, &|block: &mut Block, chunk, at| {
                add_block(block, &tables[chunk].collected.blocks[at]);
            });
        }
    }

    /// Runs `kernel` on every chunk and its table, for what adds neither to vectors nor to matrices.
    pub(crate) fn each<W: Send>(
        &self,
        tables: &mut [Table<W>],
        kernel: &(impl Fn(&Rows, &C, &mut W) + Sync),
    ) {
        for_each_part(tables, (), &|(), _| ((), ()), &|c, table: &mut Table<W>, ()| {
            kernel(&self.chunks[c].rows, &self.chunks[c].data, &mut table.data);
        });
    }
}

/// Sum of the energies of all chunks, J, in their order.
pub(crate) fn total_energy<W>(tables: &[Table<W>]) -> f64 {
    tables.iter().map(|table| table.collected.energy).sum()
}

/// Adds a block to another.
#[inline(always)]
pub(crate) fn add_block(to: &mut Block, block: &Block) {
    for (to, add) in to.iter_mut().zip(block) {
        *to += add;
    }
}

/// Bounds the largest eigenvalue of M⁻¹A by the largest row of block norms over masses (Gershgorin by blocks).
/// Rows of vertices without blocks do not count, whatever their mass.
pub(crate) fn largest_ratio(rows: &[f64], mass: &[f64]) -> f64 {
    let ratio = |(&row, &mass): (&f64, &f64)| if row > 0.0 { row / mass } else { 0.0 };
    rows.iter().zip(mass).map(ratio).fold(0.0, f64::max)
}

/// Returns the largest stable step of central differences for M a + D v + K x = 0 with eigenvalues of M⁻¹K up to
/// `omega_squared` (1/s²) and of M⁻¹D up to `rate` (1/s), the damping force taken from the last half step:
/// h = (2/ω)(√(1+ξ²) − ξ) with ξ = rate / 2ω, written so that ω = 0 needs no case.
pub fn stable_step(omega_squared: f64, rate: f64) -> f64 {
    4.0 / ((4.0 * omega_squared + rate * rate).sqrt() + rate)
}
