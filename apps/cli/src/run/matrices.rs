//! `pliant matrices`: f, K, M and D of a scene.

use std::io::Write;
use std::path::Path;

use pliant::algebra::sparse::Csr;
use pliant::dynamics::{ModelForce, Role};
use pliant::mesh::MeshError;
use pliant::mesh::io::write_file;
use pliant::model::Matrices;
use pliant::scene::{Kept, Simulation};
use serde_json::json;

use super::flags::{MatricesFlags, MatrixFormat};
use super::given_state::State;
use super::{npz, scene};
use crate::context::Context;
use crate::failure::Failure;

/// Writes the matrices of the state that a scene begins with, of one that a run has saved, or of one that is given.
pub fn matrices(flags: &MatricesFlags, context: &Context) -> Result<(), Failure> {
    if let Some(state) = flags.state.iter().find(|state| !state.exists()) {
        let text = format!("--state {}: there is no such file or folder", state.display());
        return Err(Failure::Input(text));
    }
    let given = State::of(flags)?;
    let (mut simulation, scene) = match (&given, &flags.scene) {
        // The run knows its scene, and what was set on top of it.
        (State::Checkpoint(run, _) | State::Frames(Some(run)), None) if flags.set.is_empty() => {
            let scene = Kept::of(run)?.load()?;
            (Simulation::build(&scene)?, scene)
        }
        (State::Frames(_) | State::Arrays, None) => {
            let text = "--state: a frame or an array does not know its scene; give that too: pliant matrices SCENE --state …";
            return Err(Failure::Input(text.to_owned()));
        }
        (_, name) => {
            let scene = scene::load(&scene::origin(name.as_deref(), flags.set.clone()))?;
            (Simulation::build(&scene)?, scene)
        }
    };
    if let State::Checkpoint(_, file) = &given {
        simulation.load_checkpoint(file, &scene)?;
    }
    for warning in &simulation.warnings {
        context.warn(warning);
    }
    let (mut time, mut steps) = (simulation.state().time, Some(simulation.state().steps));
    let found = match &given {
        State::Start | State::Checkpoint(..) if flags.long_term => {
            simulation.matrices_after_long()?
        }
        State::Start | State::Checkpoint(..) => simulation.matrices()?,
        State::Frames(_) | State::Arrays if flags.long_term => {
            let text = "--long-term: what is remembered is not known of frames and arrays; give a scene or the folder of a run";
            return Err(Failure::Input(text.to_owned()));
        }
        State::Frames(_) | State::Arrays => {
            let (positions, velocities, at) = given.read(flags, &simulation)?;
            (time, steps) = (at, None);
            simulation.matrices_at(&positions, &velocities, at)?
        }
    };
    let out = &flags.out;
    std::fs::create_dir_all(out)
        .map_err(|e| Failure::Input(format!("cannot make {}: {e}", out.display())))?;
    let mut files = Files { out, format: flags.format, names: serde_json::Map::new() };
    files.vector("f", &found.force)?;
    files.vectors("x", &found.positions)?;
    files.vectors("v", &found.velocities)?;
    files.vectors("held", &found.held)?;
    let parts = parts(&found, &simulation);
    let mut forces = Vec::new();
    for (part, (name, body)) in found.by_model.iter().zip(&parts) {
        let file = files.vector(&format!("f-{name}"), &part.force)?;
        forces.push(json!({"name": name, "model": part.name, "body": body, "file": file}));
    }
    let rows = 3 * found.force.len();
    let symmetric = found.symmetric;
    let mut entries = serde_json::Map::new();
    for (name, mut matrix) in [("K", found.stiffness), ("M", found.mass), ("D", found.damping)] {
        matrix.drop_zeros();
        let count = write(name, &matrix, symmetric, out, flags.format)?;
        entries.insert(name.to_owned(), count.into());
        let extension = if flags.format == MatrixFormat::Mtx { "mtx" } else { "npz" };
        files.names.insert(name.to_owned(), format!("{name}.{extension}").into());
    }
    let result = json!({
        "output": out.display().to_string(),
        "rows": rows,
        "entries": entries,
        "time": time,
        "steps": steps,
        "files": files.names,
        "forces": forces,
    });
    context.emit(&result, || {
        format!(
            "f, K, M, D at t = {} s with {rows} rows are in {}; units N, N/m, kg, N s/m\n",
            pliant_units::number(time),
            out.display()
        )
    })
}

/// Names of forces by model for files, each another one, and the body that a model is of alone.
fn parts(found: &Matrices, simulation: &Simulation) -> Vec<(String, Option<String>)> {
    let of = |part: &ModelForce| {
        let body = simulation.bodies.iter().find(|b| b.range == part.vertices);
        let body = body.filter(|_| simulation.bodies.len() > 1).map(|b| b.name.clone());
        let kind = match part.role {
            Role::Elastic => "internal".to_owned(),
            Role::Gravity => "gravity".to_owned(),
            Role::Load => "load".to_owned(),
            Role::Damping | Role::Other => part.name.replace(|c: char| !c.is_alphanumeric(), "-"),
        };
        (kind, body)
    };
    let kinds: Vec<(String, Option<String>)> = found.by_model.iter().map(of).collect();
    let numbered = |(k, (kind, body)): (usize, &(String, Option<String>))| {
        let same = |list: &[(String, Option<String>)]| list.iter().filter(|o| o.0 == *kind).count();
        let alone = same(&kinds) == 1;
        let name = if alone { kind.clone() } else { format!("{kind}-{}", same(&kinds[..=k])) };
        (name, body.clone())
    };
    kinds.iter().enumerate().map(numbered).collect()
}

/// Files of vectors.
struct Files<'a> {
    out: &'a Path,
    format: MatrixFormat,
    names: serde_json::Map<String, serde_json::Value>,
}

impl Files<'_> {
    /// Writes a column of 3n numbers; returns the name of the file.
    fn vector(&mut self, name: &str, list: &[[f64; 3]]) -> Result<String, Failure> {
        self.write(name, list, &npz::array(list.as_flattened()))
    }

    /// Writes n vectors: of shape (n, 3) where the format has shapes.
    fn vectors(&mut self, name: &str, list: &[[f64; 3]]) -> Result<String, Failure> {
        self.write(name, list, &npz::vectors(list))
    }

    fn write(&mut self, name: &str, list: &[[f64; 3]], npy: &[u8]) -> Result<String, Failure> {
        let file = match self.format {
            MatrixFormat::Mtx => {
                let file = format!("{name}.mtx");
                write_file(&self.out.join(&file), |sink| vector(list, sink))?;
                file
            }
            MatrixFormat::Npz => {
                let file = format!("{name}.npy");
                write_file(&self.out.join(&file), |sink| Ok(sink.write_all(npy)?))?;
                file
            }
        };
        self.names.insert(name.to_owned(), file.clone().into());
        Ok(file)
    }
}

/// How many entries the file has.
fn write(
    name: &str,
    matrix: &Csr,
    symmetric: bool,
    out: &Path,
    format: MatrixFormat,
) -> Result<usize, Failure> {
    let mut count = matrix.entries();
    match format {
        MatrixFormat::Mtx => write_file(&out.join(format!("{name}.mtx")), |sink| {
            count = market(matrix, symmetric, sink)?;
            Ok(())
        })?,
        MatrixFormat::Npz => {
            let archive = npz::matrix(matrix).map_err(|why| {
                Failure::Input(format!("{name} is too large for .npz ({why}): take --format mtx"))
            })?;
            write_file(&out.join(format!("{name}.npz")), |sink| Ok(sink.write_all(&archive)?))?;
        }
    }
    Ok(count)
}

fn vector(list: &[[f64; 3]], sink: &mut dyn Write) -> Result<(), MeshError> {
    writeln!(sink, "%%MatrixMarket matrix array real general\n{} 1", 3 * list.len())?;
    for number in list.as_flattened() {
        writeln!(sink, "{number:?}")?;
    }
    Ok(())
}

/// Writes all entries, or of a symmetric matrix the lower triangle, and returns how many these are.
fn market(matrix: &Csr, symmetric: bool, sink: &mut dyn Write) -> Result<usize, MeshError> {
    let rows = matrix.rows();
    let listed = || {
        (0..rows).flat_map(|row| {
            let (columns, values) = matrix.row(row);
            let lower = move |column: u32| !symmetric || column as usize <= row;
            let all = columns.iter().zip(values).filter(move |(c, _)| lower(**c));
            all.map(move |(&column, &value)| (row, column, value))
        })
    };
    let count = listed().count();
    let kind = if symmetric { "symmetric" } else { "general" };
    writeln!(sink, "%%MatrixMarket matrix coordinate real {kind}")?;
    writeln!(sink, "{rows} {rows} {count}")?;
    for (row, column, value) in listed() {
        writeln!(sink, "{} {} {value:?}", row + 1, column + 1)?;
    }
    Ok(count)
}
