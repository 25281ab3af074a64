//! `pliant bench view`: how well a body follows a hand on the page of `pliant view`.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use pliant::scene::Origin;
use pliant_viewer::frame::{FRAME, GRAB, HEADER};
use pliant_viewer::{Command, Options, Server, Session, describe};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket};

use crate::arguments::ViewBenchFlags;
use crate::context::Context;
use crate::failure::Failure;

/// Steps of a measurement of speed, after those in which matrices are made.
const STEPS: usize = 40;
const FIRST_STEPS: usize = 5;
/// 25 steps a second.
const STEP_25: f64 = 0.04;
/// The fewest and the most cells that are tried.
const FEWEST: usize = 200;
const MOST: usize = 400_000;
/// Moves of the hand of which the answer is waited for.
const MOVES: usize = 120;

/// All figures.
pub(crate) fn run(flags: &ViewBenchFlags, context: &Context) -> Result<Value, Failure> {
    if let Some(scene) = &flags.scene {
        return steps_of(&crate::run::scene::origin(Some(scene), Vec::new()), context);
    }
    if !(flags.step > 0.0 && flags.step <= 0.1) {
        return Err(Failure::Input(format!("--step {}: up to 100 ms are taken", flags.step)));
    }
    if !(FEWEST..=MOST).contains(&flags.cells) {
        return Err(Failure::Input(format!("--cells {}: {FEWEST} to {MOST}", flags.cells)));
    }
    let scene = SceneFile::new(&flags.material, flags.cells, flags.step)?;
    let dragged = drag(&scene.origin())?;
    let latency = latency(scene.origin(), flags.step)?;
    drop(scene);
    let mut rows = Vec::new();
    for law in flags.search.iter().filter(|law| !law.is_empty()) {
        if context.interrupted() {
            break;
        }
        rows.push(largest(law)?);
    }
    Ok(json!({
        "material": flags.material,
        "step": flags.step,
        "dragged": dragged.json(flags.step),
        "latency": latency,
        "at_25_hz": rows,
    }))
}

/// The steps of a scene up to the end that it has, with their frames, as the page takes them.
pub(super) fn steps_of(origin: &Origin, context: &Context) -> Result<Value, Failure> {
    let time = origin.load()?.time;
    let mut session = Session::new(origin.clone())?;
    let (mut times, mut iterations) = (Vec::new(), 0);
    while session.simulation().state().time < time.end - 0.5 * time.step && !context.interrupted() {
        let start = Instant::now();
        session.step();
        describe::frame(&mut session, describe::Clock::default());
        times.push(start.elapsed().as_secs_f64());
        iterations += session.simulation().last_iterations().unwrap_or(0);
        if session.notice().is_some_and(|n| n.class.is_some()) {
            break;
        }
    }
    let simulation = session.simulation();
    let contact = simulation.contact();
    let depth = contact.map(|c| c.greatest_depth());
    let in_contact = contact.map(|c| c.steps);
    let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
    let slowest = times.iter().copied().fold(0.0, f64::max);
    let iterations = iterations as f64 / times.len().max(1) as f64;
    times.sort_by(f64::total_cmp);
    Ok(json!({
        "scene": origin.scene,
        "cells": simulation.cells(),
        "vertices": simulation.vertices(),
        "steps": times.len(),
        "steps_in_contact": in_contact,
        "step_ms": 1e3 * mean,
        "step_ms_95": 1e3 * part(&times, 0.95),
        "slowest_ms": 1e3 * slowest,
        "steps_a_second": 1.0 / mean,
        "newton_iterations": iterations,
        "real_time_factor": time.step / mean,
        "greatest_depth": depth,
        "notice": session.notice().map(|n| n.text.clone()),
    }))
}

/// A scene file that is gone after the measurement.
pub(super) struct SceneFile(std::path::PathBuf);

impl SceneFile {
    /// A bar of 30 x 10 x 10 cm with about so many tetrahedra, held at one end.
    fn new(law: &str, cells: usize, step: f64) -> Result<Self, Failure> {
        // Cells near to cubes, and as many as were asked for.
        let across = (cells as f64 / 18.0).cbrt().round().max(1.0);
        let along = (cells as f64 / (6.0 * across * across)).round().max(1.0);
        let [x, y, z] = [along, across, across].map(|n| n as usize);
        let poisson = if law == "mass-spring" { "" } else { ", poisson = 0.4" };
        let text = format!(
            "[time]\nintegrator = \"backward-euler\"\nstep = {step:?}\n\
             [body.bar]\nmesh = {{ shape = \"box\", size = [0.3, 0.1, 0.1], cells = [{x}, {y}, {z}], cell = \"tet6\" }}\n\
             material = {{ law = {law:?}, young = 1e5{poisson} }}\nfixed = \"x-min\"\n"
        );
        Self::of(&text)
    }

    /// Of a text.
    pub(super) fn of(text: &str) -> Result<Self, Failure> {
        let name = format!("pliant-bench-view-{}.toml", std::process::id());
        let path = std::env::temp_dir().join(name);
        let fail = |e| Failure::Input(format!("cannot write {}: {e}", path.display()));
        std::fs::write(&path, text).map_err(fail)?;
        Ok(Self(path))
    }

    pub(super) fn origin(&self) -> Origin {
        Origin { scene: self.0.display().to_string(), sets: Vec::new() }
    }
}

impl Drop for SceneFile {
    fn drop(&mut self) {
        // A file of a few lines may stay where it cannot be removed.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What steps under a hand take.
struct Dragged {
    cells: usize,
    vertices: usize,
    /// Of steps with their frames, sorted, s.
    times: Vec<f64>,
    frames: f64,
    iterations: f64,
    notice: Option<String>,
}

impl Dragged {
    fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len() as f64
    }

    fn json(&self, step: f64) -> Value {
        json!({
            "cells": self.cells,
            "vertices": self.vertices,
            "step_ms": 1e3 * self.mean(),
            "step_ms_95": 1e3 * part(&self.times, 0.95),
            "frame_ms": 1e3 * self.frames,
            "newton_iterations": self.iterations,
            "real_time_factor": step / self.mean(),
            "notice": self.notice,
        })
    }
}

/// The value below which that part of a sorted list lies.
fn part(sorted: &[f64], part: f64) -> f64 {
    let at = (part * sorted.len() as f64).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// A hand at the free end goes around in a circle, once in two thirds of a second.
fn drag(origin: &Origin) -> Result<Dragged, Failure> {
    let mut session = Session::new(origin.clone())?;
    let (triangle, at) = tip(&session);
    session.apply(grab(triangle, at));
    let (mut times, mut frames, mut iterations) = (Vec::new(), 0.0, 0);
    for step in 0..FIRST_STEPS + STEPS {
        let angle = 9.4 * session.simulation().state().time;
        let (sin, cos) = angle.sin_cos();
        let to = [at[0] + 0.03 * (cos - 1.0), at[1] + 0.03 * sin, at[2]];
        session.apply(Command::Move { id: 1, at: to });
        let start = Instant::now();
        session.step();
        let stepped = Instant::now();
        describe::frame(&mut session, describe::Clock::default());
        if step >= FIRST_STEPS {
            times.push(start.elapsed().as_secs_f64());
            frames += stepped.elapsed().as_secs_f64() / STEPS as f64;
            iterations += session.simulation().last_iterations().unwrap_or(0);
        }
    }
    times.sort_by(f64::total_cmp);
    let notice = session.notice().map(|n| n.text.clone());
    let (cells, vertices) = (session.simulation().cells(), session.simulation().vertices());
    let iterations = iterations as f64 / STEPS as f64;
    Ok(Dragged { cells, vertices, times, frames, iterations, notice })
}

/// The triangle of the surface that is farthest from the support, and its middle.
fn tip(session: &Session) -> (usize, [f64; 3]) {
    let surface = &session.rest()[0];
    let middle = |t: &[u32; 3]| -> [f64; 3] {
        let corners = t.map(|v| surface.positions()[v as usize]);
        std::array::from_fn(|k| corners.iter().map(|x| x[k]).sum::<f64>() / 3.0)
    };
    let along = |t: &[u32; 3]| t.iter().map(|&v| surface.positions()[v as usize][0]).sum::<f64>();
    let list = surface.triangles().iter().enumerate();
    let best = list.max_by(|a, b| along(a.1).total_cmp(&along(b.1)));
    best.map_or((0, [0.0; 3]), |(k, t)| (k, middle(t)))
}

fn grab(triangle: usize, at: [f64; 3]) -> Command {
    Command::Grab { id: 1, body: 0, triangle, weights: [1.0 / 3.0; 3], at, stiffness: None }
}

/// The most cells of a law of which steps of 40 ms, with their frames, take no longer than that: doubled while they
/// do, then halved five times.
fn largest(law: &str) -> Result<Value, Failure> {
    let tried = |cells: usize| -> Result<Option<Dragged>, Failure> {
        let scene = SceneFile::new(law, cells, STEP_25)?;
        let made = drag(&scene.origin())?;
        Ok((made.mean() <= STEP_25 && made.notice.is_none()).then_some(made))
    };
    let (mut low, mut best) = (FEWEST, None);
    while let Some(made) = tried(low)? {
        best = Some(made);
        if low >= MOST {
            break;
        }
        low *= 2;
    }
    let (mut high, mut low) = (low, low / 2);
    for _ in 0..5 {
        let middle = usize::midpoint(low, high);
        match tried(middle)? {
            Some(made) => (low, best) = (middle, Some(made)),
            None => high = middle,
        }
    }
    let mut row = best.map_or_else(|| json!({"cells": 0}), |made| made.json(STEP_25));
    row["material"] = json!(law);
    Ok(row)
}

/// From the moment a move of the hand is sent to the moment the frame has come in which the hand is there, through the
/// socket.
fn latency(origin: Origin, step: f64) -> Result<Value, Failure> {
    let session = Session::new(origin.clone())?;
    let (triangle, at) = tip(&session);
    drop(session);
    let server = Server::start(Options::new(origin))?;
    let fail = |what: String| Failure::Input(format!("the page's socket: {what}"));
    let mut socket = connect(server.address()).map_err(fail)?;
    let grab = json!({"do": "grab", "id": 1, "body": 0, "triangle": triangle,
        "weights": [0.3, 0.3, 0.4], "at": at});
    socket.send(Message::text(grab.to_string())).map_err(|e| fail(e.to_string()))?;
    let mut times = Vec::new();
    for k in 0..MOVES {
        // Not in step with the simulation.
        let pause = Duration::from_micros(30_000 + 7_919 * k as u64 % 40_000);
        let _ = hand(&mut socket, pause, &|_| false);
        let (sin, cos) = (0.1 * k as f64).sin_cos();
        let to = [at[0] + 0.02 * (cos - 1.0), at[1] + 0.02 * sin, at[2]];
        let start = Instant::now();
        let text = json!({"do": "move", "id": 1, "at": to}).to_string();
        socket.send(Message::text(text)).map_err(|e| fail(e.to_string()))?;
        let there = |hand: [f32; 3]| (0..3).all(|k| (f64::from(hand[k]) - to[k]).abs() < 1e-6);
        match hand(&mut socket, Duration::from_secs(5), &there) {
            Ok(true) => times.push(start.elapsed().as_secs_f64()),
            Ok(false) => {}
            Err(what) => return Err(fail(what)),
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(json!({
        "moves": times.len(),
        "median_ms": 1e3 * part(&times, 0.5),
        "median_limit_ms": 1e3 * step + 5.0,
        "ms_95": 1e3 * part(&times, 0.95),
        "worst_ms": 1e3 * part(&times, 1.0),
    }))
}

type Socket = WebSocket<TcpStream>;

fn connect(address: &str) -> Result<Socket, String> {
    let host = address.split('/').nth(2).unwrap_or_default();
    let stream = TcpStream::connect(host).map_err(|e| e.to_string())?;
    stream.set_nodelay(true).map_err(|e| e.to_string())?;
    let url = format!("{}socket", address.replacen("http", "ws", 1));
    let mut request = url.into_client_request().map_err(|e| e.to_string())?;
    let origin = format!("http://{host}").parse().map_err(|_| "no origin".to_owned())?;
    request.headers_mut().insert("origin", origin);
    tungstenite::client(request, stream).map(|made| made.0).map_err(|e| e.to_string())
}

/// Reads frames until one has the hand where it should be, or the time is over; whether it was.
fn hand(
    socket: &mut Socket,
    time: Duration,
    there: &dyn Fn([f32; 3]) -> bool,
) -> Result<bool, String> {
    let limit = Instant::now() + time;
    loop {
        let left = limit.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        socket.get_ref().set_read_timeout(Some(left)).map_err(|e| e.to_string())?;
        match socket.read() {
            Ok(Message::Binary(bytes)) if bytes.first() == Some(&(FRAME as u8)) => {
                // The last three numbers of the first hand.
                let place = bytes.get(HEADER + GRAB - 12..HEADER + GRAB).unwrap_or_default();
                let (numbers, _) = place.as_chunks::<4>();
                let numbers: Vec<f32> = numbers.iter().map(|b| f32::from_le_bytes(*b)).collect();
                let has_hand = bytes.get(16) == Some(&1);
                if let ([x, y, z], true) = (numbers.as_slice(), has_hand)
                    && there([*x, *y, *z])
                {
                    return Ok(true);
                }
            }
            Ok(_) => {}
            Err(tungstenite::Error::Io(e))
                if matches!(
                    e.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                ) =>
            {
                return Ok(false);
            }
            Err(e) => return Err(e.to_string()),
        }
    }
}
