//! The vDSO: the time functions that the kernel maps into every process, and their addresses.
//!
//! The image is an ELF shared object at AT_SYSINFO_EHDR (vdso(7)). It comes from the kernel, but it
//! is parsed as untrusted input, because an emulator or a debugger may have made it.
//! Its exported functions are found through its dynamic segment only (System V ABI, "Program
//! Loading and Dynamic Linking"; GNU symbol versioning, LSB core), because a kernel may leave the
//! sections out. A malformed image has fewer symbols, or none. Both classes (32 and 64 bits) are
//! read, in the byte order of this machine.

use std::sync::OnceLock;

use chronoscope_model::Environment;
use chronoscope_model::environment::Vdso;
use object::NativeEndian;
use object::elf::{
    DT_GNU_HASH, DT_HASH, DT_NULL, DT_STRSZ, DT_STRTAB, DT_SYMTAB, DT_VERSYM, DynamicTag,
    FileHeader32, FileHeader64, PT_LOAD, STB_GLOBAL, STB_WEAK, STT_FUNC, STT_NOTYPE, Versym,
};
use object::pod::slice_from_bytes;
use object::read::StringTable;
use object::read::elf::{Dyn, FileHeader, GnuHashTable, HashTable, ProgramHeader, Sym};

use super::os;
use super::root::Root;

/// Parts of the names of functions that return the time or the CPU (vdso(7)).
const TIME: &[&str] = &["time", "clock", "getcpu"];

/// Fills in whether a vDSO exists, and its time functions.
pub fn fill(root: &Root, env: &mut Environment) {
    let Some(present) = root.process().vdso else {
        return;
    };
    let image = mapped().filter(|_| root.is_host());
    let symbols = image.map(|(_, image)| time_functions(&image.symbols)).unwrap_or_default();
    if present && root.is_host() && symbols.is_empty() {
        env.not_known("vdso", "it is mapped, but its symbols cannot be read");
    }
    env.vdso = Some(Vdso { present, symbols });
}

/// The names of the functions that return the time. x86 exports each also under its C name, as a
/// weak alias of the one that begins with `__vdso_`; one name per function is enough.
fn time_functions(symbols: &[Symbol]) -> Vec<String> {
    let of_time = |symbol: &&Symbol| TIME.iter().any(|part| symbol.name.contains(part));
    let mut symbols: Vec<&Symbol> = symbols.iter().filter(of_time).collect();
    symbols.sort_by_key(|symbol| (symbol.offset, &symbol.name));
    symbols.dedup_by_key(|symbol| symbol.offset);
    let mut names: Vec<String> = symbols.into_iter().map(|symbol| symbol.name.clone()).collect();
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
    let (bytes, image) = mapped()?;
    let symbol = image.symbols.iter().find(|symbol| symbol.name == name)?;
    Some(bytes.get(usize::try_from(symbol.offset).ok()?..)?.as_ptr().cast())
}

/// The bytes of this process's vDSO, as far as its load segment reaches, and what is in them. It is
/// looked up once.
fn mapped() -> Option<&'static (&'static [u8], Image)> {
    // The smallest page size of any Linux, and so the smallest size of a mapping.
    const PAGE: usize = 4096;
    static MAPPED: OnceLock<Option<(&[u8], Image)>> = OnceLock::new();
    let find = || {
        let base = os::vdso_base()?;
        // SAFETY: the kernel maps at least one page at AT_SYSINFO_EHDR, readable and never changed,
        // for as long as the process lives.
        let first = unsafe { std::slice::from_raw_parts(base, PAGE) };
        let length = Image::parse(first)?.loaded_length()?;
        // SAFETY: the load segment of an ELF object is mapped as a whole; the kernel's own loader
        // of the vDSO maps every page of the image (arch/x86/entry/vdso/vma.c), Image::parse
        // rejects an image that is not plain from its first byte on, and Image::loaded_length one
        // of an absurd size.
        let bytes = unsafe { std::slice::from_raw_parts(base, length) };
        Some((bytes, Image::parse(bytes)?))
    };
    MAPPED.get_or_init(find).as_ref()
}

/// Larger than any vDSO: the kernel's have 4 to 64 KiB.
const LARGEST: u64 = 1 << 20;
/// More symbols than any vDSO exports.
const SYMBOLS: usize = 4096;
/// No name of a function that matters here is longer.
const LONGEST: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// The function's offset from the first byte of the image.
    pub offset: u64,
}

/// A shared object, in memory or in its file.
#[derive(Debug)]
pub struct Image {
    /// The number of bytes that its first load segment covers.
    loaded: u64,
    /// The exported functions, in the order of the image's table; empty if the bytes end before the
    /// tables do.
    pub symbols: Vec<Symbol>,
}

impl Image {
    /// `None` if this is not an ELF image in this machine's byte order with a load segment at its
    /// beginning.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        match bytes.get(4)? {
            1 => Self::of_class::<FileHeader32<NativeEndian>>(bytes),
            2 => Self::of_class::<FileHeader64<NativeEndian>>(bytes),
            _ => None,
        }
    }

    /// The number of bytes that the load segment covers, if a vDSO can have so many.
    fn loaded_length(&self) -> Option<usize> {
        usize::try_from(self.loaded).ok().filter(|_| (1..=LARGEST).contains(&self.loaded))
    }

    fn of_class<Header: FileHeader<Endian = NativeEndian>>(bytes: &[u8]) -> Option<Self> {
        let header = Header::parse(bytes).ok()?;
        let order = header.endian().ok()?;
        let segments = header.program_headers(order, bytes).ok()?;
        let load = segments.iter().find(|segment| segment.p_type(order) == PT_LOAD)?;
        // A vDSO is one plain image: offset n in the file is offset n in memory.
        if load.p_offset(order).into() != 0 {
            return None;
        }
        let symbols = symbols::<Header>(segments, order, bytes).unwrap_or_default();
        Some(Self { loaded: load.p_filesz(order).into(), symbols })
    }
}

/// The functions that an object exports.
fn symbols<Header: FileHeader<Endian = NativeEndian>>(
    segments: &[Header::ProgramHeader],
    order: NativeEndian,
    bytes: &[u8],
) -> Option<Vec<Symbol>> {
    // The kernel does not relocate a vDSO, so addresses are those for which it was linked.
    let place = |address: u64| {
        let loads = segments.iter().filter(|segment| segment.p_type(order) == PT_LOAD);
        loads.into_iter().find_map(|segment| {
            let within = address.checked_sub(segment.p_vaddr(order).into())?;
            let (offset, size) = segment.file_range(order);
            (within < size).then(|| offset.checked_add(within))?
        })
    };
    let dynamic = segments.iter().find_map(|segment| segment.dynamic(order, bytes).ok()?)?;
    let value = |tag: DynamicTag| {
        let entries = dynamic.iter().take_while(|entry| entry.tag(order) != DT_NULL);
        entries.into_iter().find(|entry| entry.tag(order) == tag).map(|entry| entry.val(order))
    };
    let table = |tag| bytes.get(usize::try_from(place(value(tag)?)?).ok()?..);
    let count = match table(DT_HASH) {
        Some(hash) => HashTable::<Header>::parse(order, hash).ok()?.symbol_table_length(),
        None => GnuHashTable::<Header>::parse(order, table(DT_GNU_HASH)?)
            .ok()?
            .symbol_table_length(order)?,
    };
    let count = (count as usize).min(SYMBOLS);
    let strings = StringTable::new(table(DT_STRTAB)?, 0, value(DT_STRSZ)?);
    let (symbols, _) = slice_from_bytes::<Header::Sym>(table(DT_SYMTAB)?, count).ok()?;
    let versions = match table(DT_VERSYM) {
        Some(table) => Some(slice_from_bytes::<Versym<NativeEndian>>(table, count).ok()?.0),
        None => None,
    };
    let found = symbols.iter().enumerate().filter_map(|(index, symbol)| {
        // Versions that are local, or hidden because they are not the default, do not count.
        let version = versions.map(|versions| versions[index].0.get(order));
        let exported = matches!(symbol.st_bind(), STB_GLOBAL | STB_WEAK)
            && matches!(symbol.st_type(), STT_FUNC | STT_NOTYPE)
            && !symbol.is_undefined(order)
            && version.is_none_or(|version| version.0 != 0 && !version.is_hidden());
        let offset = place(symbol.st_value(order).into())?;
        let within = offset > 0 && offset < bytes.len() as u64;
        let name = std::str::from_utf8(symbol.name(order, strings).ok()?).ok()?;
        let sound =
            (1..LONGEST).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic());
        (exported && within && sound).then(|| Symbol { name: name.to_owned(), offset })
    });
    Some(found.collect())
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
