//! Friction along obstacles: Coulomb's law, derivatives, the velocity it acts by.

use crate::checks;

use checks::{Random, Storage, dense, eigenvalues, flat, gradient, mul, state, sweep};
use pliant_algebra::vec3::{Vec3, dot, norm, scale, sub};
use pliant_forces::obstacles::{Friction, Obstacle, Shape, Side, Stepping};
use pliant_forces::{Ask, Configuration, ForceModel, Keyed, Memory, StepStart, Tried, Workspace};

const MU: f64 = 0.3;
/// Stick length, and the step with which it makes a stick speed of 0.1 m/s.
const STICK: f64 = 0.001;
const STEP: f64 = 0.01;
const STIFFNESS: f64 = 1000.0;
const SMOOTHING: f64 = 0.001;

fn floor(count: u32) -> Obstacle {
    let all: Vec<u32> = (0..count).collect();
    Obstacle::new(Shape::floor(0.0), STIFFNESS, SMOOTHING, &all, count as usize).unwrap()
}

fn friction(obstacle: &Obstacle, count: usize, stepping: Stepping) -> Friction {
    Friction::new(obstacle, MU, STICK, stepping, &vec![2.0; count]).unwrap()
}

fn potential(model: &Friction, at: Configuration<'_>) -> f64 {
    let mut sum = 0.0;
    let mut ask = Ask { rate_potential: Some(&mut sum), ..Ask::default() };
    model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
    sum
}

/// At depth p the normal force is k (p − ε/2).
fn normal_force(depth: f64) -> f64 {
    STIFFNESS * (depth - 0.5 * SMOOTHING)
}

#[test]
fn what_slides_is_held_back_by_the_coefficient_times_the_normal_force() {
    let model = friction(&floor(1), 1, Stepping::Stages(STEP));
    let x = [[0.3, -0.02, 0.1]];
    for speed in [0.1, 0.5, 7.0] {
        let v = [[0.6 * speed, -3.0, 0.8 * speed]];
        let g = gradient(&model, state(&x, &v, 0.0))[0];
        let force = MU * normal_force(0.02);
        assert!((g[0] - 0.6 * force).abs() < 1e-12 * force, "{g:?}");
        assert!((g[2] - 0.8 * force).abs() < 1e-12 * force && g[1] == 0.0, "{g:?}");
    }
    // Half of the stick speed: f₁ = 2 · ½ − ¼.
    let slow = gradient(&model, state(&x, &[[0.05, 0.0, 0.0]], 0.0))[0][0];
    assert!((slow / (MU * normal_force(0.02)) - 0.75).abs() < 1e-12);
    // At rest, and where nothing is touched, there is none.
    assert_eq!(gradient(&model, state(&x, &[[0.0; 3]], 0.0)), [[0.0; 3]]);
    assert_eq!(gradient(&model, state(&[[0.0, 0.01, 0.0]], &[[1.0; 3]], 0.0)), [[0.0; 3]]);
}

#[test]
fn friction_is_the_gradient_of_its_potential_and_its_tangent_that_of_friction() {
    let ball = Shape::Sphere { centre: [0.1, -0.1, 0.2], radius: 0.8, side: Side::Outside };
    let room = Shape::Box { min: [-0.4; 3], max: [0.4; 3], side: Side::Inside };
    for shape in [Shape::floor(0.2), ball, room] {
        let n = 20;
        let all: Vec<u32> = (0..n).collect();
        let obstacle = Obstacle::new(shape, 30.0, 0.3, &all, n as usize).unwrap();
        let mut random = Random(41);
        let (start, v0) = (random.vectors(n as usize, 0.6), random.vectors(n as usize, 0.2));
        let x = random.vectors(n as usize, 0.6);
        // Slow and fast ones, on both sides of the stick speed.
        let v: Vec<Vec3> =
            (1..=n).map(|i| scale([0; 3].map(|_| random.next()), 0.03 * f64::from(i))).collect();
        let slips = flat(&random.vectors(n as usize, 0.5 * STICK));
        let memory = [Memory { numbers: slips, ..Memory::default() }];
        for (stepping, elapsed) in
            [(Stepping::End, 0.005), (Stepping::End, STEP), (Stepping::Explicit(STEP), 0.005)]
        {
            let mut model = friction(&obstacle, n as usize, stepping);
            let begun = StepStart { x: &start, v: &v0, time: 1.0, step: STEP };
            fn moving<'a>(
                (begun, memory): (StepStart<'a>, &'a [Memory]),
                x: &'a [Vec3],
                v: &'a [Vec3],
                time: f64,
            ) -> Configuration<'a> {
                Configuration { start: Some(begun), memory, ..state(x, v, time) }
            }
            let begun = (begun, &memory[..]);
            let time = 1.0 + elapsed;
            let direction = random.vectors(n as usize, 1.0);
            let along = |s: f64| checks::add_all(&v, &direction, s);
            let g = gradient(&model, moving(begun, &x, &v, time));
            let slope: f64 = g.iter().zip(&direction).map(|(&g, &d)| dot(g, d)).sum();
            assert!(slope.abs() > 1e-3);
            sweep("potential", 0.005, &[slope], |s| {
                vec![potential(&model, moving(begun, &x, &along(s), time))]
            });
            let tangent =
                dense(&mut model, moving(begun, &x, &v, time), (1.0, 1.0), false, Storage::Upper)
                    .unwrap();
            let exact = mul(&tangent, &flat(&direction));
            sweep("tangent", 0.005, &exact, |s| {
                flat(&gradient(&model, moving(begun, &x, &along(s), time)))
            });
            let lowest = eigenvalues(tangent)[0];
            assert!(lowest > -1e-9, "{shape:?}: {lowest}");
        }
    }
}

#[test]
fn normal_forces_are_those_of_the_start_of_the_step() {
    let model = friction(&floor(1), 1, Stepping::Stages(0.1));
    let (start, v) = ([[0.0, -0.02, 0.0]], [[1.0, 0.0, 0.0]]);
    let begun = StepStart { x: &start, v: &v, time: 0.0, step: 0.1 };
    let at = Configuration { start: Some(begun), ..state(&[[0.1, -0.5, 0.0]], &v, 0.1) };
    let g = gradient(&model, at)[0][0];
    assert!((g - MU * normal_force(0.02)).abs() < 1e-12);
}

#[test]
fn implicit_steps_are_held_back_by_the_velocity_of_their_end() {
    let (start, v0) = ([[0.0, -0.02, 0.0]], [[1.0, 0.0, 0.0]]);
    let begun = StepStart { x: &start, v: &v0, time: 2.0, step: 0.1 };
    // The mean of 1 and −1 is no motion; the end goes back.
    let middle = Configuration { start: Some(begun), ..state(&start, &[[0.0; 3]], 2.05) };
    let whole = MU * normal_force(0.02);
    let g = gradient(&friction(&floor(1), 1, Stepping::End), middle)[0][0];
    assert!((g + whole).abs() < 1e-12, "{g}");
    assert_eq!(gradient(&friction(&floor(1), 1, Stepping::Stages(0.1)), middle)[0][0], 0.0);
}

#[test]
fn explicit_steps_never_turn_a_vertex_round() {
    let (h, mass) = (0.01, 2.0);
    let model = friction(&floor(1), 1, Stepping::Explicit(h));
    for depth in [0.001, 0.01, 0.5] {
        for speed in [1e-4, 0.01, 0.1, 0.3, 2.0] {
            let (x, v) = ([[0.0, -depth, 0.0]], [[0.0, 0.0, speed]]);
            let g = gradient(&model, state(&x, &v, 0.0))[0];
            let after = sub(v[0], scale(g, h / mass))[2];
            assert!(after >= -1e-15 && after < speed, "{depth} {speed}: {after}");
        }
    }
    // A fast one loses what Coulomb says.
    let g = gradient(&model, state(&[[0.0, -0.02, 0.0]], &[[9.0, 0.0, 0.0]], 0.0))[0];
    assert!((norm(g) - MU * normal_force(0.02)).abs() < 1e-12);
}

#[test]
fn bad_friction_is_refused_by_name() {
    let message = |mu, stick, stepping| {
        Friction::new(&floor(1), mu, stick, stepping, &[1.0]).unwrap_err().to_string()
    };
    assert!(message(-0.1, 1.0, Stepping::End).starts_with("obstacle: friction = -0.1"));
    assert!(message(0.1, 0.0, Stepping::End).starts_with("obstacle: stick length of friction = 0"));
    assert!(message(0.1, 1.0, Stepping::Stages(0.0)).starts_with("obstacle: time step = 0"));
    assert!(message(0.1, 1.0, Stepping::Explicit(0.0)).starts_with("obstacle: time step = 0"));
    let model = friction(&floor(1), 1, Stepping::End);
    let bad = [[f64::NAN, -0.1, 0.0]];
    let at = state(&[[0.0, -0.1, 0.0]], &bad, 0.0);
    assert!(model.evaluate(&at, &mut Ask::default(), &mut Workspace::new()).is_err());
}

/// What a vertex remembers after a step with the velocity v, and what friction has dissipated.
fn remembered(model: &Friction, slip: Vec3, x: Vec3, v: Vec3) -> (Vec3, f64) {
    let memory = [Memory { numbers: slip.to_vec(), ..Memory::default() }];
    let (start, v) = ([x], [v]);
    let end = [std::array::from_fn(|k| x[k] + STEP * v[0][k])];
    let begun = StepStart { x: &start, v: &v, time: 0.0, step: STEP };
    let at = Configuration { start: Some(begun), memory: &memory, ..state(&end, &v, STEP) };
    let (mut numbers, mut keyed, mut dissipated) = ([f64::NAN; 3], Keyed::new(0), 0.0);
    let mut ask = Ask {
        dissipated: Some(&mut dissipated),
        memory: Some(Tried { numbers: &mut numbers, keyed: &mut keyed }),
        ..Ask::default()
    };
    model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
    (numbers, dissipated)
}

#[test]
fn what_sticks_is_held_without_a_velocity_and_what_slides_forgets_all_but_the_stick_length() {
    let model = friction(&floor(1), 1, Stepping::End);
    let (inside, whole) = ([0.0, -0.02, 0.0], MU * normal_force(0.02));
    // Within the stick length all is remembered, along the floor; f₁(½) = ¾ holds it at rest.
    let (slip, dissipated) = remembered(&model, [0.4 * STICK, 0.0, 0.0], inside, [0.01, -3.0, 0.0]);
    assert!(norm(sub(slip, [0.5 * STICK, 0.0, 0.0])) < 1e-18, "{slip:?}");
    assert!((dissipated - 0.75 * whole * 1e-4).abs() < 1e-15, "{dissipated}");
    let memory = [Memory { numbers: slip.to_vec(), ..Memory::default() }];
    let (x, still) = ([inside], [[0.0; 3]]);
    let at = Configuration { memory: &memory, ..state(&x, &still, 0.0) };
    let g = gradient(&model, at)[0];
    assert!((g[0] - 0.75 * whole).abs() < 1e-12 && g[1] == 0.0, "{g:?}");
    // Beyond, its length is cut and its direction is that of the way.
    let (slip, dissipated) = remembered(&model, [0.0, 0.0, STICK], inside, [3.0, 0.0, 3.9]);
    assert!(norm(sub(slip, scale([0.6, 0.0, 0.8], STICK))) < 1e-18, "{slip:?}");
    assert!((dissipated - whole * (0.6 * 0.03 + 0.8 * 0.039)).abs() < 1e-14);
    // In the air nothing is.
    let (slip, dissipated) = remembered(&model, [STICK; 3], [0.0, 0.02, 0.0], [1.0; 3]);
    assert_eq!((slip, dissipated), ([0.0; 3], 0.0));
}
