//! Tables of facts and words, embedded as TOML.
