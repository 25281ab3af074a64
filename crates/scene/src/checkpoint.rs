//! Checkpoints: all that a run needs to go on to the last bit.

use std::path::Path;

use pliant_dynamics::{Balance, Energies, State};
use pliant_mesh::io::write_file;

use crate::error::SceneError;
use crate::scene::Scene;
use crate::simulation::{Simulation, Tally};

const MAGIC: &[u8; 8] = b"pliantC1";
/// Words before the state: magic, fingerprint, energy at the start, balance, tally.
const HEAD: usize = 1 + 1 + 1 + 8 + 4;

/// One, as it is to be written.
pub(crate) fn bytes(simulation: &Simulation, fingerprint: u64) -> Vec<u8> {
    let Balance { energies: e, external_work, dissipated, numerical_loss } = simulation.balance();
    let Tally { newton_iterations, linear_iterations, factorizations, evaluations } =
        simulation.tally();
    let mut words = vec![u64::from_le_bytes(*MAGIC), fingerprint];
    let numbers = [
        simulation.start_energy(),
        e.kinetic,
        e.elastic,
        e.gravity,
        e.load,
        e.other,
        external_work,
        dissipated,
        numerical_loss,
    ];
    words.extend(numbers.map(f64::to_bits));
    words.extend([newton_iterations, linear_iterations, factorizations, evaluations]);
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(simulation.state().to_bytes());
    bytes
}

/// Writes one, in place of an older one, in one step.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), SceneError> {
    write_file(path, |sink| Ok(sink.write_all(bytes)?))
        .map_err(|e| SceneError::output(e.to_string()))
}

impl Simulation {
    /// Brings it to where a run of the same scene has written a checkpoint.
    pub fn load_checkpoint(&mut self, path: &Path, scene: &Scene) -> Result<(), SceneError> {
        read(path, self, scene.fingerprint())
    }
}

/// Brings a simulation to where a checkpoint of the same scene was written.
pub(crate) fn read(
    path: &Path,
    simulation: &mut Simulation,
    fingerprint: u64,
) -> Result<(), SceneError> {
    let fail = |why: String| SceneError::new(format!("{}: {why}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| fail(format!("cannot be read: {e}")))?;
    let (head, state) =
        bytes.split_at_checked(8 * HEAD).ok_or_else(|| fail("is cut off".into()))?;
    let words: Vec<u64> = head.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
    if words[0] != u64::from_le_bytes(*MAGIC) {
        return Err(fail("is no checkpoint of this version".into()));
    }
    if words[1] != fingerprint {
        let text = "the scene has changed since this checkpoint was written";
        return Err(fail(text.into()).hint("start anew with --force, or bring the old scene back"));
    }
    let number = |k: usize| f64::from_bits(words[2 + k]);
    let balance = Balance {
        energies: Energies {
            kinetic: number(1),
            elastic: number(2),
            gravity: number(3),
            load: number(4),
            other: number(5),
        },
        external_work: number(6),
        dissipated: number(7),
        numerical_loss: number(8),
    };
    let tally = Tally {
        newton_iterations: words[11],
        linear_iterations: words[12],
        factorizations: words[13],
        evaluations: words[14],
    };
    let state = State::from_bytes(state).map_err(|e| fail(e.to_string()))?;
    simulation.resume(state, number(0), balance, tally)
}
