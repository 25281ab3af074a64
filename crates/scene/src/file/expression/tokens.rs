//! An expression as numbers, words and signs.

use pliant_units::{Dimension, UnitError, measure};

use super::ExpressionError;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Number(f64, Option<Dimension>),
    Word,
    Sign,
    End,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl Token<'_> {
    pub(super) fn error(&self, message: String) -> ExpressionError {
        ExpressionError { at: self.at, width: self.text.len().max(1), message }
    }
}

const SIGNS: [&str; 18] = [
    "&&", "||", "<=", ">=", "==", "!=", "<", ">", "!", "+", "-", "*", "/", "^", "(", ")", ",", "=",
];

/// The numbers, words and signs of a text, and its end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ExpressionError> {
    let mut list = Vec::new();
    let mut at = 0;
    let wordy = |c: char| c.is_alphabetic() || c == '_' || c == '°' || c == '%';
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if first.is_ascii_digit() || first == '.' {
            let length = quantity_length(rest, &wordy);
            let (value, dimension) = measure(&rest[..length]).map_err(|e| {
                let message = match e {
                    UnitError::NoNumber { text, .. } => format!("'{text}' is no number"),
                    other => other.to_string(),
                };
                ExpressionError { at, width: length, message }
            })?;
            (Kind::Number(value, dimension), length)
        } else if wordy(first) {
            let end = rest.find(|c: char| !wordy(c) && !c.is_ascii_digit());
            (Kind::Word, end.unwrap_or(rest.len()))
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Kind::Sign, sign.len())
        } else {
            let message = format!("'{first}' has no meaning in an expression");
            return Err(ExpressionError { at, width: first.len_utf8(), message });
        };
        list.push(Token { kind, text: &rest[..length], at });
        at += length;
    }
    list.push(Token { kind: Kind::End, text: "", at });
    Ok(list)
}

/// The bytes of a number with the one unit that may follow it: `2`, `2.5e-3 m`, `4 cm^2`.
fn quantity_length(text: &str, wordy: &dyn Fn(char) -> bool) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let count = bytes.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
        from + count
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if digits(sign) > sign {
            end = digits(sign);
        }
    }
    let after = &text[end..];
    let unit = after.trim_start();
    let length = unit.find(|c: char| !wordy(c)).unwrap_or(unit.len());
    if length == 0 {
        return end;
    }
    let mut end = end + (after.len() - unit.len()) + length;
    if text[end..].starts_with(['²', '³']) {
        end += '²'.len_utf8();
    } else if bytes.get(end) == Some(&b'^') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    while let Some(more) = divided(&text[end..], wordy) {
        end += more;
    }
    end
}

/// The bytes of a unit that a unit is divided by without a space, as of `/s` in `2 m/s`; none where it is something
/// else, as in `2 m/x`.
fn divided(text: &str, wordy: &dyn Fn(char) -> bool) -> Option<usize> {
    let unit = text.strip_prefix('/')?;
    let length = unit.find(|c: char| !wordy(c)).unwrap_or(unit.len());
    // Time, where it is meant: the tonne is a rare unit to divide by.
    let (word, after) = unit.split_at(length);
    let is_unit = !word.is_empty() && word != "t" && !after.trim_start().starts_with('(');
    if !is_unit || measure(&format!("1 {word}")).is_err() {
        return None;
    }
    let mut end = 1 + length;
    if text[end..].starts_with(['²', '³']) {
        end += '²'.len_utf8();
    } else if let Some(power) = text[end..].strip_prefix('^') {
        let digits = power.bytes().take_while(u8::is_ascii_digit).count();
        end += if digits > 0 { 1 + digits } else { 0 };
    }
    Some(end)
}
