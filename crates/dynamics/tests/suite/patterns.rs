//! Patterns that change: everything that hangs on the pattern follows, and results are those of a system that
//! had the larger pattern from the start.

use crate::common;

use std::sync::Arc;

use common::{Body, DENSITY, distance, strict};
use pliant_algebra::sparse::{BlockMatrix, Pattern, Slot};
use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_dynamics::{
    Acting, Constraints, DynamicsError, Form, IntegratorName, Mass, NewtonSettings, Options, Role,
    State, System, Weights,
};
use pliant_forces::corotated::{CorotatedLeast, FrameTangent};
use pliant_forces::damping::{LinearDamping, Viscous};
use pliant_forces::loads::{Faces, Pressure, Shear, TimeCurve};
use pliant_forces::springs::{
    Attachments, DampingTangent, Grab, Grabs, Point, Springs, Stiffness, mesh_springs,
};
use pliant_forces::{
    Ask, Change, Character, Configuration, Couplings, ElementName, ForceError, ForceModel,
    Parameters, Slots, Workspace, finite_difference_check,
};

/// When links hold.
#[derive(Clone, Copy)]
enum Rule {
    /// From one time to another, s.
    Between(f64, f64),
    /// While the ends are nearer to each other than this, m.
    Near(f64),
}

/// Springs ½ k |u_i − u_j|² between pairs of vertices, of which some hold at a time.
struct Links {
    pairs: Vec<(u32, u32)>,
    rest: Vec<Vec3>,
    stiffness: f64,
    rule: Rule,
    /// Names all pairs at all times, not those alone that hold.
    all_declared: bool,
    holding: Vec<bool>,
    /// Slots of (i, i), (j, j), and (i, j) in the triangle that is stored, of the pairs that are named.
    slots: Vec<Option<[u32; 3]>>,
}

impl Links {
    fn new(pairs: &[(u32, u32)], rest: &[Vec3], rule: Rule, all_declared: bool) -> Self {
        Self {
            pairs: pairs.to_vec(),
            rest: rest.to_vec(),
            stiffness: 400.0,
            rule,
            all_declared,
            holding: vec![false; pairs.len()],
            slots: vec![None; pairs.len()],
        }
    }

    fn named(&self) -> impl Iterator<Item = (usize, (u32, u32))> {
        let named = |&(k, _): &(usize, _)| self.all_declared || self.holding[k];
        self.pairs.iter().copied().enumerate().filter(named)
    }
}

impl ForceModel for Links {
    fn name(&self) -> &'static str {
        "links"
    }
    fn character(&self) -> Character {
        Character { couplings: Couplings::Changing, ..Character::POTENTIAL }
    }
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.named().for_each(|(_, (i, j))| couple(i.min(j), i.max(j)));
    }
    fn begin(&mut self, at: &Configuration<'_>) -> Result<Change, ForceError> {
        let holds = |&(i, j): &(u32, u32)| match self.rule {
            Rule::Between(from, to) => {
                // By the start of the step, also where it is asked within a solve.
                let time = at.start.map_or(at.time, |start| start.time);
                (from - 1e-9..to - 1e-9).contains(&time)
            }
            Rule::Near(reach) => norm(sub(at.x[i as usize], at.x[j as usize])) < reach,
        };
        let holding: Vec<bool> = self.pairs.iter().map(holds).collect();
        let changed = holding != self.holding && !self.all_declared;
        self.holding = holding;
        Ok(if changed { Change::Couplings } else { Change::Same })
    }
    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        assert!(slots.one_triangle());
        self.slots = vec![None; self.pairs.len()];
        for (k, (i, j)) in self.named().collect::<Vec<_>>() {
            let of = |i, j| slots.get(i, j).map(Slot::index);
            self.slots[k] = Some([of(i, i)?, of(j, j)?, of(i, j)?]);
        }
        Ok(())
    }
    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        for (k, &(i, j)) in self.pairs.iter().enumerate().filter(|&(k, _)| self.holding[k]) {
            let (i, j) = (i as usize, j as usize);
            let u = sub(sub(at.x[i], self.rest[i]), sub(at.x[j], self.rest[j]));
            if let Some(energy) = ask.energy.as_deref_mut() {
                *energy += 0.5 * self.stiffness * u.iter().map(|u| u * u).sum::<f64>();
            }
            if let Some(g) = ask.gradient.as_deref_mut() {
                for c in 0..3 {
                    g[i][c] += self.stiffness * u[c];
                    g[j][c] -= self.stiffness * u[c];
                }
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                let slots = self.slots[k].expect("bound after a change");
                for (slot, sign) in slots.into_iter().zip([1.0, 1.0, -1.0]) {
                    for c in [0, 4, 8] {
                        tangent[slot as usize][c] += ask.position_weight * sign * self.stiffness;
                    }
                }
            }
        }
        Ok(())
    }
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

/// Pairs of vertices of different cells, both ways round.
fn far_pairs(body: &Body) -> Vec<(u32, u32)> {
    let (near, far) = (body.at_x(0.25), body.at_x(1.0));
    let pairs: Vec<(u32, u32)> = near.into_iter().zip(far).collect();
    assert!(pairs.len() >= 4);
    pairs.iter().enumerate().map(|(k, &(i, j))| if k % 2 == 0 { (i, j) } else { (j, i) }).collect()
}

/// A clamped bar damped by its stiffness, with the consistent mass or a lumped one, and links.
fn linked(rule: Rule, all_declared: bool, consistent: bool) -> (System, State) {
    let body = Body::bar("neo-hookean", [4, 1, 1], 0.3).with_gravity([0.0, -2.0, 0.0]).clamped();
    let links = Links::new(&far_pairs(&body), &body.rest, rule, all_declared);
    let body = body.with_model(Role::Other, Box::new(links)).damped(2e-3);
    let (system, mut state) = if consistent { body.consistent_system() } else { body.system() };
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        // Zero at the clamped end.
        *v = [0.2 * x[0], 0.5 * x[0] * x[0], 0.0];
    }
    (system, state)
}

/// The blocks of the bar without links.
fn base() -> Arc<Pattern> {
    Body::bar("neo-hookean", [4, 1, 1], 0.3).system().0.pattern().clone()
}

fn run_both(name: IntegratorName, options: &Options, h: f64, consistent: bool, tolerance: f64) {
    // Links hold in steps 3 to 6 (of 10).
    let rule = Rule::Between(3.0 * h, 7.0 * h);
    let (mut changing, mut a) = linked(rule, false, consistent);
    let (mut whole, mut b) = linked(rule, true, consistent);
    let (small, large) = (changing.pattern().blocks(), whole.pattern().blocks());
    assert!(*changing.pattern() == base() && large > small);
    let mut one = name.build(options).unwrap();
    let mut other = name.build(options).unwrap();
    for step in 0..10 {
        one.step(&mut changing, &mut a, h).unwrap();
        other.step(&mut whole, &mut b, h).unwrap();
        let expected = if (3..7).contains(&step) { large } else { small };
        assert_eq!(changing.pattern().blocks(), expected, "{} step {step}", name.name());
        assert_eq!(whole.pattern().blocks(), large);
        let off = distance(&a.x, &b.x).max(h * distance(&a.v, &b.v));
        assert!(off <= tolerance, "{} step {step}: {off:e}", name.name());
    }
    assert!(*changing.pattern() == base(), "nothing is left of the links");
    // The links did something.
    let (mut free, mut c) = linked(Rule::Between(1e3, 1e4), false, consistent);
    let mut third = name.build(options).unwrap();
    for _ in 0..10 {
        third.step(&mut free, &mut c, h).unwrap();
    }
    assert!(distance(&a.x, &c.x) > 1e3 * tolerance, "{}", name.name());
}

#[test]
fn couplings_that_change_between_steps_give_the_motion_of_the_larger_pattern() {
    use IntegratorName as I;
    for consistent in [false, true] {
        for name in [I::BackwardEuler, I::Newmark, I::Bdf2, I::ImplicitMidpoint, I::Rosenbrock2] {
            run_both(name, &strict(), 0.02, consistent, 1e-12);
        }
        // Explicit methods factor the consistent mass, and the explicit Newmark method the damping too.
        for name in [I::Rk4, I::CentralDifferences, I::ExplicitNewmark] {
            run_both(name, &strict(), 1e-3, consistent, 1e-12);
        }
    }
}

#[test]
fn a_kept_jacobian_is_made_anew_when_the_pattern_changes() {
    let newton = NewtonSettings { form: Form::KEPT, ..strict().newton };
    let options = Options { newton, ..strict() };
    for consistent in [false, true] {
        run_both(IntegratorName::BackwardEuler, &options, 0.02, consistent, 1e-12);
    }
}

fn matrix_of(system: &mut System, at: &Configuration<'_>) -> (Vec<f64>, Vec<Vec3>) {
    let mut matrix = BlockMatrix::zero(system.pattern().clone());
    let weights = Weights { mass: 1.0, position: 0.1, velocity: 0.4 };
    system.tangent(at, weights, false, &mut matrix).unwrap();
    system.constraints().project(&mut matrix);
    let mut g = vec![[0.0; 3]; at.x.len()];
    system.forces(at, &mut g, true).unwrap();
    (matrix.to_dense(), g)
}

/// As nonlinear solvers do: [`System::follow_couplings`] at every iterate.
#[test]
fn couplings_that_change_within_a_solve_give_the_matrices_of_the_larger_pattern() {
    for consistent in [false, true] {
        let rule = Rule::Near(0.5);
        let (mut changing, state) = linked(rule, false, consistent);
        let (mut whole, _) = linked(rule, true, consistent);
        let v: Vec<Vec3> = state.x.iter().map(|p| [p[1], p[0], -p[2]]).collect();
        let mut seen = Vec::new();
        // The bar is squeezed until its links hold, pulled until they let go, and squeezed again.
        for squeeze in [1.0, 0.8, 0.6, 0.55, 0.9, 1.2, 0.5] {
            let x: Vec<Vec3> =
                state.x.iter().map(|p| [squeeze * p[0], p[1] + 0.05 * p[0], p[2]]).collect();
            let at = state.ahead(&x, &v, 0.01, 0.01);
            let before = changing.pattern().clone();
            let changed = changing.follow_couplings(&at).unwrap();
            assert!(!whole.follow_couplings(&at).unwrap());
            assert_eq!(changed, before != *changing.pattern());
            // Nothing changes where it is asked again.
            assert!(!changing.follow_couplings(&at).unwrap());
            let ((a, g), (b, h)) = (matrix_of(&mut changing, &at), matrix_of(&mut whole, &at));
            let scale = b.iter().fold(0.0_f64, |m, v| v.abs().max(m));
            let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-13 * scale, "{squeeze}: {off:e}");
            assert!(distance(&g, &h) < 1e-12);
            seen.push(changing.pattern().blocks());
            // The mass solver follows too.
            let (mut a, mut b) = (g.clone(), g);
            changing.accelerations(&at, &mut a).unwrap();
            whole.accelerations(&at, &mut b).unwrap();
            let size = b.as_flattened().iter().fold(0.0_f64, |m, v| v.abs().max(m));
            assert!(distance(&a, &b) < 1e-12 * size);
        }
        // One link after the other.
        let few = base().blocks();
        assert_eq!([seen[0], seen[1], seen[4], seen[5]], [few; 4], "{consistent}: {seen:?}");
        assert!(few < seen[2] && seen[2] < seen[3] && seen[3] < seen[6], "{consistent}: {seen:?}");
    }
}

#[test]
fn grabs_over_different_cells_have_their_true_tangent_and_leave_nothing_behind() {
    let body = Body::bar("neo-hookean", [4, 1, 1], 0.3).clamped();
    let pairs = far_pairs(&body);
    let nodes = vec![(pairs[0].0, 0.3), (pairs[0].1, 0.5), (pairs[2].0, 0.2)];
    let grab = Grab { nodes, target: [0.5, 0.8, 0.2], stiffness: 300.0 };
    let (mut system, mut state) = body.with_model(Role::Other, Box::new(Grabs::new())).system();
    let base = system.pattern().clone();
    let mut integrator = IntegratorName::BackwardEuler.build(&strict()).unwrap();
    integrator.step(&mut system, &mut state, 0.02).unwrap();
    assert!(Arc::ptr_eq(&base, system.pattern()));
    let n = system.vertices();
    system.models_of_mut::<Grabs>().next().unwrap().start(1, grab.clone(), n).unwrap();
    let report = integrator.step(&mut system, &mut state, 0.02).unwrap();
    assert!(system.pattern().blocks() > base.blocks());
    // With the true tangent Newton's method converges as it does without a hand.
    assert!(report.newton.unwrap().iterations <= 8, "{:?}", report.newton);
    let d: Vec<Vec3> = state.x.iter().map(|p| [p[1], 1.0 - p[0], p[2] * p[0]]).collect();
    let mut alone = Grabs::new();
    alone.start(1, grab, n).unwrap();
    let found = finite_difference_check(&mut alone, &state.configuration(), &d, &[1e-2]).unwrap();
    assert!(found.best_tangent() < 1e-12 && found.best_gradient().unwrap() < 1e-10, "{found:?}");
    // The whole system's tangent times d, against differences of its forces.
    let weights = Weights { mass: 0.0, position: 1.0, velocity: 0.0 };
    let mut matrix = BlockMatrix::zero(system.pattern().clone());
    system.tangent(&state.configuration(), weights, false, &mut matrix).unwrap();
    let mut exact = vec![[0.0; 3]; n];
    pliant_algebra::sparse::Product::new(system.pattern()).apply(&matrix.values, &d, &mut exact);
    let mut moved = |s: f64| {
        let way = state.x.iter().zip(&d);
        let x: Vec<Vec3> = way.map(|(x, d)| std::array::from_fn(|k| x[k] + s * d[k])).collect();
        let mut g = vec![[0.0; 3]; n];
        system.forces(&Configuration::new(&x, &state.v, state.time), &mut g, false).unwrap();
        g
    };
    let h = 1e-5;
    let (after, before) = (moved(h), moved(-h));
    let slope =
        |(a, b): (&Vec3, &Vec3)| -> Vec3 { std::array::from_fn(|k| (a[k] - b[k]) / (2.0 * h)) };
    let slope: Vec<Vec3> = after.iter().zip(&before).map(slope).collect();
    let size = exact.as_flattened().iter().fold(0.0_f64, |m, v| v.abs().max(m));
    assert!(distance(&slope, &exact) < 1e-7 * size);
    // The hand lets go: the pattern is the one of before.
    assert!(system.models_of_mut::<Grabs>().next().unwrap().end(1));
    integrator.step(&mut system, &mut state, 0.02).unwrap();
    assert!(Arc::ptr_eq(&base, system.pattern()));
}

/// A model whose couplings are kept to itself.
struct Secretive(Box<dyn ForceModel>);

impl ForceModel for Secretive {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn character(&self) -> Character {
        self.0.character()
    }
    fn couplings(&self, _: &mut dyn FnMut(u32, u32)) {}
    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.0.bind(slots)
    }
    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        self.0.evaluate(at, ask, work)
    }
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        self.0.stable_step(at, mass)
    }
}

#[test]
fn a_block_that_was_not_declared_is_an_error_whichever_model_asks_for_it() {
    let body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    let (mesh, partition, rest) = (&body.mesh, &body.partition, &body.rest);
    let n = rest.len();
    let lame = Parameters::Uniform(&[1.0, 1.0]);
    let faces = body.end_faces();
    let list = mesh_springs(mesh, &Stiffness::Uniform(1.0)).unwrap();
    let still = vec![[0.0; 3]; n];
    let at_rest = Configuration::new(rest, &still, 0.0);
    let one = TimeCurve::default;
    let exact = FrameTangent::Exact;
    let mut polynomial =
        pliant_forces::PolynomialStVenantKirchhoff::new(mesh, partition, lame).unwrap();
    let joint = [(Point::vertex(0), Point::vertex(5))];
    let rayleigh =
        LinearDamping::rayleigh(&body.masses, 1.0, &mut polynomial, &at_rest, 1.0).unwrap();
    let pressure = Pressure::uniform(n, Faces::Triangles(&faces), 1.0, one()).unwrap();
    let models: Vec<Box<dyn ForceModel>> = vec![
        body.elastic(),
        Box::new(polynomial),
        Box::new(CorotatedLeast::new(mesh, partition, lame, exact, &|_| true).unwrap()),
        Box::new(Viscous::new(mesh, partition, pliant_elements::Tet4, lame).unwrap()),
        Box::new(Springs::new(n, &list, DampingTangent::Exact).unwrap()),
        Box::new(Attachments::joints(n, &joint, 1.0).unwrap()),
        Box::new(pressure),
        Box::new(Shear::new(n, Faces::Triangles(&faces), [1.0, 0.0, 0.0], 1.0, one()).unwrap()),
        Box::new(rayleigh),
    ];
    for model in models {
        let name = model.name().to_owned();
        let acting = Acting::new(Role::Other, Box::new(Secretive(model)));
        match System::new(rest, [acting]).err() {
            Some(DynamicsError::Force(ForceError::Undeclared { model, row, column })) => {
                assert_eq!(model, name);
                assert!(row != column && (row.max(column) as usize) < n, "{row}, {column}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// The bar of `linked` without links, and further points on springs of their own.
fn with_points(points: usize, consistent: bool, beta: f64) -> System {
    let body = Body::bar("neo-hookean", [3, 1, 1], 0.3);
    let bar = body.rest.len();
    let mut rest = body.rest.clone();
    rest.extend((0..points).map(|k| [2.0, k as f64, 0.0]));
    let pins: Vec<(u32, Vec3)> =
        (bar..rest.len()).map(|v| (v as u32, [2.0, 0.1 + rest[v][1], 0.0])).collect();
    let pins = Attachments::pins(rest.len(), &pins, 50.0).unwrap();
    let elastic = Acting::new(Role::Elastic, body.elastic()).on(0..bar).damped(beta);
    let system = System::new(&rest, [elastic, Acting::new(Role::Other, Box::new(pins))]).unwrap();
    let mass = if consistent {
        let mut mass = BlockMatrix::zero(system.pattern().clone());
        let own =
            Arc::new(Pattern::symmetric(bar, |couple| body.elastic().couplings(couple)).unwrap());
        let density = |_: usize| DENSITY;
        let matrix =
            ElementName::Tet4.consistent_mass(&body.mesh, &body.partition, &density, &own).unwrap();
        for i in 0..bar {
            for (&j, block) in own.row(i).iter().zip(&matrix.values[own.range(i)]) {
                mass.add(i as u32, j, block);
            }
        }
        for v in bar as u32..rest.len() as u32 {
            mass.add(v, v, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        }
        Mass::Consistent(mass)
    } else {
        Mass::Lumped(body.masses.iter().copied().chain(vec![1.0; points]).collect())
    };
    let mut constraints = Constraints::new();
    constraints.fix(&body.at_x(0.0), &rest).unwrap();
    system.with_mass(mass).unwrap().with_constraints(constraints).unwrap()
}

#[test]
fn an_integrator_goes_on_when_the_number_of_vertices_has_changed() {
    use IntegratorName as I;
    let implicit = [I::BackwardEuler, I::Newmark, I::Bdf2];
    let linearly = [I::Rosenbrock2];
    let explicit = [I::Rk4, I::CentralDifferences, I::Verlet, I::Rkc2];
    let all = implicit.into_iter().chain(linearly).map(|name| (name, 0.01));
    for (name, h) in all.chain(explicit.map(|name| (name, 1e-3))) {
        // Verlet does not serve damping.
        let beta = if name == I::Verlet { 0.0 } else { 1e-3 };
        for consistent in [false, true] {
            let mut integrator = name.build(&strict()).unwrap();
            let mut system = with_points(1, consistent, beta);
            let mut state = State::at_rest(system.rest());
            for (v, x) in state.v.iter_mut().zip(&state.x) {
                *v = [0.0, 0.4 * x[0], 0.0];
            }
            for _ in 0..4 {
                integrator.step(&mut system, &mut state, h).unwrap();
            }
            // Three more, and then fewer again.
            for points in [4, 2] {
                let mut system = with_points(points, consistent, beta);
                let bar = system.vertices() - points;
                for (list, new) in [
                    (&mut state.x, system.rest().to_vec()),
                    (&mut state.v, vec![[0.0; 3]; system.vertices()]),
                    (&mut state.a, vec![[0.0; 3]; system.vertices()]),
                ] {
                    list.truncate(bar + points);
                    let old = list.len();
                    list.extend_from_slice(&new[old..]);
                }
                state.restart();
                let mut expected = state.clone();
                let mut fresh = name.build(&strict()).unwrap();
                for step in 0..4 {
                    integrator.step(&mut system, &mut state, h).unwrap();
                    let mut other = with_points(points, consistent, beta);
                    fresh.step(&mut other, &mut expected, h).unwrap();
                    let off =
                        distance(&state.x, &expected.x).max(h * distance(&state.v, &expected.v));
                    assert!(off < 1e-12, "{} step {step}: {off:e}", name.name());
                }
                assert!(state.x[bar][1] > system.rest()[bar][1], "the points move");
            }
        }
    }
}
