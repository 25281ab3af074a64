//! Energy that a branch loses in a step, as a quadratic form of what it remembers and how strain went on.
//!
//! With q(s) = Σ w_j(s) T_j at the part s of the step, the loss is ∫ (g/τ) q:𝒞:q dt = g Σ M_jk T_j:𝒞:T_k with M_jk = a ∫₀¹ w_j w_k ds and a = h/τ.

/// Weights of the loss for strain that is linear in time, T = (q₀, ΔE): M₁₁, 2 M₁₂, M₂₂.
pub(super) fn linear(a: f64) -> [f64; 3] {
    if a.is_infinite() {
        // All that was remembered is lost, and a slow way costs nothing.
        return [0.5, 0.0, 0.0];
    }
    let e = (-a).exp();
    let remembered = -0.5 * (-2.0 * a).exp_m1();
    if a.abs() < 0.5 {
        // Σ_{k≥2} (−a)ᵏ (2ᵏ − 2)/(k+1)! / a and φ² a, without cancellation.
        let (mut sum, mut power, mut factorial) = (0.0, a, 6.0);
        let mut two = 4.0;
        for k in 2..24 {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            sum += sign * power * (two - 2.0) / factorial;
            power *= a;
            two *= 2.0;
            factorial *= f64::from(k) + 2.0;
        }
        let phi = super::factors::phi(a);
        return [remembered, a * phi * phi, sum];
    }
    let phi = super::factors::phi(a);
    [remembered, a * phi * phi, (1.0 - 2.0 * phi + 0.5 * phi * (1.0 + e)) / a]
}

/// Points and weights of Gauss's rule of order 16 on [0, 1].
const GAUSS: [(f64, f64); 8] = [
    (0.019_855_071_751_231_884, 0.050_614_268_145_188_13),
    (0.101_666_761_293_186_63, 0.111_190_517_226_687_24),
    (0.237_233_795_041_835_5, 0.156_853_322_938_943_64),
    (0.408_282_678_752_175_1, 0.181_341_891_689_181),
    (0.591_717_321_247_825, 0.181_341_891_689_181),
    (0.762_766_204_958_164_5, 0.156_853_322_938_943_64),
    (0.898_333_238_706_813_4, 0.111_190_517_226_687_24),
    (0.980_144_928_248_768_1, 0.050_614_268_145_188_13),
];

/// Weights M_jk of the loss for strain that is a cubic in time, T = (q₀, ΔE, h r₀, h r₁).
pub(super) fn cubic(a: f64) -> [[f64; 4]; 4] {
    let mut m = [[0.0; 4]; 4];
    if a.is_infinite() {
        m[0][0] = 0.5;
        return m;
    }
    // Pieces that resolve e^(−a s) and end at 1.
    let mut from = 0.0;
    let mut length = 0.5 / a.abs().max(0.5);
    while from < 1.0 {
        let to = if from + length > 1.0 - 1e-12 { 1.0 } else { from + length };
        for (at, weight) in GAUSS {
            let s = from + at * (to - from);
            let w = weights(a, s);
            for j in 0..4 {
                for k in 0..4 {
                    m[j][k] += a * weight * (to - from) * w[j] * w[k];
                }
            }
        }
        from = to;
        length *= 1.5;
    }
    m
}

/// w_j(s): e^(−as), and ∫₀ˢ e^(−a(s−σ)) p_j(σ) dσ with p = E′ of Hermite's cubic.
fn weights(a: f64, s: f64) -> [f64; 4] {
    let b = a * s;
    let i = super::factors::moments(b).map(|i| i * s);
    // ∫₀ˢ e^(−a(s−σ)) σᵏ dσ = s^(k+1) I_k(as).
    let (i0, i1, i2) = (i[0], i[1] * s, i[2] * s * s);
    [(-b).exp(), 6.0 * i1 - 6.0 * i2, i0 - 4.0 * i1 + 3.0 * i2, 3.0 * i2 - 2.0 * i1]
}

#[cfg(test)]
mod tests {
    use super::{cubic, linear};

    #[test]
    fn closed_form_and_quadrature_agree_where_strain_is_linear() {
        // A cubic whose rates are both ΔE/h is a straight line.
        for a in [1e-6, 1e-3, 0.1, 0.49, 0.51, 1.0, 7.0, 40.0, 1e3] {
            let [qq, dq, dd] = linear(a);
            let m = cubic(a);
            let t = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]];
            let form = |x: [f64; 4], y: [f64; 4]| -> f64 {
                (0..4)
                    .flat_map(|j| (0..4).map(move |k| (j, k)))
                    .map(|(j, k)| x[j] * m[j][k] * y[k])
                    .sum()
            };
            let found = [form(t[0], t[0]), 2.0 * form(t[0], t[1]), form(t[1], t[1])];
            for (found, expected) in found.iter().zip([qq, dq, dd]) {
                let off = (found - expected).abs() / expected.abs();
                assert!(off < 1e-12, "a = {a}: {found:e} for {expected:e}, {off:.1e}");
            }
        }
    }
}
