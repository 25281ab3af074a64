//! [`Stencils`]: elements computed one at a time in plain numbers, for models that are not a law on F
//! (those are in [`solid`](crate::solid)).
//!
//! Work is done chunk by chunk ([`Partition`]). A chunk adds what it has for its inner vertices, and
//! for the rows of the matrix that belong to them, to slices of its own; the rest is collected and
//! added afterwards in the order of the chunks. So the bits are the same on any number of threads.

mod bind;
mod rest;

use bind::{Bound, ChunkSlots};
pub(crate) use rest::{RestPoint, rest_point};

use std::ops::Range;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{Block, for_each_part};
use pliant_algebra::vec3::{Vec3, add, is_finite};
use pliant_mesh::VolumeMesh;

use crate::block_slots::not_bound;
use crate::error::ForceError;
use crate::model::Ask;
use crate::partition::Partition;
use crate::slices::Slices;
use crate::workspace::Workspace;
use crate::worst::{Search, Worst};

/// What one element has. Whoever computes finds it cleared, and adds what is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local<const N: usize> {
    /// J
    pub(crate) energy: f64,
    /// N
    pub(crate) gradient: [Vec3; N],
    /// Block (a, b) of the weighted tangent. Of symmetric stencils only a ≤ b is read.
    pub(crate) blocks: [[Block; N]; N],
}

impl<const N: usize> Local<N> {
    const CLEAR: Self = Self { energy: 0.0, gradient: [[0.0; 3]; N], blocks: [[[0.0; 9]; N]; N] };

    fn clear(&mut self, tangent: bool) {
        self.energy = 0.0;
        self.gradient = [[0.0; 3]; N];
        if tangent {
            self.blocks = [[[0.0; 9]; N]; N];
        }
    }

    /// Whether all numbers are finite; of the blocks the diagonal ones, into which all others sum up.
    fn is_finite(&self) -> bool {
        self.energy.is_finite()
            && self.gradient.iter().all(|&g| is_finite(g))
            && (0..N).all(|a| self.blocks[a][a].iter().sum::<f64>().is_finite())
    }
}

/// Elements of N nodes with their data S, in the numbering of a partition.
#[derive(Debug)]
pub(crate) struct Stencils<S, const N: usize> {
    vertices: usize,
    /// Whether block (b, a) is the transpose of (a, b).
    symmetric: bool,
    chunks: Vec<Chunk<S, N>>,
    /// Where the blocks lie; none before binding.
    bound: Option<Bound<N>>,
}

#[derive(Debug)]
struct Chunk<S, const N: usize> {
    /// Inner vertices, in system numbering.
    inside: Range<usize>,
    /// Shared vertices, in system numbering.
    shared: Vec<u32>,
    /// Cells as the user numbers them, the indices of their nodes in the chunk's table (inner
    /// vertices, then shared ones), and their data.
    cells: Vec<u32>,
    nodes: Vec<[u32; N]>,
    stencils: Vec<S>,
}

/// What a chunk collects during an evaluation, in the caller's workspace.
#[derive(Debug, Default)]
struct Collected {
    /// For shared vertices, and for blocks that no chunk owns.
    gradient: Vec<Vec3>,
    blocks: Vec<Block>,
    energy: f64,
    /// The first cell whose numbers are not finite.
    trouble: Option<u32>,
}

impl<S: Send + Sync, const N: usize> Stencils<S, N> {
    /// Elements on the cells for which `make(cell, rest positions)` gives data.
    pub(crate) fn new(
        mesh: &VolumeMesh,
        partition: &Partition,
        symmetric: bool,
        mut make: impl FnMut(usize, &[Vec3; N]) -> Result<Option<S>, ForceError>,
    ) -> Result<Self, ForceError> {
        if mesh.cell_type.nodes() != N {
            return Err(ForceError::Unsupported(format!(
                "elements of {N} nodes on a mesh of {} cells",
                mesh.cell_type
            )));
        }
        let new = partition.vertices().old_to_new();
        let mut chunks = Vec::with_capacity(partition.chunks());
        for c in 0..partition.chunks() {
            let inside = partition.inside(c);
            let shared = partition.shared(c).to_vec();
            let mut chunk = Chunk {
                inside: inside.start as usize..inside.end as usize,
                shared,
                cells: Vec::new(),
                nodes: Vec::new(),
                stencils: Vec::new(),
            };
            for &cell in partition.cells(c) {
                let foreign =
                    || ForceError::Unsupported("the partition is that of another mesh".to_string());
                if cell as usize >= mesh.cell_count() || new.len() != mesh.vertex_count() {
                    return Err(foreign());
                }
                let vertices = mesh.cell(cell as usize);
                let rest = std::array::from_fn(|a| mesh.vertices[vertices[a] as usize]);
                let Some(stencil) = make(cell as usize, &rest)? else { continue };
                let mut nodes = [0; N];
                for (node, &v) in nodes.iter_mut().zip(vertices) {
                    *node = partition.local(c, new[v as usize]).ok_or_else(foreign)?;
                }
                chunk.cells.push(cell);
                chunk.nodes.push(nodes);
                chunk.stencils.push(stencil);
            }
            chunks.push(chunk);
        }
        Ok(Self { vertices: mesh.vertex_count(), symmetric, chunks, bound: None })
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.chunks.iter().map(|c| c.cells.len()).sum()
    }

    /// Number of vertices of the mesh.
    pub(crate) fn vertices(&self) -> usize {
        self.vertices
    }

    /// Whether the stencils give symmetric matrices.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Calls `visit(cell as the user numbers it, its vertices in system numbering, its data)`.
    pub(crate) fn each(&self, mut visit: impl FnMut(usize, [u32; N], &S)) {
        for chunk in &self.chunks {
            for e in 0..chunk.cells.len() {
                visit(chunk.cells[e] as usize, chunk.vertices(e), &chunk.stencils[e]);
            }
        }
    }

    /// The worst element where `gradient(data, nodes)` is F.
    pub(crate) fn worst(
        &self,
        x: &[Vec3],
        gradient: impl Fn(&S, &[Vec3; N]) -> Mat3<f64>,
    ) -> Option<Worst> {
        let mut search = Search::default();
        if x.len() < self.vertices {
            return None;
        }
        self.each(|cell, nodes, data| {
            search.see(cell, gradient(data, &nodes.map(|v| x[v as usize])));
        });
        search.end()
    }

    /// Adds to what `ask` has room for, everything that `evaluate(data, values, local)` finds from
    /// the values that the fields have at the nodes of an element. Weights and projection are for
    /// `evaluate` to heed.
    pub(crate) fn add<const K: usize>(
        &self,
        model: &str,
        fields: [&[Vec3]; K],
        ask: &mut Ask<'_>,
        work: &mut Workspace,
        evaluate: &(impl Fn(&S, &[[Vec3; N]; K], &mut Local<N>) + Sync),
    ) -> Result<(), ForceError> {
        self.check(model, &fields, ask)?;
        let bound = self.bound.as_ref().filter(|_| ask.tangent.is_some());
        let gradient = ask.gradient.as_deref_mut().unwrap_or_default();
        let blocks = ask.tangent.as_deref_mut().unwrap_or_default();
        let Self { chunks, symmetric, .. } = self;
        let collected: &mut Vec<Collected> = work.get(
            |list: &Vec<Collected>| list.len() == chunks.len(),
            || chunks.iter().map(|_| Collected::default()).collect(),
        );
        for_each_part(
            collected,
            Slices::new(&mut *gradient, &mut *blocks),
            &|slices: Slices<'_>, c| {
                slices.split((chunks[c].inside.start, bound.map_or(0, |b| b.chunks[c].own.start)))
            },
            &|c, collected, slices| {
                let (chunk, slots) = (&chunks[c], bound.map(|b| &b.chunks[c]));
                let own = slots.map_or(0..0, |s| s.own.clone());
                let (gradient, blocks) = slices.part(&chunk.inside, &own);
                collected.reset(chunk.shared.len(), slots.map_or(0, |s| s.buffered.len()));
                chunk.run(&fields, gradient, blocks, slots, *symmetric, collected, evaluate);
            },
        );
        if let Some(cell) = collected.iter().filter_map(|c| c.trouble).min() {
            let found = fields
                .iter()
                .find_map(|f| f.iter().position(|&p| !is_finite(p)).map(|at| (at, f[at])));
            return Err(match found {
                Some((vertex, position)) => ForceError::NotFinite { vertex, position },
                None => ForceError::Unsupported(format!(
                    "{model}: what element {cell} exerts is beyond the range of numbers"
                )),
            });
        }
        for (c, collected) in collected.iter().enumerate() {
            if !gradient.is_empty() {
                for (&v, &g) in chunks[c].shared.iter().zip(&collected.gradient) {
                    gradient[v as usize] = add(gradient[v as usize], g);
                }
            }
            if let Some(bound) = bound {
                for (&slot, block) in bound.chunks[c].buffered.iter().zip(&collected.blocks) {
                    add_block(&mut blocks[slot as usize], block);
                }
            }
        }
        if let Some(energy) = ask.energy.as_deref_mut() {
            *energy += collected.iter().map(|c| c.energy).sum::<f64>();
        }
        Ok(())
    }

    fn check(&self, model: &str, fields: &[&[Vec3]], ask: &Ask<'_>) -> Result<(), ForceError> {
        let wrong = |text: String| Err(ForceError::Unsupported(text));
        let n = self.vertices;
        if let Some(field) = fields.iter().find(|f| f.len() < n) {
            return wrong(format!(
                "{model} acts on {n} vertices, but the state has {}",
                field.len()
            ));
        }
        if ask.gradient.as_ref().is_some_and(|g| g.len() < n) {
            return wrong(format!("the gradient must have an entry for each of {n} vertices"));
        }
        let Some(tangent) = &ask.tangent else { return Ok(()) };
        match &self.bound {
            None => Err(not_bound(model)),
            Some(bound) if tangent.len() != bound.matrix_blocks => {
                wrong(format!("{model} is bound to another matrix"))
            }
            _ => Ok(()),
        }
    }

    /// A bound on the largest eigenvalue of M⁻¹A with A from `evaluate`: the largest row of block
    /// norms over masses (Gershgorin by blocks). It allocates one number a vertex.
    pub(crate) fn largest_row<const K: usize>(
        &self,
        fields: [&[Vec3]; K],
        mass: &[f64],
        evaluate: &impl Fn(&S, &[[Vec3; N]; K], &mut Local<N>),
    ) -> f64 {
        if fields.iter().any(|field| field.len() < self.vertices) {
            return f64::INFINITY; // no step is known to be safe
        }
        let mut rows = vec![0.0; self.vertices];
        let mut local = Local::CLEAR;
        self.each(|_, nodes, stencil| {
            local.clear(true);
            evaluate(stencil, &values(&fields, &nodes), &mut local);
            for a in 0..N {
                for b in 0..N {
                    let (r, c) = if self.symmetric { (a.min(b), a.max(b)) } else { (a, b) };
                    let block = &local.blocks[r][c];
                    rows[nodes[a] as usize] += block.iter().map(|k| k * k).sum::<f64>().sqrt();
                }
            }
        });
        let ratio = |(row, mass): (&f64, &f64)| if *row > 0.0 { row / mass } else { 0.0 };
        rows.iter().zip(mass).map(ratio).fold(0.0, f64::max)
    }
}

impl<S: Sync, const N: usize> Chunk<S, N> {
    /// The vertices of element `e`, in system numbering.
    fn vertices(&self, e: usize) -> [u32; N] {
        self.nodes[e].map(|local| match (local as usize).checked_sub(self.inside.len()) {
            None => self.inside.start as u32 + local,
            Some(at) => self.shared[at],
        })
    }

    #[allow(clippy::too_many_arguments, reason = "what is read, what is written, and how")]
    fn run<const K: usize>(
        &self,
        fields: &[&[Vec3]; K],
        gradient: &mut [Vec3],
        blocks: &mut [Block],
        slots: Option<&ChunkSlots<N>>,
        symmetric: bool,
        collected: &mut Collected,
        evaluate: &impl Fn(&S, &[[Vec3; N]; K], &mut Local<N>),
    ) {
        let mut local = Local::CLEAR;
        for e in 0..self.cells.len() {
            local.clear(slots.is_some());
            evaluate(&self.stencils[e], &values(fields, &self.vertices(e)), &mut local);
            if !local.is_finite() {
                let cell = self.cells[e];
                collected.trouble = Some(collected.trouble.map_or(cell, |first| first.min(cell)));
                continue;
            }
            collected.energy += local.energy;
            for (&node, &g) in self.nodes[e].iter().zip(&local.gradient) {
                let (own, node) = (self.inside.len(), node as usize);
                let to = if node < own {
                    gradient.get_mut(node)
                } else {
                    collected.gradient.get_mut(node - own)
                };
                if let Some(to) = to {
                    *to = add(*to, g);
                }
            }
            if let Some(slots) = slots {
                bind::scatter(&slots.of[e], symmetric, &local, blocks, &mut collected.blocks);
            }
        }
    }
}

impl Collected {
    /// Clears everything, with room for so many vertices and blocks.
    fn reset(&mut self, vertices: usize, blocks: usize) {
        self.gradient.clear();
        self.gradient.resize(vertices, [0.0; 3]);
        self.blocks.clear();
        self.blocks.resize(blocks, [0.0; 9]);
        (self.energy, self.trouble) = (0.0, None);
    }
}

/// What the fields have at some vertices.
fn values<const N: usize, const K: usize>(
    fields: &[&[Vec3]; K],
    vertices: &[u32; N],
) -> [[Vec3; N]; K] {
    fields.map(|field| vertices.map(|v| field[v as usize]))
}

fn add_block(to: &mut Block, block: &Block) {
    for (to, add) in to.iter_mut().zip(block) {
        *to += add;
    }
}
