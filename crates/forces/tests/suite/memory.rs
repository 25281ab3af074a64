//! Solids that remember, against closed forms: numbers are of VirTis's model, computed apart in 50 digits.

use crate::common;

use common::irregular_box;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::Vec3;
use pliant_forces::solid::{SolidModel, solid};
use pliant_forces::{
    Ask, Configuration, ElementName, Memory, Parameters, Partition, StepStart, Tried, Workspace,
};
use pliant_materials::maxwell::{Branch, Form, Maxwell, Share, Start};
use pliant_materials::{LawName, Material};

const SHEAR: Mat3<f64> = Mat3([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
pub(crate) const FULL: Mat3<f64> = Mat3([[1.1, 0.2, -0.1], [0.05, 0.9, 0.3], [-0.2, 0.1, 1.25]]);

pub(crate) fn branches(list: &[(f64, f64)]) -> Maxwell {
    let list: Vec<_> = list.iter().map(|&(time, strength)| Branch { time, strength }).collect();
    Maxwell::new(&list).unwrap()
}

/// A block in a homogeneous state that goes from moment to moment.
pub(crate) struct Block {
    solid: Box<dyn SolidModel>,
    rest: Vec<Vec3>,
    volume: f64,
    x: Vec<Vec3>,
    time: f64,
    memory: Vec<Memory>,
    work: Workspace,
    /// Of all steps, J/m³.
    dissipated: f64,
}

impl Block {
    pub(crate) fn new(
        element: ElementName,
        law: LawName,
        constants: &[f64],
        maxwell: &Maxwell,
    ) -> Self {
        let mesh = irregular_box(element.cell_type().nodes(), [2, 1, 1]);
        let partition = Partition::with_chunk_size(&mesh, 4).unwrap();
        let law = Material::new(law).point();
        let parameters = Parameters::Uniform(constants);
        let mut solid = solid(&mesh, &partition, element, law, parameters, &|_| true).unwrap();
        solid.remember(maxwell).unwrap();
        let rest = partition.vertices().apply(&mesh.vertices);
        let mut memory = Memory::default();
        let v = vec![[0.0; 3]; rest.len()];
        if maxwell.branches().is_empty() {
            let work = Workspace::new();
            let (x, memory) = (rest.clone(), Vec::new());
            return Self { solid, rest, volume: 0.72, x, time: 0.0, memory, work, dissipated: 0.0 };
        }
        solid.start_memory(&Configuration::new(&rest, &v, 0.0), &mut memory).unwrap();
        Self {
            solid,
            x: rest.clone(),
            rest,
            volume: 0.72,
            time: 0.0,
            memory: vec![memory],
            work: Workspace::new(),
            dissipated: 0.0,
        }
    }

    fn nh(element: ElementName, lame: [f64; 2], maxwell: &Maxwell) -> Self {
        Self::new(element, LawName::NEO_HOOKEAN, &lame, maxwell)
    }

    /// First Piola-Kirchhoff stress: ∫ P dV = Σ g Xᵀ.
    fn stress_of(&self, g: &[Vec3]) -> Mat3<f64> {
        let sum =
            g.iter().zip(&self.rest).fold(Mat3::zero(), |sum, (&g, &x)| sum + Mat3::outer(g, x));
        sum.scale(1.0 / self.volume)
    }

    /// P h seconds later at F, without going there.
    fn stress(&mut self, f: &Mat3<f64>, h: f64) -> Mat3<f64> {
        let x: Vec<Vec3> = self.rest.iter().map(|&p| f.mul_vec(p)).collect();
        let v = vec![[0.0; 3]; x.len()];
        let start = StepStart { x: &self.x, v: &v, time: self.time, step: h };
        let time = if h.is_finite() { self.time + h } else { self.time };
        let at = Configuration {
            start: Some(start),
            memory: &self.memory,
            ..Configuration::new(&x, &v, time)
        };
        let mut g = vec![[0.0; 3]; x.len()];
        let mut ask = Ask { gradient: Some(&mut g), ..Ask::default() };
        self.solid.evaluate(&at, &mut ask, &mut self.work).unwrap();
        self.stress_of(&g)
    }

    /// Goes to F in h seconds; returns P there, stored energy of the branches and loss, J/m³.
    pub(crate) fn go(&mut self, f: &Mat3<f64>, h: f64) -> (Mat3<f64>, f64, f64) {
        let p = self.stress(f, h);
        let x: Vec<Vec3> = self.rest.iter().map(|&p| f.mul_vec(p)).collect();
        let v = vec![[0.0; 3]; x.len()];
        let start = StepStart { x: &self.x, v: &v, time: self.time, step: h };
        let time = if h.is_finite() { self.time + h } else { self.time };
        let at = Configuration {
            start: Some(start),
            memory: &self.memory,
            ..Configuration::new(&x, &v, time)
        };
        let mut next = self.memory[0].clone();
        let (mut lost, mut kept) = (0.0, 0.0);
        let mut ask = Ask {
            dissipated: Some(&mut lost),
            remembered: Some(&mut kept),
            memory: Some(Tried { numbers: &mut next.numbers, keyed: &mut next.keyed }),
            ..Ask::default()
        };
        self.solid.evaluate(&at, &mut ask, &mut self.work).unwrap();
        (self.x, self.time, self.memory) = (x, time, vec![next]);
        self.dissipated += lost / self.volume;
        // The same number before the end of the step and after it.
        let after = self.stress(f, 0.0);
        assert!(off(&after, &p) <= 1e-13 * (1.0 + p.max_abs()), "{after:?} {p:?}");
        (p, kept / self.volume, lost / self.volume)
    }
}

pub(crate) fn off(a: &Mat3<f64>, b: &Mat3<f64>) -> f64 {
    (*a - *b).max_abs()
}

fn neo_hookean(f: &Mat3<f64>) -> Mat3<f64> {
    Material::new(LawName::NEO_HOOKEAN).point().stress(&[1.5, 1.0], f)
}

/// ½ of the stiffness after a long time, 0.3 with 0.1 s and 0.2 with 1 s, of neo-Hooke with λ = 1.5, μ = 1.
fn halves() -> Maxwell {
    branches(&[(0.1, 0.6), (1.0, 0.4)]).with_form(Form::Stress)
}

#[test]
fn stress_relaxes_after_a_step_of_strain() {
    for element in ElementName::ALL {
        let mut block = Block::nh(element, [0.75, 0.5], &halves());
        let _ = block.go(&FULL, 1e-12);
        let (p, _, _) = block.go(&FULL, 0.25);
        let expected = neo_hookean(&FULL).scale(0.680_385_656_201_45);
        assert!(off(&p, &expected) < 1e-12, "{element:?}: {p:?}");
    }
}

#[test]
fn stresses_along_a_path_are_those_of_the_quasi_linear_law() {
    for element in ElementName::ALL {
        let mut block = Block::nh(element, [0.75, 0.5], &halves());
        let (p, _, _) = block.go(&SHEAR, 0.05);
        let s = 0.465_581_953_084_8;
        let expected = Mat3([[0.0, s, 0.0], [s, 0.0, 0.0], [0.0; 3]]);
        assert!(off(&p, &expected) < 1e-13, "{element:?}: {p:?}");
        let (p, _, _) = block.go(&FULL, 0.05);
        let expected = Mat3([
            [0.361_487_440_027_6, 0.206_062_858_166_8, -0.208_122_824_594_4],
            [0.163_386_606_508, -0.006_857_035_011_782, 0.372_597_631_832_6],
            [-0.289_721_756_134_2, 0.311_611_799_494_7, 0.554_731_610_831_5],
        ]);
        assert!(off(&p, &expected) < 1e-12, "{element:?}: {p:?}");
        let (p, _, _) = block.go(&FULL, 1.0);
        let expected = Mat3([
            [0.211_578_920_941_3, 0.159_189_509_488_9, -0.127_796_991_169_8],
            [0.126_304_397_828_6, -0.002_726_106_277_077, 0.228_792_091_199],
            [-0.171_964_774_948_8, 0.185_406_268_852_7, 0.340_630_735_284_2],
        ]);
        assert!(off(&p, &expected) < 1e-12, "{element:?}: {p:?}");
    }
}

#[test]
fn branches_of_strains_in_shear_have_their_stress_and_lose_what_they_should() {
    let maxwell = branches(&[(0.1, 0.3), (1.0, 0.2)]).with_share(Share::Shear);
    for element in ElementName::ALL {
        let mut block = Block::nh(element, [1.5, 1.0], &maxwell);
        let (p, _, _) = block.go(&SHEAR, 0.05);
        let expected = Mat3([
            [0.071_860_651_028_26, 0.751_512_278_598_9, 0.0],
            [0.715_581_953_084_8, 0.071_860_651_028_26, 0.0],
            [0.0, 0.0, -0.035_930_325_514_13],
        ]);
        assert!(off(&p, &expected) < 1e-13, "{element:?}: {p:?}");
        let (p, _, _) = block.go(&FULL, 0.05);
        let expected = Mat3([
            [0.401_346_797_136_8, 0.287_726_794_609_1, -0.373_077_253_709],
            [0.228_243_968_315_6, -0.123_320_018_340_3, 0.593_060_825_868],
            [-0.481_841_736_787_5, 0.495_990_209_178_4, 0.870_153_784_722_2],
        ]);
        assert!(off(&p, &expected) < 1e-12, "{element:?}: {p:?}");
    }
    // The first branch alone.
    let maxwell = branches(&[(0.1, 0.3)]).with_share(Share::Shear);
    for element in ElementName::ALL {
        let mut block = Block::nh(element, [1.5, 1.0], &maxwell);
        let (_, before, _) = block.go(&SHEAR, 0.05);
        let (_, after, lost) = block.go(&FULL, 0.05);
        assert!((lost - 0.022_601_407_819_43).abs() < 1e-13, "{element:?}: {lost}");
        assert!((after - before - 0.018_074_860_097_453).abs() < 1e-13, "{element:?}");
    }
}

/// A bar without lateral contraction whose long-term modulus is 1.
fn bar(maxwell: &Maxwell) -> Block {
    Block::new(ElementName::Hex8, LawName::LINEAR, &[0.0, 0.5], maxwell)
}

fn stretched(strain: f64) -> Mat3<f64> {
    Mat3([[1.0 + strain, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
}

#[test]
fn a_ramp_of_strain_is_exact_for_any_number_of_steps() {
    for steps in [1, 2, 7] {
        let mut block = bar(&branches(&[(0.01, 0.95)]));
        let mut last = 0.0;
        for k in 1..=steps {
            let part = f64::from(k) / f64::from(steps);
            last = block.go(&stretched(0.02 * part), 0.02 / f64::from(steps)).0.0[0][0];
        }
        assert!((last - 0.028_214_314_81).abs() < 1e-11, "{steps} steps: {last}");
        // G∞ ε + g τ (1 − e^(−2)) at a rate of 1.
        let exact = 0.02 + 0.95 * 0.01 * (1.0 - (-2.0_f64).exp());
        assert!((last - exact).abs() < 1e-14, "{steps} steps: {last}");
        let hold = block.go(&stretched(0.02), 0.03).0.0[0][0];
        assert!((hold - 0.020_408_966_65).abs() < 1e-11, "{steps} steps: {hold}");
    }
}

#[test]
fn oscillations_have_the_discrete_complex_modulus() {
    let rows = [
        (1e-3, [1.475_395_569_3, 0.474_603_902_927]),
        (5e-3, [1.484_728_602_24, 0.464_941_598]),
        (10e-3, [1.511_803_456_56, 0.432_934_432_512]),
    ];
    for (h, [storage, loss]) in rows {
        let mut block = bar(&branches(&[(0.01, 0.95)]));
        for k in 1..=(0.5 / h) as u32 {
            let angle = 100.0 * h * f64::from(k);
            let found = block.go(&stretched(0.01 * angle.sin()), h).0.0[0][0];
            if f64::from(k) * h > 0.4 {
                let expected = 0.01 * (storage * angle.sin() + loss * angle.cos());
                assert!((found - expected).abs() < 2e-11, "{h}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn rotations_between_steps_turn_the_stress() {
    let turn = Mat3([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]]);
    for maxwell in [halves(), branches(&[(0.1, 0.6), (1.0, 0.4)])] {
        for element in ElementName::ALL {
            let mut block = Block::nh(element, [0.75, 0.5], &maxwell);
            let mut turned = Block::nh(element, [0.75, 0.5], &maxwell);
            let _ = block.go(&SHEAR, 0.05);
            let _ = turned.go(&SHEAR, 0.05);
            let (p, ..) = block.go(&FULL, 0.1);
            let (q, ..) = turned.go(&(turn * FULL), 0.1);
            assert!(off(&q, &(turn * p)) < 1e-13, "{element:?}");
        }
    }
}

#[test]
fn after_a_long_time_nothing_is_remembered() {
    for maxwell in [halves(), branches(&[(0.1, 0.6), (1.0, 0.4)])] {
        let mut block = Block::nh(ElementName::Hex8Bbar, [1.5, 1.0], &maxwell);
        let _ = block.go(&SHEAR, 0.05);
        let forever = block.stress(&FULL, f64::INFINITY);
        assert!(off(&forever, &neo_hookean(&FULL)) < 1e-13);
        let _ = block.go(&FULL, 0.05);
        let (p, kept, _) = block.go(&FULL, 100.0);
        assert!(off(&p, &neo_hookean(&FULL)) < 1e-12, "{p:?}");
        assert!(kept.abs() < 1e-12);
    }
}

#[test]
fn without_strength_the_bits_are_those_of_the_elastic_law() {
    let none = branches(&[(0.1, 0.0)]);
    let mut elastic = Block::nh(ElementName::Tet10, [1.5, 1.0], &branches(&[]));
    let mut block = Block::nh(ElementName::Tet10, [1.5, 1.0], &none);
    assert_eq!(block.stress(&FULL, 0.1), elastic.stress(&FULL, 0.1));
    assert!(block.solid.character().memory.is_none());
}

#[test]
fn a_start_at_an_instant_is_as_stiff_as_a_jump() {
    let relaxed = branches(&[(0.1, 0.6), (1.0, 0.4)]);
    let instant = relaxed.clone().with_start(Start::Instant);
    let mut jumped = Block::nh(ElementName::Hex8, [1.5, 1.0], &relaxed);
    let _ = jumped.go(&FULL, 0.0);
    let mut block = Block::nh(ElementName::Hex8, [1.5, 1.0], &instant);
    let x: Vec<Vec3> = block.rest.iter().map(|&p| FULL.mul_vec(p)).collect();
    let v = vec![[0.0; 3]; x.len()];
    block.solid.start_memory(&Configuration::new(&x, &v, 0.0), &mut block.memory[0]).unwrap();
    block.x = x;
    for h in [0.0, 0.07, 1.0] {
        assert!(off(&block.stress(&SHEAR, h), &jumped.stress(&SHEAR, h)) < 1e-13);
    }
}

#[test]
fn work_of_branches_of_strains_is_stored_or_lost_exactly() {
    // ∫ S : dE over a step in which E is linear, by a fine sum over evaluations.
    let maxwell = branches(&[(0.02, 0.6), (0.3, 0.4), (5.0, 1.2)]);
    let mut block = Block::new(ElementName::Tet4, LawName::LINEAR, &[0.0, 0.5], &maxwell);
    let (mut stored, mut work, mut lost) = (0.0, 0.0, 0.0);
    for (strain, h) in [(0.02, 0.05), (0.05, 0.01), (-0.01, 0.2), (-0.01, 0.5), (0.0, 3.0)] {
        let from = block.strain();
        let n = 3000;
        for k in 0..n {
            let mut at = |s: f64| {
                let part = (f64::from(k) + s) / f64::from(n);
                let e = from + part * (strain - from);
                block.stress(&stretched(e), part * h).0[0][0] - e
            };
            // Simpson's rule.
            let mean = (at(0.0) + 4.0 * at(0.5) + at(1.0)) / 6.0;
            work += mean * (strain - from) / f64::from(n);
        }
        let (_, kept, gone) = block.go(&stretched(strain), h);
        stored = kept;
        lost += gone;
        assert!(gone >= 0.0);
    }
    assert!((work - stored - lost).abs() < 1e-9 * lost, "{work} {stored} {lost}");
}

impl Block {
    /// ε_xx
    fn strain(&self) -> f64 {
        let (i, far) = self
            .rest
            .iter()
            .enumerate()
            .map(|(i, x)| (i, x[0]))
            .fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
        self.x[i][0] / far - 1.0
    }
}
