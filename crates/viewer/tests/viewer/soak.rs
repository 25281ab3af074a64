//! Hours of use in little time: random dragging, changes of parameters, scenes and looks, hostile messages, several pages. Run by
//! `cargo xtask test soak` for two minutes and by `cargo xtask nightly soak` for an hour, on the program itself: `PLIANT_BIN`
//! is that, `PLIANT_SOAK_SECONDS` how long.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pliant_viewer::frame;
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket};

use crate::reader::Picture;

const TOKEN: &str = "soaksoaksoaksoak";
/// The scene in which memory is compared.
const HOME: &str = "bar";
/// How often all scenes are gone through and memory is looked at.
const ROUND: Duration = Duration::from_secs(12);
/// The first rounds meet everything once.
const WARM: usize = 3;

/// xorshift64*: the same choices on every run; how they meet the clock is not.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// From −1 to 1.
    fn number(&mut self) -> f64 {
        self.next() as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, size: f64) -> [f64; 3] {
        std::array::from_fn(|_| size * self.number())
    }
}

/// The program, which ends with the test.
struct Program {
    child: Child,
    host: String,
}

impl Program {
    fn start(program: &str) -> Self {
        let mut command = Command::new(program);
        command.args(["view", HOME, "--no-open", "--token", TOKEN]);
        command.env("RUST_BACKTRACE", "1").stderr(Stdio::piped()).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines.next().unwrap().unwrap();
        // Whatever else it says is for whoever reads the log.
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| eprintln!("{line}"));
        });
        Self { child, host: address.split('/').nth(2).unwrap().to_owned() }
    }

    fn connect(&self) -> Page {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let mut request =
            format!("ws://{}/{TOKEN}/socket", self.host).into_client_request().unwrap();
        let origin = format!("http://{}", self.host).parse().unwrap();
        request.headers_mut().insert("origin", origin);
        let socket = tungstenite::client(request, stream).unwrap().0;
        socket.get_ref().set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        Page { socket, scene: Value::Null, notice: 0, frames: 0, closed: None }
    }

    /// Memory in use, kB.
    fn memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).expect("the program runs");
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().strip_suffix(" kB")).unwrap().trim().parse().unwrap()
    }

    fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Page {
    socket: WebSocket<TcpStream>,
    scene: Value,
    notice: u64,
    frames: usize,
    /// Why, once it is.
    closed: Option<String>,
}

impl Page {
    /// Reads what has come, for so long.
    fn read(&mut self, time: Duration) {
        let limit = Instant::now() + time;
        while self.closed.is_none() && Instant::now() < limit {
            match self.socket.read() {
                Ok(Message::Text(text)) => self.hear(&serde_json::from_str(&text).unwrap()),
                Ok(Message::Binary(bytes)) if bytes[0] == frame::FRAME as u8 => {
                    if let Some(what) = Picture::read(&bytes).nonsense() {
                        let (scene, settings) = (&self.scene["name"], &self.scene["settings"]);
                        panic!("{what}, in {scene} with {settings}");
                    }
                    self.frames += 1;
                }
                Ok(Message::Close(why)) => self.closed = Some(format!("{why:?}")),
                Ok(_) => {}
                Err(tungstenite::Error::Io(e)) if is_pause(&e) => {}
                Err(error) => self.closed = Some(error.to_string()),
            }
        }
    }

    fn hear(&mut self, message: &Value) {
        match message["type"].as_str() {
            Some("scene") => self.scene = message.clone(),
            Some("status") => {
                let notice = &message["notice"];
                let text = notice["text"].as_str().unwrap_or_default();
                assert!(!text.contains("made a mistake"), "the simulation broke down: {text}");
                self.notice = notice["number"].as_u64().unwrap_or(self.notice);
            }
            _ => {}
        }
    }

    fn send(&mut self, message: &Value) {
        if self.closed.is_none()
            && let Err(error) = self.socket.send(Message::text(message.to_string()))
        {
            self.closed = Some(error.to_string());
        }
    }
}

fn is_pause(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}

/// What a person could do next.
fn deed(random: &mut Random, scene: &Value) -> Value {
    let id = random.below(4);
    match random.below(24) {
        0..=2 => {
            json!({"do": "grab", "id": id, "body": random.below(3), "triangle": random.below(200),
            "weights": [0.2, 0.3, 0.5], "at": random.vector(1.0)})
        }
        3..=11 => json!({"do": "move", "id": id, "at": random.vector(1.5)}),
        12..=13 => json!({"do": "release", "id": id}),
        14 => json!({"do": "pause", "on": random.below(4) == 0}),
        15 => json!({"do": "step"}),
        16 => json!({"do": "reset"}),
        17 => {
            let factors = [0.1, 0.5, 1.0, 1.0];
            json!({"do": "speed", "factor": factors[random.below(4)]})
        }
        18 => json!({"do": "cut", "normal": random.vector(1.0), "at": 0.2 * random.number()}),
        19 => json!({"do": "marks", "holds": random.below(2) == 0, "forces": random.below(2) == 0}),
        20 => {
            let names = ["none", "von-mises", "energy-density", "volume"];
            json!({"do": "colour", "by": names[random.below(4)]})
        }
        21 => json!({"do": "cut"}),
        _ => {
            let controls = scene["controls"].as_array().cloned().unwrap_or_default();
            let Some(control) = controls.get(random.below(controls.len())) else {
                return json!({"do": "step"});
            };
            let range = control["min"].as_f64().zip(control["max"].as_f64());
            let value = if let Some((low, high)) = range {
                // Near what it is: not all of a range can be computed in time.
                let now = control["value"].as_f64().unwrap_or(low);
                json!((now * 2.0_f64.powf(random.number())).clamp(low, high))
            } else {
                let choices = control["choices"].as_array().cloned().unwrap_or_default();
                choices.get(random.below(choices.len())).map_or(Value::Null, |c| c[0].clone())
            };
            json!({"do": "set", "key": control["key"], "value": value})
        }
    }
}

/// A page that wants no good; it is thrown out, and nobody else is.
fn attack(program: &Program, random: &mut Random) {
    let mut hostile = program.connect();
    let bytes: Vec<u8> = (0..random.below(300)).map(|_| random.next() as u8).collect();
    let message = match random.below(4) {
        0 => Message::binary(bytes),
        1 => Message::text(r#"{"do":"grab","id":-1}"#),
        2 => Message::text("[".repeat(random.below(40_000))),
        _ => Message::text(String::from_utf8_lossy(&bytes).into_owned()),
    };
    let _ = hostile.socket.send(message);
    let limit = Instant::now() + Duration::from_mins(1);
    while hostile.closed.is_none() {
        hostile.read(Duration::from_millis(50));
        assert!(Instant::now() < limit, "a hostile page is still connected");
    }
}

/// Scenes of a barrier whose steps can take a minute with what random hands make of them. A page is not heard before a step has ended.
const SLOW: [&str; 9] = [
    "arch",
    "card-house",
    "five-cubes",
    "two-creatures",
    "chain",
    "wrung-bar",
    "hertz",
    "two-organs",
    "squeeze",
];

#[test]
#[ignore = "minutes: run by `cargo xtask test soak` and `cargo xtask nightly soak`"]
fn hours_of_use_leave_it_alive_small_and_finite() {
    let Ok(path) = std::env::var("PLIANT_BIN") else { panic!("PLIANT_BIN must name the program") };
    let seconds = std::env::var("PLIANT_SOAK_SECONDS").ok().and_then(|s| s.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(120));
    let mut program = Program::start(&path);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut page = program.connect();
    page.read(Duration::from_secs(1));
    let names: Vec<Value> = page.scene["scenes"].as_array().unwrap().clone();
    let names: Vec<Value> =
        names.into_iter().filter(|name| !SLOW.iter().any(|slow| name[0] == *slow)).collect();
    let (mut memory, mut deeds, mut scene) = (Vec::new(), 0, 0);
    while Instant::now() < end {
        let round = Instant::now();
        let mut watcher = program.connect();
        while round.elapsed() < ROUND {
            scene += 1;
            let name = names[scene % names.len()][0].clone();
            page.send(&json!({"do": "scene", "name": name, "settings": {}}));
            page.send(&json!({"do": "pause", "on": false}));
            page.read(Duration::from_millis(100));
            for _ in 0..40 {
                let deed = deed(&mut random, &page.scene);
                page.send(&deed);
                deeds += 1;
                page.read(Duration::from_millis(20));
            }
            watcher.read(Duration::from_millis(100));
            attack(&program, &mut random);
            assert!(program.is_alive(), "the program ended");
            // One that was cut off for what it sent would be a mistake of this test.
            assert!(page.closed.is_none(), "a page that behaves was cut off: {:?}", page.closed);
        }
        page.send(&json!({"do": "colour", "by": "none"}));
        page.send(&json!({"do": "cut"}));
        page.send(&json!({"do": "scene", "name": HOME, "settings": {}}));
        let at_home =
            |page: &Page| page.scene["name"] == HOME && page.scene["settings"] == json!({});
        let limit = Instant::now() + Duration::from_mins(1);
        while !at_home(&page) {
            page.read(Duration::from_millis(100));
            assert!(Instant::now() < limit, "no scene came");
        }
        page.read(Duration::from_millis(300));
        memory.push(program.memory());
    }
    eprintln!("{deeds} deeds, {} frames, memory at home in kB: {memory:?}", page.frames);
    assert!(page.frames > 100 && deeds > 100);
    let highest = |list: &[u64]| list.iter().copied().max().unwrap_or(0);
    let (warm, rest) = memory.split_at(WARM.min(memory.len() - 1));
    assert!(highest(rest) < highest(warm) * 3 / 2 + 65_536, "memory grows: {memory:?} kB");
}
