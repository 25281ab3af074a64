//! Viscous damping on every element: derivatives, dissipation, and what must not be damped.

use crate::checks;
use crate::common;

use checks::{
    Random, Storage, check_derivatives, dense, eigenvalues, flat, gradient, resultant, state,
};
use common::{deformed, irregular_box};
use pliant_algebra::vec3::{Vec3, add, cross, dot, norm};
use pliant_elements::{Element, Hex8, Hex8Bbar, Hex20, Tet4, Tet10};
use pliant_forces::damping::Viscous;
use pliant_forces::{Ask, ForceError, ForceModel, Parameters, Partition, Workspace};
use pliant_mesh::VolumeMesh;

const PLAIN: Parameters<'static> = Parameters::Uniform(&[3.0, 2.0]);

struct Case {
    mesh: VolumeMesh,
    partition: Partition,
    x: Vec<Vec3>,
    v: Vec<Vec3>,
}

fn case(nodes: usize) -> Case {
    let mesh = irregular_box(nodes, if nodes == 10 { [1, 1, 1] } else { [2, 1, 1] });
    let partition = Partition::with_chunk_size(&mesh, if nodes == 8 { 1 } else { 5 }).unwrap();
    let x = deformed(&mesh, &partition, 0.03);
    let v = Random(53).vectors(x.len(), 1.0);
    Case { mesh, partition, x, v }
}

fn viscous<E: Element<3, N>, const N: usize>(
    case: &Case,
    element: E,
    parameters: Parameters<'_>,
) -> Viscous<E, N> {
    Viscous::new(&case.mesh, &case.partition, element, parameters).unwrap()
}

/// Runs a check on each element.
macro_rules! each {
    ($check:ident) => {
        $check(Tet4);
        $check(Tet10);
        $check(Hex20);
        $check(Hex8);
    };
}

#[test]
fn tangents_match_finite_differences() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        let mut model = viscous(&case, element, PLAIN);
        assert!(!model.character().symmetric && !model.character().is_conservative());
        check_derivatives(&mut model, &case.x, &case.v, 0.0, 0.2);
        let each: Vec<f64> =
            (0..case.mesh.cell_count()).flat_map(|i| [i as f64 - 0.1, 1.0]).collect();
        let mut model = viscous(&case, element, Parameters::PerElement(&each));
        check_derivatives(&mut model, &case.x, &case.v, 0.0, 0.2);
    }
    each!(check);
}

#[test]
fn viscous_forces_dissipate_their_power_and_balance() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        for constants in [[3.0, 2.0], [-2.0 / 3.0 * 2.0, 2.0], [5.0, 0.0]] {
            let mut model = viscous(&case, element, Parameters::Uniform(&constants));
            let s = state(&case.x, &case.v, 0.0);
            let g = gradient(&model, s);
            let dissipated = model.dissipation(&s, &mut Workspace::new()).unwrap();
            let power: f64 = g.iter().zip(&case.v).map(|(&g, &v)| dot(g, v)).sum();
            assert!(dissipated > 0.0 && (power / dissipated - 1.0).abs() < 1e-13);
            let (force, moment) = resultant(&case.x, &g);
            assert!(norm(force) < 1e-12 && norm(moment) < 1e-12);
            let d = dense(&mut model, s, (0.0, 1.0), false, Storage::Full).unwrap();
            for i in 0..d.len() {
                for j in 0..i {
                    assert!((d[i][j] - d[j][i]).abs() < 1e-12);
                }
            }
            assert!(eigenvalues(d)[0] > -1e-12);
        }
    }
    each!(check);
}

#[test]
fn rigid_motion_of_a_deformed_body_gives_no_viscous_force() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        let model = viscous(&case, element, PLAIN);
        let spin = |&x: &Vec3| add([1.0, -2.0, 0.5], cross([0.7, 0.3, -1.1], x));
        let v: Vec<Vec3> = case.x.iter().map(spin).collect();
        let s = state(&case.x, &v, 0.0);
        assert!(checks::norm(&flat(&gradient(&model, s))) < 1e-13);
        assert!(model.dissipation(&s, &mut Workspace::new()).unwrap() < 1e-25);
    }
    each!(check);
}

#[test]
fn small_strain_rates_give_newtons_viscosity() {
    // Uniform stretching at rest: σ = dλ tr(D) I + 2 dμ D, on the faces of a box.
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        let x = case.partition.vertices().apply(&case.mesh.vertices);
        let v: Vec<Vec3> = x.iter().map(|x| [0.1 * x[0], 0.0, 0.0]).collect();
        let g = gradient(&viscous(&case, element, PLAIN), state(&x, &v, 0.0));
        let size = [1.0, 0.8, 0.9];
        let on = |axis: usize| -> f64 {
            let face = |x: &Vec3| (x[axis] - size[axis]).abs() < 1e-12;
            g.iter().zip(&x).filter(|(_, x)| face(x)).map(|(g, _)| g[axis]).sum()
        };
        assert!((on(0) - 0.1 * (3.0 + 4.0) * 0.8 * 0.9).abs() < 1e-14);
        assert!((on(1) - 0.3 * 1.0 * 0.9).abs() < 1e-14);
    }
    each!(check);
}

#[test]
fn bits_do_not_depend_on_threads() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        let mut model = viscous(&case, element, PLAIN);
        let mut first = None;
        for threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let all = pool.install(|| {
                let s = state(&case.x, &case.v, 0.0);
                let k = dense(&mut model, s, (1.0, 0.5), false, Storage::Full).unwrap();
                (k, gradient(&model, s), model.dissipation(&s, &mut Workspace::new()).unwrap())
            });
            assert!(*first.get_or_insert(all.clone()) == all, "{threads} threads");
        }
    }
    each!(check);
}

#[test]
fn flat_elements_give_no_nan_and_projection_leaves_the_semi_definite_part() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        let mut model = viscous(&case, element, PLAIN);
        let zero = vec![[0.0; 3]; case.x.len()];
        let s = state(&zero, &case.v, 0.0);
        let k = dense(&mut model, s, (1.0, 1.0), false, Storage::Full).unwrap();
        assert!(k.iter().flatten().all(|k| k.is_finite()));
        let s = state(&case.x, &case.v, 0.0);
        let projected = dense(&mut model, s, (7.0, 1.0), true, Storage::Full).unwrap();
        assert_eq!(projected, dense(&mut model, s, (0.0, 1.0), false, Storage::Full).unwrap());
        let step = model.stable_step(&s, &vec![1.0; case.x.len()]);
        let fastest = eigenvalues(projected).pop().unwrap();
        assert!(step < 2.0 / fastest && step > 0.1 / fastest, "{step} {fastest}");
    }
    each!(check);
}

#[test]
fn bad_viscosity_is_refused_by_name() {
    let tets = case(4);
    let message = |c: &[f64]| {
        let new = Viscous::new(&tets.mesh, &tets.partition, Tet4, Parameters::Uniform(c));
        new.unwrap_err().to_string()
    };
    assert!(message(&[1.0, -1.0]).contains("dμ = -1"), "{}", message(&[1.0, -1.0]));
    assert!(message(&[-1.0, 1.0]).contains("dλ = -1"), "{}", message(&[-1.0, 1.0]));
    assert!(message(&[]).contains("dλ, dμ"), "{}", message(&[]));
    let hexes = case(8);
    let error = Viscous::new(&hexes.mesh, &hexes.partition, Tet4, PLAIN).unwrap_err();
    assert!(error.to_string().contains("hex8"), "{error}");
    let error = Viscous::new(&hexes.mesh, &hexes.partition, Hex8Bbar, PLAIN).unwrap_err();
    assert!(error.to_string().contains("mean dilatation"), "{error}");
    let model = viscous(&tets, Tet4, PLAIN);
    let mut bad = tets.v.clone();
    bad[4][0] = f64::NAN;
    let mut g = vec![[0.0; 3]; bad.len()];
    let mut ask = Ask { gradient: Some(&mut g), ..Ask::default() };
    let error = model.evaluate(&state(&tets.x, &bad, 0.0), &mut ask, &mut Workspace::new());
    assert!(matches!(error, Err(ForceError::NotFinite { vertex: 4, .. })), "{error:?}");
}
