//! Colours on a terminal: only there, and not if `NO_COLOR` is set.

use std::io::IsTerminal as _;

/// What a piece of text is.
#[derive(Clone, Copy)]
pub(crate) enum Style {
    Error,
    Warning,
    Hint,
    Location,
}

/// The text, coloured if standard error is a terminal that wants it.
pub(crate) fn paint(style: Style, text: &str) -> String {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    if !(wanted && std::io::stderr().is_terminal()) {
        return text.to_owned();
    }
    let code = match style {
        Style::Error => "1;31",
        Style::Warning => "1;33",
        Style::Hint => "1;32",
        Style::Location => "1;34",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}
