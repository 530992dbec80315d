//! The parser on an image that is built here, and on images that are corrupted at random.

use super::*;
use proptest::prelude::*;

fn put(bytes: &mut Vec<u8>, at: usize, value: &[u8]) {
    if bytes.len() < at + value.len() {
        bytes.resize(at + value.len(), 0);
    }
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// A 64-bit object with two functions, `clock_old` in a hidden version and `clock_new` in the
/// default version, and with the old hash table or the GNU one.
fn object(linked: u64, gnu: bool) -> Vec<u8> {
    let mut image = Vec::new();
    let order = if cfg!(target_endian = "little") { 1 } else { 2 };
    put(&mut image, 0, &[0x7f, b'E', b'L', b'F', 2, order, 1]);
    put(&mut image, 32, &64_u64.to_ne_bytes());
    put(&mut image, 54, &56_u16.to_ne_bytes());
    put(&mut image, 56, &2_u16.to_ne_bytes());
    for (at, kind, offset, size) in [(64, 1_u32, 0_u64, 0x400_u64), (120, 2, 0x100, 0x80)] {
        put(&mut image, at, &kind.to_ne_bytes());
        put(&mut image, at + 8, &offset.to_ne_bytes());
        put(&mut image, at + 16, &(linked + offset).to_ne_bytes());
        put(&mut image, at + 32, &size.to_ne_bytes());
    }
    let hash = if gnu { DT_GNU_HASH.0 } else { DT_HASH.0 };
    let dynamic = [
        (DT_STRTAB.0, linked + 0x200),
        (DT_STRSZ.0, 0x40),
        (DT_SYMTAB.0, linked + 0x180),
        (hash, linked + 0x240),
        (DT_VERSYM.0, linked + 0x280),
        (0, 0),
    ];
    for (index, (tag, value)) in dynamic.into_iter().enumerate() {
        put(&mut image, 0x100 + index * 16, &tag.to_ne_bytes());
        put(&mut image, 0x108 + index * 16, &value.to_ne_bytes());
    }
    put(&mut image, 0x200, b"\0clock_old\0clock_new\0");
    for (index, name) in [(1, 1_u32), (2, 11)] {
        let at = 0x180 + index * 24;
        put(&mut image, at, &name.to_ne_bytes());
        put(&mut image, at + 4, &[0x12, 0]);
        put(&mut image, at + 6, &7_u16.to_ne_bytes());
        put(&mut image, at + 8, &(linked + 0x300 + index as u64 * 0x10).to_ne_bytes());
    }
    // The old table: buckets, chains. The GNU table: buckets, first symbol, bloom words, shift,
    // bloom filter (8 bytes), one bucket, and a chain entry for each symbol from the first on.
    let words: &[u32] = if gnu { &[1, 1, 1, 0, 0, 0, 1, 2, 3] } else { &[1, 3] };
    for (index, word) in words.iter().enumerate() {
        put(&mut image, 0x240 + index * 4, &word.to_ne_bytes());
    }
    for (index, version) in [0_u16, 0x8002, 3].into_iter().enumerate() {
        put(&mut image, 0x280 + index * 2, &version.to_ne_bytes());
    }
    image.resize(0x400, 0);
    image
}

#[test]
fn either_hash_table_finds_the_default_version() {
    for linked in [0, 0xffff_ffff_ff70_0000] {
        for gnu in [false, true] {
            let bytes = object(linked, gnu);
            let image = Image::parse(&bytes).expect("an image");
            assert_eq!(image.loaded_length(), Some(0x400));
            let expected = Symbol { name: "clock_new".to_owned(), offset: 0x320 };
            assert_eq!(image.symbols, [expected], "linked at {linked:#x}, GNU hash {gnu}");
        }
    }
}

#[test]
fn an_object_without_versions_shows_all_symbols() {
    let mut bytes = object(0, false);
    // DT_VERSYM becomes an unknown tag.
    put(&mut bytes, 0x140, &0x7000_0000_u64.to_ne_bytes());
    let symbols = Image::parse(&bytes).expect("an image").symbols;
    let names: Vec<&str> = symbols.iter().map(|symbol| &*symbol.name).collect();
    assert_eq!(names, ["clock_old", "clock_new"]);
}

#[test]
fn bytes_that_are_not_an_image_are_rejected() {
    let whole = object(0, true);
    assert!(Image::parse(&[]).is_none());
    assert!(Image::parse(b"\x7fELF").is_none());
    let mut other_order = whole.clone();
    other_order[5] ^= 3;
    assert!(Image::parse(&other_order).is_none());
    let mut no_class = whole.clone();
    no_class[4] = 3;
    assert!(Image::parse(&no_class).is_none());
    let mut huge = whole;
    put(&mut huge, 64 + 32, &u64::MAX.to_ne_bytes());
    assert!(Image::parse(&huge).is_none_or(|image| image.loaded_length().is_none()));
}

/// In a file, segments do not lie as they do in memory.
#[cfg(target_os = "linux")]
#[test]
fn the_c_librarys_file_has_its_functions() {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("maps");
    let mut paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    // A program that is linked statically has none.
    let Some(path) = paths.find(|path| path.contains("/libc.so") || path.contains("/libc-")) else {
        return;
    };
    let bytes = std::fs::read(path).expect("a library");
    let symbols = Image::parse(&bytes).expect("a shared object").symbols;
    for name in ["clock_gettime", "nanosleep"] {
        assert!(symbols.iter().any(|symbol| symbol.name == name), "{name} of {}", symbols.len());
    }
}

proptest! {
    #[test]
    fn no_bytes_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600), wide: bool) {
        let mut bytes = bytes;
        let head = [0x7f, b'E', b'L', b'F', 1 + u8::from(wide), 1, 1];
        if let Some(place) = bytes.get_mut(..head.len()) {
            place.copy_from_slice(&head);
        }
        let _ = Image::parse(&bytes).and_then(|image| image.loaded_length());
    }

    #[test]
    fn no_corrupted_image_causes_a_panic(
        gnu: bool,
        cut in 0_usize..=0x400,
        bends in proptest::collection::vec((0_usize..0x3f8, any::<u64>()), 0..6),
    ) {
        let mut bytes = object(0, gnu);
        for (at, value) in bends {
            put(&mut bytes, at, &value.to_ne_bytes());
        }
        bytes.truncate(cut);
        for symbol in Image::parse(&bytes).into_iter().flat_map(|image| image.symbols) {
            prop_assert!(symbol.offset < bytes.len() as u64);
        }
    }
}
