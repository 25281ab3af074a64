//! How a load or a motion changes with time.

use pliant_forces::loads::TimeCurve;
use pliant_units::Dimension;

use crate::error::SceneError;
use crate::file::table::Table;

/// `curve = 2` or `curve = { kind = "ramp", start = 0, end = "1 s" }`: a factor of time; 1 where there
/// is none.
pub(crate) fn read(table: &Table<'_>) -> Result<TimeCurve, SceneError> {
    read_key(table, "curve")
}

/// The same of another key.
pub(crate) fn read_key(table: &Table<'_>, key: &'static str) -> Result<TimeCurve, SceneError> {
    if !table.has(key) {
        return Ok(TimeCurve::default());
    }
    if !table.is_table(key) {
        let value = table.quantity(key, Dimension::NONE)?.unwrap_or(1.0);
        return Ok(TimeCurve::Constant(value));
    }
    let Some(t) = table.table(key)? else { return Ok(TimeCurve::default()) };
    let time =
        |key, default| Ok::<_, SceneError>(t.quantity(key, Dimension::TIME)?.unwrap_or(default));
    let number =
        |key, default| Ok::<_, SceneError>(t.quantity(key, Dimension::NONE)?.unwrap_or(default));
    let kinds = [("constant", 0), ("ramp", 1), ("pulse", 2), ("table", 3)];
    let curve = match t.choice("kind", &kinds)? {
        None => return Err(t.missing("kind", "\"ramp\"")),
        Some(0) => TimeCurve::Constant(number("value", 1.0)?),
        Some(1) => TimeCurve::Ramp {
            start: time("start", 0.0)?,
            end: t.quantity("end", Dimension::TIME)?.ok_or_else(|| t.missing("end", "\"1 s\""))?,
            from: number("from", 0.0)?,
            to: number("to", 1.0)?,
        },
        Some(2) => TimeCurve::Pulse {
            start: time("start", 0.0)?,
            rise: time("rise", 0.0)?,
            hold: t
                .quantity("hold", Dimension::TIME)?
                .ok_or_else(|| t.missing("hold", "\"0.1 s\""))?,
            height: number("height", 1.0)?,
        },
        Some(_) => {
            let missing = |key| t.missing(key, "[0, 1]");
            let times = t.quantities("times", Dimension::TIME)?.ok_or_else(|| missing("times"))?;
            let values =
                t.quantities("values", Dimension::NONE)?.ok_or_else(|| missing("values"))?;
            TimeCurve::Table { times, values }
        }
    };
    t.finish()?;
    curve.check().map_err(|e| SceneError::from(e).at(t.location()))?;
    Ok(curve)
}
