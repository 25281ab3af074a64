//! Vega's `.bou` vertex lists.
