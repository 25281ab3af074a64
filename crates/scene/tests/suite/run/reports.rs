//! Reports of runs.

use std::fmt::Write as _;

use pliant_scene::report;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::*;

/// The text of a report, read to its end as XML: every element is closed.
fn report(folder: &Temporary) -> String {
    let html = fs::read_to_string(folder.0.join("report.html")).unwrap();
    let mut reader = Reader::from_str(&html);
    reader.config_mut().check_end_names = true;
    loop {
        match reader.read_event().unwrap_or_else(|e| panic!("{e} at {}", reader.error_position())) {
            Event::Start(e) | Event::Empty(e) => {
                assert_ne!(e.name().as_ref(), b"script");
                e.attributes().for_each(|a| assert!(a.is_ok(), "{a:?}"));
            }
            // Numbers stay with their units.
            Event::Eof => return html.replace('\u{a0}', " "),
            _ => {}
        }
    }
}

fn run_text(name: &str, text: &str, stop: u64) -> (Temporary, Scene) {
    let temporary = Temporary::new(name);
    let scene = Scene::parse(text, Path::new("test.toml")).unwrap();
    let folder = Folder::create(&temporary.0, &origin(), false).unwrap();
    go(&scene, &folder, false, stop).unwrap();
    (temporary, scene)
}

/// All but what a clock has to do with.
pub(super) fn without_timings(html: &str) -> String {
    let (before, rest) = html.split_once("<section id=\"effort\">").unwrap();
    let (_, after) = rest.split_once("</section>").unwrap();
    let tile = |line: &&str| !line.contains("<span>computed in</span>");
    format!("{before}{after}").lines().filter(tile).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_report_has_its_sections_and_is_made_again_to_the_same_bytes() {
    let text = SCENE.replace("INTEGRATOR", "backward-euler");
    let (temporary, scene) = run_text("report", &text, u64::MAX);
    let html = report(&temporary);
    for id in [
        "pictures",
        "scene",
        "energy",
        "momentum",
        "probes",
        "reactions",
        "effort",
        "mesh-quality",
        "reproduction",
    ] {
        assert!(html.contains(&format!("<section id=\"{id}\">")), "{id}");
    }
    for words in [
        "Finished.",
        "neo-hookean, Young&#39;s modulus 100 kPa, Poisson&#39;s ratio 0.4",
        "set x-min (4 vertices)",
        "stored in all",
        "von Mises stress",
        "pliant run test",
        "[body.bar]",
        "Newton iterations of a step",
    ] {
        assert!(html.contains(words), "'{words}'");
    }
    assert_eq!(html.matches("data:image/png;base64,").count(), 4);
    let (folder, _) = Folder::open(&temporary.0).unwrap();
    report::write(&folder, &scene, &Simulation::build(&scene).unwrap()).unwrap();
    assert_eq!(report(&temporary), html);
    // Of another scene there is none in this folder.
    let other = Scene::parse(&text.replace("0.4 }", "0.3 }"), Path::new("test.toml")).unwrap();
    let error = report::write(&folder, &other, &Simulation::build(&other).unwrap()).unwrap_err();
    assert!(error.to_string().contains("has changed"), "{error}");
}

#[test]
fn hostile_names_are_shown_and_do_no_harm() {
    let text = "title = \"</title><script>alert(1)</script>\"\nabout = \"<img src=x onerror=y>\"\n\
        [body.\"<script>b&\"]\nmesh = { shape = \"box\", cells = [1, 1, 1] }\nmaterial = { young = 1e4 }\nfixed = \"y-max\"\n\
        [probe.\"'<p>\\\",\"]\nat = [0.5, 0, 0.5]\n[time]\nstep = 0.02\nsteps = 4\n";
    let (temporary, _) = run_text("hostile", text, u64::MAX);
    let html = report(&temporary);
    assert!(html.contains("<h1>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</h1>"));
    assert!(html.contains("Displacement of &#39;&lt;p&gt;") && !html.contains("<img src=x"));
}

#[test]
fn an_energy_that_is_not_known_is_named_and_not_summed_up() {
    let text = SCENE
        .replace("INTEGRATOR", "backward-euler")
        .replace("\"neo-hookean\"", "\"corotational-qr\"");
    let (temporary, _) = run_text("no-energy", &text, u64::MAX);
    let html = report(&temporary);
    assert!(html.contains("The elastic energy is not known: the forces of bar (corotational-qr)"));
    assert!(html.contains("<td>elastic</td><td class=\"n\">not known</td>"));
    assert!(!html.contains("stored in all") && !html.contains("</i>sum</li>"));
    assert!(!html.contains("energy lost by the method</span>"));
}

#[test]
fn runs_that_did_not_come_to_their_end_say_so() {
    let text = SCENE.replace("INTEGRATOR", "backward-euler");
    let (temporary, _) = run_text("stopped", &text, 7);
    let html = report(&temporary);
    assert!(html.contains("<b>Stopped</b>") && html.contains("after 7 of 20 steps"), "stopped");
    assert!(html.contains("Last, of greatest stress, t = 70 ms"));
    let text = text
        .replace("backward-euler", "symplectic-euler")
        .replace("newton = \"simplified\"\n", "")
        .replace("10 ms", "40 ms");
    let (temporary, _) = run_text("failed", &text.replace("0.2 s", "40 s"), u64::MAX);
    assert!(report(&temporary).contains("<b>Failed</b>"));
    let rest = text.replace("integrator = \"symplectic-euler\"", "analysis = \"static\"");
    let (temporary, _) = run_text("rest", &rest, u64::MAX);
    let html = report(&temporary);
    assert!(html.contains("A state of rest was found") && !html.contains("Momentum"));
}

#[test]
fn a_switch_leaves_the_report_out() {
    let text = SCENE.replace("INTEGRATOR", "backward-euler") + "[output]\nreport = false\n";
    let text = text.replacen("[output]\nframes = \"30 ms\"\ncheckpoint_every = 4\n", "", 1);
    let (temporary, _) = run_text("none", &text, u64::MAX);
    let names: Vec<_> = files(&temporary.0).into_iter().map(|f| f.0).collect();
    assert!(names.iter().all(|n| !n.ends_with("report.html") && !n.ends_with("album.bin")));
}

#[test]
fn a_hundred_thousand_rows_make_a_report_below_two_megabytes() {
    let text = SCENE.replace("INTEGRATOR", "backward-euler");
    let (temporary, scene) = run_text("long", &text, u64::MAX);
    let path = temporary.0.join("history.csv");
    let history = fs::read_to_string(&path).unwrap();
    let mut lines = history.lines();
    let mut long = format!("{}\n", lines.next().unwrap());
    let row: Vec<&str> = lines.last().unwrap().split(',').skip(2).collect();
    for step in 0..100_000 {
        let wave = f64::from(step).sin();
        let _ = write!(long, "{step},{:?}", f64::from(step) * 0.01);
        for field in &row {
            let _ = write!(long, ",{:?}", field.parse::<f64>().unwrap_or(0.0) + wave);
        }
        long.push('\n');
    }
    fs::write(&path, long).unwrap();
    let (folder, _) = Folder::open(&temporary.0).unwrap();
    report::write(&folder, &scene, &Simulation::build(&scene).unwrap()).unwrap();
    let size = report(&temporary).len();
    assert!(size < 1_000_000, "{size}");
}
