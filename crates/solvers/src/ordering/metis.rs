//! Multilevel nested dissection of METIS (Karypis and Kumar 1998), on the vertex graph.
#![allow(unsafe_code)]

use std::sync::Mutex;

use metis_sys as metis;

use super::Graph;
use crate::SolverError;

/// METIS draws random numbers from a state of the whole process: one call at a time, each with the
/// same seed, so that every run orders alike.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
const SEED: i32 = 1;

/// The order of METIS_NodeND.
pub(super) fn order(graph: &Graph) -> Result<Vec<u32>, SolverError> {
    let n = graph.vertices();
    if n < 2 || graph.all_neighbours().is_empty() {
        // METIS divides by the number of edges.
        return Ok(super::natural::order(n));
    }
    let too_large =
        |_| SolverError::Usage("ordering metis serves at most 2^31 − 1 couplings; take amd".into());
    let mut count = i32::try_from(n).map_err(too_large)?;
    let copy = |from: &[u32]| from.iter().map(|&v| i32::try_from(v)).collect::<Result<Vec<_>, _>>();
    let mut offsets = copy(graph.offsets()).map_err(too_large)?;
    let mut neighbours = copy(graph.all_neighbours()).map_err(too_large)?;
    let mut options = [-1_i32; metis::METIS_NOPTIONS as usize];
    let (mut order, mut inverse) = (vec![0_i32; n], vec![0_i32; n]);
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // SAFETY: `options` has the METIS_NOPTIONS entries that the function writes.
    unsafe { metis::METIS_SetDefaultOptions(options.as_mut_ptr()) };
    options[metis::moptions_et_METIS_OPTION_SEED as usize] = SEED;
    options[metis::moptions_et_METIS_OPTION_NUMBERING as usize] = 0;
    // SAFETY: `offsets` has n + 1 ascending entries that end at the length of `neighbours`; each
    // neighbour is below n, none is its own, and each is listed both ways (`Graph`); weights may be
    // null; `order` and `inverse` have n entries; all outlive the call and nothing else touches them.
    let status = unsafe {
        metis::METIS_NodeND(
            &raw mut count,
            offsets.as_mut_ptr(),
            neighbours.as_mut_ptr(),
            std::ptr::null_mut(),
            options.as_mut_ptr(),
            order.as_mut_ptr(),
            inverse.as_mut_ptr(),
        )
    };
    drop(turn);
    if status == metis::rstatus_et_METIS_OK {
        // `order[i]` is the vertex that comes i-th.
        Ok(order.into_iter().map(|v| v as u32).collect())
    } else {
        Err(SolverError::Usage(format!("ordering metis failed with status {status}; take amd")))
    }
}
