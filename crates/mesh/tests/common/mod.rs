//! What several test files share.

use std::path::{Path, PathBuf};

/// The folder of Vega's models, if it is somewhere above: `shared/data/vega`.
pub(crate) fn vega_data() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/data/vega"))
        .find(|folder| folder.is_dir())
}
