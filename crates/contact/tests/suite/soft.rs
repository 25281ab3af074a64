//! The soft potential: the force against the energy, the tangents, momentum, sides and what does not depend on the past.

use std::sync::Arc;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, norm, scale, sub};
use pliant_contact::normal::Touch;
use pliant_contact::soft::{SoftContact, SoftTangent};
use pliant_forces::{Ask, Configuration, ForceModel, Slots, Workspace};
use pliant_mesh::generate::BoxShape;
use pliant_mesh::surface::SurfaceMesh;
use pliant_mesh::topology::boundary;
use pliant_test_support::allocations_of_thread;

use crate::broad::surface;
use crate::common::Random;

const TOUCH: Touch = Touch { distance: 0.05, stiffness: 1e4 };

fn cube(cells: usize, corner: Vec3) -> SurfaceMesh {
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

/// Two cubes of which the upper one is `depth` inside of the lower one, askew and jittered.
fn pressed(seed: u64, depth: f64, tangent: SoftTangent) -> (SoftContact, Vec<Vec3>) {
    let (surface, mut x) = surface(&[cube(3, [0.0; 3]), cube(2, [0.13, 1.0 - depth, 0.21])]);
    let mut random = Random(seed);
    for x in &mut x {
        *x = add_scaled(*x, random.point(), 0.01);
    }
    (SoftContact::new(surface, vec![TOUCH; 2], true, tangent).unwrap(), x)
}

fn energy(model: &SoftContact, x: &[Vec3]) -> f64 {
    let v = vec![[0.0; 3]; x.len()];
    let mut energy = 0.0;
    let mut ask = Ask { energy: Some(&mut energy), ..Ask::default() };
    model.evaluate(&Configuration::new(x, &v, 0.0), &mut ask, &mut Workspace::new()).unwrap();
    energy
}

fn gradient(model: &SoftContact, x: &[Vec3]) -> Vec<Vec3> {
    let v = vec![[0.0; 3]; x.len()];
    let mut g = v.clone();
    let mut ask = Ask { gradient: Some(&mut g), ..Ask::default() };
    model.evaluate(&Configuration::new(x, &v, 0.0), &mut ask, &mut Workspace::new()).unwrap();
    g
}

/// A pattern in which all vertices are coupled.
fn full(count: usize) -> Arc<Pattern> {
    let n = count as u32;
    let all = |couple: &mut dyn FnMut(u32, u32)| {
        (0..n).for_each(|i| (i..n).for_each(|j| couple(i, j)));
    };
    Arc::new(Pattern::symmetric(count, all).unwrap())
}

/// The product of the tangent with d, all couplings in the pattern.
fn tangent_product(model: &mut SoftContact, x: &[Vec3], d: &[Vec3], project: bool) -> Vec<Vec3> {
    let pattern = full(x.len());
    model.bind(&Slots::new(&pattern, 0, "test")).unwrap();
    let mut matrix = BlockMatrix::zero(pattern);
    let v = vec![[0.0; 3]; x.len()];
    let mut ask =
        Ask { tangent: Some(&mut matrix.values), position_weight: 1.0, project, ..Ask::default() };
    model.evaluate(&Configuration::new(x, &v, 0.0), &mut ask, &mut Workspace::new()).unwrap();
    let mut y = vec![[0.0; 3]; x.len()];
    let pattern = matrix.pattern().clone();
    for i in 0..x.len() {
        for (k, &j) in pattern.range(i).zip(pattern.row(i)) {
            let block = Mat3::from_array(matrix.values[k]);
            y[i] = add(y[i], block.mul_vec(d[j as usize]));
            if i != j as usize {
                y[j as usize] = add(y[j as usize], block.transpose_mul_vec(d[i]));
            }
        }
    }
    y
}

fn random_direction(random: &mut Random, count: usize) -> Vec<Vec3> {
    (0..count).map(|_| random.point()).collect()
}

fn inner(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| dot(*a, *b)).sum()
}

fn moved(x: &[Vec3], d: &[Vec3], by: f64) -> Vec<Vec3> {
    x.iter().zip(d).map(|(x, d)| add_scaled(*x, *d, by)).collect()
}

#[test]
fn forces_and_exact_tangents_are_derivatives() {
    let mut random = Random(5);
    for (seed, depth) in [(1, -0.02), (2, 0.0), (3, 0.03), (4, 0.1)] {
        let (mut model, x) = pressed(seed, depth, SoftTangent::Exact);
        let d = random_direction(&mut random, x.len());
        let g = gradient(&model, &x);
        let h = 1e-6;
        let slope =
            (energy(&model, &moved(&x, &d, h)) - energy(&model, &moved(&x, &d, -h))) / (2.0 * h);
        let (found, size) = (inner(&g, &d), inner(&g, &g).sqrt());
        assert!(size > 1.0, "{size}");
        let error = (slope - found).abs() / size;
        let (plus, minus) =
            (gradient(&model, &moved(&x, &d, h)), gradient(&model, &moved(&x, &d, -h)));
        let k = tangent_product(&mut model, &x, &d, false);
        let scale = inner(&k, &k).sqrt();
        let worst = (0..x.len())
            .map(|i| {
                norm(sub(k[i], std::array::from_fn(|c| (plus[i][c] - minus[i][c]) / (2.0 * h))))
            })
            .fold(0.0, f64::max);
        println!("depth {depth}: gradient {error:e}, tangent {:e}", worst / scale);
        assert!(error < 1e-7 && worst < 1e-6 * scale, "{error:e} {:e}", worst / scale);
    }
}

#[test]
fn the_majorant_is_no_smaller_than_the_exact_tangent() {
    let mut random = Random(6);
    for seed in 1..6 {
        let (mut soft, x) = pressed(seed, 0.02, SoftTangent::Majorant);
        let (mut exact, _) = pressed(seed, 0.02, SoftTangent::Exact);
        for _ in 0..50 {
            let d = random_direction(&mut random, x.len());
            let upper = inner(&d, &tangent_product(&mut soft, &x, &d, false));
            let lower = inner(&d, &tangent_product(&mut exact, &x, &d, false));
            assert!(upper >= lower && upper > 0.0, "{upper} {lower}");
        }
    }
    assert!(pressed(1, 0.02, SoftTangent::Majorant).0.character().couplings != exact_couplings());
}

fn exact_couplings() -> pliant_forces::Couplings {
    pressed(1, 0.02, SoftTangent::Exact).0.character().couplings
}

#[test]
fn forces_add_up_to_nothing_and_turn_nothing() {
    let (model, x) = pressed(9, 0.05, SoftTangent::Majorant);
    let g = gradient(&model, &x);
    let size: f64 = g.iter().map(|g| norm(*g)).sum();
    let sum = g.iter().fold([0.0; 3], |s, g| add(s, *g));
    let moment = g.iter().zip(&x).fold([0.0; 3], |s, (g, x)| add(s, cross(*x, *g)));
    println!("force {:e}, moment {:e} of {size}", norm(sum) / size, norm(moment) / size);
    assert!(size > 100.0 && norm(sum) < 1e-14 * size && norm(moment) < 1e-13 * size);
}

#[test]
fn flat_faces_push_with_the_pressure_of_the_law() {
    // The upper face inside of the lower body by one distance: p = 2 d̂, κ (p/d̂ − ½) on each m², and all vertices of the inner
    // side see the face above them. The lower cube is larger, so that nothing hangs over.
    let big = {
        let mut mesh = cube(6, [0.0; 3]);
        for v in &mut mesh.vertices {
            *v = [3.0 * v[0] - 1.0, v[1], 3.0 * v[2] - 1.0];
        }
        mesh
    };
    let (surface, x) = surface(&[big, cube(4, [0.0, 1.0 - TOUCH.distance, 0.0])]);
    let model = SoftContact::new(surface, vec![TOUCH; 2], false, SoftTangent::Majorant).unwrap();
    let g = gradient(&model, &x);
    // An inner vertex of the upper face, a sixteenth of the area, with no vertex of the lower body under the triangles around it: half of the
    // pressure of the law.
    let inner = |x: &&Vec3| norm(sub(**x, [0.25, 1.0 - TOUCH.distance, 0.25])) < 1e-12;
    let vertex = x.iter().position(|x| inner(&x)).unwrap();
    let expected = 0.5 * 1.5 * TOUCH.stiffness / 16.0;
    assert!((-g[vertex][1] / expected - 1.0).abs() < 1e-12, "{:?} {expected}", g[vertex]);
}

#[test]
fn what_is_found_depends_on_positions_alone() {
    let (model, x) = pressed(11, 0.03, SoftTangent::Majorant);
    let mut random = Random(12);
    let states: Vec<Vec<Vec3>> =
        (0..60).map(|_| moved(&x, &random_direction(&mut random, x.len()), 0.03)).collect();
    let mut kept = Workspace::new();
    let v = vec![[0.0; 3]; x.len()];
    for x in states.iter().chain(&states) {
        let mut g = v.clone();
        let mut ask = Ask { gradient: Some(&mut g), ..Ask::default() };
        model.evaluate(&Configuration::new(x, &v, 0.0), &mut ask, &mut kept).unwrap();
        assert_eq!(g, gradient(&model, x));
    }
}

#[test]
fn evaluations_allocate_nothing_once_buffers_have_grown() {
    let (mut model, x) = pressed(13, 0.03, SoftTangent::Exact);
    let pattern = full(x.len());
    model.bind(&Slots::new(&pattern, 0, "test")).unwrap();
    let mut random = Random(14);
    let states: Vec<Vec<Vec3>> =
        (0..4).map(|_| moved(&x, &random_direction(&mut random, x.len()), 0.01)).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let steady = pool.install(|| {
        let (v, mut g) = (vec![[0.0; 3]; x.len()], vec![[0.0; 3]; x.len()]);
        let mut values = BlockMatrix::zero(pattern.clone()).values;
        let mut work = Workspace::new();
        let mut run = |steps: usize| {
            let before = allocations_of_thread();
            for step in 0..steps {
                let mut energy = 0.0;
                let mut ask = Ask {
                    energy: Some(&mut energy),
                    gradient: Some(&mut g),
                    tangent: Some(&mut values),
                    position_weight: 1.0,
                    ..Ask::default()
                };
                let at = Configuration::new(&states[step % 4], &v, 0.0);
                model.evaluate(&at, &mut ask, &mut work).unwrap();
            }
            allocations_of_thread() - before
        };
        run(40);
        run(40)
    });
    assert_eq!(steady, 0);
}

#[test]
fn a_folded_body_pushes_its_own_parts_apart() {
    // A horseshoe of boxes: two arms, the upper one bent down to the lower one.
    let shape = BoxShape { size: [2.0, 0.2, 0.5], cells: [20, 2, 4], ..BoxShape::default() };
    let mut mesh = boundary(&shape.generate().unwrap()).surface;
    let low = mesh
        .vertices
        .iter()
        .fold([f64::INFINITY; 3], |low, x| std::array::from_fn(|k| x[k].min(low[k])));
    for x in &mut mesh.vertices {
        *x = sub(*x, add(low, [0.0, 0.1, 0.0]));
    }
    let flat = mesh.vertices.clone();
    let (surface, rest) = surface(std::slice::from_ref(&mesh));
    let model = SoftContact::new(
        surface,
        vec![Touch { distance: 0.03, stiffness: 1e4 }],
        true,
        SoftTangent::Majorant,
    )
    .unwrap();
    assert_eq!(energy(&model, &rest), 0.0);
    // The neutral line goes straight, then around half a circle, and back above, 0.22 higher: surfaces are 0.02 apart.
    let radius = 0.11;
    for (x, flat) in mesh.vertices.iter_mut().zip(&flat) {
        let s = flat[0];
        let off = flat[1];
        let turn = ((s - 0.8) / radius).clamp(0.0, std::f64::consts::PI);
        let back = (s - 0.8 - radius * std::f64::consts::PI).max(0.0);
        let along = s.min(0.8);
        let centre = [along + radius * turn.sin() - back, radius * (1.0 - turn.cos())];
        let normal = [-turn.sin(), turn.cos()];
        *x = [centre[0] + off * normal[0], centre[1] + off * normal[1], flat[2]];
    }
    let x = mesh.vertices;
    let g = gradient(&model, &x);
    let push = |upper: bool| -> f64 {
        let on = |(x, _): &(&Vec3, &Vec3)| (x[1] > radius) == upper && x[0] < 0.6;
        x.iter().zip(&g).filter(on).map(|(_, g)| -g[1]).sum()
    };
    println!("arms are pushed by {} and {} N", push(true), push(false));
    assert!(push(true) > 1.0 && push(false) < -1.0);
    let sum = g.iter().fold([0.0; 3], |s, g| add(s, scale(*g, 1.0)));
    assert!(norm(sum) < 1e-10, "{sum:?}");
}
