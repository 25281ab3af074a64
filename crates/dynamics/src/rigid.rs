//! Rigid motions that neither constraints nor forces oppose: a body that has one has no state of rest.

use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{Vec3, add, cross, norm, scale, sub};

use crate::symmetric::eigen;
use crate::vector::dot;
use crate::{DynamicsError, State, System, Weights};

/// A resistance below this part of the stiffness counts as none: what is above rounding, a thousandfold.
const NONE: f64 = 1e-13;

/// Six rigid motions of a state (three along the axes, three about its centre, scaled to be of one size), and
/// what resists them.
pub(crate) struct Rigid {
    /// What is held of each motion, what is free, and the force K w that opposes the latter.
    motions: Vec<[Vec<Vec3>; 3]>,
    /// What is held of mixtures of them, plus wᵀ K w of the free part relative to the stiffest entry of K, for
    /// each vertex.
    resistance: [f64; 36],
}

impl Rigid {
    /// Of a state with at least one vertex.
    pub(crate) fn new(system: &mut System, state: &State) -> Result<Self, DynamicsError> {
        let matrix = stiffness(system, state)?;
        Ok(Self::of_part(system, state, &matrix, &|_| true))
    }

    /// The same of some vertices, while the others rest.
    fn of_part(
        system: &System,
        state: &State,
        matrix: &BlockMatrix,
        part: &dyn Fn(usize) -> bool,
    ) -> Self {
        let own = || state.x.iter().enumerate().filter(|(v, _)| part(*v)).map(|(_, x)| *x);
        let n = own().count().max(1);
        let centre = scale(own().fold([0.0; 3], add), 1.0 / n as f64);
        let arm = system.size();
        let stiffest = matrix.values.as_flattened().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let mut product = Product::new(system.pattern());
        let mut motions: Vec<[Vec<Vec3>; 3]> = Vec::with_capacity(6);
        for mode in 0..6 {
            let mut axis = [0.0; 3];
            axis[mode % 3] = 1.0;
            let motion = |(v, x): (usize, &Vec3)| match mode {
                _ if !part(v) => [0.0; 3],
                0..3 => axis,
                _ => scale(cross(axis, sub(*x, centre)), 1.0 / arm),
            };
            let mut held: Vec<Vec3> = state.x.iter().enumerate().map(motion).collect();
            let mut free = held.clone();
            system.constraints().filter(&mut free);
            for (held, &free) in held.iter_mut().zip(&free) {
                *held = sub(*held, free);
            }
            let mut force = vec![[0.0; 3]; state.len()];
            product.apply(&matrix.values, &free, &mut force);
            motions.push([held, free, force]);
        }
        let (mut resistance, mut sizes) = ([0.0; 36], [0.0; 36]);
        for (i, [held, free, force]) in motions.iter().enumerate() {
            for (j, other) in motions.iter().enumerate() {
                let elastic = 0.5 * (dot(free, &other[2]) + dot(force, &other[1]));
                let stiffest = stiffest.max(f64::MIN_POSITIVE);
                resistance[6 * i + j] = (dot(held, &other[0]) + elastic / stiffest) / n as f64;
                sizes[6 * i + j] = (dot(held, &other[0]) + dot(free, &other[1])) / n as f64;
            }
        }
        // What moves no vertex is no motion: points do not turn, nor do lines about themselves.
        for (_, still) in eigen(&sizes, 6).iter().filter(|(size, _)| *size <= NONE) {
            for (k, resistance) in resistance.iter_mut().enumerate() {
                *resistance += still[k / 6] * still[k % 6];
            }
        }
        Self { motions, resistance }
    }

    /// The motions that nothing resists: at most six, independent of each other.
    pub(crate) fn free_motions(&self) -> Vec<Vec<Vec3>> {
        let free = eigen(&self.resistance, 6).into_iter().filter(|(value, _)| value.abs() <= NONE);
        free.map(|(_, mixture)| {
            let mut sum = vec![[0.0; 3]; self.motions[0][1].len()];
            for (&s, motion) in mixture.iter().zip(&self.motions) {
                crate::vector::add_scaled(&mut sum, &motion[1], s);
            }
            sum
        })
        .collect()
    }
}

/// Returns the first vertex of a part that neither supports nor forces hold in any way at x; none where there is no such part. Without
/// friction.
pub(crate) fn untouched(
    system: &mut System,
    state: &State,
    x: &[Vec3],
) -> Result<Option<usize>, DynamicsError> {
    let there = State { x: x.to_vec(), ..state.clone() };
    let matrix = stiffness(system, &there)?;
    let (part_of, parts) = parts(system.pattern());
    let mut first = (0..parts).map(|part| part_of.iter().position(|own| *own == part));
    let alone = |vertex: &usize| {
        let own = |v: usize| part_of[v] == part_of[*vertex];
        Rigid::of_part(system, &there, &matrix, &own).free_motions().len() == 6
    };
    Ok(first.find_map(|vertex| vertex.filter(alone)))
}

/// K in a state.
fn stiffness(system: &mut System, state: &State) -> Result<BlockMatrix, DynamicsError> {
    let mut matrix = BlockMatrix::zero(system.pattern().clone());
    let weights = Weights { mass: 0.0, position: 1.0, velocity: 0.0 };
    system.tangent(&state.configuration(), weights, false, &mut matrix)?;
    Ok(matrix)
}

/// The motions that nothing resists, of every part of the system that nothing joins to the others.
pub(crate) fn free_motions(
    system: &mut System,
    state: &State,
) -> Result<Vec<Vec<Vec3>>, DynamicsError> {
    let matrix = stiffness(system, state)?;
    let (part_of, parts) = parts(system.pattern());
    let mut motions = Vec::new();
    for part in 0..parts {
        let own = |v: usize| part_of[v] == part;
        motions.extend(Rigid::of_part(system, state, &matrix, &own).free_motions());
    }
    Ok(motions)
}

/// Of each vertex, the number of its part; and how many parts there are.
fn parts(pattern: &Pattern) -> (Vec<usize>, usize) {
    // A pattern may hold one triangle only: couplings count both ways.
    let mut root: Vec<usize> = (0..pattern.rows()).collect();
    let find = |root: &mut Vec<usize>, mut v: usize| {
        while root[v] != v {
            root[v] = root[root[v]];
            v = root[v];
        }
        v
    };
    for row in 0..pattern.rows() {
        for &column in pattern.row(row) {
            let (a, b) = (find(&mut root, row), find(&mut root, column as usize));
            root[a.max(b)] = a.min(b);
        }
    }
    let (mut part, mut count) = (vec![0; root.len()], 0);
    for v in 0..root.len() {
        let first = find(&mut root, v);
        part[v] = if first == v { count } else { part[first] };
        count += usize::from(first == v);
    }
    (part, count)
}

/// Fails where the body can move rigidly in this state: each of six motions w (about the centre, so that
/// they are of one size) is resisted by what is held of it and, in what is free, by wᵀ K w. A mixture that
/// is resisted by neither is an eigenvector of the 6 × 6 matrix of both.
pub(crate) fn refuse_free_body(system: &mut System, state: &State) -> Result<(), DynamicsError> {
    if state.is_empty() {
        return Ok(());
    }
    let a = Rigid::new(system, state)?.resistance;
    let motion = if let Some(k) = (0..3).find(|&k| a[7 * k].abs() <= NONE) {
        format!("moving along {}", ["x", "y", "z"][k])
    } else {
        let nearest_zero = eigen(&a, 6).into_iter().min_by(|p, q| p.0.abs().total_cmp(&q.0.abs()));
        match nearest_zero {
            Some((value, v)) if value.abs() <= NONE => {
                format!("turning about {:.2?}", direction([v[3], v[4], v[5]]))
            }
            _ => return Ok(()),
        }
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
