//! Dense matrices of force models, and their derivatives by finite differences.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{Vec3, add, cross};
use pliant_forces::{Ask, Configuration, ForceError, ForceModel, Slots, Workspace};

/// Numbers in [−1, 1) from a seed (an LCG of 64 bits).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vectors(&mut self, n: usize, size: f64) -> Vec<Vec3> {
        (0..n).map(|_| [0; 3].map(|_| size * self.next())).collect()
    }
}

pub fn add_all(a: &[Vec3], b: &[Vec3], s: f64) -> Vec<Vec3> {
    a.iter().zip(b).map(|(a, b)| [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]).collect()
}

pub fn state<'a>(x: &'a [Vec3], v: &'a [Vec3], time: f64) -> Configuration<'a> {
    Configuration::new(x, v, time)
}

pub fn energy(model: &dyn ForceModel, at: Configuration<'_>) -> f64 {
    let mut e = 0.0;
    let mut ask = Ask { energy: Some(&mut e), ..Ask::default() };
    model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
    e
}

pub fn gradient(model: &dyn ForceModel, at: Configuration<'_>) -> Vec<Vec3> {
    let mut g = vec![[0.0; 3]; at.x.len()];
    let mut ask = Ask { gradient: Some(&mut g), ..Ask::default() };
    model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
    g
}

/// The storages a matrix may have: the upper triangle, or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Storage {
    Upper,
    Full,
}

/// A matrix of what a model couples, and nothing else: a slot outside of it is an error.
pub fn own_matrix(model: &dyn ForceModel, n: usize, storage: Storage) -> BlockMatrix {
    let symmetric = model.character().symmetric;
    let couplings = |couple: &mut dyn FnMut(u32, u32)| {
        model.couplings(&mut |i, j| {
            assert!(i <= j || !symmetric);
            couple(i, j);
            if symmetric {
                couple(j, i);
            }
        });
    };
    let pattern = match storage {
        Storage::Upper => Pattern::symmetric(n, couplings),
        Storage::Full => Pattern::unsymmetric(n, couplings),
    };
    BlockMatrix::zero(Arc::new(pattern.unwrap()))
}

/// wx ∂g/∂x + wv ∂g/∂v as a dense matrix of 3n × 3n.
pub fn dense(
    model: &mut dyn ForceModel,
    at: Configuration<'_>,
    (wx, wv): (f64, f64),
    project: bool,
    storage: Storage,
) -> Result<Vec<Vec<f64>>, ForceError> {
    let mut matrix = own_matrix(model, at.x.len(), storage);
    let name = model.name().to_owned();
    model.bind(&Slots::new(matrix.pattern(), 0, &name))?;
    let mut ask = Ask {
        tangent: Some(&mut matrix.values),
        position_weight: wx,
        velocity_weight: wv,
        project,
        ..Ask::default()
    };
    model.evaluate(&at, &mut ask, &mut Workspace::new())?;
    Ok(matrix.to_dense().chunks_exact(3 * at.x.len()).map(<[f64]>::to_vec).collect())
}

pub fn flat(v: &[Vec3]) -> Vec<f64> {
    v.as_flattened().to_vec()
}

pub fn mul(a: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

pub fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub fn difference(a: &[f64], b: &[f64]) -> f64 {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

/// Central differences of `f` at steps `size`/10, /100, … against `exact`: the error must fall a
/// hundredfold for each tenfold step until rounding takes over, and reach 1e-8 (relative).
pub fn sweep(what: &str, size: f64, exact: &[f64], mut f: impl FnMut(f64) -> Vec<f64>) {
    let scale = norm(exact).max(norm(&f(0.0)) / size * 1e-3).max(1e-300);
    let errors: Vec<f64> = (1..=6)
        .map(|k| {
            let h = size * 0.1f64.powi(k);
            let (after, before) = (f(h), f(-h));
            let slope: Vec<f64> =
                after.iter().zip(&before).map(|(a, b)| (a - b) / (2.0 * h)).collect();
            difference(&slope, exact) / scale
        })
        .collect();
    let best = errors.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(best < 1e-8, "{what}: errors {errors:?}");
    if errors[1] > 1e-5 {
        let ratio = errors[1] / errors[2];
        assert!((60.0..160.0).contains(&ratio), "{what}: slope, errors {errors:?}");
    }
}

/// Energy → gradient → position and velocity tangents along random directions, in all storages.
/// `size` is the length over which things change.
pub fn check_derivatives(model: &mut dyn ForceModel, x: &[Vec3], v: &[Vec3], time: f64, size: f64) {
    let n = x.len();
    let name = model.name().to_string();
    let mut random = Random(n as u64 + 7);
    let character = model.character();
    let (symmetric, has_energy) = (character.symmetric, character.is_conservative());
    for _ in 0..3 {
        let d = random.vectors(n, 1.0);
        if has_energy {
            let g = gradient(model, state(x, v, time));
            let exact =
                g.iter().zip(&d).map(|(g, d)| g[0] * d[0] + g[1] * d[1] + g[2] * d[2]).sum();
            sweep(&format!("{name}: energy"), size, &[exact], |h| {
                let e0 = energy(model, state(x, v, time));
                vec![energy(model, state(&add_all(x, &d, h), v, time)) - e0]
            });
        }
        for (weights, what) in [((1.0, 0.0), "position"), ((0.0, 1.0), "velocity")] {
            let k = dense(model, state(x, v, time), weights, false, Storage::Full).unwrap();
            sweep(&format!("{name}: {what} tangent"), size, &mul(&k, &flat(&d)), |h| {
                let moved = |a, w| add_all(a, &d, h * w);
                let (x, v) = (moved(x, weights.0), moved(v, weights.1));
                flat(&gradient(model, state(&x, &v, time)))
            });
            let scale = k.iter().map(|r| norm(r)).fold(0.0, f64::max);
            let asymmetry = (0..3 * n)
                .flat_map(|i| (0..i).map(move |j| (i, j)))
                .map(|(i, j)| (k[i][j] - k[j][i]).abs())
                .fold(0.0, f64::max);
            if symmetric {
                assert!(asymmetry <= 1e-13 * scale, "{name}: {what} tangent is not symmetric");
                let upper = Storage::Upper;
                let same = dense(model, state(x, v, time), weights, false, upper).unwrap();
                for (a, b) in k.iter().zip(&same) {
                    assert!(difference(a, b) <= 1e-13 * scale, "{name}: {upper:?}");
                }
            }
        }
    }
    if !symmetric {
        let error = dense(model, state(x, v, time), (1.0, 1.0), false, Storage::Upper).unwrap_err();
        assert!(error.to_string().contains("not symmetric"), "{error}");
    }
}

/// Total force and moment of nodal forces.
pub fn resultant(x: &[Vec3], f: &[Vec3]) -> (Vec3, Vec3) {
    x.iter().zip(f).fold(([0.0; 3], [0.0; 3]), |(force, moment), (&x, &f)| {
        (add(force, f), add(moment, cross(x, f)))
    })
}

/// Eigenvalues of a symmetric matrix, ascending, by Jacobi rotations.
pub fn eigenvalues(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k][p], a[k][q]);
                    (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut values: Vec<f64> = (0..n).map(|i| a[i][i]).collect();
    values.sort_by(f64::total_cmp);
    values
}
