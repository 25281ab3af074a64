//! Contact with shapes: distances, bounds of motions, forces as gradients, friction.

use std::sync::Arc;

use pliant_algebra::vec3::{Vec3, add, add_scaled, norm, scale, sub};
use pliant_contact::analytic::ShapeContact;
use pliant_contact::analytic::gap::gaps;
use pliant_contact::analytic::motion::safe_time;
use pliant_contact::barrier::Barrier;
use pliant_contact::normal::Touch;
use pliant_forces::obstacles::{Shape, Side};
use pliant_forces::{Ask, Configuration, ForceError, ForceModel, StepStart, Workspace};
use pliant_mesh::generate::BoxShape;
use pliant_mesh::topology::boundary;

use crate::broad::surface;
use crate::common::Random;

const TOUCH: Touch = Touch { distance: 0.05, stiffness: 1e4 };

fn shapes() -> Vec<Shape> {
    let (from, to) = ([-0.5, 0.1, 0.2], [0.6, 0.4, -0.1]);
    let mut list = vec![Shape::Plane { point: [0.0, 0.1, 0.0], normal: [0.3, 2.0, 0.1] }];
    for side in [Side::Outside, Side::Inside] {
        list.extend([
            Shape::Sphere { centre: [0.1, 0.0, 0.2], radius: 0.7, side },
            Shape::Box { min: [-0.6, -0.5, -0.4], max: [0.5, 0.6, 0.7], side },
            Shape::Capsule { from, to, radius: 0.6, side },
            Shape::Cylinder { from, to, radius: 0.6, side },
        ]);
    }
    list
}

/// The least gap.
fn gap(shape: &Shape, x: Vec3) -> f64 {
    let mut least = f64::INFINITY;
    gaps(shape, x, |gap| least = least.min(gap.distance));
    least
}

#[test]
fn gaps_are_distances_with_their_derivatives() {
    let mut random = Random(5);
    for shape in shapes() {
        for _ in 0..300 {
            let x = scale(random.point(), 1.6);
            let mut list = Vec::new();
            gaps(&shape, x, |gap| list.push(gap));
            for (k, found) in list.iter().enumerate().filter(|(_, gap)| gap.distance > 1e-3) {
                assert!((norm(found.normal) - 1.0).abs() < 1e-14, "{shape:?}");
                let wall = |x: Vec3| {
                    let mut list = Vec::new();
                    gaps(&shape, x, |gap| list.push(gap));
                    list[k]
                };
                let h = 1e-6;
                for axis in 0..3 {
                    let mut e = [0.0; 3];
                    e[axis] = h;
                    let (up, down) = (wall(add(x, e)), wall(sub(x, e)));
                    let slope = (up.distance - down.distance) / (2.0 * h);
                    assert!((slope - found.normal[axis]).abs() < 1e-8, "{shape:?} {x:?}");
                    let kinked = norm(sub(up.normal, down.normal)) > 1e-3;
                    for i in 0..3 {
                        let bend = (up.normal[i] - down.normal[i]) / (2.0 * h);
                        let error = (bend - found.hessian.0[i][axis]).abs();
                        // At the border of two regions the second derivative jumps.
                        let border = (wall(add(x, scale(e, 10.0))).hessian.0[i][axis]
                            - wall(sub(x, scale(e, 10.0))).hessian.0[i][axis])
                            .abs()
                            > 1e-2;
                        let wrong = error > 1e-6 * (1.0 + bend.abs()) && !kinked && !border;
                        assert!(!wrong, "{shape:?} {x:?} {i} {axis}: {bend} {error:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn no_point_enters_a_shape_that_moves_as_far_as_it_may() {
    let mut random = Random(6);
    for shape in shapes() {
        let (mut stopped, mut early) = (0, 0);
        for _ in 0..4000 {
            let (x, by) = (scale(random.point(), 1.5), scale(random.point(), 2.0));
            let start = gap(&shape, x);
            if start <= 1e-6 {
                continue;
            }
            let time = safe_time(&shape, x, by, 1.0);
            let samples = 400;
            for k in 0..=samples {
                let t = time * f64::from(k) / f64::from(samples);
                assert!(gap(&shape, add_scaled(x, by, t)) > 0.0, "{shape:?} {x:?} {by:?} {t}");
            }
            // Stopped near the surface, and where something is in the way.
            if time < 1.0 {
                stopped += 1;
                let at = |t: f64| gap(&shape, add_scaled(x, by, t));
                let far =
                    if shape.is_room() { at(time / 0.75) > 0.0 } else { at(time) > 0.5 * start };
                early += usize::from(far);
            }
        }
        assert!(stopped > 150 && 20 * early <= stopped, "{shape:?}: {stopped} {early}");
        assert_eq!(safe_time(&shape, [0.0; 3], [1.0; 3], 1.0) > 0.0, gap(&shape, [0.0; 3]) > 0.0);
    }
}

/// A cube with one corner or edge or face near a shape.
fn model(shape: Shape, seed: u64) -> Option<(ShapeContact, Vec<Vec3>)> {
    let mut random = Random(seed);
    let cube = BoxShape { size: [0.4; 3], cells: [2; 3], ..BoxShape::default() };
    let mut mesh = boundary(&cube.generate().unwrap()).surface;
    let (s, c) = (random.unit() * 1.5).sin_cos();
    let push = scale(random.point(), 0.4);
    for v in &mut mesh.vertices {
        let [x, y, z] = [0, 1, 2].map(|k| v[k] - 0.2);
        *v = add([c * x - s * y, s * x + c * y, z + 0.2 * x], push);
    }
    // Out along the normal at its middle until it is near the shape.
    for k in 0..4000 {
        let out = f64::from(k) * 1e-3;
        let mut way = [0.0, 1.0, 0.0];
        gaps(&shape, push, |gap| way = gap.normal);
        if shape.is_room() {
            way = [0.0; 3];
        }
        let moved: Vec<Vec3> = mesh.vertices.iter().map(|v| add_scaled(*v, way, out)).collect();
        let least = moved.iter().map(|v| gap(&shape, *v)).fold(f64::INFINITY, f64::min);
        if least > 0.004 {
            mesh.vertices = moved;
            let (surface, x) = surface(&[mesh]);
            let touch = Touch { distance: least + 0.05, ..TOUCH };
            let contact = ShapeContact::new("it", shape, Arc::new(surface), &[touch], &[0]);
            return Some((contact.unwrap(), x));
        }
    }
    None
}

#[test]
fn forces_are_the_gradient_of_the_energy() {
    let mut tested = 0;
    for (k, shape) in shapes().into_iter().enumerate() {
        for seed in 0..3 {
            let Some((model, x)) = model(shape, 17 * k as u64 + seed) else { continue };
            let v = vec![[0.0; 3]; x.len()];
            // Areas are those of the start of the step.
            let start = Some(StepStart { x: &x, v: &v, time: 0.0, step: 0.01 });
            let energy = |x: &[Vec3]| {
                let mut energy = 0.0;
                let mut ask = Ask { energy: Some(&mut energy), ..Ask::default() };
                let at = Configuration { start, ..Configuration::new(x, &v, 0.01) };
                model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
                energy
            };
            let mut g = v.clone();
            let mut ask = Ask { gradient: Some(&mut g), ..Ask::default() };
            let at = Configuration::new(&x, &v, 0.0);
            model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
            let size = g.iter().fold(0.0, |size: f64, g| size.max(norm(*g)));
            tested += usize::from(size > 0.0);
            let h = 1e-6;
            for i in 0..x.len() {
                for k in 0..3 {
                    let at = |s: f64| {
                        let mut x = x.clone();
                        x[i][k] += s * h;
                        energy(&x)
                    };
                    let slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
                    let error = (slope - g[i][k]).abs();
                    assert!(error <= 1e-6 * size + 1e-9, "{shape:?} {seed}: {slope} {}", g[i][k]);
                }
            }
        }
    }
    assert!(tested > 15, "{tested}");
}

#[test]
fn a_face_on_a_plane_has_the_pressure_of_the_gap() {
    let cube = BoxShape { size: [1.0; 3], cells: [3, 2, 4], ..BoxShape::default() };
    let (surface, mut x) = surface(&[boundary(&cube.generate().unwrap()).surface]);
    let low = x.iter().fold(f64::INFINITY, |low, x| low.min(x[1]));
    for x in &mut x {
        x[1] += 0.03 - low;
    }
    let model =
        ShapeContact::new("floor", Shape::floor(0.0), Arc::new(surface), &[TOUCH], &[0]).unwrap();
    let mut g = vec![[0.0; 3]; x.len()];
    let v = g.clone();
    let mut ask = Ask { gradient: Some(&mut g), ..Ask::default() };
    let at = Configuration::new(&x, &v, 0.0);
    let mut work = Workspace::new();
    model.evaluate(&at, &mut ask, &mut work).unwrap();
    let total = g.iter().fold([0.0; 3], |sum, g| add(sum, *g));
    // The sides do not count.
    let expected = -1e4 * Barrier::Log.pressure(0.6);
    assert!((total[1] / expected - 1.0).abs() < 1e-12, "{total:?} {expected}");
    assert!((model.survey(&x, &mut work).area - 1.0).abs() < 1e-12);
    // Pushed down it is stopped above the floor, and is told of.
    let down = vec![[0.0, -0.1, 0.0]; x.len()];
    let reach = model.admissible(&at, &down, 1.0, &mut work).unwrap();
    assert!(reach > 0.2 && reach < 0.3, "{reach}");
    let told = model.obstruction(&at, &down, 1.0, &mut work);
    assert!(matches!(told, Some(ForceError::Obstacle { inside: false, .. })), "{told:?}");
    for x in &mut x {
        x[1] -= 0.05;
    }
    let told = model.check_end(&x, &mut work);
    assert!(matches!(told, Err(ForceError::Obstacle { inside: true, .. })), "{told:?}");
}
