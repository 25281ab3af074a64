//! [`Support`]: what holds a body, and with which force.

use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, scale, sub};
use pliant_dynamics::{State, System};

use crate::{Body, ModelError};

/// The axes of space.
pub const AXES: [Vec3; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A hold with a name for the force it exerts.
#[derive(Debug, Clone)]
pub struct Support {
    /// Its name.
    pub name: String,
    /// The number of the hold among those of the system.
    pub(crate) hold: usize,
    /// The point about which its moment is told, m; none where nobody asks for it.
    pub about: Option<Vec3>,
}

/// Sums of the forces by which each body is held, and then of each support, N. Each direction of a vertex counts for the
/// support that holds it; what two hold counts for the first. `lagged` are the positions that areas of contact were of in the step that
/// led to the state, if one did.
pub fn reactions(
    system: &mut System,
    (state, lagged): (&State, Option<&[Vec3]>),
    bodies: &[Body],
    supports: &[Support],
) -> Result<Vec<Vec3>, ModelError> {
    let mut sums = vec![[0.0; 3]; bodies.len() + supports.len()];
    each_reaction(system, (state, lagged), |v, force, hold| match hold {
        None => {
            if let Some(b) = bodies.iter().position(|b| b.range.contains(&v)) {
                sums[b] = add_scaled(sums[b], force, 1.0);
            }
        }
        Some(hold) => {
            if let Some(s) = supports.iter().position(|s| s.hold == hold) {
                let s = bodies.len() + s;
                sums[s] = add_scaled(sums[s], force, 1.0);
            }
        }
    })?;
    Ok(sums)
}

/// Sums of the moments of the forces of supports about the points they name, N m: Σ (x − p) × f. Zero for supports
/// that name none.
pub fn moments(
    system: &mut System,
    (state, lagged): (&State, Option<&[Vec3]>),
    supports: &[Support],
) -> Result<Vec<Vec3>, ModelError> {
    let mut sums = vec![[0.0; 3]; supports.len()];
    if supports.iter().all(|s| s.about.is_none()) {
        return Ok(sums);
    }
    each_reaction(system, (state, lagged), |v, force, hold| {
        let support = supports.iter().position(|s| hold == Some(s.hold));
        if let Some(s) = support
            && let Some(about) = supports[s].about
        {
            sums[s] = add_scaled(sums[s], cross(sub(state.x[v], about), force), 1.0);
        }
    })?;
    Ok(sums)
}

/// Calls `visit` for each held vertex with the whole force that holds it, and then with the part of each hold.
fn each_reaction(
    system: &mut System,
    (state, lagged): (&State, Option<&[Vec3]>),
    mut visit: impl FnMut(usize, Vec3, Option<usize>),
) -> Result<(), ModelError> {
    if system.constraints().is_empty() {
        return Ok(());
    }
    let mut list = Vec::new();
    system.reactions_after(state, lagged, &mut list)?;
    for ((v, force), holders) in list.into_iter().zip(system.constraints().holders()) {
        let v = v as usize;
        visit(v, force, None);
        let (mut parts, mut count): ([(usize, Vec3); 3], _) = ([(0, [0.0; 3]); 3], 0);
        for (n, hold) in holders {
            let along = scale(n, dot(n, force));
            if let Some((_, sum)) = parts[..count].iter_mut().find(|(known, _)| *known == hold) {
                *sum = add_scaled(*sum, along, 1.0);
            } else {
                parts[count] = (hold, along);
                count += 1;
            }
        }
        if let [(hold, _)] = parts[..count] {
            // Without rounding where one hold has all of it.
            visit(v, force, Some(hold));
        } else {
            parts[..count].iter().for_each(|&(hold, part)| visit(v, part, Some(hold)));
        }
    }
    Ok(())
}
