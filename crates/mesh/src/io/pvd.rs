//! ParaView `.pvd` series.
