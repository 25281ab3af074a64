//! [`Stencils`]: small groups of N vertices, computed one at a time in plain numbers: elements of any dimension that
//! are not a law on F (those are in [`solid`](crate::solid)), faces under a load, vertices at an obstacle.
//!
//! A stencil says what it has ([`Local`]); ownership, slots and order of sums are the assembler's
//! ([`assembly`](crate::assembly)).

mod rest;

pub use rest::RestPoint;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::Block;
use pliant_algebra::vec3::{Vec3, add, is_finite};

use crate::assembly::{
    Assembly, Binding, Chunk, Collected, Partition, Table, Target, Task, add_block, largest_ratio,
    total_energy,
};
use crate::cells::Cells;
use crate::error::ForceError;
use crate::inspection::Inspection;
use crate::model::Ask;
use crate::slots::Slots;
use crate::workspace::Workspace;
use crate::worst::{Search, Worst};

/// What one stencil has for its vertices. It is cleared before; add what is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Local<const N: usize> {
    /// Energy, J.
    pub energy: f64,
    /// g at each vertex, N.
    pub gradient: [Vec3; N],
    /// Block (a, b) of the weighted tangent, row-major. Of symmetric stencils only a ≤ b is read.
    pub blocks: [[Block; N]; N],
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

    /// Adds to block (a, b).
    #[inline]
    pub fn add_block(&mut self, a: usize, b: usize, block: &Mat3<f64>) {
        add_block(&mut self.blocks[a][b], &block.to_array());
    }

    /// Says that the values from which the stencil computes are not finite, where that would not show in what it
    /// has: the evaluation ends with an error that names the vertex.
    pub fn refuse(&mut self) {
        self.energy = f64::NAN;
    }

    /// Returns true if all numbers are finite; of the blocks the diagonal ones, into which all others sum up.
    fn is_finite(&self) -> bool {
        self.energy.is_finite()
            && self.gradient.iter().all(|&g| is_finite(g))
            && (0..N).all(|a| self.blocks[a][a].iter().sum::<f64>().is_finite())
    }
}

/// Stencils of N vertices with their data S.
#[derive(Debug, Clone)]
pub struct Stencils<S, const N: usize> {
    assembly: Assembly<List<S, N>>,
    /// Whether block (b, a) is the transpose of (a, b).
    symmetric: bool,
    /// Where the blocks lie; none before binding.
    binding: Option<Binding<Vec<Targets<N>>>>,
}

/// Where block (a, b) of a stencil goes; nowhere if one triangle is stored, and has the transposed block instead.
type Targets<const N: usize> = [[Option<Target>; N]; N];

/// The stencils of one chunk.
#[derive(Debug, Clone)]
struct List<S, const N: usize> {
    /// Their numbers, as the user counts cells.
    cells: Vec<u32>,
    /// Local numbers of their vertices.
    nodes: Vec<[u32; N]>,
    data: Vec<S>,
}

/// The first cell whose numbers are not finite.
type Trouble = Option<u32>;

impl<S: Send + Sync, const N: usize> Stencils<S, N> {
    /// Elements on the cells for which `make(cell, rest positions)` gives data; cells are numbered by the user, the
    /// model itself works in the numbering of the partition.
    pub fn new<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        symmetric: bool,
        mut make: impl FnMut(usize, &[Vec3; N]) -> Result<Option<S>, ForceError>,
    ) -> Result<Self, ForceError> {
        let cells = cells.into();
        cells.check_nodes("these", N)?;
        let foreign =
            || ForceError::Unsupported("the partition is that of another mesh".to_string());
        let new = partition.vertices().old_to_new();
        let mut chunks = Vec::with_capacity(partition.chunks());
        for c in 0..partition.chunks() {
            let rows = partition.rows(c).clone();
            let mut list = List { cells: Vec::new(), nodes: Vec::new(), data: Vec::new() };
            for &cell in partition.cells(c) {
                if cell as usize >= cells.len() || new.len() != cells.vertex_count() {
                    return Err(foreign());
                }
                let vertices = cells.nodes::<N>(cell as usize);
                let Some(data) = make(cell as usize, &cells.positions(&vertices))? else {
                    continue;
                };
                let mut nodes = [0; N];
                for (node, v) in nodes.iter_mut().zip(vertices) {
                    *node = rows.local(new[v as usize]).ok_or_else(foreign)?;
                }
                list.cells.push(cell);
                list.nodes.push(nodes);
                list.data.push(data);
            }
            chunks.push(Chunk { rows, data: list });
        }
        let assembly = Assembly::new(cells.vertex_count(), chunks);
        Ok(Self { assembly, symmetric, binding: None })
    }

    /// Stencils without a partition, as one chunk: for what acts on few vertices, in the numbering of the system.
    /// Vertices must be below `vertices`. Nothing of it is parallel, and its evaluations need no workspace.
    pub fn whole(
        vertices: usize,
        symmetric: bool,
        list: impl IntoIterator<Item = ([u32; N], S)>,
    ) -> Result<Self, ForceError> {
        let (nodes, data): (Vec<_>, Vec<_>) = list.into_iter().unzip();
        crate::parameter::vertices("stencils", nodes.as_flattened(), vertices)?;
        let cells = (0..nodes.len() as u32).collect();
        let assembly = Assembly::whole(vertices, List { cells, nodes, data });
        Ok(Self { assembly, symmetric, binding: None })
    }

    /// Number of stencils.
    pub fn len(&self) -> usize {
        self.assembly.chunks().iter().map(|c| c.data.cells.len()).sum()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of vertices of the body.
    pub fn vertices(&self) -> usize {
        self.assembly.vertices()
    }

    /// Returns true if the stencils give symmetric matrices.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Calls `visit(cell as the user numbers it, its vertices in system numbering, its data)`.
    pub fn each(&self, mut visit: impl FnMut(usize, [u32; N], &S)) {
        for Chunk { rows, data: list } in self.assembly.chunks() {
            for ((&cell, nodes), data) in list.cells.iter().zip(&list.nodes).zip(&list.data) {
                visit(cell as usize, nodes.map(|local| rows.vertex(local)), data);
            }
        }
    }

    /// Names the pairs of vertices as [`ForceModel::couplings`](crate::ForceModel::couplings) wants.
    pub fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.each(|_, nodes, _| {
            for i in nodes {
                for j in nodes {
                    if i <= j || !self.symmetric {
                        couple(i, j);
                    }
                }
            }
        });
    }

    /// Looks up the slots of all blocks.
    pub fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        slots.check_symmetry(self.symmetric)?;
        let binding = self.assembly.bind(slots, |Chunk { rows, data: list }, lookup| {
            let mut all = Vec::with_capacity(list.nodes.len());
            for nodes in &list.nodes {
                let nodes = nodes.map(|local| rows.vertex(local));
                let mut targets = [[None; N]; N];
                for a in 0..N {
                    for b in 0..N {
                        targets[a][b] = lookup.stored(nodes[a], nodes[b])?;
                    }
                }
                all.push(targets);
            }
            Ok(all)
        })?;
        self.binding = Some(binding);
        Ok(())
    }

    /// Returns the worst element where `gradient(data, nodes)` is F.
    pub(crate) fn worst(
        &self,
        x: &[Vec3],
        gradient: impl Fn(&S, &[Vec3; N]) -> Mat3<f64>,
    ) -> Option<Worst> {
        let mut search = Search::default();
        if x.len() < self.vertices() {
            return None;
        }
        self.each(|cell, nodes, data| {
            search.see(cell, gradient(data, &nodes.map(|v| x[v as usize])));
        });
        search.end()
    }

    /// Looks at J of all elements where `gradient(data, nodes)` is F.
    pub(crate) fn inspect(
        &self,
        x: &[Vec3],
        gradient: impl Fn(&S, &[Vec3; N]) -> Mat3<f64>,
    ) -> Result<Inspection, ForceError> {
        crate::parameter::length("positions", x.len(), self.vertices())?;
        let mut seen = Inspection::default();
        self.each(|_, nodes, data| {
            seen.see(gradient(data, &nodes.map(|v| x[v as usize])).determinant());
        });
        Ok(seen)
    }

    /// Adds to what `ask` has room for, everything that `evaluate(data, values, local)` finds from
    /// the values that the fields have at the vertices of a stencil. Weights and projection are for
    /// `evaluate` to heed. `model` is named in errors.
    pub fn add<const K: usize>(
        &self,
        model: &str,
        fields: [&[Vec3]; K],
        ask: &mut Ask<'_>,
        work: &mut Workspace,
        evaluate: &(impl Fn(&S, &[[Vec3; N]; K], &mut Local<N>) + Sync),
    ) -> Result<(), ForceError> {
        self.assembly.check(model, &fields, ask, self.binding.as_ref())?;
        let binding = self.binding.as_ref().filter(|_| ask.tangent.is_some());
        let gradient = ask.gradient.as_deref_mut().unwrap_or_default();
        let blocks = ask.tangent.as_deref_mut().unwrap_or_default();
        // One chunk collects nothing: then no memory is needed.
        let mut one = [Table::<Trouble>::default()];
        let tables = if self.assembly.chunks().len() == 1 {
            &mut one[..]
        } else {
            self.assembly.tables::<Trouble>(work)
        };
        self.assembly.sweep(
            binding,
            tables,
            (&mut *gradient, &mut *blocks),
            &|task, collected, trouble| {
                *trouble = run(task, &fields, self.symmetric, collected, evaluate);
            },
        );
        if let Some(cell) = tables.iter().filter_map(|table| table.data).min() {
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
        self.assembly.reduce(binding, tables, (gradient, blocks));
        if let Some(energy) = ask.energy.as_deref_mut() {
            *energy += total_energy(tables);
        }
        Ok(())
    }

    /// Bounds the largest eigenvalue of M⁻¹A with A from `evaluate`: the largest row of block
    /// norms over masses (Gershgorin by blocks). It allocates one number a vertex.
    pub fn largest_row<const K: usize>(
        &self,
        fields: [&[Vec3]; K],
        mass: &[f64],
        evaluate: &impl Fn(&S, &[[Vec3; N]; K], &mut Local<N>),
    ) -> f64 {
        if fields.iter().any(|field| field.len() < self.vertices()) {
            return f64::INFINITY; // no step is known to be safe
        }
        let mut rows = vec![0.0; self.vertices()];
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
        largest_ratio(&rows, mass)
    }
}

/// The stencils of one chunk; returns the first one whose numbers are not finite.
fn run<S, const N: usize, const K: usize>(
    task: Task<'_, List<S, N>, Vec<Targets<N>>>,
    fields: &[&[Vec3]; K],
    symmetric: bool,
    collected: &mut Collected,
    evaluate: &impl Fn(&S, &[[Vec3; N]; K], &mut Local<N>),
) -> Trouble {
    let Task { rows, data: list, targets, gradient, blocks } = task;
    let own = rows.inside.len();
    let mut trouble: Trouble = None;
    let mut local = Local::CLEAR;
    for e in 0..list.cells.len() {
        local.clear(targets.is_some());
        let vertices = list.nodes[e].map(|node| rows.vertex(node));
        evaluate(&list.data[e], &values(fields, &vertices), &mut local);
        if !local.is_finite() {
            let cell = list.cells[e];
            trouble = Some(trouble.map_or(cell, |first| first.min(cell)));
            continue;
        }
        collected.energy += local.energy;
        for (&node, &g) in list.nodes[e].iter().zip(&local.gradient) {
            let node = node as usize;
            let to = if node < own {
                gradient.get_mut(node)
            } else {
                collected.gradient.get_mut(node - own)
            };
            if let Some(to) = to {
                *to = add(*to, g);
            }
        }
        if let Some(targets) = targets {
            scatter(&targets[e], symmetric, &local, blocks, &mut collected.blocks);
        }
    }
    trouble
}

/// Adds the blocks of one stencil to the chunk's own ones or to those that are collected.
fn scatter<const N: usize>(
    targets: &Targets<N>,
    symmetric: bool,
    local: &Local<N>,
    own: &mut [Block],
    collected: &mut [Block],
) {
    for a in 0..N {
        for b in 0..N {
            let Some(target) = targets[a][b] else { continue };
            let to = target.of(own, collected);
            if symmetric && a > b {
                let k = &local.blocks[b][a];
                add_block(to, &[k[0], k[3], k[6], k[1], k[4], k[7], k[2], k[5], k[8]]);
            } else {
                add_block(to, &local.blocks[a][b]);
            }
        }
    }
}

/// Values of the fields at some vertices.
fn values<const N: usize, const K: usize>(
    fields: &[&[Vec3]; K],
    vertices: &[u32; N],
) -> [[Vec3; N]; K] {
    fields.map(|field| vertices.map(|v| field[v as usize]))
}
