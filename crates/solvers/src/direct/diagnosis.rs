//! Why a factorisation failed, in terms of the body: rows without entries, and rigid motions that cost
//! nothing.

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::{self, Vec3};

use crate::SolverError;
use crate::ordering::Graph;

/// A rigid motion costs nothing if its forces are below this part of the stiffness they pass through.
const FREE: f64 = 1e-9;

/// The error for a pivot that is not positive, or nearly zero.
pub(super) fn bad_pivot(
    matrix: &BlockMatrix,
    positions: Option<&[Vec3]>,
    vertex: usize,
    axis: usize,
    pivot: f64,
) -> SolverError {
    if let Some(error) = zero_row(matrix, vertex) {
        return error;
    }
    match free_modes(matrix, positions, vertex) {
        0 => SolverError::NotPositiveDefinite { vertex, axis, pivot },
        modes => floating(vertex, modes),
    }
}

/// The error for a matrix that is singular to working precision, as `found` shows.
pub(super) fn singular(
    matrix: &BlockMatrix,
    positions: Option<&[Vec3]>,
    vertex: usize,
    found: &str,
) -> SolverError {
    if let Some(error) = zero_row(matrix, vertex) {
        return error;
    }
    match free_modes(matrix, positions, vertex) {
        0 => SolverError::Singular {
            vertex,
            remedy: format!(
                "{found}; fix more vertices, or bring stiffnesses that differ too much closer together"
            ),
        },
        modes => floating(vertex, modes),
    }
}

fn floating(vertex: usize, modes: usize) -> SolverError {
    let found = match modes {
        6 => "the body floats: its six rigid modes are free".to_string(),
        3 => "the body floats: it can be shifted without force, so its six rigid modes are free"
            .to_string(),
        _ => format!("{modes} rigid modes of the body are free"),
    };
    SolverError::Singular {
        vertex,
        remedy: format!(
            "{found}; fix three vertices that are not on a line, or give it mass or springs"
        ),
    }
}

/// The error for a row without entries: that of `vertex`, or else the first.
fn zero_row(matrix: &BlockMatrix, vertex: usize) -> Option<SolverError> {
    let pattern = matrix.pattern();
    let mut empty = vec![true; matrix.rows()];
    for i in 0..matrix.rows() {
        for (&j, block) in pattern.row(i).iter().zip(&matrix.values[pattern.range(i)]) {
            if block.iter().any(|&b| b != 0.0) {
                empty[i] = false;
                empty[j as usize] &= !pattern.is_symmetric();
            }
        }
    }
    let vertex = if empty[vertex] { vertex } else { empty.iter().position(|&e| e)? };
    Some(SolverError::Singular {
        vertex,
        remedy: "its row is zero: the vertex has no element and no mass; remove it or fix it"
            .into(),
    })
}

/// How many rigid motions of the piece of the body that `vertex` is in cost nothing: of three
/// translations, and with positions of three rotations too.
fn free_modes(matrix: &BlockMatrix, positions: Option<&[Vec3]>, vertex: usize) -> usize {
    let pattern = matrix.pattern();
    let graph = Graph::new(pattern);
    let n = matrix.rows();
    let mut inside = vec![false; n];
    let mut open = vec![vertex];
    inside[vertex] = true;
    while let Some(i) = open.pop() {
        for &j in graph.neighbours(i) {
            if !std::mem::replace(&mut inside[j as usize], true) {
                open.push(j as usize);
            }
        }
    }
    let positions = positions.filter(|p| p.len() == n);
    let count = inside.iter().filter(|&&i| i).count() as f64;
    let mut middle = [0.0; 3];
    for (p, _) in positions.unwrap_or_default().iter().zip(&inside).filter(|(_, i)| **i) {
        middle = vec3::add_scaled(middle, *p, 1.0 / count);
    }
    let modes = if positions.is_some() { 6 } else { 3 };
    let motion = |mode: usize, i: usize| -> Vec3 {
        let mut axis = [0.0; 3];
        axis[mode % 3] = 1.0;
        match positions {
            Some(p) if mode >= 3 => vec3::cross(axis, vec3::sub(p[i], middle)),
            _ => axis,
        }
    };
    let is_free = |mode: usize| {
        let mut forces = vec![[0.0; 3]; n];
        let mut sizes = vec![0.0; n];
        for i in (0..n).filter(|&i| inside[i]) {
            for (&j, b) in pattern.row(i).iter().zip(&matrix.values[pattern.range(i)]) {
                let j = j as usize;
                let (u, v) = (motion(mode, i), motion(mode, j));
                for r in 0..3 {
                    for c in 0..3 {
                        forces[i][r] += b[3 * r + c] * v[c];
                        sizes[i] += (b[3 * r + c] * v[c]).abs();
                        if pattern.is_symmetric() && i != j {
                            forces[j][c] += b[3 * r + c] * u[r];
                            sizes[j] += (b[3 * r + c] * u[r]).abs();
                        }
                    }
                }
            }
        }
        let largest = sizes.iter().fold(0.0, |a: f64, &b| a.max(b));
        forces.iter().all(|&f| vec3::norm(f) <= FREE * largest)
    };
    (0..modes).filter(|&mode| is_free(mode)).count()
}
