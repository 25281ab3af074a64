//! [`Column`]: one array of a VTK file on its way into the mesh, value by value, so that the file's
//! bytes and the mesh's arrays are never both in memory.

use pliant_algebra::vec3::Vec3;

use crate::error::{ErrorKind, MeshError};
use crate::io::scanner::{parse_f64, parse_i64, quote};
use crate::volume::NO_REGION;

use super::scalar::{ByteOrder, Scalar, each_float, each_integer};

/// The cell array that holds region numbers.
pub(in crate::io) const REGION: &str = "region";
/// The field array that holds the regions' names.
pub(in crate::io) const REGION_NAMES: &str = "region_names";
/// The field array that holds the time of a frame.
pub(in crate::io) const TIME: &str = "TimeValue";
/// What the names of arrays that hold sets begin with.
pub(in crate::io) const SET_PREFIX: &str = "set:";

/// What an array is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::io) enum Role {
    /// Positions.
    Points,
    /// Vertex indices of all cells.
    Connectivity,
    /// The end of each cell in the connectivity; legacy files put the first start before them.
    Offsets {
        /// Whether the first start, 0, comes first.
        leading_zero: bool,
    },
    /// For each cell its size and then its vertices.
    CellList,
    /// VTK's numbers of the cells' kinds.
    Types,
    /// Region numbers, negative for none.
    Region,
    /// A cell set: not 0 for the cells in it.
    CellSet(String),
    /// A vertex set: not 0 for the vertices in it.
    VertexSet(String),
    /// Names of regions, each ended by a zero.
    RegionNames,
    /// A number for each cell.
    CellData(String),
}

/// Where an array that is not part of the geometry belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::io) enum Owner {
    Points,
    Cells,
    Grid,
}

impl Role {
    /// The role of an attribute array by its name; `None` for data that a mesh does not hold.
    pub(in crate::io) fn of(
        owner: Owner,
        name: &str,
        scalar: Scalar,
        components: u64,
    ) -> Option<Self> {
        if components != 1 {
            return None;
        }
        let set = name.strip_prefix(SET_PREFIX).map(str::to_owned).filter(|_| !scalar.is_float());
        match owner {
            Owner::Cells if name.is_empty() => None,
            Owner::Cells if name == REGION && !scalar.is_float() => Some(Role::Region),
            Owner::Cells => {
                Some(set.map_or_else(|| Role::CellData(name.to_owned()), Role::CellSet))
            }
            _ if scalar.is_float() => None,
            Owner::Points => set.map(Role::VertexSet),
            Owner::Grid if name == REGION_NAMES && scalar.size() == 1 => Some(Role::RegionNames),
            Owner::Grid => None,
        }
    }

    fn name(&self) -> String {
        match self {
            Role::Points => "the points".into(),
            Role::Connectivity => "the connectivity".into(),
            Role::Offsets { .. } => "the offsets".into(),
            Role::CellList => "the cells".into(),
            Role::Types => "the cell types".into(),
            Role::Region => format!("array '{REGION}'"),
            Role::CellSet(name) => format!("cell array '{SET_PREFIX}{name}'"),
            Role::VertexSet(name) => format!("point array '{SET_PREFIX}{name}'"),
            Role::RegionNames => format!("array '{REGION_NAMES}'"),
            Role::CellData(name) => format!("cell array '{name}'"),
        }
    }

    /// Whether its values are taken as floating-point numbers.
    fn takes_floats(&self) -> bool {
        matches!(self, Role::Points | Role::CellData(_))
    }
}

/// How many values an array holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::io) enum Length {
    /// As many as that.
    Exactly(u64),
    /// Known only at its end, but no more than that.
    AtMost(u64),
}

/// An array that is being filled.
#[derive(Debug)]
pub(in crate::io) struct Column {
    pub(super) role: Role,
    scalar: Scalar,
    length: Length,
    taken: u64,
    row: Vec3,
    /// The last offset, or the vertices still to come of a cell in a cell list.
    state: u64,
    pub(in crate::io) points: Vec<Vec3>,
    /// Indices, region numbers or the members of a set.
    pub(super) integers: Vec<u32>,
    /// Cell sizes.
    pub(super) sizes: Vec<u32>,
    /// Cell types or characters.
    pub(super) bytes: Vec<u8>,
    /// Numbers of cells.
    pub(in crate::io) numbers: Vec<f64>,
}

impl Column {
    pub(in crate::io) fn new(
        role: Role,
        scalar: Scalar,
        length: Length,
    ) -> Result<Self, MeshError> {
        if scalar.is_float() && !role.takes_floats() {
            let text = format!("{} are floating-point numbers: integers are needed", role.name());
            return Err(MeshError::new(ErrorKind::Syntax, text));
        }
        Ok(Self {
            role,
            scalar,
            length,
            taken: 0,
            row: [0.0; 3],
            state: 0,
            points: Vec::new(),
            integers: Vec::new(),
            sizes: Vec::new(),
            bytes: Vec::new(),
            numbers: Vec::new(),
        })
    }

    /// Bytes of one value.
    pub(in crate::io) fn item_size(&self) -> usize {
        self.scalar.size()
    }

    /// Checks a number of values that the file states, and reserves room for them: never for more
    /// than one for each of the `bytes` that are left, so that a lie costs nothing.
    pub(in crate::io) fn expect(&mut self, values: u64, bytes: u64) -> Result<(), MeshError> {
        let wrong = match self.length {
            Length::Exactly(n) => values != n,
            Length::AtMost(n) => values > n,
        };
        if wrong {
            return Err(self.miscounted(values));
        }
        self.reserve(values, bytes);
        Ok(())
    }

    /// Reserves room for what was announced, or else for about `guess` values.
    pub(in crate::io) fn reserve_announced(&mut self, guess: u64, bytes: u64) {
        match self.length {
            Length::Exactly(n) => self.reserve(n, bytes),
            Length::AtMost(n) => self.reserve(guess.min(n), bytes),
        }
    }

    /// Reserves room for about `values` values, at most for one for each of `bytes`.
    pub(in crate::io) fn reserve(&mut self, values: u64, bytes: u64) {
        let room = values.min(bytes) as usize;
        match self.role {
            Role::Points => self.points.reserve_exact(room / 3),
            Role::Connectivity | Role::Region => self.integers.reserve_exact(room),
            Role::Offsets { .. } => self.sizes.reserve_exact(room),
            Role::Types => self.bytes.reserve_exact(room),
            // Of tetrahedra, one number of five is a size; other cells have fewer.
            Role::CellList => {
                self.integers.reserve_exact(room / 5 * 4);
                self.sizes.reserve_exact(room / 5);
            }
            Role::CellData(_) => self.numbers.reserve_exact(room),
            Role::CellSet(_) | Role::VertexSet(_) | Role::RegionNames => {}
        }
    }

    fn miscounted(&self, found: u64) -> MeshError {
        let announced = match self.length {
            Length::Exactly(n) => format!("{n} were announced"),
            Length::AtMost(n) => format!("at most {n} can be needed"),
        };
        let text = format!("{} hold {found} values, but {announced}", self.role.name());
        MeshError::new(ErrorKind::Count, text).hint("the file is cut off, or the counts are wrong")
    }

    /// Takes whole numbers from binary data.
    pub(in crate::io) fn take_bytes(
        &mut self,
        bytes: &[u8],
        order: ByteOrder,
    ) -> Result<(), MeshError> {
        if self.role.takes_floats() {
            each_float(bytes, self.scalar, order, |x| self.float(x))
        } else {
            each_integer(bytes, self.scalar, order, |i| self.integer(i))
        }
    }

    /// Takes one number written as text.
    #[inline]
    pub(in crate::io) fn take_text(&mut self, token: &[u8]) -> Result<(), MeshError> {
        let bad = |what| {
            let text = format!("{}: expected {what}, found {}", self.role.name(), quote(token));
            MeshError::new(ErrorKind::Syntax, text)
        };
        if self.role.takes_floats() {
            let x = parse_f64(token).ok_or_else(|| bad("a number"))?;
            self.float(x)
        } else {
            let i = parse_i64(token).ok_or_else(|| bad("an integer"))?;
            self.integer(i)
        }
    }

    #[inline]
    fn count_one(&mut self) -> Result<(), MeshError> {
        let (Length::Exactly(limit) | Length::AtMost(limit)) = self.length;
        self.taken += 1;
        if self.taken > limit { Err(self.miscounted(self.taken)) } else { Ok(()) }
    }

    #[inline]
    fn float(&mut self, x: f64) -> Result<(), MeshError> {
        let axis = (self.taken % 3) as usize;
        self.count_one()?;
        if self.role != Role::Points {
            // Data that is not finite costs the array, not the mesh: see `Grid::store`.
            self.numbers.push(x);
            return Ok(());
        }
        if !x.is_finite() {
            let text = format!("vertex {} has a coordinate {x}", self.points.len());
            return Err(MeshError::new(ErrorKind::NotFinite, text));
        }
        self.row[axis] = x;
        if axis == 2 {
            self.points.push(self.row);
        }
        Ok(())
    }

    #[inline]
    fn integer(&mut self, value: i64) -> Result<(), MeshError> {
        let index = self.taken;
        self.count_one()?;
        match self.role {
            Role::Connectivity => self.vertex(value)?,
            Role::CellList if self.state == 0 => {
                let size = u32::try_from(value).map_err(|_| {
                    let text = format!("cell {} has {value} vertices", self.sizes.len());
                    MeshError::new(ErrorKind::Count, text)
                })?;
                self.sizes.push(size);
                self.state = u64::from(size);
            }
            Role::CellList => {
                self.vertex(value)?;
                self.state -= 1;
            }
            Role::Offsets { leading_zero } => {
                if leading_zero && index == 0 {
                    if value == 0 {
                        return Ok(());
                    }
                    let text = format!("the offsets begin with {value}: 0 is expected");
                    return Err(MeshError::new(ErrorKind::Count, text));
                }
                let size = u64::try_from(value)
                    .ok()
                    .and_then(|end| end.checked_sub(self.state))
                    .and_then(|size| u32::try_from(size).ok());
                let Some(size) = size else {
                    let (cell, before) = (self.sizes.len(), self.state);
                    let text = format!(
                        "the offsets must ascend: cell {cell} ends at {value}, the one before it at {before}"
                    );
                    return Err(MeshError::new(ErrorKind::Count, text));
                };
                self.sizes.push(size);
                self.state += u64::from(size);
            }
            Role::Types => self.bytes.push(u8::try_from(value).map_err(|_| {
                MeshError::new(ErrorKind::Syntax, format!("{value} is no VTK cell type"))
            })?),
            Role::Region => self.integers.push(if value < 0 {
                NO_REGION
            } else if value < i64::from(NO_REGION) {
                value as u32
            } else {
                let text = format!("cell {index} has region {value}: at most 2^32 − 2 is served");
                return Err(MeshError::new(ErrorKind::Count, text));
            }),
            Role::CellSet(_) | Role::VertexSet(_) => {
                if value != 0 {
                    self.integers.push(index as u32);
                }
            }
            // VTK writes text as signed characters.
            Role::RegionNames => self.bytes.push(value as u8),
            Role::Points | Role::CellData(_) => {}
        }
        Ok(())
    }

    #[inline]
    fn vertex(&mut self, value: i64) -> Result<(), MeshError> {
        if let Ok(v) = u32::try_from(value) {
            self.integers.push(v);
            return Ok(());
        }
        let text = format!("a cell names vertex {value}: vertices are numbered from 0");
        Err(MeshError::new(ErrorKind::Index, text))
    }

    /// Checks that everything has come.
    pub(in crate::io) fn finish(&self) -> Result<(), MeshError> {
        match self.length {
            Length::Exactly(n) if n != self.taken => Err(self.miscounted(self.taken)),
            _ if self.role == Role::CellList && self.state > 0 => {
                let text = "the last cell has fewer vertices than its size says";
                Err(MeshError::new(ErrorKind::Count, text))
            }
            _ => Ok(()),
        }
    }
}
