//! Every solver × ordering × preconditioner on thirty seeded systems from generated and real meshes: the
//! answer is known, and residuals are recomputed here.

use std::path::Path;
use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{Vec3, dot, norm};
use pliant_forces::solid::elastic;
use pliant_forces::{Ask, Configuration, ElementName, Parameters, Partition, Slots, Workspace};
use pliant_materials::{Constants, Material};
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::{Bar, BoxShape, CellChoice, Cylinder, Sphere};
use pliant_mesh::io::read_volume;
use pliant_mesh::measure::{bounding_box, longest_axis};
use pliant_mesh::refine::to_quadratic;
use pliant_solvers::iterative::{PreconditionerName, Settings, Stop};
use pliant_solvers::ordering::OrderingName;
use pliant_solvers::{Choice, Constraints, Layout, SolverError, SolverName, StopReason};

/// Where iterations stop.
const TOLERANCE: f64 = 1e-10;
/// What direct solvers leave at most: ‖b − A x‖ / ‖b‖. Seen is 4e-15.
const DIRECT: f64 = 2e-14;
/// ‖x − x*‖ / ‖x*‖ of iterative and of direct solvers: seen are 9e-8 and 2e-13, where a small
/// mass and a large step make the condition bad.
const ERROR: [f64; 2] = [3e-7, 1e-12];

/// Numbers in [0, 1), the same on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn vector(&mut self) -> Vec3 {
        [(); 3].map(|()| self.between(-1.0, 1.0))
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// M + h²K
    Definite,
    /// K − ω²M above the first frequencies
    Indefinite,
    /// M + hG + h²K with the Coriolis terms G of a turning frame
    Unsymmetric,
}

struct System {
    name: String,
    kind: Kind,
    matrix: BlockMatrix,
    b: Vec<Vec3>,
    answer: Vec<Vec3>,
    positions: Vec<Vec3>,
    elements: Vec<u32>,
    nodes: usize,
}

/// Meshes in turn: generated ones, and the smaller ones of the Vega data set where it is there.
fn meshes() -> Vec<(&'static str, VolumeMesh)> {
    let hex = CellChoice::Hex;
    let block = BoxShape { cells: [4, 3, 3], jitter: 0.3, seed: 5, ..BoxShape::default() };
    let bricks = BoxShape { cells: [5, 3, 2], jitter: 0.2, cell: hex, ..BoxShape::default() };
    let bar = Bar { across: 2, ..Bar::default() };
    let long = BoxShape { size: [1.0, 0.2, 0.2], cells: [4, 1, 1], ..BoxShape::default() };
    let mut all = vec![
        ("box", block.generate().unwrap()),
        ("bricks", bricks.generate().unwrap()),
        ("sphere", Sphere { core: 2, rings: 2, ..Sphere::default() }.generate().unwrap()),
        ("bar", bar.generate().unwrap()),
        ("quadratic", to_quadratic(&long.generate().unwrap()).unwrap()),
        ("cylinder", Cylinder::default().generate().unwrap()),
    ];
    let models = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/data/vega/models"))
        .find(|models| models.is_dir());
    for (name, file) in [
        ("beam3", "beam3/beam3.veg"),
        ("beam3_tet", "beam3/beam3_tet.veg"),
        ("turtle", "turtle/turtle-volumetric-homogeneous.veg"),
        ("dragon", "asianDragon/asianDragon.veg"),
    ] {
        if let Some(models) = &models {
            all.push((name, read_volume(&models.join(file)).unwrap().mesh));
        }
    }
    for (_, mesh) in &mut all {
        let bounds = bounding_box(mesh);
        let extent = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
        for p in &mut mesh.vertices {
            *p = p.map(|x| x / extent);
        }
    }
    all
}

impl System {
    fn new(seed: u64, name: &str, mesh: &VolumeMesh) -> Self {
        let mut random = Random(seed);
        let kind = match seed % 8 {
            3 => Kind::Indefinite,
            6 => Kind::Unsymmetric,
            _ => Kind::Definite,
        };
        let h = 10_f64.powf(random.between(-3.0, -1.3));
        let young = 10_f64.powf(random.between(4.5, 6.5));
        let poisson = random.between(0.1, 0.47);
        let law = ["linear", "neo-hookean", "st-venant-kirchhoff", "stable-neo-hookean"];
        let material = Material::by_name(law[seed as usize % 4]).unwrap();
        let constants =
            Constants::YoungPoisson { young, poisson }.parameters(material.law()).unwrap();

        let element = ElementName::of(mesh.cell_type);
        let partition = Partition::new(mesh).unwrap();
        let everywhere = Parameters::Uniform(&constants);
        let mut body =
            elastic(mesh, &partition, element, &material, everywhere, &|_| true).unwrap();
        let n = mesh.vertex_count();
        let pattern = Arc::new(Pattern::symmetric(n, |couple| body.couplings(couple)).unwrap());
        body.bind(&Slots::new(&pattern, 0, "model")).unwrap();
        let mass = element.consistent_mass(mesh, &partition, &|_| 1000.0, &pattern).unwrap();
        // Stretched by 5 %, which keeps the stiffness definite.
        let positions = partition.vertices().apply(&mesh.vertices);
        let x: Vec<Vec3> = positions.iter().map(|p| p.map(|c| 1.05 * c)).collect();
        let mut matrix = BlockMatrix::zero(pattern.clone());
        let mut ask =
            Ask { tangent: Some(&mut matrix.values), position_weight: h * h, ..Ask::default() };
        body.evaluate(&Configuration::new(&x, &x, 0.0), &mut ask, &mut Workspace::new()).unwrap();
        // The first frequencies of a body of 1 m are of the order of the speed of sound, or lower.
        let speed = (young / 1000.0).sqrt();
        let weight = if kind == Kind::Indefinite { -(5.0 * h * speed).powi(2) } else { 1.0 };
        for (a, m) in matrix.values.as_flattened_mut().iter_mut().zip(mass.values.as_flattened()) {
            *a += weight * m;
        }
        if kind == Kind::Unsymmetric {
            matrix = turning(&matrix, &mass, [0.3 * h, -0.2 * h, 0.5 * h].map(|w| 20.0 * w));
        }

        let answer: Vec<Vec3> = (0..n).map(|_| random.vector()).collect();
        let mut b = product(&matrix, &answer);
        let mut constraints = Constraints::new();
        let axis = longest_axis(mesh);
        let end = 0.05 + bounding_box(mesh).min[axis];
        if seed % 3 != 1 {
            for vertex in 0..n as u32 {
                let x = answer[vertex as usize];
                if positions[vertex as usize][axis] < end && random.next() < 0.7 {
                    constraints.fix(vertex, x).unwrap();
                } else if random.next() < 0.1 {
                    let direction = random.vector();
                    let value = dot(direction, x) / norm(direction);
                    constraints.constrain(vertex, direction, value).unwrap();
                }
            }
        }
        constraints.project(&mut matrix, &mut b).unwrap();

        let nodes = mesh.cell_type.nodes();
        let new = partition.vertices().old_to_new();
        let elements = mesh.cells().flatten().map(|&v| new[v as usize]).collect();
        let held = constraints.count();
        let name = format!("seed {seed}: {name}, {n} vertices, {held} held, {kind:?}");
        Self { name, kind, matrix, b, answer, positions, elements, nodes }
    }

    fn layout(&self) -> Layout<'_> {
        Layout { positions: Some(&self.positions), elements: Some((&self.elements, self.nodes)) }
    }

    /// Solves, checks residual and answer, and returns the error of the answer.
    fn solve(&self, choice: Choice) -> Result<f64, SolverError> {
        let mut solver = choice.build()?;
        solver.analyze(self.matrix.pattern(), &self.layout())?;
        solver.factor(&self.matrix)?;
        let mut x = vec![[0.0; 3]; self.b.len()];
        let report = solver.solve(&self.matrix, &self.b, &mut x)?;
        let who = format!("{}: {} {}", self.name, solver.name(), describe(choice));
        let residual = distance(&product(&self.matrix, &x), &self.b);
        let direct = report.reason == StopReason::Direct;
        let allowed = if direct { DIRECT } else { 1.001 * TOLERANCE };
        assert!(residual <= allowed, "{who}: residual {residual:.2e}, {report:?}");
        let told = (report.relative_residual - residual).abs();
        assert!(told < 1e-13, "{who}: residual {residual:.2e}, {report:?}");
        let error = distance(&x, &self.answer);
        assert!(error < ERROR[usize::from(direct)], "{who}: error {error:.2e}");
        Ok(error)
    }
}

fn describe(choice: Choice) -> String {
    let ordering = choice.ordering.map_or("", OrderingName::name);
    let preconditioner = choice.preconditioner.map_or("", PreconditionerName::name);
    format!("{preconditioner} {ordering}")
}

/// A x, block by block, in a plain loop.
fn product(matrix: &BlockMatrix, x: &[Vec3]) -> Vec<Vec3> {
    let pattern = matrix.pattern();
    let mut y = vec![[0.0; 3]; x.len()];
    for i in 0..matrix.rows() {
        for (k, &j) in pattern.range(i).zip(pattern.row(i)) {
            let (a, j) = (matrix.values[k], j as usize);
            for r in 0..3 {
                for c in 0..3 {
                    y[i][r] += a[3 * r + c] * x[j][c];
                    if pattern.is_symmetric() && i != j {
                        y[j][c] += a[3 * r + c] * x[i][r];
                    }
                }
            }
        }
    }
    y
}

/// ‖a − b‖ / ‖b‖
fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    let square = |list: &mut dyn Iterator<Item = f64>| list.map(|v| v * v).sum::<f64>();
    let (a, b) = (a.as_flattened(), b.as_flattened());
    let apart = square(&mut a.iter().zip(b).map(|(a, b)| a - b));
    (apart / square(&mut b.iter().copied())).sqrt()
}

/// A + M [w]ₓ as an unsymmetric matrix.
fn turning(matrix: &BlockMatrix, mass: &BlockMatrix, w: Vec3) -> BlockMatrix {
    let pattern = matrix.pattern();
    let each = |couple: &mut dyn FnMut(u32, u32)| {
        for i in 0..pattern.rows() as u32 {
            for &j in pattern.row(i as usize) {
                couple(i, j);
                couple(j, i);
            }
        }
    };
    let all = Pattern::unsymmetric(pattern.rows(), |couple| each(couple)).unwrap();
    let mut turned = BlockMatrix::zero(Arc::new(all));
    let cross = [0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0];
    for i in 0..pattern.rows() {
        for (k, &j) in pattern.range(i).zip(pattern.row(i)) {
            let (a, m) = (matrix.values[k], mass.values[k][0]);
            turned.add(i as u32, j, &std::array::from_fn(|e| a[e] + m * cross[e]));
            if i != j as usize {
                let across = |e: usize| a[3 * (e % 3) + e / 3] + m * cross[e];
                turned.add(j, i as u32, &std::array::from_fn(across));
            }
        }
    }
    turned
}

fn direct(solver: SolverName) -> impl Iterator<Item = Choice> {
    // Only the one in single precision has use for it.
    let settings = Settings { tolerance: DIRECT, ..Settings::default() };
    OrderingName::ALL.into_iter().map(move |o| Choice {
        solver,
        ordering: Some(o),
        settings,
        ..Choice::default()
    })
}

fn iterative(solver: SolverName, names: &[PreconditionerName]) -> impl Iterator<Item = Choice> {
    let settings = Settings { tolerance: TOLERANCE, stop: Stop::Residual, max_iterations: 20_000 };
    names.iter().flat_map(move |&p| {
        // A factor kept as a preconditioner has an ordering.
        let orderings = if p == PreconditionerName::StaleCholesky && solver == SolverName::Cg {
            OrderingName::ALL.map(Some).to_vec()
        } else {
            vec![None]
        };
        let choose = move |ordering| Choice { solver, preconditioner: Some(p), ordering, settings };
        orderings.into_iter().map(choose)
    })
}

/// All that serve such a system.
fn choices(kind: Kind) -> Vec<Choice> {
    use SolverName::{Bicgstab, Cg, Cholesky, CholeskySingle, Gmres, Ldlt, Lu, Minres};
    let all = PreconditionerName::ALL;
    let diagonals = [PreconditionerName::Diagonal, PreconditionerName::BlockDiagonal];
    let settings = Settings { tolerance: TOLERANCE, ..Settings::default() };
    let mut list = vec![Choice { settings, ..Choice::default() }];
    match kind {
        Kind::Definite => {
            list.extend([Cholesky, CholeskySingle, Ldlt, Lu].into_iter().flat_map(direct));
            list.extend([Cg, Minres, Bicgstab, Gmres].into_iter().flat_map(|s| iterative(s, all)));
        }
        Kind::Indefinite => {
            list.extend([Ldlt, Lu].into_iter().flat_map(direct));
            list.extend(iterative(Minres, &diagonals));
        }
        Kind::Unsymmetric => {
            list.extend(direct(Lu));
            list.extend([Bicgstab, Gmres].into_iter().flat_map(|s| iterative(s, &diagonals)));
        }
    }
    list
}

/// The systems whose seeds are in that range.
fn agree(seeds: std::ops::Range<u64>) {
    let meshes = meshes();
    for seed in seeds {
        let (name, mesh) = &meshes[seed as usize % meshes.len()];
        let system = System::new(seed, name, mesh);
        let mut worst: (f64, String) = (0.0, String::new());
        for choice in choices(system.kind) {
            let who = || format!("{} {}", choice.solver.name(), describe(choice));
            let error =
                system.solve(choice).unwrap_or_else(|e| panic!("{}: {}: {e}", system.name, who()));
            if error > worst.0 {
                worst = (error, who());
            }
        }
        println!("{}: worst error {:.1e}, {}", system.name, worst.0, worst.1);
        if system.kind == Kind::Indefinite {
            let refused =
                system.solve(Choice { solver: SolverName::Cholesky, ..Choice::default() });
            let typed = matches!(refused, Err(SolverError::NotPositiveDefinite { .. }));
            assert!(typed, "{}: cholesky said {refused:?}", system.name);
        }
    }
}

#[test]
fn all_solvers_agree_on_the_first_ten_systems() {
    agree(0..10);
}

#[test]
fn all_solvers_agree_on_the_next_ten_systems() {
    agree(10..20);
}

#[test]
fn all_solvers_agree_on_the_last_ten_systems() {
    agree(20..30);
}
