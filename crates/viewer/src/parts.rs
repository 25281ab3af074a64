//! [`Frame`]: a frame of which each page is sent what it has not seen, and [`Encoder`], which makes them.

use axum::body::Bytes;

use crate::frame;

/// Bytes that say what they are of, and the number of the frame in which they last changed.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    changed: u64,
    bytes: Bytes,
}

/// All of a frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frame {
    /// Counts frames, from 1.
    pub number: u64,
    head: Vec<u8>,
    parts: Vec<Part>,
}

impl Frame {
    /// What a page is sent that was sent the frame with this number last; 0 if none.
    pub fn since(&self, number: u64) -> Vec<u8> {
        let news = self.parts.iter().filter(|part| part.changed > number);
        frame::with_parts(&self.head, news.map(|part| part.bytes.as_ref()))
    }
}

/// Knows the last frame.
#[derive(Debug, Default)]
pub struct Encoder {
    generation: u32,
    last: Frame,
}

impl Encoder {
    /// The next frame, of surfaces of that generation.
    pub fn next(&mut self, generation: u32, head: Vec<u8>, parts: Vec<Vec<u8>>) -> Frame {
        let number = self.last.number + 1;
        // Pages forget what they had of other surfaces.
        if generation != self.generation {
            self.generation = generation;
            self.last.parts.clear();
        }
        let keep = |bytes: Vec<u8>| {
            let same = |part: &&Part| *part.bytes == *bytes;
            let known = self.last.parts.iter().find(same).cloned();
            known.unwrap_or_else(|| Part { changed: number, bytes: bytes.into() })
        };
        let parts = parts.into_iter().map(keep).collect();
        self.last = Frame { number, head, parts };
        self.last.clone()
    }
}
