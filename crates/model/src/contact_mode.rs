//! [`ContactMode`]: how bodies that touch answer.

/// How bodies that touch each other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactMode {
    /// A barrier that grows without bound as surfaces come together, with steps bounded by times of impact: no intersection, ever.
    #[default]
    Barrier,
    /// A potential of the depth on a fixed pattern of the matrix, for real time.
    Soft,
    /// The same potential with its exact tangent (Kharevych 2010, 3.2.10).
    Penalty,
    /// Vertices that enter an obstacle are stopped by directions in the linear system (Hauth 2004, 5.4.2); bodies meet as in
    /// [`ContactMode::Soft`].
    Constraints,
    /// The collision integration of Zhuang and Canny, section 6.
    TwoStep,
    /// Bodies pass through each other.
    Off,
}

impl ContactMode {
    /// All of them, with the names that scenes have for them.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("barrier", Self::Barrier),
        ("soft", Self::Soft),
        ("penalty", Self::Penalty),
        ("constraints", Self::Constraints),
        ("two-step", Self::TwoStep),
        ("off", Self::Off),
    ];

    /// As scenes name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Soft => "soft",
            Self::Penalty => "penalty",
            Self::Constraints => "constraints",
            Self::TwoStep => "two-step",
            Self::Off => "off",
        }
    }

    /// Whether vertices may follow rigid parts and reduced bodies: where motions are not bounded along straight lines, nor vertices
    /// stopped one by one.
    pub fn serves_restricted(self) -> bool {
        matches!(self, Self::Soft | Self::Penalty | Self::Off)
    }

    /// Whether obstacles push with a force; in the other modes they stop vertices without one.
    pub fn has_obstacle_forces(self) -> bool {
        !matches!(self, Self::Constraints | Self::TwoStep)
    }

    /// Whether bodies rub on each other.
    pub fn has_friction(self) -> bool {
        !matches!(self, Self::TwoStep | Self::Off)
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Barrier => {
                "surfaces never intersect; for methods whose forces act at the end of a step"
            }
            Self::Soft => {
                "a potential of the depth, in real time; bodies sink into each other a little"
            }
            Self::Penalty => "the same potential with its exact tangent: an elastic bounce",
            Self::Constraints => {
                "obstacles stop vertices inside the linear system; bodies meet as in soft"
            }
            Self::TwoStep => "collision integration of explicit-newmark and central-differences",
            Self::Off => "bodies pass through each other",
        }
    }
}
