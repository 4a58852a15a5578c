//! Ink: templates, Markdown, the gate before writing, atomic files.
