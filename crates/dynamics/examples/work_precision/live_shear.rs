//! [`LiveShear`]: tractions along the sides of a body, which turn with them.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, cross, sub};
use pliant_forces::loads::TimeCurve;
use pliant_forces::{Ask, ForceError, ForceModel, State};

/// On each triangle the force ± p(t) z × s, s its area vector: it lies in the triangle as long as that is
/// upright, and turns with it. As the tractions are live, the tangent is not symmetric.
pub(crate) struct LiveShear {
    /// Vertices and sign of each triangle.
    pub(crate) faces: Vec<([u32; 3], f64)>,
    /// N/m² over time.
    pub(crate) curve: TimeCurve,
    places: Vec<u32>,
}

impl LiveShear {
    pub(crate) fn new(faces: Vec<([u32; 3], f64)>, curve: TimeCurve) -> Self {
        Self { faces, curve, places: Vec::new() }
    }

    fn add_scaled(&self, state: &State<'_>, pressure: f64, ask: &mut Ask<'_>) {
        for (face, (corners, sign)) in self.faces.iter().enumerate() {
            let x: [Vec3; 3] = corners.map(|v| state.x[v as usize]);
            // Each corner takes a third of p z × s, s = ½ (x₁ − x₀) × (x₂ − x₀); g is minus the force.
            let p = -sign * pressure / 6.0;
            let [nx, ny, _] = cross(sub(x[1], x[0]), sub(x[2], x[0]));
            for a in 0..3 {
                if let Some(gradient) = ask.gradient.as_deref_mut() {
                    let g = &mut gradient[corners[a] as usize];
                    *g = add_scaled(*g, [-ny, nx, 0.0], p);
                }
                if let Some(tangent) = ask.tangent.as_deref_mut() {
                    for b in 0..3 {
                        // ∂n/∂x_b = [x_{b+2} − x_{b+1}]×, its rows turned as n is.
                        let n = Mat3::cross_matrix(sub(x[(b + 2) % 3], x[(b + 1) % 3])).to_array();
                        let turned = [-n[3], -n[4], -n[5], n[0], n[1], n[2], 0.0, 0.0, 0.0];
                        let place = self.places[(face * 3 + a) * 3 + b] as usize;
                        for (to, from) in tangent[place].iter_mut().zip(turned) {
                            *to += p * ask.position_weight * from;
                        }
                    }
                }
            }
        }
    }
}

impl ForceModel for LiveShear {
    fn name(&self) -> &'static str {
        "live shear"
    }
    fn is_symmetric(&self) -> bool {
        false
    }
    fn has_energy(&self) -> bool {
        false
    }
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        for (face, _) in &self.faces {
            for &i in face {
                for &j in face {
                    couple(i, j);
                }
            }
        }
    }
    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        let pairs = |face: &[u32; 3]| {
            let face = *face;
            face.into_iter().flat_map(move |i| face.into_iter().map(move |j| (i, j)))
        };
        let places = self.faces.iter().flat_map(|(face, _)| pairs(face));
        self.places = places.map(|(i, j)| slot(i, j).0).collect();
    }
    fn add(&mut self, state: &State<'_>, ask: &mut Ask<'_>) -> Result<(), ForceError> {
        self.add_scaled(state, self.curve.value(state.time), ask);
        Ok(())
    }
    fn add_time_derivative(
        &self,
        state: &State<'_>,
        rates: &mut [Vec3],
    ) -> Result<bool, ForceError> {
        let mut ask = Ask { gradient: Some(rates), ..Ask::default() };
        self.add_scaled(state, self.curve.rate(state.time), &mut ask);
        Ok(true)
    }
    fn largest_step(&self, _: &State<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}
