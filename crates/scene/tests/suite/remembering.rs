//! Materials that remember, through scenes: closed forms, errors, what runs write, and resuming.

use std::fs;
use std::path::Path;

use pliant_scene::run::{Destination, Progress, run};
use pliant_scene::{Folder, Origin, Scene, SceneError, Simulation, Summary};

use crate::temporary::Temporary;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, Path::new("tissue.toml"))
}

fn scene(text: &str) -> Scene {
    parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs it to its end without a folder.
fn finish(text: &str) -> (Summary, Simulation) {
    let scene = scene(text);
    let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(&scene, &mut simulation, None, &mut |_| true).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    (outcome.summary, simulation)
}

/// A cube of 1 m and 100 Pa with 1 kg at its free side, which was pulled by 1 mm.
fn oscillator(integrator: &str, end: &str, memory: &str) -> String {
    let solver = if integrator == "rk4" { "" } else { "[solver]\nnewton_tolerance = 1e-12" };
    format!(
        r#"
gravity = [0, 0, 0]
[body.cube]
mesh = {{ shape = "box", size = [1, 1, 1], cells = [1, 1, 1], cell = "hex" }}
material = {{ law = "linear", young = 100, poisson = 0, memory = {{ terms = [{{ time = "10 ms", strength = 0.95 }}]{memory} }} }}
density = 2
fixed = "x-min"
initial = {{ displacement = ["0.001 * X", 0, 0] }}
[time]
integrator = "{integrator}"
step = "0.25 ms"
end = "{end}"
{solver}
[output]
frames = 0
report = false
[probe.end]
body = "cube"
at = [1, 0.5, 0.5]
"#
    )
}

#[test]
fn an_oscillator_swings_as_its_roots_say() {
    for (integrator, memory, tolerance) in [
        ("implicit-midpoint", "", 1e-4),
        ("bdf3", ", interpolation = \"cubic\"", 1e-6),
        ("rk4", ", interpolation = \"cubic\"", 1e-9),
    ] {
        for (end, exact) in [("0.1 s", 0.551_078_026_088), ("0.5 s", 0.201_209_137_528)] {
            let (summary, _) = finish(&oscillator(integrator, end, memory));
            let found = summary.probes[0].displacement[0] / 1e-3;
            assert!((found - exact).abs() < tolerance, "{integrator}, {end}: {found}");
        }
    }
    let (summary, _) =
        finish(&oscillator("rk4", "0.1 s", ", interpolation = \"cubic\", start = \"instant\""));
    let found = summary.probes[0].displacement[0] / 1e-3;
    assert!((found - 0.479_593_709_982).abs() < 1e-9, "{found}");
}

#[test]
fn energy_is_kept_by_branches_or_lost_as_the_closed_form_says() {
    let (summary, _) = finish(&oscillator("implicit-midpoint", "1 s", ""));
    let e = summary.energy;
    // Of 50 J for a pull of 1 m.
    let scale = 1e6;
    let left = e.kinetic + e.elastic.unwrap() + e.memory.unwrap();
    assert!((scale * left - 20.339_910_086_8).abs() < 1e-3, "{e:?}");
    assert!((scale * e.dissipated.unwrap() - 29.660_089_913_2).abs() < 1e-3, "{e:?}");
    assert!((scale * e.numerical_loss.unwrap()).abs() < 1e-3, "{e:?}");
    let document = summary.to_json();
    assert!(document["energy"]["memory"].as_f64().unwrap() > 0.0);
}

/// A block without lateral contraction under a traction of 1 Pa.
fn creep(steps: u32, start: &str) -> String {
    format!(
        r#"
gravity = [0, 0, 0]
[body.block]
mesh = {{ shape = "box", size = [1, 1, 1], cells = [2, 1, 1], cell = "hex" }}
element = "hex8-bbar"
material = {{ law = "linear", young = "1 kPa", poisson = 0, memory = {{ terms = [{{ time = "10 ms", modulus = "475 Pa" }}] }} }}
fixed = "x-min"
load = {{ set = "x-max", traction = [1, 0, 0] }}
[time]
analysis = "quasi-static"
{start}
step = {}
steps = {steps}
[solver]
newton_tolerance = 1e-12
[output]
frames = 0
report = false
[probe.end]
body = "block"
at = [1, 0.5, 0.5]
"#,
        0.0195 / f64::from(steps)
    )
}

#[test]
fn a_block_creeps_from_its_elastic_start() {
    let known = [
        (1, 0.807_535_483_832),
        (2, 0.817_290_187_718),
        (4, 0.819_893_707_772),
        (8, 0.820_555_225_207),
    ];
    for (steps, exact) in known {
        let (summary, _) = finish(&creep(steps, "start = \"elastic\""));
        let found = 1e3 * summary.probes[0].displacement[0];
        assert!((found - exact).abs() < 1e-11, "{steps} steps: {found}");
    }
    // Without the jump the load comes up within the first step: order 1.
    let exact = 0.820_776_682_5;
    for (steps, error) in [(4, -0.024), (8, -0.0117), (16, -0.0057)] {
        let (summary, _) = finish(&creep(steps, ""));
        let found = 1e3 * summary.probes[0].displacement[0] - exact;
        assert!((found / error - 1.0).abs() < 0.03, "{steps} steps: {found}");
    }
}

/// A bar of tissue that hangs.
fn bar(material: &str, time: &str) -> String {
    format!(
        r#"
[body.bar]
mesh = {{ shape = "box", size = [0.3, 0.1, 0.1], cells = [3, 1, 1], cell = "tet6" }}
material = {{ {material} }}
fixed = "x-min"
[time]
{time}
[output]
frames = 0
report = false
checkpoint_every = 4
[probe.end]
body = "bar"
at = [0.3, 0.05, 0.05]
"#
    )
}

const LAW: &str = "law = \"neo-hookean\", young = \"20 kPa\", poisson = 0.4";
const TERMS: &str =
    "terms = [{ time = \"20 ms\", strength = 0.6 }, { time = \"0.5 s\", strength = 2 }]";

#[test]
fn rest_is_that_of_the_law_alone_and_holding_leads_there() {
    let place = |material: &str, time: &str| {
        let time = format!("{time}\n[solver]\nnewton_tolerance = 1e-12");
        let (summary, _) = finish(&bar(material, &time));
        summary.probes[0].displacement
    };
    let remembering = format!("{LAW}, memory = {{ {TERMS} }}");
    let elastic = place(LAW, "analysis = \"static\"");
    for (time, tolerance) in [
        ("analysis = \"static\"", 1e-12),
        ("analysis = \"quasi-static\"\nstep = \"4 s\"\nend = \"400 s\"", 1e-9),
    ] {
        let found = place(&remembering, time);
        for k in 0..3 {
            assert!((found[k] - elastic[k]).abs() < tolerance, "{time}: {found:?} {elastic:?}");
        }
    }
    // At an instant it is 3.6 times as stiff, or what the material says that it is.
    let early = "analysis = \"quasi-static\"\nstart = \"elastic\"\nstep = \"1 us\"\nsteps = 1";
    let stiff =
        place("law = \"neo-hookean\", young = \"72 kPa\", poisson = 0.4", "analysis = \"static\"");
    let terms = "terms = [{ time = \"20 ms\", strength = 0.16666666666666667 }, { time = \"0.5 s\", strength = 0.55555555555555556 }]";
    let instant = format!(
        "law = \"neo-hookean\", young = \"72 kPa\", poisson = 0.4, memory = {{ {terms}, moduli = \"instant\", form = \"stress\" }}"
    );
    let found = place(&instant, early);
    assert!((found[1] / stiff[1] - 1.0).abs() < 1e-4, "{found:?} {stiff:?}");
    let long = place(&instant, "analysis = \"static\"");
    assert!((long[1] - elastic[1]).abs() < 1e-9, "{long:?} {elastic:?}");
    let (slow, fast) = (place(&remembering, early), place(LAW, "analysis = \"static\""));
    assert!(slow[1].abs() < 0.45 * fast[1].abs(), "{slow:?} {fast:?}");
}

#[test]
fn without_strength_bits_are_those_of_the_law_alone() {
    let time = "step = \"5 ms\"\nsteps = 6";
    let none = format!("{LAW}, memory = {{ terms = [{{ time = 1, strength = 0 }}] }}");
    let [(_, a), (_, b)] = [LAW, &none].map(|material| finish(&bar(material, time)));
    assert_eq!(a.state().x, b.state().x);
    assert_eq!(a.balance(), b.balance());
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_bits_at_other_threads() {
    let material = format!("{LAW}, memory = {{ {TERMS} }}");
    for method in
        ["integrator = \"bdf2\"", "analysis = \"quasi-static\"", "integrator = \"rosenbrock2\""]
    {
        let text = bar(&material, &format!("{method}\nstep = \"5 ms\"\nsteps = 12"));
        let scene = scene(&text);
        let go = |name: &str, until: Option<u64>, threads: usize| -> Vec<u8> {
            let place = Temporary::new(name);
            let origin = Origin { scene: "tissue".into(), sets: Vec::new() };
            let folder = Folder::create(&place.0, &origin, true).unwrap();
            let part = |resume: bool, until: Option<u64>, threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut simulation = Simulation::build(&scene).unwrap();
                    let destination = Destination { folder: &folder, resume };
                    let mut go_on = |p: &Progress| until.is_none_or(|until| p.step < until);
                    run(&scene, &mut simulation, Some(&destination), &mut go_on).unwrap();
                });
            };
            if until.is_some() {
                part(false, until, 1);
                part(true, None, threads);
            } else {
                part(false, None, threads);
            }
            fs::read(place.0.join("checkpoint.bin")).unwrap()
        };
        let whole = go("memory-whole", None, 1);
        assert_eq!(whole, go("memory-parts", Some(5), 2), "{method}");
    }
}

#[test]
fn stresses_of_frames_and_probes_have_what_is_remembered() {
    // Pulled at once and held: the stress relaxes from 1.5 of its end to that.
    let text = r#"
gravity = [0, 0, 0]
[body.block]
mesh = { shape = "box", size = [1, 1, 1], cells = [1, 1, 1], cell = "hex" }
material = { law = "linear", young = "1 kPa", poisson = 0, memory = { terms = [{ time = "10 ms", strength = 0.5 }] } }
fixed = "x-min"
[[body.block.moved]]
set = "x-max"
translation = { by = [0.01, 0, 0], curve = 1 }
[time]
analysis = "quasi-static"
start = "elastic"
step = "1 ms"
steps = 10
[output]
frames = 0
report = false
[probe.end]
body = "block"
at = [0.5, 0.5, 0.5]
stress = true
"#;
    let place = Temporary::new("memory-stress");
    let scene = scene(text);
    let mut simulation = Simulation::build(&scene).unwrap();
    let origin = Origin { scene: "tissue".into(), sets: Vec::new() };
    let folder = Folder::create(&place.0, &origin, true).unwrap();
    let destination = Destination { folder: &folder, resume: false };
    let outcome = run(&scene, &mut simulation, Some(&destination), &mut |_| true).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let history = fs::read_to_string(place.0.join("history.csv")).unwrap();
    let mut rows = history.lines();
    let titles: Vec<&str> = rows.next().unwrap().split(',').collect();
    let at = |name: &str| titles.iter().position(|t| *t == name).unwrap();
    let (time, stress, memory) = (at("time [s]"), at("stress.end.xx [Pa]"), at("memory [J]"));
    for row in rows {
        let fields: Vec<f64> = row.split(',').map(|f| f.parse().unwrap_or(f64::NAN)).collect();
        let left = (-fields[time] / 0.01).exp();
        assert!((fields[stress] - 10.0 * (1.0 + 0.5 * left)).abs() < 1e-9, "{row}");
        assert!((fields[memory] - 0.025 * left * left).abs() < 1e-9, "{row}");
    }
}

#[test]
fn viscosity_is_that_of_regions() {
    let scene_of = |damping: &str, memory: &str| {
        let material = format!("{LAW}{memory}");
        bar(&material, "step = \"5 ms\"\nsteps = 6")
            .replace("fixed =", &format!("{damping}\nfixed ="))
    };
    let (_, body) = finish(&scene_of("damping = { viscosity = \"20 Pa s\" }", ""));
    let memory = ", memory = { terms = [{ time = 1, strength = 0 }], viscosity = \"20 Pa s\" }";
    let (_, material) = finish(&scene_of("", memory));
    assert_eq!(body.state().x, material.state().x);
}

#[test]
fn wrong_memory_is_refused_with_its_key() {
    let refused = |material: &str, part: &str| {
        let error = parse(&bar(material, "steps = 1")).unwrap_err().to_string();
        assert!(error.contains(part), "{material}: {error}");
    };
    let with = |memory: &str| format!("{LAW}, memory = {{ {memory} }}");
    refused(
        &with("terms = [{ time = 0, strength = 1 }]"),
        "body.bar.material.memory.terms[0].time",
    );
    refused(
        &with("terms = [{ time = 1, strength = -1 }]"),
        "memory.terms[0].strength: -1: must be 0 or more",
    );
    refused(&with("terms = [{ time = 1 }]"), "needs 'strength'");
    refused(&with("terms = []"), "needs 'terms'");
    refused(
        &with(
            "terms = [{ time = 1, strength = 0.6 }, { time = 2, strength = 0.4 }], moduli = \"instant\"",
        ),
        "below 1",
    );
    let many = vec!["{ time = 1, strength = 1 }"; 17].join(", ");
    refused(&with(&format!("terms = [{many}]")), "17 terms: at most 16");
    refused(
        &with("terms = [{ time = 1, strength = 1 }], form = \"stres\""),
        "did you mean 'stress'",
    );
    let stress = "memory = { terms = [{ time = 1, strength = 1 }], form = \"stress\" }";
    refused(
        &format!("law = \"stable-neo-hookean\", young = 1e4, {stress}"),
        "stable-neo-hookean is made for such",
    );
    refused(
        "law = \"mass-spring\", young = 1e4, memory = { terms = [{ time = 1, strength = 1 }] }",
        "springs have no memory",
    );
    // Times that one term would serve are told.
    let close = with("terms = [{ time = 1, strength = 1 }, { time = 1.005, strength = 1 }]");
    let simulation = Simulation::build(&scene(&bar(&close, "steps = 1"))).unwrap();
    let told = simulation.warnings.iter().any(|w| w.contains("1 and 1.005 s"));
    assert!(told, "{:?}", simulation.warnings);
}
