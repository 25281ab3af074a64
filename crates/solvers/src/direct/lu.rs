//! [`Lu`]: P A Q = L U for unsymmetric matrices.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::perm::PermRef;
use faer::sparse::linalg::lu::supernodal::{
    SupernodalLu, SymbolicSupernodalLu, factorize_supernodal_numeric_lu,
    factorize_supernodal_numeric_lu_scratch, factorize_supernodal_symbolic_lu,
    factorize_supernodal_symbolic_lu_scratch, solve_in_place_scratch,
};
use faer::sparse::linalg::{LuError, qr};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;

use super::diagnosis;
use super::outer::{Engine, Outer, solver};
use super::scalar::{Rows, gather, scalar_order, scatter};
use crate::SolverError;
use crate::ordering::Graph;

/// faer's supernodal factorisation with rows exchanged freely, columns in our order. Serves symmetric
/// matrices too, at more than twice the cost.
pub struct Lu(Outer<PartialPivoting>);

solver!(Lu, PartialPivoting);

struct PartialPivoting {
    rows: Rows,
    by_rows: (Vec<u32>, Vec<u32>, Vec<f64>),
    by_columns: (Vec<u32>, Vec<u32>, Vec<f64>),
    next: Vec<u32>,
    columns: (Vec<u32>, Vec<u32>),
    exchanged: (Vec<u32>, Vec<u32>),
    symbolic: SymbolicSupernodalLu<u32>,
    numeric: SupernodalLu<u32, f64>,
    memory: MemBuffer,
    solve_memory: MemBuffer,
    many: usize,
    x: Vec<f64>,
}

fn failed(what: impl std::fmt::Debug) -> SolverError {
    SolverError::Usage(format!("lu: {what:?}; take an iterative solver"))
}

impl Engine for PartialPivoting {
    const NAME: &'static str = "lu";
    const UNSYMMETRIC: bool = true;
    const TRY_OUT: bool = true;

    fn analyze(
        pattern: &Pattern,
        _: &Graph,
        order: &[u32],
        _: Option<u64>,
    ) -> Result<Self, SolverError> {
        let rows = Rows::new(pattern);
        let n = 3 * pattern.rows();
        let (row_offsets, row_columns) = rows.row_pattern();
        let (column_offsets, column_rows) = rows.column_pattern();
        let entries = rows.entries();
        let a = SymbolicSparseColMatRef::new_checked(n, n, &column_offsets, None, &column_rows);
        let transposed =
            SymbolicSparseColMatRef::new_checked(n, n, &row_offsets, None, &row_columns);
        let columns = scalar_order(order);
        let perm = PermRef::new_checked(&columns.0, &columns.1, n);
        let mut memory = MemBuffer::try_new(StackReq::any_of(&[
            qr::col_etree_scratch::<u32>(n, n),
            qr::postorder_scratch::<u32>(n),
            qr::column_counts_aat_scratch::<u32>(n, n),
            factorize_supernodal_symbolic_lu_scratch::<u32>(n, n),
        ]))
        .map_err(failed)?;
        let stack = MemStack::new(&mut memory);
        let [mut tree, mut post, mut counts, mut least] = [(); 4].map(|()| vec![0_u32; n]);
        let tree = qr::col_etree(a, Some(perm), &mut tree, stack);
        qr::postorder(&mut post, tree, stack);
        qr::column_counts_ata(&mut counts, &mut least, transposed, Some(perm), tree, &post, stack);
        let symbolic = factorize_supernodal_symbolic_lu(
            a,
            Some(perm),
            &least,
            tree,
            &counts,
            stack,
            faer::sparse::linalg::SymbolicSupernodalParams::default(),
        )
        .map_err(failed)?;
        let scratch =
            factorize_supernodal_numeric_lu_scratch::<u32, f64>(&symbolic, Spec::default());
        let solve_scratch = solve_in_place_scratch::<u32, f64>(n, 1, Par::Seq);
        Ok(Self {
            next: vec![0; column_offsets.len()],
            by_rows: (row_offsets, row_columns, vec![0.0; entries]),
            by_columns: (column_offsets, column_rows, vec![0.0; entries]),
            columns,
            exchanged: (vec![0; n], vec![0; n]),
            symbolic,
            numeric: SupernodalLu::new(),
            memory: MemBuffer::try_new(scratch).map_err(failed)?,
            solve_memory: MemBuffer::try_new(solve_scratch).map_err(failed)?,
            many: 1,
            x: Vec::with_capacity(n),
            rows,
        })
    }

    fn factor(
        &mut self,
        matrix: &BlockMatrix,
        positions: Option<&[Vec3]>,
    ) -> Result<(), SolverError> {
        let n = 3 * matrix.rows();
        self.rows.row_values(&matrix.values, &mut self.by_rows.2);
        let (offsets, rows, values) = &mut self.by_columns;
        self.rows.column_values(&matrix.values, offsets, &mut self.next, values);
        let a = SymbolicSparseColMatRef::new_checked(n, n, offsets, None, rows);
        let (row_offsets, columns, row_values) = &self.by_rows;
        let transposed = SymbolicSparseColMatRef::new_checked(n, n, row_offsets, None, columns);
        let done = factorize_supernodal_numeric_lu(
            &mut self.exchanged.0,
            &mut self.exchanged.1,
            &mut self.numeric,
            SparseColMatRef::new(a, values),
            SparseColMatRef::new(transposed, row_values),
            PermRef::new_checked(&self.columns.0, &self.columns.1, n),
            &self.symbolic,
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        );
        match done {
            Ok(()) => Ok(()),
            Err(LuError::SymbolicSingular { index }) => {
                let vertex = self.columns.0.get(index).map_or(0, |&c| c as usize / 3);
                Err(diagnosis::singular(matrix, positions, vertex, "it has no pivot"))
            }
            Err(LuError::Generic(what)) => Err(failed(what)),
        }
    }

    fn solve(&mut self, b: &[&[Vec3]], x: &mut [&mut [Vec3]]) {
        let n = self.exchanged.0.len();
        if b.len() > self.many {
            self.solve_memory =
                MemBuffer::new(solve_in_place_scratch::<u32, f64>(n, b.len(), Par::Seq));
            self.many = b.len();
        }
        gather(b, &mut self.x);
        self.numeric.solve_in_place_with_conj(
            PermRef::new_checked(&self.exchanged.0, &self.exchanged.1, n),
            PermRef::new_checked(&self.columns.0, &self.columns.1, n),
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.x, n, b.len()),
            Par::Seq,
            MemStack::new(&mut self.solve_memory),
        );
        scatter(&self.x, x);
    }

    fn memory(&self) -> usize {
        // faer does not tell how long its factors are: what is known is what is around them.
        12 * (self.by_rows.2.len() + self.by_columns.2.len())
            + self.memory.len()
            + self.solve_memory.len()
            + self.rows.memory()
            + 8 * self.x.capacity()
    }
}
