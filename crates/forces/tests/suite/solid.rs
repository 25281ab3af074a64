//! Finite elements: derivatives, invariances, the patch test, rigid modes, and the same bits however
//! the work is shared out.

use crate::common;

use common::laws::{PlainNeoHookean, PlainStVK};
use common::{deformed, everything, irregular_box, norm, pattern_of, random};
use nalgebra::{DMatrix, SymmetricEigen};
use pliant_algebra::dispatch::Level;
use pliant_algebra::sparse::{Pattern, Product};
use pliant_algebra::vec3::{Vec3, add, cross};
use pliant_elements::{Element, Hex8, Hex20, Tet4, Tet10};
use pliant_forces::{
    Ask, Configuration, ForceError, ForceModel, Parameters, Partition, Slots, Solid, Workspace,
    finite_difference_check,
};
use pliant_materials::Law;
use pliant_mesh::VolumeMesh;
use std::sync::Arc;

const LAME: [f64; 2] = [1.5, 1.0];

fn solid<E: Element<3, N>, L: Law, const N: usize>(
    mesh: &VolumeMesh,
    partition: &Partition,
    element: E,
    law: L,
) -> Solid<E, N> {
    Solid::new(mesh, partition, element, Box::new(law), Parameters::Uniform(&LAME)).unwrap()
}

/// Runs a check for each element and law.
macro_rules! each {
    ($check:ident) => {
        $check(Tet4, PlainStVK);
        $check(Tet4, PlainNeoHookean);
        $check(Tet10, PlainStVK);
        $check(Tet10, PlainNeoHookean);
        $check(Hex8, PlainStVK);
        $check(Hex8, PlainNeoHookean);
        $check(Hex20, PlainNeoHookean);
    };
}

#[test]
fn gradient_and_tangent_are_derivatives_and_errors_fall_with_the_square_of_the_step() {
    fn check<E: Element<3, N>, L: Law, const N: usize>(element: E, law: L) {
        let mesh = irregular_box(N, [3, 2, 2]);
        let partition = Partition::with_chunk_size(&mesh, 7).unwrap();
        let mut model = solid(&mesh, &partition, element, law);
        let x = deformed(&mesh, &partition, 0.01);
        let v = vec![[0.0; 3]; x.len()];
        let mut r = random(3);
        let d: Vec<Vec3> = x.iter().map(|_| [r(), r(), r()]).collect();
        let steps = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
        let state = Configuration::new(&x, &v, 0.0);
        let report = finite_difference_check(&mut model, &state, &d, &steps).unwrap();
        let name = model.name().to_string();
        assert!(report.best_gradient().unwrap() < 2e-9, "{name}: {report:?}");
        assert!(report.best_tangent() < 2e-9, "{name}: {report:?}");
        let rate =
            |at: fn(&pliant_forces::StepErrors) -> f64| at(&report.steps[1]) / at(&report.steps[2]);
        let tangent = rate(|s| s.tangent);
        let gradient = rate(|s| s.gradient.unwrap());
        assert!((60.0..160.0).contains(&tangent), "{name}: {report:?}");
        assert!((60.0..160.0).contains(&gradient), "{name}: {report:?}");
    }
    each!(check);
}

#[test]
fn packs_over_many_chunks_agree_with_one_chunk() {
    fn check<E: Element<3, N>, L: Law, const N: usize>(element: E, law: L) {
        let mesh = irregular_box(N, [3, 3, 2]);
        let whole = Partition::new(&mesh).unwrap();
        assert_eq!(whole.chunks(), 1);
        let mut model = solid(&mesh, &whole, element, law);
        let x = deformed(&mesh, &whole, 0.01);
        let pattern = pattern_of(&model, x.len());
        let one = everything(&mut model, &x, &pattern, 1.0).unwrap();
        let back = whole.vertices().inverse();
        for size in [1, 5, 13] {
            let partition = Partition::with_chunk_size(&mesh, size).unwrap();
            let mut model = solid(&mesh, &partition, element, law);
            let y = partition.vertices().apply(&back.apply(&x));
            let pattern = pattern_of(&model, y.len());
            let many = everything(&mut model, &y, &pattern, 1.0).unwrap();
            assert!((many.energy - one.energy).abs() < 1e-13 * one.energy);
            let there = back.apply(&one.gradient);
            let here = partition.vertices().inverse().apply(&many.gradient);
            let scale = norm(&there);
            for (a, b) in there.iter().zip(&here) {
                assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-13 * scale), "{a:?} {b:?}");
            }
            let number = |p: &Partition, v: usize| p.vertices().old_to_new()[v] as usize;
            for i in 0..mesh.vertex_count() {
                for j in 0..mesh.vertex_count() {
                    let a = one.matrix.block(number(&whole, i), number(&whole, j));
                    let b = many.matrix.block(number(&partition, i), number(&partition, j));
                    assert!((0..9).all(|k| (a[k] - b[k]).abs() < 1e-12), "{i} {j} {a:?} {b:?}");
                }
            }
        }
    }
    check(Tet4, PlainNeoHookean);
    check(Tet10, PlainStVK);
    check(Hex8, PlainNeoHookean);
    check(Hex20, PlainStVK);
}

#[test]
fn bits_do_not_depend_on_threads_or_instructions() {
    fn check<E: Element<3, N>, L: Law, const N: usize>(element: E, law: L) {
        let mesh = irregular_box(N, [5, 4, 3]);
        let partition = Partition::with_chunk_size(&mesh, 17).unwrap();
        let mut model = solid(&mesh, &partition, element, law);
        let x = deformed(&mesh, &partition, 0.01);
        let pattern = pattern_of(&model, x.len());
        let mut first = None;
        for threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for level in Level::available() {
                model.set_level(level);
                let (bits, product) = pool.install(|| {
                    let all = everything(&mut model, &x, &pattern, 0.7).unwrap();
                    let mut y = vec![[0.0; 3]; x.len()];
                    Product::new(&pattern).apply(&all.matrix.values, &x, &mut y);
                    (all.bits(), y.into_iter().flatten().map(f64::to_bits).collect::<Vec<_>>())
                });
                let first = first.get_or_insert((bits.clone(), product.clone()));
                assert!(*first == (bits, product), "{threads} threads, {}", level.name());
            }
        }
    }
    check(Tet4, PlainNeoHookean);
    check(Tet10, PlainStVK);
    check(Hex8, PlainNeoHookean);
    check(Hex20, PlainStVK);
}

#[test]
fn curved_elements_that_fold_at_a_node_are_refused_by_number() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let mut mesh = irregular_box(N, [1, 1, 1]);
        let partition = Partition::new(&mesh).unwrap();
        let make = |mesh: &VolumeMesh| {
            Solid::new(mesh, &partition, element, Box::new(PlainStVK), Parameters::Uniform(&LAME))
        };
        // The last edge that only one cell has.
        let corners = mesh.cell_type.corners();
        let uses = |v: u32| mesh.cells().filter(|c| c.contains(&v)).count();
        let mut all = (0..mesh.cell_count()).flat_map(|cell| (corners..N).map(move |i| (cell, i)));
        let (cell, edge) = all.rfind(|&(c, i)| uses(mesh.cell(c)[i]) == 1).unwrap();
        let [a, b] = mesh.cell_type.edges()[edge - corners];
        let [a, b, middle] = [a, b, edge].map(|i| mesh.cell(cell)[i] as usize);
        let along = |mesh: &VolumeMesh, t: f64| {
            let (p, q) = (mesh.vertices[a], mesh.vertices[b]);
            std::array::from_fn(|k| p[k] + t * (q[k] - p[k]))
        };
        // Along a straight edge the map folds when the middle node is within a quarter of the corner.
        mesh.vertices[middle] = along(&mesh, 0.27);
        assert!(make(&mesh).is_ok(), "{}", E::NAME);
        mesh.vertices[middle] = along(&mesh, 0.23);
        let text = make(&mesh).unwrap_err().to_string();
        assert!(text.contains(&format!("{} element {cell} is folded", E::NAME)), "{text}");
        // Points of the rule alone would not have seen it.
        let x: [Vec3; N] = std::array::from_fn(|i| mesh.vertices[mesh.cell(cell)[i] as usize]);
        let jacobian =
            |p: &pliant_elements::Point<3, N>| pliant_elements::measure(&E::jacobian(p, &x));
        assert!(E::POINTS.iter().all(|p| jacobian(p) > 0.0));
    }
    check(Tet10);
    check(Hex20);
}

#[test]
fn one_call_gives_what_single_calls_give_and_weights_scale_the_tangent() {
    let mesh = irregular_box(4, [3, 2, 2]);
    let partition = Partition::with_chunk_size(&mesh, 9).unwrap();
    let mut model = solid(&mesh, &partition, Tet4, PlainNeoHookean);
    let x = deformed(&mesh, &partition, 0.01);
    let pattern = pattern_of(&model, x.len());
    let all = everything(&mut model, &x, &pattern, 1.0).unwrap();
    let minus = everything(&mut model, &x, &pattern, -2.0).unwrap();
    for (a, b) in all.matrix.values.iter().flatten().zip(minus.matrix.values.iter().flatten()) {
        assert!((2.0 * a + b).abs() < 1e-13);
    }
    let v = vec![[0.0; 3]; x.len()];
    let state = Configuration::new(&x, &v, 0.0);
    // Added, not overwritten.
    let (mut energy, mut g) = (5.0, vec![[1.0; 3]; x.len()]);
    model
        .evaluate(
            &state,
            &mut Ask { energy: Some(&mut energy), ..Ask::default() },
            &mut Workspace::new(),
        )
        .unwrap();
    model
        .evaluate(
            &state,
            &mut Ask { gradient: Some(&mut g), ..Ask::default() },
            &mut Workspace::new(),
        )
        .unwrap();
    assert_eq!(energy, 5.0 + all.energy);
    for (a, b) in g.iter().flatten().zip(all.gradient.iter().flatten()) {
        assert!((a - 1.0 - b).abs() < 1e-13);
    }
}

#[test]
fn unsymmetric_storage_holds_both_triangles_of_the_same_matrix() {
    fn check<E: Element<3, N>, L: Law, const N: usize>(element: E, law: L) {
        let mesh = irregular_box(N, [2, 2, 2]);
        let partition = Partition::with_chunk_size(&mesh, 4).unwrap();
        let mut model = solid(&mesh, &partition, element, law);
        let x = deformed(&mesh, &partition, 0.01);
        let pattern = pattern_of(&model, x.len());
        let upper = everything(&mut model, &x, &pattern, 1.0).unwrap().matrix.to_dense();
        let both = |couple: &mut dyn FnMut(u32, u32)| {
            model.couplings(&mut |i, j| {
                couple(i, j);
                couple(j, i);
            });
        };
        let full = Arc::new(Pattern::unsymmetric(x.len(), both).unwrap());
        let full = everything(&mut model, &x, &full, 1.0).unwrap().matrix.to_dense();
        for (a, b) in upper.iter().zip(&full) {
            assert!((a - b).abs() < 1e-13, "{a} {b}");
        }
    }
    check(Tet4, PlainStVK);
    check(Hex8, PlainStVK);
    check(Tet10, PlainNeoHookean);
}

#[test]
fn rigid_motion_costs_nothing_and_forces_balance() {
    fn check<E: Element<3, N>, L: Law, const N: usize>(element: E, law: L) {
        let mesh = irregular_box(N, [3, 2, 2]);
        let partition = Partition::with_chunk_size(&mesh, 11).unwrap();
        let mut model = solid(&mesh, &partition, element, law);
        let rest = partition.vertices().apply(&mesh.vertices);
        let (s, c) = 0.8_f64.sin_cos();
        let turned: Vec<Vec3> =
            rest.iter().map(|&[x, y, z]| [c * x - s * y + 3.0, s * x + c * y, z - 1.0]).collect();
        let pattern = pattern_of(&model, rest.len());
        let all = everything(&mut model, &turned, &pattern, 1.0).unwrap();
        assert!(all.energy.abs() < 1e-15 && norm(&all.gradient) < 1e-13, "{}", norm(&all.gradient));

        let x = deformed(&mesh, &partition, 0.02);
        let all = everything(&mut model, &x, &pattern, 1.0).unwrap();
        let force = all.gradient.iter().fold([0.0; 3], |sum, &g| add(sum, g));
        let moment =
            x.iter().zip(&all.gradient).fold([0.0; 3], |sum, (&x, &g)| add(sum, cross(x, g)));
        let scale = norm(&all.gradient);
        assert!(scale > 0.1);
        assert!(
            force.iter().chain(&moment).all(|f| f.abs() < 1e-13 * scale),
            "{force:?} {moment:?}"
        );
    }
    each!(check);
}

#[test]
fn patch_test_affine_states_are_in_equilibrium_inside() {
    fn check<E: Element<3, N>, L: Law, const N: usize>(element: E, law: L) {
        let mesh = irregular_box(N, [3, 3, 3]);
        let partition = Partition::with_chunk_size(&mesh, 20).unwrap();
        let mut model = solid(&mesh, &partition, element, law);
        let rest = partition.vertices().apply(&mesh.vertices);
        let x: Vec<Vec3> = rest
            .iter()
            .map(|&[x, y, z]| [1.2 * x + 0.1 * y, 0.9 * y - 0.2 * z + 0.05 * x, 1.1 * z + 0.1 * x])
            .collect();
        let pattern = pattern_of(&model, x.len());
        let all = everything(&mut model, &x, &pattern, 1.0).unwrap();
        let inside = |p: &Vec3| (0..3).all(|k| p[k] > 1e-9 && p[k] < [1.0, 0.8, 0.9][k] - 1e-9);
        let mut seen = 0;
        for (p, g) in rest.iter().zip(&all.gradient) {
            if inside(p) {
                seen += 1;
                assert!(g.iter().all(|g| g.abs() < 1e-13), "{g:?}");
            }
        }
        assert!(seen >= 8 && norm(&all.gradient) > 0.1);
    }
    each!(check);
}

fn eigenvalues(dense: &[f64]) -> Vec<f64> {
    let n = dense.len().isqrt();
    let mut values: Vec<f64> = SymmetricEigen::new(DMatrix::from_row_slice(n, n, dense))
        .eigenvalues
        .iter()
        .copied()
        .collect();
    values.sort_by(f64::total_cmp);
    values
}

#[test]
fn stiffness_at_rest_has_exactly_six_zero_eigenvalues() {
    fn check<E: Element<3, N>, L: Law, const N: usize>(element: E, law: L) {
        for cells in [[1, 1, 1], [2, 1, 1]] {
            let mut mesh = irregular_box(N, cells);
            if cells == [1, 1, 1] {
                mesh.cells.truncate(N);
                let used = mesh.cells.clone();
                mesh.vertices = used.iter().map(|&v| mesh.vertices[v as usize]).collect();
                mesh.cells = (0..N as u32).collect();
                mesh.vertex_sets.clear();
            }
            let partition = Partition::new(&mesh).unwrap();
            let mut model = solid(&mesh, &partition, element, law);
            let rest = partition.vertices().apply(&mesh.vertices);
            let pattern = pattern_of(&model, rest.len());
            let all = everything(&mut model, &rest, &pattern, 1.0).unwrap();
            let values = eigenvalues(&all.matrix.to_dense());
            let largest = values[values.len() - 1];
            assert!(values[..6].iter().all(|v| v.abs() < 1e-13 * largest), "{:?}", &values[..8]);
            assert!(values[6] > 1e-4 * largest, "{}: {:?}", model.name(), &values[..8]);
        }
    }
    each!(check);
}

#[test]
fn inverted_elements_are_named_as_the_user_numbers_them() {
    let mesh = irregular_box(4, [3, 3, 3]);
    let partition = Partition::with_chunk_size(&mesh, 10).unwrap();
    let mut model = solid(&mesh, &partition, Tet4, PlainNeoHookean);
    let pattern = pattern_of(&model, mesh.vertex_count());
    // Pull one vertex of a cell through the opposite face.
    let culprit = 77;
    let mut moved = mesh.vertices.clone();
    let tet = mesh.tet(culprit);
    let centre =
        tet[..3].iter().fold([0.0; 3], |s, &v| add(s, mesh.vertices[v as usize].map(|c| c / 3.0)));
    let apex = moved[tet[3] as usize];
    moved[tet[3] as usize] = std::array::from_fn(|k| 1.3 * centre[k] - 0.3 * apex[k]);
    let jacobian = |cell: usize| {
        let volume =
            |x: &[Vec3]| pliant_mesh::volume::tet_volume(mesh.tet(cell).map(|v| x[v as usize]));
        volume(&moved) / volume(&mesh.vertices)
    };
    let first = (0..mesh.cell_count()).find(|&c| jacobian(c) <= 0.0).unwrap();
    let x = partition.vertices().apply(&moved);
    model.bind(&Slots::new(&pattern, 0, "model")).unwrap();
    let v = vec![[0.0; 3]; x.len()];
    let (mut energy, mut g) = (0.0, vec![[0.0; 3]; x.len()]);
    let mut blocks = vec![[0.0; 9]; pattern.blocks()];
    let mut ask = Ask {
        energy: Some(&mut energy),
        gradient: Some(&mut g),
        tangent: Some(&mut blocks),
        position_weight: 1.0,
        ..Ask::default()
    };
    match model.evaluate(&Configuration::new(&x, &v, 0.0), &mut ask, &mut Workspace::new()) {
        Err(ForceError::Inverted { element, jacobian: j, .. }) => {
            assert_eq!(element, first);
            assert!((j - jacobian(first)).abs() < 1e-12);
        }
        other => panic!("{other:?}"),
    }
    assert!(energy.is_finite());
    assert!(g.iter().flatten().chain(blocks.iter().flatten()).all(|v| v.is_finite()));

    // A law that takes inversion; and a state that is no state.
    let mut model = solid(&mesh, &partition, Tet4, PlainStVK);
    assert!(everything(&mut model, &x, &pattern, 1.0).is_ok());
    let mut x = x;
    x[5][1] = f64::NAN;
    let error = everything(&mut model, &x, &pattern, 1.0).err().unwrap();
    assert!(matches!(error, ForceError::NotFinite { vertex: 5, .. }), "{error}");
}

#[test]
fn parameters_by_region_and_by_element_say_the_same() {
    let mut mesh = irregular_box(8, [3, 2, 2]);
    let region = |name: &str| pliant_mesh::Region { name: name.into(), material: None };
    mesh.regions = vec![region("soft"), region("stiff")];
    mesh.cell_region = (0..mesh.cell_count() as u32).map(|c| c % 2).collect();
    let partition = Partition::with_chunk_size(&mesh, 5).unwrap();
    let x = deformed(&mesh, &partition, 0.01);
    let lists = [vec![1.5, 1.0], vec![15.0, 7.0]];
    let flat: Vec<f64> = mesh.cell_region.iter().flat_map(|&r| lists[r as usize].clone()).collect();
    let run = |parameters: Parameters<'_>| {
        let mut model =
            Solid::new(&mesh, &partition, Hex8, Box::new(PlainStVK), parameters).unwrap();
        let pattern = pattern_of(&model, x.len());
        everything(&mut model, &x, &pattern, 1.0).unwrap().bits()
    };
    assert!(run(Parameters::PerRegion(&lists)) == run(Parameters::PerElement(&flat)));

    mesh.cell_region[3] = pliant_mesh::NO_REGION;
    let fail = |p: Parameters<'_>| {
        Solid::new(&mesh, &partition, Hex8, Box::new(PlainStVK), p).unwrap_err().to_string()
    };
    assert!(fail(Parameters::PerRegion(&lists)).contains("element 3 is in no region"));
    assert!(fail(Parameters::Uniform(&[1.0])).contains("takes 2 (lambda, mu)"));
    assert!(fail(Parameters::Uniform(&[1.0, f64::NAN])).contains("mu = NaN"));
    let wrong =
        Solid::new(&mesh, &partition, Tet4, Box::new(PlainStVK), Parameters::Uniform(&LAME));
    assert!(wrong.unwrap_err().to_string().contains("tet4 elements need cells of 4 nodes"));
}

#[test]
fn two_models_on_parts_of_a_mesh_make_the_model_of_the_whole() {
    let mesh = irregular_box(4, [3, 3, 2]);
    let partition = Partition::with_chunk_size(&mesh, 12).unwrap();
    let x = deformed(&mesh, &partition, 0.01);
    let part = |odd: usize| {
        Solid::on_cells(
            &mesh,
            &partition,
            Tet4,
            Box::new(PlainStVK),
            Parameters::Uniform(&LAME),
            &|c| c / 10 % 2 == odd,
        )
        .unwrap()
    };
    let mut whole = solid(&mesh, &partition, Tet4, PlainStVK);
    let pattern = pattern_of(&whole, x.len());
    let all = everything(&mut whole, &x, &pattern, 1.0).unwrap();
    let (a, b) = (
        everything(&mut part(0), &x, &pattern, 1.0).unwrap(),
        everything(&mut part(1), &x, &pattern, 1.0).unwrap(),
    );
    assert!((a.energy + b.energy - all.energy).abs() < 1e-14);
    for k in 0..pattern.blocks() {
        for e in 0..9 {
            let sum = a.matrix.values[k][e] + b.matrix.values[k][e];
            assert!((sum - all.matrix.values[k][e]).abs() < 1e-12);
        }
    }
}

#[test]
fn stable_step_is_below_that_of_the_stiffest_mode_and_not_far() {
    let mesh = irregular_box(4, [2, 2, 2]);
    let partition = Partition::new(&mesh).unwrap();
    let mut model = solid(&mesh, &partition, Tet4, PlainStVK);
    let rest = partition.vertices().apply(&mesh.vertices);
    let mass = pliant_forces::mass::lumped(&mesh, &partition, Tet4, &|_| 1.0).unwrap();
    let pattern = pattern_of(&model, rest.len());
    let mut dense = everything(&mut model, &rest, &pattern, 1.0).unwrap().matrix.to_dense();
    let n = 3 * rest.len();
    for i in 0..n {
        for j in 0..n {
            dense[i * n + j] /= (mass[i / 3] * mass[j / 3]).sqrt();
        }
    }
    let exact = 2.0 / eigenvalues(&dense)[n - 1].sqrt();
    let step = model.stable_step(&Configuration::new(&rest, &rest, 0.0), &mass);
    assert!(step <= exact && step > 0.4 * exact, "{step} {exact}");
}
