//! Arrays as NumPy and SciPy read them: `.npy`, and `.npz`, which is a ZIP archive of them without compression.
//!
//! The formats are those of NumPy's `numpy.lib.format` (version 1.0) and of PKWARE's APPNOTE; a sparse matrix
//! is what `scipy.sparse.save_npz` makes of a CSR matrix.

use flate2::Crc;
use pliant::algebra::sparse::Csr;

/// A vector of numbers.
pub(super) fn array(numbers: &[f64]) -> Vec<u8> {
    let data = numbers.iter().flat_map(|n| n.to_le_bytes());
    npy("<f8", &format!("({},)", numbers.len()), data)
}

/// An array: type, shape as Python writes it, and data.
fn npy(kind: &str, shape: &str, data: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version, length, text and its end fill whole blocks of 64.
    let fixed = 10 + 1;
    let padding = (64 - (head.len() + fixed) % 64) % 64;
    head.extend(std::iter::repeat_n(' ', padding));
    head.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.bytes());
    bytes.extend(data);
    bytes
}

/// A sparse matrix by rows.
pub(super) fn matrix(matrix: &Csr) -> Result<Vec<u8>, &'static str> {
    let count = matrix.entries();
    // What SciPy takes for numbers of rows unless they are larger.
    i32::try_from(count).map_err(|_| "more than 2147483647 entries")?;
    let starts: Vec<i32> = matrix.offsets.iter().map(|&start| start as i32).collect();
    let whole = |list: &[i32]| -> Vec<u8> { list.iter().flat_map(|n| n.to_le_bytes()).collect() };
    let columns: Vec<i32> = matrix.columns.iter().map(|&column| column as i32).collect();
    let values = matrix.values.iter().flat_map(|value| value.to_le_bytes());
    let shape = [matrix.rows() as i64; 2];
    let files = [
        ("indices.npy", npy("<i4", &format!("({count},)"), whole(&columns).into_iter())),
        ("indptr.npy", npy("<i4", &format!("({},)", starts.len()), whole(&starts).into_iter())),
        ("format.npy", npy("|S3", "()", b"csr".iter().copied())),
        ("shape.npy", npy("<i8", "(2,)", shape.into_iter().flat_map(i64::to_le_bytes))),
        ("data.npy", npy("<f8", &format!("({count},)"), values)),
    ];
    archive(&files)
}

/// A ZIP archive of stored files.
fn archive(files: &[(&str, Vec<u8>)]) -> Result<Vec<u8>, &'static str> {
    let total: usize = files.iter().map(|(_, data)| data.len() + 200).sum();
    u32::try_from(total).map_err(|_| "more than 4 GB")?;
    let (mut bytes, mut directory) = (Vec::with_capacity(total), Vec::new());
    for (name, data) in files {
        let at = bytes.len() as u32;
        let mut crc = Crc::new();
        crc.update(data);
        let size = data.len() as u32;
        // Version 2.0, no flags, stored, 1 January 1980 at midnight.
        let mut common: Vec<u8> = Vec::new();
        common.extend([20_u16, 0, 0, 0, 0x21].into_iter().flat_map(u16::to_le_bytes));
        common.extend([crc.sum(), size, size].into_iter().flat_map(u32::to_le_bytes));
        common.extend([name.len() as u16, 0].into_iter().flat_map(u16::to_le_bytes));
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.bytes());
        bytes.extend(data);
        directory.extend(b"PK\x01\x02");
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&common);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.bytes());
    }
    let (start, size, count) = (bytes.len() as u32, directory.len() as u32, files.len() as u16);
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06");
    bytes.extend([0, 0, count, count].into_iter().flat_map(u16::to_le_bytes));
    bytes.extend([size, start].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend([0; 2]);
    Ok(bytes)
}
