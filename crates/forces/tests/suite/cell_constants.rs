//! Constants by point and weights by cell: what they mean, and that every path takes them.

use crate::common;

use common::laws::{PlainNeoHookean, PlainStVK};
use common::{Everything, deformed, everything, irregular_box, norm, pattern_of, random};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, sub};
use pliant_elements::{Element, Hex8, Hex8Bbar, Hex20, Tet4, Tet10, Tet10Bbar};
use pliant_forces::damping::Viscous;
use pliant_forces::solid::elastic_weighted;
use pliant_forces::{
    Configuration, ElementName, ForceModel, Parameters, Partition, PolynomialStVenantKirchhoff,
    Solid, finite_difference_check,
};
use pliant_materials::{LawName, Material};
use pliant_mesh::VolumeMesh;

const LAME: [f64; 2] = [1.5, 1.0];

struct Case {
    mesh: VolumeMesh,
    partition: Partition,
    x: Vec<Vec3>,
}

/// Several chunks, of which the last pack is not full.
fn case(nodes: usize) -> Case {
    let mesh = irregular_box(nodes, [3, 2, 2]);
    let partition = Partition::with_chunk_size(&mesh, 7).unwrap();
    let x = deformed(&mesh, &partition, 0.01);
    Case { mesh, partition, x }
}

impl Case {
    fn run(&self, model: &mut dyn ForceModel) -> Everything {
        let whole = pattern_of(&*self.whole(), self.x.len());
        everything(model, &self.x, &whole, 1.0).unwrap()
    }

    /// Couples all that any model of this mesh couples.
    fn whole(&self) -> Box<dyn ForceModel> {
        let law = Material::new(LawName::ST_VENANT_KIRCHHOFF);
        let element = ElementName::of(self.mesh.cell_type);
        let ones = vec![1.0; self.mesh.cell_count()];
        let p = Parameters::Uniform(&LAME);
        elastic_weighted(&self.mesh, &self.partition, element, &law, p, &ones).unwrap()
    }

    /// λ and μ of every point, all different.
    fn constants(&self, points: usize) -> Vec<f64> {
        let mut r = random(17);
        (0..self.mesh.cell_count() * points).flat_map(|_| [2.0 + r(), 3.0 + r()]).collect()
    }
}

/// Runs a check on each element.
macro_rules! each {
    ($check:ident) => {
        $check(Tet4);
        $check(Tet10);
        $check(Hex20);
        $check(Hex8);
        $check(Tet10Bbar);
        $check(Hex8Bbar);
    };
}

#[test]
fn energy_sums_over_the_points_with_the_constants_of_each() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        let points = E::POINTS.len();
        let constants = case.constants(points);
        let p = Parameters::PerPoint(&constants);
        let mut model =
            Solid::new(&case.mesh, &case.partition, element, Box::new(PlainStVK), p).unwrap();
        let energy = case.run(&mut model).energy;
        // By hand, cell after cell in the user's numbering.
        let new = case.partition.vertices().old_to_new();
        let mut sum = 0.0;
        for (cell, nodes) in case.mesh.cells().enumerate() {
            let rest: [Vec3; N] = std::array::from_fn(|a| case.mesh.vertices[nodes[a] as usize]);
            let x: [Vec3; N] = std::array::from_fn(|a| case.x[new[nodes[a] as usize] as usize]);
            let at = |point| {
                let jacobian = Mat3(E::jacobian(point, &rest));
                (jacobian.determinant(), Mat3(E::jacobian(point, &x)) * jacobian.inverse())
            };
            let volumes: Vec<_> = E::POINTS.iter().map(|q| (q.weight, at(q))).collect();
            let volume: f64 = volumes.iter().map(|(w, (v, _))| w * v).sum();
            let current: f64 = volumes.iter().map(|(w, (v, f))| w * v * f.determinant()).sum();
            for (q, (weight, (v, f))) in volumes.iter().enumerate() {
                let s = (current / volume / f.determinant()).cbrt();
                let f = if E::MEAN_DILATATION { f.scale(s) } else { *f };
                let at = cell * points + q;
                sum += weight * v * model.law().energy(&constants[2 * at..2 * at + 2], &f);
            }
        }
        assert!((energy / sum - 1.0).abs() < 1e-13, "{}: {energy} {sum}", E::NAME);
        // The plain path, element by element, agrees.
        let stresses = model.stresses(&case.x).unwrap();
        let plain: f64 = stresses.iter().map(|(_, v, stress)| v * stress.energy_density).sum();
        assert!((plain / sum - 1.0).abs() < 1e-13, "{}: {plain} {sum}", E::NAME);
    }
    each!(check);
}

#[test]
fn forces_and_stiffness_are_those_of_the_points_one_by_one() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        let points = E::POINTS.len();
        let constants = case.constants(points);
        let run = |constants: &[f64]| {
            let p = Parameters::PerPoint(constants);
            let model = Solid::new(&case.mesh, &case.partition, element, Box::new(PlainStVK), p);
            case.run(&mut model.unwrap())
        };
        let all = run(&constants);
        let mut gradient = vec![[0.0; 3]; case.x.len()];
        let mut blocks = vec![[0.0; 9]; all.matrix.values.len()];
        for q in 0..points {
            // The law is linear in λ and μ, so that points without constants have no part.
            let only = |(k, &c): (usize, &f64)| if k / 2 % points == q { c } else { 0.0 };
            let one = run(&constants.iter().enumerate().map(only).collect::<Vec<_>>());
            for (sum, g) in gradient.iter_mut().zip(&one.gradient) {
                *sum = std::array::from_fn(|k| sum[k] + g[k]);
            }
            for (sum, b) in blocks.iter_mut().zip(&one.matrix.values) {
                *sum = std::array::from_fn(|k| sum[k] + b[k]);
            }
        }
        let off: Vec<Vec3> = gradient.iter().zip(&all.gradient).map(|(&a, &b)| sub(a, b)).collect();
        assert!(norm(&off) < 1e-13 * norm(&all.gradient), "{}", E::NAME);
        for (a, b) in blocks.iter().flatten().zip(all.matrix.values.iter().flatten()) {
            assert!((a - b).abs() < 1e-12, "{}: {a} {b}", E::NAME);
        }
    }
    each!(check);
}

#[test]
fn gradient_and_tangent_of_constants_by_point_are_derivatives() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        let constants = case.constants(E::POINTS.len());
        let p = Parameters::PerPoint(&constants);
        let mut model =
            Solid::new(&case.mesh, &case.partition, element, Box::new(PlainNeoHookean), p).unwrap();
        let v = vec![[0.0; 3]; case.x.len()];
        let mut r = random(3);
        let d: Vec<Vec3> = case.x.iter().map(|_| [r(), r(), r()]).collect();
        let state = Configuration::new(&case.x, &v, 0.0);
        let report =
            finite_difference_check(&mut model, &state, &d, &[1e-3, 1e-4, 1e-5, 1e-6]).unwrap();
        assert!(report.best_gradient().unwrap() < 2e-9, "{}: {report:?}", E::NAME);
        assert!(report.best_tangent() < 2e-9, "{}: {report:?}", E::NAME);
    }
    each!(check);
}

#[test]
fn the_same_constants_by_point_by_element_and_uniform_have_the_same_bits() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        let cells = case.mesh.cell_count();
        let mass = vec![1.0; case.x.len()];
        let v = vec![[0.0; 3]; case.x.len()];
        let run = |p: Parameters<'_>| {
            let mut model =
                Solid::new(&case.mesh, &case.partition, element, Box::new(PlainNeoHookean), p)
                    .unwrap();
            let step = model.stable_step(&Configuration::new(&case.x, &v, 0.0), &mass);
            let stress = model.stresses(&case.x).unwrap()[3].2.von_mises();
            (case.run(&mut model).bits(), step.to_bits(), stress.to_bits())
        };
        let uniform = run(Parameters::Uniform(&LAME));
        assert!(uniform == run(Parameters::PerElement(&LAME.repeat(cells))));
        assert!(uniform == run(Parameters::PerPoint(&LAME.repeat(cells * E::POINTS.len()))));
        // 200 times as stiff at its last point, a body takes shorter steps.
        let mut stiffer = LAME.repeat(cells * E::POINTS.len());
        let last = stiffer.len() - 1;
        stiffer[last] *= 200.0;
        let (_, step, _) = run(Parameters::PerPoint(&stiffer));
        assert!(f64::from_bits(step) < f64::from_bits(uniform.1));
    }
    each!(check);
}

#[test]
fn weight_one_half_halves_energy_and_force_exactly_and_weight_zero_leaves_the_cell_out() {
    fn check<E: Element<3, N>, const N: usize>(element: E) {
        let case = case(N);
        let cells = case.mesh.cell_count();
        let p = Parameters::Uniform(&LAME);
        let weighted = |weights: &[f64]| {
            let (mesh, partition) = (&case.mesh, &case.partition);
            let mut model =
                Solid::weighted(mesh, partition, element, Box::new(PlainStVK), p, weights).unwrap();
            let result = case.run(&mut model);
            (result, model)
        };
        let (whole, _) = weighted(&vec![1.0; cells]);
        let mut plain =
            Solid::new(&case.mesh, &case.partition, element, Box::new(PlainStVK), p).unwrap();
        assert!(case.run(&mut plain).bits() == whole.bits());
        let (half, _) = weighted(&vec![0.5; cells]);
        assert_eq!(half.energy, 0.5 * whole.energy);
        for (h, w) in half.gradient.iter().flatten().zip(whole.gradient.iter().flatten()) {
            assert_eq!(*h, 0.5 * w);
        }
        for (h, w) in half.matrix.values.iter().flatten().zip(whole.matrix.values.iter().flatten())
        {
            assert!((h - 0.5 * w).abs() < 1e-13);
        }
        // Weight 0 is not being there.
        let some: Vec<f64> = (0..cells).map(|c| if c % 3 == 1 { 0.0 } else { 1.0 }).collect();
        let chosen = |c: usize| c % 3 != 1;
        let mut without =
            Solid::on_cells(&case.mesh, &case.partition, element, Box::new(PlainStVK), p, &chosen)
                .unwrap();
        let (zero, model) = weighted(&some);
        assert_eq!(model.elements(), without.elements());
        assert!(zero.bits() == case.run(&mut without).bits());
    }
    each!(check);
}

#[test]
fn cells_of_weight_zero_may_invert() {
    let Case { mesh, partition, x } = case(4);
    let mut x = x;
    let new = partition.vertices().old_to_new();
    // Turns the cells around vertex 0 inside out.
    let vertex = mesh.cell(0)[0];
    x[new[vertex as usize] as usize] = [3.0, 3.0, 3.0];
    let around = |cell: usize| mesh.cell(cell).contains(&vertex);
    let weights: Vec<f64> =
        (0..mesh.cell_count()).map(|c| if around(c) { 0.0 } else { 1.0 }).collect();
    let p = Parameters::Uniform(&LAME);
    let mut whole = Solid::new(&mesh, &partition, Tet4, Box::new(PlainNeoHookean), p).unwrap();
    let pattern = pattern_of(&whole, x.len());
    let error = everything(&mut whole, &x, &pattern, 1.0).err().unwrap().to_string();
    assert!(error.contains("element"), "{error}");
    let mut rest =
        Solid::weighted(&mesh, &partition, Tet4, Box::new(PlainNeoHookean), p, &weights).unwrap();
    assert!(everything(&mut rest, &x, &pattern, 1.0).is_ok());
    assert!(rest.worst(&x).unwrap().jacobian > 0.0);
}

#[test]
fn polynomial_form_takes_weights_and_constants_of_its_one_point() {
    let case = case(4);
    let constants = case.constants(1);
    let weights: Vec<f64> = (0..case.mesh.cell_count()).map(|c| (c % 4) as f64 / 2.0).collect();
    let p = Parameters::PerPoint(&constants);
    let (mesh, partition) = (&case.mesh, &case.partition);
    let mut direct =
        Solid::weighted(mesh, partition, Tet4, Box::new(PlainStVK), p, &weights).unwrap();
    let mut form = PolynomialStVenantKirchhoff::weighted(mesh, partition, p, &weights).unwrap();
    let (a, b) = (case.run(&mut direct), case.run(&mut form));
    assert!((a.energy / b.energy - 1.0).abs() < 1e-13);
    let off: Vec<Vec3> = a.gradient.iter().zip(&b.gradient).map(|(&a, &b)| sub(a, b)).collect();
    assert!(norm(&off) < 1e-13 * norm(&a.gradient));
}

#[test]
fn errors_name_the_element_and_the_point() {
    let Case { mesh, partition, .. } = case(8);
    let cells = mesh.cell_count();
    let new = |p: Parameters<'_>| {
        Solid::new(&mesh, &partition, Hex8, Box::new(PlainStVK), p).unwrap_err().to_string()
    };
    let short = new(Parameters::PerPoint(&LAME));
    assert!(short.contains("2 parameters for 12 elements of 8 points"), "{short}");
    let mut constants = LAME.repeat(cells * 8);
    constants[2 * (3 * 8 + 5) + 1] = f64::NAN;
    let nan = new(Parameters::PerPoint(&constants));
    assert!(nan.contains("mu of element 3, point 5 = NaN"), "{nan}");

    let p = Parameters::Uniform(&LAME);
    let weighted = |weights: &[f64]| {
        let model = Solid::weighted(&mesh, &partition, Hex8, Box::new(PlainStVK), p, weights);
        model.unwrap_err().to_string()
    };
    let short = weighted(&[1.0]);
    assert!(short.contains("1 weights for 12 elements"), "{short}");
    for bad in [-0.5, f64::NAN, f64::INFINITY] {
        let mut weights = vec![1.0; cells];
        weights[7] = bad;
        let text = weighted(&weights);
        assert!(text.contains("weight of element 7 = "), "{text}");
    }
    let each = LAME.repeat(cells * 8);
    let viscous = Viscous::new(&mesh, &partition, Hex8, Parameters::PerPoint(&each));
    let text = viscous.unwrap_err().to_string();
    assert!(text.contains("by element, not by point"), "{text}");
}
