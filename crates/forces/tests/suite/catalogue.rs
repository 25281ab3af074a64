//! Every law of the catalogue, plain and continued, on every element: derivatives, symmetry, invariance, the patch
//! test, rigid modes, small strains, projection, and the same bits at every level. The list is made of the catalogue: a
//! law or an element that is added is tested, and one that is an exception to a statement fails until it is named below.

use crate::common;

use std::sync::Arc;

use common::{irregular_box, norm, random};
use nalgebra::{DMatrix, SymmetricEigen};
use pliant_algebra::dispatch::Level;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{Vec3, cross, sub};
use pliant_forces::solid::solid;
use pliant_forces::{
    Ask, Configuration, ElementName, Parameters, Partition, Slots, SolidModel, Workspace,
    finite_difference_check,
};
use pliant_materials::fibres::Family;
use pliant_materials::{Constants, Inversion, LawName, Material};
use pliant_mesh::VolumeMesh;

/// λ = 1.5, μ = 1
const LAME: Constants = Constants::Lame { lambda: 1.5, mu: 1.0 };

fn variants() -> Vec<Material> {
    let mut list = Vec::new();
    for law in LawName::ALL {
        let plain = Material::new(law);
        list.push(plain);
        list.extend(plain.with_inversion(Inversion::Continued(None)));
        if [LawName::NEO_HOOKEAN, LawName::COROTATIONAL].contains(&law) {
            list.extend(plain.with_fibres(2));
        }
    }
    list
}

/// λ = 1.5, μ = 1, and two families of stiff fibres along which the deformed bodies are stretched.
fn parameters(material: &Material) -> Vec<f64> {
    let mut list = LAME.parameters(material.law()).unwrap();
    list.truncate(material.matrix_parameters());
    for direction in [[1.0, 0.1, 0.1], [1.0, -0.1, 0.2]].into_iter().take(material.families()) {
        let family = Family { k1: 2.0, k2: 0.7, dispersion: 0.05, direction };
        list.extend(family.parameters().unwrap());
    }
    list
}

/// A law on an element on a small body.
struct Case {
    name: String,
    material: Material,
    mesh: VolumeMesh,
    partition: Partition,
    model: Box<dyn SolidModel>,
}

impl Case {
    fn new(material: &Material, element: ElementName) -> Self {
        let quadratic = element.cell_type().is_quadratic();
        let cells = if quadratic { [1, 1, 1] } else { [2, 1, 1] };
        let mut mesh = irregular_box(element.cell_type().nodes(), cells);
        if quadratic {
            // Curved edges.
            let mut r = random(7);
            mesh.vertices[8..].iter_mut().flatten().for_each(|x| *x += 0.03 * r());
        }
        let partition = Partition::with_chunk_size(&mesh, 5).unwrap();
        let p = parameters(material);
        let model =
            solid(&mesh, &partition, element, material.point(), Parameters::Uniform(&p), &|_| true)
                .unwrap();
        let name = format!("{} {:?} {}", model.law().name(), material.inversion(), element.name());
        Self { name, material: *material, mesh, partition, model }
    }

    fn rest(&self) -> Vec<Vec3> {
        self.partition.vertices().apply(&self.mesh.vertices)
    }

    /// Stretched, bent and shaken, all J positive.
    fn deformed(&self) -> Vec<Vec3> {
        common::deformed(&self.mesh, &self.partition, 0.01)
    }

    /// Energy (0 where there is none), gradient and matrix, upper or full.
    fn all(&mut self, x: &[Vec3], project: bool) -> (f64, Vec<Vec3>, BlockMatrix) {
        let (model, n) = (&mut self.model, x.len());
        let pattern = if model.character().symmetric {
            Pattern::symmetric(n, |couple| model.couplings(couple))
        } else {
            Pattern::unsymmetric(n, |couple| model.couplings(couple))
        };
        let pattern = Arc::new(pattern.unwrap());
        model.bind(&Slots::new(&pattern, 0, "model")).unwrap();
        let (mut energy, mut g) = (0.0, vec![[0.0; 3]; n]);
        let mut matrix = BlockMatrix::zero(pattern);
        let v = vec![[0.0; 3]; n];
        let mut ask = Ask {
            energy: model.character().is_conservative().then_some(&mut energy),
            gradient: Some(&mut g),
            tangent: Some(&mut matrix.values),
            position_weight: 1.0,
            project,
            ..Ask::default()
        };
        model.evaluate(&Configuration::new(x, &v, 0.0), &mut ask, &mut Workspace::new()).unwrap();
        (energy, g, matrix)
    }

    fn dense(&mut self, x: &[Vec3], project: bool) -> DMatrix<f64> {
        let n = 3 * x.len();
        DMatrix::from_row_slice(n, n, &self.all(x, project).2.to_dense())
    }
}

fn each(mut check: impl FnMut(Case)) {
    for element in ElementName::ALL {
        for material in variants() {
            check(Case::new(&material, element));
        }
    }
}

/// Laws in frames that do not follow F symmetrically, and leave P Fᵀ unsymmetric (Kharevych 2.2.3).
const ONE_SIDED: [LawName; 2] =
    [LawName::COROTATIONAL_QR, LawName::COROTATIONAL_LEAST_DISPLACEMENT];
/// Laws of which a mirrored body is at rest, unless they are continued.
const SOFT_IN_MIRRORS: [LawName; 2] =
    [LawName::ST_VENANT_KIRCHHOFF, LawName::ST_VENANT_KIRCHHOFF_POLYNOMIAL];

fn is_linear(material: &Material) -> bool {
    material.law().entry().is_linear
}

#[test]
fn forces_and_stiffness_are_derivatives() {
    let mut worst: f64 = 0.0;
    each(|mut case| {
        let x = case.deformed();
        let v = vec![[0.0; 3]; x.len()];
        let mut r = random(3);
        let d: Vec<Vec3> = x.iter().map(|_| [r(), r(), r()]).collect();
        let steps = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
        let state = Configuration::new(&x, &v, 0.0);
        let report = finite_difference_check(&mut *case.model, &state, &d, &steps).unwrap();
        if case.model.character().is_conservative() {
            let best = report.best_gradient().unwrap();
            assert!(best < 4e-9, "{}: {report:?}", case.name);
            worst = worst.max(best);
        }
        // Its stiffness leaves the derivative of the rotation out.
        if case.material.law() == LawName::COROTATIONAL_WARPED {
            assert!(report.best_tangent() > 1e-4, "{}: {report:?}", case.name);
            return;
        }
        assert!(report.best_tangent() < 2e-9, "{}: {report:?}", case.name);
        worst = worst.max(report.best_tangent());
        // Errors of central differences fall with the square of the step; where the force is nearly
        // linear they are rounding from the start.
        let [_, a, b, ..] = &report.steps[..] else { unreachable!() };
        if b.tangent > 1e-7 {
            let rate = a.tangent / b.tangent;
            assert!((60.0..160.0).contains(&rate), "{}: {report:?}", case.name);
        }
    });
    println!("worst difference {worst:.1e}");
}

/// What a nonlinear solver has seen where a step ends serves the balance and the next step; a run that goes on from a checkpoint
/// asks for the forces alone, and must get the same bits.
#[test]
fn forces_have_the_same_bits_with_and_without_their_energy() {
    each(|mut case| {
        let x = case.deformed();
        if !case.model.character().is_conservative() {
            return;
        }
        case.all(&x, false);
        let v = vec![[0.0; 3]; x.len()];
        let at = Configuration::new(&x, &v, 0.0);
        let forces = |energy: Option<&mut f64>| {
            let mut g = vec![[0.0; 3]; x.len()];
            let mut ask = Ask { energy, gradient: Some(&mut g), ..Ask::default() };
            case.model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
            g
        };
        let mut energy = 0.0;
        let (with, without) = (forces(Some(&mut energy)), forces(None));
        assert!(energy > 0.0 && with == without, "{}", case.name);
    });
}

#[test]
fn at_rest_there_is_no_energy_and_no_force_and_six_modes_are_free() {
    each(|mut case| {
        let rest = case.rest();
        let (energy, g, _) = case.all(&rest, false);
        assert!(energy.abs() < 1e-14, "{}: {energy:e}", case.name);
        assert!(norm(&g) < 1e-13, "{}: {:e}", case.name, norm(&g));
        let k = case.dense(&rest, false);
        let symmetric = (&k - k.transpose()).norm() / k.norm();
        // In the frames that follow F one-sidedly the tangent at rest is still that of Hooke.
        assert!(symmetric < 1e-13, "{}: {symmetric:e}", case.name);
        let mut values: Vec<f64> = SymmetricEigen::new(k).eigenvalues.iter().copied().collect();
        values.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let largest = values.last().unwrap();
        assert!(values[5].abs() < 1e-13 * largest, "{}: {values:?}", case.name);
        // A few cells with one pressure each hardly resist fields of no shear whose dilatation is small in the middle of each.
        let least = if case.name.contains("tet10-bbar") { 1e-6 } else { 1e-4 };
        assert!(values[6] > least * largest, "{}: {:?}", case.name, &values[..8]);
    });
}

/// Of Nienhuys's form of Veronda-Westmann too: only its own constants differ from those of Lamé.
#[test]
fn small_strains_are_those_of_linear_elasticity() {
    for element in ElementName::ALL {
        let mut linear = Case::new(&Material::new(LawName::LINEAR), element);
        let rest = linear.rest();
        let expected = linear.dense(&rest, false);
        for material in variants() {
            let mut case = Case::new(&material, element);
            let found = case.dense(&rest, false);
            let error = (&found - &expected).norm() / expected.norm();
            assert!(error < 1e-13, "{}: {error:e}", case.name);
        }
    }
}

#[test]
fn rotated_bodies_have_rotated_forces() {
    let (s, c) = 0.7_f64.sin_cos();
    let turn = Mat3([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        * Mat3([[1.0, 0.0, 0.0], [0.0, 0.6, -0.8], [0.0, 0.8, 0.6]]);
    each(|mut case| {
        let x = case.deformed();
        let y: Vec<Vec3> = x.iter().map(|&p| turn.mul_vec(p)).collect();
        let (energy, g, _) = case.all(&x, false);
        let (turned_energy, turned, _) = case.all(&y, false);
        let back: Vec<Vec3> = turned.iter().map(|&f| turn.transpose_mul_vec(f)).collect();
        let off: Vec<Vec3> = back.iter().zip(&g).map(|(a, b)| sub(*a, *b)).collect();
        let error = norm(&off) / norm(&g);
        if is_linear(&case.material) {
            assert!(error > 0.1, "{}: {error:e}", case.name);
            return;
        }
        assert!(error < 1e-12, "{}: {error:e}", case.name);
        let error = (turned_energy - energy).abs();
        assert!(error <= 1e-13 * energy.max(1.0), "{}: {error:e}", case.name);
        // So do the moments vanish.
        let mut moment = [0.0; 3];
        for (p, f) in x.iter().zip(&g) {
            let m = cross(*p, *f);
            for k in 0..3 {
                moment[k] += m[k];
            }
        }
        if !ONE_SIDED.contains(&case.material.law()) {
            assert!(norm(&[moment]) < 1e-13 * norm(&g).max(1.0), "{}: {moment:?}", case.name);
        }
    });
}

#[test]
fn affine_states_leave_inner_vertices_in_balance() {
    for element in ElementName::ALL {
        let mesh = irregular_box(element.cell_type().nodes(), [3, 3, 3]);
        let partition = Partition::with_chunk_size(&mesh, 11).unwrap();
        let rest = partition.vertices().apply(&mesh.vertices);
        let f = Mat3([[1.1, 0.15, -0.05], [0.1, 0.9, 0.2], [0.0, -0.1, 1.05]]);
        let x: Vec<Vec3> = rest.iter().map(|&p| f.mul_vec(p)).collect();
        let inside = |p: &Vec3| {
            let size = [1.0, 0.8, 0.9];
            (0..3).all(|k| p[k] > 1e-9 && p[k] < size[k] - 1e-9)
        };
        // Middle nodes on the surface of a refined grid are on the surface too.
        assert!(rest.iter().any(inside));
        for material in variants() {
            let p = parameters(&material);
            let model = solid(
                &mesh,
                &partition,
                element,
                material.point(),
                Parameters::Uniform(&p),
                &|_| true,
            )
            .unwrap();
            let mut g = vec![[0.0; 3]; x.len()];
            let v = g.clone();
            let state = Configuration::new(&x, &v, 0.0);
            model
                .evaluate(
                    &state,
                    &mut Ask { gradient: Some(&mut g), ..Ask::default() },
                    &mut Workspace::new(),
                )
                .unwrap();
            let worst = rest
                .iter()
                .zip(&g)
                .filter(|(p, _)| inside(p))
                .map(|(_, f)| norm(&[*f]))
                .fold(0.0, f64::max);
            let name = model.name();
            assert!(worst < 1e-13 * norm(&g), "{name}: {worst:e} of {:e}", norm(&g));
        }
    }
}

#[test]
fn projected_stiffness_has_no_negative_eigenvalue_and_is_unchanged_where_none_was() {
    let mut projected_something = 0;
    each(|mut case| {
        // Laws without energy keep only the symmetric part of what they can; the rest is not a matter
        // of eigenvalues.
        if !case.model.character().is_conservative() {
            return;
        }
        // Squeezed to three quarters: soft modes appear, and all laws are defined.
        let rest = case.rest();
        let squeezed: Vec<Vec3> =
            rest.iter().map(|p| [0.6 * p[0], 0.8 * p[1], 0.75 * p[2]]).collect();
        let plain = case.dense(&squeezed, false);
        let scale = plain.norm();
        let lowest = |m: DMatrix<f64>| SymmetricEigen::new(m).eigenvalues.min();
        let was = lowest(plain);
        let projected = case.dense(&squeezed, true);
        let is = lowest(projected);
        assert!(is > -1e-12 * scale, "{}: {is:e} of {scale:e}", case.name);
        if was < -1e-6 * scale {
            projected_something += 1;
        }
        let difference = (case.dense(&rest, true) - case.dense(&rest, false)).norm() / scale;
        assert!(difference < 1e-12, "{}: {difference:e}", case.name);
    });
    assert!(projected_something > 20, "{projected_something}");
}

#[test]
fn every_level_of_instructions_gives_the_same_bits() {
    each(|mut case| {
        let x = case.deformed();
        for project in [false, true] {
            let mut first = None;
            for level in Level::available() {
                case.model.set_level(level);
                let (energy, g, matrix) = case.all(&x, project);
                let bits: Vec<u64> = std::iter::once(&energy)
                    .chain(g.iter().flatten())
                    .chain(matrix.values.iter().flatten())
                    .map(|v| v.to_bits())
                    .collect();
                assert!(first.get_or_insert_with(|| bits.clone()) == &bits, "{}", case.name);
            }
        }
    });
}

#[test]
fn laws_for_any_deformation_take_inverted_elements_and_pull_them_back() {
    each(|mut case| {
        // An element with the mean dilatation needs J > 0 whatever its law.
        if case.name.contains("bbar") || case.model.law().needs_positive_j() {
            return;
        }
        let mut x = case.rest();
        for p in &mut x {
            p[0] *= -0.4;
        }
        let (energy, g, _) = case.all(&x, true);
        assert!(energy.is_finite() && g.iter().flatten().all(|v| v.is_finite()), "{}", case.name);
        // Of these a mirrored body is at rest, or its rotation is half a turn.
        let law = case.material.law();
        let plain = case.material.inversion() == Inversion::Plain;
        let soft = is_linear(&case.material)
            || plain && SOFT_IN_MIRRORS.contains(&law)
            || ONE_SIDED.contains(&law);
        if !soft {
            // Work against going on further into the inversion.
            let further: f64 = x.iter().zip(&g).map(|(p, f)| p[0] * f[0]).sum();
            assert!(further > 0.0, "{}: {further}", case.name);
        }
    });
}
