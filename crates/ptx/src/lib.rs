//! PTX text becomes a checked module.
