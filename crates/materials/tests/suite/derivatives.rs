//! Stress against differences of the energy, tangent against differences of the stress, for every
//! law and variant at ordinary, and where the law takes them flat and inverted, deformations.

use crate::common;

use common::cases;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;
use pliant_materials::LawName;
use pliant_materials::invariants::InvariantLaw;
use pliant_materials::jet::Jet;

#[test]
fn stress_is_the_derivative_of_the_energy() {
    for case in cases().iter().filter(|case| case.law.has_energy()) {
        for f in case.domain() {
            case.check_stress(&f);
        }
    }
}

#[test]
fn tangent_is_the_derivative_of_the_stress() {
    for case in &cases() {
        // The warped stiffness freezes the rotation.
        if case.material.law() == LawName::COROTATIONAL_WARPED {
            continue;
        }
        for f in case.domain() {
            case.check_tangent(&f);
        }
    }
}

#[test]
fn stress_and_blocks_are_the_same_whoever_asks() {
    for case in &cases() {
        for f in case.domain() {
            case.check_both_stresses(&f);
            case.check_blocks(&f);
        }
    }
}

#[test]
fn tangents_of_energies_are_symmetric() {
    let without = [LawName::COROTATIONAL_QR, LawName::COROTATIONAL_LEAST_DISPLACEMENT];
    for case in cases().iter().filter(|case| !without.contains(&case.material.law())) {
        for f in case.domain() {
            case.check_symmetry(&f);
        }
    }
}

#[test]
fn the_warped_stiffness_is_exact_at_rest() {
    let list = cases();
    let case = list.iter().find(|c| c.material.law() == LawName::COROTATIONAL_WARPED).unwrap();
    case.check_tangent(&Mat3::identity());
}

/// Only the energy, so that the derivatives are those of forward differentiation.
#[derive(Clone, Copy, Debug)]
struct EnergyOf<L>(L);

impl<L: InvariantLaw> InvariantLaw for EnergyOf<L> {
    const PARAMETERS: &'static [&'static str] = L::PARAMETERS;
    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> R {
        self.0.energy(p, i1, i2, j)
    }
}

fn compare<L: InvariantLaw>(law: L, p: &[f64]) {
    let by_hand: Jet<f64> = law.derivatives(p, 3.4, 3.7, 1.2);
    let by_jets: Jet<f64> = EnergyOf(law).derivatives(p, 3.4, 3.7, 1.2);
    let list = |jet: &Jet<f64>| [&[jet.value], &jet.first[..], &jet.second[..]].concat();
    for (a, b) in list(&by_hand).into_iter().zip(list(&by_jets)) {
        assert!((a - b).abs() < 4e-15, "{law:?}: {by_hand:?} {by_jets:?}");
    }
}

#[test]
fn derivatives_by_hand_are_those_of_forward_differentiation() {
    use pliant_materials::{
        mooney_rivlin::MooneyRivlinEnergy, neo_hookean::NeoHookean,
        neo_hookean_isochoric::NeoHookeanIsochoricEnergy, neo_hookean_nienhuys::NeoHookeanNienhuys,
        st_venant_kirchhoff::StVenantKirchhoff, stable_neo_hookean::StableNeoHookeanEnergy,
    };
    compare(NeoHookean, &[1.5, 1.0]);
    compare(NeoHookeanNienhuys, &[1.5, 1.0]);
    compare(NeoHookeanIsochoricEnergy, &[0.5, 2.0]);
    compare(StableNeoHookeanEnergy, &[1.5, 1.0]);
    compare(StVenantKirchhoff, &[1.5, 1.0]);
    compare(MooneyRivlinEnergy, &[0.6, 0.3, 5.0]);
}
