//! Dormand and Prince's method of order 5 with an estimate of order 4 (J. Comput. Appl. Math. 6, 1980),
//! and Shampine's dense output of order 4.

use super::entry::{IntegratorEntry, embedded, interval};
use super::{EmbeddedTableau, Tableau};

/// Order 5, six evaluations a step. Stable for vibrations with h ω up to about 1.
pub const DORMAND_PRINCE_5: EmbeddedTableau = EmbeddedTableau {
    method: Tableau {
        name: "dormand-prince-5",
        order: 5,
        a: &[
            &[],
            &[0.2],
            &[3.0 / 40.0, 9.0 / 40.0],
            &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
            &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
            &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        ],
        b: &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
        c: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0],
    },
    error: &[
        71.0 / 57600.0,
        0.0,
        -71.0 / 16695.0,
        71.0 / 1920.0,
        -17253.0 / 339_200.0,
        22.0 / 525.0,
        -1.0 / 40.0,
    ],
    error_order: 4,
    rough: None,
    extra: &[],
    extra_c: &[],
    dense: &[&[
        -12_715_105_075.0 / 11_282_082_432.0,
        0.0,
        87_487_479_700.0 / 32_700_410_799.0,
        -10_690_763_975.0 / 1_880_347_072.0,
        701_980_252_875.0 / 199_316_789_632.0,
        -1_453_857_185.0 / 822_651_844.0,
        69_997_945.0 / 29_380_423.0,
    ]],
    dense_order: 4,
};

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "dormand-prince-5",
    about: "explicit, order 5; knows its error, dense output of order 4",
    imaginary_interval: || interval(&DORMAND_PRINCE_5.method),
    make: |_| embedded(&DORMAND_PRINCE_5),
    ..IntegratorEntry::EXPLICIT
};
