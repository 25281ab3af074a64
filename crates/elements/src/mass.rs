//! Consistent and lumped mass of one element, for unit density.

use crate::Point;
use crate::element::{Element, measure};
use crate::quadrature::Rule;

/// ∫ N_a N_b dX for unit density (mass per length, area or volume): exact, curved volumes included. `rule` is the
/// element's [`Element::mass_rule`], made once. For mass in kg multiply by density, and by cross-section or thickness
/// where the element has less than three dimensions.
pub fn consistent_mass<E: Element<D, N>, const D: usize, const N: usize>(
    rule: &Rule<D>,
    x: &[[f64; 3]; N],
) -> [[f64; N]; N] {
    let mut mass = [[0.0; N]; N];
    for &(at, weight) in rule {
        let point = Point { at, weight, values: E::values(at), gradients: E::gradients(at) };
        let volume = weight * measure(&E::jacobian(&point, x)).abs();
        for a in 0..N {
            for b in a..N {
                mass[a][b] += volume * point.values[a] * point.values[b];
            }
        }
    }
    for a in 0..N {
        for b in 0..a {
            mass[a][b] = mass[b][a];
        }
    }
    mass
}

/// ∫ N_a dX of each node, the sums of the rows of [`consistent_mass`]: what a node has of a uniform force per length, area
/// or volume. Exact, curved volumes included, by the element's [`Element::mass_rule`]. May be negative, as at the corners of
/// tet10.
pub fn shape_integrals<E: Element<D, N>, const D: usize, const N: usize>(
    rule: &Rule<D>,
    x: &[[f64; 3]; N],
) -> [f64; N] {
    let mut sums = [0.0; N];
    for &(at, weight) in rule {
        let point = Point { at, weight, values: E::values(at), gradients: E::gradients(at) };
        let volume = weight * measure(&E::jacobian(&point, x)).abs();
        for a in 0..N {
            sums[a] += volume * point.values[a];
        }
    }
    sums
}

/// The mass of each node, from the consistent mass: sums of the rows, or its diagonal scaled to the
/// same total (E. Hinton, T. Rock and O. Zienkiewicz, Earthquake Eng. Struct. Dyn. 4, 1976) where
/// sums could be negative.
pub fn lumped_mass<E: Element<D, N>, const D: usize, const N: usize>(
    consistent: &[[f64; N]; N],
) -> [f64; N] {
    let mut lumped = [0.0; N];
    if E::LUMP_BY_DIAGONAL {
        let total: f64 = consistent.iter().flatten().sum();
        let diagonal: f64 = (0..N).map(|a| consistent[a][a]).sum();
        for a in 0..N {
            lumped[a] = consistent[a][a] * (total / diagonal);
        }
    } else {
        for a in 0..N {
            lumped[a] = consistent[a].iter().sum();
        }
    }
    lumped
}
