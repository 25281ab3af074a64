//! [`Patient`]: connections that are closed where a request does not arrive in time.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep, sleep};

/// Listens, and gives each request so much time to arrive.
pub(crate) struct PatientListener {
    listener: TcpListener,
    patience: Duration,
}

impl PatientListener {
    pub(crate) fn new(listener: TcpListener, patience: Duration) -> Self {
        Self { listener, patience }
    }
}

impl Listener for PatientListener {
    type Io = Patient;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Patient, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let deadline = Some(Box::pin(sleep(self.patience)));
        (Patient { stream, deadline, patience: self.patience }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection with a deadline: a request has to be here so long after the connection was made, or after the last answer was
/// written. Connections that have become WebSockets have none.
pub(crate) struct Patient {
    stream: TcpStream,
    deadline: Option<Pin<Box<Sleep>>>,
    patience: Duration,
}

/// What an answer that makes a WebSocket of a connection begins with.
const SWITCHING: &[u8] = b"HTTP/1.1 101";

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Before the bytes: one now and then does not keep a connection open.
        if let Some(deadline) = &mut self.deadline
            && deadline.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Err(ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let until = Instant::now() + self.patience;
        if bytes.starts_with(SWITCHING) {
            self.deadline = None;
        } else if let Some(deadline) = &mut self.deadline {
            deadline.as_mut().reset(until);
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
