//! obstacles
