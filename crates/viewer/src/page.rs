//! The page: embedded in the program, so that it needs no network and no folder.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asset {
    pub(crate) kind: &'static str,
    pub(crate) bytes: &'static [u8],
}

/// By the path after the token.
pub(crate) fn asset(path: &str) -> Option<Asset> {
    let (kind, bytes): (_, &'static [u8]) = match path {
        "" => ("text/html; charset=utf-8", include_bytes!("../web/index.html")),
        "page.js" => ("text/javascript; charset=utf-8", include_bytes!("../web/dist/page.js")),
        "page.css" => ("text/css; charset=utf-8", include_bytes!("../web/dist/page.css")),
        _ => return None,
    };
    Some(Asset { kind, bytes })
}

/// Nothing is loaded from elsewhere, nothing else may show this page in a frame, and its address goes nowhere.
pub(crate) const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];
