//! The viewer: what it decodes, what hands do to bodies, and whom it serves.

mod decoder;
mod keep;
mod panel;
mod server;
mod session;
mod skin;
mod tools;
