//! The problems that take seconds. What is known to fail is listed here with its reason, and a list that is
//! out of date is a failure too.

use std::time::Instant;

use pliant_verify::{Cost, Problem, problems};

/// Problem, and how its failing quantities begin.
const KNOWN_FAILURES: &[(&str, &str)] = &[];

fn run(problem: &Problem) -> Vec<String> {
    let start = Instant::now();
    let rows = match problem.run(&mut |what| println!("    {what}")) {
        Ok(rows) => rows,
        Err(error) => return vec![format!("{}: {error}", problem.id)],
    };
    println!("{} ({:.1} s)", problem.id, start.elapsed().as_secs_f64());
    let mut wrong = Vec::new();
    for row in &rows {
        println!(
            "  {} {:60} {:28} {:>16.9} {:>16.9} {:.1e} {:.1e}",
            if row.pass { "ok  " } else { "FAIL" },
            row.quantity,
            row.mesh,
            row.expected,
            row.got,
            row.error,
            row.tolerance
        );
        let known = |k: &&(&str, &str)| k.0 == problem.id && row.quantity.starts_with(k.1);
        if row.pass == KNOWN_FAILURES.iter().any(|k| known(&k)) {
            wrong.push(format!("{}: {row:?}", problem.id));
        }
    }
    wrong
}

fn check(chosen: impl Fn(&Problem) -> bool) {
    let only = std::env::var("PLIANT_VERIFY").ok();
    let wanted =
        |p: &&Problem| chosen(p) && only.as_ref().is_none_or(|o| o.split(',').any(|o| o == p.id));
    let wrong: Vec<String> = problems().iter().filter(wanted).flat_map(run).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn short_problems_have_their_known_answers() {
    check(|p| p.cost == Cost::Short);
}

#[test]
#[ignore = "minutes: run by nightly"]
fn long_problems_have_their_known_answers() {
    check(|p| p.cost == Cost::Long);
}

#[test]
fn names_are_unique() {
    for (i, p) in problems().iter().enumerate() {
        assert!(problems()[..i].iter().all(|q| q.id != p.id), "{}", p.id);
        assert!(!p.title.is_empty() && !p.source.is_empty());
    }
}
