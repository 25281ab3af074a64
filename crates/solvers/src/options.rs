//! The options of linear solvers and preconditioners: which keys each takes.

use pliant_units::{Dimension, OptionKind, OptionSpec, OptionValue, Panel, Within};

use crate::choose::{Choice, SolverName};
use crate::iterative::PreconditionerName;
use crate::ordering::OrderingName;

const PRECONDITIONER: OptionSpec<Choice> = OptionSpec {
    key: "preconditioner",
    label: "Preconditioner",
    about: "Of iterative linear solvers: makes their iterations fewer",
    kind: OptionKind::Name(|| {
        PreconditionerName::ALL.iter().map(|p| (p.name(), p.about())).collect()
    }),
    panel: Panel::List,
    get: |c| c.preconditioner.map(|p| OptionValue::Name(p.name())),
    set: |c, value| c.preconditioner = value.name().and_then(|name| name.parse().ok()),
};

const ORDERING: OptionSpec<Choice> = OptionSpec {
    key: "ordering",
    label: "Ordering",
    about: "Of direct linear solvers, and of the factor that stale-cholesky keeps",
    kind: OptionKind::Name(|| OrderingName::ALL.map(|o| (o.name(), o.about())).to_vec()),
    panel: Panel::Hidden,
    get: |c| c.ordering.map(|o| OptionValue::Name(o.name())),
    set: |c, value| c.ordering = value.name().and_then(|name| name.parse().ok()),
};

const TOLERANCE: OptionSpec<Choice> = OptionSpec {
    key: "tolerance",
    label: "Linear tolerance",
    about: "Relative residual at which iterative linear solvers stop",
    kind: OptionKind::Number(Dimension::NONE, Within::Above(0.0, f64::INFINITY)),
    panel: Panel::Hidden,
    get: |c| Some(OptionValue::Number(c.settings.tolerance)),
    set: |c, value| {
        if let Some(tolerance) = value.number() {
            c.settings.tolerance = tolerance;
        }
    },
};

const ITERATIONS: OptionSpec<Choice> = OptionSpec {
    key: "iterations",
    label: "Linear iterations",
    about: "Most iterations of a linear solve",
    kind: OptionKind::Count(0),
    panel: Panel::Hidden,
    get: |c| Some(OptionValue::Count(c.settings.max_iterations)),
    set: |c, value| {
        if let Some(most) = value.count() {
            c.settings.max_iterations = most;
        }
    },
};

impl SolverName {
    /// The keys it takes, not counting those of its preconditioner.
    pub fn options(self) -> &'static [OptionSpec<Choice>] {
        match self {
            Self::Auto => &[TOLERANCE, ITERATIONS],
            Self::Cholesky | Self::Ldlt | Self::Lu => &[ORDERING],
            Self::CholeskySingle => &[ORDERING, TOLERANCE],
            Self::Cg | Self::Minres | Self::Bicgstab | Self::Gmres => {
                &[PRECONDITIONER, TOLERANCE, ITERATIONS]
            }
        }
    }
}

impl PreconditionerName {
    /// The keys it takes beside those of the solver.
    pub fn options(self) -> &'static [OptionSpec<Choice>] {
        match self {
            Self::StaleCholesky => &[ORDERING],
            Self::Diagonal
            | Self::BlockDiagonal
            | Self::Ssor
            | Self::Eisenstat
            | Self::Ic0
            | Self::Ict
            | Self::Multigrid => &[],
        }
    }
}

impl Choice {
    /// Every key that some linear solver takes, in the order in which they are to be read: a preconditioner has
    /// options of its own.
    pub const OPTIONS: &'static [OptionSpec<Self>] =
        &[PRECONDITIONER, ORDERING, TOLERANCE, ITERATIONS];

    /// The keys that this choice takes.
    pub fn options(&self) -> impl Iterator<Item = &'static OptionSpec<Self>> {
        let own = self.solver.options();
        let further = self.preconditioner.map_or(&[][..], PreconditionerName::options);
        own.iter().chain(further)
    }

    /// The solvers and preconditioners that take a key.
    pub fn takers(key: &str) -> Vec<&'static str> {
        let takes = |options: &[OptionSpec<Self>]| options.iter().any(|o| o.key == key);
        let solvers = SolverName::ALL.into_iter().filter(|s| takes(s.options()));
        let others = PreconditionerName::ALL.iter().filter(|p| takes(p.options()));
        solvers.map(SolverName::name).chain(others.map(|p| p.name())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_in_the_list_and_has_a_taker() {
        for option in Choice::OPTIONS {
            assert!(!Choice::takers(option.key).is_empty(), "{}", option.key);
        }
        let all = SolverName::ALL.into_iter().flat_map(SolverName::options);
        for option in all.chain(PreconditionerName::ALL.iter().flat_map(|p| p.options())) {
            assert!(Choice::OPTIONS.iter().any(|o| o.key == option.key), "{}", option.key);
        }
    }

    /// What a solver takes it can be built with, and what it does not take [`Choice::build`] refuses where it sees it.
    #[test]
    fn solvers_are_built_with_the_options_they_take() {
        for solver in SolverName::ALL {
            let mut choice = Choice { solver, ..Choice::default() };
            for option in solver.options() {
                let value = match option.kind {
                    OptionKind::Number(..) => OptionValue::Number(1e-5),
                    OptionKind::Count(least) => OptionValue::Count(least + 7),
                    OptionKind::Name(names) => OptionValue::Name(names()[0].0),
                };
                (option.set)(&mut choice, value);
                assert_eq!((option.get)(&choice), Some(value), "{} {}", solver.name(), option.key);
            }
            assert!(choice.build().is_ok(), "{}", solver.name());
        }
        let stale = Some(PreconditionerName::StaleCholesky);
        let mut choice =
            Choice { solver: SolverName::Cg, preconditioner: stale, ..Choice::default() };
        assert!(choice.options().any(|o| o.key == "ordering"));
        choice.ordering = Some(OrderingName::Amd);
        assert!(choice.build().is_ok());
        choice.preconditioner = None;
        assert!(choice.options().all(|o| o.key != "ordering") && choice.build().is_err());
    }
}
