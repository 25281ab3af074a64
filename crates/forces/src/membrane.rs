//! [`Membrane`]: St. Venant-Kirchhoff in plane stress on surface elements.
//!
//! At a point of the rest surface let e₁ be the unit vector along ∂X/∂ξ₁ and e₂ the one across it within the surface:
//! the material axes, along the first edge of a flat triangle. With shape gradients n_a ∈ ℝ² in these axes,
//!
//! F = Σ x_a n_aᵀ (3 × 2), E = ½ (FᵀF − 1), S = λ* tr E 1 + 2 μ E,
//!
//! and energy per rest area h (½ λ* tr²E + μ E:E), where h is the thickness, μ = E/2(1+ν), and λ* = E ν/(1−ν²), which
//! is Lamé's λ after the stress across the surface was made zero. Then
//!
//! g_a = h A F S n_a and
//! K_ab = h A [ (n_a·S n_b) 1 + λ* F n_a (F n_b)ᵀ + μ (n_a·n_b F Fᵀ + F n_b (F n_a)ᵀ) ].

use std::marker::PhantomData;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, normalized, scale, sub};
use pliant_elements::{Element, Point, measure};

use crate::assembly::{Partition, stable_step};
use crate::cells::Cells;
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{accepted, positive};
use crate::slots::Slots;
use crate::solid::Parameters;
use crate::stencils::{Local, RestPoint, Stencils};
use crate::workspace::Workspace;

const NAME: &str = "membrane";
const PARAMETERS: [&str; 3] = ["young", "poisson", "thickness"];

type Vec2 = [f64; 2];
/// Symmetric 2 × 2: xx, yy, xy.
type Sym2 = [f64; 3];

/// A membrane of elements E with N nodes. It resists stretch and shear within the surface, and nothing else: bending is
/// free, and so is a flat membrane without tension, to first order, where it moves out of its plane.
///
/// [`Ask::project`] leaves out the compressive part of S in the first term of K: all that is left is positive
/// semi-definite, and where the membrane is in tension nothing changes.
#[derive(Debug)]
pub struct Membrane<E: Element<2, N>, const N: usize> {
    cells: Stencils<Cell<N>, N>,
    element: PhantomData<E>,
}

/// An element. Shape gradients are computed anew each time: they take little, and curved elements have many.
#[derive(Debug, Clone, Copy)]
struct Cell<const N: usize> {
    /// Positions at rest, m.
    rest: [Vec3; N],
    /// h λ* and h μ, N/m.
    lambda: f64,
    mu: f64,
}

/// A point of an element in some configuration.
struct Stretched<const N: usize> {
    /// n_a, 1/m.
    n: [Vec2; N],
    /// Rest area, m².
    area: f64,
    /// F n_a.
    fn_: [Vec3; N],
    /// The columns of F.
    f: [Vec3; 2],
    /// E, and h S (N/m).
    strain: Sym2,
    stress: Sym2,
}

impl<E: Element<2, N>, const N: usize> Membrane<E, N> {
    /// Elements on all cells, which are numbered by the user; the model itself works in the numbering of the
    /// partition. Parameters are Young's modulus (Pa), Poisson's ratio and thickness (m).
    pub fn new<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        _element: E,
        parameters: Parameters<'_>,
    ) -> Result<Self, ForceError> {
        let all = cells.into();
        all.check_nodes(E::NAME, N)?;
        if matches!(parameters, Parameters::PerPoint(_)) {
            return Err(ForceError::Unsupported(
                "a membrane takes constants by element, not by point: give their means".into(),
            ));
        }
        parameters.check(&PARAMETERS, all)?;
        let cells = Stencils::new(all, partition, true, |cell, rest| {
            let constants = parameters.of(all, cell, PARAMETERS.len())?;
            let what = |k: usize| format!("membrane: {} of element {cell}", PARAMETERS[k]);
            let young = positive(what(0), constants[0])?;
            let inside = |nu: f64| -1.0 < nu && nu < 1.0;
            let poisson = accepted(what(1), constants[1], inside, "between −1 and 1")?;
            let thickness = positive(what(2), constants[2])?;
            for point in E::POINTS {
                RestPoint::new::<E, 2>(cell, point, rest)?;
            }
            Ok(Some(Cell {
                rest: *rest,
                lambda: thickness * young * poisson / (1.0 - poisson * poisson),
                mu: thickness * young / (2.0 * (1.0 + poisson)),
            }))
        })?;
        Ok(Self { cells, element: PhantomData })
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.cells.len()
    }

    /// Returns the tensions h S of every element, N/m of rest length, as tensors in the rest surface, with its number as
    /// the user counts cells, in that order: means over its points by their rest areas. `x` in the numbering of the
    /// system.
    pub fn tensions(&self, x: &[Vec3]) -> Result<Vec<(u32, Mat3<f64>)>, ForceError> {
        crate::parameter::length("positions", x.len(), self.cells.vertices())?;
        let mut all = Vec::with_capacity(self.cells.len());
        self.cells.each(|cell, nodes, data| {
            let here = nodes.map(|v| x[v as usize]);
            let (mut sum, mut area) = (Mat3::zero(), 0.0);
            for point in E::POINTS {
                let [e1, e2] = axes(&E::jacobian(point, &data.rest));
                let at = data.stretch::<E>(point, &here);
                let [xx, yy, xy] = at.stress;
                sum += (Mat3::outer(e1, e1).scale(xx)
                    + Mat3::outer(e2, e2).scale(yy)
                    + (Mat3::outer(e1, e2) + Mat3::outer(e2, e1)).scale(xy))
                .scale(at.area);
                area += at.area;
            }
            all.push((cell as u32, sum.scale(1.0 / area)));
        });
        all.sort_unstable_by_key(|entry| entry.0);
        Ok(all)
    }
}

/// e₁ and e₂ of a point with this ∂X/∂ξ, which has an area.
fn axes(jacobian: &[[f64; 2]; 3]) -> [Vec3; 2] {
    let [a, b] = columns(jacobian);
    let e1 = normalized(a).unwrap_or_default();
    let normal = normalized(cross(a, b)).unwrap_or_default();
    [e1, cross(normal, e1)]
}

fn columns(jacobian: &[[f64; 2]; 3]) -> [Vec3; 2] {
    [0, 1].map(|j| jacobian.map(|row| row[j]))
}

impl<const N: usize> Cell<N> {
    fn stretch<E: Element<2, N>>(&self, point: &Point<2, N>, x: &[Vec3; N]) -> Stretched<N> {
        let jacobian = E::jacobian(point, &self.rest);
        let [e1, e2] = axes(&jacobian);
        let [a, b] = columns(&jacobian);
        // ∂X/∂ξ in the material axes is upper triangular, as e₁ is along its first column.
        let (j11, j12, j22) = (dot(e1, a), dot(e1, b), dot(e2, b));
        let n = point.gradients.map(|[p, q]| {
            let first = p / j11;
            [first, (q - j12 * first) / j22]
        });
        // Differences to the first node: what is common to all nodes takes no digits away.
        let mut f = [[0.0; 3]; 2];
        for k in 1..N {
            let d = sub(x[k], x[0]);
            f = [add_scaled(f[0], d, n[k][0]), add_scaled(f[1], d, n[k][1])];
        }
        let strain =
            [0.5 * (dot(f[0], f[0]) - 1.0), 0.5 * (dot(f[1], f[1]) - 1.0), 0.5 * dot(f[0], f[1])];
        let volumetric = self.lambda * (strain[0] + strain[1]);
        let stress = [
            volumetric + 2.0 * self.mu * strain[0],
            volumetric + 2.0 * self.mu * strain[1],
            2.0 * self.mu * strain[2],
        ];
        let fn_ = n.map(|n| add_scaled(scale(f[0], n[0]), f[1], n[1]));
        Stretched { n, area: point.weight * measure(&jacobian), fn_, f, strain, stress }
    }

    fn energy(&self, at: &Stretched<N>) -> f64 {
        let [xx, yy, xy] = at.strain;
        let trace = xx + yy;
        let square = xx * xx + yy * yy + 2.0 * xy * xy;
        at.area * (0.5 * self.lambda * trace * trace + self.mu * square)
    }

    fn add_tangent(&self, at: &Stretched<N>, (weight, project): (f64, bool), local: &mut Local<N>) {
        let Stretched { n, fn_, f, .. } = at;
        let stress = if project { positive_part(at.stress) } else { at.stress };
        let w = weight * at.area;
        let left = Mat3::outer(f[0], f[0]) + Mat3::outer(f[1], f[1]);
        for a in 0..N {
            for b in a..N {
                let sn = times(stress, n[b]);
                let geometric = n[a][0] * sn[0] + n[a][1] * sn[1];
                let both = n[a][0] * n[b][0] + n[a][1] * n[b][1];
                let block = Mat3::diagonal([geometric; 3])
                    + Mat3::outer(fn_[a], fn_[b]).scale(self.lambda)
                    + (left.scale(both) + Mat3::outer(fn_[b], fn_[a])).scale(self.mu);
                local.add_block(a, b, &block.scale(w));
            }
        }
    }
}

fn times([xx, yy, xy]: Sym2, [x, y]: Vec2) -> Vec2 {
    [xx * x + xy * y, xy * x + yy * y]
}

/// The tensor without its negative eigenvalues.
fn positive_part([xx, yy, xy]: Sym2) -> Sym2 {
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let radius = half.hypot(xy);
    let (high, low) = ((mean + radius).max(0.0), (mean - radius).max(0.0));
    if radius == 0.0 {
        return [high, high, 0.0];
    }
    // (high + low)/2 1 + (high − low)/2 times the deviator of radius 1.
    let (mean, size) = (0.5 * (high + low), 0.5 * (high - low) / radius);
    [mean + size * half, mean - size * half, size * xy]
}

impl<E: Element<2, N>, const N: usize> ForceModel for Membrane<E, N> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn character(&self) -> Character {
        Character::POTENTIAL
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.cells.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.cells.bind(slots)
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let how = (ask.position_weight, ask.project);
        let tangent = ask.tangent.is_some();
        self.cells.add(NAME, [at.x], ask, work, &|cell, [x], local| {
            for point in E::POINTS {
                let here = cell.stretch::<E>(point, x);
                local.energy += cell.energy(&here);
                for a in 0..N {
                    // F S n_a
                    let sn = times(here.stress, here.n[a]);
                    let g = add_scaled(scale(here.f[0], sn[0]), here.f[1], sn[1]);
                    local.gradient[a] = add_scaled(local.gradient[a], g, here.area);
                }
                if tangent {
                    cell.add_tangent(&here, how, local);
                }
            }
        })
    }

    /// 2/ω with ω² bounded by rows of block norms. It allocates.
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        let omega_squared = self.cells.largest_row([at.x], mass, &|cell, [x], local| {
            for point in E::POINTS {
                cell.add_tangent(&cell.stretch::<E>(point, x), (1.0, false), local);
            }
        });
        stable_step(omega_squared, 0.0)
    }
}
