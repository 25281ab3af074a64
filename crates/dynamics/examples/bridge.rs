//! Refinement of the step and of the mesh: a bridge after a push (Vega, figures 7 and 9).
//!
//! cargo run --release -p pliant-dynamics --example bridge -- FOLDER [fine]
//!
//! A St. Venant-Kirchhoff bridge (10 MPa, Poisson 0.45, 1000 kg/m³) starts with a velocity across its axis and
//! vibrates, with one linear system a step as in Vega. Written are the sideways paths of the top of a mast as `steps.svg`
//! (backward Euler with steps from 40 ms down, implicit midpoint beside it), `meshes.svg` (three meshes, and
//! the corotational law) and both as CSV. Steps are refined on the mesh of Vega where a folder
//! `shared/data/vega` lies above this source, and on a made one where not. With `fine` the finest mesh of 120,000
//! tetrahedra is run too, which takes minutes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use pliant_draw::plot::{Axis, Curve, Plot};
use pliant_dynamics::{Constraints, IntegratorName, Mass, Options, Role, State, System};
use pliant_forces::damping::LinearDamping;
use pliant_forces::{ElementName, ForceModel, Parameters, Partition, solid};
use pliant_materials::Material;
use pliant_materials::parameters::Lame;
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_solvers::{Choice, SolverName};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

const LENGTH: f64 = 8.0;
const WIDTH: f64 = 2.0;
const HEIGHT: f64 = 3.0;
/// Of the deck and the beams, m.
const THICKNESS: f64 = 0.25;

/// A deck at 1 m between two frames of 3 m.
fn is_bridge([x, y, z]: [f64; 3]) -> bool {
    let deck = y > 1.0 && y < 1.0 + THICKNESS;
    let frame = [2.0, LENGTH - 2.0 - THICKNESS].iter().any(|&at| x > at && x < at + THICKNESS);
    let mast = !(THICKNESS..=WIDTH - THICKNESS).contains(&z);
    deck || (frame && (mast || y > HEIGHT - THICKNESS))
}

/// A mesh and the vertices that are held.
struct Bridge {
    name: String,
    mesh: VolumeMesh,
    held: Vec<u32>,
}

/// Cells of a grid with `level` cells through the deck.
fn made(level: usize) -> Fallible<Bridge> {
    let cells = [LENGTH, HEIGHT, WIDTH].map(|l| (l / THICKNESS) as usize * level);
    let shape = BoxShape {
        size: [LENGTH, HEIGHT, WIDTH],
        cells,
        cell: CellChoice::Tet6,
        ..BoxShape::default()
    };
    let grid = shape.generate()?;
    let middle = |cell: &[u32]| {
        let sum = |k: usize| cell.iter().map(|&v| grid.vertices[v as usize][k]).sum::<f64>();
        [0, 1, 2].map(|k| 0.25 * sum(k))
    };
    let kept: Vec<u32> =
        grid.cells().filter(|cell| is_bridge(middle(cell))).flatten().copied().collect();
    let mut new = vec![u32::MAX; grid.vertices.len()];
    let mut vertices = Vec::new();
    for &v in &kept {
        if new[v as usize] == u32::MAX {
            new[v as usize] = vertices.len() as u32;
            vertices.push(grid.vertices[v as usize]);
        }
    }
    let cells = kept.iter().map(|&v| new[v as usize]).collect();
    let mesh = VolumeMesh::new(grid.cell_type, vertices, cells);
    // Feet, and the ends of the deck.
    let at_rest = |x: &[f64; 3]| x[1] < 1e-9 || x[0] < 1e-9 || x[0] > LENGTH - 1e-9;
    let held = (0..mesh.vertex_count() as u32).filter(|&v| at_rest(&mesh.vertices[v as usize]));
    let held = held.collect();
    let name = format!("{} tetrahedra", mesh.cell_count());
    Ok(Bridge { name, mesh, held })
}

/// The mesh of Vega, if it is there.
fn vega() -> Fallible<Option<Bridge>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let models = "shared/data/vega/models/simpleBridge";
    let Some(folder) = source.ancestors().map(|a| a.join(models)).find(|f| f.is_dir()) else {
        return Ok(None);
    };
    let mesh = folder.join("simpleBridge-ic_128_0.15_.1.veg");
    let mesh = pliant_mesh::io::read_volume(&mesh)?.mesh;
    // Counted from 1.
    let list = std::fs::read_to_string(folder.join("simpleBridge.bou"))?;
    let numbers = list.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty());
    let held = numbers.map(|n| Ok(n.parse::<u32>()? - 1)).collect::<Fallible<Vec<u32>>>()?;
    let name = format!("Vega's mesh of {} tetrahedra", mesh.cell_count());
    Ok(Some(Bridge { name, mesh, held }))
}

/// A run, and the sideways path of the top of the mast.
struct Run {
    law: &'static str,
    integrator: IntegratorName,
    step: f64,
}

const TIME: f64 = 4.0;
const LARGE_STEP: f64 = 0.04;

impl Run {
    fn path(&self, bridge: &Bridge) -> Fallible<Vec<[f64; 2]>> {
        let Bridge { mesh, held, .. } = bridge;
        let partition = Partition::new(mesh)?;
        let rest = partition.vertices().apply(&mesh.vertices);
        let lame = Lame::from_young_poisson(1e7, 0.45)?;
        let (law, constants) = (Material::by_name(self.law)?.point(), [lame.lambda, lame.mu]);
        let tet = ElementName::Tet4;
        let parameters = Parameters::Uniform(&constants);
        let elastic = solid::solid(mesh, &partition, tet, law, parameters, &|_| true)?;
        let masses = tet.lumped_mass(mesh, &partition, &|_| 1000.0)?;
        let damping = LinearDamping::mass_proportional(&masses, 0.1)?;
        let models: Vec<(Role, Box<dyn ForceModel>)> =
            vec![(Role::Elastic, elastic), (Role::Damping, Box::new(damping))];
        let mut constraints = Constraints::new();
        let new = partition.vertices().old_to_new();
        let held: Vec<u32> = held.iter().map(|&v| new[v as usize]).collect();
        constraints.fix(&held, &rest)?;
        let system = System::new(&rest, models)?;
        let mass = tet.consistent_mass(mesh, &partition, &|_| 1000.0, system.pattern())?;
        let mut system = system.with_mass(Mass::Consistent(mass))?.with_constraints(constraints)?;

        // Sideways, like the square of the height above the feet.
        let low = rest.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
        let high = rest.iter().map(|x| x[1]).fold(f64::NEG_INFINITY, f64::max);
        let mut state = State::at_rest(&rest);
        for (v, x) in state.v.iter_mut().zip(&rest) {
            v[2] = 2.0 * ((x[1] - low) / (high - low)).powi(2);
        }
        for &v in &held {
            state.v[v as usize] = [0.0; 3];
        }
        // Of the vertices at the top the first along the bridge, and across it.
        let top = (0..rest.len()).filter(|&v| rest[v][1] > high - 1e-6);
        let along = |v: usize| rest[v][0] + 1e-3 * rest[v][2];
        let top = top.min_by(|&a, &b| along(a).total_cmp(&along(b))).ok_or("no vertices")?;

        let solver = Choice { solver: SolverName::Cholesky, ..Choice::default() };
        let mut integrator =
            self.integrator.build(&Options { solver, ..Options::semi_implicit() })?;
        let mut path = vec![[0.0, 0.0]];
        for _ in 0..(TIME / self.step).round() as usize {
            integrator.step(&mut system, &mut state, self.step)?;
            path.push([state.time, state.x[top][2] - rest[top][2]]);
        }
        Ok(path)
    }
}

struct Study {
    csv: String,
    curves: Vec<Curve>,
}

impl Study {
    fn new() -> Self {
        Self { csv: "run,time,z\n".into(), curves: Vec::new() }
    }

    fn add(&mut self, name: &str, run: &Run, bridge: &Bridge, dashed: bool) -> Fallible<()> {
        let clock = std::time::Instant::now();
        let points = run.path(bridge)?;
        let largest = points.iter().map(|p| p[1].abs()).fold(0.0, f64::max);
        // The last second tells how much motion is left.
        let late = points.iter().filter(|p| p[0] > TIME - 1.0).map(|p| p[1].abs());
        println!(
            "{name:34} {:6.1} s; largest {largest:.4} m, in the last second {:.4} m",
            clock.elapsed().as_secs_f64(),
            late.fold(0.0, f64::max)
        );
        for [t, z] in &points {
            writeln!(self.csv, "\"{name}\",{t:.5},{z:.6e}")?;
        }
        self.curves.push(Curve { name: name.into(), points, marks: false, dashed });
        Ok(())
    }

    fn write(self, folder: &Path, file: &str, title: &str) -> Fallible<()> {
        let axis = |label: &str| Axis { label: label.into(), ..Axis::default() };
        let (x, y) = (axis("time / s"), axis("top of the mast, sideways / m"));
        let plot = Plot { title: title.into(), x, y, curves: self.curves };
        std::fs::write(folder.join(format!("{file}.svg")), plot.svg(900.0, 420.0))?;
        std::fs::write(folder.join(format!("{file}.csv")), self.csv)?;
        Ok(())
    }
}

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let folder: PathBuf = arguments.next().ok_or("a folder to write to is needed")?.into();
    let fine = arguments.any(|a| a == "fine");
    std::fs::create_dir_all(&folder)?;
    let stvk = "st-venant-kirchhoff";

    let bridge = match vega()? {
        Some(bridge) => bridge,
        None => made(1)?,
    };
    let mut steps = Study::new();
    for k in 0..4 {
        let step = LARGE_STEP / f64::from(1 << k);
        let run = Run { law: stvk, integrator: IntegratorName::BackwardEuler, step };
        let name = format!("backward Euler, {} ms", 1e3 * step);
        steps.add(&name, &run, &bridge, false)?;
    }
    let midpoint = IntegratorName::ImplicitMidpoint;
    let run = Run { law: stvk, integrator: midpoint, step: LARGE_STEP / 8.0 };
    steps.add(&format!("midpoint, {} ms", 1e3 * run.step), &run, &bridge, true)?;
    steps.write(&folder, "steps", &format!("Steps: {} (Vega figure 7)", bridge.name))?;

    let mut meshes = Study::new();
    let run = Run { law: stvk, integrator: IntegratorName::BackwardEuler, step: LARGE_STEP / 4.0 };
    for level in if fine { vec![1, 2, 4] } else { vec![1, 2] } {
        let bridge = made(level)?;
        meshes.add(&bridge.name, &run, &bridge, false)?;
    }
    let corotated = Run { law: "corotational", ..run };
    meshes.add("the first, corotational", &corotated, &made(1)?, true)?;
    meshes.write(&folder, "meshes", "Meshes: backward Euler, 10 ms (Vega figure 9)")
}
