//! `contact.on_overlap`: what is done where surfaces intersect at the start.

use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, scale, sub};
use pliant_contact::analytic::ShapeContact;
use pliant_contact::friction::ContactFriction;
use pliant_contact::normal::NormalContact;
use pliant_dynamics::{State, System};
use pliant_forces::{ForceError, Workspace};
use pliant_model::{Body, Meeting, Overlap, Scenery};
use pliant_units::{si, vector};

use crate::error::SceneError;
use crate::run::told::Names;
use crate::spec::contact::{ContactSpec, OnOverlap};
use crate::spec::scene::Scene;

/// Rounds in which one body of a pair is moved.
const ROUNDS: usize = 200;
/// Halvings of a way that is longer than need be.
const HALVINGS: usize = 24;

/// Fails where surfaces that can touch intersect at the start, or does what the scene says of them. Returns warnings, also where surfaces
/// already repel each other.
pub(crate) fn resolve(
    scene: &Scene,
    (bodies, scenery): (&[Body], &[Scenery]),
    system: &mut System,
    state: &mut State,
) -> Result<Vec<String>, SceneError> {
    let Some(spec) = &scene.contact else { return Ok(Vec::new()) };
    let mut warnings = match spec.on_overlap {
        OnOverlap::Refuse => Vec::new(),
        OnOverlap::PushApart => push_apart(scene, spec, bodies, system, state)?,
        OnOverlap::IgnorePairs => ignore(spec, bodies, system, state)?,
    };
    warnings.extend(refuse(spec, (bodies, scenery), system, state)?);
    Ok(warnings)
}

/// Fails where surfaces intersect; warns where they repel each other.
fn refuse(
    spec: &ContactSpec,
    (bodies, scenery): (&[Body], &[Scenery]),
    system: &System,
    state: &State,
) -> Result<Option<String>, SceneError> {
    let mut warning = None;
    let names = Names { bodies, scenery, rows_are_vertices: true };
    for shape in system.models_of::<ShapeContact>() {
        let Err(error) = shape.refuse_inside(&state.x, &mut Workspace::new()) else { continue };
        let ForceError::Obstacle { vertex, obstacle, place, .. } = &error else {
            return Err(error.into());
        };
        let text = format!(
            "{} is inside obstacle '{obstacle}' at the start, at {}",
            names.vertex(*vertex),
            vector(*place, "m")
        );
        let hint =
            format!("move the body out of it, or let obstacle.{obstacle}.bodies name others");
        return Err(SceneError::new(text).at(&spec.location).hint(hint).because(error));
    }
    for contact in system.models_of::<NormalContact>() {
        let apart = contact.refuse_intersections(&state.x, &mut Workspace::new());
        let Err(error) = apart else {
            let found = contact.survey(&state.x, &mut Workspace::new());
            warning = found.gap.map(|gap| {
                format!(
                    "{}: surfaces are {} apart at the start, near enough to repel each other: they are pushed apart with energy from nowhere",
                    spec.location,
                    si(gap, "m")
                )
            });
            continue;
        };
        let &ForceError::Intersecting { edge: [a, b], triangle: [c, d, e], place } = &error else {
            return Err(error.into());
        };
        let [a, b, c, d, e] = [a, b, c, d, e].map(|v| names.vertex(v));
        let text = format!(
            "surfaces intersect at the start: the edge from {a} to {b} passes through the triangle of {c}, {d} and {e}, at {}",
            vector(place, "m")
        );
        let hint = "move the bodies apart (`pliant check` lists all that overlap), take contact.on_overlap = \"push-apart\", or contact.mode = \"off\"";
        return Err(SceneError::new(text).at(&spec.location).hint(hint).because(error));
    }
    Ok(warning)
}

/// Bodies that overlap do not touch each other in this run.
fn ignore(
    spec: &ContactSpec,
    bodies: &[Body],
    system: &mut System,
    state: &State,
) -> Result<Vec<String>, SceneError> {
    let overlaps = Meeting::new(bodies)?.overlaps(&state.x);
    let pairs: Vec<[u32; 2]> = overlaps.iter().map(|o| o.bodies.map(|b| b as u32)).collect();
    for contact in system.models_of_mut::<NormalContact>() {
        contact.ignore(&pairs);
    }
    for friction in system.models_of_mut::<ContactFriction>() {
        friction.ignore(&pairs);
    }
    let name = |b: usize| &bodies[b].name;
    let text = |overlap: &Overlap| match overlap.bodies {
        [a, b] if a == b => {
            format!(
                "{}: body '{}' intersects itself at the start, and does not touch itself in this run",
                spec.location,
                name(a)
            )
        }
        [a, b] => format!(
            "{}: bodies '{}' and '{}' overlap at the start, and do not touch each other in this run",
            spec.location,
            name(a),
            name(b)
        ),
    };
    Ok(overlaps.iter().map(text).collect())
}

/// Bodies that nothing holds or joins are moved as they are, along the shortest of some ways, until none overlaps another.
fn push_apart(
    scene: &Scene,
    spec: &ContactSpec,
    bodies: &[Body],
    system: &mut System,
    state: &mut State,
) -> Result<Vec<String>, SceneError> {
    let mut meeting = Meeting::new(bodies)?;
    let reach = |pair: [usize; 2]| {
        let touches = system.models_of::<NormalContact>().next().map(NormalContact::touches);
        let of = |b: usize| touches.and_then(|t| t.get(b)).map_or(0.0, |t| t.distance);
        of(pair[0]).min(of(pair[1]))
    };
    let gaps: Vec<Vec<f64>> =
        (0..bodies.len()).map(|a| (0..bodies.len()).map(|b| reach([a, b])).collect()).collect();
    let mut ways = vec![[0.0; 3]; bodies.len()];
    for _ in 0..ROUNDS {
        let overlaps = meeting.overlaps(&state.x);
        let Some(pair) = overlaps.iter().map(|o| o.bodies).find(|[a, b]| a != b) else { break };
        let free = |b: usize| {
            let range = &bodies[b].range;
            let held = system.constraints().vertices().iter();
            let held = held.map(|c| c.vertex as usize).any(|v| range.contains(&v));
            let name = &bodies[b].name;
            let joins = |a: &crate::AttachmentSpec| {
                a.body.0 == *name || a.to.as_ref().is_some_and(|to| to.0 == *name)
            };
            !held && !scene.attachments.iter().any(joins)
        };
        let mass = |b: usize| bodies[b].masses().iter().sum::<f64>();
        let lighter = |a: &usize, b: &usize| mass(*a).total_cmp(&mass(*b)).then(b.cmp(a));
        let Some(mover) = pair.into_iter().filter(|&b| free(b)).min_by(lighter) else {
            let [a, b] = pair.map(|b| &bodies[b].name);
            let text = format!(
                "bodies '{a}' and '{b}' overlap at the start and cannot be pushed apart, as both are held or attached"
            );
            let hint =
                "move them apart in the scene, or take contact.on_overlap = \"ignore-pairs\"";
            return Err(SceneError::new(text).at(&spec.location).hint(hint));
        };
        let other = if mover == pair[0] { pair[1] } else { pair[0] };
        let way = shortest(&mut meeting, bodies, [mover, other], gaps[mover][other], &state.x);
        shift(&mut state.x, &bodies[mover], way);
        ways[mover] = add_scaled(ways[mover], way, 1.0);
    }
    let moved = bodies.iter().zip(&ways).filter(|(_, way)| norm(**way) > 0.0);
    let text = |(body, way): (&Body, &Vec3)| {
        format!(
            "{}: body '{}' overlapped another at the start, and begins {} away from where the scene puts it",
            spec.location,
            body.name,
            vector(*way, "m")
        )
    };
    Ok(moved.map(text).collect())
}

fn shift(x: &mut [Vec3], body: &Body, way: Vec3) {
    for x in &mut x[body.range.clone()] {
        *x = add_scaled(*x, way, 1.0);
    }
}

/// The shortest of some ways on which the first body comes free of the second, and on by the gap.
fn shortest(
    meeting: &mut Meeting,
    bodies: &[Body],
    [mover, other]: [usize; 2],
    gap: f64,
    x: &[Vec3],
) -> Vec3 {
    let mut directions: Vec<Vec3> = (0..3)
        .flat_map(|k| {
            [1.0, -1.0].map(|sign| std::array::from_fn(|i| if i == k { sign } else { 0.0 }))
        })
        .collect();
    let between = sub(bodies[mover].centre(x), bodies[other].centre(x));
    if norm(between) > 0.0 {
        directions.push(scale(between, 1.0 / norm(between)));
    }
    let mut best: Option<(f64, Vec3)> = None;
    for n in directions {
        // Beyond this way a plane separates them.
        let farthest = x[bodies[other].range.clone()].iter().map(|p| dot(*p, n));
        let nearest = x[bodies[mover].range.clone()].iter().map(|p| dot(*p, n));
        let whole =
            farthest.fold(f64::NEG_INFINITY, f64::max) - nearest.fold(f64::INFINITY, f64::min);
        let mut y = x.to_vec();
        let mut overlap_after = |way: f64| {
            y.copy_from_slice(x);
            shift(&mut y, &bodies[mover], scale(n, way));
            let pair = [mover.min(other), mover.max(other)];
            meeting.overlaps(&y).iter().any(|overlap| overlap.bodies == pair)
        };
        let (mut inside, mut outside) = (0.0, whole * (1.0 + 1e-9));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (inside + outside);
            if overlap_after(middle) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        if best.is_none_or(|(way, _)| outside < way) {
            best = Some((outside, n));
        }
    }
    let (way, n) = best.unwrap_or_default();
    scale(n, way + 1.001 * gap)
}
