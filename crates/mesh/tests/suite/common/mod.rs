//! What several tests share.

// Each test is a crate of its own and takes what it needs.
#![allow(unreachable_pub, dead_code)]

pub mod torture;

use std::path::{Path, PathBuf};

/// Vega's example data, if a folder `shared/data/vega` stands beside one of the folders above.
pub fn vega_data() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/data/vega"))
        .find(|data| data.is_dir())
}
