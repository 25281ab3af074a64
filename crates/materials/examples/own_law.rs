//! A law of one's own: its energy is all it needs. `cargo run -p pliant-materials --example own_law`

use pliant_algebra::{mat3::Mat3, real::Real};
use pliant_materials::Law;
use pliant_materials::dense::DenseTangent;
use pliant_materials::invertible::Invertible;
use pliant_materials::stretches::{ByStretches, StretchLaw};

/// Hencky's law: W = μ Σ ln² σᵢ + λ/2 ln² J.
#[derive(Clone, Copy, Debug)]
struct Hencky;

impl StretchLaw for Hencky {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R {
        let [a, b, c] = [sigma[0].ln(), sigma[1].ln(), sigma[2].ln()];
        p[1] * (a * a + b * b + c * c) + p[0] * (a + b + c).square() * 0.5
    }
}

fn main() {
    let law = ByStretches(Hencky);
    let parameters = [1.5, 1.0];
    let f = Mat3([[1.1, 0.2, -0.1], [0.05, 0.9, 0.3], [-0.2, 0.1, 1.25]]);
    let (stress, tangent) = law.stress_and_tangent(&parameters, &f, false);
    println!("W = {}\nP = {:?}", law.energy(&parameters, &f), stress.0);
    println!("dP/dF11 = {:?}", DenseTangent::from_tangent(&tangent).columns[0][0].0);

    // The same law takes inverted elements, and pushes them back.
    let flipped = Mat3::diagonal([1.0, 1.0, -0.5]);
    let stress = Invertible::new(law).stress(&parameters, &flipped);
    println!("inverted: P33 = {}", stress.0[2][2]);
}
