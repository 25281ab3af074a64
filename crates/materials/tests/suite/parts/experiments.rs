//! The standard experiments on all laws.

use pliant_materials::homogeneous::Experiment;
use pliant_materials::{Constants, LawName, Material};

#[test]
fn small_pulls_show_young_and_poisson() {
    let constants = Constants::YoungPoisson { young: 3e5, poisson: 0.3 };
    for law in LawName::ALL {
        let p = constants.parameters(law).unwrap();
        let point = Material::new(law).point();
        let (f, s) = Experiment::Uniaxial.response(&*point, &p, 1.0 + 1e-6).unwrap();
        let name = law.name();
        let young = s.0[0][0] / 1e-6;
        assert!((young / 3e5 - 1.0).abs() < 1e-4, "{name}: {young}");
        let poisson = (1.0 - f.0[1][1]) / 1e-6;
        assert!((poisson - 0.3).abs() < 1e-4, "{name}: {poisson}");
    }
}
