//! `history.csv`: one row a recorded step. The file is whole after every row, and holds no timings, so
//! that two runs of one scene have the same bytes.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use pliant_algebra::vec3::Vec3;

use crate::build::simulation::Simulation;
use crate::error::SceneError;
use crate::spec::time::Analysis;

/// A table whose rows begin with the number of a step, open for the next row.
pub(crate) struct CsvFile {
    file: File,
    path: PathBuf,
}

impl CsvFile {
    /// Begins the file, or goes on with one that has rows up to `resumed`.
    pub(crate) fn open(
        path: &Path,
        header: &str,
        resumed: Option<u64>,
    ) -> Result<Self, SceneError> {
        let fail = |e: std::io::Error| failure(path, e);
        let mut text = format!("{header}\n");
        if let Some(steps) = resumed {
            let old = fs::read_to_string(path).map_err(fail)?;
            // Whole rows only, and only those before the checkpoint.
            let whole = &old[..old.rfind('\n').map_or(0, |end| end + 1)];
            let keep = |row: &&str| {
                row.split(',')
                    .next()
                    .and_then(|n| n.parse::<u64>().ok())
                    .is_some_and(|n| n <= steps)
            };
            for row in whole.lines().skip(1).filter(keep) {
                text += row;
                text.push('\n');
            }
        }
        let part = path.with_extension("csv.part");
        fs::write(&part, text).and_then(|()| fs::rename(&part, path)).map_err(fail)?;
        let file = OpenOptions::new().append(true).open(path).map_err(fail)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Adds whole rows.
    pub(crate) fn append(&mut self, rows: &str) -> Result<(), SceneError> {
        self.file.write_all(rows.as_bytes()).map_err(|e| failure(&self.path, e))
    }
}

/// The file, open for the next row.
pub(crate) struct History(CsvFile);

impl History {
    /// Begins the file, or goes on with one that has rows up to `resumed`.
    pub(crate) fn open(
        path: &Path,
        simulation: &Simulation,
        resumed: Option<u64>,
    ) -> Result<Self, SceneError> {
        CsvFile::open(path, &header(simulation), resumed).map(Self)
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, simulation: &mut Simulation) -> Result<(), SceneError> {
        let row = row(simulation)?;
        self.0.append(&row)
    }
}

fn failure(path: &Path, e: std::io::Error) -> SceneError {
    SceneError::output(format!("cannot write {}: {e}", path.display())).because(e)
}

fn header(simulation: &Simulation) -> String {
    let mut columns: Vec<String> =
        ["step", "time [s]", "newton_iterations", "linear_iterations"].map(str::to_owned).into();
    let energies =
        ["kinetic", "elastic", "gravity", "other", "external_work", "dissipated", "numerical_loss"];
    columns.extend(energies.map(|name| format!("{name} [J]")));
    let mut vector = |name: &str, unit: &str| {
        columns.extend(["x", "y", "z"].map(|axis| format!("{name}.{axis} [{unit}]")));
    };
    vector("linear_momentum", "kg m/s");
    vector("angular_momentum", "kg m^2/s");
    let bodies = simulation.bodies.iter().map(|b| &b.name);
    for name in bodies.chain(simulation.supports.iter().map(|s| &s.name)) {
        vector(&format!("reaction.{}", quiet(name)), "N");
    }
    for probe in &simulation.probes {
        vector(&format!("probe.{}", quiet(&probe.name)), "m");
    }
    // Last, as columns were added after others were relied on: retries are cumulative; what follows is of the state.
    columns.extend(["retries", "min_j", "inverted_points", "stable"].map(str::to_owned));
    if simulation.stage().is_some() {
        columns.push("stage".to_owned());
    }
    for support in simulation.supports.iter().filter(|s| s.about.is_some()) {
        let name = quiet(&support.name);
        columns.extend(["x", "y", "z"].map(|axis| format!("moment.{name}.{axis} [N m]")));
    }
    for norm in &simulation.norms {
        columns.push(format!("norm.{} [{}]", quiet(&norm.name), norm.unit()));
    }
    for stress in &simulation.stresses {
        let name = quiet(&stress.name);
        let entries = ["xx", "yy", "zz", "xy", "yz", "xz"];
        columns.extend(entries.map(|entry| format!("stress.{name}.{entry} [Pa]")));
    }
    if simulation.remembers() {
        columns.push("memory [J]".to_owned());
    }
    for [a, b] in simulation.contact_pairs() {
        let [a, b] = [a, b].map(|body| quiet(simulation.touching_name(body)));
        columns.extend(["x", "y", "z"].map(|axis| format!("contact_{a}_{b}_{axis} [N]")));
        columns.extend(["tx", "ty", "tz"].map(|axis| format!("contact_{a}_{b}_{axis} [N m]")));
    }
    columns.join(",")
}

/// A name without what would break a table.
pub(crate) fn quiet(name: &str) -> String {
    name.replace([',', '"', '\n'], "_")
}

fn row(simulation: &mut Simulation) -> Result<String, SceneError> {
    let state = simulation.state();
    let mut text = format!("{},{:?},", state.steps, state.time);
    if let Some(iterations) = simulation.last_iterations() {
        text += &iterations.to_string();
    }
    text.push(',');
    if simulation.state().steps > 0 {
        text += &simulation.last_linear_iterations().to_string();
    }
    let b = simulation.balance();
    let known = simulation.has_energy();
    // As in the summary: states of rest are not reached by a motion, and nothing was lost on the way.
    let moves = simulation.time().analysis == Analysis::Dynamic;
    for (number, known) in [
        (b.energies.kinetic, true),
        (b.energies.elastic, known),
        (b.energies.gravity, true),
        (b.energies.other, true),
        (b.external_work, true),
        (b.dissipated, known),
        (b.numerical_loss, known && moves),
    ] {
        // An energy that is not known is an empty field, not a wrong number.
        text += &if known { format!(",{number:?}") } else { ",".to_owned() };
    }
    let mut vector = |v: Vec3| v.iter().for_each(|c| text += &format!(",{c:?}"));
    let (linear, angular) = simulation.momenta();
    vector(linear);
    vector(angular);
    simulation.reactions()?.into_iter().for_each(&mut vector);
    for probe in &simulation.probes {
        vector(probe.at(&simulation.state().x));
    }
    text += &format!(",{}", simulation.tally().retries.attempts);
    text += &match simulation.inspect()? {
        Some(seen) => format!(",{:?},{}", seen.min_j, seen.inverted),
        None => ",,".to_owned(),
    };
    text += match simulation.stable() {
        Some(true) => ",1",
        Some(false) => ",0",
        None => ",",
    };
    if let Some((number, _)) = simulation.stage() {
        text += &format!(",{}", number + 1);
    }
    let mut number = |n: f64| text += &format!(",{n:?}");
    let moments = simulation.moments()?;
    for (support, moment) in simulation.supports.iter().zip(moments) {
        if support.about.is_some() {
            moment.into_iter().for_each(&mut number);
        }
    }
    for norm in &simulation.norms {
        number(norm.value(simulation.state()));
    }
    for stress in &simulation.stresses {
        stress.value(simulation.state()).into_iter().for_each(&mut number);
    }
    if simulation.remembers() {
        let b = simulation.balance();
        text += &if known { format!(",{:?}", b.energies.memory) } else { ",".to_owned() };
    }
    let pairs = simulation.contact_pairs();
    let mut number = |n: f64| text += &format!(",{n:?}");
    simulation.forces_of(&pairs).into_iter().flatten().flatten().for_each(&mut number);
    text.push('\n');
    Ok(text)
}
