//! Files that the tool holds compressed: as they are, they would be a twentieth of it.

pub use chronoscope_model_macros::packed;
use flate2::read::ZlibDecoder;
use std::io::Read;

/// The bytes of a file that [`packed!`] compressed.
pub fn bytes(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut bytes).expect("our own file");
    bytes
}

/// The text of such a file.
pub fn text(packed: &[u8]) -> String {
    String::from_utf8(bytes(packed)).expect("our own text")
}
