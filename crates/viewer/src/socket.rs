//! One page's connection: the latest of everything out, checked commands in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::sync::watch;

use crate::command::Command;
use crate::limit::Limit;
use crate::server::Shared;
use crate::worker::{Description, Feed, Order};

/// A page that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// A reason to end a connection: a code, and what to tell; nothing if nobody listens any more.
type End = Option<(u16, String)>;

/// Serves a page until it goes, or misbehaves.
pub(crate) async fn serve(socket: WebSocket, id: u64, shared: Arc<Shared>) {
    let _watching = shared.worker.watch();
    let mut connection = Connection {
        socket,
        id,
        feed: shared.worker.feed(),
        seen: 0,
        holder: shared.holder.subscribe(),
        limit: Limit::new(Instant::now()),
        shared,
    };
    let end = match connection.run().await {
        Ok(()) => None,
        Err(end) => end,
    };
    if let Some((code, mut text)) = end {
        // A close frame holds 123 bytes of text.
        text.truncate(text.floor_char_boundary(120));
        let close = CloseFrame { code, reason: text.into() };
        let _ = connection.send(Message::Close(Some(close))).await;
    }
    let id = connection.id;
    let left = |holder: &mut u64| {
        let own = *holder == id;
        *holder = if own { 0 } else { *holder };
        own
    };
    if connection.shared.holder.send_if_modified(left) {
        connection.shared.order(Order::ReleaseAll).await;
    }
}

struct Connection {
    socket: WebSocket,
    id: u64,
    feed: Feed,
    /// The number of the frame that was sent last.
    seen: u64,
    holder: watch::Receiver<u64>,
    limit: Limit,
    shared: Arc<Shared>,
}

impl Connection {
    async fn run(&mut self) -> Result<(), End> {
        self.feed.scene.mark_changed();
        self.feed.cut.mark_changed();
        self.feed.status.mark_changed();
        self.feed.tools.mark_changed();
        self.feed.frame.mark_changed();
        self.holder.mark_changed();
        loop {
            // In this order: a frame comes after the scene it belongs to.
            tokio::select! {
                biased;
                message = self.socket.recv() => match message {
                    Some(Ok(message)) => self.hear(message).await?,
                    // Oversized or against the protocol.
                    Some(Err(error)) => {
                        return Err(Some((close_code::PROTOCOL, error.to_string())));
                    }
                    None => return Ok(()),
                },
                changed = self.feed.scene.changed() => {
                    changed.map_err(|_| None)?;
                    let Description { json, surfaces } = self.feed.scene.borrow_and_update().clone();
                    self.send(text(&json)).await?;
                    self.send(Message::Binary(surfaces)).await?;
                    self.show_all();
                }
                changed = self.feed.cut.changed() => {
                    changed.map_err(|_| None)?;
                    let cut: Bytes = self.feed.cut.borrow_and_update().clone();
                    self.send(Message::Binary(cut)).await?;
                    self.show_all();
                }
                changed = self.holder.changed() => {
                    changed.map_err(|_| None)?;
                    self.tell_holder().await?;
                }
                changed = self.feed.status.changed() => {
                    changed.map_err(|_| None)?;
                    let status = self.feed.status.borrow_and_update().clone();
                    self.send(text(&status)).await?;
                }
                changed = self.feed.tools.changed() => {
                    changed.map_err(|_| None)?;
                    let tools = self.feed.tools.borrow_and_update().clone();
                    self.send(text(&tools)).await?;
                }
                changed = self.feed.frame.changed() => {
                    changed.map_err(|_| None)?;
                    let frame = self.feed.frame.borrow_and_update().clone();
                    let news = frame.since(self.seen);
                    self.seen = frame.number;
                    self.send(Message::Binary(news.into())).await?;
                }
            }
        }
    }

    /// What was sent may have come before the surfaces it belongs to.
    fn show_all(&mut self) {
        self.seen = 0;
        self.feed.frame.mark_changed();
    }

    /// Says who holds the handle; where nobody does, takes it.
    async fn tell_holder(&mut self) -> Result<(), End> {
        let id = self.id;
        self.shared.holder.send_if_modified(|holder| {
            let free = *holder == 0;
            *holder = if free { id } else { *holder };
            free
        });
        let holds = *self.holder.borrow_and_update() == id;
        self.send(text(&format!("{{\"type\":\"you\",\"holds\":{holds}}}"))).await
    }

    async fn hear(&mut self, message: Message) -> Result<(), End> {
        let now = Instant::now();
        if !self.limit.allows(now) {
            return Err(Some((close_code::POLICY, "too many messages".to_owned())));
        }
        let command = match &message {
            Message::Text(text) => Command::decode(text.as_str()),
            Message::Binary(_) => {
                return Err(Some((close_code::UNSUPPORTED, "commands are text".to_owned())));
            }
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Close(_) => return Err(None),
        };
        let command = command.map_err(|e| Some((close_code::POLICY, e.to_string())))?;
        let holds = *self.shared.holder.borrow() == self.id;
        if command == Command::Take {
            if !holds {
                self.shared.holder.send_replace(self.id);
                self.shared.order(Order::ReleaseAll).await;
            }
            return Ok(());
        }
        // Pages that only watch may not know yet that they do.
        if holds {
            self.shared.order(Order::Command(command, now)).await;
            self.limit.was_deaf(now.elapsed());
        }
        Ok(())
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        let start = Instant::now();
        let sent = tokio::time::timeout(PATIENCE, self.socket.send(message)).await;
        self.limit.was_deaf(start.elapsed());
        match sent {
            Ok(Ok(())) => Ok(()),
            _ => Err(None),
        }
    }
}

fn text(text: &str) -> Message {
    Message::Text(text.into())
}
