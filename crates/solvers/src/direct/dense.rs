//! Dense kernels on column-major panels: faer's, one thread each. Large fronts are cut into tiles of
//! fixed sizes that may run at the same time, so that the bits do not depend on how many threads there are.

use std::mem::MaybeUninit;

use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization, cholesky_in_place};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Auto, MatMut, MatRef, Par, Spec};

use super::real::Real;

/// Columns eliminated in one go. From 64 to 192 the time differs by less than what a busy machine adds.
const BLOCK: usize = 128;
/// Rows and columns of tiles.
const TILE_ROWS: usize = 512;
const TILE_COLUMNS: usize = 256;
/// Bytes for the diagonal that faer keeps aside for at most [`BLOCK`] columns.
const ASIDE: usize = 8 * BLOCK + 256;

/// A pivot that is not positive: its column in the panel, and what it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BadPivot {
    pub(super) column: usize,
    pub(super) pivot: f64,
}

/// Runs both, at the same time if asked to.
pub(super) fn join<A: Send, B: Send>(
    parallel: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if parallel { rayon::join(a, b) } else { (a(), b()) }
}

/// Eliminates the columns of a panel, which has at least as many rows: L₁₁ L₁₁ᵀ = A₁₁, L₂₁ = A₂₁ L₁₁⁻ᵀ.
/// Only the lower triangle of the upper part is read and written.
pub(super) fn factor_panel<T: Real>(
    mut panel: MatMut<'_, T>,
    parallel: bool,
) -> Result<(), BadPivot> {
    let columns = panel.ncols();
    let mut start = 0;
    while start < columns {
        let width = BLOCK.min(columns - start);
        let rest = panel.rb_mut().get_mut(start.., start..);
        let (mut block, right) = rest.split_at_col_mut(width);
        let (mut diagonal, mut below) = block.rb_mut().split_at_row_mut(width);
        factor_block(diagonal.rb_mut())
            .map_err(|bad| BadPivot { column: start + bad.column, ..bad })?;
        divide(diagonal.rb(), below.rb_mut(), parallel);
        let trailing = right.get_mut(width.., ..);
        subtract_square(trailing, below.rb(), Accum::Add, parallel);
        start += width;
    }
    Ok(())
}

fn factor_block<T: Real>(mut block: MatMut<'_, T>) -> Result<(), BadPivot> {
    let mut aside = [MaybeUninit::<u8>::uninit(); ASIDE];
    let stack = MemStack::new(&mut aside);
    let params = Spec::new(Auto::<T>::auto());
    let done =
        cholesky_in_place(block.rb_mut(), LltRegularization::default(), Par::Seq, stack, params);
    match done {
        Ok(_) => Ok(()),
        // faer leaves the pivot it stumbled over where it found it.
        Err(LltError::NonPositivePivot { index }) => {
            Err(BadPivot { column: index, pivot: block[(index, index)].double() })
        }
    }
}

/// B := B L⁻ᵀ, rows in tiles.
fn divide<T: Real>(l: MatRef<'_, T>, b: MatMut<'_, T>, parallel: bool) {
    let rows = b.nrows();
    if rows > TILE_ROWS {
        let (top, bottom) = b.split_at_row_mut(half(rows, TILE_ROWS));
        join(parallel, || divide(l, top, parallel), || divide(l, bottom, parallel));
    } else if rows > 0 {
        solve_lower_triangular_in_place(l, b.transpose_mut(), Par::Seq);
    }
}

/// C := (C) − A Bᵀ on the lower trapezoid of C, where B are the first rows of A, as many as C has columns.
pub(super) fn subtract_square<T: Real>(
    c: MatMut<'_, T>,
    a: MatRef<'_, T>,
    accumulate: Accum,
    parallel: bool,
) {
    let (rows, columns) = (c.nrows(), c.ncols());
    if columns > TILE_COLUMNS {
        let cut = half(columns, TILE_COLUMNS);
        let (left, right) = c.split_at_col_mut(cut);
        let right = right.get_mut(cut.., ..);
        let below = a.get(cut.., ..);
        join(
            parallel,
            || subtract_square(left, a, accumulate, parallel),
            || subtract_square(right, below, accumulate, parallel),
        );
    } else if columns > 0 {
        let (top, bottom) = c.split_at_row_mut(columns);
        let (b, below) = a.split_at_row(columns);
        let triangle = || {
            triangular_matmul(
                top,
                BlockStructure::TriangularLower,
                accumulate,
                b,
                BlockStructure::Rectangular,
                b.transpose(),
                BlockStructure::Rectangular,
                T::of(-1.0),
                Par::Seq,
            );
        };
        if rows > columns {
            join(parallel && rows > TILE_COLUMNS, triangle, || {
                subtract(bottom, below, b, accumulate, parallel);
            });
        } else {
            triangle();
        }
    }
}

/// C := (C) − A Bᵀ, rows in tiles.
fn subtract<T: Real>(
    c: MatMut<'_, T>,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    accumulate: Accum,
    parallel: bool,
) {
    let rows = c.nrows();
    if rows > TILE_ROWS {
        let cut = half(rows, TILE_ROWS);
        let (top, bottom) = c.split_at_row_mut(cut);
        let (above, below) = a.split_at_row(cut);
        join(
            parallel,
            || subtract(top, above, b, accumulate, parallel),
            || subtract(bottom, below, b, accumulate, parallel),
        );
    } else {
        matmul(c, accumulate, a, b.transpose(), T::of(-1.0), Par::Seq);
    }
}

/// Half of `n`, in whole tiles.
fn half(n: usize, tile: usize) -> usize {
    n.div_ceil(tile).div_ceil(2) * tile
}
