//! Checkpoints: all that a run needs to go on to the last bit. Writing one changes nothing in the run.

use std::path::Path;

use pliant_dynamics::{Balance, DynamicsError, Energies, State};
use pliant_mesh::io::write_file;
use pliant_sections::{SectionError, Sections};
use pliant_solvers::SolverError;

use crate::build::simulation::{Simulation, Tally};
use crate::error::SceneError;
use crate::run::retry::Retries;
use crate::spec::scene::Scene;

/// What to do about a checkpoint that cannot be used.
const ANEW: &str = "start anew with --force";

/// One, as it is to be written.
pub(crate) fn bytes(simulation: &Simulation, fingerprint: u64) -> Vec<u8> {
    let mut to = Sections::new();
    to.write("scene").word(fingerprint);
    let Balance { energies: e, external_work, dissipated, numerical_loss, through, uncertain } =
        simulation.balance();
    to.write("balance")
        .numbers(simulation.carried_balance())
        .numbers([e.kinetic, e.elastic, e.memory, e.gravity, e.load, e.other])
        .numbers([external_work, dissipated, numerical_loss, through, uncertain]);
    let Tally { newton_iterations, linear_iterations, factorizations, evaluations, retries } =
        simulation.tally();
    to.write("tally")
        .word(newton_iterations)
        .word(linear_iterations)
        .word(factorizations)
        .word(evaluations);
    to.write("retries").words(&retries.to_words());
    if let Some(loss) = simulation.loss_before() {
        to.write("stages").number(loss);
    }
    simulation.state().save(&mut to);
    simulation.save_methods(&mut to);
    to.to_bytes()
}

/// Writes one, in place of an older one, in one step.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), SceneError> {
    write_file(path, |sink| Ok(sink.write_all(bytes)?)).map_err(SceneError::unwritten)
}

impl Simulation {
    /// Brings it to where a run of the same scene has written a checkpoint.
    pub fn load_checkpoint(&mut self, path: &Path, scene: &Scene) -> Result<(), SceneError> {
        read(path, self, scene.lineage())
    }
}

/// Brings a simulation to where a checkpoint of the same scene was written.
pub(crate) fn read(
    path: &Path,
    simulation: &mut Simulation,
    fingerprint: u64,
) -> Result<(), SceneError> {
    let name = path.display();
    let damaged = |e: SectionError| SceneError::new(format!("{name} {e}")).hint(ANEW).because(e);
    let bytes = std::fs::read(path)
        .map_err(|e| SceneError::new(format!("{name} cannot be read: {e}")).because(e))?;
    let from = Sections::from_bytes(&bytes).map_err(damaged)?;
    if scene_of(&from).map_err(damaged)? != fingerprint {
        let text = format!("{name}: the scene has changed since this checkpoint was written");
        return Err(
            SceneError::new(text).hint("start anew with --force, or bring the old scene back")
        );
    }
    let steps = simulation.steps();
    if let Ok(reached) = State::load(&from).map(|state| state.steps)
        && reached > steps
    {
        let text =
            format!("{name}: the run has come to step {reached}, beyond its end at step {steps}");
        return Err(SceneError::new(text).hint("give a later time.end"));
    }
    go_on(&from, simulation).map_err(|e| match e {
        DynamicsError::Checkpoint(e) | DynamicsError::Linear(SolverError::Checkpoint(e)) => {
            damaged(e)
        }
        other => {
            SceneError::new(format!("{name} cannot be used: {other}")).hint(ANEW).because(other)
        }
    })
}

fn scene_of(from: &Sections) -> Result<u64, SectionError> {
    let mut section = from.read("scene")?;
    let fingerprint = section.word()?;
    section.finish()?;
    Ok(fingerprint)
}

fn retries(from: &Sections) -> Result<Retries, SectionError> {
    let mut section = from.read("retries")?;
    let words = section.words()?;
    let words = words.try_into().map_err(|_| section.wrong("another number of words"))?;
    section.finish()?;
    Ok(Retries::from_words(words))
}

fn go_on(from: &Sections, simulation: &mut Simulation) -> Result<(), DynamicsError> {
    let mut section = from.read("balance")?;
    let carried = section.numbers()?;
    let [kinetic, elastic, memory, gravity, load, other] = section.numbers()?;
    let [external_work, dissipated, numerical_loss, through, uncertain] = section.numbers()?;
    section.finish()?;
    let energies = Energies { kinetic, elastic, memory, gravity, load, other };
    let balance =
        Balance { energies, external_work, dissipated, numerical_loss, through, uncertain };
    let mut section = from.read("tally")?;
    let tally = Tally {
        newton_iterations: section.word()?,
        linear_iterations: section.word()?,
        factorizations: section.word()?,
        evaluations: section.word()?,
        retries: retries(from)?,
    };
    section.finish()?;
    let state = State::load(from)?;
    simulation.stage_of_checkpoint(&state)?;
    if simulation.stage().is_some() {
        let mut section = from.read("stages")?;
        let loss = section.number()?;
        section.finish()?;
        simulation.set_loss_before(loss);
    }
    simulation.resume(state, (carried, balance), tally, from)
}
