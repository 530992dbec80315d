//! The vDSO: the time functions that the kernel maps into every process, and their addresses.
//!
//! The image is an ELF shared object at AT_SYSINFO_EHDR (vdso(7)). It comes from the kernel, but it
//! is parsed as untrusted input, because an emulator or a debugger may have made it.
//! Its exported functions are found through its dynamic segment only (System V ABI, "Program
//! Loading and Dynamic Linking"; GNU symbol versioning, LSB core). Every offset is checked against
//! the size of the image; a malformed image has fewer symbols, or none. Both classes (32 and 64
//! bits) are read, in the byte order of this machine.

use std::sync::OnceLock;

use chronoscope_model::Environment;
use chronoscope_model::environment::Vdso;

use super::os;
use super::root::Root;

/// Parts of the names of functions that return the time or the CPU (vdso(7)).
const TIME: &[&str] = &["time", "clock", "getcpu"];

/// Fills in whether a vDSO exists, and its time functions.
pub fn fill(root: &Root, env: &mut Environment) {
    let Some(present) = root.process().vdso else {
        return;
    };
    let symbols = image().filter(|_| root.is_host()).map(time_functions).unwrap_or_default();
    if present && root.is_host() && symbols.is_empty() {
        env.not_known("vdso", "it is mapped, but its symbols cannot be read");
    }
    env.vdso = Some(Vdso { present, symbols });
}

/// The names of the functions that return the time. x86 exports each also under its C name, as a
/// weak alias of the one that begins with `__vdso_`; one name per function is enough.
fn time_functions(image: Image) -> Vec<String> {
    let mut symbols = image.symbols();
    symbols.retain(|symbol| TIME.iter().any(|part| symbol.name.contains(part)));
    symbols.sort_by(|a, b| (a.offset, &a.name).cmp(&(b.offset, &b.name)));
    symbols.dedup_by_key(|symbol| symbol.offset);
    let mut names: Vec<String> = symbols.into_iter().map(|symbol| symbol.name).collect();
    names.sort();
    names
}

/// The kernel's name for the function that reads a clock: vdso(7).
pub const CLOCK_GETTIME: &str =
    if cfg!(target_arch = "aarch64") { "__kernel_clock_gettime" } else { "__vdso_clock_gettime" };

/// The address of an exported function of the vDSO, such as `__vdso_clock_gettime` on x86 or
/// `__kernel_clock_gettime` on AArch64; `None` if there is no vDSO or no such function.
///
/// It has the C calling convention and the signature of the function that it replaces (vdso(7)). It
/// is valid for as long as the process lives.
pub fn symbol(name: &str) -> Option<*const ()> {
    let image = image()?;
    let symbol = image.symbols().into_iter().find(|symbol| symbol.name == name)?;
    let bytes = image.bytes();
    let offset = usize::try_from(symbol.offset).ok().filter(|offset| *offset < bytes.len())?;
    Some(bytes[offset..].as_ptr().cast())
}

/// This process's vDSO, which is looked up once.
fn image() -> Option<Image<'static>> {
    static MAPPED: OnceLock<Option<&'static [u8]>> = OnceLock::new();
    Image::parse((*MAPPED.get_or_init(mapped))?)
}

/// The bytes of the mapping, as far as its load segment reaches.
fn mapped() -> Option<&'static [u8]> {
    // The smallest page size of any Linux, and so the smallest size of a mapping.
    const PAGE: usize = 4096;
    let base = os::vdso_base()?;
    // SAFETY: the kernel maps at least one page at AT_SYSINFO_EHDR, readable and never changed,
    // for as long as the process lives.
    let first = unsafe { std::slice::from_raw_parts(base, PAGE) };
    let length = Image::loaded_length(first)?;
    // SAFETY: the load segment of an ELF object is mapped as a whole; the kernel's own loader of
    // the vDSO maps every page of the image (arch/x86/entry/vdso/vma.c), and Image::loaded_length
    // rejects an image that is not plain from its first byte on, or has an absurd size.
    Some(unsafe { std::slice::from_raw_parts(base, length) })
}

/// Larger than any vDSO: the kernel's have 4 to 64 KiB.
const LARGEST: u64 = 1 << 20;
/// More symbols than any vDSO exports.
const SYMBOLS: usize = 4096;
/// More segments than any object has.
const SEGMENTS: u64 = 64;

const PT_LOAD: u64 = 1;
const PT_DYNAMIC: u64 = 2;
const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_STRSZ: u64 = 10;
const DT_GNU_HASH: u64 = 0x6fff_fef5;
const DT_VERSYM: u64 = 0x6fff_fff0;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// The function's offset from the first byte of the image.
    pub offset: u64,
}

/// A shared object in memory, or in its file.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    bytes: &'a [u8],
    wide: bool,
    /// Whether it is a file, whose segments need not lie as they do in memory.
    file: bool,
    /// The address for which the image's first byte was linked.
    linked: u64,
    dynamic: (u64, u64),
}

/// The tables that the dynamic segment points to, as offsets; zero if there is none.
#[derive(Default)]
struct Tables {
    strings: u64,
    strings_size: u64,
    symbols: u64,
    hash: u64,
    gnu_hash: u64,
    versions: u64,
}

impl<'a> Image<'a> {
    /// Reads the headers; `None` if this is not an ELF image in this machine's byte order with a
    /// load segment and a dynamic segment.
    pub fn parse(bytes: &'a [u8]) -> Option<Image<'a>> {
        let order = if cfg!(target_endian = "little") { 1 } else { 2 };
        if bytes.get(..4)? != b"\x7fELF" || *bytes.get(5)? != order {
            return None;
        }
        let wide = match bytes.get(4)? {
            1 => false,
            2 => true,
            _ => return None,
        };
        let mut image = Image { bytes, wide, file: false, linked: 0, dynamic: (0, 0) };
        let load = image.segments().find(|segment| segment.kind == PT_LOAD)?;
        // A vDSO is one plain image: offset n in the file is offset n in memory.
        if load.offset != 0 {
            return None;
        }
        image.linked = load.address;
        let dynamic = image.segments().find(|segment| segment.kind == PT_DYNAMIC)?;
        image.dynamic = (dynamic.address.checked_sub(image.linked)?, dynamic.size);
        Some(image)
    }

    /// The same of a shared object's file.
    pub fn of_file(bytes: &'a [u8]) -> Option<Image<'a>> {
        let image = Image { file: true, ..Image::parse(bytes)? };
        let dynamic = image.segments().find(|segment| segment.kind == PT_DYNAMIC)?;
        Some(Image { dynamic: (dynamic.offset, dynamic.size), ..image })
    }

    /// Where the byte is that has this address in memory.
    fn place(&self, address: u64) -> Option<u64> {
        if !self.file {
            return address.checked_sub(self.linked);
        }
        self.segments().filter(|segment| segment.kind == PT_LOAD).find_map(|segment| {
            let within = address.checked_sub(segment.address)?;
            (within < segment.size).then(|| segment.offset.checked_add(within))?
        })
    }

    /// The number of bytes that the load segment of an image covers, according to its first page.
    pub fn loaded_length(first: &[u8]) -> Option<usize> {
        let image = Image::parse(first)?;
        let load = image.segments().find(|segment| segment.kind == PT_LOAD)?;
        (load.size <= LARGEST && load.size > 0).then(|| usize::try_from(load.size).ok())?
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The exported functions, in the order of the image's table.
    pub fn symbols(&self) -> Vec<Symbol> {
        let Some(tables) = self.tables() else {
            return Vec::new();
        };
        let count = self.symbol_count(&tables).unwrap_or(0).min(SYMBOLS);
        (0..count as u64).filter_map(|index| self.symbol(&tables, index)).collect()
    }

    fn segments(&self) -> impl Iterator<Item = Segment> + use<'a> {
        let image = *self;
        let (table, size, count) = if self.wide {
            (self.u64(32), self.u16(54), self.u16(56))
        } else {
            (self.u32(28), self.u16(42), self.u16(44))
        };
        let (table, size) = (table.unwrap_or(0), size.unwrap_or(0));
        (0..count.unwrap_or(0).min(SEGMENTS)).map_while(move |index| {
            let at = table.checked_add(index.checked_mul(size)?)?;
            let [offset, address, size] = if image.wide { [8, 16, 32] } else { [4, 8, 16] };
            Some(Segment {
                kind: image.u32(at)?,
                offset: image.word(at.checked_add(offset)?)?,
                address: image.word(at.checked_add(address)?)?,
                size: image.word(at.checked_add(size)?)?,
            })
        })
    }

    fn tables(&self) -> Option<Tables> {
        let mut tables = Tables::default();
        let step = if self.wide { 16 } else { 8 };
        for index in 0..(self.dynamic.1 / step).min(256) {
            let at = self.dynamic.0.checked_add(index * step)?;
            let (tag, value) = (self.word(at)?, self.word(at.checked_add(step / 2)?)?);
            // The kernel does not relocate it, so the addresses are those for which it was linked.
            let offset = self.place(value).unwrap_or_default();
            match tag {
                0 => break,
                DT_STRTAB => tables.strings = offset,
                DT_STRSZ => tables.strings_size = value,
                DT_SYMTAB => tables.symbols = offset,
                DT_HASH => tables.hash = offset,
                DT_GNU_HASH => tables.gnu_hash = offset,
                DT_VERSYM => tables.versions = offset,
                _ => {}
            }
        }
        (tables.strings != 0 && tables.symbols != 0).then_some(tables)
    }

    /// The number of symbols: the old hash table contains it; with the GNU one, it is found by
    /// following the last chain.
    fn symbol_count(&self, tables: &Tables) -> Option<usize> {
        if tables.hash != 0 {
            return usize::try_from(self.u32(tables.hash.checked_add(4)?)?).ok();
        }
        if tables.gnu_hash == 0 {
            return None;
        }
        let header = tables.gnu_hash;
        let (buckets, first) = (self.u32(header)?, self.u32(header.checked_add(4)?)?);
        let blooms = self.u32(header.checked_add(8)?)?;
        let bucket_table =
            header.checked_add(16)?.checked_add(blooms * if self.wide { 8 } else { 4 })?;
        let chains = bucket_table.checked_add(buckets * 4)?;
        let mut last = 0;
        for bucket in 0..buckets.min(SYMBOLS as u64) {
            last = last.max(self.u32(bucket_table + bucket * 4)?);
        }
        if last < first {
            return usize::try_from(first).ok();
        }
        for index in last..last.saturating_add(SYMBOLS as u64) {
            // The lowest bit marks the end of a chain.
            if self.u32(chains.checked_add((index - first) * 4)?)? & 1 == 1 {
                return usize::try_from(index + 1).ok();
            }
        }
        None
    }

    fn symbol(&self, tables: &Tables, index: u64) -> Option<Symbol> {
        let size = if self.wide { 24 } else { 16 };
        let at = tables.symbols.checked_add(index * size)?;
        let (name, info, section, value) = if self.wide {
            (self.u32(at)?, self.u8(at + 4)?, self.u16(at + 6)?, self.u64(at + 8)?)
        } else {
            (self.u32(at)?, self.u8(at + 12)?, self.u16(at + 14)?, self.u32(at + 4)?)
        };
        // Take symbols that are defined, global or weak, and functions or without a type.
        if section == 0 || !matches!(info >> 4, 1 | 2) || !matches!(info & 0xf, 0 | 2) {
            return None;
        }
        let offset = self.place(value)?;
        if offset == 0 || offset >= self.bytes.len() as u64 {
            return None;
        }
        let name = self.string(tables, name)?;
        if name.is_empty() {
            return None;
        }
        if tables.versions != 0 {
            let entry = self.u16(tables.versions.checked_add(index * 2)?)?;
            // Zero is local; the highest bit marks a version that is hidden because it is not the
            // default.
            if entry == 0 || entry & 0x8000 != 0 {
                return None;
            }
        }
        Some(Symbol { name, offset })
    }

    fn string(&self, tables: &Tables, offset: u64) -> Option<String> {
        if offset >= tables.strings_size {
            return None;
        }
        let begin = usize::try_from(tables.strings.checked_add(offset)?).ok()?;
        let rest = self.bytes.get(begin..)?;
        let longest = usize::try_from(tables.strings_size - offset).ok()?.min(256).min(rest.len());
        let end = rest[..longest].iter().position(|byte| *byte == 0)?;
        let name = std::str::from_utf8(&rest[..end]).ok()?;
        name.bytes().all(|byte| byte.is_ascii_graphic()).then(|| name.to_owned())
    }

    fn word(&self, at: u64) -> Option<u64> {
        if self.wide { self.u64(at) } else { self.u32(at) }
    }

    fn u8(&self, at: u64) -> Option<u64> {
        Some(self.array::<1>(at)?[0].into())
    }

    fn u16(&self, at: u64) -> Option<u64> {
        Some(u16::from_ne_bytes(self.array(at)?).into())
    }

    fn u32(&self, at: u64) -> Option<u64> {
        Some(u32::from_ne_bytes(self.array(at)?).into())
    }

    fn u64(&self, at: u64) -> Option<u64> {
        Some(u64::from_ne_bytes(self.array(at)?))
    }

    fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let at = usize::try_from(at).ok()?;
        self.bytes.get(at..at.checked_add(N)?)?.try_into().ok()
    }
}

/// The parts of a program header that matter here.
struct Segment {
    kind: u64,
    offset: u64,
    address: u64,
    size: u64,
}

#[cfg(test)]
#[path = "vdso_tests.rs"]
mod image_tests;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_clock_function_is_found_and_returns_the_time() {
        let Some(_) = os::vdso_base() else { return };
        let names = ["__vdso_clock_gettime", "__kernel_clock_gettime"];
        let Some(found) = names.iter().find_map(|name| symbol(name)) else {
            return;
        };
        type Gettime = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> libc::c_int;
        // SAFETY: vdso(7) gives both names the signature of clock_gettime.
        let gettime = unsafe { std::mem::transmute::<*const (), Gettime>(found) };
        let (mut ours, mut theirs) =
            (libc::timespec { tv_sec: 0, tv_nsec: 0 }, libc::timespec { tv_sec: 0, tv_nsec: 0 });
        // SAFETY: each writes one timespec to the local variable whose address it is given.
        let done = unsafe {
            (
                gettime(libc::CLOCK_MONOTONIC, &raw mut ours),
                libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut theirs),
            )
        };
        assert_eq!(done, (0, 0));
        assert!((ours.tv_sec, ours.tv_nsec) <= (theirs.tv_sec, theirs.tv_nsec));
    }

    #[test]
    fn an_unknown_name_is_not_found() {
        assert!(symbol("__vdso_no_such_function").is_none());
        assert!(symbol("").is_none());
    }
}
