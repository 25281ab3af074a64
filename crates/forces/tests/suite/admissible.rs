//! How far a solid may go along a direction before an element inverts, and corotated solids with frames that are held.

use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{Vec3, add_scaled};
use pliant_forces::solid::{SolidModel, solid};
use pliant_forces::{
    Ask, Configuration, ElementName, ForceModel, Inversion, Parameters, Partition, Slots, Workspace,
};
use pliant_materials::{Constants, LawName, Material};
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::refine::to_quadratic;

fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut s = seed.wrapping_mul(2) + 1;
    move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// An irregular block, and its rest positions as the model numbers them.
fn block(element: ElementName, law: LawName) -> (Box<dyn SolidModel>, Vec<Vec3>) {
    let nodes = element.cell_type().nodes();
    let cell = if matches!(nodes, 8 | 20) { CellChoice::Hex } else { CellChoice::Tet6 };
    let (cells, jitter) = ([3, 2, 2], 0.3);
    let shape = BoxShape { cells, jitter, seed: 5, cell, ..BoxShape::default() };
    let mesh = shape.generate().unwrap();
    let quadratic = element.cell_type().is_quadratic();
    let mesh = if quadratic { to_quadratic(&mesh).unwrap() } else { mesh };
    let partition = Partition::with_chunk_size(&mesh, 7).unwrap();
    let material = Material::new(law);
    let constants = Constants::Lame { lambda: 1.5, mu: 1.0 };
    let p = constants.parameters(law).unwrap();
    let p = Parameters::Uniform(&p);
    let model = solid(&mesh, &partition, element, material.point(), p, &|_| true).unwrap();
    (model, partition.vertices().apply(&mesh.vertices))
}

fn moved(x: &[Vec3], d: &[Vec3], s: f64) -> Vec<Vec3> {
    x.iter().zip(d).map(|(&x, &d)| add_scaled(x, d, s)).collect()
}

/// Whether forces can be computed at these positions.
fn serves(model: &dyn ForceModel, x: &[Vec3]) -> bool {
    let mut energy = 0.0;
    let mut ask = Ask { energy: Some(&mut energy), ..Ask::default() };
    model.evaluate(&Configuration::new(x, x, 0.0), &mut ask, &mut Workspace::new()).is_ok()
}

fn reach(model: &dyn ForceModel, x: &[Vec3], d: &[Vec3], limit: f64) -> f64 {
    let at = Configuration::new(x, x, 0.0);
    model.admissible(&at, d, limit, &mut Workspace::new()).unwrap()
}

#[test]
fn the_bound_is_where_the_first_element_inverts() {
    for element in ElementName::ALL {
        let (model, rest) = block(element, LawName::NEO_HOOKEAN);
        let character = model.character();
        assert!(character.bounds_steps && character.inversion == Inversion::Refused);
        let mut found = 0;
        for seed in 0..40 {
            let mut r = random(seed);
            let size = [0.03, 0.1, 0.5, 3.0][seed as usize % 4];
            let d: Vec<Vec3> = rest.iter().map(|_| [0; 3].map(|_: i32| size * r())).collect();
            let bound = reach(&*model, &rest, &d, 1.0);
            // Trial by trial, finely enough to see every crossing.
            let trial = |k: usize| serves(&*model, &moved(&rest, &d, k as f64 * 1e-3));
            let first = (1..=1000).find(|&k| !trial(k));
            match first {
                None => assert_eq!(bound, 1.0, "{element:?} {seed}"),
                Some(k) => {
                    let (low, high) = ((k - 1) as f64 * 1e-3, k as f64 * 1e-3);
                    assert!((low..=high).contains(&bound), "{element:?} {seed}: {bound} {high}");
                    // Just inside there are forces, just outside there are none.
                    assert!(serves(&*model, &moved(&rest, &d, bound * (1.0 - 1e-9))));
                    assert!(!serves(&*model, &moved(&rest, &d, bound * (1.0 + 1e-9))));
                    found += 1;
                }
            }
        }
        assert!((10..=35).contains(&found), "{element:?}: {found} of 40 directions invert");
    }
}

#[test]
fn what_is_inside_out_and_back_again_is_not_crossed() {
    // Twice the way through the middle: at the end every element is upright again.
    let (model, rest) = block(ElementName::Tet4, LawName::NEO_HOOKEAN);
    let d: Vec<Vec3> = rest.iter().map(|x| [-2.0 * x[0], -2.0 * x[1], 0.0]).collect();
    assert!(serves(&*model, &moved(&rest, &d, 1.0)));
    let bound = reach(&*model, &rest, &d, 1.0);
    // det = (1 − 2α)²: a double root, found to half the digits.
    assert!((bound - 0.5).abs() < 2e-6, "{bound}");
    assert_eq!(reach(&*model, &rest, &d, 0.25), 0.25);
    // A translation is never bounded, however long.
    let far = vec![[1e6, 0.0, 0.0]; rest.len()];
    assert_eq!(reach(&*model, &rest, &far, 1000.0), 1000.0);
}

#[test]
fn laws_that_take_inversion_do_not_bound() {
    for law in [LawName::LINEAR, LawName::ST_VENANT_KIRCHHOFF, LawName::COROTATIONAL] {
        assert!(!block(ElementName::Tet4, law).0.character().bounds_steps, "{law:?}");
    }
    // Mean dilatation divides by J, but for laws of the linear strain, whose mean is that of the strain.
    let bounds = |law| block(ElementName::Hex8Bbar, law).0.character().bounds_steps;
    assert!(bounds(LawName::ST_VENANT_KIRCHHOFF) && !bounds(LawName::LINEAR));
}

/// Energy, gradient and K d with frames held at other positions.
fn held(
    model: &mut dyn ForceModel,
    x: &[Vec3],
    frames: &[Vec3],
    d: &[Vec3],
) -> (f64, Vec<Vec3>, Vec<Vec3>) {
    let n = x.len();
    let couple = |couple: &mut dyn FnMut(u32, u32)| model.couplings(couple);
    let pattern = if model.character().symmetric {
        Pattern::symmetric(n, couple).unwrap()
    } else {
        Pattern::unsymmetric(n, couple).unwrap()
    };
    let pattern = std::sync::Arc::new(pattern);
    model.bind(&Slots::new(&pattern, 0, "solid")).unwrap();
    let mut matrix = BlockMatrix::zero(pattern.clone());
    let (mut energy, mut gradient) = (0.0, vec![[0.0; 3]; n]);
    let mut ask = Ask {
        energy: Some(&mut energy),
        gradient: Some(&mut gradient),
        tangent: Some(&mut matrix.values),
        position_weight: 1.0,
        ..Ask::default()
    };
    let at = Configuration { frames: Some(frames), ..Configuration::new(x, x, 0.0) };
    model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
    let mut product = vec![[0.0; 3]; n];
    Product::new(&pattern).apply(&matrix.values, d, &mut product);
    (energy, gradient, product)
}

#[test]
fn frames_that_are_held_make_corotated_laws_quadratic() {
    let laws = [
        LawName::COROTATIONAL,
        LawName::COROTATIONAL_WARPED,
        LawName::COROTATIONAL_QR,
        LawName::COROTATIONAL_LEAST_DISPLACEMENT,
    ];
    for element in [ElementName::Tet4, ElementName::Tet10, ElementName::Hex8] {
        for law in laws {
            let (mut model, rest) = block(element, law);
            assert!(model.character().holds_frames);
            let mut r = random(3);
            let mut shaken = |size: f64| -> Vec<Vec3> {
                // Turned by 40 degrees about z, and shaken.
                let (s, c) = 0.7_f64.sin_cos();
                let turn = |[x, y, z]: Vec3| [c * x - s * y, s * x + c * y, z];
                rest.iter().map(|&p| turn(p).map(|q| q + size * r())).collect()
            };
            let (frames, x, y) = (shaken(0.02), shaken(0.03), shaken(0.05));
            let d: Vec<Vec3> = x.iter().zip(&y).map(|(&x, &y)| add_scaled(y, x, -1.0)).collect();
            let (e0, g0, k0) = held(&mut *model, &x, &frames, &d);
            let (e1, g1, k1) = held(&mut *model, &y, &frames, &d);
            let dot = |a: &[Vec3], b: &[Vec3]| -> f64 {
                a.iter().zip(b).map(|(a, b)| a[0] * b[0] + a[1] * b[1] + a[2] * b[2]).sum()
            };
            let size = dot(&k0, &k0).sqrt();
            // Exactly: K is constant, g changes by K d, and the energy by the trapezoidal rule.
            for i in 0..x.len() {
                for k in 0..3 {
                    assert!((k0[i][k] - k1[i][k]).abs() < 1e-13 * size);
                    let change = g1[i][k] - g0[i][k];
                    assert!((change - k0[i][k]).abs() < 1e-12 * size, "{element:?} {law:?}");
                }
            }
            let work = 0.5 * (dot(&g0, &d) + dot(&g1, &d));
            assert!((e1 - e0 - work).abs() < 1e-12 * (e0 + e1), "{element:?} {law:?}");
            // Held where the body is, forces are those of the law itself.
            let (_, own, _) = held(&mut *model, &x, &x, &d);
            let mut plain = vec![[0.0; 3]; x.len()];
            let mut ask = Ask { gradient: Some(&mut plain), ..Ask::default() };
            let at = Configuration::new(&x, &x, 0.0);
            model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
            for (a, b) in own.iter().zip(&plain) {
                let off = (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max);
                assert!(off < 1e-12, "{element:?} {law:?}: {off:e}");
            }
        }
    }
}
