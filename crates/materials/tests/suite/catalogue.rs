//! What every entry of the catalogue promises, checked against the law it makes.

use crate::common;

use common::{Random, inverted, sample, size};
use pliant_algebra::mat3::Mat3;
use pliant_materials::catalogue::MODULI;
use pliant_materials::{Constants, Continuation, Inversion, LawName, Material};

const PAIR: Constants = Constants::Lame { lambda: 1.7, mu: 0.9 };

#[test]
fn names_are_unique_and_everything_has_a_line_of_text() {
    for (k, law) in LawName::ALL.into_iter().enumerate() {
        let entry = law.entry();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(!entry.name.is_empty() && entry.name.chars().all(plain), "{law:?}");
        assert!(!entry.about.is_empty() && !entry.about.ends_with('.'), "{law:?}");
        assert!(LawName::ALL[..k].iter().all(|other| other.name() != entry.name), "{law:?}");
        let mut names: Vec<&str> = entry.constants.iter().map(|c| c.name).collect();
        assert!(entry.constants.iter().all(|c| !c.about.is_empty()), "{law:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), entry.constants.len(), "{law:?}: a constant stands twice");
    }
}

/// The same name has the same dimension in all laws: scenes change the law of a body and keep its constants.
#[test]
fn constants_of_one_name_have_one_dimension() {
    let all = || LawName::ALL.into_iter().flat_map(LawName::all_constants);
    for a in all() {
        for b in all().chain(MODULI).filter(|b| b.name == a.name) {
            assert_eq!(a.dimension, b.dimension, "{}", a.name);
        }
    }
}

#[test]
fn parameters_are_those_of_the_kernel_from_moduli_and_from_own_constants() {
    for law in LawName::ALL {
        let reads = Material::new(law).point().parameters().len();
        assert_eq!(PAIR.parameters(law).unwrap().len(), reads, "{law:?}");
        assert_eq!(sample(law).parameters(law).unwrap().len(), reads, "{law:?}");
    }
}

/// Constants beside moduli are passed on as the law's own, which are its parameters too, but for directions of fibres.
#[test]
fn constants_beside_moduli_are_own_constants() {
    for law in LawName::ALL {
        let beside: Vec<_> = law.constants().iter().filter(|c| c.beside_moduli.is_some()).collect();
        for constant in &beside {
            let given = [("lambda", 1.7), ("mu", 0.9), (constant.name, 0.2)];
            let own = Constants::from_names(law, &given).unwrap();
            let Constants::Own(values) = &own else { panic!("{law:?}: {own:?}") };
            let parameters = own.parameters(law).unwrap();
            assert!(law.entry().families > 0 || parameters == *values, "{law:?}");
            // And its default is what is taken where nothing is said.
            let usual = [given[0], given[1], (constant.name, constant.beside_moduli.unwrap())];
            let usual = Constants::from_names(law, &usual).unwrap();
            assert_eq!(usual.parameters(law), PAIR.parameters(law), "{law:?}");
        }
    }
}

#[test]
fn own_constants_may_be_left_out_where_they_have_a_default_and_only_there() {
    for law in LawName::ALL {
        for left_out in law.constants() {
            // A pair of moduli is another thing than half the law's own constants.
            let rest = law.constants().iter().filter(|c| c.name != left_out.name);
            let given: Vec<_> = rest.map(|c| (c.name, 0.25)).collect();
            let names: Vec<&str> = given.iter().map(|(name, _)| *name).collect();
            let moduli = ["lambda", "mu"].iter().all(|m| names.contains(m));
            let made = Constants::from_names(law, &given);
            let expected = left_out.default.is_some() || moduli;
            assert_eq!(made.is_ok(), expected, "{law:?} without {}", left_out.name);
        }
    }
}

/// Not finite, or of the wrong sign where a sign is needed: no law takes just anything.
#[test]
fn own_constants_are_checked_by_every_law() {
    for law in LawName::ALL {
        let count = law.constants().len();
        for bad in [f64::NAN, f64::INFINITY] {
            for k in 0..count {
                let mut values = vec![1.0; count];
                values[k] = bad;
                let text = Constants::Own(values).parameters(law).unwrap_err().to_string();
                assert!(text.starts_with(law.constants()[k].name), "{law:?}: {text}");
            }
        }
        assert!(Constants::Own(vec![-1.0; count]).parameters(law).is_err(), "{law:?}");
    }
}

/// dP at rest for dF = ε I is 3 K ε I.
#[test]
fn bulk_moduli_are_those_of_small_strains() {
    for law in LawName::ALL {
        let Some(bulk) = law.entry().bulk_modulus else { continue };
        for constants in [PAIR, sample(law)] {
            let p = constants.parameters(law).unwrap();
            let tangent =
                Material::new(law).point().stress_and_tangent(&p, &Mat3::identity(), false).1;
            let pressure: f64 = (0..3).map(|k| tangent.columns[k][k].0[0][0]).sum();
            let error = (pressure / (3.0 * bulk(&p)) - 1.0).abs();
            assert!(error < 1e-14, "{law:?} with {constants:?}: {error:e}");
        }
    }
}

#[test]
fn laws_are_linear_if_and_only_if_their_entry_says_so() {
    let mut random = Random(11);
    let (a, b) = (random.with_stretches([1.2, 0.9, 0.8]), random.with_stretches([1.1, 1.0, 0.7]));
    let middle = (a + b).scale(0.5);
    for law in LawName::ALL {
        let p = sample(law).parameters(law).unwrap();
        let stress = |f: &Mat3<f64>| Material::new(law).point().stress(&p, f);
        let off = size(&(stress(&middle) - (stress(&a) + stress(&b)).scale(0.5)));
        assert_eq!(off < 1e-14, law.entry().is_linear, "{law:?}: {off:e}");
        assert_eq!(Material::new(law).point().is_linear(), law.entry().is_linear, "{law:?}");
    }
}

#[test]
fn only_directional_laws_take_tensors() {
    let wood = Constants::Orthotropic {
        young: [3.0, 2.0, 1.0],
        poisson: [0.1; 3],
        shear: [1.0; 3],
        rotation: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    };
    for law in LawName::ALL {
        assert_eq!(wood.parameters(law).is_ok(), law.entry().takes_tensors, "{law:?}");
    }
}

/// Continued laws take any F and leave ordinary ones alone; laws that cannot be continued take any F anyway.
#[test]
fn what_is_offered_for_inversion_serves_inverted_elements() {
    for law in LawName::ALL {
        let plain = Material::new(law);
        let continued = plain.with_inversion(Inversion::Continued(None));
        let offered = law.entry().inversion == Continuation::Offered;
        assert_eq!(continued.is_ok(), offered, "{law:?}");
        let any = continued.unwrap_or(plain).point();
        assert!(!any.needs_positive_j(), "{law:?}");
        let p = sample(law).parameters(law).unwrap();
        for f in inverted() {
            assert!(any.stress(&p, &f).max_abs().is_finite(), "{law:?} at {f:?}");
        }
        let f = Random(12).with_stretches([1.1, 1.0, 0.95]);
        let difference = size(&(any.stress(&p, &f) - plain.point().stress(&p, &f)));
        assert!(difference < 1e-13, "{law:?}: {difference:e}");
    }
}
