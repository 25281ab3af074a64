//! `report.html`: a run on one page, from what its folder holds.
//!
//! Curves come from `history.csv`, pictures from `album.bin`, numbers and timings from `summary.json`, and all else
//! from the scene: a report can be made again at any time, and that of a resumed run is the same as if it had
//! never been stopped, but for timings.

mod album;
mod charts;
mod contact;
mod pictures;
mod pressed;
mod series;
mod tables;
mod watcher;
mod words;

use std::path::PathBuf;

use pliant_mesh::io::write_file;
use pliant_model::{Body, ContactMode};
use pliant_report::{ColourBar, Html, Page, Picture, Section, Verdict, facts};
use pliant_units::{count, duration, number, si};
use rayon::prelude::*;

use crate::build::simulation::Simulation;
use crate::error::SceneError;
use crate::run::folder::{Folder, Origin};
use crate::run::summary::Summary;
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;
use album::Album;
use series::Series;

pub(crate) use watcher::Watcher;

/// The name of the file that pictures are made of.
pub(crate) const ALBUM: &str = "album.bin";
const REPORT: &str = "report.html";
/// Longer texts are cut: they are lists of numbers.
const LONGEST_TEXT: usize = 60_000;

/// Writes the report of a folder anew, with the summary that it holds. `simulation` is that of the scene, in any state.
pub fn write(
    folder: &Folder,
    scene: &Scene,
    simulation: &Simulation,
) -> Result<PathBuf, SceneError> {
    let text = read(folder, "summary.json");
    let summary = serde_json::from_str(&text).ok().as_ref().and_then(Summary::from_json);
    write_with(folder, scene, simulation, summary)
}

/// The same with a summary that is at hand; none of a run that was cut off before it could write one.
pub(crate) fn write_with(
    folder: &Folder,
    scene: &Scene,
    simulation: &Simulation,
    summary: Option<Summary>,
) -> Result<PathBuf, SceneError> {
    let origin = Origin::of(folder.path())?;
    let old = summary.as_ref().and_then(|s| s.fingerprint.as_ref());
    if old.is_some_and(|old| *old != fingerprint(scene)) {
        let text = format!("the scene has changed since {} was written", folder.path().display());
        return Err(SceneError::new(text).hint("run it again, or bring the old scene back"));
    }
    let series = Series::parse(&read(folder, "history.csv"));
    let album = Album::read(&folder.file(ALBUM));
    let run = Run { scene, simulation, origin: &origin, summary, series, album };
    let page = run.page().html();
    let path = folder.file(REPORT);
    write_file(&path, |sink| Ok(sink.write_all(page.as_bytes())?))?;
    Ok(path)
}

/// The text of a file of the folder; nothing where there is none.
fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.file(name)).unwrap_or_default()
}

/// All that is known of a run.
struct Run<'a> {
    scene: &'a Scene,
    simulation: &'a Simulation,
    origin: &'a Origin,
    /// None if it was cut off before it could write one.
    summary: Option<Summary>,
    series: Series,
    album: Option<Album>,
}

impl Run<'_> {
    fn page(&self) -> Page {
        let mut page = Page::new(&self.scene.title);
        page.kind("Pliant run");
        page.about(&capital(&self.scene.about));
        self.verdict(&mut page);
        self.tiles(&mut page);
        for section in [
            self.pictures(),
            Some(self.setting()),
            self.energy(),
            self.momentum(),
            self.probes(),
            self.contact(),
            self.reactions(),
            self.effort(),
            Some(self.mesh()),
            self.warnings(),
            Some(self.reproduction()),
        ]
        .into_iter()
        .flatten()
        {
            page.section(section);
        }
        page.footer(&format!("Made by Pliant {}.", env!("CARGO_PKG_VERSION")));
        page
    }

    /// Steps made, of so many, and the time they came to, s.
    fn reached(&self) -> (u64, u64, f64) {
        let last = |name: &str| self.series.column(name).last().copied().unwrap_or(0.0);
        let (steps, time) = match &self.summary {
            Some(summary) => (summary.steps, summary.simulated_seconds),
            None => (last("step") as u64, last("time")),
        };
        (steps, self.scene.time.steps(), time)
    }

    fn verdict(&self, page: &mut Page) {
        let (step, steps, time) = self.reached();
        let at =
            format!("after {} of {} steps, at t = {}", count(step), count(steps), si(time, "s"));
        let summary = self.summary.as_ref();
        if let Some(error) = summary.and_then(|s| s.error.as_ref()) {
            page.verdict(
                Verdict::Bad,
                "Failed",
                &format!("{at}: {error}. What is shown is the run up to there."),
            );
        } else if summary.is_some_and(|s| s.converged) {
            let rest = self.scene.time.analysis == Analysis::Static;
            let text = if rest {
                "A state of rest was found.".into()
            } else {
                format!("{} steps to t = {}.", count(step), si(time, "s"))
            };
            let tangled = summary.is_some_and(|s| s.inverted_points > 0);
            if tangled || summary.is_some_and(|s| s.stable == Some(false)) {
                let odd = if tangled { "tangled" } else { "not stable" };
                let text = format!("{text} It is {odd}: see the warnings.");
                page.verdict(Verdict::Cut, "Finished, with a warning.", &text);
            } else {
                page.verdict(Verdict::Good, "Finished.", &text);
            }
        } else if summary.is_none() {
            page.verdict(
                Verdict::Cut,
                "Not finished",
                &format!("{at}. It goes on with pliant run --resume."),
            );
        } else {
            page.verdict(
                Verdict::Cut,
                "Stopped",
                &format!("{at}. It goes on with pliant run --resume."),
            );
        }
    }

    fn tiles(&self, page: &mut Page) {
        let (step, _, time) = self.reached();
        page.tile("vertices", &count(self.simulation.vertices() as u64));
        page.tile("cells", &count(self.simulation.cells() as u64));
        if self.scene.time.analysis != Analysis::Static {
            page.tile("steps", &count(step));
            page.tile("simulated", &si(time, "s"));
        }
        if let Some(summary) = &self.summary {
            page.tile("computed in", &duration(summary.wall_seconds));
        }
        let peak = self.album.as_ref().and_then(Album::greatest);
        if let Some(peak) = peak {
            page.tile("greatest von Mises stress", &si(peak.greatest, "Pa"));
        }
        let depth = self.summary.as_ref().and_then(|s| s.greatest_depth);
        if let Some(depth) = depth.filter(|d| *d > 0.0) {
            page.tile("greatest depth", &si(depth, "m"));
        }
        if let Some(contact) = self.summary.as_ref().and_then(|s| s.contact) {
            page.tile("contact", contact.mode.name());
            if contact.islands > 1 || contact.asleep > 0 {
                page.tile("islands at the end", &count(contact.islands));
            }
            if contact.asleep > 0 {
                page.tile("islands that sleep", &count(contact.asleep));
            }
            if contact.mode == ContactMode::Barrier {
                let text = format!("{} of {}", count(contact.steps), count(contact.tested));
                page.tile("steps in contact", &text);
                page.tile("intersections", "0");
            } else {
                page.tile("steps in contact", &count(contact.steps));
            }
            if contact.steps > 0 {
                page.tile("most pairs in contact", &count(contact.most_pairs));
                page.tile("smallest gap", &si(contact.smallest_gap, "m"));
                page.tile("greatest contact pressure", &si(contact.greatest_pressure, "Pa"));
            }
        }
        if let Some(summary) = &self.summary {
            if let Some(j) = summary.min_j {
                page.tile("smallest J", &number(j));
            }
            if summary.inverted_points > 0 {
                page.tile("inverted points", &count(summary.inverted_points));
            }
            if let Some(text) = summary.stability() {
                page.tile("state of rest", &text);
            }
        }
        if let Some(share) = self.loss() {
            let text = match share.abs() {
                size if size < 1e-5 => "< 0.001\u{a0}%".into(),
                size if size < 1e-3 => format!("{:.4}\u{a0}%", 100.0 * share),
                _ => format!("{}\u{a0}%", number(100.0 * share)),
            };
            page.tile("energy lost by the method", &text);
        }
    }

    fn pictures(&self) -> Option<Section> {
        let album = self.album.as_ref()?;
        let gallery = pictures::draw(album, self.scene, self.simulation);
        if gallery.pictures.is_empty() {
            return None;
        }
        let mut section = Section::new("Pictures");
        if let Some(highest) = gallery.highest {
            let bar = ColourBar {
                map: &pictures::COLOURS,
                title: "von Mises stress",
                low: "0",
                high: &format!("≥ {}", si(highest, "Pa")),
            };
            section.push(bar.html());
        }
        let names: Vec<&str> = self.simulation.bodies.iter().map(|b| b.name.as_str()).collect();
        let name = |at: [u32; 2]| {
            let body = names.get(at[0] as usize);
            body.map_or_else(String::new, |body| format!("cell {} of {body}", at[1]))
        };
        let figure = |(title, moment, image): &(&str, &album::Moment, pliant_draw::Image)| {
            let mut about = format!("step {}", count(moment.step));
            if moment.greatest > 1e-9 * gallery.highest.unwrap_or(0.0) {
                about += &format!("; at most {} in {}", si(moment.greatest, "Pa"), name(moment.at));
            }
            let title = format!("{title}, t = {}", si(moment.time, "s"));
            Picture { image, title: &title, about: &about }.html()
        };
        let figures: Vec<Html> = gallery.pictures.par_iter().map(figure).collect();
        section.push(Html::grid(&figures));
        let looks = album.seen.iter().filter(|s| s.greatest.is_finite()).count();
        let mut note = Vec::new();
        if looks > 0 {
            note.push(format!(
                "Stress was looked at in {} moments: evenly over the run, and after peaks of the elastic energy. The greatest is the one among these. Colours are means over the cells around a vertex.",
                count(looks as u64),
            ));
        }
        let springs = self.simulation.bodies.iter().any(Body::has_springs);
        if springs {
            note.push("Bodies made of springs have no stress; they are lilac.".into());
        }
        if let Some(square) = gallery.square {
            note.push(format!("Squares on the floor are {} wide.", si(square, "m")));
        }
        if !note.is_empty() {
            section.push(Html::note(&note.join(" ")));
        }
        if looks > 2 {
            section.push(Html::grid(&[charts::stress(album)]));
        }
        Some(section)
    }

    fn setting(&self) -> Section {
        let mut section = Section::new("Scene");
        section.push(tables::bodies(self.simulation));
        for (spec, body) in self.scene.bodies.iter().zip(&self.simulation.bodies).take(tables::MOST)
        {
            section.push(Html::element("h3", "", &Html::text(&capital(&spec.name))));
            section.push(facts(&words::body(spec, body)));
        }
        if self.scene.bodies.len() > tables::MOST {
            let text = format!(
                "The other {} bodies are in the scene text below.",
                self.scene.bodies.len() - tables::MOST
            );
            section.push(Html::note(&text));
        }
        section.push(Html::element("h3", "", &Html::text("Surroundings")));
        section.push(facts(&words::surroundings(self.scene)));
        section.push(Html::element("h3", "", &Html::text("Method")));
        section.push(facts(&words::method(self.scene, self.series.has("newton_iterations"))));
        section
    }

    /// Energy that the method has lost, as a share of the largest energy that there was.
    fn loss(&self) -> Option<f64> {
        if !self.simulation.has_energy() || self.scene.time.analysis != Analysis::Dynamic {
            return None;
        }
        let loss = *self.series.column("numerical_loss").last()?;
        let largest =
            |name: &str| self.series.column(name).iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let largest = tables::ENERGIES
            .iter()
            .filter(|e| e.0 != "numerical_loss")
            .map(|e| largest(e.0))
            .fold(0.0, f64::max);
        (largest > 0.0 && loss.is_finite()).then_some(loss / largest)
    }

    fn energy(&self) -> Option<Section> {
        if self.series.len() == 0 {
            return None;
        }
        let mut section = Section::new("Energy");
        let known = self.simulation.has_energy();
        let moves = self.scene.time.analysis == Analysis::Dynamic;
        if !known {
            let without: Vec<String> = self
                .simulation
                .bodies
                .iter()
                .filter(|b| !b.stores_energy())
                .map(|b| format!("{} ({})", b.name, tables::laws(b)))
                .collect();
            section.push(Html::list("warnings", &[format!(
                "The elastic energy is not known: the forces of {} come from no energy. What was dissipated and what the method lost cannot be told from it either, and there is no sum.",
                without.join(", ")
            )]));
        }
        section.push(tables::energies(&self.series, known, moves));
        if known && moves {
            section.push(Html::note("The sum of what is stored and what was dissipated, less the work done from outside, is what there was at the start less what the method lost. A loss below zero is a gain."));
        }
        let list = charts::energies(&self.series, known, moves);
        if !list.is_empty() {
            section.push(Html::grid(&list));
        }
        Some(section)
    }

    fn momentum(&self) -> Option<Section> {
        if self.scene.time.analysis != Analysis::Dynamic || self.series.len() < 3 {
            return None;
        }
        let mut section = Section::new("Momentum");
        section.push(Html::grid(&charts::momenta(&self.series)));
        let held = self.scene.bodies.iter().any(|b| !b.holds.is_empty());
        let text = if held || !self.scene.obstacles.is_empty() || self.scene.gravity != [0.0; 3] {
            "About the origin. Gravity, supports, obstacles and loads change it."
        } else {
            "About the origin. Nothing but loads may change it."
        };
        section.push(Html::note(text));
        Some(section)
    }

    fn probes(&self) -> Option<Section> {
        if self.simulation.probes.is_empty() {
            return None;
        }
        let mut section = Section::new("Probes");
        section.push(tables::probes(self.simulation, &self.series));
        section.push(Html::grid(&charts::probes(self.simulation, &self.series)));
        Some(section)
    }

    fn reactions(&self) -> Option<Section> {
        // Of a body that is held in several places, each of them: their sum says little.
        let one = self.scene.bodies.iter().filter(|b| b.holds.len() == 1).map(|b| b.name.as_str());
        let several = self.simulation.supports.iter().map(|s| s.name.as_str());
        let held: Vec<&str> = one.chain(several).collect();
        if held.is_empty() || self.series.len() == 0 {
            return None;
        }
        let mut section = Section::new("Reactions");
        section.push(tables::reactions(&held, &self.series));
        section.push(Html::grid(&charts::reactions(&held, &self.series)));
        Some(section)
    }

    fn effort(&self) -> Option<Section> {
        let mut section = Section::new("Effort");
        let mut list = charts::iterations(&self.series);
        let summary = self.summary.as_ref();
        list.extend(summary.and_then(|s| charts::phases(s.phases.as_ref()?)));
        if let Some(summary) = summary {
            section.push(tables::effort(summary));
            section.push(facts(&words::done(summary)));
        }
        section.push(Html::grid(&list));
        if let Some(step) = summary.and_then(|s| s.resumed_at) {
            let text = format!(
                "The run was resumed at step {}: times are those since then, counts those of the whole run.",
                count(step)
            );
            section.push(Html::note(&text));
        }
        (summary.is_some() || !list.is_empty()).then_some(section)
    }

    fn mesh(&self) -> Section {
        let mut section = Section::new("Mesh quality");
        let (table, bars) = tables::quality(self.simulation);
        section.push(table);
        section.push(Html::grid(&bars));
        section.push(Html::note("Radius ratio and scaled Jacobian are 1 for a perfect cell and 0 for a flat one. Histograms show the smallest dihedral angle of tetrahedra (70.5° if regular), and the scaled Jacobian of hexahedra."));
        section
    }

    fn warnings(&self) -> Option<Section> {
        // Those of the run, among them what it has shown itself; of a run that was cut off, those of the scene.
        let list = self.summary.as_ref().map_or(&self.simulation.warnings, |s| &s.warnings);
        if list.is_empty() {
            return None;
        }
        let mut section = Section::new("Warnings");
        section.push(Html::list("warnings", list));
        Some(section)
    }

    fn reproduction(&self) -> Section {
        let mut section = Section::new("Reproduction");
        let mut command = format!("pliant run {}", shell(&self.origin.scene));
        for set in &self.origin.sets {
            command += &format!(" --set {}", shell(set));
        }
        section.push(Html::code(&command));
        let mut list = vec![
            ("Pliant".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            (
                "Machine".to_owned(),
                format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH),
            ),
        ];
        if let Some(threads) = self.summary.as_ref().and_then(|s| s.threads) {
            list.push((
                "Threads".to_owned(),
                format!("{threads}; every number of threads gives the same bits"),
            ));
        }
        list.push(("Seeds".to_owned(), "those of the scene; nothing else is random".to_owned()));
        list.push((
            "Fingerprint".to_owned(),
            format!("{}, of the scene's text", fingerprint(self.scene)),
        ));
        section.push(facts(&list));
        let text = self.scene.text();
        let cut = text.floor_char_boundary(LONGEST_TEXT);
        let mut shown = text[..cut].trim_end().to_owned();
        if cut < text.len() {
            shown += &format!("\n# … and {} more characters", text.len() - cut);
        }
        section.push(Html::folded("The scene as it was run", &Html::code(&shown)));
        section
    }
}

/// As `summary.json` has it.
pub(crate) fn fingerprint(scene: &Scene) -> String {
    format!("{:016x}", scene.fingerprint())
}

/// A word as a shell takes it.
fn shell(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
