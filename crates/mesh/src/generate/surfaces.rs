//! Closed triangle surfaces with outward normals, for tests and demonstrations.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use pliant_algebra::vec3::{Vec3, dot, lerp, normalized, scale};

use super::check;
use super::lattice::{lattice_surface, surface_point_count};
use crate::error::MeshError;
use crate::refine::Midpoints;
use crate::surface::SurfaceMesh;

/// Two triangles for each quadrilateral.
fn cut_quads(quads: impl Iterator<Item = [u32; 4]>) -> Vec<[u32; 3]> {
    quads.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
}

/// A sphere about the origin from an icosahedron whose triangles are divided into four `levels`
/// times: 20·4ˡ nearly equal triangles. At most 13 levels.
pub fn surface_icosphere(radius: f64, levels: usize) -> Result<SurfaceMesh, MeshError> {
    check::length("radius", radius)?;
    if levels > 13 {
        return Err(check::refuse("levels", levels, "a whole number from 0 to 13"));
    }
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    // The icosahedron's vertices are the corners of three golden rectangles.
    let mut vertices: Vec<Vec3> = Vec::new();
    for axis in 0..3 {
        for (a, b) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
            let mut p = [0.0; 3];
            (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (a, b * golden);
            vertices.push(unit(p));
        }
    }
    let mut triangles: Vec<[u32; 3]> = icosahedron(&vertices);
    for _ in 0..levels {
        let mut midpoints = Midpoints::new(vertices.len());
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(p, q)| midpoints.between(p, q).0);
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        let parents = midpoints.finish()?;
        for &[a, b] in &parents[vertices.len()..] {
            vertices.push(unit(lerp(vertices[a as usize], vertices[b as usize], 0.5)));
        }
        triangles = finer;
    }
    let vertices = vertices.into_iter().map(|v| scale(v, radius)).collect();
    Ok(SurfaceMesh::new(vertices, triangles))
}

/// The triangles of nearest neighbours, outward.
fn icosahedron(vertices: &[Vec3]) -> Vec<[u32; 3]> {
    // Neighbours of the unit icosahedron have the cosine 1/√5, all others at most −1/√5.
    let near = |a: usize, b: usize| a != b && dot(vertices[a], vertices[b]) > 0.0;
    let mut triangles = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outward =
                        pliant_algebra::vec3::triple(vertices[a], vertices[b], vertices[c]) > 0.0;
                    let t = if outward { [a, b, c] } else { [a, c, b] };
                    triangles.push(t.map(|v| v as u32));
                }
            }
        }
    }
    triangles
}

fn unit(p: Vec3) -> Vec3 {
    normalized(p).unwrap_or(p)
}

/// A sphere about the origin with `around` meridians (at least 3) and `rings` bands of latitude (at
/// least 2) between the poles on the z axis.
pub fn surface_uv_sphere(
    radius: f64,
    around: usize,
    rings: usize,
) -> Result<SurfaceMesh, MeshError> {
    check::length("radius", radius)?;
    check::count("rings", rings, 2)?;
    check::count("around", around, 3)?;
    check::vertices(around.saturating_mul(rings))?;
    let profile: Vec<[f64; 2]> = (1..rings)
        .map(|i| {
            let (sin, cos) = (PI * i as f64 / rings as f64).sin_cos();
            [radius * sin, -radius * cos]
        })
        .collect();
    Ok(revolve(&profile, [-radius, radius], around))
}

/// A cylinder of `length` along z about the origin with a hemisphere on either end. `around`
/// triangles around (at least 3), `rings` bands on each hemisphere, `layers` along the cylinder.
pub fn surface_capsule(
    radius: f64,
    length: f64,
    around: usize,
    rings: usize,
    layers: usize,
) -> Result<SurfaceMesh, MeshError> {
    check::length("radius", radius)?;
    check::length("length", length)?;
    check::count("around", around, 3)?;
    check::count("rings", rings, 1)?;
    check::count("layers", layers, 1)?;
    check::vertices(around.saturating_mul(rings.saturating_mul(2).saturating_add(layers)))?;
    let half = 0.5 * length;
    let cap = |i: usize| {
        let (sin, cos) = (FRAC_PI_2 * i as f64 / rings as f64).sin_cos();
        [radius * sin, half + radius * cos]
    };
    let lower = (1..rings).map(cap).map(|[r, z]| [r, -z]);
    let middle = (0..=layers).map(|i| [radius, length * (i as f64 / layers as f64 - 0.5)]);
    let upper = (1..rings).rev().map(cap);
    let profile: Vec<[f64; 2]> = lower.chain(middle).chain(upper).collect();
    Ok(revolve(&profile, [-half - radius, half + radius], around))
}

/// The surface that a profile of (radius, z), upwards, sweeps about the z axis, closed by a
/// pole at either end.
fn revolve(profile: &[[f64; 2]], poles: [f64; 2], around: usize) -> SurfaceMesh {
    let mut vertices = Vec::with_capacity(profile.len() * around + 2);
    for &[r, z] in profile {
        vertices.extend((0..around).map(|j| {
            let (sin, cos) = (TAU * j as f64 / around as f64).sin_cos();
            [r * cos, r * sin, z]
        }));
    }
    let at = |i: usize, j: usize| (i * around + j % around) as u32;
    let (south, north) = (vertices.len() as u32, vertices.len() as u32 + 1);
    vertices.extend(poles.map(|z| [0.0, 0.0, z]));
    let last = profile.len() - 1;
    let bands = (0..last).flat_map(|i| {
        (0..around).map(move |j| [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)])
    });
    let mut triangles = cut_quads(bands);
    triangles.extend((0..around).map(|j| [south, at(0, j + 1), at(0, j)]));
    triangles.extend((0..around).map(|j| [north, at(last, j), at(last, j + 1)]));
    SurfaceMesh::new(vertices, triangles)
}

/// A torus about the z axis: `around` cells along the circle of radius `major`, `across` around the
/// section of radius `minor`; both at least 3.
pub fn surface_torus(
    major: f64,
    minor: f64,
    around: usize,
    across: usize,
) -> Result<SurfaceMesh, MeshError> {
    check::length("major", major)?;
    check::length("minor", minor)?;
    check::less("minor", minor, "major", major)?;
    check::count("around", around, 3)?;
    check::count("across", across, 3)?;
    check::vertices(around.saturating_mul(across))?;
    let mut vertices = Vec::with_capacity(around * across);
    for i in 0..around {
        let (sin, cos) = (TAU * i as f64 / around as f64).sin_cos();
        vertices.extend((0..across).map(|j| {
            let (up, out) = (TAU * j as f64 / across as f64).sin_cos();
            let r = major + minor * out;
            [r * cos, r * sin, minor * up]
        }));
    }
    let at = |i: usize, j: usize| (i % around * across + j % across) as u32;
    let quads = (0..around).flat_map(|i| {
        (0..across).map(move |j| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)])
    });
    Ok(SurfaceMesh::new(vertices, cut_quads(quads)))
}

/// A box from the origin to `size` with `cells` squares along each axis, two triangles each.
pub fn surface_box(size: [f64; 3], cells: [usize; 3]) -> Result<SurfaceMesh, MeshError> {
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        check::length(&format!("size {name}"), size[axis])?;
        check::count(&format!("cells {name}"), cells[axis], 1)?;
    }
    check::vertices(surface_point_count(cells))?;
    let surface = lattice_surface(cells);
    let place = |p: [usize; 3]| {
        std::array::from_fn(|axis| size[axis] * (p[axis] as f64 / cells[axis] as f64))
    };
    let vertices = surface.points.into_iter().map(place).collect();
    Ok(SurfaceMesh::new(vertices, cut_quads(surface.quads.into_iter())))
}

/// A sphere of `radius` with `spikes` smooth spikes that reach `height` further out, spread evenly.
/// `sharpness` from 1 to 1000 makes them slender; 20·4ˡ triangles.
///
/// The distance from the origin is a positive function of the direction, r(n) = R + h times the sum
/// of exp(s (n·d − 1)) over the spikes d, so the surface cannot cut itself.
pub fn surface_star(
    radius: f64,
    height: f64,
    spikes: usize,
    sharpness: f64,
    levels: usize,
) -> Result<SurfaceMesh, MeshError> {
    check::length("radius", radius)?;
    check::length("height", height)?;
    check::within("sharpness", sharpness, 1.0, 1000.0)?;
    if !(1..=1000).contains(&spikes) {
        return Err(check::refuse("spikes", spikes, "a whole number from 1 to 1000"));
    }
    let mut star = surface_icosphere(1.0, levels)?;
    // Fibonacci's lattice: equal steps in z, the golden angle in longitude.
    let golden_angle = PI * (3.0 - 5.0_f64.sqrt());
    let directions: Vec<Vec3> = (0..spikes)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / spikes as f64;
            let (sin, cos) = (golden_angle * i as f64).sin_cos();
            let r = (1.0 - z * z).sqrt();
            [r * cos, r * sin, z]
        })
        .collect();
    for n in &mut star.vertices {
        let bump: f64 = directions.iter().map(|d| (sharpness * (dot(*n, *d) - 1.0)).exp()).sum();
        *n = scale(*n, radius + height * bump);
    }
    Ok(star)
}
