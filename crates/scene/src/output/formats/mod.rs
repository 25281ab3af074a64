//! Formats of frames. A format is one file with a [`FrameWriter`] and a [`FormatEntry`], and one line in the list below.

mod glb;
mod pc2;
mod sequence;
mod spool;
mod usda;
mod vtu;

use std::path::Path;

use pliant_mesh::MeshError;
use pliant_model::Body;

use crate::build::surface::Surface;
use crate::error::SceneError;
use crate::output::frames::Frame;
use crate::spec::scene::Scene;
pub(crate) use spool::Spool;

macro_rules! formats {
    ($($variant:ident $entry:path;)*) => {
        /// A format of frames: a handle to its [`FormatEntry`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "its entry says what each is")]
        pub enum FrameFormat {
            $($variant,)*
        }

        impl FrameFormat {
            /// All of them, in the order in which they are shown to users.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            fn entry(self) -> &'static FormatEntry {
                match self {
                    $(Self::$variant => &$entry,)*
                }
            }
        }
    };
}

// A new format adds its line here.
formats! {
    Vtu vtu::ENTRY;
    Obj sequence::OBJ;
    Ply sequence::PLY;
    Pc2 pc2::ENTRY;
    Glb glb::ENTRY;
    Usda usda::ENTRY;
}

/// Everything there is to know about a format without writing it.
pub(crate) struct FormatEntry {
    /// Name in scenes, and extension of its files.
    name: &'static str,
    /// One line for users.
    about: &'static str,
    /// What it is made of.
    needs: Needs,
    /// Extensions of files that a run leaves in its folder, to be removed before the next.
    in_folder: &'static [&'static str],
    /// The same of files in `frames/`.
    in_frames: &'static [&'static str],
    /// A warning about a scene of so many frames.
    warning: fn(&Scene, &[Surface]) -> Option<String>,
    /// Starts writing.
    open: fn(&Opening<'_>) -> Result<Box<dyn FrameWriter>, SceneError>,
}

/// What a format is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// The state alone.
    State,
    /// Surfaces at each frame.
    Surfaces,
    /// Surfaces of all frames at once, from the [`Spool`]: one file, `animation.NAME`.
    Spool,
    /// The same; and the spool is what users want.
    KeptSpool,
}

/// What a writer is opened with.
pub(crate) struct Opening<'a> {
    /// The folder of the run.
    pub(crate) folder: &'a Path,
    /// What is run.
    pub(crate) scene: &'a Scene,
    /// Its bodies.
    pub(crate) bodies: &'a [Body],
    /// Their surfaces; none unless some format needs them.
    pub(crate) surfaces: &'a [Surface],
    /// Names of bodies as parts of names of files.
    pub(crate) names: &'a [String],
    /// Frames that are there already, of a run that is resumed.
    pub(crate) first: u64,
    /// Set where nobody knows how many frames will come.
    pub(crate) endless: bool,
}

/// The present of a run, for those who write it.
pub(crate) struct Stage<'a> {
    /// The folder of the run.
    pub(crate) folder: &'a Path,
    /// Names of bodies as parts of names of files.
    pub(crate) names: &'a [String],
    /// Surfaces of all bodies at the last frame; none unless some format needs them.
    pub(crate) surfaces: &'a [Surface],
    /// Surfaces of all frames, the last one included; none unless some format needs it.
    pub(crate) spool: Option<&'a mut Spool>,
}

/// Writes the frames of a run in one format.
pub(crate) trait FrameWriter: Send {
    /// Writes a frame.
    fn push(&mut self, frame: &Frame, stage: &mut Stage<'_>) -> Result<(), MeshError>;
    /// Brings what holds all frames up to date, if it is worth it: a checkpoint stands for all before it.
    fn checkpoint(&mut self, stage: &mut Stage<'_>) -> Result<(), MeshError>;
    /// Writes what is missing at the end.
    fn finish(&mut self, stage: &mut Stage<'_>) -> Result<(), MeshError>;
}

impl FrameFormat {
    /// The format of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// Names of all formats, for messages.
    pub fn names() -> String {
        Self::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
    }

    /// Name in scenes, and extension of its files.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// One line for users.
    pub fn about(self) -> &'static str {
        self.entry().about
    }

    /// The one file that holds all frames, relative to the folder of a run; none of formats that have several.
    pub fn whole_file(self) -> Option<String> {
        (self.entry().needs == Needs::Spool).then(|| format!("animation.{}", self.name()))
    }

    pub(crate) fn open(self, opening: &Opening<'_>) -> Result<Box<dyn FrameWriter>, SceneError> {
        (self.entry().open)(opening)
    }

    /// True if surfaces are needed.
    pub(crate) fn needs_surfaces(self) -> bool {
        self.entry().needs != Needs::State
    }

    /// Set if it needs the spool, and true if users want to keep it.
    fn spool(self) -> Option<bool> {
        match self.entry().needs {
            Needs::State | Needs::Surfaces => None,
            Needs::Spool => Some(false),
            Needs::KeptSpool => Some(true),
        }
    }
}

/// The spool that these formats need, if one of them does.
pub(crate) fn spool(
    formats: &[FrameFormat],
    opening: &Opening<'_>,
) -> Result<Option<Spool>, SceneError> {
    match formats.iter().filter_map(|format| format.spool()).max() {
        Some(kept) => Spool::open(opening, kept).map(Some),
        None => Ok(None),
    }
}

/// Extensions of what runs leave in their folder, of all formats.
pub(crate) fn in_folder() -> Vec<&'static str> {
    FrameFormat::ALL.iter().flat_map(|f| f.entry().in_folder).copied().collect()
}

/// The same in `frames/`.
pub(crate) fn in_frames() -> Vec<&'static str> {
    FrameFormat::ALL.iter().flat_map(|f| f.entry().in_frames).copied().collect()
}

/// Warnings about the frames that a scene asks for.
pub(crate) fn warnings(scene: &Scene, surfaces: &[Surface]) -> Vec<String> {
    let asked = FrameFormat::ALL.iter().filter(|f| scene.output.writes(**f));
    asked.filter_map(|f| (f.entry().warning)(scene, surfaces)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_names_texts_and_something_to_clear() {
        for &format in FrameFormat::ALL {
            let entry = format.entry();
            assert_eq!(FrameFormat::parse(entry.name), Some(format));
            assert!(!entry.about.is_empty());
            let whole = format.whole_file().is_some();
            let left = [entry.in_folder, entry.in_frames].concat();
            assert!(whole || left.contains(&entry.name), "{}: {left:?}", entry.name);
        }
        assert_eq!(FrameFormat::parse("abc"), None);
    }
}
