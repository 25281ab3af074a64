//! The register of integrators: entries, options, and what methods make of them.

use pliant_dynamics::{IntegratorName, Options, Solves, StaticMethod};
use pliant_units::{OptionKind, OptionSpec, OptionValue};

/// A value that the option takes and that is not its default.
fn other(option: &OptionSpec<Options>) -> OptionValue {
    let usual = (option.get)(&Options::default());
    match option.kind {
        OptionKind::Number(_, within) => {
            let candidates = [0.75, 0.3, 1e-3];
            let good = |v: &f64| within.contains(*v) && usual != Some(OptionValue::Number(*v));
            OptionValue::Number(candidates.into_iter().find(good).unwrap())
        }
        OptionKind::Count(least) => OptionValue::Count(least + 3),
        OptionKind::Name(names) => {
            let names = names().into_iter().map(|(name, _)| OptionValue::Name(name));
            names.rev().find(|name| usual != Some(*name)).unwrap()
        }
    }
}

#[test]
fn every_method_has_a_name_of_its_own_and_is_made_by_it() {
    for (k, &name) in IntegratorName::ALL.iter().enumerate() {
        let entry = name.entry();
        assert_eq!(entry.name.parse(), Ok(name));
        assert!(!entry.about.is_empty());
        assert!(IntegratorName::ALL[..k].iter().all(|n| n.name() != entry.name), "{}", entry.name);
        let made = name.build(&Options::default()).unwrap();
        assert_eq!(made.name(), entry.name);
        let kind = entry.about.split(',').next().unwrap();
        let expected = match entry.solves {
            Solves::Nothing => "explicit",
            Solves::Linear => "linearly implicit",
            Solves::Newton => "implicit",
            Solves::Rest => continue,
        };
        assert_eq!(kind, expected, "{}", entry.name);
    }
}

#[test]
fn options_are_read_back_as_they_were_set() {
    let all = IntegratorName::OPTIONS.iter().chain(Options::SOLVER);
    for option in all {
        let mut options = Options::default();
        let value = other(option);
        (option.set)(&mut options, value);
        assert_eq!((option.get)(&options), Some(value), "{}", option.key);
        assert_ne!(options, Options::default(), "{} changes nothing", option.key);
        assert!(!option.about.is_empty() && !option.label.is_empty(), "{}", option.key);
    }
}

#[test]
fn methods_are_made_with_every_option_that_they_take() {
    for &name in IntegratorName::ALL {
        for option in name.options() {
            assert!(IntegratorName::OPTIONS.iter().any(|o| o.key == option.key), "{}", option.key);
            let mut options = Options::default();
            (option.set)(&mut options, other(option));
            assert!(name.build(&options).is_ok(), "{} with {}", name.name(), option.key);
        }
        for option in name.entry().solves.options(&Options::default()) {
            assert!(Options::SOLVER.iter().any(|o| o.key == option.key), "{}", option.key);
            let mut options = Options::default();
            (option.set)(&mut options, other(option));
            assert!(name.build(&options).is_ok(), "{} with {}", name.name(), option.key);
        }
    }
}

#[test]
fn every_option_has_a_taker() {
    for option in IntegratorName::OPTIONS {
        assert!(!IntegratorName::takers(option.key).is_empty(), "{}", option.key);
    }
    assert_eq!(IntegratorName::takers("beta"), ["newmark"]);
    assert_eq!(IntegratorName::takers("refactor_every"), ["central-differences"]);
}

/// A range in an option is the one that the method itself checks.
#[test]
fn methods_refuse_what_is_out_of_the_range_of_their_options() {
    let cases = [
        ("newmark", "beta", 0.0),
        ("newmark", "gamma", 0.4),
        ("generalized-alpha", "spectral_radius", 1.1),
    ];
    for (name, key, bad) in cases {
        let name: IntegratorName = name.parse().unwrap();
        let option = name.options().iter().find(|o| o.key == key).unwrap();
        let OptionKind::Number(_, within) = option.kind else { panic!("{key}") };
        assert!(!within.contains(bad), "{key}");
        let mut options = Options::default();
        (option.set)(&mut options, OptionValue::Number(bad));
        assert!(name.build(&options).is_err(), "{key} = {bad}");
    }
}

#[test]
fn static_methods_say_what_they_take() {
    for method in StaticMethod::ALL {
        let keys: Vec<_> = method.options().iter().map(|o| o.key).collect();
        assert!(keys.contains(&"static_method") && keys.contains(&"newton_tolerance"), "{keys:?}");
        assert_eq!(method.takes_linear_solver(), keys.contains(&"newton_iterations"));
    }
}
