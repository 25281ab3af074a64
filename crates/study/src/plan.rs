//! [`Plan`]: which runs a comparison is made of.

use pliant_dynamics::IntegratorName;
use pliant_scene::{Analysis, Origin, SceneError, Simulation};

use crate::axis::{Axis, Kind};
use crate::case::{Case, product};
use crate::reference::Reference;

/// Which runs a comparison is made of, each of them checked as far as that is possible without making it.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What varies.
    pub axes: Vec<Axis>,
    /// What the scene is called.
    pub title: String,
    pub(crate) cases: Vec<Case>,
    pub(crate) groups: Vec<Group>,
    /// The group of each case.
    pub(crate) group_of: Vec<usize>,
}

/// Cases that have one answer.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) settings: Vec<(String, String)>,
    /// Tried one after the other until one comes to its end.
    pub(crate) references: Vec<(Reference, Case)>,
}

impl Plan {
    /// All combinations of the values of these axes, with the reference `METHOD` or `METHOD@STEP` if one is
    /// asked for.
    pub fn new(
        origin: &Origin,
        axes: &[Axis],
        reference: Option<&str>,
    ) -> Result<Self, SceneError> {
        for (k, axis) in axes.iter().enumerate() {
            if axes[..k].iter().any(|a| a.key == axis.key) {
                return Err(SceneError::new(format!("{} varies twice", axis.key))
                    .hint("give all its values at once, separated by commas"));
            }
        }
        let base = origin.load()?;
        let mut origin = origin.clone();
        // Steps are compared over the same time, also where the scene counts them.
        if !axes.iter().any(|a| ["time.end", "time.steps"].contains(&a.key.as_str())) {
            origin.sets.push(format!("time.end={:?}", base.time.end));
        }
        let all: Vec<&Axis> = axes.iter().collect();
        let of = |kind: Kind| axes.iter().filter(move |a| a.kind() == kind).collect::<Vec<_>>();
        let (models, meshes) = (of(Kind::Model), of(Kind::Mesh));
        let cases: Result<Vec<_>, _> =
            product(&all).into_iter().map(|settings| Case::new(&origin, settings)).collect();
        let cases = cases?;
        let shortest = cases.iter().map(|c| c.scene.time.step).fold(f64::INFINITY, f64::min);
        let mut methods: Vec<IntegratorName> = Vec::new();
        for case in cases.iter().filter(|c| c.scene.time.analysis == Analysis::Dynamic) {
            if !methods.contains(&case.scene.time.integrator) {
                methods.push(case.scene.time.integrator);
            }
        }
        let given = reference.map(|text| Reference::parse(text, shortest)).transpose()?;
        let mut groups: Vec<Group> = Vec::new();
        for model in product(&models) {
            let mut finest: Option<(Case, Simulation)> = None;
            let mut differ = false;
            for mesh in product(&meshes) {
                let case = Case::new(&origin, [model.clone(), mesh].concat())?;
                let simulation = Simulation::build(&case.scene)?;
                let best = finest.as_ref().map(|(_, best)| best.vertices());
                differ |= best.is_some_and(|best| best != simulation.vertices());
                if best.is_none_or(|best| simulation.vertices() >= best) {
                    finest = Some((case, simulation));
                }
            }
            let Some((case, mut simulation)) = finest else { continue };
            if differ && case.scene.probes.is_empty() {
                let text = "meshes of different sizes can only be compared by probes, and the scene has none";
                return Err(SceneError::new(text).hint("add [probe.NAME] with at = [x, y, z]"));
            }
            let candidates = match &given {
                Some(given) => vec![given.clone()],
                None => Reference::candidates(&case.scene, &mut simulation, &methods, shortest),
            };
            let made: Result<_, _> = candidates
                .into_iter()
                .map(|reference| {
                    let settings = [case.settings.clone(), reference.settings.clone()].concat();
                    Ok::<_, SceneError>((reference, Case::new(&origin, settings)?))
                })
                .collect();
            groups.push(Group { settings: model, references: made? });
        }
        let group_of = |case: &Case| {
            let fits = |g: &Group| g.settings.iter().all(|s| case.settings.contains(s));
            groups.iter().position(fits).unwrap_or(0)
        };
        let group_of = cases.iter().map(group_of).collect();
        Ok(Self { axes: axes.to_vec(), title: base.title, cases, groups, group_of })
    }

    /// How many runs it has, besides references.
    pub fn runs(&self) -> usize {
        self.cases.len()
    }
}
