//! The vDSO: the time functions that the kernel maps into every process, and their addresses.
//!
//! The image is an ELF shared object at AT_SYSINFO_EHDR (vdso(7)). It comes from the kernel, but it
//! is parsed as untrusted input, because an emulator or a debugger may have made it.

mod elf;

use std::sync::OnceLock;

use chronoscope_model::Environment;
use chronoscope_model::environment::Vdso;

use super::os;
use super::root::Root;
use elf::Image;

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
