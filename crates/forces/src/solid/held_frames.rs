//! Corotated solids whose frames are held at another configuration.
//!
//! With R constant the law is linear: W is Hooke's energy of ε = sym(RᵀF) − I. As sym(F Rᵀ) = R sym(RᵀF) Rᵀ, Hooke's law
//! at F Rᵀ with the turned shape gradients R ∇N gives the same energy and the same blocks, and a stress P̂ with
//! P = P̂ R (Kharevych 2.2.3).

use pliant_algebra::lanes::LANES;
use pliant_algebra::mat3::Mat3;
use pliant_elements::Element;
use pliant_materials::PointLaw;
use pliant_materials::eight::{MOST_PARAMETERS, Nine};
use pliant_materials::linear::Linear;

use super::chunk::{ChunkWork, Elements};

/// Takes the place of a corotated law where frames are held; λ and μ are its first two parameters, as of all of
/// them.
pub(super) static HOOKE: &(dyn PointLaw + Sync) = &Linear;

fn lane(from: &Nine, l: usize) -> Mat3<f64> {
    Mat3::from_array(std::array::from_fn(|k| from[k].0[l]))
}

fn put(m: &Mat3<f64>, to: &mut Nine, l: usize) {
    for (k, value) in m.to_array().into_iter().enumerate() {
        to[k].0[l] = value;
    }
}

impl<const N: usize> Elements<N> {
    /// Frames of eight elements at a point, from the table of held positions; turns F and the shape gradients
    /// into them.
    pub(super) fn turn_into_frames<E: Element<3, N>>(
        &self,
        table: &mut ChunkWork<N>,
        law: &dyn PointLaw,
        q: usize,
        pack: usize,
    ) -> [Mat3<f64>; LANES] {
        let (point, geometry) = (&E::POINTS[q], &self.geometry[pack * E::POINTS.len() + q]);
        let parameters = &self.parameters[self.layout.at(pack, q)];
        let mut frames = [Mat3::identity(); LANES];
        for (l, frame) in frames.iter_mut().enumerate() {
            let at = std::array::from_fn(|a| {
                let [x, y, z, _] = table.frames[self.nodes[pack * N + a][l] as usize].0;
                [x, y, z]
            });
            let inverse = Mat3::from_array(std::array::from_fn(|k| geometry[k].0[l]));
            let mut p = [0.0; MOST_PARAMETERS];
            for (p, values) in p.iter_mut().zip(parameters) {
                *p = values.0[l];
            }
            let held = Mat3(E::jacobian(point, &at)) * inverse;
            *frame = law.frame(&p[..parameters.len()], &held).unwrap_or_else(Mat3::identity);
            let scratch = &mut table.scratch;
            let f = lane(&scratch.gradient, l);
            put(&f.mul_transpose(frame), &mut scratch.gradient, l);
            for shape in &mut scratch.shapes {
                let turned = frame.mul_vec([shape[0].0[l], shape[1].0[l], shape[2].0[l]]);
                for k in 0..3 {
                    shape[k].0[l] = turned[k];
                }
            }
        }
        frames
    }
}

/// P = P̂ R
pub(super) fn turn_stress(frames: &[Mat3<f64>; LANES], stress: &mut Nine) {
    for (l, frame) in frames.iter().enumerate() {
        let p = lane(stress, l) * *frame;
        put(&p, stress, l);
    }
}
