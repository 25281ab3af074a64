//! `tables/NAME.csv`: values at points or vertices at chosen times. Files are whole after every time, and hold no timings.

use std::path::Path;

use pliant_algebra::vec3::{Vec3, add_scaled, sub};
use pliant_forces::stress::Stress;
use pliant_mesh::embed::Embedding;
use pliant_model::{Body, StressModel};

use crate::build::simulation::Simulation;
use crate::error::SceneError;
use crate::run::history::CsvFile;
use crate::spec::scene::Scene;
use crate::spec::table::{TableAt, TableColumn, TableSpec, TableTimes};

/// The folder that tables are in.
pub(crate) const FOLDER: &str = "tables";

/// The tables of a run.
pub(crate) struct Tables {
    list: Vec<Open>,
}

struct Open {
    file: CsvFile,
    columns: Vec<TableColumn>,
    times: TableTimes,
    /// Where the body is in the system.
    range: std::ops::Range<usize>,
    stress: Option<StressModel>,
    rows: Vec<Place>,
    /// The time of the step before, s.
    before: f64,
}

/// A row: a point of a body.
struct Place {
    /// Of the vertex or point, from 0.
    number: usize,
    rest: Vec3,
    /// Vertices of the system, and their weights.
    vertices: Vec<(u32, f64)>,
    /// Cells whose stresses count, and their weights.
    cells: Vec<(u32, f64)>,
}

impl Tables {
    /// Opens all tables of a scene, or goes on with those that have rows up to a step.
    pub(crate) fn open(
        folder: &Path,
        scene: &Scene,
        simulation: &Simulation,
        resumed: Option<u64>,
    ) -> Result<Self, SceneError> {
        let mut list = Vec::new();
        for spec in &scene.output.tables {
            let at = folder.join(FOLDER);
            std::fs::create_dir_all(&at).map_err(|e| {
                SceneError::output(format!("cannot make {}: {e}", at.display())).because(e)
            })?;
            let body =
                scene.body_or_only(spec.body.as_ref(), "table", &spec.name, &spec.location)?;
            let body = &simulation.bodies[body];
            let of_cells = spec.columns.iter().any(|c| c.is_of_cells());
            let stress = if of_cells { StressModel::new(body) } else { None };
            if of_cells && stress.is_none() {
                let text = format!(
                    "table '{}': body '{}' is made of springs and has no stress",
                    spec.name, body.name
                );
                return Err(SceneError::new(text).at(&spec.location));
            }
            let path = at.join(format!("{}.csv", spec.name));
            list.push(Open {
                file: CsvFile::open(&path, &header(spec), resumed)?,
                columns: spec.columns.clone(),
                times: spec.times.clone(),
                range: body.range.clone(),
                stress,
                rows: places(spec, body)?,
                before: if resumed.is_some() { simulation.state().time } else { f64::NEG_INFINITY },
            });
        }
        Ok(Self { list })
    }

    /// Writes the rows that are due. To be called at the start and after every step, with whether a stage ends there.
    pub(crate) fn record(
        &mut self,
        simulation: &mut Simulation,
        ends: bool,
    ) -> Result<(), SceneError> {
        for table in &mut self.list {
            // Times are sums of steps: they differ from what was asked for by rounding.
            let state = simulation.state();
            let reached = |t: f64, by: f64| t <= by + 1e-9 * simulation.time().step;
            let due = match &table.times {
                TableTimes::End => ends,
                TableTimes::Every(steps) => state.steps.is_multiple_of(*steps),
                TableTimes::At(times) => {
                    times.iter().any(|&t| reached(t, state.time) && !reached(t, table.before))
                }
            };
            table.before = state.time;
            if due {
                table.write(simulation)?;
            }
        }
        Ok(())
    }
}

fn header(spec: &TableSpec) -> String {
    let first = match spec.at {
        TableAt::Points(_) => "point",
        TableAt::Vertices(_) => "vertex",
    };
    let mut names: Vec<String> =
        ["step", "time [s]", first, "X [m]", "Y [m]", "Z [m]"].map(str::to_owned).into();
    names.extend(spec.columns.iter().flat_map(|c| c.header()));
    names.join(",")
}

/// The rows of a table.
fn places(spec: &TableSpec, body: &Body) -> Result<Vec<Place>, SceneError> {
    let points = match &spec.at {
        TableAt::Vertices(on) => {
            let list = match on {
                Some(on) => on.vertices(body)?,
                None => (0..body.mesh.vertex_count() as u32).collect(),
            };
            return Ok(at_vertices(&list, body));
        }
        TableAt::Points(points) => points,
    };
    let bound = Embedding::isoparametric(&body.mesh, points).map_err(SceneError::from)?;
    let cells = bound.cells.clone();
    if bound.outside.largest > 1e-6 * body.size() {
        let text = format!(
            "table '{}': {} of its points are outside of body '{}', up to {:.3e} m",
            spec.name, bound.outside.count, body.name, bound.outside.largest
        );
        return Err(SceneError::new(text).at(&spec.location).hint("points are positions at rest"));
    }
    let k = bound.vertices_per_point;
    let place = |(number, &rest): (usize, &Vec3)| {
        let of = bound.indices[number * k..(number + 1) * k].iter();
        let weights = &bound.weights[number * k..(number + 1) * k];
        Place {
            number,
            rest,
            vertices: of.map(|&v| body.system_vertex(v)).zip(weights.iter().copied()).collect(),
            cells: vec![(cells[number], 1.0)],
        }
    };
    Ok(points.iter().enumerate().map(place).collect())
}

/// Vertices, whose stresses are means over the cells around them.
fn at_vertices(list: &[u32], body: &Body) -> Vec<Place> {
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); body.mesh.vertex_count()];
    for (cell, nodes) in body.mesh.cells().enumerate() {
        for &v in nodes {
            around[v as usize].push(cell as u32);
        }
    }
    let place = |&v: &u32| {
        let cells = &around[v as usize];
        let share = 1.0 / cells.len().max(1) as f64;
        Place {
            number: v as usize,
            rest: body.mesh.vertices[v as usize],
            vertices: vec![(body.system_vertex(v), 1.0)],
            cells: cells.iter().map(|&cell| (cell, share)).collect(),
        }
    };
    list.iter().map(place).collect()
}

impl Open {
    fn write(&mut self, simulation: &mut Simulation) -> Result<(), SceneError> {
        let of_contact = self.columns.iter().any(|c| c.is_of_contact());
        let fields = if of_contact { simulation.contact_fields()? } else { None };
        let [pressure, gap] = fields.map_or_else(Default::default, |fields| {
            [fields.pressure().to_vec(), fields.gap().to_vec()]
        });
        let state = simulation.state();
        let stresses = (self.stress.as_ref())
            .map(|model| model.stresses(&state.x[self.range.clone()], &state.memory));
        let mut text = String::new();
        for place in &self.rows {
            let mean = |values: &[Vec3]| {
                let add = |sum: Vec3, &(v, w): &(u32, f64)| add_scaled(sum, values[v as usize], w);
                place.vertices.iter().fold([0.0; 3], add)
            };
            let tensor = |of: &dyn Fn(&Stress) -> [f64; 6]| {
                let mut sum = [0.0; 6];
                for &(cell, weight) in &place.cells {
                    let stress = stresses.as_ref().and_then(|all| all[cell as usize].as_ref());
                    let six = stress.map_or([f64::NAN; 6], of);
                    sum.iter_mut().zip(six).for_each(|(sum, s)| *sum += weight * s);
                }
                sum
            };
            // Vertices of points inside of cells have none: 0.
            let scalar = |values: &[f64]| {
                let add = |sum, &(v, w): &(u32, f64)| {
                    sum + w * values.get(v as usize).copied().unwrap_or(f64::NAN)
                };
                place.vertices.iter().fold(0.0, add)
            };
            let mut numbers: Vec<f64> = place.rest.to_vec();
            for column in &self.columns {
                match column {
                    TableColumn::Position => numbers.extend(mean(&state.x)),
                    TableColumn::Displacement => {
                        numbers.extend(sub(mean(&state.x), place.rest));
                    }
                    TableColumn::Velocity => numbers.extend(mean(&state.v)),
                    TableColumn::Stress => numbers.extend(tensor(&|s| Stress::six(&s.cauchy))),
                    TableColumn::Strain => numbers.extend(tensor(&|s| Stress::six(&s.green))),
                    TableColumn::VonMises => {
                        numbers.push(von_mises(tensor(&|s| Stress::six(&s.cauchy))));
                    }
                    TableColumn::ContactPressure => numbers.push(scalar(&pressure)),
                    TableColumn::ContactGap => numbers.push(scalar(&gap)),
                    TableColumn::Jacobian => numbers.push(tensor(&|s| [s.jacobian; 6])[0]),
                }
            }
            text += &format!("{},{:?},{}", state.steps, state.time, place.number);
            for n in &numbers {
                text += &format!(",{n:?}");
            }
            text.push('\n');
        }
        self.file.append(&text)
    }
}

/// Von Mises stress of a tensor as xx, yy, zz, xy, yz, xz.
pub(crate) fn von_mises([xx, yy, zz, xy, yz, xz]: [f64; 6]) -> f64 {
    let square = |a: f64| a * a;
    let normal = square(xx - yy) + square(yy - zz) + square(zz - xx);
    (0.5 * normal + 3.0 * (square(xy) + square(yz) + square(xz))).sqrt()
}
