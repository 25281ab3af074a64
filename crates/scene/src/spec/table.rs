//! `[[output.table]]`: values at points or vertices of a body at chosen times, as CSV.

use pliant_algebra::vec3::Vec3;
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::select::Selection;

/// A column, or several, of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableColumn {
    /// x, m.
    Position,
    /// x − X, m.
    Displacement,
    /// v, m/s.
    Velocity,
    /// Cauchy stress, Pa: xx, yy, zz, xy, yz, xz.
    Stress,
    /// Green strain: xx, yy, zz, xy, yz, xz of the tensor.
    Strain,
    /// Von Mises stress, Pa.
    VonMises,
    /// Ratio of volumes J.
    Jacobian,
    /// Pressure of contact, Pa.
    ContactPressure,
    /// Distance from what is near, m.
    ContactGap,
}

impl TableColumn {
    const NAMES: [(&'static str, Self); 9] = [
        ("position", Self::Position),
        ("displacement", Self::Displacement),
        ("velocity", Self::Velocity),
        ("stress", Self::Stress),
        ("strain", Self::Strain),
        ("von_mises", Self::VonMises),
        ("J", Self::Jacobian),
        ("contact_pressure", Self::ContactPressure),
        ("contact_gap", Self::ContactGap),
    ];

    /// Names and units of its columns.
    pub(crate) fn header(self) -> Vec<String> {
        let vector = |name: &str, unit: &str| {
            ["x", "y", "z"].iter().map(|axis| format!("{name}.{axis} [{unit}]")).collect()
        };
        let tensor = |name: &str, unit: &str| {
            let entries = ["xx", "yy", "zz", "xy", "yz", "xz"].iter();
            entries.map(|entry| format!("{name}.{entry}{unit}")).collect()
        };
        match self {
            Self::Position => vector("position", "m"),
            Self::Displacement => vector("displacement", "m"),
            Self::Velocity => vector("velocity", "m/s"),
            Self::Stress => tensor("stress", " [Pa]"),
            Self::Strain => tensor("strain", ""),
            Self::VonMises => vec!["von_mises [Pa]".to_owned()],
            Self::Jacobian => vec!["J".to_owned()],
            Self::ContactPressure => vec!["contact_pressure [Pa]".to_owned()],
            Self::ContactGap => vec!["contact_gap [m]".to_owned()],
        }
    }

    /// Whether it needs stresses and strains of cells.
    pub(crate) fn is_of_cells(self) -> bool {
        matches!(self, Self::Stress | Self::Strain | Self::VonMises | Self::Jacobian)
    }

    /// Whether it needs fields of contact.
    pub(crate) fn is_of_contact(self) -> bool {
        matches!(self, Self::ContactPressure | Self::ContactGap)
    }
}

/// Where the values of a table are taken.
#[derive(Debug, Clone)]
pub enum TableAt {
    /// At points of the body by their positions at rest, m.
    Points(Vec<Vec3>),
    /// At vertices; all if none.
    Vertices(Option<Selection>),
}

/// When rows are written.
#[derive(Debug, Clone, PartialEq)]
pub enum TableTimes {
    /// At the end of the run, and of every stage.
    End,
    /// At the first step that ends at each of these times or later, s.
    At(Vec<f64>),
    /// Every so many steps, from the start.
    Every(u64),
}

/// A table of a scene.
#[derive(Debug, Clone)]
pub struct TableSpec {
    /// Its name, and that of its file without `.csv`.
    pub name: String,
    /// Its body; the only one if none.
    pub body: Option<(String, Location)>,
    /// Where.
    pub at: TableAt,
    /// What.
    pub columns: Vec<TableColumn>,
    /// When.
    pub times: TableTimes,
    /// Where it stands in the scene.
    pub location: Location,
}

impl TableSpec {
    /// Reads all tables of `[output]`.
    pub(crate) fn read_all(output: &Table<'_>) -> Result<Vec<Self>, SceneError> {
        let list: Vec<Self> = output.rows("table", |_, _| None, |t| Self::read(&t))?;
        for (k, table) in list.iter().enumerate() {
            if list[..k].iter().any(|other| other.name == table.name) {
                let text = format!("there are two tables '{}'", table.name);
                return Err(SceneError::new(text).at(&table.location));
            }
        }
        Ok(list)
    }

    fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let name = t.text("name")?.ok_or_else(|| t.missing("name", "\"tip\""))?;
        let bare = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(bare) {
            return Err(
                t.error("name", "letters, digits, '-', '_' and '.' are needed: it names a file")
            );
        }
        let body = t.text("body")?.map(|b| (b.to_owned(), t.place_of("body")));
        let points = t.vectors("points", Dimension::LENGTH)?;
        let line = line(t)?;
        let on = Selection::read(t)?;
        let at = match (points, line, on) {
            (Some(points), None, None) | (None, Some(points), None) => TableAt::Points(points),
            (None, None, on) => TableAt::Vertices(on),
            _ => {
                let text = "a table has either points, a line, or a selection of vertices";
                return Err(SceneError::new(text).at(t.location()));
            }
        };
        let mut columns = t.choices("columns", &TableColumn::NAMES)?;
        if columns.is_empty() {
            columns = vec![TableColumn::Position, TableColumn::Displacement];
        }
        let (times, every) = (t.quantities("times", Dimension::TIME)?, t.count("every")?);
        let times = match (times, every) {
            (None, None) => TableTimes::End,
            (Some(times), None) if times.is_empty() => {
                return Err(t.error("times", "at least one time is needed"));
            }
            (Some(times), None) if times.windows(2).any(|pair| pair[1] <= pair[0]) => {
                return Err(t.error("times", "must ascend"));
            }
            (Some(times), None) => TableTimes::At(times),
            (None, Some(0)) => return Err(t.error("every", "at least 1 step")),
            (None, Some(every)) => TableTimes::Every(every as u64),
            (Some(_), Some(_)) => return Err(t.error("every", "give either times or every")),
        };
        t.finish()?;
        let (name, location) = (name.to_owned(), t.location().clone());
        Ok(Self { name, body, at, columns, times, location })
    }
}

/// `line = { from = […], to = […], count = 11 }`: points at equal distances, both ends included.
fn line(t: &Table<'_>) -> Result<Option<Vec<Vec3>>, SceneError> {
    let Some(l) = t.table("line")? else { return Ok(None) };
    let end = |key| l.vector(key, Dimension::LENGTH)?.ok_or_else(|| l.missing(key, "[0, 0, 0]"));
    let (from, to) = (end("from")?, end("to")?);
    let count = l.count("count")?.unwrap_or(11);
    l.finish()?;
    if count < 2 {
        return Err(l.error("count", "at least 2 points"));
    }
    let point = |k: usize| {
        let part = k as f64 / (count - 1) as f64;
        std::array::from_fn(|i| from[i] + part * (to[i] - from[i]))
    };
    Ok(Some((0..count).map(point).collect()))
}
