//! The table of tissues.

use pliant_algebra::mat3::Mat3;
use pliant_materials::tissue::{TISSUES, Tissue};
use pliant_materials::{Constants, Material};

/// The moduli at small strain that were published, Pa: shear and, where it was, bulk; else that of ν = 0.49.
#[test]
fn tissues_have_their_published_moduli() {
    let published = [
        ("liver", 2090.0, None),
        ("muscle", 881.0, None),
        ("fat", 530.0, None),
        ("skin", 2.22e6, Some(29.6e6)),
        ("hypodermis", 840.0, Some(36e3)),
        ("brain", 670.0, Some(148e3)),
    ];
    assert_eq!(published.len(), TISSUES.len());
    for (name, shear, bulk) in published {
        let tissue = Tissue::by_name(name).unwrap();
        let p = tissue.constants().parameters(tissue.law).unwrap();
        let tangent =
            Material::new(tissue.law).point().stress_and_tangent(&p, &Mat3::identity(), false).1;
        let mu = tangent.columns[0][1].0[0][1];
        assert!((mu / shear - 1.0).abs() < 1e-12, "{name}: {mu}");
        let found: f64 = (0..3).map(|k| tangent.columns[k][k].0[0][0]).sum::<f64>() / 3.0;
        let young_poisson = Constants::YoungPoisson { young: 2.98 * shear, poisson: 0.49 };
        let assumed = young_poisson.parameters(tissue.law).unwrap()[1];
        assert!((found / bulk.unwrap_or(assumed) - 1.0).abs() < 1e-12, "{name}: {found}");
    }
    assert!(Tissue::by_name("granite").is_none());
}
