//! [`Server`]: the page and its sockets, on this machine alone unless asked otherwise.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri, header};
use pliant_errors::Class;
use pliant_scene::{Origin, SceneError};
use tokio::sync::{oneshot, watch};

use crate::command::{Command, LONGEST};
use crate::page::{HEADERS, asset};
use crate::patience::PatientListener;
use crate::worker::{Order, Worker};
use crate::{socket, token};

/// Pages at the same time.
const MOST_PAGES: usize = 16;

/// What to show, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The scene.
    pub origin: Origin,
    /// 0 for any that is free.
    pub port: u16,
    /// The secret of the address; a random one if none. With a port it makes an address that stays.
    pub token: Option<String>,
    /// The address to listen on. Beyond loopback, everyone who gets to know the token can use the page, and what is
    /// sent can be read on the way.
    pub host: IpAddr,
    /// Where recordings go; none are made without.
    pub folder: Option<PathBuf>,
    /// The time that a request may take to arrive; connections on which it takes longer are closed.
    pub request_timeout: Duration,
}

impl Options {
    /// On 127.0.0.1, at any port that is free, with a random token, and without recordings.
    pub fn new(origin: Origin) -> Self {
        let host = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let request_timeout = Duration::from_secs(10);
        Self { origin, port: 0, token: None, host, folder: None, request_timeout }
    }
}

/// Why nothing can be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The scene cannot be run.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// The port cannot be listened on.
    #[error("cannot listen on {address}: {error}; choose another --port, or leave it out")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        #[source]
        error: std::io::Error,
    },
    /// A token that others could guess, or that does not fit into an address.
    #[error("the token must be 16 to 128 letters and digits")]
    Token,
    /// The folder of recordings is none.
    #[error("{0} is no folder: recordings go into one that is there")]
    Folder(PathBuf),
}

impl ViewError {
    /// Returns its class.
    pub fn class(&self) -> Class {
        match self {
            Self::Scene(error) => error.class(),
            Self::Listen { .. } | Self::Token | Self::Folder(_) => Class::Input,
        }
    }
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) worker: Arc<Worker>,
    /// The connection whose commands count; 0 for none.
    pub(crate) holder: watch::Sender<u64>,
    next: AtomicU64,
    token: String,
    /// What is listened on.
    own: SocketAddr,
}

/// A server that runs until it is dropped.
pub struct Server {
    address: String,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Loads the scene and listens.
    pub fn start(options: Options) -> Result<Self, ViewError> {
        let token = options.token.unwrap_or_else(token::random);
        if !token::is_good(&token) {
            return Err(ViewError::Token);
        }
        if let Some(folder) = options.folder.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(ViewError::Folder(folder.clone()));
        }
        let wanted = SocketAddr::new(options.host, options.port);
        let fail = |error| ViewError::Listen { address: wanted, error };
        let listener = TcpListener::bind(wanted).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let own = listener.local_addr().map_err(fail)?;
        let worker = Arc::new(Worker::start(options.origin, options.folder)?);
        // Who listens everywhere is also here.
        let here = if own.ip().is_unspecified() {
            SocketAddr::from((Ipv4Addr::LOCALHOST, own.port()))
        } else {
            own
        };
        let address = format!("http://{here}/{token}/");
        let (holder, next) = (watch::channel(0).0, AtomicU64::new(1));
        let shared = Arc::new(Shared { worker, holder, next, token, own });
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(fail)?;
        let kept = Arc::clone(&shared);
        let serve = async move {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
            let listener = PatientListener::new(listener, options.request_timeout);
            let app = Router::new().fallback(answer).with_state(shared);
            tokio::select! {
                // Open sockets end with the runtime.
                _ = stopped => {}
                _ = axum::serve(listener, app) => {}
            }
        };
        let work = move || runtime.block_on(serve);
        let thread = std::thread::Builder::new().name("server".into()).spawn(work);
        let thread = Some(thread.map_err(fail)?);
        Ok(Self { address, shared: kept, stop: Some(stop), thread })
    }

    /// The address of the page.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What was done by hand since the scene that runs now was loaded, as text for a [`crate::Replay`]. Waits for the
    /// end of the step that is under way; none if the simulation has broken down.
    pub fn input(&self) -> Option<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
        runtime.block_on(self.shared.input())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

async fn answer(
    State(shared): State<Arc<Shared>>,
    upgrade: Upgrade,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response<Body> {
    if headers.get_all(header::HOST).iter().count() > 1 {
        return plain(StatusCode::BAD_REQUEST, "a request names one host\n");
    }
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // A name of another site that leads to this machine (DNS rebinding) is not ours.
    let Some(host) = text(header::HOST).filter(|host| is_own(shared.own, host)) else {
        return plain(
            StatusCode::FORBIDDEN,
            "this page is at the address that `pliant view` prints\n",
        );
    };
    let path = uri.path().strip_prefix('/').unwrap_or_default();
    let (given, file) = path.split_once('/').unwrap_or((path, ""));
    if !token::same(given, &shared.token) {
        return plain(StatusCode::NOT_FOUND, "the address is the one that `pliant view` prints\n");
    }
    if file == "socket" {
        let origin = text(header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
        if origin != Some(host) {
            return plain(StatusCode::FORBIDDEN, "only the page itself may connect\n");
        }
        return match upgrade {
            Ok(upgrade) => connect(upgrade, shared),
            Err(_) => plain(StatusCode::BAD_REQUEST, "a WebSocket is needed here\n"),
        };
    }
    if method != Method::GET && method != Method::HEAD {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "files can only be read\n");
    }
    if !path.contains('/') {
        let mut moved = plain(StatusCode::PERMANENT_REDIRECT, "");
        if let Ok(to) = format!("/{given}/").parse() {
            moved.headers_mut().insert(header::LOCATION, to);
        }
        return moved;
    }
    match file {
        "scene.toml" => return shared.scene_file(),
        "input.jsonl" => return shared.input_file().await,
        _ => {}
    }
    match asset(file) {
        Some(asset) => respond(StatusCode::OK, asset.kind, asset.bytes),
        None => plain(StatusCode::NOT_FOUND, "there is no such file\n"),
    }
}

impl Shared {
    /// While the simulation is busy with a long step the queue may be full: who orders waits, nobody else.
    pub(crate) async fn order(&self, mut order: Order) {
        while let Err(back) = self.worker.order(order) {
            // A newer place of the hand will come.
            match &back {
                Order::Command(Command::Move { .. }, _) => return,
                Order::Command(Command::Tool(tool), _) if tool.is_superseded() => return,
                _ => {}
            }
            order = back;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The scene with its settings, to be kept.
    fn scene_file(&self) -> Response<Body> {
        let text = self.worker.feed().file.borrow().to_string();
        saved(text, "attachment; filename=\"scene.toml\"")
    }

    /// What was done by hand, to be kept.
    async fn input_file(&self) -> Response<Body> {
        match self.input().await {
            Some(text) => saved(text, "attachment; filename=\"input.jsonl\""),
            None => plain(StatusCode::SERVICE_UNAVAILABLE, "the simulation has ended\n"),
        }
    }

    /// What was done by hand, as text; nothing once the simulation has ended.
    async fn input(&self) -> Option<String> {
        let (answer, text) = oneshot::channel();
        self.order(Order::Input(answer)).await;
        text.await.ok()
    }
}

/// Whether a page is asked for under a name of ours: by number, and on this machine as `localhost`. Other names are
/// never taken: they could belong to a site that leads them here.
fn is_own(own: SocketAddr, host: &str) -> bool {
    let ip = own.ip();
    if let Some(port) = host.strip_prefix("localhost:") {
        return (ip.is_loopback() || ip.is_unspecified()) && port.parse() == Ok(own.port());
    }
    host.parse::<SocketAddr>()
        .is_ok_and(|given| given.port() == own.port() && (given.ip() == ip || ip.is_unspecified()))
}

fn connect(upgrade: WebSocketUpgrade, shared: Arc<Shared>) -> Response<Body> {
    if shared.holder.receiver_count() >= MOST_PAGES {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "too many pages watch already\n");
    }
    let id = shared.next.fetch_add(1, Ordering::Relaxed);
    upgrade
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .on_upgrade(move |socket| socket::serve(socket, id, shared))
}

/// A text that the browser is to keep as a file.
fn saved(text: String, name: &'static str) -> Response<Body> {
    let mut response = respond(StatusCode::OK, "text/plain; charset=utf-8", b"");
    let name = header::HeaderValue::from_static(name);
    response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    *response.body_mut() = Body::from(text);
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    respond(status, "text/plain; charset=utf-8", text.as_bytes())
}

fn respond(status: StatusCode, kind: &'static str, bytes: &'static [u8]) -> Response<Body> {
    let mut response = Response::builder().status(status).header(header::CONTENT_TYPE, kind);
    for (name, value) in HEADERS {
        response = response.header(name, value);
    }
    // All parts are constants that are known to be good.
    response.body(Body::from(bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_are_taken_for_names() {
        let own = |address: &str, host: &str| is_own(address.parse().unwrap(), host);
        for host in ["127.0.0.1:80", "192.0.2.7:80", "[::1]:80", "localhost:80"] {
            assert!(own("0.0.0.0:80", host), "{host}");
        }
        for host in
            ["evil.example:80", "localhost.evil.example:80", "127.0.0.1:81", "127.0.0.1", ""]
        {
            assert!(!own("0.0.0.0:80", host), "{host}");
        }
        assert!(own("192.0.2.7:80", "192.0.2.7:80") && own("[::1]:80", "localhost:80"));
        assert!(!own("192.0.2.7:80", "localhost:80") && !own("127.0.0.1:80", "127.0.0.2:80"));
    }
}
