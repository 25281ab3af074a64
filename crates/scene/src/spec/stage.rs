//! `[[stage]]`: parts of a run, one after the other. The state goes on from each to the next.

use pliant_algebra::vec3::Vec3;
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::body::{BodySpec, Hold};
use crate::spec::scene::Scene;
use crate::spec::time::{Analysis, TimeSpec};

/// A stage of a run.
#[derive(Debug, Clone)]
pub struct StageSpec {
    /// Its name; its number, from 1, if it was given none.
    pub name: String,
    /// What is sought and by which method, from when to when.
    pub time: TimeSpec,
    /// m/s²
    pub gravity: Vec3,
    /// Holds that end when it begins.
    pub release: Vec<(String, Location)>,
    /// Where it stands in the scene.
    pub location: Location,
}

/// The stages in which something acts, as they were named; all if none.
pub(crate) type ActsIn = Option<Vec<(String, Location)>>;

/// Reads `stages` of a hold or a load.
pub(crate) fn acts_in(t: &Table<'_>) -> Result<ActsIn, SceneError> {
    let names = t.texts("stages")?;
    let named = names.into_iter().map(|(name, location)| (name.to_owned(), location));
    Ok(t.has("stages").then(|| named.collect()))
}

impl StageSpec {
    /// Reads all of them. Gravity is that of the scene until a stage changes it.
    pub(crate) fn read_all(root: &Table<'_>, gravity: Vec3) -> Result<Vec<Self>, SceneError> {
        let (mut number, mut start, mut first, mut gravity) = (0, 0.0, 0, gravity);
        root.rows(
            "stage",
            |_, _| None,
            |t| {
                number += 1;
                let name = t.text("name")?.map_or_else(|| number.to_string(), str::to_owned);
                gravity = t.vector("gravity", Dimension::ACCELERATION)?.unwrap_or(gravity);
                let release = t.texts("release")?;
                let release = release.into_iter().map(|(name, at)| (name.to_owned(), at)).collect();
                let time = TimeSpec::read_stage(root, &t, start, first)?;
                t.finish()?;
                (start, first) = (time.end, time.steps());
                Ok(Self { name, time, gravity, release, location: t.location().clone() })
            },
        )
    }

    /// Whether it is a motion, in which masses count.
    pub fn moves(&self) -> bool {
        self.time.analysis == Analysis::Dynamic
    }
}

impl Hold {
    /// What it is called beside others of its body: its name, that of its set, or its number from 1.
    pub(crate) fn label(&self, number: usize) -> String {
        let own = self.name.as_deref().or_else(|| self.on.set());
        own.map_or_else(|| number.to_string(), str::to_owned)
    }
}

impl Scene {
    /// How many stages there are; 1 where the scene has none.
    pub fn stage_count(&self) -> usize {
        self.stages.len().max(1)
    }

    /// The stage in which a run is that has made so many steps. At the end of one it is still in that one.
    pub fn stage_at(&self, steps: u64) -> usize {
        let ended = |stage: &&StageSpec| stage.time.steps() < steps;
        self.stages.iter().take_while(ended).count().min(self.stage_count() - 1)
    }

    /// Steps at which stages end, ascending: the last is that of the run.
    pub fn stage_ends(&self) -> Vec<u64> {
        (0..self.stage_count()).map(|k| self.stage_time(k).steps()).collect()
    }

    /// How the motion of a stage is computed.
    pub fn stage_time(&self, stage: usize) -> &TimeSpec {
        // That of the last stage stands in the scene itself, where it may have been changed.
        match self.stages.get(stage) {
            Some(spec) if stage + 1 < self.stages.len() => &spec.time,
            _ => &self.time,
        }
    }

    /// The time after so many steps, s.
    pub(crate) fn time_of(&self, steps: u64) -> f64 {
        let time = self.stage_time(self.stage_at(steps));
        if steps >= time.steps() || time.analysis == Analysis::Static {
            return time.end;
        }
        time.start + time.step * (steps - time.first) as f64
    }

    /// Whether any stage is a motion.
    pub fn moves(&self) -> bool {
        (0..self.stage_count()).any(|k| self.stage_time(k).analysis == Analysis::Dynamic)
    }

    /// The scene of one stage: with its methods and gravity, and what acts in it.
    #[must_use]
    pub fn stage(&self, stage: usize) -> Self {
        let mut scene = self.clone();
        let Some(spec) = self.stages.get(stage) else { return scene };
        (scene.time, scene.gravity) = (self.stage_time(stage).clone(), spec.gravity);
        for body in &mut scene.bodies {
            let name = body.name.clone();
            for (k, hold) in body.holds.iter_mut().enumerate() {
                let released =
                    |s: &StageSpec| s.release.iter().any(|(n, _)| is_called(n, &name, hold, k));
                let free = self.stages[..=stage].iter().any(released);
                hold.active = acts(hold.stages.as_ref(), spec) && !free;
            }
            for load in &mut body.loads {
                load.active = acts(load.stages.as_ref(), spec);
            }
        }
        scene
    }

    /// Fails where a stage or something that names one says what is not there.
    pub(crate) fn check_stages(&self) -> Result<(), SceneError> {
        for (k, stage) in self.stages.iter().enumerate() {
            if self.stages[..k].iter().any(|other| other.name == stage.name) {
                let text = format!("there are two stages '{}'", stage.name);
                return Err(SceneError::new(text).at(&stage.location));
            }
            for (name, location) in &stage.release {
                let holds =
                    self.bodies.iter().flat_map(|b| labelled(b).map(move |(k, h)| (b, k, h)));
                if holds.clone().any(|(b, k, h)| is_called(name, &b.name, h, k)) {
                    continue;
                }
                let names: Vec<String> =
                    holds.map(|(b, k, h)| format!("{}.{}", b.name, h.label(k + 1))).collect();
                let text = format!("nothing that holds a body is called '{name}'");
                let hint = format!("there are {}", names.join(", "));
                return Err(SceneError::new(text).at(location).hint(hint));
            }
        }
        for body in &self.bodies {
            let holds = body.holds.iter().filter_map(|h| h.stages.as_ref());
            let loads = body.loads.iter().filter_map(|l| l.stages.as_ref());
            for (name, location) in holds.chain(loads).flatten() {
                if self.stages.iter().all(|stage| stage.name != *name) {
                    let names: Vec<&str> = self.stages.iter().map(|s| s.name.as_str()).collect();
                    let text = format!("there is no stage '{name}'");
                    let hint = match &names[..] {
                        [] => "add [[stage]] tables to the scene, with a name each".to_owned(),
                        names => format!("there are {}", names.join(", ")),
                    };
                    return Err(SceneError::new(text).at(location).hint(hint));
                }
            }
            for hold in &body.holds {
                self.check_beginning(hold)?;
            }
        }
        Ok(())
    }

    /// A hold that begins in a later stage must say where its vertices are to be then: what is fixed or led from where it
    /// is at rest would be thrown there.
    fn check_beginning(&self, hold: &Hold) -> Result<(), SceneError> {
        let Some(named) = &hold.stages else { return Ok(()) };
        let first = self.stages.iter().position(|s| acts(Some(named), s));
        if first == Some(0) || hold.by_expression {
            return Ok(());
        }
        let text = "a hold that begins in a later stage would bring its vertices back to where they are at rest";
        let hint = "let it act from the first stage on, or say by expression = [ … ] where the vertices are to be";
        Err(SceneError::new(text).at(&hold.location).hint(hint))
    }
}

fn labelled(body: &BodySpec) -> impl Iterator<Item = (usize, &Hold)> + Clone {
    body.holds.iter().enumerate()
}

/// Whether a name means a hold of a body: that of the body, or of the hold in it.
fn is_called(name: &str, body: &str, hold: &Hold, k: usize) -> bool {
    name.strip_prefix(body).is_some_and(|rest| {
        let own = rest.strip_prefix('.');
        rest.is_empty()
            || own.is_some_and(|own| own == hold.label(k + 1) || own == (k + 1).to_string())
    })
}

fn acts(named: Option<&Vec<(String, Location)>>, stage: &StageSpec) -> bool {
    named.is_none_or(|names| names.iter().any(|(name, _)| *name == stage.name))
}
