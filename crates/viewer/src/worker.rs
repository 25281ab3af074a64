//! The thread of a simulation: commands in by a bounded queue, the latest frame out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use pliant_scene::{Analysis, Origin, SceneError};
use tokio::sync::{oneshot, watch};

use crate::command::Command;
use crate::describe::{self, Clock};
use crate::frame::BEHIND;
use crate::pace::{Pace, STATIC_STEP};
use crate::parts::{Encoder, Frame};
use crate::session::Session;

/// Commands that may wait.
const QUEUE: usize = 256;
/// Frames are sent no more often.
const FRAME: Duration = Duration::from_millis(16);
/// But what answers a hand is sent sooner: at most one step after it.
const ANSWER: Duration = Duration::from_millis(4);
/// How long the thread sleeps where nothing is to be done.
const IDLE: Duration = Duration::from_millis(100);

/// What the thread is told.
#[derive(Debug)]
pub(crate) enum Order {
    /// By a page, at that time.
    Command(Command, Instant),
    /// The page that held the handle is gone, or another has it.
    ReleaseAll,
    /// What was done by hand is wanted, as text.
    Input(oneshot::Sender<String>),
    /// Someone new watches: what there is, is sent anew.
    Show,
    /// End.
    Stop,
}

/// A scene as pages get it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Description {
    pub(crate) json: Arc<str>,
    pub(crate) surfaces: Bytes,
}

/// What the thread tells. Only the latest of each is kept: who reads slowly misses some, and nothing piles up.
#[derive(Debug, Clone)]
pub(crate) struct Feed {
    pub(crate) scene: watch::Receiver<Description>,
    pub(crate) cut: watch::Receiver<Bytes>,
    pub(crate) status: watch::Receiver<Arc<str>>,
    pub(crate) frame: watch::Receiver<Arc<Frame>>,
    pub(crate) tools: watch::Receiver<Arc<str>>,
    /// The scene as a file.
    pub(crate) file: watch::Receiver<Arc<str>>,
}

/// The thread, from outside.
#[derive(Debug)]
pub(crate) struct Worker {
    orders: SyncSender<Order>,
    feed: Feed,
    watchers: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Loads the scene and starts. The simulation stands while nobody watches.
    pub(crate) fn start(origin: Origin, folder: Option<PathBuf>) -> Result<Self, SceneError> {
        let (orders, queue) = sync_channel(QUEUE);
        let (ready, loaded) = sync_channel(1);
        let watchers = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&watchers);
        let work = move || {
            let mut session = match Session::with_folder(origin, folder) {
                Ok(session) => session,
                Err(error) => return drop(ready.send(Err(error))),
            };
            let (scene, scene_feed) = watch::channel(description(&mut session));
            let (cut, cut_feed) = watch::channel(Bytes::from(describe::cut(&mut session)));
            let (status, status_feed) = watch::channel(describe::status(&session).into());
            let mut encoder = Encoder::default();
            let first = describe::next_frame(&mut session, Clock::default(), &mut encoder);
            let (frame, frame_feed) = watch::channel(Arc::new(first));
            let (tools, tools_feed) = watch::channel(describe::tools(&session).into());
            let (file, file_feed) = watch::channel(describe::file(&session).into());
            let feed = Feed {
                scene: scene_feed,
                cut: cut_feed,
                status: status_feed,
                frame: frame_feed,
                tools: tools_feed,
                file: file_feed,
            };
            if ready.send(Ok(feed)).is_ok() {
                let told = (session.generation(), session.cuts());
                let watchers = count;
                let feeds = Told { scene, cut, status, frame, tools, file };
                Loop { session, queue, feeds, watchers, told, encoder }.run();
            }
        };
        let thread = std::thread::Builder::new().name("simulation".into()).spawn(work);
        let fail = |what: String| SceneError::computation(format!("the simulation: {what}"));
        let thread = thread.map_err(|e| fail(format!("no thread: {e}")))?;
        let feed = loaded.recv().map_err(|_| fail("it broke down".into()))??;
        Ok(Self { orders, feed, watchers, thread: Some(thread) })
    }

    pub(crate) fn feed(&self) -> Feed {
        self.feed.clone()
    }

    /// Gives it back if the queue is full. A thread that has ended takes everything.
    pub(crate) fn order(&self, order: Order) -> Result<(), Order> {
        match self.orders.try_send(order) {
            Err(TrySendError::Full(order)) => Err(order),
            _ => Ok(()),
        }
    }

    /// Someone watches, until what is returned is dropped.
    pub(crate) fn watch(self: &Arc<Self>) -> Watching {
        self.watchers.fetch_add(1, Ordering::Relaxed);
        // A full queue is being worked off, and what comes of it is shown.
        let _ = self.order(Order::Show);
        Watching(Arc::clone(self))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The queue may be full, but it is emptied all the time.
        let _ = self.orders.send(Order::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Counts who watches.
#[derive(Debug)]
pub(crate) struct Watching(Arc<Worker>);

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

fn description(session: &mut Session) -> Description {
    let (json, surfaces) = describe::scene(session);
    Description { json: json.into(), surfaces: surfaces.into() }
}

/// The other side of [`Feed`].
struct Told {
    scene: watch::Sender<Description>,
    cut: watch::Sender<Bytes>,
    status: watch::Sender<Arc<str>>,
    frame: watch::Sender<Arc<Frame>>,
    tools: watch::Sender<Arc<str>>,
    file: watch::Sender<Arc<str>>,
}

struct Loop {
    session: Session,
    queue: Receiver<Order>,
    feeds: Told,
    watchers: Arc<AtomicUsize>,
    /// The generation of the scene and the number of the cut that were told of last.
    told: (u32, u32),
    encoder: Encoder,
}

impl Loop {
    fn run(mut self) {
        let mut pace = Pace::new(Instant::now());
        let mut clock = Clock::default();
        let mut sent = Instant::now();
        let mut show = false;
        let mut asked = None;
        let mut speed = self.session.speed();
        loop {
            let idle = !self.session.runs() || self.watchers.load(Ordering::Relaxed) == 0;
            let wait = if idle { IDLE } else { pace.wait(Instant::now(), asked.is_some()) };
            match self.obey(if show { Duration::ZERO } else { wait }) {
                // While it runs, the next step shows what has changed.
                Some((changed, since)) => {
                    asked = asked.or(since);
                    show |= changed && (idle || !self.session.runs());
                }
                None => return,
            }
            let now = Instant::now();
            if idle || speed != self.session.speed() {
                speed = self.session.speed();
                pace.restart(now);
            } else if pace.wait(now, asked.is_some()).is_zero() && self.session.runs() {
                self.guarded(Session::step);
                let done = Instant::now();
                clock.step = (done - now).as_secs_f64();
                let time = &self.session.scene().time;
                let rest = time.analysis == Analysis::Static;
                let step = if rest { STATIC_STEP } else { time.step };
                pace.stepped(done, step, self.session.speed());
                // The last step before a pause is always shown.
                let pause = if asked.is_some() { ANSWER } else { FRAME };
                show |= done - sent >= pause || !self.session.runs();
                self.tell();
            }
            self.session.look_around();
            if idle {
                self.tell();
            }
            if show {
                sent = Instant::now();
                clock.answer = asked.map_or(0.0, |since| (sent - since).as_secs_f64());
                (show, asked) = (false, None);
                clock.real_time = pace.real_time();
                clock.flags = if pace.is_behind(sent) { BEHIND } else { 0 };
                replace(&self.feeds.tools, describe::tools(&self.session));
                let frame = describe::next_frame(&mut self.session, clock, &mut self.encoder);
                self.feeds.frame.send_replace(Arc::new(frame));
            }
        }
    }

    /// Does what was asked for, waiting so long for the first command; whether something is to be shown, and when
    /// a page asked for it, or nothing if it is over.
    fn obey(&mut self, wait: Duration) -> Option<(bool, Option<Instant>)> {
        let mut next = match self.queue.recv_timeout(wait) {
            Ok(order) => Some(order),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return None,
        };
        let (mut changed, mut since) = (false, None);
        while let Some(order) = next {
            match order {
                Order::Command(command, when) => {
                    since = since.or(Some(when));
                    self.guarded(|session| session.apply(command));
                }
                Order::ReleaseAll => self.session.release_all(),
                Order::Show => {}
                Order::Input(answer) => {
                    // Who asked may be gone.
                    let _ = answer.send(self.session.input().to_text());
                    next = self.queue.try_recv().ok();
                    continue;
                }
                Order::Stop => return None,
            }
            changed = true;
            next = self.queue.try_recv().ok();
        }
        if changed {
            self.tell();
        }
        Some((changed, since))
    }

    /// Works inside the pool of threads, so that its parts need not be handed over one by one. A mistake of the
    /// program in one step or scene must not take the page away.
    fn guarded(&mut self, work: impl FnOnce(&mut Session) + Send) {
        let session = &mut self.session;
        if catch_unwind(AssertUnwindSafe(|| rayon::scope(|_| work(session)))).is_err() {
            self.session.recover();
        }
    }

    /// Tells of what has changed: the scene, how it stands.
    fn tell(&mut self) {
        let told =
            std::mem::replace(&mut self.told, (self.session.generation(), self.session.cuts()));
        if self.told.0 != told.0 {
            let description = description(&mut self.session);
            self.feeds.file.send_replace(describe::file(&self.session).into());
            self.feeds.scene.send_replace(description);
        }
        replace(&self.feeds.status, describe::status(&self.session));
        if !self.session.runs() {
            replace(&self.feeds.tools, describe::tools(&self.session));
        }
        if self.told.1 != told.1 {
            self.feeds.cut.send_replace(describe::cut(&mut self.session).into());
        }
    }
}

/// Tells what is new.
fn replace(to: &watch::Sender<Arc<str>>, text: String) {
    to.send_if_modified(|old| {
        let new = **old != *text;
        if new {
            *old = text.into();
        }
        new
    });
}
