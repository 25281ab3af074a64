//! [`Restriction`]: free vertices, rigid parts and bodies that move in a few shapes, in any mixture.
//!
//! Free vertices and rigid parts make up 3×3 blocks (two for a part: translation and rotation), in the order in which
//! vertices come; amplitudes of shapes come after them. The Jacobian is a matrix of blocks where there are no shapes, a dense
//! one where there is nothing else, and a bordered one otherwise.

use std::ops::Range;
use std::sync::Arc;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_forces::ForceError;
use pliant_solvers::Constrained;
use pliant_solvers::matrix::{Matrix, Shape};
use pliant_solvers::sums;

use super::basis::Basis;
use super::rigid_part::RigidPart;
use super::{Beginning, Map};
use crate::{DynamicsError, Mass, System};

/// How a vertex follows from the unknowns.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kinematics {
    /// It is this block of unknowns itself.
    Free(u32),
    /// It belongs to a rigid part: which, and its number there.
    Rigid(u32, u32),
    /// It belongs to a body that moves in shapes.
    Shaped,
}

/// The map of a system in which some vertices are not free.
pub struct Restriction {
    rest: Vec<Vec3>,
    masses: Vec<f64>,
    /// What holds each vertex, ascending.
    held: Vec<Constrained>,
    vertices: Vec<Kinematics>,
    parts: Vec<RigidPart>,
    bases: Vec<Basis>,
    blocks: usize,
    border: usize,
    bound: Option<Bound>,
    /// A shape on all vertices, J times it, and amplitudes.
    shape: Vec<Vec3>,
    image: Vec<Vec3>,
    amplitudes: Vec<f64>,
}

/// What follows from the pattern of J.
struct Bound {
    /// Of the blocks, as far as there are any.
    symmetric: Option<Arc<Pattern>>,
    unsymmetric: Option<Arc<Pattern>>,
    inner_is_symmetric: bool,
    /// Slots of blocks between free vertices, by slots of J.
    free: Vec<Option<u32>>,
    product: Option<Product>,
}

impl Restriction {
    /// Nothing is restricted yet. Masses must be lumped: what is brought together is so by mass, vertex by vertex.
    pub fn new(system: &System) -> Result<Self, DynamicsError> {
        let Mass::Lumped(masses) = system.mass() else {
            return Err(DynamicsError::Unsupported(
                "rigid parts and reduced bodies need lumped masses, and the mass is a matrix"
                    .into(),
            ));
        };
        let n = system.vertices();
        let mut made = Self {
            rest: system.rest().to_vec(),
            masses: masses.clone(),
            held: system.constraints().vertices().to_vec(),
            vertices: vec![Kinematics::Free(0); n],
            parts: Vec::new(),
            bases: Vec::new(),
            blocks: 0,
            border: 0,
            bound: None,
            shape: vec![[0.0; 3]; n],
            image: vec![[0.0; 3]; n],
            amplitudes: Vec::new(),
        };
        made.number();
        Ok(made)
    }

    /// What holds a vertex.
    fn support(&self, vertex: u32) -> Option<&Constrained> {
        let at = self.held.binary_search_by_key(&vertex, |held| held.vertex).ok()?;
        self.held.get(at)
    }

    fn take(&self, vertex: usize) -> Result<(), DynamicsError> {
        match self.vertices.get(vertex) {
            Some(Kinematics::Free(_)) => Ok(()),
            Some(_) => Err(DynamicsError::Unsupported(format!(
                "vertex {vertex} belongs to two rigid parts, or to one and to a reduced body"
            ))),
            None => Err(DynamicsError::Unsupported(format!(
                "vertex {vertex} of a rigid part, but there are {} vertices, numbered from 0",
                self.vertices.len()
            ))),
        }
    }

    /// Lets vertices move as one rigid body. They must not be held, belong to nothing else, and not be on one line.
    pub fn with_rigid_part(mut self, vertices: &[u32]) -> Result<Self, DynamicsError> {
        let mut list = vertices.to_vec();
        list.sort_unstable();
        list.dedup();
        for &v in &list {
            self.take(v as usize)?;
            if self.support(v).is_some() {
                return Err(DynamicsError::Unsupported(format!(
                    "vertex {v} of a rigid part is held by a support: hold vertices outside of it, or fix the whole part"
                )));
            }
        }
        let part = RigidPart::new(&list, &self.rest, |v| self.masses[v])?;
        for (k, &v) in list.iter().enumerate() {
            self.vertices[v as usize] = Kinematics::Rigid(self.parts.len() as u32, k as u32);
        }
        self.parts.push(part);
        self.number();
        Ok(self)
    }

    /// Lets a body, by its range of vertices, move in shapes alone: displacements from rest, one entry for each of its
    /// vertices, orthonormal in the inner product of its masses and without a part along what holds it, as
    /// [`System::modes`] gives them.
    pub fn with_shapes(
        mut self,
        vertices: Range<usize>,
        shapes: &[Vec<Vec3>],
    ) -> Result<Self, DynamicsError> {
        for v in vertices.clone() {
            self.take(v)?;
        }
        let basis = Basis::new(vertices.clone(), shapes, &self.rest, &self.masses);
        for (i, shape) in basis.shapes.iter().enumerate() {
            crate::vector::check_length("shape", shape.len(), vertices.len())?;
            let moves = |(v, s): (usize, &Vec3)| {
                let held = self.support(v as u32).map_or([0.0; 3], |h| sub(*s, h.filtered(*s)));
                norm(held) > 1e-9 * norm(*s)
            };
            if let Some((v, _)) = vertices.clone().zip(shape).find(|&pair| moves(pair)) {
                return Err(DynamicsError::Unsupported(format!(
                    "shape {i} moves vertex {v}, which is held"
                )));
            }
            for j in 0..=i {
                let wrong = (basis.inner(i, j) - f64::from(u8::from(i == j))).abs();
                if wrong.is_nan() || wrong > 1e-6 {
                    return Err(DynamicsError::Unsupported(format!(
                        "shapes {j} and {i} are not orthonormal by mass: they are off by {wrong:.1e}"
                    )));
                }
            }
        }
        self.vertices[vertices].fill(Kinematics::Shaped);
        self.bases.push(basis);
        self.number();
        Ok(self)
    }

    /// Numbers the blocks in the order in which vertices come, and the amplitudes.
    fn number(&mut self) {
        (self.blocks, self.border, self.bound) = (0, 0, None);
        let mut seen = vec![false; self.parts.len()];
        for vertex in &mut self.vertices {
            match vertex {
                Kinematics::Free(block) => {
                    *block = self.blocks as u32;
                    self.blocks += 1;
                }
                Kinematics::Rigid(part, _) if !seen[*part as usize] => {
                    seen[*part as usize] = true;
                    self.parts[*part as usize].block = self.blocks as u32;
                    self.blocks += 2;
                }
                _ => {}
            }
        }
        for basis in &mut self.bases {
            basis.first = self.border;
            self.border += basis.len();
        }
        self.amplitudes.resize(self.border, 0.0);
    }

    /// Blocks that a vertex depends on: the first and how many.
    fn blocks_of(&self, vertex: usize) -> (u32, u32) {
        match self.vertices[vertex] {
            Kinematics::Free(block) => (block, 1),
            Kinematics::Rigid(part, _) => (self.parts[part as usize].block, 2),
            Kinematics::Shaped => (0, 0),
        }
    }

    /// The pattern of the blocks for J of a pattern.
    fn pattern(
        &self,
        inner: &Pattern,
        symmetric: bool,
    ) -> Result<Option<Arc<Pattern>>, DynamicsError> {
        if self.blocks == 0 {
            return Ok(None);
        }
        let couplings = |couple: &mut dyn FnMut(u32, u32)| {
            for i in 0..inner.rows() {
                let (first, count) = self.blocks_of(i);
                for &j in inner.row(i) {
                    let (other, others) = self.blocks_of(j as usize);
                    for a in first..first + count {
                        for b in other..other + others {
                            couple(a, b);
                            couple(b, a);
                        }
                    }
                }
            }
        };
        let made = if symmetric {
            Pattern::symmetric(self.blocks, couplings)
        } else {
            Pattern::unsymmetric(self.blocks, couplings)
        };
        let made = made.map_err(|e| DynamicsError::Unsupported(e.to_string()))?;
        Ok(Some(Arc::new(made)))
    }

    /// ∂x/∂q of a vertex by block, or with `test` its virtual displacements.
    fn columns(&self, vertex: usize, test: bool) -> ([Mat3<f64>; 2], u32, u32) {
        let (first, count) = self.blocks_of(vertex);
        let second = match self.vertices[vertex] {
            Kinematics::Rigid(part, k) => {
                let part = &self.parts[part as usize];
                if test { part.test[k as usize] } else { part.trial[k as usize] }
            }
            _ => Mat3::zero(),
        };
        ([Mat3::identity(), second], first, count)
    }

    /// Adds Bᵢᵀ A Bⱼ of a block A of J: above the diagonal only, where the matrix is symmetric.
    fn add(&self, i: usize, j: usize, a: &Mat3<f64>, to: &mut BlockMatrix) {
        let ((left, first, count), (right, other, others)) =
            (self.columns(i, true), self.columns(j, false));
        let symmetric = to.pattern().is_symmetric();
        for (m, left) in (first..first + count).zip(&left) {
            for (n, right) in (other..other + others).zip(&right) {
                if m <= n || !symmetric {
                    to.add(m, n, &left.transpose_mul(&(*a * *right)).to_array());
                }
            }
        }
    }

    fn add_blocks(&self, jacobian: &BlockMatrix, to: &mut BlockMatrix) {
        let inner = jacobian.pattern();
        let symmetric = to.pattern().is_symmetric();
        let slots = self.bound.as_ref().map_or(&[][..], |b| &b.free);
        for i in 0..inner.rows() {
            for (at, &j) in inner.range(i).zip(inner.row(i)) {
                let value = &jacobian.values[at];
                if let Some(Some(slot)) = slots.get(at).filter(|_| symmetric) {
                    for (to, v) in to.values[*slot as usize].iter_mut().zip(value) {
                        *to += v;
                    }
                    continue;
                }
                let (j, a) = (j as usize, Mat3::from_array(*value));
                self.add(i, j, &a, to);
                if inner.is_symmetric() && i != j {
                    self.add(j, i, &a.transpose(), to);
                }
            }
        }
    }

    /// J φ of every shape: the corner, and the rows of the border where there are blocks.
    fn add_shapes(&mut self, jacobian: &BlockMatrix, to: &mut Matrix) {
        let Some(mut product) = self.bound.as_mut().and_then(|b| b.product.take()) else { return };
        for b in 0..self.bases.len() {
            for k in 0..self.bases[b].len() {
                let basis = &self.bases[b];
                self.shape.fill([0.0; 3]);
                self.shape[basis.vertices.clone()].copy_from_slice(&basis.shapes[k]);
                product.apply(&jacobian.values, &self.shape, &mut self.image);
                let column = basis.first + k;
                let corner = match to {
                    Matrix::Dense(dense) => dense,
                    Matrix::Bordered(bordered) => {
                        let inner = bordered.inner();
                        let row = &mut bordered.border[column * inner..(column + 1) * inner];
                        pull_blocks(&self.vertices, &self.parts, &self.image, row);
                        &mut bordered.corner
                    }
                    Matrix::Blocks(_) => return,
                };
                for other in &self.bases {
                    let image = self.image[other.vertices.clone()].as_flattened();
                    for (l, shape) in other.shapes.iter().enumerate() {
                        corner.row_mut(other.first + l)[column] =
                            sums::dot(shape.as_flattened(), image);
                    }
                }
            }
        }
        if let Matrix::Dense(corner) = to
            && corner.is_symmetric()
        {
            corner.symmetrise();
        }
        if let Matrix::Bordered(bordered) = to {
            bordered.corner.symmetrise();
        }
        if let Some(bound) = &mut self.bound {
            bound.product = Some(product);
        }
    }
}

/// Bᵀ r of the blocks.
fn pull_blocks(vertices: &[Kinematics], parts: &[RigidPart], r: &[Vec3], to: &mut [f64]) {
    for (vertex, r) in vertices.iter().zip(r) {
        if let Kinematics::Free(block) = vertex {
            to[3 * *block as usize..][..3].copy_from_slice(r);
        }
    }
    for part in parts {
        part.pull(r, to);
    }
}

impl Map for Restriction {
    fn bind(&mut self, pattern: &Arc<Pattern>) -> Result<(), DynamicsError> {
        let inner_is_symmetric = pattern.is_symmetric();
        let symmetric = if inner_is_symmetric { self.pattern(pattern, true)? } else { None };
        let unsymmetric = if inner_is_symmetric && self.parts.is_empty() {
            None
        } else {
            self.pattern(pattern, false)?
        };
        let slot = |i: usize, j: u32| match (self.vertices[i], self.vertices[j as usize]) {
            (Kinematics::Free(a), Kinematics::Free(b)) => symmetric.as_ref()?.slot(a, b)?.stored(),
            _ => None,
        };
        let pairs = (0..pattern.rows()).flat_map(|i| pattern.row(i).iter().map(move |&j| (i, j)));
        let free = pairs.map(|(i, j)| slot(i, j)).collect();
        let product = (self.border > 0).then(|| Product::new(pattern));
        self.bound = Some(Bound { symmetric, unsymmetric, inner_is_symmetric, free, product });
        Ok(())
    }

    fn shape(&self, share: f64) -> Result<Shape, DynamicsError> {
        let Some(bound) = &self.bound else {
            return Err(DynamicsError::Unsupported("a map that is bound to no pattern".into()));
        };
        let is_symmetric = bound.inner_is_symmetric && self.keeps_energy(share);
        let pattern = if is_symmetric { &bound.symmetric } else { &bound.unsymmetric };
        match (pattern, self.border) {
            (Some(pattern), 0) => Ok(Shape::Blocks(pattern.clone())),
            (Some(pattern), border) if is_symmetric => {
                Ok(Shape::Bordered { pattern: pattern.clone(), border })
            }
            (Some(_), _) => Err(DynamicsError::Unsupported(
                "a reduced body beside free vertices needs a symmetric matrix: take backward-euler or newmark where there are rigid parts too, leave out loads that follow the surface, or reduce all bodies".into(),
            )),
            (None, size) => Ok(Shape::Dense { size, symmetric: is_symmetric }),
        }
    }

    /// Shapes are constant, and virtual displacements of rigid parts are those of the end of a step unless forces hold
    /// before it.
    fn keeps_energy(&self, share: f64) -> bool {
        share == 1.0 || self.parts.is_empty()
    }

    fn gain(&self) -> f64 {
        let parts = self.parts.iter().map(RigidPart::gain);
        parts.chain(self.bases.iter().map(Basis::gain)).fold(1.0, f64::max)
    }

    fn begin(&mut self, at: &Beginning<'_>, q: &mut [f64]) {
        q.fill(0.0);
        for (vertex, guess) in self.vertices.iter().zip(at.guess) {
            if let Kinematics::Free(block) = vertex {
                q[3 * *block as usize..][..3].copy_from_slice(guess);
            }
        }
        for part in &mut self.parts {
            part.begin(at.start, at.base, at.guess, at.share);
        }
        let amplitudes = &mut q[3 * self.blocks..];
        for basis in &mut self.bases {
            let own = basis.first..basis.first + basis.len();
            basis.begin(at.base, at.guess, &mut amplitudes[own]);
        }
    }

    fn deviations(&mut self, q: &[f64], y: &mut [Vec3]) {
        for (vertex, y) in self.vertices.iter().zip(&mut *y) {
            if let Kinematics::Free(block) = vertex {
                y.copy_from_slice(&q[3 * *block as usize..][..3]);
            }
        }
        for part in &self.parts {
            part.deviations(q, y);
        }
        for basis in &self.bases {
            basis.deviations(&q[3 * self.blocks + basis.first..][..basis.len()], y);
        }
    }

    fn push(&mut self, q: &[f64], dq: &[f64], dx: &mut [Vec3]) {
        dx.fill([0.0; 3]);
        for (vertex, dx) in self.vertices.iter().zip(&mut *dx) {
            if let Kinematics::Free(block) = vertex {
                dx.copy_from_slice(&dq[3 * *block as usize..][..3]);
            }
        }
        for part in &mut self.parts {
            part.linearize(q);
            part.push(dq, dx);
        }
        for basis in &self.bases {
            basis.add(&dq[3 * self.blocks + basis.first..][..basis.len()], dx);
        }
    }

    fn pull(&mut self, q: &[f64], r: &[Vec3], to: &mut [f64]) {
        for part in &mut self.parts {
            part.linearize(q);
        }
        let (blocks, amplitudes) = to.split_at_mut(3 * self.blocks);
        pull_blocks(&self.vertices, &self.parts, r, blocks);
        for basis in &self.bases {
            basis.pull(r, &mut amplitudes[basis.first..][..basis.len()]);
        }
    }

    fn tangent(
        &mut self,
        q: &[f64],
        jacobian: &BlockMatrix,
        r: Option<&[Vec3]>,
        to: &mut Matrix,
    ) -> Result<(), ForceError> {
        to.clear();
        for part in &mut self.parts {
            part.linearize(q);
        }
        if let Matrix::Blocks(blocks)
        | Matrix::Bordered(pliant_solvers::matrix::Bordered { blocks, .. }) = to
        {
            self.add_blocks(jacobian, blocks);
            for part in &self.parts {
                if let Some(r) = r {
                    let term = part.second_order(q, r).to_array();
                    blocks.add(part.block + 1, part.block + 1, &term);
                }
            }
        }
        self.add_shapes(jacobian, to);
        Ok(())
    }

    fn restrict(&self, way: &[Vec3], to: &mut [f64]) {
        to.fill(0.0);
        for (vertex, way) in self.vertices.iter().zip(way) {
            if let Kinematics::Free(block) = vertex {
                to[3 * *block as usize..][..3].copy_from_slice(way);
            }
        }
    }

    fn settle(&mut self, x: &mut [Vec3], mut v: Option<&mut [Vec3]>, mut a: Option<&mut [Vec3]>) {
        for part in &mut self.parts {
            part.settle(x, v.as_deref_mut(), a.as_deref_mut());
        }
        let Self { bases, amplitudes, .. } = self;
        for basis in bases {
            let own = basis.first..basis.first + basis.len();
            basis.settle(x, true, &mut amplitudes[own.clone()]);
            for list in [v.as_deref_mut(), a.as_deref_mut()].into_iter().flatten() {
                basis.settle(list, false, &mut amplitudes[own.clone()]);
            }
        }
    }
}
