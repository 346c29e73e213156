//! Tests core from outside: the laws find every fault they claim to find, and the oracle values by the definition.

mod laws;
mod oracle;
mod sections;
mod text;
mod toy;
