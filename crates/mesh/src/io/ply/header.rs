//! The header of a `.ply` file: which elements with which properties follow, in which encoding.

use crate::error::{ErrorKind, MeshError};
use crate::io::scanner::{Scanner, quote};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Little,
    Big,
}

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Scalar::I8,
            b"uchar" | b"uint8" => Scalar::U8,
            b"short" | b"int16" => Scalar::I16,
            b"ushort" | b"uint16" => Scalar::U16,
            b"int" | b"int32" => Scalar::I32,
            b"uint" | b"uint32" => Scalar::U32,
            b"float" | b"float32" => Scalar::F32,
            b"double" | b"float64" => Scalar::F64,
            _ => return None,
        })
    }

    pub(super) const fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    /// The number in the first `size()` bytes; f64 holds all of these types exactly.
    #[inline]
    pub(super) fn value(self, bytes: &[u8], encoding: Encoding) -> f64 {
        let mut b = [0_u8; 8];
        let size = self.size().min(bytes.len());
        b[..size].copy_from_slice(&bytes[..size]);
        if encoding == Encoding::Big {
            b[..size].reverse();
        }
        let word = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        match self {
            Scalar::I8 => f64::from(b[0] as i8),
            Scalar::U8 => f64::from(b[0]),
            Scalar::I16 => f64::from(word as i16),
            Scalar::U16 => f64::from(word as u16),
            Scalar::I32 => f64::from(word as i32),
            Scalar::U32 => f64::from(word),
            Scalar::F32 => f64::from(f32::from_bits(word)),
            Scalar::F64 => f64::from_le_bytes(b),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Property {
    pub(super) name: String,
    /// The type of the count, if this is a list.
    pub(super) list: Option<Scalar>,
    pub(super) item: Scalar,
}

#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// Where the property of that name is.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.properties.iter().position(|p| p.name == name)
    }

    /// Where these scalar properties are, if all are there.
    pub(super) fn find_all<const N: usize>(&self, names: [&str; N]) -> Option<[usize; N]> {
        let scalar = |name| self.find(name).filter(|&i| self.properties[i].list.is_none());
        let places = names.map(scalar);
        places.iter().all(Option::is_some).then(|| places.map(Option::unwrap_or_default))
    }

    /// The fewest bytes that one instance can take.
    pub(super) fn least_bytes(&self, encoding: Encoding) -> u64 {
        let least = |p: &Property| match encoding {
            Encoding::Text => 2,
            _ => p.list.unwrap_or(p.item).size() as u64,
        };
        self.properties.iter().map(least).sum()
    }
}

/// Reads up to and including `end_header`.
pub(super) fn read(scanner: &mut Scanner<'_>) -> Result<(Encoding, Vec<Element>), MeshError> {
    let magic = scanner.next_line()? && scanner.field() == Some(b"ply");
    if !magic {
        let error = scanner.unexpected("the first line", "'ply'");
        return Err(error.hint("is it a PLY file?"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        if !scanner.next_content_line()? {
            return Err(scanner.truncated("'end_header'"));
        }
        match scanner.field().unwrap_or_default() {
            b"format" => {
                encoding = Some(match scanner.field() {
                    Some(b"ascii") => Encoding::Text,
                    Some(b"binary_little_endian") => Encoding::Little,
                    Some(b"binary_big_endian") => Encoding::Big,
                    _ => {
                        let accepted = "ascii, binary_little_endian or binary_big_endian";
                        return Err(scanner.unexpected("the format", accepted));
                    }
                });
            }
            b"comment" | b"obj_info" => {}
            b"element" => {
                let name = name(scanner, "the name of an element")?;
                let count = scanner.u64_field("the count of an element")?;
                let ours = name == "vertex" || name == "face";
                if ours && elements.iter().any(|e| e.name == name) {
                    let text = format!("a second element {}", quote(name.as_bytes()));
                    return Err(scanner.error(ErrorKind::Syntax, text));
                }
                elements.push(Element { name, count, properties: Vec::new() });
            }
            b"property" => {
                let first = scalar_or_list(scanner)?;
                let (list, item) = match first {
                    Some(item) => (None, item),
                    None => (Some(scalar(scanner)?), scalar(scanner)?),
                };
                let name = name(scanner, "the name of a property")?;
                let Some(element) = elements.last_mut() else {
                    return Err(scanner.error(ErrorKind::Syntax, "a property before any element"));
                };
                element.properties.push(Property { name, list, item });
            }
            b"end_header" => break,
            _ => {
                let accepted = "format, comment, obj_info, element, property or end_header";
                return Err(scanner.unexpected("a header line", accepted));
            }
        }
    }
    match encoding {
        Some(encoding) => Ok((encoding, elements)),
        None => Err(scanner.error(ErrorKind::Syntax, "the header has no 'format' line")),
    }
}

fn name(scanner: &mut Scanner<'_>, what: &str) -> Result<String, MeshError> {
    match scanner.field() {
        Some(name) => Ok(String::from_utf8_lossy(name).into_owned()),
        None => Err(scanner.missing(what)),
    }
}

fn scalar(scanner: &mut Scanner<'_>) -> Result<Scalar, MeshError> {
    match scalar_or_list(scanner)? {
        Some(scalar) => Ok(scalar),
        None => Err(scanner.unexpected("a property of a list", "the type of a number")),
    }
}

/// The type, or `None` for `list`.
fn scalar_or_list(scanner: &mut Scanner<'_>) -> Result<Option<Scalar>, MeshError> {
    match scanner.field() {
        Some(b"list") => Ok(None),
        Some(word) => Scalar::of(word).map(Some).ok_or_else(|| {
            let accepted = "char, uchar, short, ushort, int, uint, float, double or list";
            scanner.unexpected("the type of a property", accepted)
        }),
        None => Err(scanner.missing("the type of a property")),
    }
}
