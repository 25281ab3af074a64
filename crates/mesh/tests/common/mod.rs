//! What several integration tests share.

use std::path::{Path, PathBuf};

/// The folder with Vega's example data, where there is one: in a folder `shared` beside this
/// repository or further up.
pub fn vega_data() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|folder| folder.join("shared/data/vega")).find(|folder| folder.is_dir())
}
