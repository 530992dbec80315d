//! What documents and schemas say of the code, and where ids may be named.

mod documents;
mod ids;
mod schemas;
