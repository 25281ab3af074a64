//! Vega's `.interp` embedding weights.
