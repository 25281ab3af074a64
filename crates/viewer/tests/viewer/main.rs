//! The viewer: what it decodes, what hands do to bodies, what is seen of them, and whom it serves.

mod decoder;
mod keep;
mod panel;
mod reader;
mod replay;
mod seen;
mod server;
mod session;
mod skin;
mod soak;
mod tools;
