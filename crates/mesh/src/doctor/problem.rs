//! Problems and the diagnosis they make up.

use std::fmt;

use crate::error::Note;

/// A kind of problem. [`ProblemKind::name`] is stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The tables contradict each other; nothing else was looked at.
    Invalid,
    /// No vertices or no elements.
    Empty,
    /// Coordinates that are not finite.
    NotFinite,
    /// Elements of negative volume.
    Inverted,
    /// Elements of positive volume whose map folds over at a corner or node.
    Folded,
    /// Elements without volume, triangles without area, though their vertices differ.
    Degenerate,
    /// Elements that name a vertex twice.
    RepeatedVertex,
    /// Vertices at exactly the place of another.
    DuplicateVertices,
    /// Vertices very close to another.
    CloseVertices,
    /// Elements with the same vertices as another.
    DuplicateElements,
    /// Vertices that no element uses.
    UnreferencedVertices,
    /// Faces that three or more elements share.
    NonManifoldFaces,
    /// Boundary edges where more than two faces meet.
    NonManifoldEdges,
    /// Vertices where the boundary touches itself.
    NonManifoldVertices,
    /// A surface with holes.
    OpenBoundary,
    /// Neighbouring triangles that disagree about which side is out.
    InconsistentOrientation,
    /// Closed surfaces with the inside out.
    InsideOut,
    /// Several parts that are not connected.
    Disconnected,
    /// Elements with extreme angles.
    Slivers,
    /// A body of a size that suggests another unit than the metre.
    UnitScale,
    /// Regions without elements.
    EmptyRegions,
    /// Sets without members.
    EmptySets,
    /// Elements in no region of a mesh that has regions.
    WithoutRegion,
}

impl ProblemKind {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Empty => "empty",
            Self::NotFinite => "not-finite",
            Self::Inverted => "inverted",
            Self::Folded => "folded",
            Self::Degenerate => "degenerate",
            Self::RepeatedVertex => "repeated-vertex",
            Self::DuplicateVertices => "duplicate-vertices",
            Self::CloseVertices => "close-vertices",
            Self::DuplicateElements => "duplicate-elements",
            Self::UnreferencedVertices => "unreferenced-vertices",
            Self::NonManifoldFaces => "non-manifold-faces",
            Self::NonManifoldEdges => "non-manifold-edges",
            Self::NonManifoldVertices => "non-manifold-vertices",
            Self::OpenBoundary => "open-boundary",
            Self::InconsistentOrientation => "inconsistent-orientation",
            Self::InsideOut => "inside-out",
            Self::Disconnected => "disconnected",
            Self::Slivers => "slivers",
            Self::UnitScale => "unit-scale",
            Self::EmptyRegions => "empty-regions",
            Self::EmptySets => "empty-sets",
            Self::WithoutRegion => "without-region",
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the mesh is fine.
    Notice,
    /// A simulation may suffer.
    Warning,
    /// A simulation fails, or means something else than intended.
    Error,
}

impl Severity {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What [`Problem::first`] counts, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// Vertices.
    Vertex,
    /// Cells of a volume mesh.
    Element,
    /// Triangles of a surface.
    Triangle,
    /// Regions.
    Region,
    /// Sets: cell sets, then vertex sets.
    Set,
    /// The mesh as a whole.
    Mesh,
}

impl Item {
    /// Its name in messages and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Element => "element",
            Self::Triangle => "triangle",
            Self::Region => "region",
            Self::Set => "set",
            Self::Mesh => "mesh",
        }
    }
}

/// One kind of problem, wherever it occurs in a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its kind.
    pub kind: ProblemKind,
    /// How bad it is.
    pub severity: Severity,
    /// How often it occurs.
    pub count: usize,
    /// The first item that has it.
    pub first: usize,
    /// What kind of item that is.
    pub item: Item,
    /// What was found.
    pub detail: String,
    /// What to do about it.
    pub hint: String,
    /// Whether [`fix`](super::fix) or [`fix_surface`](super::fix_surface) repairs it.
    pub fixable: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.kind, self.detail, self.hint)
    }
}

/// What is wrong with a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Whether there is nothing worse than a [`Severity::Notice`].
    pub ok: bool,
    /// What was found, one entry for each kind.
    pub problems: Vec<Problem>,
}

impl Default for Diagnosis {
    fn default() -> Self {
        Self { ok: true, problems: Vec::new() }
    }
}

impl Diagnosis {
    /// The problem of that kind, if found.
    pub fn find(&self, kind: ProblemKind) -> Option<&Problem> {
        self.problems.iter().find(|p| p.kind == kind)
    }

    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        self.ok &= problem.severity == Severity::Notice;
        self.problems.push(problem);
    }

    /// Adds what reading the file already repaired: importers turn inverted elements round, so that
    /// the mesh itself no longer shows them.
    pub fn add_notes(&mut self, notes: &[Note]) {
        for note in notes {
            if let Note::Reoriented { count, first } = *note {
                self.push(Problem {
                    kind: ProblemKind::Inverted,
                    severity: Severity::Warning,
                    count,
                    first,
                    item: Item::Element,
                    detail: format!("in the file, {}", found(count, Item::Element, "inverted")),
                    hint: "they were turned round on reading; write the mesh to keep that".into(),
                    fixable: true,
                });
            }
        }
    }
}

/// How often something was met, and where first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) count: usize,
    pub(super) first: usize,
}

impl Tally {
    /// Counts the items for which `bad` holds.
    pub(super) fn of(items: impl Iterator<Item = usize>) -> Self {
        let mut tally = Self::default();
        items.for_each(|i| tally.hit(i));
        tally
    }

    /// Counts item `index`; items come in ascending order.
    pub(super) fn hit(&mut self, index: usize) {
        if self.count == 0 {
            self.first = index;
        }
        self.count += 1;
    }

    /// Adds a problem to `diagnosis` if anything was counted. `what` completes "3 elements are …".
    pub(super) fn report(
        self,
        diagnosis: &mut Diagnosis,
        (kind, severity, item): (ProblemKind, Severity, Item),
        what: &str,
        hint: &str,
        fixable: bool,
    ) {
        let Self { count, first } = self;
        if count > 0 {
            let detail =
                format!("{}; the first is {} {first}", found(count, item, what), item.name());
            let hint = hint.to_owned();
            diagnosis.push(Problem { kind, severity, count, first, item, detail, hint, fixable });
        }
    }
}

/// "1 element is …", "2 vertices are …".
fn found(count: usize, item: Item, what: &str) -> String {
    match (count, item) {
        (1, _) => format!("1 {} is {what}", item.name()),
        (_, Item::Vertex) => format!("{count} vertices are {what}"),
        _ => format!("{count} {}s are {what}", item.name()),
    }
}
