//! Laws given by their energy against the compiled ones, and what is refused.

use crate::common;

use common::{ordinary, size};
use pliant_materials::energy::{Argument, Formula, One, Step, Two};
use pliant_materials::{Constants, Inversion, LawName, Material, MaterialError};

/// Steps in words: `c0 I1 3 - *` is c₀ (I₁ − 3).
fn steps(text: &str) -> Vec<Step> {
    let one = |word: &str| match word {
        "I1" => Step::Argument(Argument::I1),
        "I2" => Step::Argument(Argument::I2),
        "J" => Step::Argument(Argument::J),
        "l1" => Step::Argument(Argument::Stretch(0)),
        "l2" => Step::Argument(Argument::Stretch(1)),
        "l3" => Step::Argument(Argument::Stretch(2)),
        "neg" => Step::One(One::Negate),
        "exp" => Step::One(One::Exp),
        "log" => Step::One(One::Log),
        "sqrt" => Step::One(One::Sqrt),
        "abs" => Step::One(One::Abs),
        "min" => Step::Two(Two::Min),
        "max" => Step::Two(Two::Max),
        "+" => Step::Two(Two::Add),
        "-" => Step::Two(Two::Subtract),
        "*" => Step::Two(Two::Multiply),
        "/" => Step::Two(Two::Divide),
        "^" => Step::Two(Two::Power),
        word => match word.strip_prefix('c') {
            Some(k) => Step::Constant(k.parse().unwrap()),
            None => Step::Number(word.parse().unwrap()),
        },
    };
    text.split_whitespace().map(one).collect()
}

fn formula(text: &str) -> Formula {
    Formula::new(&steps(text)).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn padded(list: &[f64]) -> Vec<f64> {
    let mut p = list.to_vec();
    p.resize(8, 0.0);
    p
}

const MOONEY: &str = "c0 I1 J 2 neg 3 / ^ * 3 - * c1 I2 J -4 3 / ^ * 3 - * + c2 J 1 - 2 ^ * +";
/// Σ μ/α (J^{−α/3} Σ λ^α − 3) + κ/2 (J − 1)²
const OGDEN: &str =
    "c0 c1 / l1 c1 ^ l2 c1 ^ + l3 c1 ^ + J c1 3 / neg ^ * 3 - * c2 2 / J 1 - 2 ^ * +";

/// The same energy, stress and tangent as the compiled law, at all ordinary deformations.
#[test]
fn formulas_are_the_laws_they_spell() {
    let cases = [
        (
            LawName::NEO_HOOKEAN,
            "c1 2 / I1 3 - * c1 J log * - c0 2 / J log 2 ^ * +",
            vec![1.5, 1.0],
            vec![1.5, 1.0],
        ),
        (LawName::MOONEY_RIVLIN, MOONEY, vec![0.6, 0.3, 5.0], vec![0.6, 0.3, 5.0]),
        (LawName::OGDEN, OGDEN, vec![0.8, 1.3, 5.0], vec![0.8, 1.3, 0.0, 0.0, 0.0, 0.0, 5.0]),
        (
            LawName::COROTATIONAL_HYBRID,
            "c1 l1 1 - 2 ^ l2 1 - 2 ^ + l3 1 - 2 ^ + * c0 8 / I1 3 - 2 ^ * +",
            vec![1.5, 1.0],
            vec![1.5, 1.0],
        ),
        (
            LawName::CIARLET_GEYMONAT,
            "c0 I1 3 - * c1 I1 2 ^ 2 I2 * - 3 - * + c2 I2 3 - * + c3 J 2 ^ 1 - * + 2 c0 * 4 c1 * + 4 c2 * + 2 c3 * + J log * -",
            vec![0.3, 0.05, 0.2, 0.4],
            vec![0.3, 0.05, 0.2, 0.4],
        ),
    ];
    for (law, text, own, compiled) in cases {
        let p = Constants::Own(compiled).parameters(law).unwrap();
        let (known, formula) = (Material::new(law).point(), formula(text));
        let spelt = Material::by_energy(formula).point();
        let own = padded(&own);
        for f in ordinary() {
            let w = known.energy(&p, &f);
            let scale = w.abs().max(1.0);
            assert!((spelt.energy(&own, &f) - w).abs() < 1e-13 * scale, "{law:?}");
            let (a, b) = (
                known.stress_and_tangent(&p, &f, false),
                spelt.stress_and_tangent(&own, &f, false),
            );
            let scale = size(&a.0).max(1.0);
            assert!(size(&(a.0 - b.0)) < 1e-12 * scale, "{law:?}: {:?} {:?}", a.0, b.0);
            assert!(size(&(spelt.stress(&own, &f) - a.0)) < 1e-12 * scale, "{law:?}");
            for (x, y) in a.1.columns.iter().flatten().zip(b.1.columns.iter().flatten()) {
                assert!(size(&(*x - *y)) < 1e-11 * scale, "{law:?}");
            }
        }
    }
}

#[test]
fn functions_and_powers_have_their_derivatives() {
    // Each is 0 and without slope at rest, but for the quadratic volume term.
    let volume = "J 1 - 2 ^ +";
    for text in [
        format!("I1 sqrt 2 * 12 sqrt - I1 3 - 3 sqrt / - {volume}"),
        format!("c0 I1 3 - * exp 1 - c0 J 2 ^ 1 - * - {volume}"),
        format!("2 J ^ 2 J * - J 2 ^ 2 log 1 - * - 2 log 1 - + {volume}"),
        format!("J J ^ J - {volume} I1 3 - 2 ^ +"),
        format!("1 J / 1 - J + 1 - I1 3 - abs 3 ^ + {volume} I1 3 - 2 ^ +"),
        format!("J 1 - 0 max 3 ^ J 1 - 0 min 2 ^ + I2 3 - 2 ^ + {volume}"),
    ] {
        let law = Material::by_energy(formula(&text)).point();
        let p = padded(&[0.5]);
        let f = common::Random(31).with_stretches([1.3, 0.9, 0.8]);
        let (stress, tangent) = law.stress_and_tangent(&p, &f, false);
        let d = common::Random(32).matrix();
        let h = 1e-5;
        let energy = |s: f64| law.energy(&p, &(f + d.scale(s)));
        let slope = (energy(h) - energy(-h)) / (2.0 * h);
        assert!((slope - stress.contract(&d)).abs() < 1e-8, "{text}: {slope}");
        let piola = |s: f64| law.stress(&p, &(f + d.scale(s)));
        let change = (piola(h) - piola(-h)).scale(0.5 / h);
        assert!(size(&(tangent.apply(&d) - change)) < 1e-7, "{text}");
    }
}

#[test]
fn moduli_at_rest_are_found() {
    let lame =
        formula("c1 2 / I1 3 - * c1 J log * - c0 2 / J log 2 ^ * +").check(&[1.5, 1.0]).unwrap();
    assert!((lame.lambda - 1.5).abs() < 1e-14 && (lame.mu - 1.0).abs() < 1e-14, "{lame:?}");
    let lame = formula(MOONEY).check(&[0.6, 0.3, 5.0]).unwrap();
    assert!((lame.mu - 1.8).abs() < 1e-13 && (lame.bulk() - 10.0).abs() < 1e-12, "{lame:?}");
    let lame = formula(OGDEN).check(&[0.8, 1.3, 5.0]).unwrap();
    assert!((lame.mu - 0.52).abs() < 1e-13 && (lame.bulk() - 5.0).abs() < 1e-12, "{lame:?}");
}

#[test]
fn what_is_no_energy_is_refused_with_what_to_do() {
    for (text, words) in [
        ("I1 3 - J log 2 * - 1 +", "at rest is 1 J/m³"),
        ("I1 3 -", "stress at rest is 2 Pa"),
        ("l1 1 - 2 ^ l2 1 - 2 ^ + 2 l3 1 - 2 ^ * +", "not symmetric"),
        ("J 1 - 2 ^", "shear modulus is 0 Pa"),
        ("I1 J 2 neg 3 / ^ * 3 -", "bulk modulus"),
        ("3 I1 - J log 2 * +", "not stable"),
        ("J 1 - log", "no finite numbers at rest"),
        ("J 1 - sqrt", "no finite numbers at rest"),
    ] {
        let error = formula(text).check(&[]).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains(';'), "{text}: {error}");
    }
    let refused = |text: &str| match Formula::new(&steps(text)).unwrap_err() {
        MaterialError::NotAnEnergy { text, .. } => text,
        other => panic!("{other}"),
    };
    assert!(refused("c0 2 *").contains("does not depend"));
    assert!(refused(&format!("{}{}", "I1 ".repeat(9), "+ ".repeat(8))).contains("nested"));
    assert!(refused(&format!("I1 {}", "3 - ".repeat(80))).contains("128 steps"));
    let numbers = (0..40).map(|k| k.to_string()).collect::<Vec<_>>().join(" + ") + " + ";
    assert!(refused(&format!("I1 {numbers}")).contains("32 different"));
    assert!(refused("I1 c8 *").contains("8 constants"));
    for text in ["exp", "I1 +", "* I1", ""] {
        assert!(Formula::new(&steps(text)).is_err(), "{text}");
    }
}

/// ln² J is concave where the continuation begins; (J − 1)² is not.
#[test]
fn continued_energies_that_fall_below_rest_are_refused() {
    let of = |volume: &str| formula(&format!("c1 2 / I1 3 - * c1 J log * - c0 {volume} * +"));
    let convex = formula("c1 2 / I1 J -2 3 / ^ * 3 - * c0 J 1 - 2 ^ * +");
    convex.check_continued(&[49.0, 1.0], None).unwrap();
    let error = of("J log 2 ^ 2 /").check_continued(&[49.0, 1.0], None).unwrap_err().to_string();
    assert!(error.contains("below that of rest"), "{error}");
    let material = Material::by_energy(convex).with_inversion(Inversion::Continued(None)).unwrap();
    assert!(!material.point().needs_positive_j());
}
