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

/// Vectors, as an array of shape (n, 3).
pub(super) fn vectors(list: &[[f64; 3]]) -> Vec<u8> {
    let data = list.as_flattened().iter().flat_map(|n| n.to_le_bytes());
    npy("<f8", &format!("({}, 3)", list.len()), data)
}

/// Reads an array of shape (n, 3) and type float64, or says what it is instead.
pub(super) fn read_vectors(bytes: &[u8]) -> Result<Vec<[f64; 3]>, String> {
    let not_npy = || "it is no .npy file".to_owned();
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or_else(not_npy)?;
    let (version, rest) = rest.split_at_checked(2).ok_or_else(not_npy)?;
    // The length of the header has two bytes in version 1, and four since.
    let wide = if version[0] == 1 { 2 } else { 4 };
    let (length, rest) = rest.split_at_checked(wide).ok_or_else(not_npy)?;
    let length = length.iter().rev().fold(0_usize, |sum, &byte| (sum << 8) | usize::from(byte));
    let (head, data) = rest.split_at_checked(length).ok_or_else(|| "it is cut off".to_owned())?;
    let head = String::from_utf8_lossy(head);
    let value = |key: &str| {
        let after = head.split_once(&format!("'{key}':"))?.1.trim_start();
        Some(
            after.split_at(after.find(if key == "shape" { ')' } else { ',' })?).0.trim().to_owned(),
        )
    };
    let (kind, order, shape) = (value("descr"), value("fortran_order"), value("shape"));
    let (Some(kind), Some(order), Some(shape)) = (kind, order, shape) else {
        return Err("its header is damaged".to_owned());
    };
    let shape = shape.trim_start_matches('(').to_owned();
    let lengths: Option<Vec<usize>> =
        shape.split(',').map(str::trim).filter(|n| !n.is_empty()).map(|n| n.parse().ok()).collect();
    let Some([count, 3]) = lengths.as_deref() else {
        return Err(format!("its shape is ({shape}), not (n, 3)"));
    };
    if kind != "'<f8'" || order != "False" {
        return Err(format!("its type is {kind} with fortran_order = {order}, not '<f8' by rows"));
    }
    let (numbers, left) = data.as_chunks::<8>();
    if numbers.len() != 3 * count || !left.is_empty() {
        return Err(format!("it has {} bytes for {count} vertices", data.len()));
    }
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    match numbers.iter().position(|n| !n.is_finite()) {
        None => Ok(numbers.as_chunks::<3>().0.to_vec()),
        Some(at) => Err(format!("row {} holds {}", at / 3, numbers[at])),
    }
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
