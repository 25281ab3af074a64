//! The rod of Nienhuys (section 4.2): a horizontal cylinder of very soft material, held at one end, on which
//! gravity is switched on; and its equilibrium as a problem that keeps a record of who solves it.
#![allow(dead_code, unreachable_pub)] // Shared by an example and a test, which look at different parts.

use std::time::{Duration, Instant};

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::newton::Converged;
use pliant_dynamics::{
    Constraints, DynamicsError, Evaluation, Iterate, Mass, Problem, Role, Stopping, System,
    blocks_of,
};
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_forces::{
    Ask, Configuration, ElementName, ForceError, ForceModel, Parameters, Partition, Workspace,
    solid,
};
use pliant_materials::Material;
use pliant_materials::parameters::Lame;
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::{CellChoice, Cylinder};
use pliant_solvers::matrix::{Matrix, MatrixProduct, Shape};
use pliant_solvers::sums;

pub type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// A material of section 4.3 with the operations of table 4.3 and the damping of table 4.4.
#[derive(Clone, Copy)]
pub struct Law {
    pub name: &'static str,
    pub force_flops: f64,
    pub derivative_flops: f64,
    /// 1/s
    pub damping: f64,
}

pub const LAWS: [Law; 4] = [
    Law { name: "linear", force_flops: 129.0, derivative_flops: 129.0, damping: 17.0 },
    Law { name: "st-venant-kirchhoff", force_flops: 235.0, derivative_flops: 421.0, damping: 20.0 },
    Law {
        name: "neo-hookean-nienhuys",
        force_flops: 277.0,
        derivative_flops: 595.0,
        damping: 21.0,
    },
    Law {
        name: "veronda-westmann-nienhuys",
        force_flops: 347.0,
        derivative_flops: 797.0,
        damping: 27.0,
    },
];

/// Cells across the middle, rings and layers.
pub type Cells = [usize; 3];
/// 1,260 tetrahedra, where he has 1,230.
pub const SMALL: Cells = [3, 1, 10];
/// 9,072 tetrahedra, where he has 9,300.
pub const LARGE: Cells = [6, 3, 14];

/// The mesh, along z.
pub fn mesh([core, rings, layers]: Cells) -> Fallible<VolumeMesh> {
    let cell = CellChoice::Tet6;
    Ok(Cylinder { radius: 0.03, length: 0.1, core, rings, layers, cell }.generate()?)
}

/// The rod at rest, and what may be asked of it.
pub struct Rod {
    pub system: System,
    pub masses: Vec<f64>,
    pub tets: usize,
    pub law: Law,
}

impl Rod {
    pub fn new(mesh: &VolumeMesh, law: Law, young: f64) -> Fallible<Self> {
        let partition = Partition::new(mesh)?;
        let rest = partition.vertices().apply(&mesh.vertices);
        let lame = Lame::from_young_poisson(young, 0.3)?;
        let constants = [lame.lambda, lame.mu, 8.0];
        let used = if law.name.starts_with("veronda") { &constants[..] } else { &constants[..2] };
        let (point, tet) = (Material::by_name(law.name)?.point(), ElementName::Tet4);
        let uniform = Parameters::Uniform(used);
        let elastic = solid::solid(mesh, &partition, tet, point, uniform, &|_| true)?;
        let masses = tet.lumped_mass(mesh, &partition, &|_| 1000.0)?;
        let weight = DeadLoad::gravity(&rest, &masses, [0.0, -9.8, 0.0], TimeCurve::default())?;
        let mut constraints = Constraints::new();
        let wall: Vec<u32> =
            (0..rest.len() as u32).filter(|&v| rest[v as usize][2] < 1e-9).collect();
        constraints.fix(&wall, &rest)?;
        let models: Vec<(Role, Box<dyn ForceModel>)> =
            vec![(Role::Elastic, elastic), (Role::Gravity, Box::new(weight))];
        let system = System::new(&rest, models)?
            .with_mass(Mass::Lumped(masses.clone()))?
            .with_constraints(constraints)?;
        Ok(Self { system, masses, tets: mesh.cell_count(), law })
    }
}

/// What was spent when, and how far from the end that was.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub flops: f64,
    pub seconds: f64,
    /// ½ (e, K e) with K at the solution, J.
    pub energy_error: f64,
    /// |r| / |f|
    pub residual: f64,
}

/// The solution and K there.
pub struct Exact {
    pub x: Vec<Vec3>,
    k: Matrix,
    product: MatrixProduct,
}

/// Equilibrium of the rod for its positions.
pub struct Rest<'a> {
    pub rod: &'a mut Rod,
    still: Vec<Vec3>,
    pub exact: Option<&'a mut Exact>,
    pub trace: Vec<Sample>,
    flops: f64,
    begun: Instant,
    /// Spent on the record.
    aside: Duration,
    weight: f64,
}

impl<'a> Rest<'a> {
    pub fn new(rod: &'a mut Rod, exact: Option<&'a mut Exact>) -> Self {
        let n = rod.system.vertices();
        let weight = 9.8 * rod.masses.iter().map(|m| m * m).sum::<f64>().sqrt();
        Self {
            rod,
            still: vec![[0.0; 3]; n],
            exact,
            trace: Vec::new(),
            flops: 0.0,
            begun: Instant::now(),
            aside: Duration::ZERO,
            weight,
        }
    }

    /// K at x, for errors measured from there.
    pub fn exact_at(&mut self, x: Vec<Vec3>) -> Result<Exact, ForceError> {
        let shape = self.shape();
        let mut k = Matrix::zero(&shape);
        self.jacobian(x.as_flattened(), false, &mut k)?;
        Ok(Exact { x, k, product: MatrixProduct::new(&shape) })
    }

    fn record(&mut self, y: &[f64], r: &[f64]) {
        let seconds = self.begun.elapsed().saturating_sub(self.aside).as_secs_f64();
        let begun = Instant::now();
        if let Some(Exact { x, k, product }) = self.exact.as_deref_mut() {
            let e: Vec<f64> = y.iter().zip(x.as_flattened()).map(|(y, x)| y - x).collect();
            let mut ke = e.clone();
            product.apply(k, &e, &mut ke);
            self.trace.push(Sample {
                flops: self.flops,
                seconds,
                energy_error: 0.5 * sums::dot(&e, &ke),
                residual: sums::norm(r) / self.weight,
            });
        }
        self.aside += begun.elapsed();
    }
}

impl Problem for Rest<'_> {
    fn shape(&self) -> Shape {
        Shape::Blocks(self.rod.system.pattern().clone())
    }

    fn positions(&self) -> Option<&[Vec3]> {
        Some(self.rod.system.rest())
    }

    fn size(&self) -> f64 {
        self.rod.system.size()
    }

    fn residual(&mut self, y: &[f64], r: &mut [f64]) -> Result<Evaluation, ForceError> {
        self.flops += self.rod.law.force_flops * self.rod.tets as f64;
        let place = Configuration::new(y.as_chunks().0, &self.still, 0.0);
        let forces = self.rod.system.forces(&place, r.as_chunks_mut().0, true)?;
        self.rod.system.constraints().filter(r.as_chunks_mut().0);
        self.record(y, r);
        // He compares with the weight.
        let energy = Some((forces.energy, forces.energy_size));
        Ok(Evaluation { scale: self.weight, energy, rows: 0.0 })
    }

    fn jacobian(
        &mut self,
        y: &[f64],
        project: bool,
        matrix: &mut Matrix,
    ) -> Result<(), ForceError> {
        self.flops += self.rod.law.derivative_flops * self.rod.tets as f64;
        matrix.clear();
        let matrix = blocks_of(matrix)?;
        let place = Configuration::new(y.as_chunks().0, &self.still, 0.0);
        for (_, model) in self.rod.system.models_mut() {
            let mut ask = Ask {
                tangent: Some(&mut matrix.values),
                position_weight: 1.0,
                project,
                ..Ask::default()
            };
            model.evaluate(&place, &mut ask, &mut Workspace::new())?;
        }
        self.rod.system.constraints().project(matrix);
        Ok(())
    }

    fn linearize(
        &mut self,
        y: &[f64],
        r: &mut [f64],
        matrix: &mut Matrix,
    ) -> Result<Evaluation, ForceError> {
        self.jacobian(y, false, matrix)?;
        self.residual(y, r)
    }

    fn weights(&self) -> [f64; 3] {
        [0.0, 1.0, 0.0]
    }

    fn longest_move(&mut self, _: &[f64], d: &[f64]) -> f64 {
        sums::longest(d.as_chunks().0)
    }

    fn admissible(&mut self, y: &[f64], d: &[f64], limit: f64) -> Result<f64, ForceError> {
        let place = Configuration::new(y.as_chunks().0, &self.still, 0.0);
        self.rod.system.admissible(&place, d.as_chunks().0, limit)
    }

    fn follow_couplings(&mut self, _: &[f64]) -> Result<bool, DynamicsError> {
        Ok(false)
    }

    fn solved(&self, rules: &Stopping, iterate: &Iterate) -> Option<Converged> {
        rules.met(iterate, self.size(), None)
    }
}
