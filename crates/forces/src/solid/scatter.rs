//! Blocks of eight elements into the matrix.

use std::marker::PhantomData;

use pliant_algebra::dispatch::Kernel;
use pliant_algebra::lanes::{LANES, Pack};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::Block;
use pliant_elements::Element;
use pliant_materials::eight::{Blocks, Nine};

use super::stages::{Scratch, load_matrix, store_matrix};
use crate::assembly::Target;

/// Completes the blocks of a pack and adds them to the matrix.
pub(super) struct Scatter<'a, E, const N: usize> {
    pub(super) scratch: &'a mut Scratch<N>,
    pub(super) nodes: &'a [[u32; LANES]],
    /// An entry for each pair.
    pub(super) targets: &'a [[Target; LANES]],
    pub(super) own: &'a mut [Block],
    pub(super) collected: &'a mut [Block],
    /// Whether the law's tangent is symmetric, and whether both triangles are stored.
    pub(super) symmetric: bool,
    pub(super) full: bool,
    pub(super) negative: bool,
    pub(super) element: PhantomData<E>,
}

impl<E: Element<3, N>, const N: usize> Kernel for Scatter<'_, E, N> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pack>(self) {
        let Self { scratch, nodes, targets, own, collected, symmetric, full, negative, .. } = self;
        if negative {
            for block in &mut scratch.inner {
                for entry in block {
                    *entry = (-P::load(entry)).store();
                }
            }
        }
        if symmetric {
            complete_symmetric::<P, N>(&scratch.inner, &mut scratch.outer);
        } else {
            complete_unsymmetric::<P, N>(&scratch.inner, &mut scratch.outer);
        }
        let Scratch { inner, outer, .. } = &*scratch;
        let mut pair = 0;
        for a in 0..N {
            for b in a..N {
                let block = if a == 0 {
                    &outer[b]
                } else {
                    &inner[Blocks::place(N - 1, !symmetric, a - 1, b - 1)]
                };
                if !full {
                    if E::ANY_ORDER || a == b {
                        add::<P>(block, &targets[pair], own, collected);
                    } else {
                        add::<P>(
                            &turned::<P>(block, &nodes[a], &nodes[b]),
                            &targets[pair],
                            own,
                            collected,
                        );
                    }
                    pair += 1;
                    continue;
                }
                add::<P>(block, &targets[a * N + b], own, collected);
                if a == b {
                    continue;
                }
                let targets = &targets[b * N + a];
                if symmetric {
                    add::<P>(&transposed(block), targets, own, collected);
                } else if a == 0 {
                    add::<P>(&outer[N + b], targets, own, collected);
                } else {
                    add::<P>(&inner[(b - 1) * (N - 1) + a - 1], targets, own, collected);
                }
            }
        }
    }
}

/// Shape gradients add up to zero, so the blocks of node 0 are sums of the others: K_0b = −Σ_a K_ab.
#[inline(always)]
fn complete_symmetric<P: Pack, const N: usize>(inner: &[Nine], outer: &mut [Nine]) {
    let mut all = Mat3::zero();
    for b in 1..N {
        let mut sum = Mat3::zero();
        for a in 1..N {
            let (i, j) = if a < b { (a, b) } else { (b, a) };
            let block = load_matrix::<P>(&inner[Blocks::place(N - 1, false, i - 1, j - 1)]);
            sum -= if a <= b { block } else { block.transpose() };
        }
        store_matrix(&sum, &mut outer[b]);
        all -= sum;
    }
    // Of the last sum only one triangle, so that the block is symmetric to the bit.
    (all.0[1][0], all.0[2][0], all.0[2][1]) = (all.0[0][1], all.0[0][2], all.0[1][2]);
    store_matrix(&all, &mut outer[0]);
}

#[inline(always)]
fn complete_unsymmetric<P: Pack, const N: usize>(inner: &[Nine], outer: &mut [Nine]) {
    let mut all = Mat3::zero();
    for b in 1..N {
        let (mut row, mut column) = (Mat3::zero(), Mat3::zero());
        for a in 1..N {
            row -= load_matrix::<P>(&inner[(a - 1) * (N - 1) + b - 1]);
            column -= load_matrix::<P>(&inner[(b - 1) * (N - 1) + a - 1]);
        }
        store_matrix(&row, &mut outer[b]);
        store_matrix(&column, &mut outer[N + b]);
        all -= row;
    }
    store_matrix(&all, &mut outer[0]);
}

fn transposed(b: &Nine) -> Nine {
    [b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]]
}

/// Block (a, b), transposed in lanes where node a comes after node b in the system: there the slot in
/// the upper triangle is that of (b, a).
#[inline(always)]
fn turned<P: Pack>(block: &Nine, a: &[u32; LANES], b: &[u32; LANES]) -> Nine {
    let (mut low, mut high) = ([0.0; LANES], [0.0; LANES]);
    for l in 0..LANES {
        (low[l], high[l]) = (f64::from(a[l]), f64::from(b[l]));
    }
    let turn = P::from_lanes(high).less(P::from_lanes(low));
    let mut out = *block;
    for (i, j) in [(1, 3), (2, 6), (5, 7)] {
        let (u, v) = (P::load(&block[i]), P::load(&block[j]));
        out[i] = P::select(turn, v, u).store();
        out[j] = P::select(turn, u, v).store();
    }
    out
}

/// Adds eight blocks to their targets: lanes become rows of four entries, which are added at once.
#[inline(always)]
fn add<P: Pack>(
    block: &Nine,
    targets: &[Target; LANES],
    own: &mut [Block],
    collected: &mut [Block],
) {
    let [a, b, c, d, e, f, g, h, last] = block;
    let low = P::rows_of([a, b, c, d]);
    let high = P::rows_of([e, f, g, h]);
    for l in 0..LANES {
        let target = targets[l].of(own, collected);
        let old = *target;
        for k in 0..4 {
            target[k] = old[k] + low[l].0[k];
            target[4 + k] = old[4 + k] + high[l].0[k];
        }
        target[8] = old[8] + last.0[l];
    }
}
