//! The problems of VirTis: the toy of figure 3.7, the bar of example 1, the cube of example 2.

use pliant_dynamics::{Constraints, DynamicsError, Mass, Role, State, System};
use pliant_elements::Tet4;
use pliant_forces::damping::Viscous;
use pliant_forces::loads::{DeadLoad, Faces, Shear, TimeCurve};
use pliant_forces::{ElementName, ForceModel, Parameters, Partition, solid};
use pliant_materials::Material;
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::topology::boundary;

use crate::toy::toy;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    Toy,
    Bar,
    Shear,
}

impl Problem {
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        [Self::Toy, Self::Bar, Self::Shear].into_iter().find(|p| p.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Toy => "toy",
            Self::Bar => "bar",
            Self::Shear => "shear",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Toy => "a damped spring (VirTis figure 3.7)",
            Self::Bar => "a bar under gravity, 144 tetrahedra (VirTis 5.2.1)",
            Self::Shear => "a cube in live shear, 384 tetrahedra (VirTis 5.2.2)",
        }
    }

    /// When errors are measured, s. The toy is over by 1 s: any stable method is then right.
    pub(crate) fn end(self) -> f64 {
        match self {
            Self::Toy => 0.1,
            Self::Bar => 0.5,
            Self::Shear => 1.0,
        }
    }

    pub(crate) fn make(self) -> Result<(System, State), DynamicsError> {
        match self {
            Self::Toy => toy(),
            Self::Bar => bar(),
            Self::Shear => shear(),
        }
    }
}

/// A box of St. Venant-Kirchhoff tetrahedra with viscosity by the correspondence principle.
struct Block {
    mesh: VolumeMesh,
    partition: Partition,
    rest: Vec<[f64; 3]>,
    masses: Vec<f64>,
    models: Vec<(Role, Box<dyn ForceModel>)>,
}

impl Block {
    /// λ and μ in Pa, dλ and dμ in Pa·s.
    fn new(
        size: [f64; 3],
        cells: [usize; 3],
        elastic: [f64; 2],
        viscous: [f64; 2],
    ) -> Result<Self, DynamicsError> {
        let wrong = |e: &dyn std::fmt::Display| DynamicsError::Unsupported(e.to_string());
        let shape = BoxShape { size, cells, cell: CellChoice::Tet6, ..BoxShape::default() };
        let mesh = shape.generate().map_err(|e| wrong(&e))?;
        let partition = Partition::new(&mesh).map_err(|e| wrong(&e))?;
        let rest = partition.vertices().apply(&mesh.vertices);
        let masses = ElementName::Tet4.lumped_mass(&mesh, &partition, &|_| 1000.0)?;
        let law = Material::by_name("st-venant-kirchhoff").map_err(|e| wrong(&e))?.point();
        let tet = ElementName::Tet4;
        let parameters = Parameters::Uniform(&elastic);
        let body = solid::solid(&mesh, &partition, tet, law, parameters, &|_| true)?;
        let damper = Viscous::new(&mesh, &partition, Tet4, Parameters::Uniform(&viscous))?;
        let models: Vec<(Role, Box<dyn ForceModel>)> =
            vec![(Role::Elastic, body), (Role::Damping, Box::new(damper))];
        Ok(Self { mesh, partition, rest, masses, models })
    }

    /// Held where `held` says so.
    fn system(self, held: impl Fn([f64; 3]) -> bool) -> Result<(System, State), DynamicsError> {
        let fixed: Vec<u32> =
            (0..self.rest.len() as u32).filter(|&v| held(self.rest[v as usize])).collect();
        let mut constraints = Constraints::new();
        constraints.fix(&fixed, &self.rest)?;
        let system = System::new(&self.rest, self.models)?
            .with_mass(Mass::Lumped(self.masses))?
            .with_constraints(constraints)?;
        Ok((system, State::at_rest(&self.rest)))
    }
}

/// 0.3 × 0.1 × 0.1 m, held at the left end: 63 vertices as in the thesis. Elastic constants are ten times those
/// in print, as for its example 4: the bar then drops by 47 mm (his by 3.5 cm), else by more than its length.
fn bar() -> Result<(System, State), DynamicsError> {
    let mut block = Block::new([0.3, 0.1, 0.1], [6, 2, 2], [3e6, 30e3], [3e3, 30.0])?;
    let gravity = [0.0, -9.81, 0.0];
    let weight = DeadLoad::gravity(&block.rest, &block.masses, gravity, TimeCurve::default())?;
    block.models.push((Role::Gravity, Box::new(weight)));
    block.system(|x| x[0] < 1e-9)
}

/// A cube of 0.1 m with 125 vertices, sheared along four sides by up to 200 N/m², held at its lower left
/// edge.
fn shear() -> Result<(System, State), DynamicsError> {
    let mut block = Block::new([0.1; 3], [4; 3], [0.1e6, 1e3], [20e3, 100.0])?;
    let boundary = boundary(&block.mesh);
    let new = block.partition.vertices().old_to_new();
    let curve = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 200.0 };
    // z × n is +y on the right; on the top it is −x, and +x is wanted.
    for (axis, turn) in [(0, 1.0), (1, -1.0)] {
        let on = |triangle: &&[u32; 3]| {
            let x = triangle.map(|v| block.mesh.vertices[boundary.vertex_map[v as usize] as usize]);
            [0.0, 0.1].iter().any(|side| x.iter().all(|x| (x[axis] - side).abs() < 1e-9))
        };
        let system = |t: &[u32; 3]| t.map(|v| new[boundary.vertex_map[v as usize] as usize]);
        let faces: Vec<[u32; 3]> =
            boundary.surface.triangles.iter().filter(on).map(system).collect();
        let faces = Faces::Triangles(&faces);
        let load = Shear::new(block.rest.len(), faces, [0.0, 0.0, turn], 1.0, curve.clone())?;
        block.models.push((Role::Load, Box::new(load)));
    }
    block.system(|x| x[0] < 1e-9 && x[1] < 1e-9)
}
