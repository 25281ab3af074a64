//! [`ViscousTets`]: viscosity by the correspondence principle.

use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::vec3::{Vec3, add_scaled, norm_squared, sub};
use pliant_mesh::cell::CellType;
use pliant_mesh::volume::{VolumeMesh, tet_volume};

use crate::model::{Ask, ForceError, ForceModel, State};
use crate::parameter::{accepted, finite_vertex, length, not_negative, positive, state_length};
use crate::places::{Places, couple_all, stable_step};

/// Hooke's law on the rate of Green's strain (Hauth 2.7 and appendix A.2), on four-node tetrahedra:
/// P = F (dλ tr(Ė) I + 2 dμ Ė) with Ė = ½ (ḞᵀF + FᵀḞ).
///
/// Rigid motions have Ė = 0 and are not damped, however far the body has turned. The power
/// vol (dλ tr²Ė + 2 dμ Ė:Ė) is never negative for dμ ≥ 0 and 3 dλ + 2 dμ ≥ 0. ∂g/∂v is symmetric and
/// positive semi-definite, ∂g/∂x is not symmetric.
///
/// [`Ask::project`] leaves ∂g/∂x out.
#[derive(Debug, Clone)]
pub struct ViscousTets {
    cells: Vec<[u32; 4]>,
    elements: Vec<Element>,
    vertex_count: usize,
    places: Places,
}

#[derive(Debug, Clone, Copy)]
struct Element {
    /// ∇N of each node at rest, 1/m.
    gradients: [Vec3; 4],
    /// At rest, m³.
    volume: f64,
    /// dλ and dμ, Pa·s.
    lambda: f64,
    mu: f64,
}

impl ViscousTets {
    /// Viscous constants [dλ, dμ] in Pa·s, one pair for all cells or one for each.
    pub fn new(mesh: &VolumeMesh, constants: &[[f64; 2]]) -> Result<Self, ForceError> {
        if mesh.cell_type != CellType::Tet4 {
            return Err(ForceError::Unsupported(format!(
                "viscous damping serves tet4 meshes, not {}",
                mesh.cell_type
            )));
        }
        if constants.len() != 1 {
            let what = "viscous constants (one pair, or one for each cell)";
            length(what, constants.len(), mesh.cell_count())?;
        }
        for (i, &[lambda, mu]) in constants.iter().enumerate() {
            not_negative(format_args!("viscous constants {i}: dμ"), mu)?;
            accepted(
                format_args!("viscous constants {i}: dλ"),
                lambda,
                |l| l.is_finite() && 3.0 * l + 2.0 * mu >= 0.0,
                "a finite number of −2/3 dμ or more is needed, else energy would come from nowhere",
            )?;
        }
        let mut model = Self {
            cells: Vec::with_capacity(mesh.cell_count()),
            elements: Vec::with_capacity(mesh.cell_count()),
            vertex_count: mesh.vertex_count(),
            places: Places::default(),
        };
        for index in 0..mesh.cell_count() {
            let cell = mesh.tet(index);
            let rest = cell.map(|v| mesh.vertices[v as usize]);
            let volume = positive(format_args!("volume of element {index}"), tet_volume(rest))?;
            let edges = Mat3::from_columns(
                sub(rest[1], rest[0]),
                sub(rest[2], rest[0]),
                sub(rest[3], rest[0]),
            );
            let [b, c, d] = edges.inverse().0;
            let a = [0, 1, 2].map(|k| -(b[k] + c[k] + d[k]));
            let [lambda, mu] = constants[index.min(constants.len() - 1)];
            model.cells.push(cell);
            model.elements.push(Element { gradients: [a, b, c, d], volume, lambda, mu });
        }
        Ok(model)
    }

    /// Power that the viscous forces take out of the motion, W; never negative.
    pub fn dissipation(&self, state: &State<'_>) -> Result<f64, ForceError> {
        state_length(self.name(), state, self.vertex_count)?;
        let mut power = 0.0;
        for (cell, element) in self.cells.iter().zip(&self.elements) {
            power += element.rate(cell, state)?.power(element);
        }
        Ok(power)
    }
}

/// F, Ḟ and the viscous S = dλ tr(Ė) I + 2 dμ Ė of an element.
struct Rate {
    f: Mat3<f64>,
    f_dot: Mat3<f64>,
    e_dot: Mat3<f64>,
    s: Mat3<f64>,
}

impl Rate {
    fn power(&self, element: &Element) -> f64 {
        let trace = self.e_dot.trace();
        element.volume
            * (element.lambda * trace * trace + 2.0 * element.mu * self.e_dot.norm_squared())
    }
}

impl Element {
    fn rate(&self, cell: &[u32; 4], state: &State<'_>) -> Result<Rate, ForceError> {
        let (mut f, mut f_dot) = (Mat3::zero(), Mat3::zero());
        // Differences to the first node: what is common to all nodes takes no digits away.
        let (x0, v0) = finite_vertex(state, cell[0])?;
        for (&node, &gradient) in cell.iter().zip(&self.gradients).skip(1) {
            let (x, v) = finite_vertex(state, node)?;
            f += Mat3::outer(sub(x, x0), gradient);
            f_dot += Mat3::outer(sub(v, v0), gradient);
        }
        let e_dot = f_dot.transpose_mul(&f).symmetric_part();
        let s = Mat3::identity().scale(self.lambda * e_dot.trace()) + e_dot.scale(2.0 * self.mu);
        Ok(Rate { f, f_dot, e_dot, s })
    }
}

impl ForceModel for ViscousTets {
    fn name(&self) -> &'static str {
        "viscous damping"
    }

    fn is_symmetric(&self) -> bool {
        false
    }

    fn has_energy(&self) -> bool {
        false
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.cells.iter().for_each(|cell| couple_all(cell, false, couple));
    }

    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        self.places = Places::bind(self.cells.iter().map(<[u32; 4]>::as_slice), slot);
    }

    fn add(&mut self, state: &State<'_>, ask: &mut Ask<'_>) -> Result<(), ForceError> {
        state_length(self.name(), state, self.vertex_count)?;
        if ask.tangent.is_some() {
            self.places.check(self.name(), 16 * self.cells.len(), false)?;
        }
        for (index, (cell, element)) in self.cells.iter().zip(&self.elements).enumerate() {
            let rate = element.rate(cell, state)?;
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                let p = (rate.f * rate.s).scale(element.volume);
                for (&v, &n) in cell.iter().zip(&element.gradients) {
                    gradient[v as usize] = add_scaled(gradient[v as usize], p.mul_vec(n), 1.0);
                }
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                let wx = if ask.project { 0.0 } else { ask.position_weight * element.volume };
                let wv = ask.velocity_weight * element.volume;
                let Element { lambda, mu, gradients: n, .. } = element;
                let fn_ = n.map(|n| rate.f.mul_vec(n));
                // What multiplies δx and δv together: wv F + wx Ḟ stands for F in the inner place.
                let inner = rate.f.scale(wv) + rate.f_dot.scale(wx);
                let inner_n = n.map(|n| inner.mul_vec(n));
                let twice = rate.f.mul_transpose(&inner).scale(*mu);
                for a in 0..4 {
                    for b in 0..4 {
                        self.places.add(tangent, (index * 4 + a) * 4 + b, || {
                            // δP ∇N_a for δF = u ∇N_bᵀ:
                            //   dλ F∇N_a (Ḟ∇N_b)ᵀ + dμ (∇N_a·∇N_b F Ḟᵀ + F∇N_b (Ḟ∇N_a)ᵀ)
                            //   + ∇N_a·S∇N_b I, and the same for δḞ with F for Ḟ, without S.
                            let block = Mat3::outer(fn_[a], inner_n[b]).scale(*lambda)
                                + twice.scale(dot(n[a], n[b]))
                                + Mat3::outer(fn_[b], inner_n[a]).scale(*mu);
                            let geometric = wx * dot(n[a], rate.s.mul_vec(n[b]));
                            (block + Mat3::identity().scale(geometric)).to_array()
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// The rate of an element's velocity tangent is at most vol (dλ⁺ + 2 dμ) |F|² Σ|∇N|²; rows add up
    /// what elements at a vertex bring.
    fn largest_step(&self, state: &State<'_>, mass: &[f64]) -> f64 {
        let mut rows = vec![0.0; self.vertex_count];
        for (cell, element) in self.cells.iter().zip(&self.elements) {
            let Ok(rate) = element.rate(cell, state) else {
                return 0.0;
            };
            let modulus = element.lambda.max(0.0) + 2.0 * element.mu;
            let size = element.volume * modulus * rate.f.norm_squared();
            let sizes = element.gradients.map(|n| norm_squared(n).sqrt());
            let total: f64 = sizes.iter().sum();
            for (&v, own) in cell.iter().zip(sizes) {
                rows[v as usize] += size * own * total;
            }
        }
        let largest = rows
            .iter()
            .zip(mass)
            .map(|(row, mass)| if *row > 0.0 { row / mass } else { 0.0 })
            .fold(0.0, f64::max);
        stable_step(0.0, largest)
    }
}
