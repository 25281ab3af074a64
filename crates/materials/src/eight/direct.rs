//! A law asked as it is: energy, stress and tangent straight from F.

use pliant_algebra::dispatch::{LaneWork, Level};
use pliant_algebra::lanes::InLanes;

use super::{EightPoints, contract, read_matrix, read_parameters, write_matrix};
use crate::law::Law;

struct Direct<'j, 'a, L> {
    law: &'j L,
    points: &'j mut EightPoints<'a>,
}

impl<L: Law> LaneWork for Direct<'_, '_, L> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let EightPoints { parameters, gradient, energy, stress, tangent } = &mut *self.points;
        let f = read_matrix::<R>(gradient, lane);
        let p = &read_parameters::<R>(parameters, L::PARAMETERS.len(), lane)[..L::PARAMETERS.len()];
        if L::HAS_ENERGY
            && let Some(energy) = energy
        {
            self.law.energy(p, &f).write(energy, lane);
        }
        if let Some(blocks) = tangent {
            let (piola, tangent) = self.law.stress_and_tangent(p, &f, blocks.project);
            if let Some(stress) = stress {
                write_matrix(&piola, stress, lane);
            }
            contract(&tangent, blocks, lane);
        } else if let Some(stress) = stress {
            write_matrix(&self.law.stress(p, &f), stress, lane);
        }
    }
}

/// Energy, stress and tangent by the law's own functions.
pub fn direct<L: Law>(law: &L, level: Level, points: &mut EightPoints<'_>) {
    level.work(Direct { law, points });
}
