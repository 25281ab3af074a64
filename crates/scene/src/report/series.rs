//! `history.csv`, read back.

/// Columns of a history.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Series {
    names: Vec<String>,
    /// Column by column; not a number where nothing stands.
    columns: Vec<Vec<f64>>,
}

impl Series {
    /// Reads a file as far as it is whole.
    pub(crate) fn parse(text: &str) -> Self {
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let mut lines = whole.lines();
        let names: Vec<String> =
            lines.next().map(|header| header.split(',').map(name).collect()).unwrap_or_default();
        let mut columns = vec![Vec::new(); names.len()];
        for line in lines {
            let mut fields = line.split(',');
            for column in &mut columns {
                let number = fields.next().and_then(|f| f.parse().ok());
                column.push(number.unwrap_or(f64::NAN));
            }
        }
        Self { names, columns }
    }

    /// A column by its name, without its unit; empty if there is none.
    pub(crate) fn column(&self, name: &str) -> &[f64] {
        let at = self.names.iter().position(|n| n == name);
        at.map_or(&[], |at| &self.columns[at])
    }

    /// Rows.
    pub(crate) fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// A column over time.
    pub(crate) fn curve(&self, name: &str) -> Vec<[f64; 2]> {
        self.column("time").iter().zip(self.column(name)).map(|(&t, &y)| [t, y]).collect()
    }

    /// Whether a column has a number at all.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.column(name).iter().any(|v| v.is_finite())
    }
}

/// A title without its unit.
fn name(title: &str) -> String {
    title.rsplit_once(" [").map_or(title, |(name, _)| name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_far_as_they_are_whole() {
        let s = Series::parse("step,time [s],elastic [J]\n0,0.0,\n1,0.5,2.5\n2,1.0,3");
        assert_eq!((s.len(), s.column("time")), (2, &[0.0, 0.5][..]));
        assert_eq!(s.curve("elastic")[1], [0.5, 2.5]);
        assert!(s.has("elastic") && !s.has("nothing"));
        assert_eq!(Series::parse("").len(), 0);
    }
}
