//! [`Server`]: the page and its sockets on this machine alone.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
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
use pliant_scene::{Origin, SceneError};
use tokio::sync::{oneshot, watch};

use crate::command::{Command, LONGEST};
use crate::page::{HEADERS, asset};
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
}

/// Why nothing can be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The scene cannot be run.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The port cannot be listened on.
    #[error("cannot listen on 127.0.0.1:{port}: {error}; choose another --port, or leave it out")]
    Listen {
        /// Which port.
        port: u16,
        /// Why.
        error: std::io::Error,
    },
    /// A token that others could guess, or that does not fit into an address.
    #[error("the token must be 16 to 128 letters and digits")]
    Token,
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) worker: Arc<Worker>,
    /// The connection whose commands count; 0 for none.
    pub(crate) holder: watch::Sender<u64>,
    next: AtomicU64,
    token: String,
    port: u16,
}

/// A server that runs until it is dropped.
pub struct Server {
    address: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Loads the scene and listens on 127.0.0.1.
    pub fn start(options: Options) -> Result<Self, ViewError> {
        let token = options.token.unwrap_or_else(token::random);
        if !token::is_good(&token) {
            return Err(ViewError::Token);
        }
        let fail = |error| ViewError::Listen { port: options.port, error };
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port)));
        let listener = listener.map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let port = listener.local_addr().map_err(fail)?.port();
        let worker = Arc::new(Worker::start(options.origin)?);
        let address = format!("http://127.0.0.1:{port}/{token}/");
        let (holder, next) = (watch::channel(0).0, AtomicU64::new(1));
        let shared = Arc::new(Shared { worker, holder, next, token, port });
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(fail)?;
        let serve = async move {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
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
        Ok(Self { address, stop: Some(stop), thread })
    }

    /// The address of the page.
    pub fn address(&self) -> &str {
        &self.address
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
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // A name of another site that leads to this machine (DNS rebinding) is not ours.
    if !text(header::HOST).is_some_and(|host| shared.is_own(host)) {
        return plain(StatusCode::FORBIDDEN, "this page is at 127.0.0.1 and nowhere else\n");
    }
    let path = uri.path().strip_prefix('/').unwrap_or_default();
    let (given, file) = path.split_once('/').unwrap_or((path, ""));
    if !token::same(given, &shared.token) {
        return plain(StatusCode::NOT_FOUND, "the address is the one that `pliant view` prints\n");
    }
    if file == "socket" {
        let origin = text(header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
        if !origin.is_some_and(|origin| shared.is_own(origin)) {
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
            if matches!(back, Order::Command(Command::Move { .. }, _)) {
                return;
            }
            order = back;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn is_own(&self, host: &str) -> bool {
        let port = host.strip_prefix("127.0.0.1:").or_else(|| host.strip_prefix("localhost:"));
        port.and_then(|port| port.parse().ok()) == Some(self.port)
    }
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
