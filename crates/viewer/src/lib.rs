//! A page on this machine where a simulation can be watched, dragged and changed while it runs.
//!
//! A [`Session`] is a simulation under someone's hands, driven by [`Command`]s; a thread of its own steps it at the
//! rate of the clock and keeps the latest frame for whoever looks; a [`Server`] on 127.0.0.1 brings both to pages. A
//! page that is slow misses frames, and nothing else happens.
//!
//! ```
//! use pliant_scene::Origin;
//! use pliant_viewer::{Command, Session};
//! let mut session = Session::new(Origin { scene: "jelly".into(), sets: Vec::new() })?;
//! session.apply(Command::decode(r#"{"do": "step"}"#).unwrap());
//! session.step();
//! assert_eq!(session.simulation().state().steps, 1);
//! # Ok::<(), pliant_scene::SceneError>(())
//! ```

mod acting;
mod colour;
pub mod command;
pub mod controls;
pub mod cut;
pub mod describe;
mod encode;
mod flight;
pub mod frame;
pub mod input;
mod limit;
mod load;
pub mod marks;
mod pace;
mod page;
pub mod parts;
mod patience;
mod pins;
mod probe;
mod recording;
mod replay;
mod saved;
mod server;
mod session;
mod sight;
mod socket;
mod stiff;
mod token;
mod tool;
mod tools;
mod worker;

pub use command::{Colour, Command, DecodeError, Marks, Plane, Setting};
pub use input::Input;
pub use pins::{MOST_PINS, Pin, Pins};
pub use probe::{Probe, Proxy, Row};
pub use recording::{Recording, Standing};
pub use replay::Replay;
pub use server::{Options, Server, ViewError};
pub use session::{Notice, Session};
pub use tool::Tool;
pub use tools::Tools;

// The decoder is fuzzed without the crates below: it names what it takes from them as its own.
use pliant_scene::FrameFormat;
