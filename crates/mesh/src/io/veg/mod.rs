//! Vega's `.veg`.
