//! Cut points on the edges of the lattice, and the warping of lattice points to them (Labelle and
//! Shewchuk 2007, section 3, steps 2 and 3).

use pliant_algebra::vec3::{Vec3, lerp};

use crate::error::MeshError;
use crate::fill::field::Field;
use crate::fill::lattice::{Lattice, position};
use crate::fill::prepare::Progress;
use crate::fill::stencil::{ALPHA_LONG, ALPHA_SHORT, Node, is_long, stencil};

/// The filling in lattice coordinates.
pub(crate) struct Stuffed {
    pub vertices: Vec<Vec3>,
    /// Positive tetrahedra.
    pub tets: Vec<[u32; 4]>,
}

/// Edges from an inside to an outside point, sorted, and where the surface cuts them.
struct Cuts {
    edges: Vec<[u32; 2]>,
    points: Vec<Vec3>,
}

/// Warps the lattice to the surface and fills its inside.
pub(crate) fn stuff(
    lattice: Lattice,
    field: &Field<'_>,
    progress: &Progress<'_>,
) -> Result<Stuffed, MeshError> {
    let Lattice { sites, mut signs, tets } = lattice;
    let mut vertices: Vec<Vec3> = sites.iter().map(|&s| position(s)).collect();
    let mut edges = Vec::new();
    for tet in &tets {
        for a in *tet {
            let outside = tet.iter().filter(|&&b| signs[a as usize] > 0 && signs[b as usize] < 0);
            edges.extend(outside.map(|&b| [a, b]));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let at = |p: u32| vertices[p as usize];
    let fractions =
        progress.map(&edges, 0.4..0.6, |&[p, n]| field.cut(at(p), at(n), &mut Vec::new()))?;
    let points = edges.iter().zip(&fractions).map(|(&[p, n], &t)| lerp(at(p), at(n), t)).collect();
    let cuts = Cuts { edges, points };

    warp(&cuts, &fractions, &sites, &mut signs, &mut vertices);

    let first_cut = vertices.len();
    vertices.extend(&cuts.points);
    let mut filled = Vec::with_capacity(tets.len());
    for tet in tets {
        let corner_signs = tet.map(|p| signs[p as usize]);
        stencil(corner_signs, tet.map(|p| sites[p as usize]), |nodes| {
            filled.push(nodes.map(|node| match node {
                Node::Corner(i) => tet[i],
                Node::Cut(i, j) => {
                    // It was collected above, from the signs before warping.
                    let cut = cuts.edges.binary_search(&[tet[i], tet[j]]).unwrap_or(0);
                    (first_cut + cut) as u32
                }
            }));
        });
    }
    Ok(compacted(vertices, filled))
}

/// Moves each point that a cut point comes too close to onto the nearest such cut point, one after
/// the other; an edge to a moved point has no cut any more.
fn warp(
    cuts: &Cuts,
    fractions: &[f64],
    sites: &[[i32; 3]],
    signs: &mut [i8],
    vertices: &mut [Vec3],
) {
    let mut violations = Vec::new();
    for (cut, (&[p, n], &t)) in cuts.edges.iter().zip(fractions).enumerate() {
        let long = is_long(sites[p as usize], sites[n as usize]);
        let (alpha, length) =
            if long { (ALPHA_LONG, 1.0) } else { (ALPHA_SHORT, 3f64.sqrt() / 2.0) };
        if t < alpha {
            violations.push((p, t * length, n, cut));
        } else if 1.0 - t < alpha {
            violations.push((n, (1.0 - t) * length, p, cut));
        }
    }
    violations.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.3.cmp(&b.3)));
    for (point, _, other, cut) in violations {
        if signs[point as usize] != 0 && signs[other as usize] != 0 {
            signs[point as usize] = 0;
            vertices[point as usize] = cuts.points[cut];
        }
    }
}

/// Keeps the vertices in use, in the order of their first use.
fn compacted(vertices: Vec<Vec3>, mut tets: Vec<[u32; 4]>) -> Stuffed {
    let mut new_id = vec![u32::MAX; vertices.len()];
    let mut kept = Vec::new();
    for v in tets.iter_mut().flatten() {
        let id = &mut new_id[*v as usize];
        if *id == u32::MAX {
            *id = kept.len() as u32;
            kept.push(vertices[*v as usize]);
        }
        *v = *id;
    }
    Stuffed { vertices: kept, tets }
}
