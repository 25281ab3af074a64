//! Small bodies for the tests.
#![allow(dead_code, unreachable_pub)]

pub mod complex;
pub mod point;
pub mod spinning;
pub mod swinging;

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{Acting, Constraints, Mass, NewtonSettings, Options, Role, State, System};
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_forces::{ElementName, ForceModel, Parameters, Partition, solid};
use pliant_materials::Material;
use pliant_materials::parameters::Lame;
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_solvers::{Choice, SolverName};

/// A box of tetrahedra, its numbering, and what the tests make of it.
pub struct Body {
    pub mesh: VolumeMesh,
    pub partition: Partition,
    pub rest: Vec<Vec3>,
    pub masses: Vec<f64>,
    law: &'static str,
    lame: [f64; 2],
    pub models: Vec<(Role, Box<dyn ForceModel>)>,
    pub constraints: Constraints,
    /// β of the elastic models, s.
    beta: f64,
}

pub const YOUNG: f64 = 1e4;
pub const DENSITY: f64 = 1000.0;

impl Body {
    /// A bar along x of size 1 × 0.3 × 0.3 m.
    pub fn bar(law: &'static str, cells: [usize; 3], poisson: f64) -> Self {
        let shape = BoxShape {
            size: [1.0, 0.3, 0.3],
            cells,
            cell: CellChoice::Tet5,
            ..BoxShape::default()
        };
        let mesh = shape.generate().unwrap();
        let partition = Partition::with_chunk_size(&mesh, 20).unwrap();
        let rest = partition.vertices().apply(&mesh.vertices);
        let masses = ElementName::Tet4.lumped_mass(&mesh, &partition, &|_| DENSITY).unwrap();
        let lame = Lame::from_young_poisson(YOUNG, poisson).unwrap();
        let mut body = Self {
            mesh,
            partition,
            rest,
            masses,
            law,
            lame: [lame.lambda, lame.mu],
            models: Vec::new(),
            constraints: Constraints::new(),
            beta: 0.0,
        };
        let elastic = body.elastic();
        body.models.push((Role::Elastic, elastic));
        body
    }

    /// Another model of the same body.
    pub fn elastic(&self) -> Box<dyn ForceModel> {
        let law = Material::by_name(self.law).unwrap().point();
        let parameters = Parameters::Uniform(&self.lame);
        let tet = ElementName::Tet4;
        solid::solid(&self.mesh, &self.partition, tet, law, parameters, &|_| true).unwrap()
    }

    pub fn with_gravity(mut self, g: Vec3) -> Self {
        let load = DeadLoad::gravity(&self.rest, &self.masses, g, TimeCurve::default()).unwrap();
        self.models.push((Role::Gravity, Box::new(load)));
        self
    }

    pub fn with_model(mut self, role: Role, model: Box<dyn ForceModel>) -> Self {
        self.models.push((role, model));
        self
    }

    /// Damps the elastic models by β times their stiffness of the moment.
    pub fn damped(self, beta: f64) -> Self {
        Self { beta, ..self }
    }

    /// What acts on it.
    fn acting(models: Vec<(Role, Box<dyn ForceModel>)>, beta: f64) -> impl Iterator<Item = Acting> {
        models.into_iter().map(move |(role, model)| {
            let beta = if role == Role::Elastic { beta } else { 0.0 };
            Acting::new(role, model).damped(beta)
        })
    }

    /// Vertices of one end.
    pub fn at_x(&self, x: f64) -> Vec<u32> {
        let near = |&v: &u32| (self.rest[v as usize][0] - x).abs() < 1e-9;
        (0..self.rest.len() as u32).filter(near).collect()
    }

    /// Triangles of the end at x = 1, counter-clockwise seen from outside, in system numbering.
    pub fn end_faces(&self) -> Vec<[u32; 3]> {
        let new = self.partition.vertices().old_to_new();
        let end = self.at_x(1.0);
        let mut faces = Vec::new();
        for c in 0..self.mesh.cell_count() {
            let cell: Vec<u32> = self.mesh.cell(c).iter().map(|&v| new[v as usize]).collect();
            let mut on: Vec<u32> = cell.iter().copied().filter(|v| end.contains(v)).collect();
            if on.len() == 3 {
                let [a, b, c] = [0, 1, 2].map(|k| self.rest[on[k] as usize]);
                // The x component of (b − a) × (c − a).
                let normal = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
                if normal < 0.0 {
                    on.swap(1, 2);
                }
                faces.push([on[0], on[1], on[2]]);
            }
        }
        faces
    }

    /// Holds the end at x = 0.
    pub fn clamped(mut self) -> Self {
        let end = self.at_x(0.0);
        self.constraints.fix(&end, &self.rest).unwrap();
        self
    }

    /// With lumped masses.
    pub fn system(self) -> (System, State) {
        let state = State::at_rest(&self.rest);
        let system = System::new(&self.rest, Self::acting(self.models, self.beta)).unwrap();
        let system = system.with_mass(Mass::Lumped(self.masses)).unwrap();
        (system.with_constraints(self.constraints).unwrap(), state)
    }

    /// With the consistent mass.
    pub fn consistent_system(self) -> (System, State) {
        let state = State::at_rest(&self.rest);
        let system = System::new(&self.rest, Self::acting(self.models, self.beta)).unwrap();
        let mass = ElementName::Tet4
            .consistent_mass(&self.mesh, &self.partition, &|_| DENSITY, system.pattern())
            .unwrap();
        let system = system.with_mass(Mass::Consistent(mass)).unwrap();
        (system.with_constraints(self.constraints).unwrap(), state)
    }
}

/// Newton down to rounding, with a direct solver.
pub fn strict() -> Options {
    Options {
        newton: NewtonSettings { force_tolerance: 1e-13, ..NewtonSettings::default() },
        solver: Choice { solver: SolverName::Cholesky, ..Choice::default() },
        ..Options::default()
    }
}

/// The largest distance between two lists.
pub fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
