//! Eight lanes give the bits of eight scalars, whatever their neighbours do.

mod common;

use common::{Random, inverted, ordinary, sample};
use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::{LANES, Pack};
use pliant_algebra::mat3::Mat3;
use pliant_materials::corotational::Corotational;
use pliant_materials::invertible::Invertible;
use pliant_materials::mooney_rivlin::MooneyRivlin;
use pliant_materials::neo_hookean::NeoHookean;
use pliant_materials::{Law, LawName, Tangent};

/// Energy, stress and one block.
type Numbers = (f64, [f64; 9], [f64; 9]);

struct Eight<'a, L> {
    law: L,
    p: &'a [f64],
    f: &'a [Mat3<f64>; LANES],
    project: bool,
    gradients: [[f64; 3]; 2],
}

impl<L: Law> Kernel for Eight<'_, L> {
    type Output = [Numbers; LANES];
    #[inline(always)]
    fn run<P: Pack>(self) -> [Numbers; LANES] {
        let mut p = [P::zero(); 8];
        for k in 0..self.p.len() {
            p[k] = P::splat(self.p[k]);
        }
        let p = &p[..self.p.len()];
        let f = Mat3::<P>::from_lanes(self.f);
        let energy = self.law.energy(p, &f).to_lanes();
        let (stress, tangent) = self.law.stress_and_tangent(p, &f, self.project);
        let [a, b] = self.gradients.map(|g| tangent.node(g.map(P::splat)));
        let block = tangent.block(&a, &b).to_lanes();
        let stress = stress.to_lanes();
        let mut numbers = [(0.0, [0.0; 9], [0.0; 9]); LANES];
        for l in 0..LANES {
            numbers[l] = (energy[l], stress[l].to_array(), block[l].to_array());
        }
        numbers
    }
}

fn scalar<L: Law>(
    law: L,
    p: &[f64],
    f: &Mat3<f64>,
    project: bool,
    gradients: [[f64; 3]; 2],
) -> Numbers {
    let (stress, tangent) = law.stress_and_tangent(p, f, project);
    let [a, b] = gradients.map(|g| tangent.node(g));
    (law.energy(p, f), stress.to_array(), tangent.block(&a, &b).to_array())
}

fn same_bits<L: Law>(law: L, name: LawName) {
    let p = sample(name).parameters(name).unwrap();
    let mut random = Random(11);
    let gradients = [random.vector(), random.vector()];
    let mut list = ordinary();
    if !L::NEEDS_POSITIVE_J {
        list.extend(inverted());
    }
    for start in 0..list.len() {
        let f = std::array::from_fn(|l| list[(start + 3 * l) % list.len()]);
        for project in [false, true] {
            let exact = f.each_ref().map(|f| scalar(law, &p, f, project, gradients));
            for level in Level::available() {
                let got = level.run(Eight { law, p: &p, f: &f, project, gradients });
                assert_eq!(got, exact, "{law:?} on {}", level.name());
            }
        }
    }
}

/// One law of each kind of tangent: compiling a law for every level takes seconds.
#[test]
fn structured_laws() {
    same_bits(NeoHookean, LawName::NeoHookean);
    same_bits(Corotational, LawName::Corotational);
}

#[test]
fn invertible_laws_by_invariants() {
    same_bits(Invertible::new(MooneyRivlin::default()), LawName::MooneyRivlin);
}
