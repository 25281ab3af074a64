//! The force model: derivatives, area, momentum, bounds and couplings.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, norm, scale};
use pliant_contact::barrier::Barrier;
use pliant_contact::normal::{NormalContact, Touch};
use pliant_forces::{
    Ask, Change, Configuration, ForceError, ForceModel, Slots, StepStart, Workspace,
};
use pliant_mesh::generate::BoxShape;
use pliant_mesh::surface::SurfaceMesh;
use pliant_mesh::topology::boundary;

use crate::broad::surface;
use crate::common::Random;

const TOUCH: Touch = Touch { distance: 0.05, stiffness: 1e4 };

/// The surface of a unit cube of `cells` to a side, its lower corner at `corner`.
pub(crate) fn cube(cells: usize, corner: Vec3) -> SurfaceMesh {
    let shape = BoxShape { size: [1.0; 3], cells: [cells; 3], ..BoxShape::default() };
    let mut surface = boundary(&shape.generate().unwrap()).surface;
    let low: Vec3 = std::array::from_fn(|k| {
        surface.vertices.iter().fold(f64::INFINITY, |low, v| low.min(v[k]))
    });
    for v in &mut surface.vertices {
        *v = std::array::from_fn(|k| v[k] - low[k] + corner[k]);
    }
    surface
}

fn contact(meshes: &[SurfaceMesh]) -> (NormalContact, Vec<Vec3>) {
    let (surface, y) = surface(meshes);
    let touches = vec![TOUCH; meshes.len()];
    (NormalContact::new(surface, touches, true, 1.0).unwrap(), y)
}

/// Two cubes on top of each other, jittered so that pairs of every kind are near.
fn jittered(seed: u64, gap: f64) -> (NormalContact, Vec<Vec3>) {
    let (model, mut x) = contact(&[cube(3, [0.0; 3]), cube(2, [0.13, 1.0 + gap, 0.21])]);
    let mut random = Random(seed);
    for x in &mut x {
        *x = add_scaled(*x, random.point(), 0.2 * gap);
    }
    (model, x)
}

/// In a step that began at `start`, where areas are lagged to.
fn energy(model: &NormalContact, x: &[Vec3], start: &[Vec3]) -> f64 {
    let v = vec![[0.0; 3]; x.len()];
    let mut energy = 0.0;
    let mut ask = Ask { energy: Some(&mut energy), ..Ask::default() };
    let start = Some(StepStart { x: start, v: &v, time: 0.0, step: 0.01 });
    let at = Configuration { start, ..Configuration::new(x, &v, 0.01) };
    model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
    energy
}

fn gradient(model: &NormalContact, x: &[Vec3], start: &[Vec3]) -> Vec<Vec3> {
    let v = vec![[0.0; 3]; x.len()];
    let mut g = v.clone();
    let mut ask = Ask { gradient: Some(&mut g), ..Ask::default() };
    let start = Some(StepStart { x: start, v: &v, time: 0.0, step: 0.01 });
    let at = Configuration { start, ..Configuration::new(x, &v, 0.01) };
    model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
    g
}

#[test]
fn forces_are_the_gradient_of_the_energy() {
    for seed in 0..4 {
        let (model, x) = jittered(seed, 0.02);
        let g = gradient(&model, &x, &x);
        let size = g.iter().fold(0.0, |size: f64, g| size.max(norm(*g)));
        assert!(size > 0.0);
        let mut random = Random(seed + 100);
        for _ in 0..20 {
            let way: Vec<Vec3> = x.iter().map(|_| random.point()).collect();
            let h = 1e-6;
            let at = |s: f64| {
                let y: Vec<Vec3> =
                    x.iter().zip(&way).map(|(x, w)| add_scaled(*x, *w, s * h)).collect();
                energy(&model, &y, &x)
            };
            let slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
            let expected: f64 =
                g.iter().zip(&way).flat_map(|(g, w)| (0..3).map(move |k| g[k] * w[k])).sum();
            assert!((slope - expected).abs() < 1e-5 * size, "{slope} {expected}");
        }
    }
}

/// Binds a model to the couplings it names at x, and returns the matrix of its tangent.
fn tangent(model: &mut NormalContact, x: &[Vec3], project: bool) -> BlockMatrix {
    let v = vec![[0.0; 3]; x.len()];
    let at = Configuration::new(x, &v, 0.0);
    let base = Pattern::symmetric(x.len(), |_| ()).unwrap();
    model.bind(&Slots::new(&base, 0, "contact")).unwrap();
    assert_eq!(model.begin(&at).unwrap(), Change::Couplings);
    let pattern = Pattern::symmetric(x.len(), |couple| model.couplings(couple)).unwrap();
    model.bind(&Slots::new(&pattern, 0, "contact")).unwrap();
    let mut matrix = BlockMatrix::zero(Arc::new(pattern));
    let tangent = Some(&mut matrix.values[..]);
    let mut ask = Ask { tangent, position_weight: 1.0, project, ..Ask::default() };
    model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
    assert_eq!(model.begin(&at).unwrap(), Change::Same);
    matrix
}

#[test]
fn the_tangent_is_that_of_the_forces() {
    for seed in 0..3 {
        let (mut model, x) = jittered(seed, 0.02);
        let dense = tangent(&mut model, &x, false).to_dense();
        let n = 3 * x.len();
        let mut random = Random(seed + 50);
        let way: Vec<Vec3> = x.iter().map(|_| random.point()).collect();
        let h = 1e-7;
        let at = |s: f64| {
            let y: Vec<Vec3> = x.iter().zip(&way).map(|(x, w)| add_scaled(*x, *w, s * h)).collect();
            gradient(&model, &y, &x)
        };
        let (up, down) = (at(1.0), at(-1.0));
        let (mut worst, mut size) = (0.0_f64, 0.0_f64);
        for row in 0..n {
            let product: f64 = (0..n).map(|j| dense[row * n + j] * way[j / 3][j % 3]).sum();
            let difference = (up[row / 3][row % 3] - down[row / 3][row % 3]) / (2.0 * h);
            (worst, size) = (worst.max((product - difference).abs()), size.max(difference.abs()));
        }
        println!("tangent off by {:e} of {size:e}", worst / size);
        assert!(worst < 1e-6 * size, "{worst} {size}");
    }
}

#[test]
fn the_projected_tangent_is_positive_semi_definite_and_moves_nothing_with_a_translation() {
    let (mut model, x) = jittered(7, 0.02);
    let dense = tangent(&mut model, &x, true).to_dense();
    let n = 3 * x.len();
    let size = dense.iter().fold(0.0, |size: f64, d| size.max(d.abs()));
    assert!(size > 0.0);
    let mut random = Random(1);
    for _ in 0..50 {
        let way: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
        let form: f64 =
            (0..n).map(|i| way[i] * (0..n).map(|j| dense[i * n + j] * way[j]).sum::<f64>()).sum();
        assert!(form >= -1e-9 * size, "{form}");
    }
    for i in 0..n {
        let sum: f64 = (0..x.len()).map(|j| dense[i * n + 3 * j + 1]).sum();
        assert!(sum.abs() < 1e-9 * size, "row {i}: {sum}");
    }
}

#[test]
fn contact_forces_have_no_resultant_and_no_moment() {
    let (model, x) = jittered(3, 0.02);
    let g = gradient(&model, &x, &x);
    let size: f64 = g.iter().map(|g| norm(*g)).sum();
    let total = g.iter().fold([0.0; 3], |sum, g| add(sum, *g));
    let moment = x.iter().zip(&g).fold([0.0; 3], |sum, (x, g)| add(sum, cross(*x, *g)));
    assert!(size > 0.0 && norm(total) < 1e-13 * size && norm(moment) < 1e-12 * size);
}

/// Σw over the area of two flat faces.
fn coverage(upper: usize, offset: [f64; 2]) -> f64 {
    let mut above = cube(upper, [0.0; 3]);
    for v in &mut above.vertices {
        *v = add(scale(*v, 0.5), [0.25 + offset[0], 1.006, 0.25 + offset[1]]);
    }
    // A quarter of the shortest edges, at most: parts of one cube are not near each other.
    let (surface, x) = surface(&[cube(8, [0.0; 3]), above]);
    let touches = vec![Touch { distance: 0.01, ..TOUCH }; 2];
    let model = NormalContact::new(surface, touches, true, 1.0).unwrap();
    model.survey(&x, &mut Workspace::new()).area / 0.25
}

#[test]
fn flat_surfaces_count_by_the_area_that_they_share() {
    // Edges that cross add nothing at this distance. Meshes that match have the shared area: sides and what lies beyond the rim do
    // not count. Others are sampled at their vertices.
    for (upper, offset, range) in [
        (4, [0.0; 2], 0.999999..1.02),
        (8, [0.0; 2], 0.999999..1.02),
        (7, [0.013, 0.017], 0.9..1.15),
        (12, [0.011, 0.02], 0.9..1.15),
    ] {
        let found = coverage(upper, offset);
        println!("coverage of {upper} cells at {offset:?}: {found:.4}");
        assert!(range.contains(&found), "{upper} {offset:?}: {found}");
    }
}

#[test]
fn faces_of_one_size_count_by_their_area() {
    for (lower, upper) in [(3, 3), (2, 5), (4, 7)] {
        let (model, x) = contact(&[cube(lower, [0.0; 3]), cube(upper, [0.0, 1.03, 0.0])]);
        let found = model.survey(&x, &mut Workspace::new()).area;
        println!("{lower} on {upper} cells: {found:.4}");
        assert!((found - 1.0).abs() < 1e-12, "{lower} {upper}: {found}");
    }
}

#[test]
fn edges_that_cross_repel_by_the_area_beside_them_from_half_of_the_distance_on() {
    // Two cubes that stand on edges, the ridge of the lower one along z and that of the upper one along x, a quarter of d̂ apart: half of that at
    // which edges begin to repel each other.
    let (s, c) = (0.5_f64.sqrt(), 0.5_f64.sqrt());
    let turned = |p: Vec3, [i, j]: [usize; 2]| {
        let mut q = p;
        (q[i], q[j]) = (c * p[i] - s * p[j], s * p[i] + c * p[j]);
        q
    };
    let [mut lower, mut upper] = [cube(1, [-0.5; 3]), cube(1, [-0.5; 3])];
    lower.vertices.iter_mut().for_each(|v| *v = turned(*v, [0, 1]));
    let lift = 2.0 * c + 0.25 * TOUCH.distance;
    upper.vertices.iter_mut().for_each(|v| *v = add(turned(*v, [1, 2]), [0.0, lift, 0.0]));
    let (model, x) = contact(&[lower, upper]);
    let found = model.survey(&x, &mut Workspace::new());
    assert_eq!(found.pairs, 1);
    // A quarter of both edges, each a third of its two triangles of ½ m².
    assert!((found.area - 1.0 / 6.0).abs() < 1e-12, "{found:?}");
    let force: f64 = gradient(&model, &x, &x)[..8].iter().map(|g| g[1]).sum();
    let expected = TOUCH.stiffness * Barrier::Log.pressure(0.5) / 6.0;
    assert!((force / expected - 1.0).abs() < 1e-9, "{force} {expected}");
}

/// A cube that hangs over a corner, or over the middle of an edge, above the middle of another.
fn tilted(seed: u64) -> (NormalContact, Vec<Vec3>) {
    let mut random = Random(seed);
    let [a, b] = [random.unit() * 1.2, random.unit() * 1.2];
    let turn = |p: Vec3| {
        let p = [p[0] * a.cos() - p[1] * a.sin(), p[0] * a.sin() + p[1] * a.cos(), p[2]];
        [p[0], p[1] * b.cos() - p[2] * b.sin(), p[1] * b.sin() + p[2] * b.cos()]
    };
    let mut above = cube(2, [-0.5; 3]);
    above.vertices.iter_mut().for_each(|v| *v = turn(*v));
    let lowest = above.vertices.iter().copied().min_by(|v, w| v[1].total_cmp(&w[1])).unwrap();
    // Its lowest vertex over the middle, or beyond the rim.
    let x = if seed.is_multiple_of(2) { 0.43 } else { -0.02 };
    for v in &mut above.vertices {
        *v = add(*v, [x - lowest[0], 1.02 - lowest[1], 0.6 - lowest[2]]);
    }
    contact(&[cube(3, [0.0; 3]), above])
}

#[test]
fn forces_of_tilted_faces_are_the_gradient_with_the_areas_of_the_start() {
    for seed in 0..8 {
        let (model, x) = tilted(seed);
        let g = gradient(&model, &x, &x);
        let size = g.iter().fold(0.0, |size: f64, g| size.max(norm(*g)));
        assert!(size > 0.0);
        let h = 1e-6;
        for v in 0..x.len() {
            for k in 0..3 {
                let at = |s: f64| {
                    let mut y = x.clone();
                    y[v][k] += s * h;
                    energy(&model, &y, &x)
                };
                let slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
                let error = (slope - g[v][k]).abs();
                assert!(error < 1e-7 * size, "{seed}: {v} {k}: {slope:e} {:e} {size:e}", g[v][k]);
            }
        }
    }
}

#[test]
fn energy_is_continuous_where_a_vertex_passes_over_edges_and_corners() {
    let floor = cube(2, [0.0; 3]);
    let at = |x: f64, z: f64| {
        let tip = [[x, 1.02, z], [x + 0.1, 1.9, z], [x, 1.9, z + 0.1]];
        let (model, y) = contact(&[floor.clone(), SurfaceMesh::new(tip.to_vec(), vec![[0, 1, 2]])]);
        energy(&model, &y, &y)
    };
    // Over an inner edge, over an inner corner, and out over the rim.
    for [from, to] in
        [[[0.4, 0.23], [0.6, 0.24]], [[0.4, 0.6], [0.6, 0.4]], [[0.9, 0.3], [1.1, 0.4]]]
    {
        let mut before: Option<f64> = None;
        for k in 0..=2000 {
            let t = f64::from(k) / 2000.0;
            let here = at(from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]));
            if let Some(before) = before {
                assert!((here - before).abs() < 0.05 * before.max(0.1), "{t}: {before} {here}");
            }
            before = Some(here);
        }
    }
}

#[test]
fn motions_are_bounded_and_the_first_obstruction_is_named() {
    let (model, x) = contact(&[cube(1, [0.0; 3]), cube(1, [0.1, 1.5, 0.1])]);
    let v = vec![[0.0; 3]; x.len()];
    let at = Configuration::new(&x, &v, 0.0);
    let way: Vec<Vec3> =
        x.iter().map(|x| if x[1] > 1.2 { [0.0, -0.9, 0.0] } else { [0.0; 3] }).collect();
    let mut work = Workspace::new();
    let reach = model.admissible(&at, &way, 1.0, &mut work).unwrap();
    assert!(reach > 0.4 && reach * 0.9 < 0.5, "{reach}");
    let found = model.obstruction(&at, &way, 1.0, &mut work);
    assert!(matches!(found, Some(ForceError::Blocked { .. })), "{found:?}");
    let up: Vec<Vec3> = way.iter().map(|w| scale(*w, -1.0)).collect();
    assert_eq!(model.admissible(&at, &up, 1.0, &mut work).unwrap(), 1.0);
    let through: Vec<Vec3> = x.iter().zip(&way).map(|(x, w)| add(*x, *w)).collect();
    assert!(model.check_end(&x, &mut work).is_ok());
    assert!(matches!(model.check_end(&through, &mut work), Err(ForceError::Intersecting { .. })));
}

#[test]
fn motions_that_are_lengthened_are_bounded_too() {
    let (model, x) = contact(&[cube(1, [0.0; 3]), cube(1, [0.1, 1.5, 0.1])]);
    let v = vec![[0.0; 3]; x.len()];
    let at = Configuration::new(&x, &v, 0.0);
    let mut work = Workspace::new();
    for (way, least) in [(-0.3, 1.2), (0.3, 2.0), (-1e-3, 2.0)] {
        let way: Vec<Vec3> =
            x.iter().map(|x| [0.0, if x[1] > 1.2 { way } else { 0.0 }, 0.0]).collect();
        let reach = model.admissible(&at, &way, 1000.0, &mut work).unwrap();
        let far = reach * -way.iter().fold(0.0, |low: f64, w| low.min(w[1]));
        assert!((least..=2.0).contains(&reach) && far < 0.5, "{reach} {far}");
    }
}

#[test]
fn bodies_that_part_are_repelled_as_bodies_at_rest_are() {
    let (model, x) = contact(&[cube(1, [0.0; 3]), cube(1, [0.1, 1.02, 0.1])]);
    let forces = |up: f64| {
        let v: Vec<Vec3> =
            x.iter().map(|x| [0.0, if x[1] > 1.01 { up } else { 0.0 }, 0.0]).collect();
        let mut gradient = vec![[0.0; 3]; x.len()];
        let mut ask = Ask { gradient: Some(&mut gradient), ..Ask::default() };
        let at = Configuration::new(&x, &v, 0.0);
        model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
        gradient
    };
    let rest = forces(0.0);
    assert!(rest.iter().any(|f| f[1] != 0.0));
    assert_eq!(rest, forces(100.0));
    // Nothing is pulled: forces on the upper body point up, those on the lower one down.
    for (x, f) in x.iter().zip(&rest) {
        let outward = if x[1] > 1.01 { -f[1] } else { f[1] };
        assert!(outward >= 0.0, "{x:?} {f:?}");
    }
}
