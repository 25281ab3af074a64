//! Memory that is there, and refusals of work that would need more.

use std::fs;

use crate::error::{ErrorKind, MeshError};

/// Bytes that this process may still take: what the machine has free, or its control group allows if that is less. None where the system does
/// not tell.
pub fn available() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kilobytes.saturating_mul(1024))
    });
    let number = |name: &str| -> Option<u64> {
        fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    let group = number("memory.max")
        .zip(number("memory.current"))
        .map(|(max, used)| max.saturating_sub(used));
    match (machine, group) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Bytes as people read them: `1.5 GB`.
pub fn bytes(count: f64) -> String {
    let (unit, size) = match count {
        c if c < 1e6 => ("kB", 1e3),
        c if c < 1e9 => ("MB", 1e6),
        c if c < 1e12 => ("GB", 1e9),
        _ => ("TB", 1e12),
    };
    let value = count / size;
    if value < 1e4 { format!("{value:.1} {unit}") } else { format!("{value:.1e} {unit}") }
}

/// Refuses a mesh of so many vertices and cells, of which each has so many nodes, if it cannot be numbered or does not fit.
pub(crate) fn check(vertices: f64, cells: f64, nodes: usize) -> Result<(), MeshError> {
    check_against(vertices, cells, nodes, available())
}

fn check_against(
    vertices: f64,
    cells: f64,
    nodes: usize,
    free: Option<u64>,
) -> Result<(), MeshError> {
    let refuse = |text: String| {
        Err(MeshError::new(ErrorKind::Geometry, text)
            .hint("use fewer cells, or divide them less often"))
    };
    let most = f64::from(u32::MAX);
    if vertices > most || cells > most {
        return refuse(format!(
            "the mesh would have about {} cells and {} vertices, at most 2^32 − 1 of each are served",
            rough(cells),
            rough(vertices)
        ));
    }
    let needed = vertices * VERTEX_BYTES + cells * CELL_BYTES_PER_NODE * nodes as f64;
    if let Some(free) = free
        && needed > free as f64
    {
        return refuse(format!(
            "the mesh would have about {} cells and {} vertices, which take {} of memory, and {} are free",
            rough(cells),
            rough(vertices),
            bytes(needed),
            bytes(free as f64)
        ));
    }
    Ok(())
}

/// A vertex is three numbers, and stands in a table or two while meshes are made.
const VERTEX_BYTES: f64 = 40.0;
/// A node of a cell is a number of 32 bits, in the mesh and in the one it is made of.
const CELL_BYTES_PER_NODE: f64 = 8.0;

/// A large number with two digits.
fn rough(count: f64) -> String {
    if count < 1e6 { format!("{count:.0}") } else { format!("{count:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_numbers() {
        check_against(1e6, 6e6, 4, Some(1 << 30)).unwrap();
        check_against(1e9, 4e9, 4, None).unwrap();
        let text = check_against(1e7, 6e7, 4, Some(1 << 30)).unwrap_err().to_string();
        for words in ["6.0e7 cells", "1.0e7 vertices", "2.3 GB", "1.1 GB are free"] {
            assert!(text.contains(words), "'{words}' is not in: {text}");
        }
        assert!(check_against(1e10, 1e9, 4, None).unwrap_err().to_string().contains("2^32"));
        assert!(check_against(f64::INFINITY, f64::INFINITY, 4, None).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_tells_its_memory() {
        assert!(available().is_some_and(|bytes| bytes > 1 << 20));
    }
}
