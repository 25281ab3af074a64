//! [`DeadLoad`]: forces that keep their direction whatever the body does.

use pliant_algebra::vec3::{Vec3, add, add_scaled, dot, is_finite, norm, scale, sub};
use pliant_elements::{Element, shape_integrals};
use pliant_mesh::VolumeMesh;

use super::curve::{TimeCurve, curve_factor};
use super::faces::Faces;
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{finite_vector, length, not_negative, state_length, vertices};
use crate::slots::Slots;
use crate::solid::{ElementName, ElementVisitor};
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
        check_cells(mesh, cells)?;
        let mut forces = vec![[0.0; 3]; mesh.vertex_count()];
        let element = ElementName::of(mesh.cell_type);
        element.visit(OnCells { mesh, cells, force, forces: &mut forces });
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
        Self::of_areas(rest, faces, |area| scale(traction, norm(area)), curve)
    }

    /// A force, N, of each area vector at rest (m², outward), such as that of a dead pressure or shear, shared among the
    /// nodes of each face by its shape functions: ∫ N f(n dA), with f(s n) = s f(n) for s > 0.
    pub fn of_areas(
        rest: &[Vec3],
        faces: Faces<'_>,
        force: impl Fn(Vec3) -> Vec3,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        faces.check("traction", rest.len())?;
        let mut forces = vec![[0.0; 3]; rest.len()];
        faces.each_point(rest, &mut |point| {
            let whole = force(point.area);
            for (&v, n) in point.nodes.iter().zip(point.values) {
                forces[v as usize] = add_scaled(forces[v as usize], whole, *n);
            }
        })?;
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
        _: &mut Workspace,
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

/// Checks that the listed cells are those of a mesh.
pub(super) fn check_cells(mesh: &VolumeMesh, cells: Option<&[u32]>) -> Result<(), ForceError> {
    let found = cells.and_then(|list| list.iter().find(|&&c| c as usize >= mesh.cell_count()));
    match found {
        None => Ok(()),
        Some(&cell) => Err(ForceError::Parameter {
            what: "body force: cell".into(),
            found: f64::from(cell),
            accepted: format!("there are {} cells, from 0", mesh.cell_count()),
        }),
    }
}

/// Adds ∫ N b dV of some cells to the forces on their nodes.
struct OnCells<'a> {
    mesh: &'a VolumeMesh,
    cells: Option<&'a [u32]>,
    force: Vec3,
    forces: &'a mut [Vec3],
}

impl ElementVisitor for OnCells<'_> {
    type Output = ();

    fn visit<E: Element<3, N>, const N: usize>(self, _: E) {
        let Self { mesh, cells, force, forces } = self;
        let rule = E::mass_rule();
        let mut on_cell = |index: usize| {
            let nodes: [u32; N] = std::array::from_fn(|a| mesh.cell(index)[a]);
            let x = nodes.map(|v| mesh.vertices[v as usize]);
            for (v, share) in nodes.into_iter().zip(shape_integrals::<E, 3, N>(&rule, &x)) {
                forces[v as usize] = add_scaled(forces[v as usize], force, share);
            }
        };
        match cells {
            None => (0..mesh.cell_count()).for_each(&mut on_cell),
            Some(list) => list.iter().for_each(|&cell| on_cell(cell as usize)),
        }
    }
}
