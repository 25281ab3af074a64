//! [`Stencils`]: elements computed one at a time in plain numbers, for models that are not a law on F
//! (those are in [`solid`](crate::solid)).
//!
//! Work is done chunk by chunk ([`Partition`]). A chunk adds what it has for its inner vertices, and
//! for the rows of the matrix that belong to them, to slices of its own; the rest is collected and
//! added afterwards in the order of the chunks. So the bits are the same on any number of threads.

mod bind;
mod rest;

pub(crate) use rest::{RestPoint, rest_point};

use std::ops::Range;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{Block, for_each_part};
use pliant_algebra::vec3::{Vec3, add, is_finite};
use pliant_mesh::VolumeMesh;

use crate::model::{Ask, ForceError};
use crate::partition::Partition;
use crate::slices::Slices;
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
    /// Where the inner vertices and the own blocks of each chunk start.
    starts: Vec<(usize, usize)>,
    one_triangle: bool,
    /// Blocks that the matrix must have at least; none before binding.
    matrix_blocks: Option<usize>,
}

#[derive(Debug)]
struct Chunk<S, const N: usize> {
    /// Inner vertices, in system numbering.
    inside: Range<usize>,
    /// Shared vertices, in system numbering.
    shared: Vec<u32>,
    /// Cells as the user numbers them, the places of their nodes in the chunk's table (inner
    /// vertices, then shared ones), and their data.
    cells: Vec<u32>,
    nodes: Vec<[u32; N]>,
    stencils: Vec<S>,
    /// Where block (a, b) of each element goes, see `bind.rs`.
    places: Vec<[[u32; N]; N]>,
    /// The part of the matrix that only this chunk writes to.
    blocks: Range<usize>,
    /// Places of the other blocks.
    buffered: Vec<u32>,
    /// What is collected for shared vertices and for those blocks.
    shared_gradient: Vec<Vec3>,
    shared_blocks: Vec<Block>,
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
                shared_gradient: vec![[0.0; 3]; shared.len()],
                shared,
                cells: Vec::new(),
                nodes: Vec::new(),
                stencils: Vec::new(),
                places: Vec::new(),
                blocks: 0..0,
                buffered: Vec::new(),
                shared_blocks: Vec::new(),
                energy: 0.0,
                trouble: None,
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
        Ok(Self {
            vertices: mesh.vertex_count(),
            symmetric,
            starts: chunks.iter().map(|c| (c.inside.start, 0)).collect(),
            chunks,
            one_triangle: false,
            matrix_blocks: None,
        })
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

    /// Adds to what `ask` has places for, everything that `evaluate(data, values, local)` finds from
    /// the values that the fields have at the nodes of an element. Weights and projection are for
    /// `evaluate` to heed.
    pub(crate) fn add<const K: usize>(
        &mut self,
        model: &str,
        fields: [&[Vec3]; K],
        ask: &mut Ask<'_>,
        evaluate: &(impl Fn(&S, &[[Vec3; N]; K], &mut Local<N>) + Sync),
    ) -> Result<(), ForceError> {
        self.check(model, &fields, ask)?;
        let tangent = ask.tangent.is_some();
        let gradient = ask.gradient.as_deref_mut().unwrap_or_default();
        let blocks = ask.tangent.as_deref_mut().unwrap_or_default();
        let Self { chunks, starts, symmetric, .. } = self;
        let (starts, symmetric) = (&*starts, *symmetric);
        for_each_part(
            chunks,
            Slices::new(&mut *gradient, &mut *blocks),
            &|slices: Slices<'_>, c| slices.split(starts[c]),
            &|_, chunk, slices| {
                let (gradient, blocks) = slices.part(&chunk.inside, &chunk.blocks);
                chunk.run(&fields, gradient, blocks, (tangent, symmetric), evaluate);
            },
        );
        if let Some(cell) = chunks.iter().filter_map(|c| c.trouble).min() {
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
        for chunk in &*chunks {
            if !gradient.is_empty() {
                for (&v, &g) in chunk.shared.iter().zip(&chunk.shared_gradient) {
                    gradient[v as usize] = add(gradient[v as usize], g);
                }
            }
            if tangent {
                for (&place, block) in chunk.buffered.iter().zip(&chunk.shared_blocks) {
                    add_block(&mut blocks[place as usize], block);
                }
            }
        }
        if let Some(energy) = ask.energy.as_deref_mut() {
            *energy += chunks.iter().map(|c| c.energy).sum::<f64>();
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
        match self.matrix_blocks {
            None => {
                wrong(format!("{model} was asked for its tangent before it was bound to a pattern"))
            }
            Some(blocks) if tangent.len() < blocks => {
                wrong(format!("{model} is bound to another matrix"))
            }
            _ if self.one_triangle && !self.symmetric => wrong(format!(
                "the tangent of {model} is not symmetric: it needs a matrix that stores both triangles"
            )),
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

    fn run<const K: usize>(
        &mut self,
        fields: &[&[Vec3]; K],
        gradient: &mut [Vec3],
        blocks: &mut [Block],
        (tangent, symmetric): (bool, bool),
        evaluate: &impl Fn(&S, &[[Vec3; N]; K], &mut Local<N>),
    ) {
        self.energy = 0.0;
        self.trouble = None;
        self.shared_gradient.fill([0.0; 3]);
        if tangent {
            self.shared_blocks.fill([0.0; 9]);
        }
        let mut local = Local::CLEAR;
        for e in 0..self.cells.len() {
            local.clear(tangent);
            evaluate(&self.stencils[e], &values(fields, &self.vertices(e)), &mut local);
            if !local.is_finite() {
                let cell = self.cells[e];
                self.trouble = Some(self.trouble.map_or(cell, |first| first.min(cell)));
                continue;
            }
            self.energy += local.energy;
            for (&node, &g) in self.nodes[e].iter().zip(&local.gradient) {
                let (own, node) = (self.inside.len(), node as usize);
                let to = if node < own {
                    gradient.get_mut(node)
                } else {
                    self.shared_gradient.get_mut(node - own)
                };
                if let Some(to) = to {
                    *to = add(*to, g);
                }
            }
            if tangent {
                bind::scatter(&self.places[e], symmetric, &local, blocks, &mut self.shared_blocks);
            }
        }
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
