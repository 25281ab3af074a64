//! St. Venant-Kirchhoff in polynomial form: the direct form's numbers, and third derivatives.

use crate::checks;
use crate::common;

use std::sync::Arc;

use checks::{Storage, dense, eigenvalues, flat, mul};
use common::{deformed, everything, irregular_box, norm, pattern_of, random};
use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{Vec3, add, add_scaled, dot, scale};
use pliant_elements::Tet4;
use pliant_forces::{
    Ask, Configuration, ForceError, ForceModel, Parameters, Partition, PolynomialStVenantKirchhoff,
    Slots, Solid, Workspace, finite_difference_check,
};
use pliant_materials::st_venant_kirchhoff::StVenantKirchhoff;
use pliant_mesh::VolumeMesh;
use pliant_mesh::volume::Region;

const LAME: [f64; 2] = [1.5, 1.0];

struct Case {
    mesh: VolumeMesh,
    partition: Partition,
    model: PolynomialStVenantKirchhoff,
    x: Vec<Vec3>,
}

fn case(cells: [usize; 3]) -> Case {
    let mesh = irregular_box(4, cells);
    let partition = Partition::with_chunk_size(&mesh, 11).unwrap();
    let uniform = Parameters::Uniform(&LAME);
    let model = PolynomialStVenantKirchhoff::new(&mesh, &partition, uniform).unwrap();
    let x = deformed(&mesh, &partition, 0.01);
    Case { mesh, partition, model, x }
}

fn at(x: &[Vec3]) -> Configuration<'_> {
    Configuration::new(x, x, 0.0)
}

fn direction(n: usize, seed: u64) -> Vec<Vec3> {
    let mut r = random(seed);
    (0..n).map(|_| [r(), r(), r()]).collect()
}

fn off(a: &[Vec3], b: &[Vec3]) -> f64 {
    let difference: Vec<Vec3> = a.iter().zip(b).map(|(&a, &b)| add_scaled(a, b, -1.0)).collect();
    norm(&difference) / norm(a)
}

fn blocks(values: &[[f64; 9]]) -> Vec<Vec3> {
    values.as_flattened().as_chunks().0.to_vec()
}

#[test]
fn numbers_are_those_of_the_direct_form() {
    let Case { mesh, partition, mut model, x } = case([4, 3, 3]);
    let mut direct = Solid::new(
        &mesh,
        &partition,
        Tet4,
        Box::new(StVenantKirchhoff),
        Parameters::Uniform(&LAME),
    )
    .unwrap();
    let pattern = pattern_of(&model, x.len());
    assert_eq!(pattern, pattern_of(&direct, x.len()));
    for weight in [1.0, -0.3] {
        let a = everything(&mut direct, &x, &pattern, weight).unwrap();
        let b = everything(&mut model, &x, &pattern, weight).unwrap();
        assert!((b.energy / a.energy - 1.0).abs() < 1e-14);
        assert!(off(&a.gradient, &b.gradient) < 1e-14);
        assert!(off(&blocks(&a.matrix.values), &blocks(&b.matrix.values)) < 1e-14);
    }
    let (a, b) = (direct.stable_step(&at(&x), &vec![1.0; x.len()]), {
        model.stable_step(&at(&x), &vec![1.0; x.len()])
    });
    assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
}

#[test]
fn constants_may_differ_by_region_and_element() {
    let Case { mut mesh, partition, mut model, x } = case([3, 2, 2]);
    let pattern = pattern_of(&model, x.len());
    let count = mesh.cell_count();
    let region = |name: &str| Region { name: name.into(), material: None };
    mesh.regions = vec![region("soft"), region("stiff")];
    mesh.cell_region = (0..count as u32).map(|c| c % 2).collect();
    let lists = [vec![1.0, 2.0], vec![0.5, 3.0]];
    let each: Vec<f64> = (0..count).flat_map(|c| lists[c % 2].clone()).collect();
    for given in [Parameters::PerRegion(&lists), Parameters::PerElement(&each)] {
        let mut direct =
            Solid::new(&mesh, &partition, Tet4, Box::new(StVenantKirchhoff), given).unwrap();
        model = PolynomialStVenantKirchhoff::new(&mesh, &partition, given).unwrap();
        let a = everything(&mut direct, &x, &pattern, 1.0).unwrap();
        let b = everything(&mut model, &x, &pattern, 1.0).unwrap();
        assert!(off(&a.gradient, &b.gradient) < 1e-14);
    }
    // Some of the cells, and the others, are all.
    let uniform = Parameters::Uniform(&LAME);
    let all = everything(
        &mut PolynomialStVenantKirchhoff::new(&mesh, &partition, uniform).unwrap(),
        &x,
        &pattern,
        1.0,
    )
    .unwrap();
    let mut sum = 0.0;
    for half in [0, 1] {
        let chosen = |c: usize| c % 2 == half;
        let mut part =
            PolynomialStVenantKirchhoff::on_cells(&mesh, &partition, uniform, &chosen).unwrap();
        assert_eq!(part.elements(), count / 2);
        sum += everything(&mut part, &x, &pattern, 1.0).unwrap().energy;
    }
    assert!((sum / all.energy - 1.0).abs() < 1e-14);
}

#[test]
fn gradient_and_tangent_are_derivatives() {
    let Case { mut model, x, .. } = case([3, 2, 2]);
    let d = direction(x.len(), 3);
    let steps = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
    let report = finite_difference_check(&mut model, &at(&x), &d, &steps).unwrap();
    assert!(report.best_gradient().unwrap() < 2e-9, "{report:?}");
    assert!(report.best_tangent() < 2e-9, "{report:?}");
    let rate = report.steps[1].tangent / report.steps[2].tangent;
    assert!((60.0..160.0).contains(&rate), "{report:?}");
}

/// The stiffness is quadratic in x, so its central differences are exact at any step.
#[test]
fn third_derivatives_are_differences_of_the_stiffness() {
    let Case { mut model, x, .. } = case([3, 2, 2]);
    let n = x.len();
    let pattern = pattern_of(&model, n);
    let (d, e) = (direction(n, 5), direction(n, 7));
    for step in [1.0, 0.1] {
        let mut side = |sign: f64| {
            let moved: Vec<Vec3> =
                x.iter().zip(&e).map(|(&x, &e)| add_scaled(x, e, sign * step)).collect();
            everything(&mut model, &moved, &pattern, 1.0).unwrap().matrix.values
        };
        let (after, before) = (blocks(&side(1.0)), blocks(&side(-1.0)));
        let difference: Vec<Vec3> = after
            .iter()
            .zip(&before)
            .map(|(&a, &b)| scale(add_scaled(a, b, -1.0), 0.5 / step))
            .collect();
        let mut change = BlockMatrix::zero(pattern.clone());
        model.stiffness_derivative(&at(&x), &e, 2.0, &mut change.values).unwrap();
        let twice: Vec<Vec3> = difference.iter().map(|&b| scale(b, 2.0)).collect();
        assert!(off(&twice, &blocks(&change.values)) < 1e-13);
        // K'[e] d is the second derivative of the forces along d and e.
        let mut exact = vec![[0.0; 3]; n];
        Product::new(&pattern).apply(&change.values, &d, &mut exact);
        let mut found = vec![[0.0; 3]; n];
        model.second_derivative(&at(&x), &d, &e, &mut found).unwrap();
        let mut other = found.clone();
        model.second_derivative(&at(&x), &e, &d, &mut other).unwrap();
        assert!(off(&exact, &other) < 1e-13, "d and e may be exchanged, and results are added to");
    }
}

#[test]
fn third_derivative_blocks_are_symmetric_in_all_indices_and_contract_to_the_same() {
    let Case { mesh, partition, model, x } = case([2, 1, 1]);
    let n = x.len();
    let (d, e) = (direction(n, 5), direction(n, 7));
    let mut found = vec![[0.0; 3]; n];
    let mut seen = 0;
    model
        .each_element(&at(&x), |cell, nodes, tet, u| {
            seen += 1;
            let users = nodes.map(|v| partition.vertices().new_to_old()[v as usize]);
            assert_eq!(users.as_slice(), mesh.cell(cell));
            let third = tet.third_derivative(u);
            for a in 0..4 {
                for b in 0..4 {
                    for c in 0..4 {
                        let block = third.block(a, b, c);
                        let turned = [third.block(b, a, c), third.block(a, c, b)];
                        for at in 0..27 {
                            let (i, j, k) = (at / 9, at / 3 % 3, at % 3);
                            let scale = 1e-14 * (1.0 + block[i][j][k].abs());
                            assert!((block[i][j][k] - turned[0][j][i][k]).abs() < scale);
                            assert!((block[i][j][k] - turned[1][i][k][j]).abs() < scale);
                            found[nodes[a] as usize][i] +=
                                block[i][j][k] * d[nodes[b] as usize][j] * e[nodes[c] as usize][k];
                        }
                    }
                }
            }
        })
        .unwrap();
    assert_eq!(seen, mesh.cell_count());
    let mut model = model;
    let mut exact = vec![[0.0; 3]; n];
    model.second_derivative(&at(&x), &d, &e, &mut exact).unwrap();
    assert!(off(&exact, &found) < 1e-14);
}

#[test]
fn forces_are_the_sums_over_all_terms_of_the_polynomial() {
    let Case { model, x, .. } = case([1, 1, 1]);
    let [lambda, mu] = LAME;
    model
        .each_element(&at(&x), |_, _, tet, u| {
            let parts = tet.force_parts(u);
            let doubled = tet.force_parts(&u.map(|u| scale(u, 2.0)));
            for i in 0..4 {
                let (mut linear, mut quadratic, mut cubic) = ([0.0; 3], [0.0; 3], [0.0; 3]);
                for b in 0..4 {
                    let shear = tet.a(i, b).transpose().mul_vec(u[b]);
                    linear = add_scaled(linear, tet.a(i, b).mul_vec(u[b]), lambda);
                    linear = add_scaled(linear, add(scale(u[b], tet.b(i, b)), shear), mu);
                    for c in 0..4 {
                        let bc = dot(u[b], u[c]);
                        quadratic = add_scaled(quadratic, tet.c(i, b, c), 0.5 * lambda * bc);
                        quadratic = add_scaled(quadratic, tet.c(b, c, i), mu * bc);
                        let along = lambda * dot(tet.c(c, i, b), u[c])
                            + mu * dot(add(tet.c(b, i, c), tet.c(i, b, c)), u[c]);
                        quadratic = add_scaled(quadratic, u[b], along);
                        for d in 0..4 {
                            let k = 0.5 * lambda * tet.d(i, b, c, d) + mu * tet.d(i, c, b, d);
                            cubic = add_scaled(cubic, u[b], k * dot(u[c], u[d]));
                        }
                    }
                }
                for (found, twice, exact, degree) in [
                    (parts.linear[i], doubled.linear[i], linear, 1),
                    (parts.quadratic[i], doubled.quadratic[i], quadratic, 2),
                    (parts.cubic[i], doubled.cubic[i], cubic, 3),
                ] {
                    for k in 0..3 {
                        assert!((found[k] - exact[k]).abs() < 1e-15, "degree {degree}");
                        assert_eq!(twice[k], found[k] * f64::from(1 << degree));
                    }
                }
            }
        })
        .unwrap();
}

#[test]
fn bits_do_not_depend_on_threads() {
    let Case { mut model, x, .. } = case([5, 4, 3]);
    let pattern = pattern_of(&model, x.len());
    let d = direction(x.len(), 5);
    let mut first = None;
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let bits = pool.install(|| {
            let mut bits = everything(&mut model, &x, &pattern, 0.7).unwrap().bits();
            let mut second = vec![[0.0; 3]; x.len()];
            model.second_derivative(&at(&x), &d, &d, &mut second).unwrap();
            bits.extend(second.as_flattened().iter().map(|v| v.to_bits()));
            bits
        });
        assert!(*first.get_or_insert(bits.clone()) == bits, "{threads} threads");
    }
}

#[test]
fn every_storage_gets_the_same_matrix_and_projection_leaves_no_negative_eigenvalue() {
    let Case { mut model, x, .. } = case([2, 1, 1]);
    let x: Vec<Vec3> = x.iter().map(|p| [0.7 * p[0], p[1], p[2]]).collect();
    let full = dense(&mut model, at(&x), (1.0, 0.0), false, Storage::Full).unwrap();
    let upper = dense(&mut model, at(&x), (1.0, 0.0), false, Storage::Upper).unwrap();
    assert_eq!(full, upper);
    assert!(eigenvalues(full.clone())[0] < -0.01);
    let projected = dense(&mut model, at(&x), (1.0, 0.0), true, Storage::Upper).unwrap();
    assert!(eigenvalues(projected)[0] > -1e-13);
    let g = checks::gradient(&model, at(&x));
    let rigid = mul(&full, &flat(&vec![[1.0, 2.0, 3.0]; x.len()]));
    assert!(checks::norm(&rigid) < 1e-13 && norm(&g) > 0.1, "translations are free");
}

#[test]
fn what_cannot_be_served_is_refused_with_a_reason() {
    let Case { mesh, partition, mut model, mut x } = case([2, 1, 1]);
    let n = x.len();
    let new = |mesh: &VolumeMesh, p| PolynomialStVenantKirchhoff::new(mesh, &partition, p);
    let text = |p| new(&mesh, p).unwrap_err().to_string();
    assert!(text(Parameters::Uniform(&[1.0])).contains("lambda, mu"));
    assert!(text(Parameters::Uniform(&[1.0, f64::NAN])).starts_with("mu = NaN"));
    let hexes = irregular_box(8, [1, 1, 1]);
    assert!(new(&hexes, Parameters::Uniform(&LAME)).unwrap_err().to_string().contains("hex8"));
    let mut flat = mesh.clone();
    flat.vertices.iter_mut().for_each(|x| x[2] = 0.0);
    let flat = new(&flat, Parameters::Uniform(&LAME)).unwrap_err().to_string();
    assert!(flat.contains("flat at rest"), "{flat}");

    let mut values = [[0.0; 9]];
    let mut ask = Ask { tangent: Some(&mut values), position_weight: 1.0, ..Ask::default() };
    let error = model.evaluate(&at(&x), &mut ask, &mut Workspace::new()).unwrap_err().to_string();
    assert!(error.contains("before it was bound"), "{error}");
    let pattern: Arc<Pattern> = pattern_of(&model, n);
    model.bind(&Slots::new(&pattern, 0, "model")).unwrap();
    let error = model.evaluate(&at(&x), &mut ask, &mut Workspace::new()).unwrap_err().to_string();
    assert!(error.contains("another matrix"), "{error}");
    let short = Configuration::new(&x[1..], &x, 0.0);
    assert!(model.evaluate(&short, &mut Ask::default(), &mut Workspace::new()).is_err());
    assert_eq!(model.stable_step(&short, &[]), 0.0);
    let mut g = vec![[0.0; 3]; n];
    x[3][1] = f64::NAN;
    let error = model.evaluate(
        &at(&x),
        &mut Ask { gradient: Some(&mut g), ..Ask::default() },
        &mut Workspace::new(),
    );
    assert!(matches!(error, Err(ForceError::NotFinite { vertex: 3, .. })), "{error:?}");
    x[3][1] = 1e150;
    let error = model.evaluate(
        &at(&x),
        &mut Ask { gradient: Some(&mut g), ..Ask::default() },
        &mut Workspace::new(),
    );
    assert!(error.unwrap_err().to_string().contains("beyond the range"));
}
