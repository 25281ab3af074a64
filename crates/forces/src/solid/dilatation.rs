//! Elements with the mean dilatation: W(F̄) with F̄ = s F, s = (J̄/J)^⅓ and J̄ the mean of J over the
//! element, its exact gradient and its exact tangent.
//!
//! Write θ = F⁻ᵀ : dF for dJ/J and θ̄ = dJ̄/J̄. Then dF̄ = s (dF + ⅓ (θ̄ − θ) F), and with P̄ = P(F̄) and
//! p = ⅓ P̄ : F̄
//!
//! dΠ = Σ w [ s P̄ : dF + p (θ̄ − θ) ].
//!
//! For node a let h_a = F⁻ᵀ ∇N_a (so that θ = h_a · dx_a), h̄_a its mean with weights w J / (V J̄),
//! Δ_a = h̄_a − h_a, t_a = P̄ ∇N_a and m_a = (A : F) ∇N_a, where A = ∂P̄/∂F̄. The second derivative is
//!
//! Σ w [ s² A_ab + u_a Δ_bᵀ + Δ_a u_bᵀ + γ Δ_a Δ_bᵀ + r h_a h_bᵀ + (p − r) h_b h_aᵀ ] − Q h̄_a h̄_bᵀ
//!
//! with Q = Σ w p, r = Q J / (V J̄), u_a = ⅓ (s² m_a + s t_a) and γ = s² (F : A : F) / 9 + p / 3.
//! Projection keeps what comes from A alone, which is positive semi-definite if A is.

use pliant_algebra::lanes::Pack;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Mask;
use pliant_elements::Element;
use pliant_materials::{Law, Tangent};

use super::pack::{BadLanes, PackJob, PackResult, load_geometry, put};

/// More points than an element with mean dilatation has.
const MOST_POINTS: usize = 8;

impl<E: Element<N>, L: Law, P: Pack, const N: usize> PackJob<'_, E, L, P, N> {
    /// F at every point with the mean volume change of its element.
    #[inline(always)]
    pub(super) fn run_dilated<const TANGENT: bool>(self) -> Result<PackResult<P, N>, BadLanes> {
        let Self { law, parameters, x, geometry, wanted, blocks, .. } = self;
        let points = E::POINTS;
        let mut gradients = [Mat3::zero(); MOST_POINTS];
        let (mut volume, mut current) = (P::zero(), P::zero());
        for (q, point) in points.iter().enumerate() {
            let (inverse, weight) = load_geometry::<P>(&geometry[q]);
            gradients[q] = E::jacobian(point, x) * inverse;
            let j = gradients[q].determinant();
            let good = P::zero().less(j) & j.is_finite();
            if !good.all() {
                return Err(BadLanes { good: good.to_bits(), jacobians: j.to_lanes() });
            }
            volume += weight;
            current += weight * j;
        }
        // Lanes that only fill up the pack have no volume; any positive number serves.
        let empty = volume.equals(P::zero());
        let volume = P::select(empty, P::one(), volume);
        let current = P::select(empty, P::one(), current);
        let mean_j = current / volume;

        let mut mean_h = [[P::zero(); 3]; N];
        let mut f = [[P::zero(); 3]; N];
        let (mut energy, mut total) = (P::zero(), P::zero());
        for (q, point) in points.iter().enumerate() {
            let (inverse, weight) = load_geometry::<P>(&geometry[q]);
            let gradient = &gradients[q];
            let j = gradient.determinant();
            // w J F⁻ᵀ (∂X/∂ξ)⁻ᵀ / (V J̄), spread to the nodes.
            let cofactor = gradient.cofactor();
            E::spread(
                point,
                &cofactor.mul_transpose(&inverse).scale(weight / current),
                &mut mean_h,
            );
            let s = (mean_j / j).cbrt();
            let dilated = gradient.scale(s);
            if wanted.energy {
                energy += weight * law.energy(parameters, &dilated);
            }
            if wanted.gradient || TANGENT {
                let stress = law.stress(parameters, &dilated);
                let p = stress.contract(&dilated) / 3.0;
                total += weight * p;
                let net = stress.scale(s) - cofactor.scale(p / j);
                E::spread(point, &net.mul_transpose(&inverse).scale(weight), &mut f);
            }
        }
        for a in 0..N {
            for i in 0..3 {
                f[a][i] += total * mean_h[a][i];
            }
        }
        if !TANGENT {
            return Ok(PackResult { energy, f });
        }

        let third = 1.0 / 3.0;
        let scale = wanted.weight.abs();
        // Without the parts that are not from A where the tangent is projected.
        let keep = if wanted.project { 0.0 } else { 1.0 };
        for (q, point) in points.iter().enumerate() {
            let (inverse, weight) = load_geometry::<P>(&geometry[q]);
            let gradient = &gradients[q];
            let j = gradient.determinant();
            let s = (mean_j / j).cbrt();
            let dilated = gradient.scale(s);
            let (stress, tangent) = law.stress_and_tangent(parameters, &dilated, wanted.project);
            let p = stress.contract(&dilated) / 3.0 * keep;
            let r = total * j / current * keep;
            let w = weight * scale;
            // A : F, column by column.
            let axes = Mat3::<P>::identity().0;
            let unit = [tangent.node(axes[0]), tangent.node(axes[1]), tangent.node(axes[2])];
            let mut along = Mat3::zero();
            for k in 0..3 {
                for l in 0..3 {
                    let column = tangent.block(&unit[k], &unit[l]).mul_vec(gradient.column(l));
                    for i in 0..3 {
                        along.0[i][k] += column[i];
                    }
                }
            }
            let s2 = s.square();
            let gamma = s2 * along.contract(gradient) / 9.0 + p * third;
            let to_u = (along.scale(s2) + stress.scale(s * keep)).scale(P::splat(third));
            let shape = E::physical_gradients(point, &inverse);
            let inverse_transposed = gradient.cofactor().scale(j.recip());
            let mut nodes = [tangent.node(shape[0]); N];
            let (mut h, mut d, mut u) =
                ([[P::zero(); 3]; N], [[P::zero(); 3]; N], [[P::zero(); 3]; N]);
            for a in 0..N {
                nodes[a] = tangent.node(shape[a]);
                h[a] = inverse_transposed.mul_vec(shape[a]);
                u[a] = to_u.mul_vec(shape[a]);
                for i in 0..3 {
                    d[a][i] = mean_h[a][i] - h[a][i];
                }
            }
            let mut pair = 0;
            for a in 0..N {
                let first = if wanted.full { 0 } else { a };
                for b in first..N {
                    let mut block = tangent.block(&nodes[a], &nodes[b]).scale(s2);
                    for i in 0..3 {
                        let gd = gamma * d[a][i] + u[a][i];
                        let (rh, ph) = (r * h[a][i], (p - r) * h[b][i]);
                        for k in 0..3 {
                            block.0[i][k] +=
                                gd * d[b][k] + d[a][i] * u[b][k] + rh * h[b][k] + ph * h[a][k];
                        }
                    }
                    let mut block = block.scale(w);
                    if q == 0 {
                        let once = total * (scale * keep);
                        block -= Mat3::outer(mean_h[a], mean_h[b]).scale(once);
                    }
                    put(blocks, pair, q == 0, &block);
                    pair += 1;
                }
            }
        }
        Ok(PackResult { energy, f })
    }
}
