//! Tangents and potentials of solids that remember, for all laws and elements.

use crate::common;
use crate::memory::{Block, FULL, branches, off};

use common::{irregular_box, random};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::Vec3;
use pliant_forces::check::finite_difference_check;
use pliant_forces::solid::{SolidModel, solid};
use pliant_forces::{
    Ask, Configuration, ElementName, ForceError, Inversion, Memory, Parameters, Partition,
    StepStart, Tried, Workspace,
};
use pliant_materials::maxwell::{Form, Maxwell, Share};
use pliant_materials::{Constants, LawName, Material};

fn parameters(law: LawName) -> Vec<f64> {
    Constants::YoungPoisson { young: 1.0, poisson: 0.3 }.parameters(law).unwrap()
}

/// A solid, two places on its way, and what it remembers at the first.
type Remembering = (Box<dyn SolidModel>, [Vec<Vec3>; 2], Memory);

/// A law on an element that has been deformed for a while.
fn remembering(
    element: ElementName,
    material: &Material,
    constants: &[f64],
    maxwell: &Maxwell,
) -> Result<Remembering, ForceError> {
    let mesh = irregular_box(element.cell_type().nodes(), [1, 1, 1]);
    let partition = Partition::with_chunk_size(&mesh, 3).unwrap();
    let given = Parameters::Uniform(constants);
    let mut model = solid(&mesh, &partition, element, material.point(), given, &|_| true)?;
    model.remember(maxwell)?;
    let rest = partition.vertices().apply(&mesh.vertices);
    let [a, b] = [0.5, 1.0].map(|part| {
        let mut r = random(3);
        let f = Mat3::identity() + (FULL - Mat3::identity()).scale(part);
        rest.iter().map(|&p| f.mul_vec(p).map(|c| c + 0.03 * part * r())).collect::<Vec<_>>()
    });
    let v = vec![[0.0; 3]; rest.len()];
    let mut first = Memory::default();
    model.start_memory(&Configuration::new(&rest, &v, 0.0), &mut first)?;
    let before = [first];
    let mut second = before[0].clone();
    let start = StepStart { x: &rest, v: &v, time: 0.0, step: 0.07 };
    let at =
        Configuration { start: Some(start), memory: &before, ..Configuration::new(&a, &v, 0.07) };
    let memory = Some(Tried { numbers: &mut second.numbers, keyed: &mut second.keyed });
    let mut ask = Ask { memory, ..Ask::default() };
    model.evaluate(&at, &mut ask, &mut Workspace::new())?;
    Ok((model, [a, b], second))
}

/// Whether the tangent of a law is meant to be exact.
fn has_exact_tangent(law: LawName) -> bool {
    let point = Material::new(law).point();
    let p = parameters(law);
    let d = Mat3([[0.3, -0.7, 0.2], [0.9, 0.4, -0.1], [-0.5, 0.6, 0.8]]);
    let h = 1e-5;
    let side = |h: f64| point.stress(&p, &(FULL + d.scale(h)));
    let difference = (side(h) - side(-h)).scale(0.5 / h);
    let (_, tangent) = point.stress_and_tangent(&p, &FULL, false);
    off(&tangent.apply(&d), &difference) < 1e-6
}

#[test]
fn tangents_and_potentials_are_right_for_all_laws_elements_and_kinds() {
    let mut seen = 0;
    for law in LawName::ALL {
        if law == LawName::ST_VENANT_KIRCHHOFF_POLYNOMIAL {
            continue;
        }
        for element in ElementName::ALL {
            for (form, share) in [
                (Form::Strain, Share::All),
                (Form::Strain, Share::Shear),
                (Form::Stress, Share::All),
                (Form::Stress, Share::Shear),
            ] {
                let maxwell = branches(&[(0.1, 0.6), (1.0, 0.4)]).with_form(form).with_share(share);
                let material = Material::new(law);
                let name = format!("{} {law:?} {form:?} {share:?}", element.name());
                let made = remembering(element, &material, &parameters(law), &maxwell);
                let point = material.point();
                if form == Form::Stress && (point.takes_inversion() || !point.has_energy()) {
                    assert!(matches!(made, Err(ForceError::Unsupported(_))), "{name}");
                    continue;
                }
                let (mut model, [a, b], memory) = made.unwrap();
                let memory = [memory];
                let v = vec![[0.0; 3]; a.len()];
                let mut r = random(17);
                let direction: Vec<Vec3> = a.iter().map(|_| [r(), r(), r()]).collect();
                for elapsed in [0.0, 0.1, 100.0] {
                    let start = StepStart { x: &a, v: &v, time: 0.07, step: elapsed };
                    let at = Configuration {
                        start: Some(start),
                        memory: &memory,
                        ..Configuration::new(&b, &v, 0.07 + elapsed)
                    };
                    let steps = [1e-4, 1e-5, 1e-6];
                    let report = finite_difference_check(&mut *model, &at, &direction, &steps);
                    let report = report.unwrap();
                    assert!(
                        report.best_tangent() < 2e-8 || !has_exact_tangent(law),
                        "{name}, {elapsed} s: {report:?}"
                    );
                    if point.has_energy() {
                        // g·d may be small beside what it is the sum of: errors fall with the square of the step.
                        let [.., before, last] = &report.steps[..] else { panic!() };
                        let (before, last) = (before.gradient.unwrap(), last.gradient.unwrap());
                        let falls = last < 0.02 * before;
                        assert!(last < 1e-6 || falls, "{name}, {elapsed} s: {report:?}");
                    }
                    seen += 1;
                }
                let has_mean_dilatation =
                    matches!(element, ElementName::Hex8Bbar | ElementName::Tet10Bbar);
                assert_eq!(
                    model.character().inversion == Inversion::Refused,
                    form == Form::Stress
                        || point.needs_positive_j()
                        || (has_mean_dilatation && !point.is_linear()),
                    "{name}"
                );
            }
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn anisotropic_laws_remember_with_all_their_constants() {
    let given = Constants::Orthotropic {
        young: [2.0, 3.0, 5.0],
        poisson: [0.2, 0.3, 0.1],
        shear: [0.7, 0.9, 1.1],
        rotation: [0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6],
    };
    let law = LawName::ANISOTROPIC;
    let constants = given.parameters(law).unwrap();
    let maxwell = branches(&[(0.1, 0.6), (1.0, 0.4)]);
    // A linear law whose branches are its own: the stress is a multiple of the elastic one.
    for element in ElementName::ALL {
        let mut block = Block::new(element, law, &constants, &maxwell);
        let (p, ..) = block.go(&FULL, 1e-13);
        let elastic = Material::new(law).point().stress(&constants, &FULL);
        assert!(off(&p, &elastic.scale(2.0)) < 1e-11, "{element:?}");
        let shear = maxwell.clone().with_share(Share::Shear);
        let refused = remembering(element, &Material::new(law), &constants, &shear);
        assert!(refused.is_err_and(|e| e.to_string().contains("on = \"shear\"")));
    }
}

#[test]
fn projected_tangents_are_positive_semi_definite() {
    for form in [Form::Strain, Form::Stress] {
        let maxwell = branches(&[(0.1, 3.0)]).with_form(form);
        let law = LawName::NEO_HOOKEAN;
        let made = remembering(ElementName::Tet4, &Material::new(law), &[1.5, 1.0], &maxwell);
        let (mut model, [a, _], memory) = made.unwrap();
        let n = a.len();
        let pattern = common::pattern_of(&*model, n);
        model.bind(&pliant_forces::Slots::new(&pattern, 0, "model")).unwrap();
        // Pressed after it was pulled: what is remembered presses.
        let x: Vec<Vec3> = a.iter().map(|p| p.map(|c| 0.6 * c)).collect();
        let v = vec![[0.0; 3]; n];
        let memory = [memory];
        let at = Configuration { memory: &memory, ..Configuration::new(&x, &v, 0.07) };
        let mut least = [0.0; 2];
        for (least, project) in least.iter_mut().zip([false, true]) {
            let mut matrix = pliant_algebra::sparse::BlockMatrix::zero(pattern.clone());
            let mut ask = Ask {
                tangent: Some(&mut matrix.values),
                position_weight: 1.0,
                project,
                ..Ask::default()
            };
            model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
            let mut product = pliant_algebra::sparse::Product::new(&pattern);
            let mut r = random(23);
            for _ in 0..400 {
                let d: Vec<Vec3> = (0..n).map(|_| [r(), r(), r()]).collect();
                let mut f = vec![[0.0; 3]; n];
                product.apply(&matrix.values, &d, &mut f);
                let q: f64 = d.iter().flatten().zip(f.iter().flatten()).map(|(d, f)| d * f).sum();
                *least = q.min(*least);
            }
        }
        // The branches of strains press more than the law holds.
        assert!(
            form == Form::Stress || least[0] < 0.0,
            "it should not have been definite: {least:?}"
        );
        assert!(least[1] >= 0.0, "{form:?}: {least:?}");
    }
}
