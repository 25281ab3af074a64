//! [`Ldlt`]: P A Pᵀ = L B Lᵀ for symmetric indefinite matrices, B of 1×1 and 2×2 blocks.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, IntranodeLbltRef, SymbolicCholesky, SymbolicCholeskyRaw,
    SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;

use super::outer::{Engine, Outer, solver};
use super::scalar::{Rows, gather, scalar_order, scatter};
use crate::SolverError;
use crate::ordering::Graph;

/// faer's supernodal factorisation, which exchanges rows inside supernodes only (Bunch and Kaufman 1977).
/// That keeps the order and is enough for stiffness matrices; each factor is tried out, and where it
/// does not serve, that is an error and never a wrong solution.
pub struct Ldlt(Outer<BunchKaufman>);

solver!(Ldlt, BunchKaufman);

impl Ldlt {
    /// Returns the number of negative eigenvalues of the matrix that was factored last, which is that of B (Sylvester); none
    /// where there is no factor. A tangent with k of them lets a body go along k independent directions.
    pub fn negative_pivots(&self) -> Option<usize> {
        self.0.factored().and_then(BunchKaufman::negative_pivots)
    }
}

struct BunchKaufman {
    rows: Rows,
    offsets: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    symbolic: SymbolicCholesky<u32>,
    factor: Vec<f64>,
    subdiagonal: Vec<f64>,
    forward: Vec<u32>,
    inverse: Vec<u32>,
    memory: MemBuffer,
    solve_memory: MemBuffer,
    many: usize,
    x: Vec<f64>,
}

impl BunchKaufman {
    /// Counts them from the blocks of B: their diagonals lie on those of the supernodes, panels of `rows` by `width` by
    /// columns, and a subdiagonal that is not zero begins a block of two.
    fn negative_pivots(&self) -> Option<usize> {
        let SymbolicCholeskyRaw::Supernodal(nodes) = self.symbolic.raw() else { return None };
        let (begin, end, values) =
            (nodes.supernode_begin(), nodes.supernode_end(), nodes.col_ptr_for_val());
        let mut count = 0;
        for s in 0..nodes.n_supernodes() {
            let width = (end[s] - begin[s]) as usize;
            let panel = &self.factor[values[s] as usize..values[s + 1] as usize];
            let rows = panel.len() / width;
            let mut k = 0;
            while k < width {
                let a = panel[k * rows + k];
                let below = self.subdiagonal[begin[s] as usize + k];
                if below == 0.0 || k + 1 == width {
                    count += usize::from(a < 0.0);
                    k += 1;
                } else {
                    let b = panel[(k + 1) * rows + k + 1];
                    // One of each sign, or two of that of a.
                    let mixed = a * b < below * below;
                    count += if mixed { 1 } else { 2 * usize::from(a < 0.0) };
                    k += 2;
                }
            }
        }
        Some(count)
    }
}

fn failed(what: impl std::fmt::Debug) -> SolverError {
    SolverError::Usage(format!("ldlt: {what:?}; take an iterative solver"))
}

impl Engine for BunchKaufman {
    const NAME: &'static str = "ldlt";
    const UNSYMMETRIC: bool = false;
    const TRY_OUT: bool = true;

    fn analyze(
        pattern: &Pattern,
        _: &Graph,
        order: &[u32],
        limit: Option<u64>,
    ) -> Result<Self, SolverError> {
        let rows = Rows::new(pattern);
        let (offsets, columns) = rows.row_pattern();
        let n = 3 * pattern.rows();
        let (forward, inverse) = scalar_order(order);
        // The rows of a symmetric matrix are its columns.
        let scalars = SymbolicSparseColMatRef::new_checked(n, n, &offsets, None, &columns);
        let params = CholeskySymbolicParams {
            // Exchanges are made inside supernodes: there must be some.
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let perm = PermRef::new_checked(&forward, &inverse, n);
        let ordering = SymmetricOrdering::Custom(perm);
        let symbolic =
            factorize_symbolic_cholesky(scalars, Side::Lower, ordering, params).map_err(failed)?;
        let scratch =
            symbolic.factorize_numeric_intranode_lblt_scratch::<f64>(Par::Seq, Spec::default());
        let needed =
            (8 * (symbolic.len_val() + columns.len()) + scratch.unaligned_bytes_required()) as u64;
        if let Some(available) = limit.filter(|&limit| needed > limit) {
            return Err(SolverError::Memory { needed, available });
        }
        let solve_scratch = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        Ok(Self {
            values: vec![0.0; columns.len()],
            factor: vec![0.0; symbolic.len_val()],
            subdiagonal: vec![0.0; n],
            memory: MemBuffer::try_new(scratch).map_err(failed)?,
            solve_memory: MemBuffer::try_new(solve_scratch).map_err(failed)?,
            many: 1,
            x: Vec::with_capacity(n),
            rows,
            offsets,
            columns,
            symbolic,
            forward,
            inverse,
        })
    }

    fn factor(&mut self, matrix: &BlockMatrix, _: Option<&[Vec3]>) -> Result<(), SolverError> {
        self.rows.row_values(&matrix.values, &mut self.values);
        let n = 3 * matrix.rows();
        let scalars =
            SymbolicSparseColMatRef::new_checked(n, n, &self.offsets, None, &self.columns);
        self.symbolic.factorize_numeric_intranode_lblt(
            &mut self.factor,
            &mut self.subdiagonal,
            &mut self.forward,
            &mut self.inverse,
            SparseColMatRef::new(scalars, &self.values),
            Side::Lower,
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        );
        Ok(())
    }

    fn solve(&mut self, b: &[&[Vec3]], x: &mut [&mut [Vec3]]) {
        let n = self.subdiagonal.len();
        let perm = PermRef::new_checked(&self.forward, &self.inverse, n);
        let factor = IntranodeLbltRef::new(&self.symbolic, &self.factor, &self.subdiagonal, perm);
        if b.len() > self.many {
            let scratch = self.symbolic.solve_in_place_scratch::<f64>(b.len(), Par::Seq);
            self.solve_memory = MemBuffer::new(scratch);
            self.many = b.len();
        }
        gather(b, &mut self.x);
        factor.solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.x, n, b.len()),
            Par::Seq,
            MemStack::new(&mut self.solve_memory),
        );
        scatter(&self.x, x);
    }

    fn memory(&self) -> usize {
        8 * (self.factor.len() + self.values.len() + self.subdiagonal.len() + self.x.capacity())
            + 4 * (self.offsets.len() + self.columns.len() + 2 * self.forward.len())
            + self.memory.len()
            + self.solve_memory.len()
            + self.rows.memory()
    }
}
