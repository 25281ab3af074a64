//! Rigid-body modes, and the tentative prolongator that reproduces them aggregate by aggregate.

use pliant_algebra::vec3::{Vec3, sub};

use super::aggregate::NONE;
use super::blocks::Small;

/// A mode shorter than this part of what it was depends on those before it.
const DEPENDENT: f64 = 1e-8;

/// Three translations and three rotations at each vertex; rotations are zero without positions.
pub(super) fn rigid_modes(n: usize, positions: Option<&[Vec3]>) -> Vec<Small<3, 6>> {
    let mut modes = vec![
        [
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        ];
        n
    ];
    let Some(positions) = positions.filter(|p| p.len() == n && n > 0) else { return modes };
    let share = 1.0 / n as f64;
    let centre: Vec3 = std::array::from_fn(|c| positions.iter().map(|p| p[c]).sum::<f64>() * share);
    // In units of the size of the body, so that rotations weigh like translations.
    let size = positions.iter().flat_map(|p| sub(*p, centre)).fold(0.0_f64, |m, v| m.max(v.abs()));
    let unit = if size > 0.0 && size.is_finite() { 1.0 / size } else { 1.0 };
    for (mode, p) in modes.iter_mut().zip(positions) {
        let [x, y, z] = sub(*p, centre).map(|v| v * unit);
        // Columns e_k × (x, y, z).
        mode[1][3] = -z;
        mode[2][3] = y;
        mode[0][4] = z;
        mode[2][4] = -x;
        mode[0][5] = -y;
        mode[1][5] = x;
    }
    modes
}

/// For each aggregate an orthonormal basis Q of the modes on its vertices, modes = Q R: the blocks of
/// Q by vertex, and R, the modes of the next level. Columns of modes that depend on others are zero,
/// as on aggregates of one or two vertices.
pub(super) fn orthonormal<const R: usize>(
    modes: &[Small<R, 6>],
    of: &[u32],
    count: usize,
) -> (Vec<Small<R, 6>>, Vec<Small<6, 6>>) {
    let mut q = modes.to_vec();
    let mut next = vec![[[0.0; 6]; 6]; count];
    let mut starts = vec![0_u32; count + 1];
    for &a in of.iter().filter(|&&a| a != NONE) {
        starts[a as usize + 1] += 1;
    }
    for a in 0..count {
        starts[a + 1] += starts[a];
    }
    let mut members = vec![0_u32; starts[count] as usize];
    let mut at = starts.clone();
    for (i, &a) in of.iter().enumerate().filter(|(_, a)| **a != NONE) {
        members[at[a as usize] as usize] = i as u32;
        at[a as usize] += 1;
    }
    for a in 0..count {
        let list = &members[starts[a] as usize..starts[a + 1] as usize];
        let dot = |q: &[Small<R, 6>], c: usize, d: usize| -> f64 {
            list.iter().flat_map(|&i| &q[i as usize]).map(|row| row[c] * row[d]).sum()
        };
        for c in 0..6 {
            let before = dot(&q, c, c).sqrt();
            // Gram and Schmidt, twice.
            for _ in 0..2 {
                for d in 0..c {
                    let along = dot(&q, c, d);
                    next[a][d][c] += along;
                    for &i in list {
                        for row in &mut q[i as usize] {
                            row[c] -= along * row[d];
                        }
                    }
                }
            }
            let length = dot(&q, c, c).sqrt();
            let kept = length > DEPENDENT * before;
            next[a][c][c] = if kept { length } else { 0.0 };
            let scale = if kept { 1.0 / length } else { 0.0 };
            for &i in list {
                for row in &mut q[i as usize] {
                    row[c] *= scale;
                }
            }
        }
    }
    (q, next)
}
