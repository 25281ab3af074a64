//! [`DeadLoad`]: forces that keep their direction whatever the body does.

use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, is_finite, norm, scale, sub};
use pliant_mesh::cell::{CellType, HEX_CORNERS};
use pliant_mesh::volume::{VolumeMesh, hex_jacobian};

use super::curve::{TimeCurve, curve_factor};
use super::pressure::{Faces, QUAD_POINTS, quad_shape};
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{finite_vector, length, not_negative, state_length, vertices};
use crate::slots::Slots;
use crate::workspace::Workspace;

/// Constant nodal forces f (N), times a curve c(t): Π = −c(t) Σ f·(x − rest), g = −c(t) f. It has
/// no tangent.
#[derive(Debug, Clone)]
pub struct DeadLoad {
    name: String,
    loaded: Vec<u32>,
    forces: Vec<Vec3>,
    rest: Vec<Vec3>,
    curve: TimeCurve,
}

impl DeadLoad {
    /// Forces on all vertices, N; vertices without force cost nothing later.
    pub fn nodal(
        name: impl Into<String>,
        rest: &[Vec3],
        forces: &[Vec3],
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        let name = name.into();
        curve.check()?;
        length(format_args!("nodal forces of {name}"), forces.len(), rest.len())?;
        let mut load = Self { name, loaded: vec![], forces: vec![], rest: vec![], curve };
        for (v, (&x, &f)) in rest.iter().zip(forces).enumerate() {
            finite_vector(format_args!("{}: force on vertex {v}", load.name), f)?;
            if f != [0.0; 3] {
                load.loaded.push(v as u32);
                load.forces.push(f);
                load.rest.push(x);
            }
        }
        Ok(load)
    }

    /// Weight of vertex masses (kg) in a uniform field, m/s².
    pub fn gravity(
        rest: &[Vec3],
        masses: &[f64],
        acceleration: Vec3,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite_vector("gravity: acceleration", acceleration)?;
        length("vertex masses for gravity", masses.len(), rest.len())?;
        let mut forces = Vec::with_capacity(masses.len());
        for (v, &m) in masses.iter().enumerate() {
            forces.push(scale(acceleration, not_negative(format_args!("mass of vertex {v}"), m)?));
        }
        Self::nodal("gravity", rest, &forces, curve)
    }

    /// Forces on single vertices, N. Several on one vertex add up.
    pub fn points(
        rest: &[Vec3],
        loads: &[(u32, Vec3)],
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        let mut forces = vec![[0.0; 3]; rest.len()];
        for &(v, f) in loads {
            vertices("point load", &[v], rest.len())?;
            forces[v as usize] = add(forces[v as usize], f);
        }
        Self::nodal("point load", rest, &forces, curve)
    }

    /// A force per rest volume, N/m³, on the cells of a mesh (all, or those listed), as the shape
    /// functions share it among the nodes: ∫ N b dV.
    pub fn body(
        mesh: &VolumeMesh,
        cells: Option<&[u32]>,
        force: Vec3,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite_vector("body force", force)?;
        let mut forces = vec![[0.0; 3]; mesh.vertex_count()];
        let mut on_cell = |index: usize| {
            for (&v, share) in mesh.cell(index).iter().zip(volume_shares(mesh, index)) {
                forces[v as usize] = add_scaled(forces[v as usize], force, share);
            }
        };
        match cells {
            None => (0..mesh.cell_count()).for_each(&mut on_cell),
            Some(list) => {
                if let Some(&c) = list.iter().find(|&&c| c as usize >= mesh.cell_count()) {
                    return Err(ForceError::Parameter {
                        what: "body force: cell".into(),
                        found: f64::from(c),
                        accepted: format!("there are {} cells, from 0", mesh.cell_count()),
                    });
                }
                for &c in list {
                    on_cell(c as usize);
                }
            }
        }
        Self::nodal("body force", &mesh.vertices, &forces, curve)
    }

    /// A force per rest area, N/m², in a fixed direction, shared among the nodes of each face by its
    /// shape functions: ∫ N t dA.
    pub fn traction(
        rest: &[Vec3],
        faces: Faces<'_>,
        traction: Vec3,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite_vector("traction", traction)?;
        faces.check("traction", rest.len())?;
        let mut forces = vec![[0.0; 3]; rest.len()];
        let mut push = |v: u32, area: f64| {
            forces[v as usize] = add_scaled(forces[v as usize], traction, area);
        };
        match faces {
            Faces::Triangles(list) => {
                for face in list {
                    let [a, b, c] = face.map(|v| rest[v as usize]);
                    let area = 0.5 * norm(cross(sub(b, a), sub(c, a)));
                    for &v in face {
                        push(v, area / 3.0);
                    }
                }
            }
            Faces::Quads(list) => {
                for face in list {
                    let corners = face.map(|v| rest[v as usize]);
                    for point in QUAD_POINTS {
                        let shape = quad_shape(point);
                        let [along, across] = shape.tangents(&corners);
                        let area = norm(cross(along, across));
                        for (&v, n) in face.iter().zip(shape.values) {
                            push(v, n * area);
                        }
                    }
                }
            }
        }
        Self::nodal("traction", rest, &forces, curve)
    }

    /// A force on each triangle, N, of its area vector at rest (m², outward), shared among its corners.
    pub fn of_areas(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        force: impl Fn(Vec3) -> Vec3,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        Faces::Triangles(triangles).check("traction", rest.len())?;
        let mut forces = vec![[0.0; 3]; rest.len()];
        for face in triangles {
            let [a, b, c] = face.map(|v| rest[v as usize]);
            let whole = force(scale(cross(sub(b, a), sub(c, a)), 0.5));
            for &v in face {
                forces[v as usize] = add_scaled(forces[v as usize], whole, 1.0 / 3.0);
            }
        }
        Self::nodal("traction", rest, &forces, curve)
    }

    /// The curve, to change it between steps.
    pub fn curve_mut(&mut self) -> &mut TimeCurve {
        &mut self.curve
    }
}

impl ForceModel for DeadLoad {
    fn name(&self) -> &str {
        &self.name
    }

    fn character(&self) -> Character {
        Character::DEAD_LOAD
    }

    fn couplings(&self, _couple: &mut dyn FnMut(u32, u32)) {}

    fn bind(&mut self, _: &Slots<'_>) -> Result<(), ForceError> {
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        let needed = self.loaded.last().map_or(0, |&v| v as usize + 1);
        state_length(&self.name, at, needed)?;
        let factor = curve_factor(&self.name, &self.curve, at.time)?;
        if let Some(gradient) = ask.gradient.as_deref_mut() {
            for (&v, &f) in self.loaded.iter().zip(&self.forces) {
                gradient[v as usize] = add_scaled(gradient[v as usize], f, -factor);
            }
        }
        if let Some(energy) = ask.energy.as_deref_mut() {
            let mut work = 0.0;
            for ((&v, &f), &rest) in self.loaded.iter().zip(&self.forces).zip(&self.rest) {
                let x = at.x[v as usize];
                if !is_finite(x) {
                    return Err(ForceError::NotFinite { vertex: v as usize, position: x });
                }
                work += dot(f, sub(x, rest));
            }
            *energy -= factor * work;
        }
        Ok(())
    }

    fn add_time_derivative(
        &self,
        at: &Configuration<'_>,
        rates: &mut [Vec3],
    ) -> Result<(), ForceError> {
        let rate = self.curve.rate(at.time);
        for (&v, &f) in self.loaded.iter().zip(&self.forces) {
            rates[v as usize] = add_scaled(rates[v as usize], f, -rate);
        }
        Ok(())
    }

    fn stable_step(&self, _: &Configuration<'_>, _mass: &[f64]) -> f64 {
        f64::INFINITY
    }
}

/// ∫ N dV of each node of a cell, m³: exact for tet4 and hex8, and for tet10 with straight edges.
fn volume_shares(mesh: &VolumeMesh, index: usize) -> [f64; 10] {
    let mut shares = [0.0; 10];
    match mesh.cell_type {
        CellType::Tet4 => shares[..4].fill(mesh.cell_volume(index) / 4.0),
        CellType::Tet10 => {
            // Corner functions integrate to −V/20, those of the middles to V/5.
            let volume = mesh.cell_volume(index);
            shares[..4].fill(-volume / 20.0);
            shares[4..].fill(volume / 5.0);
        }
        CellType::Hex8 => {
            let cell = mesh.cell(index);
            let corners = std::array::from_fn(|i| mesh.vertices[cell[i] as usize]);
            // N det J has degree 3 in each coordinate: 2×2×2 Gauss points are exact.
            let g = 1.0 / 3.0_f64.sqrt();
            for point in HEX_CORNERS.map(|c| scale(c, g)) {
                let jacobian = hex_jacobian(&corners, point);
                for (share, c) in shares.iter_mut().zip(&HEX_CORNERS) {
                    let shape: f64 = (0..3).map(|k| 0.5 * (1.0 + c[k] * point[k])).product();
                    *share += shape * jacobian;
                }
            }
        }
    }
    shares
}
