//! What is told about a step that fails: the element, its stretches, the fastest vertex, and what to try.

use crate::common;

use common::Body;
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{BlowUp, DynamicsError, IntegratorName, Mass, Options, Role, State, System};
use pliant_forces::{
    Ask, Character, Configuration, ForceError, ForceModel, Slots, Workspace, Worst,
};

/// A clamped bar of which a vertex of the free end flies towards the support.
fn doomed(speed: f64) -> (System, State, usize) {
    let (system, mut state) = Body::bar("neo-hookean", [2, 1, 1], 0.3).clamped().system();
    let vertex = system.rest().iter().position(|x| x[0] > 0.99).unwrap();
    state.v[vertex] = [-speed, 0.0, 0.0];
    (system, state, vertex)
}

fn report(name: IntegratorName, h: f64) -> (DynamicsError, usize) {
    let (mut system, mut state, vertex) = doomed(300.0);
    let before = state.clone();
    let mut method = name.build(&Options::default()).unwrap();
    let error = method.step(&mut system, &mut state, h).unwrap_err();
    assert_eq!(state, before);
    (error, vertex)
}

#[test]
fn the_first_inverted_element_its_j_and_its_stretches_are_told() {
    use IntegratorName as I;
    for name in [I::Verlet, I::Rk4, I::DormandPrince5, I::DormandPrince853, I::CentralDifferences] {
        let (error, fastest) = report(name, 0.01);
        let text = error.to_string();
        let DynamicsError::Failed { step, vertex, speed, cause, report, .. } = error else {
            panic!("{text}")
        };
        assert!(step == 0.01 && vertex == fastest && speed == 300.0);
        let DynamicsError::Force(ForceError::Inverted { element, jacobian, .. }) = *cause else {
            panic!("{cause}")
        };
        let BlowUp { element: worst, at_start, suggestions, .. } = *report.unwrap();
        let worst = worst.unwrap();
        assert_eq!((worst.element, at_start), (element, false), "{}", name.name());
        assert!((worst.jacobian - jacobian).abs() < 1e-9 * jacobian.abs(), "{}", name.name());
        let [a, b, c] = worst.stretches;
        assert!((a * b * c - jacobian).abs() < 1e-9 * jacobian.abs() && a >= b && c < 0.0);
        assert!(suggestions.iter().any(|s| s.contains("2.5e-3 s")), "{suggestions:?}");
        for part in ["first inverted element: ", "stretches", "implicit method", "invertible form"]
        {
            assert!(text.contains(part), "{text}");
        }
    }
}

#[test]
fn an_implicit_step_that_fails_names_its_most_compressed_element() {
    let (mut system, mut state, _) = doomed(5.0);
    let mut options = Options::default();
    options.newton.max_iterations = 1;
    options.newton.force_tolerance = 1e-12;
    let mut method = IntegratorName::BackwardEuler.build(&options).unwrap();
    let text = method.step(&mut system, &mut state, 0.02).unwrap_err().to_string();
    for part in ["not converged", "most compressed element", "try a step of 1.0e-2 s"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn numbers_beyond_all_bounds_are_reported_from_the_start_of_the_step() {
    let (mut system, mut state) = Body::bar("linear", [2, 1, 1], 0.3).clamped().system();
    let far: Vec3 = [1e300, 0.0, 0.0];
    let vertex = system.rest().iter().position(|x| x[0] > 0.99).unwrap();
    state.v[vertex] = far;
    let mut method = IntegratorName::Rk4.build(&Options::default()).unwrap();
    let error = method.step(&mut system, &mut state, 1e10).unwrap_err();
    let DynamicsError::Failed { report: Some(report), .. } = &error else { panic!("{error}") };
    let worst = report.element.unwrap();
    assert!(report.at_start && (worst.jacobian - 1.0).abs() < 1e-12, "{error}");
    assert!(error.to_string().contains("before the step"), "{error}");
}

/// Fails, and says that its worst element has some J.
struct Doomed(f64);

impl ForceModel for Doomed {
    fn name(&self) -> &'static str {
        "doomed"
    }
    fn character(&self) -> Character {
        Character::ELEMENTS
    }
    fn couplings(&self, _: &mut dyn FnMut(u32, u32)) {}
    fn bind(&mut self, _: &Slots<'_>) -> Result<(), ForceError> {
        Ok(())
    }
    fn evaluate(
        &self,
        _: &Configuration<'_>,
        _: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        let (law, first_vertex) = ("law".into(), 0);
        Err(ForceError::Inverted { element: 7, jacobian: self.0, law, first_vertex })
    }
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
    fn worst(&self, _: &[Vec3]) -> Option<Worst> {
        Some(Worst { element: 7, jacobian: self.0, stretches: [1.0, 1.0, self.0] })
    }
}

#[test]
fn of_several_models_the_first_inverted_or_else_the_most_compressed_element_is_told() {
    for (all, expected) in [([0.5, 0.2, 0.9], 0.2), ([0.5, -0.1, -0.4], -0.1)] {
        let models = all.map(|j| (Role::Elastic, Box::new(Doomed(j)) as Box<dyn ForceModel>));
        let system = System::new(&[[0.0; 3]], models).unwrap();
        let mut system = system.with_mass(Mass::Lumped(vec![1.0])).unwrap();
        let mut state = State::at_rest(&[[0.0; 3]]);
        let mut method = IntegratorName::Verlet.build(&Options::default()).unwrap();
        let error = method.step(&mut system, &mut state, 0.1).unwrap_err();
        let DynamicsError::Failed { report: Some(report), .. } = &error else { panic!("{error}") };
        assert_eq!(report.element.map(|e| e.jacobian), Some(expected));
    }
}
