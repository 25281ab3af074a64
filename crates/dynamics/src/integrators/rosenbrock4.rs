//! Rosenbrock methods of order 4 with four stages and an embedded method of order 3, in the flavours of
//! Hairer and Wanner (Solving ODEs II, section IV.7 and the code ROS4 that goes with it).
//!
//! The last two stages share their place: forces are evaluated three times a step. They ask for the exact
//! Jacobian: with any other matrix they have order 1 (the second one of Van Veldhuizen 2).

use super::RosenbrockTable;
use super::entry::{IntegratorEntry, linearly_implicit};
use crate::linearly_implicit::Stage;

/// The L-stable one of Hairer and Wanner: γ = 0.57282, a rounded root, so that |R(∞)| is 10⁻⁵ instead of 0.
pub static ROSENBROCK4_LSTABLE: RosenbrockTable = RosenbrockTable {
    name: "rosenbrock4-lstable",
    order: 4,
    order_with_any_jacobian: 1,
    gamma: 0.57282,
    stages: &[
        Stage { time: 0.0, rate: 0.57282, a: &[], c: &[] },
        Stage { time: 1.14564, rate: -1.769193891319233, a: &[2.0], c: &[-7.13761503641231] },
        Stage {
            time: 0.65521686381559,
            rate: 0.7592633437920482,
            a: &[1.867943637803922, 0.2344449711399156],
            c: &[2.580708087951457, 0.6515950076447975],
        },
        Stage {
            time: 0.65521686381559,
            rate: -0.104902108710045,
            a: &[1.867943637803922, 0.2344449711399156, 0.0],
            c: &[-2.137148994382534, -0.3214669691237626, -0.6949742501781779],
        },
    ],
    weights: &[2.255570073418735, 0.2870493262186792, 0.435317943184018, 1.093502252409163],
    error: &[-0.2815431932141155, -0.0727619912493892, -0.1082196201495311, -1.093502252409163],
    error_order: 3,
};

/// Shampine (ACM Trans. Math. Software 8, 1982): γ = ½; A-stable, R(∞) = ⅓.
pub static ROSENBROCK4_SHAMPINE: RosenbrockTable = RosenbrockTable {
    name: "rosenbrock4-shampine",
    order: 4,
    order_with_any_jacobian: 1,
    gamma: 0.5,
    stages: &[
        Stage { time: 0.0, rate: 0.5, a: &[], c: &[] },
        Stage { time: 1.0, rate: -1.5, a: &[2.0], c: &[-8.0] },
        Stage {
            time: 0.6,
            rate: 2.42,
            a: &[48.0 / 25.0, 6.0 / 25.0],
            c: &[372.0 / 25.0, 12.0 / 5.0],
        },
        Stage {
            time: 0.6,
            rate: 0.116,
            a: &[48.0 / 25.0, 6.0 / 25.0, 0.0],
            c: &[-112.0 / 125.0, -54.0 / 125.0, -2.0 / 5.0],
        },
    ],
    weights: &[19.0 / 9.0, 0.5, 25.0 / 108.0, 125.0 / 108.0],
    error: &[17.0 / 54.0, 7.0 / 36.0, 0.0, 125.0 / 108.0],
    error_order: 3,
};

/// GRK4T of Kaps and Rentrop (Numer. Math. 33, 1979): γ = 0.231, small errors; A(89.3°)-stable.
pub static ROSENBROCK4_GRK4T: RosenbrockTable = RosenbrockTable {
    name: "rosenbrock4-grk4t",
    order: 4,
    order_with_any_jacobian: 1,
    gamma: 0.231,
    stages: &[
        Stage { time: 0.0, rate: 0.231, a: &[], c: &[] },
        Stage { time: 0.462, rate: -0.03962966775244303, a: &[2.0], c: &[-5.071675338776316] },
        Stage {
            time: 0.8802083333333334,
            rate: 0.5507789395789127,
            a: &[4.524708207373116, 4.163528788597648],
            c: &[6.020152728650786, 0.1597506846727117],
        },
        Stage {
            time: 0.8802083333333334,
            rate: -0.05535098457052764,
            a: &[4.524708207373116, 4.163528788597648, 0.0],
            c: &[-1.856343618686113, -8.505380858179826, -2.084075136023187],
        },
    ],
    weights: &[3.957503746640777, 4.624892388363313, 0.6174772638750108, 1.282612945269037],
    error: &[2.302155402932996, 3.073634485392623, -0.8732808018045032, -1.282612945269037],
    error_order: 3,
};

/// GRK4A of Kaps and Rentrop (Numer. Math. 33, 1979): γ = 0.395; A-stable.
pub static ROSENBROCK4_GRK4A: RosenbrockTable = RosenbrockTable {
    name: "rosenbrock4-grk4a",
    order: 4,
    order_with_any_jacobian: 1,
    gamma: 0.395,
    stages: &[
        Stage { time: 0.0, rate: 0.395, a: &[], c: &[] },
        Stage {
            time: 0.438,
            rate: -0.372672395484092,
            a: &[1.108860759493671],
            c: &[-4.920188402397641],
        },
        Stage {
            time: 0.87,
            rate: 0.06629196544571492,
            a: &[2.37708526198336, 0.1850114988899692],
            c: &[1.055588686048583, 3.351817267668938],
        },
        Stage {
            time: 0.87,
            rate: 0.4340946962568634,
            a: &[2.37708526198336, 0.1850114988899692, 0.0],
            c: &[3.846869007049313, 3.42710924126818, -2.162408848753263],
        },
    ],
    weights: &[1.84568324040584, 0.1369796894360503, 0.7129097783291559, 0.6329113924050632],
    error: &[0.04831870177201765, -0.6471108651049505, 0.218687666050024, -0.6329113924050632],
    error_order: 3,
};

/// Van Veldhuizen (Computing 32, 1984), the one with γ = 0.2257, small errors; A(89.5°)-stable.
pub static ROSENBROCK4_VELDHUIZEN_D: RosenbrockTable = RosenbrockTable {
    name: "rosenbrock4-veldhuizen-d",
    order: 4,
    order_with_any_jacobian: 1,
    gamma: 0.2257081148225682,
    stages: &[
        Stage { time: 0.0, rate: 0.2257081148225682, a: &[], c: &[] },
        Stage {
            time: 0.4514162296451364,
            rate: -0.04599403502680582,
            a: &[2.0],
            c: &[-5.333333333333331],
        },
        Stage {
            time: 0.8755928946018455,
            rate: 0.5177590504944076,
            a: &[4.812234362695436, 4.578146956747842],
            c: &[6.100529678848254, 1.804736797378427],
        },
        Stage {
            time: 0.8755928946018455,
            rate: -0.03805623938054428,
            a: &[4.812234362695436, 4.578146956747842, 0.0],
            c: &[-2.540515456634749, -9.443746328915205, -1.988471753215993],
        },
    ],
    weights: &[4.289339254654537, 5.036098482851414, 0.6085736420673917, 1.355958941201148],
    error: &[2.175672787531755, 2.950911222575741, -0.785974454488743, -1.355958941201148],
    error_order: 3,
};

/// Van Veldhuizen (Computing 32, 1984), the one with γ = ½: A-stable, R(∞) = ⅓ and short numbers.
pub static ROSENBROCK4_VELDHUIZEN_B: RosenbrockTable = RosenbrockTable {
    name: "rosenbrock4-veldhuizen-b",
    order: 4,
    order_with_any_jacobian: 2,
    gamma: 0.5,
    stages: &[
        Stage { time: 0.0, rate: 0.5, a: &[], c: &[] },
        Stage { time: 1.0, rate: -1.5, a: &[2.0], c: &[-8.0] },
        Stage { time: 0.5, rate: -0.75, a: &[1.75, 0.25], c: &[-8.0, -1.0] },
        Stage { time: 0.5, rate: 0.25, a: &[1.75, 0.25, 0.0], c: &[0.5, -0.5, 2.0] },
    ],
    weights: &[4.0 / 3.0, 2.0 / 3.0, -4.0 / 3.0, 4.0 / 3.0],
    error: &[-1.0 / 3.0, -1.0 / 3.0, 0.0, -4.0 / 3.0],
    error_order: 3,
};

/// Its line in the register.
pub(super) const LSTABLE: IntegratorEntry = IntegratorEntry {
    name: "rosenbrock4-lstable",
    about: "linearly implicit, order 4; L-stable",
    make: |o| linearly_implicit(&ROSENBROCK4_LSTABLE, o),
    ..IntegratorEntry::LINEARLY_IMPLICIT
};

/// Its line in the register.
pub(super) const SHAMPINE: IntegratorEntry = IntegratorEntry {
    name: "rosenbrock4-shampine",
    about: "linearly implicit, order 4; A-stable",
    make: |o| linearly_implicit(&ROSENBROCK4_SHAMPINE, o),
    ..IntegratorEntry::LINEARLY_IMPLICIT
};

/// Its line in the register.
pub(super) const GRK4T: IntegratorEntry = IntegratorEntry {
    name: "rosenbrock4-grk4t",
    about: "linearly implicit, order 4; small errors, nearly A-stable",
    make: |o| linearly_implicit(&ROSENBROCK4_GRK4T, o),
    ..IntegratorEntry::LINEARLY_IMPLICIT
};

/// Its line in the register.
pub(super) const GRK4A: IntegratorEntry = IntegratorEntry {
    name: "rosenbrock4-grk4a",
    about: "linearly implicit, order 4; A-stable",
    make: |o| linearly_implicit(&ROSENBROCK4_GRK4A, o),
    ..IntegratorEntry::LINEARLY_IMPLICIT
};

/// Its line in the register.
pub(super) const VELDHUIZEN_D: IntegratorEntry = IntegratorEntry {
    name: "rosenbrock4-veldhuizen-d",
    about: "linearly implicit, order 4; small errors, nearly A-stable",
    make: |o| linearly_implicit(&ROSENBROCK4_VELDHUIZEN_D, o),
    ..IntegratorEntry::LINEARLY_IMPLICIT
};

/// Its line in the register.
pub(super) const VELDHUIZEN_B: IntegratorEntry = IntegratorEntry {
    name: "rosenbrock4-veldhuizen-b",
    about: "linearly implicit, order 4; A-stable",
    make: |o| linearly_implicit(&ROSENBROCK4_VELDHUIZEN_B, o),
    ..IntegratorEntry::LINEARLY_IMPLICIT
};
