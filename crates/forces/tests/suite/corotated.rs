//! Corotational elements whose frame the element chooses: least displacement, and fixed nodes.

use crate::checks;
use crate::common;

use checks::{
    Random, Storage, add_all, dense, difference, eigenvalues, flat, gradient, mul, sweep,
};
use common::{deformed, irregular_box, norm};
use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::vec3::{Vec3, add, normalized, scale, sub};
use pliant_forces::corotated::{
    CorotatedFixed, CorotatedLeast, FrameRule, FrameTangent, fixed_node_counts,
};
use pliant_forces::solid::solid;
use pliant_forces::{
    Ask, Configuration, ElementName, ForceError, ForceModel, Inversion, Parameters, Partition,
    PolynomialStVenantKirchhoff, Workspace, finite_difference_check,
};
use pliant_materials::corotational_frames::CorotationalLeastDisplacement;
use pliant_materials::{Law, LawName, Material};
use pliant_mesh::VolumeMesh;

const LAME: Parameters<'static> = Parameters::Uniform(&[1.5, 1.0]);
const RULES: [FrameRule; 2] = [FrameRule::LeastDisplacement, FrameRule::Polar];

fn at(x: &[Vec3]) -> Configuration<'_> {
    Configuration::new(x, x, 0.0)
}

/// A rotation by 2.1 about a skew axis, and a translation.
fn turned(x: &[Vec3]) -> (Mat3<f64>, Vec<Vec3>) {
    let e = normalized([1.0, -2.0, 0.5]).unwrap();
    let (sin, cos) = 2.1f64.sin_cos();
    let r = Mat3::diagonal([cos; 3])
        + Mat3::cross_matrix(e).scale(sin)
        + Mat3::outer(e, e).scale(1.0 - cos);
    (r, x.iter().map(|&p| add(r.mul_vec(p), [3.0, -1.0, 0.5])).collect())
}

fn off(a: &[Vec3], b: &[Vec3]) -> f64 {
    difference(&flat(a), &flat(b)) / norm(a)
}

fn mesh_and_partition(cells: [usize; 3]) -> (VolumeMesh, Partition) {
    let mesh = irregular_box(4, cells);
    let partition = Partition::with_chunk_size(&mesh, 7).unwrap();
    (mesh, partition)
}

fn least(mesh: &VolumeMesh, partition: &Partition, tangent: FrameTangent) -> CorotatedLeast {
    CorotatedLeast::new(mesh, partition, LAME, tangent, &|_| true).unwrap()
}

#[test]
fn least_displacement_forces_are_those_of_the_law_with_the_moments_of_the_element() {
    let (mesh, partition) = mesh_and_partition([3, 2, 2]);
    let x = deformed(&mesh, &partition, 0.02);
    let found = gradient(&least(&mesh, &partition, FrameTangent::Exact), at(&x));
    let mut exact = vec![[0.0; 3]; x.len()];
    for cell in 0..mesh.cell_count() {
        let nodes = mesh.tet(cell).map(|v| partition.vertices().old_to_new()[v as usize] as usize);
        let rest = mesh.tet(cell).map(|v| mesh.vertices[v as usize]);
        let edges =
            |x: [Vec3; 4]| Mat3::from_columns(sub(x[1], x[0]), sub(x[2], x[0]), sub(x[3], x[0]));
        let inverse = edges(rest).inverse();
        let f = edges(nodes.map(|v| x[v])) * inverse;
        let centre = rest.iter().fold([0.0; 3], |s, &x| add(s, scale(x, 0.25)));
        let m =
            rest.iter().fold(Mat3::zero(), |m, &x| m + Mat3::outer(sub(x, centre), sub(x, centre)));
        let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = m.0;
        let p = CorotationalLeastDisplacement::default()
            .stress(&[1.5, 1.0, xx, yy, zz, xy, yz, xz], &f)
            .scale(edges(rest).determinant() / 6.0);
        for a in 1..4 {
            let g = p.mul_vec(inverse.0[a - 1]);
            exact[nodes[a]] = add(exact[nodes[a]], g);
            exact[nodes[0]] = sub(exact[nodes[0]], g);
        }
    }
    assert!(off(&exact, &found) < 1e-14);
}

#[test]
fn least_displacement_tangent_is_the_derivative_and_not_symmetric() {
    let (mesh, partition) = mesh_and_partition([3, 2, 2]);
    let x = deformed(&mesh, &partition, 0.02);
    let mut model = least(&mesh, &partition, FrameTangent::Exact);
    assert!(!model.character().symmetric && !model.character().is_conservative());
    let d = Random(3).vectors(x.len(), 1.0);
    let steps = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
    let report = finite_difference_check(&mut model, &at(&x), &d, &steps).unwrap();
    assert!(report.best_tangent() < 1e-9, "{report:?}");
    let rate = report.steps[1].tangent / report.steps[2].tangent;
    assert!((60.0..160.0).contains(&rate), "{report:?}");
    let k = dense(&mut model, at(&x), (1.0, 0.0), false, Storage::Full).unwrap();
    let skew = (0..k.len()).map(|i| (k[i][0] - k[0][i]).abs()).fold(0.0, f64::max);
    assert!(skew > 1e-3);
    let refused = dense(&mut model, at(&x), (1.0, 0.0), false, Storage::Upper).unwrap_err();
    assert!(refused.to_string().contains("not symmetric"));
    let mut e = 0.0;
    let error = model.evaluate(
        &at(&x),
        &mut Ask { energy: Some(&mut e), ..Ask::default() },
        &mut Workspace::new(),
    );
    assert!(error.unwrap_err().to_string().contains("no energy"));
}

#[test]
fn frozen_and_projected_tangents_are_symmetric_and_semi_definite() {
    let (mesh, partition) = mesh_and_partition([2, 1, 1]);
    let x = deformed(&mesh, &partition, 0.1);
    let mut exact = least(&mesh, &partition, FrameTangent::Exact);
    let mut frozen = least(&mesh, &partition, FrameTangent::Frozen);
    assert!(frozen.character().symmetric);
    let a = dense(&mut exact, at(&x), (1.0, 0.0), true, Storage::Full).unwrap();
    let b = dense(&mut frozen, at(&x), (1.0, 0.0), false, Storage::Upper).unwrap();
    for (a, b) in a.iter().zip(&b) {
        assert!(difference(a, b) < 1e-14);
    }
    assert!(eigenvalues(b)[0] > -1e-13);
    assert_eq!(gradient(&exact, at(&x)), gradient(&frozen, at(&x)));
}

#[test]
fn frames_follow_rotations_and_a_turned_body_at_rest_exerts_nothing() {
    let (mesh, partition) = mesh_and_partition([3, 2, 2]);
    let rest = partition.vertices().apply(&mesh.vertices);
    let x = deformed(&mesh, &partition, 0.02);
    // The clamped end of the box turns too.
    let end: Vec<u32> =
        (0..mesh.vertex_count() as u32).filter(|&v| mesh.vertices[v as usize][0] < 0.4).collect();
    let mut models: Vec<Box<dyn ForceModel>> =
        vec![Box::new(least(&mesh, &partition, FrameTangent::Exact))];
    for rule in RULES {
        let how = (rule, FrameTangent::Exact);
        models.push(Box::new(CorotatedFixed::new(&mesh, &partition, LAME, &end, how).unwrap()));
    }
    for model in &mut models {
        let g = gradient(model.as_ref(), at(&x));
        let (r, y) = turned(&x);
        let expected: Vec<Vec3> = g.iter().map(|&g| r.mul_vec(g)).collect();
        assert!(norm(&g) > 0.01 && off(&expected, &gradient(model.as_ref(), at(&y))) < 1e-13);
        for still in [&rest, &turned(&rest).1] {
            let g = gradient(model.as_ref(), at(still));
            assert!(norm(&g) < 1e-14, "{}: {}", model.name(), norm(&g));
        }
    }
}

#[test]
fn no_rotation_makes_displacements_smaller_than_the_frame_does() {
    let (mesh, partition) = mesh_and_partition([2, 1, 1]);
    let x = deformed(&mesh, &partition, 0.1);
    let model = least(&mesh, &partition, FrameTangent::Exact);
    let mut random = Random(17);
    let mut seen = 0;
    model
        .each_frame(&at(&x), |cell, r| {
            seen += 1;
            let new = partition.vertices().old_to_new();
            let rest = mesh.tet(cell).map(|v| mesh.vertices[v as usize]);
            let now = mesh.tet(cell).map(|v| x[new[v as usize] as usize]);
            let middle = |x: &[Vec3; 4]| x.iter().fold([0.0; 3], |s, &x| add(s, scale(x, 0.25)));
            let size = |r: &Mat3<f64>| -> f64 {
                (0..4)
                    .map(|a| {
                        let u = sub(
                            r.transpose_mul_vec(sub(now[a], middle(&now))),
                            sub(rest[a], middle(&rest)),
                        );
                        dot(u, u)
                    })
                    .sum()
            };
            for angle in [1e-3, 0.1, 1.0] {
                let w = [0; 3].map(|_| angle * random.next());
                // Cayley's rotation.
                let half = Mat3::cross_matrix(w).scale(0.5);
                let turn = (Mat3::identity() - half).inverse() * (Mat3::identity() + half);
                assert!(size(&(r * turn)) > size(&r));
            }
        })
        .unwrap();
    assert_eq!(seen, mesh.cell_count());
}

#[test]
fn small_displacements_give_the_forces_of_linear_elasticity_in_every_frame() {
    let (mesh, partition) = mesh_and_partition([3, 2, 2]);
    let rest = partition.vertices().apply(&mesh.vertices);
    let d = Random(29).vectors(rest.len(), 1.0);
    let end: Vec<u32> =
        (0..mesh.vertex_count() as u32).filter(|&v| mesh.vertices[v as usize][0] < 0.4).collect();
    let near = fixed_node_counts(&mesh, &end).unwrap();
    let linear = |chosen: &dyn Fn(usize) -> bool| {
        // At rest all frames are held at the identity, where R K Rᵀ is K.
        let frozen = FrameTangent::Frozen;
        let mut model = CorotatedLeast::new(&mesh, &partition, LAME, frozen, chosen).unwrap();
        let k = dense(&mut model, at(&rest), (1.0, 0.0), false, Storage::Upper).unwrap();
        mul(&k, &flat(&d))
    };
    let how = (FrameRule::LeastDisplacement, FrameTangent::Exact);
    let polar = (FrameRule::Polar, FrameTangent::Exact);
    let mut cases: Vec<(Box<dyn ForceModel>, Vec<f64>)> = vec![
        (Box::new(least(&mesh, &partition, FrameTangent::Exact)), linear(&|_| true)),
        (
            Box::new(CorotatedFixed::new(&mesh, &partition, LAME, &end, how).unwrap()),
            linear(&|c| (2..4).contains(&near[c])),
        ),
        (
            Box::new(CorotatedFixed::new(&mesh, &partition, LAME, &end, polar).unwrap()),
            linear(&|c| (2..4).contains(&near[c])),
        ),
    ];
    for (model, exact) in &mut cases {
        // What fixed nodes move must not turn frames away from the linear ones: first order only.
        let error = |h: f64| {
            let g = gradient(model.as_ref(), at(&add_all(&rest, &d, h)));
            let slope: Vec<f64> = flat(&g).iter().map(|g| g / h).collect();
            difference(&slope, exact) / checks::norm(exact)
        };
        let (coarse, fine) = (error(1e-3), error(1e-4));
        assert!(fine < 2e-3 && (9.0..11.0).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
    }
}

/// One tetrahedron, its partition, and the places of its nodes in the system.
fn single() -> (VolumeMesh, Partition, [usize; 4]) {
    let vertices = vec![[0.1, 0.0, 0.0], [1.0, 0.2, 0.1], [0.2, 0.9, -0.1], [0.3, 0.1, 1.1]];
    let mesh = VolumeMesh::new(pliant_mesh::cell::CellType::Tet4, vertices, vec![0, 1, 2, 3]);
    let partition = Partition::new(&mesh).unwrap();
    let new = partition.vertices().old_to_new();
    let places = [0, 1, 2, 3].map(|v| new[v] as usize);
    (mesh, partition, places)
}

fn frame(model: &CorotatedFixed, x: &[Vec3]) -> Mat3<f64> {
    let mut frame = None;
    model.each_frame(&at(x), |_, r| frame = Some(r)).unwrap();
    frame.unwrap()
}

#[test]
fn three_fixed_nodes_hold_the_frame_and_two_leave_it_one_axis() {
    let (mesh, partition, places) = single();
    let rest = partition.vertices().apply(&mesh.vertices);
    let mut random = Random(31);
    for rule in RULES {
        let make = |fixed: &[u32]| {
            let how = (rule, FrameTangent::Exact);
            CorotatedFixed::new(&mesh, &partition, LAME, fixed, how).unwrap()
        };
        for _ in 0..20 {
            let moved = |free: &[usize], random: &mut Random| {
                let mut x = rest.clone();
                for &a in free {
                    x[places[a]] = add(x[places[a]], [0; 3].map(|_| 0.8 * random.next()));
                }
                x
            };
            let x = moved(&[1], &mut random);
            assert!((frame(&make(&[0, 2, 3]), &x) - Mat3::identity()).max_abs() < 1e-15);
            let x = moved(&[1, 3], &mut random);
            let e = normalized(sub(mesh.vertices[2], mesh.vertices[0])).unwrap();
            let r = frame(&make(&[0, 2]), &x);
            assert!((0..3).all(|k| (r.mul_vec(e)[k] - e[k]).abs() < 1e-15));
            assert!((r.gram() - Mat3::identity()).max_abs() < 1e-15);
            assert!((r.determinant() - 1.0).abs() < 1e-15);
        }
        assert_eq!(make(&[0, 1, 2, 3]).elements(), [0, 0]);
        assert_eq!(make(&[1]).elements(), [0, 0]);
        assert_eq!(make(&[1, 2]).elements(), [1, 0]);
        assert_eq!(make(&[1, 2, 3]).elements(), [0, 1]);
    }
}

#[test]
fn the_angle_about_two_fixed_nodes_is_the_best_one() {
    let (mesh, partition, places) = single();
    let mut x = partition.vertices().apply(&mesh.vertices);
    x[places[1]] = [0.4, -0.7, 0.3];
    x[places[3]] = [0.2, 0.8, 0.9];
    let how = (FrameRule::LeastDisplacement, FrameTangent::Exact);
    let model = CorotatedFixed::new(&mesh, &partition, LAME, &[0, 2], how).unwrap();
    let r = frame(&model, &x);
    let e = normalized(sub(mesh.vertices[2], mesh.vertices[0])).unwrap();
    let middle = mesh.vertices.iter().fold([0.0; 3], |s, &p| add(s, scale(p, 0.25)));
    let mut a = Mat3::zero();
    for v in 0..4 {
        a += Mat3::outer(x[places[v]], sub(mesh.vertices[v], middle));
    }
    let fit = |angle: f64| {
        let turn = Mat3::diagonal([angle.cos(); 3])
            + Mat3::cross_matrix(e).scale(angle.sin())
            + Mat3::outer(e, e).scale(1.0 - angle.cos());
        (turn * r).contract(&a)
    };
    for k in 1..63 {
        assert!(fit(0.1 * f64::from(k)) < fit(0.0));
    }
}

/// Fixed nodes are no unknowns: columns of the tangent are checked for the free ones.
#[test]
fn tangents_at_fixed_nodes_are_derivatives_along_the_free_ones() {
    let (mesh, partition) = mesh_and_partition([3, 2, 2]);
    let n = mesh.vertex_count();
    let new = partition.vertices().old_to_new();
    let end: Vec<u32> = (0..n as u32).filter(|&v| mesh.vertices[v as usize][0] < 0.4).collect();
    let rest = partition.vertices().apply(&mesh.vertices);
    let mut free = deformed(&mesh, &partition, 0.05);
    let mut d = Random(37).vectors(n, 1.0);
    for &v in &end {
        free[new[v as usize] as usize] = rest[new[v as usize] as usize];
        d[new[v as usize] as usize] = [0.0; 3];
    }
    for rule in RULES {
        let how = (rule, FrameTangent::Exact);
        let mut model = CorotatedFixed::new(&mesh, &partition, LAME, &end, how).unwrap();
        let [edges, faces] = model.elements();
        assert!(
            edges > 5
                && faces > 5
                && !model.character().symmetric
                && !model.character().is_conservative()
        );
        // Both with the clamp at rest and with a clamp that has turned.
        for x in [&free, &turned(&free).1] {
            let k = dense(&mut model, at(x), (1.0, 0.0), false, Storage::Full).unwrap();
            sweep("fixed nodes", 0.1, &mul(&k, &flat(&d)), |h| {
                flat(&gradient(&model, at(&add_all(x, &d, h))))
            });
        }
    }
}

#[test]
fn three_fixed_nodes_give_a_linear_element_with_an_energy() {
    let (mesh, partition, places) = single();
    let how = (FrameRule::LeastDisplacement, FrameTangent::Exact);
    let mut model = CorotatedFixed::new(&mesh, &partition, LAME, &[0, 2, 3], how).unwrap();
    assert!(model.character().symmetric && model.character().is_conservative());
    let mut x = partition.vertices().apply(&mesh.vertices);
    let rest = x[places[1]];
    x[places[1]] = add(rest, [0.3, -0.4, 0.2]);
    let g = gradient(&model, at(&x));
    let work = dot(g[places[1]], [0.3, -0.4, 0.2]);
    let energy = checks::energy(&model, at(&x));
    assert!((energy - 0.5 * work).abs() < 1e-15 && energy > 0.01);
    let mut d = vec![[0.0; 3]; 4];
    d[places[1]] = [0.5, 0.3, -0.7];
    let report = finite_difference_check(&mut model, &at(&x), &d, &[1e-2, 1e-3]).unwrap();
    assert!(report.best_gradient().unwrap() < 1e-12 && report.best_tangent() < 1e-12, "{report:?}");
}

#[test]
fn collapsed_elements_give_finite_numbers_and_bad_input_is_refused() {
    let (mesh, partition, places) = single();
    let rest = partition.vertices().apply(&mesh.vertices);
    let line = |a: usize| {
        add(rest[places[0]], scale(sub(rest[places[2]], rest[places[0]]), 0.3 * a as f64))
    };
    let mut x = rest.clone();
    for a in [1, 3] {
        x[places[a]] = line(a);
    }
    let point = vec![[0.5; 3]; 4];
    for rule in RULES {
        let how = (rule, FrameTangent::Exact);
        for fixed in [&[0, 2][..], &[0, 1, 2]] {
            let mut model = CorotatedFixed::new(&mesh, &partition, LAME, fixed, how).unwrap();
            for x in [&x, &point] {
                let k = dense(&mut model, at(x), (1.0, 0.0), false, Storage::Full).unwrap();
                assert!(k.iter().flatten().all(|k| k.is_finite()));
                assert!(gradient(&model, at(x)).iter().flatten().all(|g| g.is_finite()));
            }
        }
    }
    let mut model = least(&mesh, &partition, FrameTangent::Exact);
    for x in [&x, &point] {
        let k = dense(&mut model, at(x), (1.0, 0.0), false, Storage::Full).unwrap();
        assert!(k.iter().flatten().all(|k| k.is_finite()));
    }
    let how = (FrameRule::Polar, FrameTangent::Exact);
    let error = CorotatedFixed::new(&mesh, &partition, LAME, &[0, 4], how).unwrap_err();
    assert!(error.to_string().contains("vertex = 4"), "{error}");
    let mut bad = rest.clone();
    bad[2][1] = f64::INFINITY;
    let mut g = [[0.0; 3]; 4];
    let error = model.evaluate(
        &at(&bad),
        &mut Ask { gradient: Some(&mut g), ..Ask::default() },
        &mut Workspace::new(),
    );
    assert!(matches!(error, Err(ForceError::NotFinite { vertex: 2, .. })), "{error:?}");
    let step = model.stable_step(&at(&rest), &[1.0; 4]);
    assert!(step > 0.1 && step < 10.0, "{step}");
}

#[test]
fn bits_do_not_depend_on_threads() {
    let (mesh, partition) = mesh_and_partition([4, 3, 3]);
    let x = deformed(&mesh, &partition, 0.02);
    let mut model = least(&mesh, &partition, FrameTangent::Exact);
    let mut first = None;
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let all = pool.install(|| {
            let k = dense(&mut model, at(&x), (1.0, 0.0), false, Storage::Full).unwrap();
            (k, gradient(&model, at(&x)))
        });
        assert!(*first.get_or_insert(all.clone()) == all, "{threads} threads");
    }
}

#[test]
fn all_models_find_the_same_worst_element() {
    let (mesh, partition) = mesh_and_partition([3, 2, 2]);
    let law = |law| {
        let law = Material::new(law).point();
        solid(&mesh, &partition, ElementName::Tet4, law, LAME, &|_| true).unwrap()
    };
    let (st_venant, oracle) = (law(LawName::ST_VENANT_KIRCHHOFF), law(LawName::COROTATIONAL));
    let end: Vec<u32> = mesh.cell(0)[..3].to_vec();
    let how = (FrameRule::Polar, FrameTangent::Exact);
    let held = CorotatedFixed::new(&mesh, &partition, LAME, &end, how).unwrap();
    let polynomial = PolynomialStVenantKirchhoff::new(&mesh, &partition, LAME).unwrap();
    let least = least(&mesh, &partition, FrameTangent::Exact);
    // One vertex of the first cell, which is held at the other three, through its opposite face.
    let mut x = partition.vertices().apply(&mesh.vertices);
    let tip = partition.vertices().old_to_new()[mesh.cell(0)[3] as usize] as usize;
    let base = partition.vertices().old_to_new()[mesh.cell(0)[0] as usize] as usize;
    for (inverted, part) in [(false, 0.5), (true, 2.5)] {
        let way = sub(x[base], x[tip]);
        x[tip] = add(x[tip], scale(way, part));
        let expected = oracle.worst(&x).unwrap();
        assert_eq!(expected.jacobian < 0.0, inverted);
        // Of the cells that are held at two nodes or more the first one is worst only once it is inverted.
        let held: Option<&dyn ForceModel> = inverted.then_some(&held);
        let models: [&dyn ForceModel; 3] = [&*st_venant, &polynomial, &least];
        for model in models.into_iter().chain(held) {
            let found = model.worst(&x).unwrap();
            assert_eq!(found.element, expected.element, "{}", model.name());
            assert!((found.jacobian - expected.jacobian).abs() < 1e-13, "{}", model.name());
            for (a, b) in found.stretches.iter().zip(expected.stretches) {
                assert!((a - b).abs() < 1e-12, "{}", model.name());
            }
        }
    }
    let takes = |model: &dyn ForceModel| model.character().inversion == Inversion::Allowed;
    assert!(!takes(&*st_venant) && !takes(&polynomial) && takes(&least));
}
