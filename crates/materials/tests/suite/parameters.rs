//! Constants of users: what is refused and how it is said, and the catalogue.

use pliant_materials::parameters::{Lame, check_density};
use pliant_materials::{Constants, Inversion, LawName, Material, MaterialError};

fn message(law: LawName, constants: &Constants) -> String {
    constants.parameters(law).unwrap_err().to_string()
}

fn young_poisson(young: f64, poisson: f64) -> Constants {
    Constants::YoungPoisson { young, poisson }
}

#[test]
fn errors_name_the_parameter_its_value_and_what_is_accepted() {
    let nan = f64::NAN;
    let cases = [
        (young_poisson(-5.0, 0.3), "young = -5: must be a finite number above 0"),
        (young_poisson(0.0, 0.3), "young = 0: "),
        (young_poisson(f64::INFINITY, 0.3), "young = inf: "),
        (young_poisson(1.0, 0.5), "poisson = 0.5: must lie between -1 and 0.5"),
        (young_poisson(1.0, -1.0), "poisson = -1: "),
        (young_poisson(1.0, nan), "poisson = NaN: "),
        (Constants::Lame { lambda: 1.0, mu: -1.0 }, "mu = -1: "),
        (
            Constants::Lame { lambda: -0.7, mu: 1.0 },
            "lambda = -0.7: must be finite and above -2/3 mu",
        ),
        (Constants::Lame { lambda: nan, mu: 1.0 }, "lambda = NaN: "),
        (
            Constants::Own(vec![1.0]),
            "neo-hookean cannot be made from 1 constants: it takes young and poisson",
        ),
    ];
    for (constants, start) in cases {
        let text = message(LawName::NEO_HOOKEAN, &constants);
        assert!(text.starts_with(start), "{text}");
    }
}

#[test]
fn own_constants_are_checked() {
    let own = |values: &[f64]| Constants::Own(values.to_vec());
    let cases = [
        (LawName::MOONEY_RIVLIN, own(&[-1.0, 0.5, 1.0]), "mu10 + mu01 = -0.5: "),
        (LawName::MOONEY_RIVLIN, own(&[1.0, 0.5, 0.0]), "v1 = 0: "),
        (LawName::MOONEY_RIVLIN, own(&[1.0, f64::NAN, 1.0]), "mu01 = NaN: "),
        (LawName::VERONDA_WESTMANN, own(&[1.0, -1.0, 1.0]), "c2 = -1: "),
        (LawName::VERONDA_WESTMANN_NIENHUYS, own(&[1.0, 1.0, 0.0]), "gamma = 0: "),
        (LawName::REDUCED_POLYNOMIAL, own(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]), "d = 0: "),
        (LawName::NEO_HOOKEAN_ISOCHORIC, own(&[1.0, -2.0]), "kappa = -2: "),
        (LawName::STABLE_NEO_HOOKEAN, own(&[0.1, 1.0]), "lambda = 0.1: must be above mu / 8"),
        (
            LawName::ORTHOTROPIC,
            own(&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 1.0]),
            "shear23 = -1: ",
        ),
        (
            LawName::ORTHOTROPIC,
            own(&[1.0, 1.0, 1.0, 0.9, 0.9, 0.9, 1.0, 1.0, 1.0]),
            "the orthotropic compliance is not positive definite",
        ),
        (
            LawName::MOONEY_RIVLIN,
            own(&[1.0]),
            "mooney-rivlin cannot be made from 1 constants: it takes young and poisson, lambda and mu, or its own 3 (mu10, mu01, v1)",
        ),
    ];
    for (law, constants, start) in cases {
        let text = message(law, &constants);
        assert!(text.starts_with(start), "{text}");
    }
}

#[test]
fn directions_are_for_anisotropic_laws_only() {
    let wood = Constants::Orthotropic {
        young: [3.0, 2.0, 1.0],
        poisson: [0.1; 3],
        shear: [1.0; 3],
        rotation: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    };
    assert!(wood.parameters(LawName::ORTHOTROPIC).is_ok());
    assert!(wood.parameters(LawName::ANISOTROPIC).is_ok());
    let text = message(LawName::COROTATIONAL, &wood);
    assert!(text.starts_with("corotational cannot be made from orthotropic moduli"), "{text}");
}

#[test]
fn densities_must_be_positive() {
    assert_eq!(check_density(1000.0), Ok(1000.0));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(check_density(bad).unwrap_err().to_string().starts_with("density = "));
    }
}

#[test]
fn young_and_poisson_give_the_pair_of_lame() {
    let lame = Lame::from_young_poisson(2.6, 0.3).unwrap();
    assert!((lame.mu - 1.0).abs() < 1e-15 && (lame.lambda - 1.5).abs() < 1e-15);
    assert!((lame.bulk() - 2.6 / (3.0 * 0.4)).abs() < 1e-15);
}

#[test]
fn every_name_leads_to_its_law() {
    for law in LawName::ALL {
        assert_eq!(Material::by_name(law.name()).unwrap().law(), law);
    }
    let error = Material::by_name("rubber").unwrap_err().to_string();
    assert!(
        error.starts_with("unknown material \"rubber\": known are linear, orthotropic"),
        "{error}"
    );
}

#[test]
fn kernels_get_as_many_parameters_as_they_read() {
    for law in LawName::ALL {
        let p = young_poisson(1e6, 0.45).parameters(law).unwrap();
        assert_eq!(p.len(), Material::new(law).point().parameters().len(), "{}", law.name());
    }
}

#[test]
fn inversion_is_refused_where_it_makes_no_sense() {
    let linear = Material::new(LawName::LINEAR).with_inversion(Inversion::Continued(None));
    let text = linear.unwrap_err().to_string();
    assert!(text.starts_with("linear has no variant \"continue\""), "{text}");
    for bad in [0.0, 1.0, -0.1, f64::NAN] {
        let error =
            Material::new(LawName::NEO_HOOKEAN).with_inversion(Inversion::Continued(Some(bad)));
        assert!(matches!(error, Err(MaterialError::OutOfRange { .. })), "{bad}");
    }
}

#[test]
fn materials_make_the_variant_that_was_asked_for() {
    let made = |material: Material| {
        let law = material.point();
        (format!("{law:?}"), law.has_energy(), law.needs_positive_j())
    };
    let plain = Material::by_name("neo-hookean").unwrap();
    assert_eq!(made(plain), ("NeoHookean".to_owned(), true, true));
    let continued = plain.with_inversion(Inversion::Continued(Some(0.3))).unwrap();
    let expected = "ByInvariants(ContinuedVolume { law: NeoHookean, threshold: 0.3 })".to_owned();
    assert_eq!(made(continued), (expected, true, false));
    let by_stretches = Material::by_name("mooney-rivlin").unwrap();
    let continued = by_stretches.with_inversion(Inversion::Continued(None)).unwrap();
    let expected =
        "Invertible { law: ByInvariants(MooneyRivlinEnergy), threshold: 0.2 }".to_owned();
    assert_eq!(made(continued), (expected, true, false));
}

#[test]
fn names_of_scene_files_become_constants() {
    let named = |law, given: &[(&str, f64)]| Constants::from_names(law, given);
    let pair = named(LawName::MOONEY_RIVLIN, &[("poisson", 0.3), ("young", 2.6)]).unwrap();
    assert_eq!(pair, young_poisson(2.6, 0.3));
    let own = named(LawName::MOONEY_RIVLIN, &[("v1", 5.0), ("mu10", 0.6), ("mu01", 0.3)]).unwrap();
    assert_eq!(own, Constants::Own(vec![0.6, 0.3, 5.0]));
    let yeoh = named(LawName::REDUCED_POLYNOMIAL, &[("a1", 0.5), ("a3", 0.1), ("d", 0.4)]).unwrap();
    assert_eq!(yeoh, Constants::Own(vec![0.5, 0.0, 0.1, 0.0, 0.0, 0.4]));
    let given = [("lambda", 1.5), ("mu", 1.0), ("gamma", 0.7)];
    let tissue = named(LawName::VERONDA_WESTMANN_NIENHUYS, &given).unwrap();
    assert_eq!(tissue, Constants::Own(vec![1.5, 1.0, 0.7]));
    let given = [("lambda", 1.0), ("mu", 1.5), ("c2", 3.0)];
    let tissue = named(LawName::VERONDA_WESTMANN, &given).unwrap();
    assert_eq!(tissue, Constants::Own(vec![0.5, 3.0, 2.0]));
}

#[test]
fn names_that_do_not_fit_are_refused() {
    let law = LawName::MOONEY_RIVLIN;
    for given in [
        &[("young", 1.0)][..],
        &[("young", 1.0), ("poisson", 0.3), ("mu10", 1.0)],
        &[("young", 1.0), ("young", 2.0), ("poisson", 0.3)],
        &[("mu10", 1.0), ("mu01", 1.0)],
        &[("mu10", 1.0), ("mu01", 1.0), ("v2", 1.0)],
        &[],
    ] {
        let error = Constants::from_names(law, given).unwrap_err().to_string();
        assert!(error.starts_with("mooney-rivlin cannot be made from "), "{error}");
    }
}
