//! Friction: derivatives, its size wherever surfaces touch, momentum, and what is remembered.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, norm, scale};
use pliant_contact::barrier::Barrier;
use pliant_contact::friction::{ContactFriction, Rubbing, Rubbings};
use pliant_contact::normal::{NormalContact, Touch};
use pliant_contact::resultants::Resultants;
use pliant_forces::{
    Ask, Configuration, ForceModel, Keyed, Memory, Slots, StepStart, Tried, Workspace,
};
use pliant_mesh::surface::SurfaceMesh;

use crate::broad::surface;
use crate::common::Random;
use crate::normal::cube;

const TOUCH: Touch = Touch { distance: 0.05, stiffness: 1e4 };
const MU: f64 = 0.4;
const STICK: f64 = 1e-3;
const H: f64 = 0.01;

/// Normal contact and friction of some bodies, and where they are.
fn friction(meshes: &[SurfaceMesh]) -> (NormalContact, ContactFriction, Vec<Vec3>) {
    let (surface, y) = surface(meshes);
    let kinds = vec![0; surface.vertex_count()];
    let normal = NormalContact::new(surface, vec![TOUCH; meshes.len()], false, 1.0).unwrap();
    let rubbing = |_, _| Rubbing { coefficient: MU, stick: STICK };
    let rubbings = Rubbings::new(kinds, 1, rubbing).unwrap();
    let friction = ContactFriction::new(&normal, rubbings).unwrap();
    (normal, friction, y)
}

/// A step from `x` at rest that ends with the velocities `v`.
fn step<'a>(
    x: &'a [Vec3],
    v: &'a [Vec3],
    end: &'a [Vec3],
    memory: &'a [Memory],
) -> Configuration<'a> {
    let start = StepStart { x, v, time: 0.0, step: H };
    Configuration { start: Some(start), memory, ..Configuration::new(end, v, H) }
}

fn forgetful(friction: &ContactFriction) -> [Memory; 1] {
    let layout = friction.character().memory;
    [Memory { numbers: vec![0.0; layout.numbers], keyed: Keyed::new(layout.keyed) }]
}

/// The memory of bodies that have been at rest in this configuration.
fn at_rest(friction: &ContactFriction, x: &[Vec3]) -> [Memory; 1] {
    let [mut memory] = forgetful(friction);
    let v = vec![[0.0; 3]; x.len()];
    friction.start_memory(&Configuration::new(x, &v, 0.0), &mut memory).unwrap();
    [memory]
}

/// φ and its gradient.
fn evaluate(model: &dyn ForceModel, at: &Configuration<'_>) -> (f64, Vec<Vec3>) {
    let (mut potential, mut gradient) = (0.0, vec![[0.0; 3]; at.x.len()]);
    let mut ask = Ask {
        rate_potential: Some(&mut potential),
        gradient: Some(&mut gradient),
        ..Ask::default()
    };
    model.evaluate(at, &mut ask, &mut Workspace::new()).unwrap();
    (potential, gradient)
}

/// What is remembered at the end of a step, and the work of friction in it.
fn remember(model: &ContactFriction, at: &Configuration<'_>) -> (Memory, f64) {
    let [mut memory] = forgetful(model);
    let mut work = 0.0;
    let mut ask = Ask {
        dissipated: Some(&mut work),
        memory: Some(Tried { numbers: &mut memory.numbers, keyed: &mut memory.keyed }),
        ..Ask::default()
    };
    model.evaluate(at, &mut ask, &mut Workspace::new()).unwrap();
    (memory, work)
}

/// Two cubes on top of each other, jittered so that pairs of every kind are near.
fn jittered(seed: u64) -> (NormalContact, ContactFriction, Vec<Vec3>) {
    let (normal, friction, mut x) = friction(&[cube(3, [0.0; 3]), cube(2, [0.13, 1.02, 0.21])]);
    let mut random = Random(seed);
    for x in &mut x {
        *x = add_scaled(*x, random.point(), 0.004);
    }
    (normal, friction, x)
}

fn sum(list: &[Vec3]) -> Vec3 {
    list.iter().fold([0.0; 3], |sum, v| add(sum, *v))
}

#[test]
fn forces_are_the_gradient_of_a_convex_potential_of_velocities() {
    // Slips of a tenth of the stick length, and of ten of it.
    for (seed, speed) in [(1, 0.1), (2, 10.0)] {
        let (_, mut model, x) = jittered(seed);
        let mut random = Random(seed + 50);
        let v: Vec<Vec3> = x.iter().map(|_| scale(random.point(), speed * STICK / H)).collect();
        // Slips of an earlier step are remembered.
        let earlier = at_rest(&model, &x);
        let (memory, _) = remember(&model, &step(&x, &v, &x, &earlier));
        assert!(!memory.keyed.is_empty());
        let memory = [memory];
        let pattern = {
            let base = Pattern::symmetric(x.len(), |_| ()).unwrap();
            model.bind(&Slots::new(&base, 0, "friction")).unwrap();
            model.begin(&step(&x, &v, &x, &memory)).unwrap();
            Pattern::symmetric(x.len(), |couple| model.couplings(couple)).unwrap()
        };
        model.bind(&Slots::new(&pattern, 0, "friction")).unwrap();
        let mut matrix = BlockMatrix::zero(Arc::new(pattern));
        let mut ask =
            Ask { tangent: Some(&mut matrix.values), velocity_weight: 1.0, ..Ask::default() };
        model.evaluate(&step(&x, &v, &x, &memory), &mut ask, &mut Workspace::new()).unwrap();
        let (dense, n) = (matrix.to_dense(), 3 * x.len());
        let (_, g) = evaluate(&model, &step(&x, &v, &x, &memory));
        let (size, stiff) =
            (norm(g[0]).max(1.0), dense.iter().fold(0.0_f64, |m, d| m.max(d.abs())));
        for _ in 0..10 {
            let way: Vec<Vec3> = x.iter().map(|_| random.point()).collect();
            let e = 1e-5 * speed * STICK / H;
            let at = |s: f64| {
                let v: Vec<Vec3> =
                    v.iter().zip(&way).map(|(v, w)| add_scaled(*v, *w, s * e)).collect();
                evaluate(&model, &step(&x, &v, &x, &memory))
            };
            let (more, less) = (at(1.0), at(-1.0));
            let slope = (more.0 - less.0) / (2.0 * e);
            let expected: f64 = g.iter().zip(&way).map(|(g, w)| dot(*g, *w)).sum();
            assert!((slope - expected).abs() < 1e-5 * size, "{slope} {expected}");
            let mut form = 0.0;
            for i in 0..n {
                let product: f64 = (0..n).map(|j| dense[i * n + j] * way[j / 3][j % 3]).sum();
                let difference = (more.1[i / 3][i % 3] - less.1[i / 3][i % 3]) / (2.0 * e);
                assert!((difference - product).abs() < 1e-3 * stiff, "{difference} {product}");
                form += way[i / 3][i % 3] * product;
            }
            assert!(form > -1e-9 * stiff, "{form}");
        }
    }
}

#[test]
fn forces_at_both_sides_are_opposite_and_their_moment_is_that_of_the_gap() {
    let (_, model, x) = jittered(3);
    let v: Vec<Vec3> =
        x.iter().map(|x| if x[1] > 1.01 { [3.0, 0.0, 1.0] } else { [0.0; 3] }).collect();
    let memory = at_rest(&model, &x);
    let (_, g) = evaluate(&model, &step(&x, &v, &x, &memory));
    let size: f64 = g.iter().map(|g| norm(*g)).sum();
    assert!(size > 0.0 && norm(sum(&g)) < 1e-14 * size);
    let moments: Vec<Vec3> = x.iter().zip(&g).map(|(x, g)| cross(*x, *g)).collect();
    assert!(norm(sum(&moments)) < TOUCH.distance * size);
    // In all, it is μ times the pressure: all normals are within a few degrees of each other.
    let upper: Vec<Vec3> = g.iter().zip(&x).filter(|(_, x)| x[1] > 1.01).map(|(g, _)| *g).collect();
    let (normal, _, _) = jittered(3);
    let mut sums = Resultants::default();
    normal.resultants(&x, None, &mut Workspace::new(), &mut sums);
    let pressed = sums.get([0, 1]).unwrap().force[1];
    let ratio = norm(sum(&upper)) / pressed.abs();
    assert!((ratio / MU - 1.0).abs() < 0.02, "{ratio}");
}

/// A small triangle whose lowest vertex is a tip at this place.
fn tip([x, y, z]: Vec3) -> SurfaceMesh {
    SurfaceMesh::new(vec![[x, y, z], [x + 0.1, y + 0.9, z], [x, y + 0.9, z + 0.1]], vec![[0, 1, 2]])
}

/// The friction on a tip that slides along `way`, and the normal force on it, N.
fn on_tip(floor: &SurfaceMesh, at: Vec3, way: Vec3) -> (Vec3, Vec3) {
    let (normal, model, x) = friction(&[floor.clone(), tip(at)]);
    let first = x.len() - 3;
    let v: Vec<Vec3> = (0..x.len()).map(|i| if i >= first { way } else { [0.0; 3] }).collect();
    let memory = at_rest(&model, &x);
    let at = step(&x, &v, &x, &memory);
    (sum(&evaluate(&model, &at).1[first..]), sum(&evaluate(&normal, &at).1[first..]))
}

#[test]
fn friction_is_that_of_the_pressure_wherever_a_vertex_passes() {
    // Over the inner edges and corners of a flat face, right on them too.
    let floor = cube(2, [0.0; 3]);
    for k in 0..=200 {
        let t = f64::from(k) / 200.0;
        let at = [0.2 + 0.6 * t, 1.03, 0.2 + 0.6 * t * t];
        let (rubs, presses) = on_tip(&floor, at, [1.0, 0.0, 0.0]);
        assert!(presses[1].abs() > 0.0);
        let ratio = rubs[0] / norm(presses) / MU;
        assert!((ratio - 1.0).abs() < 1e-12, "{t}: {ratio}");
    }
}

#[test]
fn a_vertex_in_a_groove_rubs_along_both_sides() {
    let groove = SurfaceMesh::new(
        vec![
            [-1.0, 1.0, 0.0],
            [-1.0, 1.0, 1.0],
            [0.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [1.0, 1.0, 0.0],
            [1.0, 1.0, 1.0],
        ],
        vec![[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]],
    );
    let root = std::f64::consts::SQRT_2;
    // 0.04 from both sides, and too far from the edge between them to feel it.
    let (rubs, presses) = on_tip(&groove, [0.0, 0.04 * root, 0.4], [0.0, 0.0, 1.0]);
    let ratio = rubs[2] / norm(presses);
    assert!((ratio / (MU * root) - 1.0).abs() < 1e-12, "{ratio}");
    // Where it feels the edge too, which is counted off, friction is that of the sum with signs. A wide tip, so that edges
    // have little of the pressure.
    let narrow: Vec<Vec3> = groove.vertices.iter().map(|v| scale(*v, 0.3)).collect();
    let narrow = SurfaceMesh::new(narrow, groove.triangles);
    let y = 0.02 * root;
    let wide = vec![[0.0, y, 0.12], [1.0, y + 1.4, 0.12], [-1.0, y + 1.4, 0.12]];
    let (normal, model, x) = friction(&[narrow, SurfaceMesh::new(wide, vec![[0, 1, 2]])]);
    let first = x.len() - 3;
    let v: Vec<Vec3> = (0..x.len()).map(|i| [0.0, 0.0, f64::from(u8::from(i >= first))]).collect();
    let memory = at_rest(&model, &x);
    let at = step(&x, &v, &x, &memory);
    let [rubs, presses] =
        [&model as &dyn ForceModel, &normal].map(|m| sum(&evaluate(m, &at).1[first..]));
    let [side, edge] = [0.02, y].map(|d| Barrier::Log.pressure(d / TOUCH.distance));
    let expected = MU * (2.0 * side - edge) / (root * side - edge);
    let ratio = rubs[2] / norm(presses);
    println!("{ratio} {expected}");
    assert!((ratio / expected - 1.0).abs() < 0.03, "{ratio} {expected}");
}

#[test]
fn slips_are_kept_from_one_triangle_to_the_next_and_forgotten_when_contact_is_lost() {
    let (_, model, x) = friction(&[cube(2, [0.0; 3]), tip([0.49, 1.03, 0.24])]);
    let first = x.len() - 3;
    let moved = |by: Vec3| {
        let mut x = x.clone();
        x[first..].iter_mut().for_each(|x| *x = add(*x, by));
        x
    };
    let sliding = |v: Vec3| (0..x.len()).map(|i| if i < first { [0.0; 3] } else { v }).collect();
    let still: Vec<Vec3> = vec![[0.0; 3]; x.len()];
    // It slips by 1.5 ε, of which ε is kept, and the work is that of the force and the way.
    let way = [1.5 * STICK, 0.0, 0.0];
    let v: Vec<Vec3> = sliding(scale(way, 1.0 / H));
    let (end, none) = (moved(way), at_rest(&model, &x));
    let at = step(&x, &v, &end, &none);
    let (memory, work) = remember(&model, &at);
    let (_, g) = evaluate(&model, &at);
    let force = sum(&g[first..])[0];
    assert!((work / (force * way[0]) - 1.0).abs() < 1e-12, "{work}");
    assert_eq!(ContactFriction::work(&memory), work);
    assert!((memory.keyed.values()[0] / STICK - 1.0).abs() < 1e-12);
    // Two centimetres further, over another triangle, it is held back as far as it was: by all of μ λ.
    let memory = [memory];
    let over = moved([0.02, 0.0, 0.0]);
    let held = sum(&evaluate(&model, &step(&over, &still, &over, &memory)).1[first..])[0];
    assert!((held / force - 1.0).abs() < 1e-12, "{held} {force}");
    assert!(model.stored(&over, &memory[0], &mut Workspace::new()) > 0.0);
    // Lifted off, and put down again.
    let up = moved([0.0, 0.2, 0.0]);
    let (memory, _) = remember(&model, &step(&up, &still, &up, &memory));
    assert!(memory.keyed.is_empty());
    assert_eq!(ContactFriction::work(&memory), work);
    let held = evaluate(&model, &step(&over, &still, &over, &[memory])).1;
    assert!(held.iter().all(|g| *g == [0.0; 3]));
}

#[test]
fn slips_turn_with_the_bodies_that_stick() {
    let (_, model, x) = friction(&[cube(1, [0.0; 3]), tip([0.3, 1.02, 0.2])]);
    let first = x.len() - 3;
    let slip = [0.6 * STICK, 0.0, 0.5 * STICK];
    let v: Vec<Vec3> =
        (0..x.len()).map(|i| if i < first { [0.0; 3] } else { scale(slip, 1.0 / H) }).collect();
    let mut memory = [remember(&model, &step(&x, &v, &x, &at_rest(&model, &x))).0];
    // By 90° about z, degree by degree, without slipping.
    let still: Vec<Vec3> = vec![[0.0; 3]; x.len()];
    let turned = |angle: f64, x: Vec3| {
        let (sine, cosine) = angle.to_radians().sin_cos();
        [cosine * x[0] - sine * x[1], sine * x[0] + cosine * x[1], x[2]]
    };
    for degree in 1..=90 {
        let x: Vec<Vec3> = x.iter().map(|x| turned(f64::from(degree), *x)).collect();
        memory = [remember(&model, &step(&x, &still, &x, &memory)).0];
    }
    let kept: Vec3 = std::array::from_fn(|k| memory[0].keyed.values()[k]);
    let expected = turned(90.0, slip);
    let off = norm(add_scaled(kept, expected, -1.0)) / norm(slip);
    assert!(off < 1e-12, "{kept:?} {expected:?}");
}
