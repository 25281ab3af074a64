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
//! with Q = Σ w p, r = Q J / (V J̄), u_a = ⅓ (s² m_a + s t_a) (in the second term with F : A in place of A : F) and γ = s² (F : A : F) / 9 + p / 3.
//! Projection keeps what comes from A alone, which is positive semi-definite if A is.
//!
//! A law that is linear in the strain has the mean dilatation of the strain instead, F̄ = F + ⅓ (θ̄ − θ) I with θ = tr F − 3 and θ̄ its
//! mean over the element at rest: the B-bar method as Hughes has it. Then h_a = ∇N_a, h̄_a is its mean with weights w / V, p = ⅓ tr P̄,
//!
//! dΠ = Σ w [ P̄ : dF + p (θ̄ − θ)' ],  and the second derivative  Σ w [ A_ab + u_a Δ_bᵀ + Δ_a u_bᵀ + γ Δ_a Δ_bᵀ ]
//!
//! with u_a = ⅓ (A : I) ∇N_a and γ = (I : A : I) / 9 is constant. These are the formulas above with I in place of F, s = J = J̄ = 1,
//! and without the terms of the stress, so that the kernels are the same ones.

use std::marker::PhantomData;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::{F64x8, LANES, Pack, Row4};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Mask;
use pliant_elements::Element;
use pliant_materials::PointLaw;
use pliant_materials::eight::{Blocks, EightPoints, Nine};
use pliant_materials::maxwell::respond;

use super::activation::{ROOM, scaled};
use super::chunk::{ChunkWork, Elements, Geometry, Wanted};
use super::memory::NOTHING;
use super::stages::{
    BadLanes, gather, load_geometry, load_matrix, load3, scatter_vectors, store_matrix,
    store_vectors,
};
use super::sweep::Response;

/// More points than an element with mean dilatation has.
const MOST_POINTS: usize = 8;
const ZERO: F64x8 = F64x8([0.0; LANES]);

/// A pack between the stages.
struct Middle<const N: usize> {
    /// F and F̄ at every point; for linear laws I in place of F.
    gradients: [Nine; MOST_POINTS],
    dilated: [Nine; MOST_POINTS],
    energies: [F64x8; MOST_POINTS],
    stresses: [Nine; MOST_POINTS],
    /// V J̄, J̄ and Q
    current: F64x8,
    mean_j: F64x8,
    total: F64x8,
    mean_h: [[F64x8; 3]; N],
}

/// Unit gradients: the blocks between them are all of ∂P/∂F.
const UNIT: [[F64x8; 3]; 3] = {
    let one = F64x8([1.0; LANES]);
    [[one, ZERO, ZERO], [ZERO, one, ZERO], [ZERO, ZERO, one]]
};

impl<const N: usize> Elements<N> {
    /// F at every point with the mean volume change of its element.
    pub(super) fn dilated<E: Element<3, N>>(
        &self,
        table: &mut ChunkWork<N>,
        Response { law, memory }: Response<'_>,
        level: Level,
        wanted: Wanted,
        pack: usize,
    ) -> Result<(), BadLanes> {
        let ChunkWork { x, g, scratch, .. } = table;
        let points = E::POINTS.len();
        let nodes = &self.nodes[pack * N..(pack + 1) * N];
        let geometry = &self.geometry[pack * points..(pack + 1) * points];
        let mut room = ROOM;
        let parameters = |q: usize| &self.parameters[self.layout.at(pack, q)];
        let mut middle = Middle::default();
        let mut histories = [NOTHING; MOST_POINTS];
        let place = |q: usize| (pack * points + q, pack, q);
        level.run(Dilate {
            nodes,
            table: x,
            geometry,
            middle: &mut middle,
            linear: law.is_linear(),
            element: PhantomData::<E>,
        })?;
        for q in 0..points {
            let history = &mut histories[q];
            let remembered = memory.map(|m| m.at(self, level, place(q), (history, None)));
            respond(
                level,
                law,
                &mut EightPoints {
                    parameters: scaled(parameters(q), wanted.activity, &mut room),
                    gradient: &middle.dilated[q],
                    energy: wanted.energy.then_some(&mut middle.energies[q]),
                    stress: Some(&mut middle.stresses[q]),
                    tangent: None,
                },
                remembered.as_ref(),
            );
        }
        level.run(Collect {
            nodes,
            table: g,
            geometry,
            middle: &mut middle,
            total: &mut scratch.total,
            energy: wanted.energy,
            gradient: wanted.gradient,
            element: PhantomData::<E>,
        });
        if !wanted.tangent {
            return Ok(());
        }
        for q in 0..points {
            let mut tensor = [[ZERO; 9]; 9];
            let history = &mut histories[q];
            let remembered = memory.map(|m| m.at(self, level, place(q), (history, None)));
            respond(
                level,
                law,
                &mut EightPoints {
                    parameters: scaled(parameters(q), wanted.activity, &mut room),
                    gradient: &middle.dilated[q],
                    energy: None,
                    stress: None,
                    tangent: Some(Blocks {
                        shapes: &UNIT,
                        values: &mut tensor,
                        all: true,
                        add: false,
                        project: wanted.project,
                    }),
                },
                remembered.as_ref(),
            );
            level.run(Stiffen {
                q,
                geometry: &geometry[q],
                middle: &middle,
                tensor: &tensor,
                wanted,
                linear: law.is_linear(),
                symmetric: law.has_energy(),
                blocks: &mut scratch.inner,
                element: PhantomData::<E>,
            });
        }
        Ok(())
    }
}

impl<const N: usize> Default for Middle<N> {
    fn default() -> Self {
        Self {
            gradients: [[ZERO; 9]; MOST_POINTS],
            dilated: [[ZERO; 9]; MOST_POINTS],
            energies: [ZERO; MOST_POINTS],
            stresses: [[ZERO; 9]; MOST_POINTS],
            current: ZERO,
            mean_j: ZERO,
            total: ZERO,
            mean_h: [[ZERO; 3]; N],
        }
    }
}

impl<const N: usize> Elements<N> {
    /// F̄ of a pack at every point.
    pub(super) fn dilate<E: Element<3, N>>(
        &self,
        table: &[Row4],
        law: &dyn PointLaw,
        level: Level,
        pack: usize,
        gradients: &mut [Nine],
    ) -> Result<(), BadLanes> {
        let points = E::POINTS.len();
        let mut middle = Middle::default();
        level.run(Dilate {
            nodes: &self.nodes[pack * N..(pack + 1) * N],
            table,
            geometry: &self.geometry[pack * points..(pack + 1) * points],
            middle: &mut middle,
            linear: law.is_linear(),
            element: PhantomData::<E>,
        })?;
        gradients[..points].copy_from_slice(&middle.dilated[..points]);
        Ok(())
    }
}

/// Positions to F and F̄.
struct Dilate<'a, E, const N: usize> {
    nodes: &'a [[u32; LANES]],
    table: &'a [Row4],
    geometry: &'a [Geometry],
    middle: &'a mut Middle<N>,
    /// Whether the law is one of the linear strain.
    linear: bool,
    element: PhantomData<E>,
}

impl<E: Element<3, N>, const N: usize> Kernel for Dilate<'_, E, N> {
    type Output = Result<(), BadLanes>;

    #[inline(always)]
    fn run<P: Pack>(self) -> Result<(), BadLanes> {
        let Self { nodes, table, geometry, middle, linear, .. } = self;
        let x = gather::<P, N>(table, nodes);
        if linear {
            return dilate_strain::<P, E, N>(&x, geometry, middle);
        }
        let (mut volume, mut current) = (P::zero(), P::zero());
        for (q, point) in E::POINTS.iter().enumerate() {
            let (inverse, weight) = load_geometry::<P>(&geometry[q]);
            let gradient = Mat3(E::jacobian(point, &x)) * inverse;
            store_matrix(&gradient, &mut middle.gradients[q]);
            let j = gradient.determinant();
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
        (middle.current, middle.mean_j) = (current.store(), mean_j.store());
        for q in 0..E::POINTS.len() {
            let gradient = load_matrix::<P>(&middle.gradients[q]);
            let s = (mean_j / gradient.determinant()).cbrt();
            store_matrix(&gradient.scale(s), &mut middle.dilated[q]);
        }
        Ok(())
    }
}

/// The same with the mean of tr F in place of that of J.
#[inline(always)]
fn dilate_strain<P: Pack, E: Element<3, N>, const N: usize>(
    x: &[[P; 3]; N],
    geometry: &[Geometry],
    middle: &mut Middle<N>,
) -> Result<(), BadLanes> {
    let (mut volume, mut sum) = (P::zero(), P::zero());
    for (q, point) in E::POINTS.iter().enumerate() {
        let (inverse, weight) = load_geometry::<P>(&geometry[q]);
        let gradient = Mat3(E::jacobian(point, x)) * inverse;
        store_matrix(&gradient, &mut middle.dilated[q]);
        let trace = gradient.trace();
        let good = trace.is_finite();
        if !good.all() {
            let jacobians = gradient.determinant().to_lanes();
            return Err(BadLanes { good: good.to_bits(), jacobians });
        }
        volume += weight;
        sum += weight * trace;
    }
    let volume = P::select(volume.equals(P::zero()), P::one(), volume);
    let mean = sum / volume;
    (middle.current, middle.mean_j) = (volume.store(), P::one().store());
    for q in 0..E::POINTS.len() {
        let gradient = load_matrix::<P>(&middle.dilated[q]);
        let third = (mean - gradient.trace()) / 3.0;
        store_matrix(&(gradient + Mat3::diagonal([third; 3])), &mut middle.dilated[q]);
        store_matrix(&Mat3::<P>::identity(), &mut middle.gradients[q]);
    }
    Ok(())
}

/// Energies and stresses to sums and forces.
struct Collect<'a, E, const N: usize> {
    nodes: &'a [[u32; LANES]],
    table: &'a mut [Row4],
    geometry: &'a [Geometry],
    middle: &'a mut Middle<N>,
    total: &'a mut F64x8,
    energy: bool,
    gradient: bool,
    element: PhantomData<E>,
}

impl<E: Element<3, N>, const N: usize> Kernel for Collect<'_, E, N> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pack>(self) {
        let Self { geometry, middle, .. } = self;
        let (current, mean_j) = (P::load(&middle.current), P::load(&middle.mean_j));
        let mut mean_h = [[P::zero(); 3]; N];
        let mut f = [[P::zero(); 3]; N];
        let (mut energy, mut total) = (P::load(self.total), P::zero());
        for (q, point) in E::POINTS.iter().enumerate() {
            let (inverse, weight) = load_geometry::<P>(&geometry[q]);
            let gradient = load_matrix::<P>(&middle.gradients[q]);
            let j = gradient.determinant();
            // w J F⁻ᵀ (∂X/∂ξ)⁻ᵀ / (V J̄), spread to the nodes.
            let cofactor = gradient.cofactor();
            let share = cofactor.mul_transpose(&inverse).scale(weight / current);
            E::spread(point, &share.0, &mut mean_h);
            if self.energy {
                energy += weight * P::load(&middle.energies[q]);
            }
            let stress = load_matrix::<P>(&middle.stresses[q]);
            let s = (mean_j / j).cbrt();
            let p = stress.contract(&gradient.scale(s)) / 3.0;
            total += weight * p;
            let net = stress.scale(s) - cofactor.scale(p / j);
            E::spread(point, &net.mul_transpose(&inverse).scale(weight).0, &mut f);
        }
        if self.energy {
            *self.total = energy.store();
        }
        middle.total = total.store();
        store_vectors(&mean_h, &mut middle.mean_h);
        if self.gradient {
            for a in 0..N {
                for i in 0..3 {
                    f[a][i] += total * mean_h[a][i];
                }
            }
            scatter_vectors(&f, self.nodes, self.table);
        }
    }
}

/// Stress and ∂P/∂F at one point to blocks.
struct Stiffen<'a, E, const N: usize> {
    q: usize,
    geometry: &'a Geometry,
    middle: &'a Middle<N>,
    /// Blocks between the unit gradients.
    tensor: &'a [Nine; 9],
    wanted: Wanted,
    linear: bool,
    symmetric: bool,
    blocks: &'a mut [Nine],
    element: PhantomData<E>,
}

impl<E: Element<3, N>, const N: usize> Kernel for Stiffen<'_, E, N> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pack>(self) {
        let Self { q, geometry, middle, tensor, wanted, linear, symmetric, blocks, .. } = self;
        let third = 1.0 / 3.0;
        let scale = wanted.weight.abs();
        // Without the parts that are not from A where the tangent is projected, or the strain linear.
        let keep = if wanted.project || linear { 0.0 } else { 1.0 };
        let (inverse, weight) = load_geometry::<P>(geometry);
        let gradient = load_matrix::<P>(&middle.gradients[q]);
        let stress = load_matrix::<P>(&middle.stresses[q]);
        let total = P::load(&middle.total);
        let j = gradient.determinant();
        let s = (P::load(&middle.mean_j) / j).cbrt();
        let p = stress.contract(&gradient.scale(s)) / 3.0 * keep;
        let r = total * j / P::load(&middle.current) * keep;
        let w = weight * scale;
        // A : F and F : A, which differ only for laws without energy.
        let (mut along, mut before) = (Mat3::zero(), Mat3::zero());
        for k in 0..3 {
            for l in 0..3 {
                let block = load_matrix::<P>(&tensor[3 * k + l]);
                let right = block.mul_vec(gradient.column(l));
                let left = block.transpose_mul_vec(gradient.column(k));
                for i in 0..3 {
                    along.0[i][k] += right[i];
                    before.0[i][l] += left[i];
                }
            }
        }
        let s2 = s.square();
        let gamma = s2 * along.contract(&gradient) / 9.0 + p * third;
        let to_u = (along.scale(s2) + stress.scale(s * keep)).scale(P::splat(third));
        let to_t = (before.scale(s2) + stress.scale(s * keep)).scale(P::splat(third));
        let shape = E::physical_gradients(&E::POINTS[q], &inverse.0);
        let inverse_transposed = gradient.cofactor().scale(j.recip());
        let (mut h, mut d) = ([[P::zero(); 3]; N], [[P::zero(); 3]; N]);
        let (mut u, mut t) = ([[P::zero(); 3]; N], [[P::zero(); 3]; N]);
        for a in 0..N {
            h[a] = inverse_transposed.mul_vec(shape[a]);
            (u[a], t[a]) = (to_u.mul_vec(shape[a]), to_t.mul_vec(shape[a]));
            let mean: [P; 3] = load3(&middle.mean_h[a]);
            for i in 0..3 {
                d[a][i] = mean[i] - h[a][i];
            }
        }
        // Node 0 follows from the others.
        for a in 1..N {
            // Σ_m ∇N_a,m A_m·
            let mut rows = [Mat3::zero(); 3];
            for m in 0..3 {
                for l in 0..3 {
                    rows[l] += load_matrix::<P>(&tensor[3 * m + l]).scale(shape[a][m]);
                }
            }
            for b in if symmetric { a } else { 1 }..N {
                let [x, y, z] = shape[b];
                let of_law = rows[0].scale(x) + rows[1].scale(y) + rows[2].scale(z);
                let mut block = of_law.scale(s2);
                for i in 0..3 {
                    let gd = gamma * d[a][i] + u[a][i];
                    let (rh, ph) = (r * h[a][i], (p - r) * h[b][i]);
                    for k in 0..3 {
                        block.0[i][k] +=
                            gd * d[b][k] + d[a][i] * t[b][k] + rh * h[b][k] + ph * h[a][k];
                    }
                }
                let mut block = block.scale(w);
                let to = &mut blocks[Blocks::place(N - 1, !symmetric, a - 1, b - 1)];
                if q == 0 {
                    let once = total * (scale * keep);
                    let (ha, hb) = (load3(&middle.mean_h[a]), load3(&middle.mean_h[b]));
                    block -= Mat3::outer(ha, hb).scale(once);
                } else {
                    block += load_matrix(to);
                }
                store_matrix(&block, to);
            }
        }
    }
}
