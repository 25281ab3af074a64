//! [`Scene`]: all that a scene file says, checked as far as it can be without its meshes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pliant_algebra::vec3::Vec3;
use pliant_model::ContactMode;
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::document::{Document, SourceText, read_text};
use crate::file::table::Table;
use crate::file::vega;
use crate::run::kept::CHANGEABLE;
use crate::spec::attachment::AttachmentSpec;
use crate::spec::body::BodySpec;
use crate::spec::constraint::ConstraintSpec;
use crate::spec::contact::ContactSpec;
use crate::spec::material::MaterialSpec;
use crate::spec::norm::NormSpec;
use crate::spec::obstacle::{AnyObstacle, ObstacleSpec};
use crate::spec::output::OutputSpec;
use crate::spec::probe::{ProbeAt, ProbeSpec};
use crate::spec::scenery::ScenerySpec;
use crate::spec::select::Selection;
use crate::spec::stage::StageSpec;
use crate::spec::table::TableAt;
use crate::spec::time::TimeSpec;

/// A scene.
#[derive(Debug, Clone)]
pub struct Scene {
    /// What it is called.
    pub title: String,
    /// A line about it.
    pub about: String,
    /// m/s²
    pub gravity: Vec3,
    /// How the motion is computed; that of the last stage if there are some.
    pub time: TimeSpec,
    /// Parts of the run, one after the other; none where it is one.
    pub stages: Vec<StageSpec>,
    /// Its bodies.
    pub bodies: Vec<BodySpec>,
    /// What they cannot enter.
    pub obstacles: Vec<ObstacleSpec>,
    /// Obstacles that are surfaces of triangles.
    pub scenery: Vec<ScenerySpec>,
    /// How they touch each other; none if they do not.
    pub contact: Option<ContactSpec>,
    /// Whether they are meant to pass through each other: `contact.mode = "off"`.
    pub contact_is_off: bool,
    /// What joins them.
    pub attachments: Vec<AttachmentSpec>,
    /// What keeps parts of bodies together.
    pub constraints: Vec<ConstraintSpec>,
    /// What is watched.
    pub probes: Vec<ProbeSpec>,
    /// Norms of fields that are watched.
    pub norms: Vec<NormSpec>,
    /// What is written.
    pub output: OutputSpec,
    /// What the file it was translated from says without effect.
    pub notes: Vec<String>,
    fingerprint: u64,
    lineage: u64,
    text: String,
    sources: Vec<SourceText>,
}

impl Scene {
    /// Whether bodies are made of other materials than those of another scene, or other bodies are there.
    pub fn differs_in_materials(&self, other: &Self) -> bool {
        let kind = |m: &Option<MaterialSpec>| m.as_ref().map(|m| m.kind.clone());
        let of = |body: &BodySpec| {
            let regions = body.regions.iter().map(|r| (r.name.clone(), kind(&r.material)));
            (body.name.clone(), kind(&body.material), regions.collect::<Vec<_>>())
        };
        !self.bodies.iter().map(of).eq(other.bodies.iter().map(of))
    }

    /// Reads a text. Names of files in it are relative to the folder of `path`.
    pub fn parse(text: &str, path: &Path) -> Result<Self, SceneError> {
        Self::parse_with(text, path, &[])
    }

    /// The same with overrides `key.path=value`.
    pub fn parse_with(text: &str, path: &Path, sets: &[String]) -> Result<Self, SceneError> {
        Self::of_document(&Document::parse(text, path, sets)?, path)
    }

    /// Reads a document that came from `path`.
    pub(crate) fn of_document(document: &Document, path: &Path) -> Result<Self, SceneError> {
        let root = Table::root(document);
        let gravity = root.vector("gravity", Dimension::ACCELERATION)?;
        let gravity = gravity.unwrap_or([0.0, -9.81, 0.0]);
        let stages = StageSpec::read_all(&root, gravity)?;
        let time = match stages.last() {
            Some(stage) => stage.time.clone(),
            None => TimeSpec::read(&root)?,
        };
        let output = OutputSpec::read(&root, &time)?;
        // FNV-1a: the same with every version and on every machine.
        let hash = |text: &str| {
            text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
        };
        let text = document.texts(&[]);
        let (fingerprint, lineage) = (hash(&text), hash(&document.texts(&CHANGEABLE)));
        let contact = ContactSpec::read(&root)?;
        let (mut obstacles, mut scenery) = (Vec::new(), Vec::new());
        for obstacle in named(&root, "obstacle", ObstacleSpec::read)? {
            match obstacle {
                AnyObstacle::Shape(spec) => obstacles.push(spec),
                AnyObstacle::Scenery(spec) => scenery.push(spec),
            }
        }
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let scene = Self {
            title: root.text("title")?.map_or(name, str::to_owned),
            about: root.text("about")?.unwrap_or_default().to_owned(),
            gravity,
            time,
            stages,
            bodies: named(&root, "body", BodySpec::read)?,
            obstacles,
            scenery,
            contact: contact.clone().filter(|spec| spec.contact.mode != ContactMode::Off),
            contact_is_off: contact.is_some_and(|spec| spec.contact.mode == ContactMode::Off),
            attachments: root.rows("attachment", |_, _| None, |t| AttachmentSpec::read(&t))?,
            constraints: named(&root, "constraint", ConstraintSpec::read)?,
            probes: named(&root, "probe", ProbeSpec::read)?,
            norms: named(&root, "norm", NormSpec::read)?,
            output,
            notes: Vec::new(),
            fingerprint,
            lineage,
            text,
            sources: document.files(),
        };
        root.finish()?;
        if scene.bodies.is_empty() {
            let hint = "add [body.NAME] with a mesh, for example mesh = { shape = \"box\" }";
            return Err(SceneError::new("the scene has no body").at(root.location()).hint(hint));
        }
        scene.check_stages()?;
        scene.check_contact()?;
        Ok(scene)
    }

    /// Refuses what contact does not serve.
    fn check_contact(&self) -> Result<(), SceneError> {
        let Some(contact) = &self.contact else { return Ok(()) };
        contact.between.iter().try_for_each(|between| between.check(self))?;
        contact.check(&self.time)?;
        for stage in &self.stages {
            contact.check(&stage.time)?;
        }
        let mode = contact.contact.mode;
        let rough = self.obstacles.iter().find(|o| o.friction.is_some_and(|f| f > 0.0));
        if let Some(rough) = rough.filter(|_| !mode.has_obstacle_forces()) {
            let text = format!(
                "obstacle.{}.friction: contact.mode = \"{}\" has no friction",
                rough.name,
                mode.name()
            );
            let hint = "take friction = 0, or contact.mode = \"soft\", \"penalty\" or \"barrier\"";
            return Err(SceneError::new(text).at(&rough.location).hint(hint));
        }
        if mode.serves_restricted() {
            return Ok(());
        }
        let reduced = self.bodies.iter().find(|b| b.reduced.is_some()).map(|b| &b.location);
        let rigid = self.constraints.first().map(|c| &c.location);
        if let Some(location) = reduced.or(rigid) {
            let text = format!(
                "contact.mode = \"{}\" does not serve rigid parts and reduced bodies yet: their vertices do not move along straight lines",
                mode.name()
            );
            let hint = "leave them out, or take contact.mode = \"soft\" or \"off\"";
            return Err(SceneError::new(text).at(location).hint(hint));
        }
        Ok(())
    }

    /// Reads a file: a scene, or a configuration of Vega.
    pub fn read(path: &Path, sets: &[String]) -> Result<Self, SceneError> {
        let text = read_text(path).map_err(|e| SceneError::unread(path, e))?;
        if path.extension().is_none_or(|e| e != "config") {
            return Self::parse_with(&text, path, sets);
        }
        let imported = vega::import(&text, path)?;
        let mut scene = Self::parse_with(&imported.scene, path, sets)?;
        scene.notes = imported.notes;
        Ok(scene)
    }

    /// Its text, with all that it includes and all that was set on top.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A number that changes with the text and everything set on top.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// A number that changes with the text and what was set on top, but for keys that may be set when a run goes on.
    pub(crate) fn lineage(&self) -> u64 {
        self.lineage
    }

    /// The file and all that it includes.
    pub(crate) fn sources(&self) -> &[SourceText] {
        &self.sources
    }

    /// All selections of vertices.
    fn selections(&self) -> impl Iterator<Item = &Selection> {
        let of_bodies = self.bodies.iter().flat_map(|b| {
            let holds = b.holds.iter().map(|h| Some(&h.on));
            holds.chain(b.loads.iter().map(|l| l.on.as_ref()))
        });
        let of_probes = self.probes.iter().map(|p| match &p.at {
            ProbeAt::Vertices(on) => Some(on),
            ProbeAt::Point(_) => None,
        });
        let of_norms = self.norms.iter().map(|n| n.on.as_ref());
        let of_tables = self.output.tables.iter().map(|t| match &t.at {
            TableAt::Vertices(on) => on.as_ref(),
            TableAt::Points(_) => None,
        });
        let others = self.attachments.iter().map(|a| a.on.as_ref());
        let kept = self.constraints.iter().flat_map(|c| c.on.iter().map(Some));
        let of_bodies = of_bodies.chain(of_probes).chain(of_norms);
        of_bodies.chain(of_tables).chain(others).chain(kept).flatten()
    }

    /// The files that the bodies are made of, besides the scene's own: meshes, surfaces, and lists of vertices, with those
    /// that belong to them. Sorted, each once.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = BTreeSet::new();
        let meshes = self.bodies.iter().filter_map(|body| body.mesh.file());
        meshes.for_each(|file| add_with_parts(file, &mut files));
        for file in self.scenery.iter().filter_map(ScenerySpec::file) {
            add_with_parts(&file, &mut files);
        }
        let surfaces = self.bodies.iter().filter_map(|body| body.surface.as_ref());
        let surfaces = surfaces.flat_map(|s| [Some(&s.file), s.weights.as_ref()]).flatten();
        files.extend(surfaces.cloned());
        files.extend(self.selections().flat_map(Selection::files).map(Path::to_owned));
        files.into_iter().collect()
    }

    /// The same on finer meshes: cells are so many times divided into eight, and bodies with curved sides made
    /// anew with twice as many cells. Selections by numbers of vertices would mean something else there.
    pub fn refined(&self, times: usize) -> Result<Self, SceneError> {
        if let Some(location) = self.selections().find_map(Selection::by_number) {
            let text = "vertices by their numbers are others on a finer mesh";
            let hint = "select by set, box, sphere, plane or normal to refine meshes";
            return Err(SceneError::new(text).at(location).hint(hint));
        }
        let mut scene = self.clone();
        for body in &mut scene.bodies {
            body.mesh = body.mesh.refined(times);
        }
        Ok(scene)
    }

    /// The place of the body that something is of: the one it names, or the only one.
    pub(crate) fn body_or_only(
        &self,
        body: Option<&(String, Location)>,
        kind: &str,
        name: &str,
        location: &Location,
    ) -> Result<usize, SceneError> {
        match body {
            Some((body, location)) => self.body(body, location),
            None if self.bodies.len() == 1 => Ok(0),
            None => {
                let text = format!("{kind} '{name}' must say which body it is of");
                Err(SceneError::new(text).at(location).hint("add body = \"NAME\""))
            }
        }
    }

    /// The place of a body of that name.
    pub(crate) fn body(&self, name: &str, location: &Location) -> Result<usize, SceneError> {
        self.bodies.iter().position(|b| b.name == name).ok_or_else(|| {
            let copies = |b: &&BodySpec| b.copy.as_ref().is_some_and(|copy| copy.name == name);
            let copied: Vec<&str> =
                self.bodies.iter().filter(copies).map(|b| b.name.as_str()).collect();
            let names = self.bodies.iter().map(|b| b.name.as_str());
            let hint = match &copied[..] {
                [] => format!("there are {}", names.collect::<Vec<_>>().join(", ")),
                [one] => format!("its only copy is {one}"),
                [first, .., last] => format!("name one of its copies, {first} to {last}"),
            };
            SceneError::new(format!("there is no body '{name}'")).at(location).hint(hint)
        })
    }
}

fn named<T>(
    root: &Table<'_>,
    key: &'static str,
    read: impl Fn(&str, &Table<'_>) -> Result<T, SceneError>,
) -> Result<Vec<T>, SceneError> {
    root.named(key)?.iter().map(|(name, t)| read(name, t)).collect()
}

/// Adds a mesh file and those that it is in one with: the other ones of TetGen, and what a `.veg` file includes.
fn add_with_parts(file: &Path, files: &mut BTreeSet<PathBuf>) {
    if !files.insert(file.to_owned()) {
        return;
    }
    let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "node" | "ele" => {
            let others = ["node", "ele"].map(|other| file.with_extension(other));
            files.extend(others.into_iter().filter(|other| other.is_file()));
        }
        "veg" => {
            let text = std::fs::read(file).unwrap_or_default();
            for line in String::from_utf8_lossy(&text).lines() {
                let Some((command, name)) = line.trim().split_once(char::is_whitespace) else {
                    continue;
                };
                if command.eq_ignore_ascii_case("*INCLUDE") {
                    add_with_parts(&file.with_file_name(name.trim()), files);
                }
            }
        }
        _ => {}
    }
}
