//! Stress against differences of the energy, tangent against differences of the stress, for every
//! law and variant.

mod common;

use common::{check_blocks, check_stress, check_symmetry, check_tangent, inverted, ordinary};
use pliant_materials::Law;
use pliant_materials::clamped::Clamped;
use pliant_materials::corotational::{Corotational, CorotationalWarped};
use pliant_materials::invariants::ByInvariants;
use pliant_materials::invertible::Invertible;
use pliant_materials::isotropic::Isotropic;
use pliant_materials::linear::Linear;
use pliant_materials::neo_hookean::NeoHookean;
use pliant_materials::st_venant_kirchhoff::StVenantKirchhoff;
use pliant_materials::stable_neo_hookean::StableNeoHookean;

const LAME: &[f64] = &[1.5, 1.0];

fn check<L: Law>(name: &str, law: &L, p: &[f64], any: bool) {
    let mut list = ordinary();
    if any {
        list.extend(inverted());
    }
    for f in &list {
        check_stress(name, law, p, f);
        check_tangent(name, law, p, f);
        check_symmetry(name, law, p, f);
    }
}

fn check_isotropic<L: Isotropic>(name: &str, law: L, p: &[f64]) {
    check(name, &law, p, !L::NEEDS_POSITIVE_J);
    check(&format!("invertible {name}"), &Invertible::new(law), p, true);
    // Above the threshold the clamp changes nothing.
    let clamped = Clamped { law, threshold: 0.3 };
    assert!(!Clamped::<L>::HAS_ENERGY);
    for f in &ordinary() {
        check_tangent(&format!("clamped {name}"), &clamped, p, f);
    }
}

#[test]
fn linear() {
    check("linear", &Linear, LAME, true);
}

#[test]
fn st_venant_kirchhoff() {
    check_isotropic("st-venant-kirchhoff", StVenantKirchhoff, LAME);
}

#[test]
fn neo_hookean() {
    check_isotropic("neo-hookean", NeoHookean, LAME);
    check("neo-hookean by invariants", &ByInvariants(NeoHookean), LAME, false);
    check("st-venant-kirchhoff by invariants", &ByInvariants(StVenantKirchhoff), LAME, true);
}

#[test]
fn stable_neo_hookean() {
    check_isotropic("stable-neo-hookean", StableNeoHookean::default(), LAME);
}

#[test]
fn corotational() {
    check_isotropic("corotational", Corotational, LAME);
    for f in ordinary().iter().chain(&inverted()) {
        check_stress("corotational warped", &CorotationalWarped, LAME, f);
        check_blocks("corotational warped", &CorotationalWarped, LAME, f);
        check_symmetry("corotational warped", &CorotationalWarped, LAME, f);
    }
}
