//! Rigid motions that neither constraints nor forces oppose: a body that has one has no state of rest.

use pliant_algebra::sparse::{BlockMatrix, Product};
use pliant_algebra::vec3::{Vec3, add, cross, norm, scale, sub};

use crate::implicit::place;
use crate::vector::dot;
use crate::{DynamicsError, State, System, Weights};

/// A resistance below this part of the stiffness counts as none: what is above rounding, a thousandfold.
const NONE: f64 = 1e-13;

/// Fails where the body can move rigidly in this state: each of six motions w (about the centre, so that
/// they are of one size) is resisted by what is held of it and, in what is free, by wᵀ K w. A mixture that
/// is resisted by neither is an eigenvector of the 6 × 6 matrix of both.
pub(crate) fn refuse_free_body(system: &mut System, state: &State) -> Result<(), DynamicsError> {
    let n = state.len();
    if n == 0 {
        return Ok(());
    }
    let sum = state.x.iter().fold([0.0; 3], |sum, &x| add(sum, x));
    let centre = scale(sum, 1.0 / n as f64);
    let arm = system.size();
    let mut matrix = BlockMatrix::zero(system.pattern().clone());
    let weights = Weights { mass: 0.0, position: 1.0, velocity: 0.0 };
    system.tangent(&place(state), weights, false, &mut matrix)?;
    let stiffest = matrix.values.as_flattened().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let mut product = Product::new(system.pattern());
    // What is held of each motion, what is free, and the force that opposes the latter.
    let mut motions: Vec<[Vec<Vec3>; 3]> = Vec::with_capacity(6);
    for mode in 0..6 {
        let mut axis = [0.0; 3];
        axis[mode % 3] = 1.0;
        let motion = |x: &Vec3| {
            if mode < 3 { axis } else { scale(cross(axis, sub(*x, centre)), 1.0 / arm) }
        };
        let mut held: Vec<Vec3> = state.x.iter().map(motion).collect();
        let mut free = held.clone();
        system.constraints().filter(&mut free);
        for (held, &free) in held.iter_mut().zip(&free) {
            *held = sub(*held, free);
        }
        let mut force = vec![[0.0; 3]; n];
        product.apply(&matrix.values, &free, &mut force);
        motions.push([held, free, force]);
    }
    let (mut a, mut sizes) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
    for (i, [held, free, force]) in motions.iter().enumerate() {
        for (j, other) in motions.iter().enumerate() {
            sizes[i][j] = (dot(held, &other[0]) + dot(free, &other[1])) / n as f64;
            let elastic = 0.5 * (dot(free, &other[2]) + dot(force, &other[1]));
            let stiffest = stiffest.max(f64::MIN_POSITIVE);
            a[i][j] = (dot(held, &other[0]) + elastic / stiffest) / n as f64;
        }
    }
    // What moves no vertex is no motion: points do not turn, nor do lines about themselves.
    let (values, vectors) = eigenvectors(sizes);
    for (_, vector) in values.iter().zip(&vectors).filter(|(v, _)| **v <= NONE) {
        for (i, row) in a.iter_mut().enumerate() {
            for (j, a) in row.iter_mut().enumerate() {
                *a += vector[i] * vector[j];
            }
        }
    }
    let motion = if let Some(k) = (0..3).find(|&k| a[k][k].abs() <= NONE) {
        format!("moving along {}", ["x", "y", "z"][k])
    } else {
        let (values, vectors) = eigenvectors(a);
        let nearest = |&i: &usize, &j: &usize| values[i].abs().total_cmp(&values[j].abs());
        let smallest = (0..6).min_by(nearest).unwrap_or(0);
        let (value, vector) = (values[smallest], vectors[smallest]);
        if value.abs() > NONE {
            return Ok(());
        }
        format!("turning about {:.2?}", direction([vector[3], vector[4], vector[5]]))
    };
    Err(DynamicsError::Unsupported(format!(
        "nothing stops the body from {motion}, so that it has no state of rest: fix three vertices that are not on a line, or add attachments"
    )))
}

/// Of length 1, its largest component positive.
fn direction(v: Vec3) -> Vec3 {
    let largest = v.iter().fold(0.0_f64, |m, c| if c.abs() > m.abs() { *c } else { m });
    // Adding 0 turns −0 into 0.
    scale(v, largest.signum() / norm(v)).map(|c| (c * 1e6).round() / 1e6 + 0.0)
}

/// The eigenvalues of a symmetric matrix, and their vectors: Jacobi's rotations.
fn eigenvectors(mut a: [[f64; 6]; 6]) -> ([f64; 6], [[f64; 6]; 6]) {
    let mut vectors = [[0.0; 6]; 6];
    for (i, row) in vectors.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for _ in 0..30 {
        for p in 0..6 {
            for q in p + 1..6 {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..6 {
                    (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
                }
                for k in 0..6 {
                    (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                    (vectors[p][k], vectors[q][k]) = (
                        c * vectors[p][k] - s * vectors[q][k],
                        s * vectors[p][k] + c * vectors[q][k],
                    );
                }
            }
        }
    }
    (std::array::from_fn(|i| a[i][i]), vectors)
}
