//! [`Body`]: a mesh with element and material, what holds it and what pulls at it.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add, distance, scale};
use pliant_dynamics::{
    Constraints, Mass, Motion, Newton, NewtonSettings, Role, State, StaticReport, StaticSettings,
    Statics, System,
};
use pliant_elements::{Element, Point, Tet4, Tet10};
use pliant_forces::damping::LinearDamping;
use pliant_forces::loads::{DeadLoad, Faces, Pressure, TimeCurve};
use pliant_forces::{
    Ask, Configuration, ElementName, ForceModel, Parameters, Partition, SolidModel, Stress,
    Workspace, solid,
};
use pliant_materials::{Constants, Material, PointLaw};
use pliant_mesh::VolumeMesh;
use pliant_solvers::{Choice, SolverName};

use crate::VerifyError;

/// A law with its constants.
#[derive(Debug, Clone)]
pub(crate) struct Stuff {
    material: Material,
    /// The constants of the kernel.
    pub(crate) parameters: Vec<f64>,
}

impl Stuff {
    /// A law by name.
    pub(crate) fn new(law: &str, constants: &Constants) -> Result<Self, VerifyError> {
        let material = Material::by_name(law)?;
        let parameters = constants.parameters(material.law())?;
        Ok(Self { material, parameters })
    }

    /// With Young's modulus and Poisson's ratio.
    pub(crate) fn young(law: &str, young: f64, poisson: f64) -> Result<Self, VerifyError> {
        Self::new(law, &Constants::YoungPoisson { young, poisson })
    }

    /// For inverted elements too, below a threshold of one's own or the law's.
    pub(crate) fn continued(mut self, threshold: Option<f64>) -> Result<Self, VerifyError> {
        let inversion = pliant_materials::Inversion::Continued(threshold);
        self.material = self.material.with_inversion(inversion)?;
        Ok(self)
    }

    /// The law itself.
    pub(crate) fn law(&self) -> Box<dyn PointLaw> {
        self.material.point()
    }
}

/// A pressure by place.
pub(crate) type PressureAt<'a> = &'a dyn Fn(Vec3) -> f64;

/// A body under construction. All numbering is the mesh's own ("user") numbering; the system's is hidden.
pub(crate) struct Body {
    pub(crate) mesh: VolumeMesh,
    pub(crate) element: ElementName,
    partition: Partition,
    /// Rest positions in the numbering of the system.
    rest: Vec<Vec3>,
    constraints: Constraints,
    models: Vec<(Role, Box<dyn ForceModel>)>,
    probe: Box<dyn SolidModel>,
    parameters: Vec<f64>,
}

impl Body {
    /// Of one material.
    pub(crate) fn new(
        mesh: VolumeMesh,
        element: ElementName,
        stuff: &Stuff,
    ) -> Result<Self, VerifyError> {
        Self::with_law(mesh, element, stuff.law(), stuff.law(), &stuff.parameters)
    }

    /// Of a law that is in no catalogue, given twice: once to move, once to ask for stresses.
    pub(crate) fn with_law(
        mesh: VolumeMesh,
        element: ElementName,
        law: Box<dyn PointLaw>,
        again: Box<dyn PointLaw>,
        parameters: &[f64],
    ) -> Result<Self, VerifyError> {
        let partition = Partition::new(&mesh)?;
        let rest = partition.vertices().apply(&mesh.vertices);
        let uniform = Parameters::Uniform(parameters);
        let model = solid::solid(&mesh, &partition, element, law, uniform, &|_| true)?;
        let probe = solid::solid(&mesh, &partition, element, again, uniform, &|_| true)?;
        let models: Vec<(Role, Box<dyn ForceModel>)> = vec![(Role::Elastic, model)];
        let constraints = Constraints::new();
        let parameters = parameters.to_vec();
        Ok(Self { mesh, element, partition, rest, constraints, models, probe, parameters })
    }

    /// "12 x 4 x 4 hex8" or so.
    pub(crate) fn describe(&self) -> String {
        format!("{} {}", self.mesh.cell_count(), self.element.name())
    }

    /// The number that a vertex of the mesh has in the system.
    fn number(&self, vertex: u32) -> u32 {
        self.partition.vertices().old_to_new()[vertex as usize]
    }

    /// Vertices of the mesh for which something holds of their rest position.
    pub(crate) fn select(&self, holds: impl Fn(Vec3) -> bool) -> Vec<u32> {
        let all = self.mesh.vertices.iter().enumerate();
        all.filter(|(_, x)| holds(**x)).map(|(v, _)| v as u32).collect()
    }

    /// The vertex nearest a place.
    pub(crate) fn nearest(&self, place: Vec3) -> u32 {
        let from = |v: usize| distance(self.mesh.vertices[v], place);
        let all = 0..self.mesh.vertex_count();
        all.min_by(|&a, &b| from(a).total_cmp(&from(b))).unwrap_or(0) as u32
    }

    /// A vertex set of the mesh.
    pub(crate) fn set(&self, name: &str) -> Result<Vec<u32>, VerifyError> {
        let set = self.mesh.vertex_set(name);
        set.map(|s| s.items.clone())
            .ok_or_else(|| VerifyError::SetUp(format!("the mesh has no vertex set '{name}'")))
    }

    /// Vertices keep to a point along the directions while it moves.
    pub(crate) fn hold(
        &mut self,
        vertices: &[u32],
        directions: &[Vec3],
        motion: &Motion,
    ) -> Result<(), VerifyError> {
        let numbers: Vec<u32> = vertices.iter().map(|&v| self.number(v)).collect();
        Ok(self.constraints.hold(&numbers, &self.rest, directions, motion.clone())?)
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
        for v in 0..self.mesh.vertex_count() as u32 {
            let wanted = displacement(self.mesh.vertices[v as usize]);
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

    /// Its weight, with lumped masses.
    pub(crate) fn gravity(&mut self, density: f64, g: Vec3) -> Result<(), VerifyError> {
        let masses = self.masses(density)?;
        let load = DeadLoad::gravity(&self.rest, &masses, g, TimeCurve::default())?;
        self.models.push((Role::Gravity, Box::new(load)));
        Ok(())
    }

    /// Damping by masses, with `rate` in 1/s.
    pub(crate) fn mass_damping(&mut self, density: f64, rate: f64) -> Result<(), VerifyError> {
        let damping = LinearDamping::mass_proportional(&self.masses(density)?, rate)?;
        self.models.push((Role::Damping, Box::new(damping)));
        Ok(())
    }

    /// A force per volume at rest.
    pub(crate) fn body_force(&mut self, force: Vec3) -> Result<(), VerifyError> {
        // In the numbering of the mesh, which the load does not know to be another one.
        let mut forces = vec![[0.0; 3]; self.mesh.vertex_count()];
        let load = DeadLoad::body(&self.mesh, None, force, TimeCurve::default())?;
        let still = forces.clone();
        let place = Configuration::new(&self.mesh.vertices, &still, 0.0);
        let mut ask = Ask { gradient: Some(&mut forces), ..Ask::default() };
        load.evaluate(&place, &mut ask, &mut Workspace::new())?;
        for f in &mut forces {
            *f = f.map(|c| -c);
        }
        self.forces(&forces)
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
        let forces = self.partition.vertices().apply(forces);
        let load = DeadLoad::nodal("load", &self.rest, &forces, curve)?;
        self.models.push((Role::Load, Box::new(load)));
        Ok(())
    }

    /// Pressures that follow the faces between chosen vertices, by the middle of each face at rest, from none at
    /// time 0 to all at time 1, where bodies begin. Faces of quadratic tetrahedra are taken as four flat triangles: the sum is right, the shares of the nodes are not.
    pub(crate) fn pressure(
        &mut self,
        parts: &[(&[u32], PressureAt<'_>)],
    ) -> Result<(), VerifyError> {
        let (mut quads, mut triangles, mut pressures) = (Vec::new(), Vec::new(), Vec::new());
        let middle = |face: &[u32]| {
            let at = |&v: &u32| self.mesh.vertices[v as usize];
            let sum = face.iter().map(at).fold([0.0; 3], add);
            scale(sum, 1.0 / face.len() as f64)
        };
        for (chosen, pressure) in parts {
            for face in crate::loads::flat_faces(&self.mesh, chosen) {
                pressures.push(pressure(middle(&face)));
                match *face {
                    [a, b, c] => triangles.push([a, b, c].map(|v| self.number(v))),
                    [a, b, c, d] => quads.push([a, b, c, d].map(|v| self.number(v))),
                    _ => {}
                }
            }
        }
        let faces =
            if quads.is_empty() { Faces::Triangles(&triangles) } else { Faces::Quads(&quads) };
        let curve = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 1.0 };
        let load = Pressure::on_faces(self.rest.len(), faces, &pressures, curve)?;
        self.models.push((Role::Load, Box::new(load)));
        Ok(())
    }

    fn masses(&self, density: f64) -> Result<Vec<f64>, VerifyError> {
        Ok(self.element.lumped_mass(&self.mesh, &self.partition, &|_| density)?)
    }

    /// The system without mass.
    pub(crate) fn build(self) -> Result<Built, VerifyError> {
        let state = State::new(&self.rest, &[], 1.0);
        let system = System::new(&self.rest, self.models)?.with_constraints(self.constraints)?;
        Ok(Built {
            system,
            state,
            partition: self.partition,
            mesh: self.mesh,
            element: self.element,
            probe: self.probe,
            parameters: self.parameters,
        })
    }

    /// With lumped masses.
    pub(crate) fn build_lumped(self, density: f64) -> Result<Built, VerifyError> {
        let masses = self.masses(density)?;
        let mut built = self.build()?;
        built.system = built.system.with_mass(Mass::Lumped(masses))?;
        Ok(built)
    }

    /// With the consistent mass.
    pub(crate) fn build_consistent(self, density: f64) -> Result<Built, VerifyError> {
        let mut built = self.build()?;
        let mass = built.element.consistent_mass(
            &built.mesh,
            &built.partition,
            &|_| density,
            built.system.pattern(),
        )?;
        built.system = built.system.with_mass(Mass::Consistent(mass))?;
        Ok(built)
    }
}

/// The axes of space.
pub(crate) const AXES: [Vec3; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A body as a system with its state.
pub(crate) struct Built {
    pub(crate) system: System,
    pub(crate) state: State,
    pub(crate) mesh: VolumeMesh,
    partition: Partition,
    element: ElementName,
    /// The same elements and law again, to ask for stresses.
    probe: Box<dyn SolidModel>,
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

    /// The number that a vertex of the mesh has in the system.
    pub(crate) fn number(&self, vertex: u32) -> usize {
        self.partition.vertices().old_to_new()[vertex as usize] as usize
    }

    /// Where a vertex is.
    pub(crate) fn position(&self, vertex: u32) -> Vec3 {
        self.state.x[self.number(vertex)]
    }

    /// Where all vertices of the mesh are.
    pub(crate) fn positions(&self) -> Vec<Vec3> {
        (0..self.mesh.vertex_count() as u32).map(|v| self.position(v)).collect()
    }

    /// By how much a vertex has moved.
    pub(crate) fn displacement(&self, vertex: u32) -> Vec3 {
        let (x, rest) = (self.position(vertex), self.mesh.vertices[vertex as usize]);
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
        Ok(self.probe.stresses(&self.state.x)?.into_iter().map(|(_, _, s)| s).collect())
    }

    /// F in a cell at a place of the reference cell.
    fn gradient<E: Element<3, N>, const N: usize>(&self, cell: usize, at: Vec3) -> Mat3<f64> {
        let nodes: [u32; N] = std::array::from_fn(|a| self.mesh.cell(cell)[a]);
        let point = Point { at, weight: 1.0, values: E::values(at), gradients: E::gradients(at) };
        let rest = nodes.map(|v| self.mesh.vertices[v as usize]);
        let now = nodes.map(|v| self.position(v));
        let inverse = Mat3(E::jacobian(&point, &rest)).inverse();
        Mat3(E::jacobian(&point, &now)) * inverse
    }

    /// Nominal stress P at a corner of a mesh of tetrahedra: the mean of what the elements around it have there.
    pub(crate) fn piola_at_vertex(&self, vertex: u32) -> Result<Mat3<f64>, VerifyError> {
        let (mut sum, mut count) = (Mat3::zero(), 0);
        for c in 0..self.mesh.cell_count() {
            let Some(corner) = self.mesh.cell(c)[..4].iter().position(|&v| v == vertex) else {
                continue;
            };
            let mut at = [0.0; 3];
            if corner > 0 {
                at[corner - 1] = 1.0;
            }
            let f = match self.element {
                ElementName::Tet4 => self.gradient::<Tet4, 4>(c, at),
                ElementName::Tet10 => self.gradient::<Tet10, 10>(c, at),
                other => {
                    let text = format!("no stress at vertices of {}", other.name());
                    return Err(VerifyError::SetUp(text));
                }
            };
            sum += self.probe.law().stress(&self.parameters, &f);
            count += 1;
        }
        Ok(sum.scale(1.0 / f64::from(count.max(1))))
    }
}
