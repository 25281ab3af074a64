//! MEDIT `.mesh`.
