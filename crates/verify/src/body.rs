//! [`Body`]: a mesh with element and material, what holds it and what pulls at it.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add, scale};
use pliant_dynamics::{
    Motion, Newton, NewtonSettings, Role, State, StaticReport, StaticSettings, Statics, System,
};
use pliant_elements::{Element, Point};
use pliant_forces::damping::LinearDamping;
use pliant_forces::loads::{DeadLoad, Faces, Pressure, TimeCurve};
use pliant_forces::{ElementName, ElementVisitor, Stress};
use pliant_materials::PointLaw;
use pliant_mesh::cell::HEX_CORNERS;
use pliant_mesh::{CellType, VolumeMesh};
pub(crate) use pliant_model::{AXES, Elastic};
use pliant_model::{BodyBuilder, BodyId, Load, LoadKind, MassKind, Select, World, WorldBuilder};
use pliant_solvers::{Choice, SolverName};

use crate::VerifyError;

/// A pressure by place.
pub(crate) type PressureAt<'a> = &'a dyn Fn(Vec3) -> f64;

/// A body under construction, alone in its world. All numbering is the mesh's own.
pub(crate) struct Body {
    builder: WorldBuilder,
    id: BodyId,
    /// Constants of its law.
    parameters: Vec<f64>,
}

impl Body {
    /// Of one material.
    pub(crate) fn new(
        mesh: VolumeMesh,
        element: ElementName,
        material: &Elastic,
    ) -> Result<Self, VerifyError> {
        let parameters = material.constants.of(0).to_vec();
        let body = BodyBuilder::new("body", mesh).material(material.clone());
        Self::of(body.element(element), parameters)
    }

    /// Of a law that is in no catalogue.
    pub(crate) fn with_law(
        mesh: VolumeMesh,
        element: ElementName,
        law: Box<dyn PointLaw>,
        parameters: &[f64],
    ) -> Result<Self, VerifyError> {
        let body = BodyBuilder::new("body", mesh).law(law, parameters);
        Self::of(body.element(element), parameters.to_vec())
    }

    fn of(body: BodyBuilder, parameters: Vec<f64>) -> Result<Self, VerifyError> {
        let mut builder = WorldBuilder::new();
        let id = builder.add(body.mass(MassKind::None))?;
        Ok(Self { builder, id, parameters })
    }

    fn body(&self) -> &pliant_model::Body {
        self.builder.body(self.id)
    }

    /// Its mesh at rest.
    pub(crate) fn mesh(&self) -> &VolumeMesh {
        &self.body().mesh
    }

    /// "12 x 4 x 4 hex8" or so.
    pub(crate) fn describe(&self) -> String {
        format!("{} {}", self.mesh().cell_count(), self.body().element.name())
    }

    /// Vertices of the mesh for which something holds of their rest position. May be none.
    pub(crate) fn select(&self, holds: impl Fn(Vec3) -> bool) -> Vec<u32> {
        let all = self.mesh().vertices.iter().enumerate();
        all.filter(|(_, x)| holds(**x)).map(|(v, _)| v as u32).collect()
    }

    /// The vertex nearest a place.
    pub(crate) fn nearest(&self, place: Vec3) -> u32 {
        self.body().nearest(place)
    }

    /// A vertex set of the mesh.
    pub(crate) fn set(&self, name: &str) -> Result<Vec<u32>, VerifyError> {
        Ok(self.body().select(&Select::named(name))?)
    }

    /// Vertices keep to a point along the directions while it moves.
    pub(crate) fn hold(
        &mut self,
        vertices: &[u32],
        directions: &[Vec3],
        motion: &Motion,
    ) -> Result<(), VerifyError> {
        self.builder.hold_vertices(self.id, vertices, directions, motion.clone())?;
        Ok(())
    }

    /// Vertices stay where they are.
    pub(crate) fn fix(&mut self, vertices: &[u32]) -> Result<(), VerifyError> {
        self.hold(vertices, &AXES, &Motion::Still)
    }

    /// Vertices keep one coordinate.
    pub(crate) fn roll(&mut self, vertices: &[u32], axis: usize) -> Result<(), VerifyError> {
        self.hold(vertices, &AXES[axis..=axis], &Motion::Still)
    }

    /// For every vertex: which axes are held, and by which displacement, from none at time 0 to all of it at
    /// time 1, where bodies begin. Vertices without held axes are free.
    pub(crate) fn prescribe(
        &mut self,
        displacement: impl Fn(Vec3) -> [Option<f64>; 3],
    ) -> Result<(), VerifyError> {
        let curve = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 1.0 };
        for v in 0..self.mesh().vertex_count() as u32 {
            let wanted = displacement(self.mesh().vertices[v as usize]);
            let directions: Vec<Vec3> =
                (0..3).filter(|&k| wanted[k].is_some()).map(|k| AXES[k]).collect();
            let direction = wanted.map(|u| u.unwrap_or(0.0));
            let motion = if direction == [0.0; 3] {
                Motion::Still
            } else {
                Motion::Translation { direction, curve: curve.clone() }
            };
            if !directions.is_empty() {
                self.hold(&[v], &directions, &motion)?;
            }
        }
        Ok(())
    }

    /// Its weight, with lumped masses. The body itself stays without mass until it is built with one.
    pub(crate) fn gravity(&mut self, density: f64, g: Vec3) -> Result<(), VerifyError> {
        let masses = self.masses(density)?;
        let load = DeadLoad::gravity(&self.body().rest(), &masses, g, TimeCurve::default())?;
        self.builder.act(Role::Gravity, Box::new(load));
        Ok(())
    }

    /// Gravity on the masses it is built with, whatever they are.
    pub(crate) fn falls(&mut self, g: Vec3) {
        self.builder.gravity(g);
    }

    /// Damping by masses, with `rate` in 1/s.
    pub(crate) fn mass_damping(&mut self, density: f64, rate: f64) -> Result<(), VerifyError> {
        let damping = LinearDamping::mass_proportional(&self.masses(density)?, rate)?;
        self.builder.act(Role::Damping, Box::new(damping));
        Ok(())
    }

    /// A load.
    pub(crate) fn load(&mut self, load: &Load) -> Result<(), VerifyError> {
        self.builder.load(self.id, load)?;
        Ok(())
    }

    /// A force per volume at rest.
    pub(crate) fn body_force(&mut self, force: Vec3) -> Result<(), VerifyError> {
        self.load(&Load::new(LoadKind::Body(force)))
    }

    /// Dead forces on all vertices of the mesh.
    pub(crate) fn forces(&mut self, forces: &[Vec3]) -> Result<(), VerifyError> {
        self.forces_over_time(forces, TimeCurve::default())
    }

    /// The same times a curve.
    pub(crate) fn forces_over_time(
        &mut self,
        forces: &[Vec3],
        curve: TimeCurve,
    ) -> Result<(), VerifyError> {
        let body = self.body();
        let forces = body.partition.vertices().apply(forces);
        let load = DeadLoad::nodal("load", &body.rest(), &forces, curve)?;
        self.builder.act(Role::Load, Box::new(load));
        Ok(())
    }

    /// Pressures that follow the faces between chosen vertices, by the middle of each face at rest, from none at
    /// time 0 to all at time 1, where bodies begin.
    pub(crate) fn pressure(
        &mut self,
        parts: &[(&[u32], PressureAt<'_>)],
    ) -> Result<(), VerifyError> {
        let (mut all, mut pressures) = (Vec::new(), Vec::new());
        let (body, mesh) = (self.body(), self.mesh());
        let middle = |face: &[u32]| {
            let at = |&v: &u32| mesh.vertices[v as usize];
            let sum = face.iter().map(at).fold([0.0; 3], add);
            scale(sum, 1.0 / face.len() as f64)
        };
        let mut count = 0;
        for (chosen, pressure) in parts {
            let (of_face, nodes) = crate::loads::faces(mesh, chosen);
            pressures.extend(nodes.chunks_exact(of_face).map(|face| pressure(middle(face))));
            all.extend(nodes.iter().map(|&v| body.system_vertex(v)));
            count = of_face;
        }
        let curve = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 1.0 };
        let faces = Faces::of_nodes(count, &all)?;
        let load = Pressure::on_faces(mesh.vertex_count(), faces, &pressures, curve)?;
        self.builder.act(Role::Load, Box::new(load));
        Ok(())
    }

    fn masses(&self, density: f64) -> Result<Vec<f64>, VerifyError> {
        let body = self.body();
        Ok(body.element.lumped_mass(&body.mesh, &body.partition, &|_| density)?)
    }

    /// The system without mass.
    pub(crate) fn build(self) -> Result<Built, VerifyError> {
        let World { mut bodies, system, mut state, .. } = self.builder.build()?;
        state.time = 1.0;
        let body = bodies.pop().ok_or_else(|| VerifyError::SetUp("no body".into()))?;
        Ok(Built { system, state, body, parameters: self.parameters })
    }

    /// With lumped masses.
    pub(crate) fn build_lumped(mut self, density: f64) -> Result<Built, VerifyError> {
        self.builder.weigh(self.id, MassKind::Lumped, density)?;
        self.build()
    }

    /// With the consistent mass.
    pub(crate) fn build_consistent(mut self, density: f64) -> Result<Built, VerifyError> {
        self.builder.weigh(self.id, MassKind::Consistent, density)?;
        self.build()
    }
}

/// A body as a system with its state.
pub(crate) struct Built {
    pub(crate) system: System,
    pub(crate) state: State,
    body: pliant_model::Body,
    parameters: Vec<f64>,
}

/// Newton down to rounding.
pub(crate) fn strict() -> NewtonSettings {
    NewtonSettings { force_tolerance: 1e-12, max_iterations: 100, ..NewtonSettings::default() }
}

/// Statics as a user would set it up: Newton with a direct solver that suits the system.
pub(crate) fn statics(
    newton: NewtonSettings,
    settings: StaticSettings,
    symmetric: bool,
) -> Result<Statics, VerifyError> {
    let solver = if symmetric { SolverName::Cholesky } else { SolverName::Lu };
    let solver = Choice { solver, ..Choice::default() }.build()?;
    Ok(Statics::new(Box::new(Newton::new(newton, solver)?), settings)?)
}

impl Built {
    /// Brings it to rest.
    pub(crate) fn solve(&mut self) -> Result<StaticReport, VerifyError> {
        self.solve_with(strict(), StaticSettings::default())
    }

    /// The same with settings.
    pub(crate) fn solve_with(
        &mut self,
        newton: NewtonSettings,
        settings: StaticSettings,
    ) -> Result<StaticReport, VerifyError> {
        let symmetric = self.system.pattern().is_symmetric();
        let mut statics = statics(newton, settings, symmetric)?;
        Ok(statics.solve(&mut self.system, &mut self.state)?)
    }

    /// Brings it to rest at `steps` times up to 1, each from where the last one ended.
    pub(crate) fn solve_gradually(
        &mut self,
        steps: usize,
        newton: NewtonSettings,
        progress: crate::Progress<'_>,
    ) -> Result<(), VerifyError> {
        let symmetric = self.system.pattern().is_symmetric();
        let mut statics = statics(newton, StaticSettings::default(), symmetric)?;
        for k in 1..=steps {
            self.state.time = k as f64 / steps as f64;
            let report = statics.solve(&mut self.system, &mut self.state)?;
            let (iterations, cuts) = (report.iterations, report.cuts);
            progress(&format!("step {k} of {steps}: {iterations} iterations, {cuts} cuts"));
        }
        Ok(())
    }

    /// Its mesh at rest.
    pub(crate) fn mesh(&self) -> &VolumeMesh {
        &self.body.mesh
    }

    /// The number that a vertex of the mesh has in the system.
    pub(crate) fn number(&self, vertex: u32) -> usize {
        self.body.system_vertex(vertex) as usize
    }

    /// Where a vertex is.
    pub(crate) fn position(&self, vertex: u32) -> Vec3 {
        self.state.x[self.number(vertex)]
    }

    /// Where all vertices of the mesh are.
    pub(crate) fn positions(&self) -> Vec<Vec3> {
        self.body.of_user(&self.state.x)
    }

    /// By how much a vertex has moved.
    pub(crate) fn displacement(&self, vertex: u32) -> Vec3 {
        let (x, rest) = (self.position(vertex), self.mesh().vertices[vertex as usize]);
        std::array::from_fn(|k| x[k] - rest[k])
    }

    /// Sum and moment about the origin of the support forces on some vertices.
    pub(crate) fn reaction(&mut self, vertices: &[u32]) -> Result<(Vec3, Vec3), VerifyError> {
        let mut chosen = vec![false; self.state.len()];
        for &v in vertices {
            chosen[self.number(v)] = true;
        }
        let mut all = Vec::new();
        // At rest: whatever mass there is does not matter.
        self.state.a.fill([0.0; 3]);
        self.state.knows_acceleration = true;
        self.system.reactions(&self.state, &mut all)?;
        let some = all.iter().filter(|(v, _)| chosen[*v as usize]);
        let x = &self.state.x;
        Ok(pliant_dynamics::sum_and_moment(some.map(|&(v, f)| (f, x[v as usize])), [0.0; 3]))
    }

    /// Means over each element, as the model has them.
    pub(crate) fn stresses(&self) -> Result<Vec<Stress>, VerifyError> {
        let mut all = Vec::new();
        for solid in self.body.solids() {
            all.extend(solid.stresses(&self.state.x)?.into_iter().map(|(_, _, stress)| stress));
        }
        Ok(all)
    }

    /// Nominal stress P at a corner of a mesh: the mean of what the elements around it have there.
    pub(crate) fn piola_at_vertex(&self, vertex: u32) -> Result<Mat3<f64>, VerifyError> {
        let Some(solid) = self.body.solids().first() else {
            return Err(VerifyError::SetUp("no stress without elements".into()));
        };
        let (mut sum, mut count) = (Mat3::zero(), 0);
        for c in 0..self.mesh().cell_count() {
            let cell_type = self.mesh().cell_type;
            let corners = &self.mesh().cell(c)[..cell_type.corners()];
            let Some(corner) = corners.iter().position(|&v| v == vertex) else { continue };
            let at = match cell_type {
                CellType::Tet4 | CellType::Tet10 => {
                    std::array::from_fn(|k| f64::from(u8::from(corner == k + 1)))
                }
                CellType::Hex8 | CellType::Hex20 => HEX_CORNERS[corner],
            };
            let f = self.body.element.visit(Gradient { built: self, cell: c, at });
            sum += solid.law().stress(&self.parameters, &f);
            count += 1;
        }
        Ok(sum.scale(1.0 / f64::from(count.max(1))))
    }
}

/// F in a cell at a place of the reference cell.
struct Gradient<'a> {
    built: &'a Built,
    cell: usize,
    at: Vec3,
}

impl ElementVisitor for Gradient<'_> {
    type Output = Mat3<f64>;

    fn visit<E: Element<3, N>, const N: usize>(self, _: E) -> Mat3<f64> {
        let Self { built, cell, at } = self;
        let nodes: [u32; N] = std::array::from_fn(|a| built.mesh().cell(cell)[a]);
        let point = Point { at, weight: 1.0, values: E::values(at), gradients: E::gradients(at) };
        let rest = nodes.map(|v| built.mesh().vertices[v as usize]);
        let now = nodes.map(|v| built.position(v));
        let inverse = Mat3(E::jacobian(&point, &rest)).inverse();
        Mat3(E::jacobian(&point, &now)) * inverse
    }
}
