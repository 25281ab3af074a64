//! [`Viscous`]: viscosity by the correspondence principle.

use std::marker::PhantomData;

use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::vec3::{Vec3, add, sub};
use pliant_elements::{Element, Point};

use crate::assembly::{Partition, stable_step};
use crate::cells::Cells;
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{accepted, not_negative};
use crate::slots::Slots;
use crate::solid::{ElementName, ElementVisitor, Parameters};
use crate::stencils::{Local, RestPoint, Stencils};
use crate::workspace::Workspace;

const NAME: &str = "viscous damping";

/// Hooke's law on the rate of Green's strain (Hauth 2.7 and appendix A.2), on elements E of N nodes:
/// P = F (dλ tr(Ė) I + 2 dμ Ė) with Ė = ½ (ḞᵀF + FᵀḞ).
///
/// Rigid motions have Ė = 0 and are not damped, however far the body has turned. The power
/// ∫ dλ tr²Ė + 2 dμ Ė:Ė is never negative for dμ ≥ 0 and 3 dλ + 2 dμ ≥ 0. ∂g/∂v is symmetric and
/// positive semi-definite, ∂g/∂x is not symmetric.
///
/// [`Ask::project`] leaves ∂g/∂x out.
#[derive(Debug)]
pub struct Viscous<E: Element<3, N>, const N: usize> {
    cells: Stencils<Cell<N>, N>,
    element: PhantomData<E>,
}

/// An element. Its shape gradients are computed anew each time: for elements with many points they
/// are more to read from memory than to compute.
#[derive(Debug, Clone, Copy)]
struct Cell<const N: usize> {
    /// Positions at rest, m.
    rest: [Vec3; N],
    /// dλ and dμ, Pa·s.
    lambda: f64,
    mu: f64,
}

impl<E: Element<3, N>, const N: usize> Viscous<E, N> {
    /// Damps all cells of the mesh, which is numbered by the user; the model itself works in the
    /// numbering of the partition. Parameters are dλ and dμ, Pa·s.
    pub fn new<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        _element: E,
        parameters: Parameters<'_>,
    ) -> Result<Self, ForceError> {
        if E::MEAN_DILATATION {
            return Err(ForceError::Unsupported(format!(
                "viscous damping has no mean dilatation, which {} elements need: use the plain element for it",
                E::NAME
            )));
        }
        if matches!(parameters, Parameters::PerPoint(_)) {
            return Err(ForceError::Unsupported(
                "viscous damping takes constants by element, not by point: give their means".into(),
            ));
        }
        let all = cells.into();
        all.check_nodes(E::NAME, N)?;
        parameters.check(&["dλ", "dμ"], all)?;
        let cells = Stencils::new(all, partition, false, |cell, rest| {
            let constants = parameters.of(all, cell, 2)?;
            let (lambda, mu) = (constants[0], constants[1]);
            not_negative(format_args!("viscous constants of element {cell}: dμ"), mu)?;
            accepted(
                format_args!("viscous constants of element {cell}: dλ"),
                lambda,
                |l| 3.0 * l + 2.0 * mu >= 0.0,
                "−2/3 dμ or more is needed, else energy would come from nowhere",
            )?;
            for point in E::POINTS {
                RestPoint::new::<E, 3>(cell, point, rest)?;
            }
            Ok(Some(Cell { rest: *rest, lambda, mu }))
        })?;
        Ok(Self { cells, element: PhantomData })
    }

    /// Power that the viscous forces take out of the motion, W; never negative.
    pub fn dissipation(
        &self,
        at: &Configuration<'_>,
        work: &mut Workspace,
    ) -> Result<f64, ForceError> {
        let mut power = 0.0;
        let mut ask = Ask { energy: Some(&mut power), ..Ask::default() };
        self.cells.add(NAME, [at.x, at.v], &mut ask, work, &|cell, [x, v], local| {
            for point in E::POINTS {
                local.energy += cell.rate::<E>(point, x, v).power(cell);
            }
        })?;
        Ok(power)
    }
}

/// Viscous damping on an element that is known by name.
pub fn viscous<'a>(
    cells: impl Into<Cells<'a>>,
    partition: &Partition,
    element: ElementName,
    parameters: Parameters<'_>,
) -> Result<Box<dyn ForceModel>, ForceError> {
    // Not generic, so that it is compiled in this crate alone.
    fn visit(element: ElementName, make: Make<'_>) -> Result<Box<dyn ForceModel>, ForceError> {
        element.visit(make)
    }
    struct Make<'a>(Cells<'a>, &'a Partition, Parameters<'a>);
    impl ElementVisitor for Make<'_> {
        type Output = Result<Box<dyn ForceModel>, ForceError>;
        fn visit<E: Element<3, N>, const N: usize>(self, element: E) -> Self::Output {
            Ok(Box::new(Viscous::new(self.0, self.1, element, self.2)?))
        }
    }
    visit(element, Make(cells.into(), partition, parameters))
}

/// F, Ḟ and the viscous S = dλ tr(Ė) I + 2 dμ Ė at a point that stands for a volume.
struct Rate<const N: usize> {
    n: [Vec3; N],
    volume: f64,
    f: Mat3<f64>,
    f_dot: Mat3<f64>,
    e_dot: Mat3<f64>,
    s: Mat3<f64>,
}

impl<const N: usize> Rate<N> {
    fn power(&self, cell: &Cell<N>) -> f64 {
        let trace = self.e_dot.trace();
        self.volume * (cell.lambda * trace * trace + 2.0 * cell.mu * self.e_dot.norm_squared())
    }
}

impl<const N: usize> Cell<N> {
    fn rate<E: Element<3, N>>(&self, point: &Point<3, N>, x: &[Vec3; N], v: &[Vec3; N]) -> Rate<N> {
        let jacobian = Mat3(E::jacobian(point, &self.rest));
        let inverse = jacobian.inverse();
        // Differences to the first node: what is common to all nodes takes no digits away.
        let f = Mat3(E::jacobian(point, &x.map(|p| sub(p, x[0])))) * inverse;
        let f_dot = Mat3(E::jacobian(point, &v.map(|p| sub(p, v[0])))) * inverse;
        let e_dot = f_dot.transpose_mul(&f).symmetric_part();
        let s = Mat3::identity().scale(self.lambda * e_dot.trace()) + e_dot.scale(2.0 * self.mu);
        let volume = point.weight * jacobian.determinant();
        Rate { n: E::physical_gradients(point, &inverse.0), volume, f, f_dot, e_dot, s }
    }

    /// Adds wx ∂g/∂x + wv ∂g/∂v at a point.
    fn add_tangent(&self, rate: &Rate<N>, (wx, wv): (f64, f64), local: &mut Local<N>) {
        let Rate { n, f, f_dot, s, .. } = rate;
        let (wx, wv) = (wx * rate.volume, wv * rate.volume);
        let fn_ = n.map(|n| f.mul_vec(n));
        // What multiplies δx and δv together: wv F + wx Ḟ stands for F in the inner place.
        let inner = f.scale(wv) + f_dot.scale(wx);
        let inner_n = n.map(|n| inner.mul_vec(n));
        let twice = f.mul_transpose(&inner).scale(self.mu);
        for a in 0..N {
            for b in 0..N {
                // δP ∇N_a for δF = u ∇N_bᵀ:
                //   dλ F∇N_a (Ḟ∇N_b)ᵀ + dμ (∇N_a·∇N_b F Ḟᵀ + F∇N_b (Ḟ∇N_a)ᵀ)
                //   + ∇N_a·S∇N_b I, and the same for δḞ with F for Ḟ, without S.
                let block = Mat3::outer(fn_[a], inner_n[b]).scale(self.lambda)
                    + twice.scale(dot(n[a], n[b]))
                    + Mat3::outer(fn_[b], inner_n[a]).scale(self.mu)
                    + Mat3::identity().scale(wx * dot(n[a], s.mul_vec(n[b])));
                for (sum, entry) in local.blocks[a][b].iter_mut().zip(block.to_array()) {
                    *sum += entry;
                }
            }
        }
    }
}

impl<E: Element<3, N>, const N: usize> ForceModel for Viscous<E, N> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn character(&self) -> Character {
        Character { symmetric: false, ..Character::DAMPING }
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
        let gradient = ask.gradient.is_some();
        let wx = if ask.project { 0.0 } else { ask.position_weight };
        let weights = ask.tangent.is_some().then_some((wx, ask.velocity_weight));
        // What there is of energy is for others to give.
        let mut own = Ask {
            gradient: ask.gradient.as_deref_mut(),
            tangent: ask.tangent.as_deref_mut(),
            ..Ask::default()
        };
        self.cells.add(NAME, [at.x, at.v], &mut own, work, &|cell, [x, v], local| {
            for point in E::POINTS {
                let rate = cell.rate::<E>(point, x, v);
                if gradient {
                    let p = (rate.f * rate.s).scale(rate.volume);
                    for a in 0..N {
                        local.gradient[a] = add(local.gradient[a], p.mul_vec(rate.n[a]));
                    }
                }
                if let Some(weights) = weights {
                    cell.add_tangent(&rate, weights, local);
                }
            }
        })
    }

    /// From rows of block norms of ∂g/∂v. It allocates.
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        let rate = self.cells.largest_row([at.x, at.v], mass, &|cell, [x, v], local| {
            for point in E::POINTS {
                cell.add_tangent(&cell.rate::<E>(point, x, v), (0.0, 1.0), local);
            }
        });
        stable_step(0.0, rate)
    }
}
