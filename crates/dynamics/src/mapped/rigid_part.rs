//! [`RigidPart`]: vertices that move as one rigid body.
//!
//! Its six unknowns are the translation of its centre of mass and a rotation vector, both counted from a pose that the
//! first guess of a solve has; the latter times a length of the part, so that both are in metres. Positions are always
//! pose · rest shape, and the pose is found anew from positions at every start: nothing drifts, and nothing but
//! positions need be kept.

use pliant_algebra::eigen3::eigen3;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::polar3::rotation3;
use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, lerp, norm, scale, sub};
use pliant_solvers::sums;

use super::rotation::Rotation;
use crate::DynamicsError;

/// A part is on a line where its smallest moment of inertia is below this part of its largest.
const LINE: f64 = 1e-10;

#[derive(Debug, Clone)]
pub(super) struct RigidPart {
    pub(super) vertices: Vec<u32>,
    /// Its translation; the rotation is the block after it.
    pub(super) block: u32,
    /// kg, or 1 where nothing has mass.
    masses: Vec<f64>,
    mass: f64,
    /// Rest shape about its centre of mass.
    arms: Vec<Vec3>,
    /// Root mean square of the arms, m.
    length: f64,
    /// Of the solve under way: arms in the pose that unknowns are counted from, in the pose at the start of the step,
    /// and where vertices are in the former, less the base.
    reference: Vec<Vec3>,
    start: Vec<Vec3>,
    offsets: Vec<Vec3>,
    share: f64,
    /// Of the last tangent: ∂x/∂θ of each vertex and the virtual displacements, per length.
    pub(super) trial: Vec<Mat3<f64>>,
    pub(super) test: Vec<Mat3<f64>>,
}

impl RigidPart {
    pub(super) fn new(
        vertices: &[u32],
        rest: &[Vec3],
        masses: impl Fn(usize) -> f64,
    ) -> Result<Self, DynamicsError> {
        let n = vertices.len();
        let x: Vec<Vec3> = vertices.iter().map(|&v| rest[v as usize]).collect();
        let mut weights: Vec<f64> = vertices.iter().map(|&v| masses(v as usize)).collect();
        if weights.iter().any(|m| *m <= 0.0) {
            weights.fill(1.0);
        }
        let mass: f64 = weights.iter().sum();
        let pairs = || x.iter().zip(&weights);
        let centre =
            scale(pairs().fold([0.0; 3], |sum, (&x, &m)| add_scaled(sum, x, m)), 1.0 / mass);
        let arms: Vec<Vec3> = x.iter().map(|&x| sub(x, centre)).collect();
        let mut part = Self {
            vertices: vertices.to_vec(),
            block: 0,
            masses: weights,
            mass,
            length: 1.0,
            reference: arms.clone(),
            start: arms.clone(),
            offsets: vec![[0.0; 3]; n],
            share: 1.0,
            trial: vec![Mat3::identity(); n],
            test: vec![Mat3::identity(); n],
            arms,
        };
        let inertia = part.inertia(&part.arms);
        let [a, b, c] = eigen3(&inertia).values;
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        if n < 3 || least.is_nan() || least <= LINE * most {
            return Err(DynamicsError::Unsupported(format!(
                "a rigid part of {n} vertices that are on a line has no pose: select three vertices or more that are not on a line"
            )));
        }
        part.length = (0.5 * inertia.trace() / mass).sqrt();
        Ok(part)
    }

    /// Number of vertices.
    pub(super) fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Σ m (|a|² − a aᵀ)
    fn inertia(&self, arms: &[Vec3]) -> Mat3<f64> {
        let mut sum = Mat3::zero();
        for (&a, &m) in arms.iter().zip(&self.masses) {
            let turn = Mat3::cross_matrix(a);
            sum += turn.mul_transpose(&turn).scale(m);
        }
        sum
    }

    /// Centre and rotation of the pose nearest to positions of its vertices, in the mean of squares by mass.
    fn pose(&self, at: impl Fn(usize) -> Vec3) -> (Vec3, Mat3<f64>) {
        let mut centre = [0.0; 3];
        for (k, &m) in self.masses.iter().enumerate() {
            centre = add_scaled(centre, at(k), m / self.mass);
        }
        let mut moment = Mat3::zero();
        for (k, (&arm, &m)) in self.arms.iter().zip(&self.masses).enumerate() {
            moment += Mat3::outer(scale(sub(at(k), centre), m), arm);
        }
        (centre, rotation3(&moment))
    }

    /// Begins a solve from the pose nearest to `guess`, with forces at a share of the way from the pose nearest to `start`.
    pub(super) fn begin(&mut self, start: &[Vec3], base: &[Vec3], guess: &[Vec3], share: f64) {
        let v = |k: usize| self.vertices[k] as usize;
        let (centre, rotation) = self.pose(|k| add(base[v(k)], guess[v(k)]));
        let before = (share != 1.0).then(|| self.pose(|k| start[v(k)]).1);
        self.share = share;
        for k in 0..self.len() {
            let i = self.vertices[k] as usize;
            self.reference[k] = rotation.mul_vec(self.arms[k]);
            self.offsets[k] = sub(add(centre, self.reference[k]), base[i]);
            if let Some(before) = &before {
                self.start[k] = before.mul_vec(self.arms[k]);
            }
        }
    }

    fn rotation(&self, q: &[f64]) -> Rotation {
        Rotation::new(std::array::from_fn(|k| q[3 * (self.block as usize + 1) + k] / self.length))
    }

    fn translation(&self, q: &[f64]) -> Vec3 {
        std::array::from_fn(|k| q[3 * self.block as usize + k])
    }

    /// Deviations of its vertices.
    pub(super) fn deviations(&self, q: &[f64], y: &mut [Vec3]) {
        let (by, rotation) = (self.translation(q), self.rotation(q));
        for (k, &v) in self.vertices.iter().enumerate() {
            y[v as usize] = add(self.offsets[k], add(by, rotation.change(self.reference[k])));
        }
    }

    /// ∂x/∂θ and virtual displacements of all vertices, per length, into `trial` and `test`.
    pub(super) fn linearize(&mut self, q: &[f64]) {
        let rotation = self.rotation(q);
        let turn = rotation.jacobian().scale(-1.0 / self.length);
        for k in 0..self.len() {
            let arm = add(self.reference[k], rotation.change(self.reference[k]));
            self.trial[k] = Mat3::cross_matrix(arm) * turn;
            self.test[k] = if self.share == 1.0 {
                self.trial[k]
            } else {
                let between = lerp(self.start[k], arm, self.share);
                Mat3::cross_matrix(between).scale(-1.0 / self.length)
            };
        }
    }

    /// dx = B dq, after [`RigidPart::linearize`].
    pub(super) fn push(&self, dq: &[f64], dx: &mut [Vec3]) {
        let by = self.translation(dq);
        let turn = std::array::from_fn(|k| dq[3 * (self.block as usize + 1) + k]);
        for (&v, trial) in self.vertices.iter().zip(&self.trial) {
            dx[v as usize] = add(by, trial.mul_vec(turn));
        }
    }

    /// Bᵀ r of its own six unknowns, after [`RigidPart::linearize`].
    pub(super) fn pull(&self, r: &[Vec3], to: &mut [f64]) {
        let at = 3 * self.block as usize;
        let sums: [f64; 6] = sums::over(self.len(), &|range| {
            let (mut force, mut moment) = ([0.0; 3], [0.0; 3]);
            for k in range {
                let r = r[self.vertices[k] as usize];
                force = add(force, r);
                moment = add(moment, self.test[k].transpose_mul_vec(r));
            }
            [force[0], force[1], force[2], moment[0], moment[1], moment[2]]
        });
        to[at..at + 6].copy_from_slice(&sums);
    }

    /// Σ r ∂²x/∂q² of the rotation. Where forces are those of a mean of start and end it is the derivative of the virtual
    /// displacements s (Σ a rᵀ − Σ a·r) T instead, which is not symmetric.
    pub(super) fn second_order(&self, q: &[f64], r: &[Vec3]) -> Mat3<f64> {
        let rotation = self.rotation(q);
        let moment = |arm: &dyn Fn(usize) -> Vec3| {
            let mut sum = Mat3::zero();
            for (k, &v) in self.vertices.iter().enumerate() {
                sum += Mat3::outer(arm(k), r[v as usize]);
            }
            sum
        };
        let square = 1.0 / (self.length * self.length);
        if self.share == 1.0 {
            return rotation.hessian(&moment(&|k| self.reference[k])).scale(square);
        }
        let s = moment(&|k| add(self.reference[k], rotation.change(self.reference[k])));
        let turned = (s + Mat3::identity().scale(-s.trace())) * rotation.jacobian();
        turned.scale(self.share * square)
    }

    /// Brings its vertices to the nearest pose, and their velocities and accelerations to those of a rigid motion with
    /// the same linear and angular momentum and the same rates of both: v = v_c + ω×a, with I ω the angular momentum, and
    /// acceleration α×a + ω×(ω×a) about the centre with I α + ω×Iω = Σ a × m a_i.
    pub(super) fn settle(
        &mut self,
        x: &mut [Vec3],
        v: Option<&mut [Vec3]>,
        a: Option<&mut [Vec3]>,
    ) {
        let (centre, rotation) = self.pose(|k| x[self.vertices[k] as usize]);
        for (arm, (&i, &rest)) in self.start.iter_mut().zip(self.vertices.iter().zip(&self.arms)) {
            *arm = rotation.mul_vec(rest);
            x[i as usize] = add(centre, *arm);
        }
        let inertia = self.inertia(&self.start);
        let inverse = inertia.inverse();
        let mut spin = [0.0; 3];
        let mean_and_moment = |list: &[Vec3]| {
            let (mut mean, mut moment) = ([0.0; 3], [0.0; 3]);
            for (k, &i) in self.vertices.iter().enumerate() {
                let share = scale(list[i as usize], self.masses[k]);
                mean = add_scaled(mean, share, 1.0 / self.mass);
                moment = add(moment, cross(self.start[k], share));
            }
            (mean, moment)
        };
        if let Some(v) = v {
            let (mean, moment) = mean_and_moment(v);
            spin = inverse.mul_vec(moment);
            for (&i, &arm) in self.vertices.iter().zip(&self.start) {
                v[i as usize] = add(mean, cross(spin, arm));
            }
        }
        if let Some(a) = a {
            let (mean, moment) = mean_and_moment(a);
            let turn = inverse.mul_vec(sub(moment, cross(spin, inertia.mul_vec(spin))));
            for (&i, &arm) in self.vertices.iter().zip(&self.start) {
                let centripetal = cross(spin, cross(spin, arm));
                a[i as usize] = add(mean, add(cross(turn, arm), centripetal));
            }
        }
    }

    /// The norm of the largest column of B.
    pub(super) fn gain(&self) -> f64 {
        let longest = self.arms.iter().map(|&a| norm(a)).fold(0.0, f64::max);
        (self.len() as f64).sqrt() * (longest / self.length).max(1.0)
    }
}
