//! Approximate minimum degree (Amestoy, Davis and Duff 1996), as faer has it, on the vertex graph.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use super::Graph;
use crate::SolverError;

/// The order of least degree.
pub(super) fn order(graph: &Graph) -> Result<Vec<u32>, SolverError> {
    let n = graph.vertices();
    let failed = |what: &dyn std::fmt::Debug| {
        SolverError::Usage(format!("ordering amd failed: {what:?}; take metis"))
    };
    let (offsets, columns) = (graph.offsets(), graph.all_neighbours());
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, offsets, None, columns);
    let mut memory =
        MemBuffer::try_new(amd::order_scratch::<u32>(n, columns.len())).map_err(|e| failed(&e))?;
    let (mut forward, mut inverse) = (vec![0_u32; n], vec![0_u32; n]);
    let stack = MemStack::new(&mut memory);
    amd::order(&mut forward, &mut inverse, pattern, amd::Control::default(), stack)
        .map_err(|e| failed(&e))?;
    Ok(forward)
}
