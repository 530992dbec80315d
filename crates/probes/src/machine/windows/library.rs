//! What ntdll and the kernel tell of themselves: version, Wine, an emulated processor, the timer
//! resolution, and how the performance counter is read.

use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};
use windows_sys::Win32::System::SystemInformation::{
    IMAGE_FILE_MACHINE_AMD64, IMAGE_FILE_MACHINE_ARM64, OSVERSIONINFOW,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, IsWow64Process2};
use windows_sys::Win32::System::WindowsProgramming::QueryUnbiasedInterruptTime;
use windows_sys::w;

/// A function found by its name, whose real type its documentation tells.
type Function = unsafe extern "system" fn() -> isize;

fn ntdll(name: &CStr) -> Option<Function> {
    // SAFETY: both names end in NUL; ntdll is part of every process and is never unloaded.
    unsafe { GetProcAddress(GetModuleHandleW(w!("ntdll.dll")), name.as_ptr().cast()) }
}

fn kernelbase(name: &CStr) -> Option<Function> {
    // SAFETY: as for ntdll: kernel32, which every process has, is made of it.
    unsafe { GetProcAddress(GetModuleHandleW(w!("kernelbase.dll")), name.as_ptr().cast()) }
}

/// `10.0.19045`. Asked of ntdll, which does not make itself older for programs without a manifest
/// (Microsoft Learn, RtlGetVersion).
pub fn version() -> Option<String> {
    let mut version = OSVERSIONINFOW {
        dwOSVersionInfoSize: size_of::<OSVERSIONINFOW>() as u32,
        ..OSVERSIONINFOW::default()
    };
    // SAFETY: `version` is a valid place of the size that it names.
    let status = unsafe { RtlGetVersion(&raw mut version) };
    (status >= 0).then(|| {
        format!(
            "{}.{}.{}",
            version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber
        )
    })
}

/// `8.0 on Linux 6.1.0`, where ntdll is Wine's (winehq.org, Developer FAQ: `wine_get_version`).
pub fn wine() -> Option<String> {
    let version = ntdll(c"wine_get_version")?;
    // SAFETY: Wine documents `const char *wine_get_version(void)`.
    let version: unsafe extern "C" fn() -> *const c_char = unsafe { std::mem::transmute(version) };
    // SAFETY: it returns text that Wine keeps.
    let mut text = unsafe { text(version()) }?;
    if let Some(host) = ntdll(c"wine_get_host_version") {
        // SAFETY: Wine, dlls/ntdll/ntdll_misc.h: `void wine_get_host_version(const char **sysname,
        // const char **release)`.
        let host: unsafe extern "C" fn(*mut *const c_char, *mut *const c_char) =
            unsafe { std::mem::transmute(host) };
        let (mut system, mut release) = (std::ptr::null(), std::ptr::null());
        // SAFETY: both are locals; what is stored is text that Wine keeps.
        let host = unsafe {
            host(&raw mut system, &raw mut release);
            self::text(system).zip(self::text(release))
        };
        if let Some((system, release)) = host {
            text = format!("{text} on {system} {release}");
        }
    }
    Some(text)
}

/// # Safety
/// `text` is null or leads to a string that ends in NUL and stays.
unsafe fn text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for it.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    Some(text.chars().filter(|c| !c.is_control()).take(80).collect())
}

/// Windows on Arm runs programs for x86-64 by translation (Microsoft Learn, IsWow64Process2).
pub fn emulator() -> Option<String> {
    let (mut process, mut native) = (0, 0);
    // SAFETY: both are locals, valid for the one number that is stored in each.
    let done = unsafe { IsWow64Process2(GetCurrentProcess(), &raw mut process, &raw mut native) };
    let own = match std::env::consts::ARCH {
        "x86_64" => IMAGE_FILE_MACHINE_AMD64,
        "aarch64" => IMAGE_FILE_MACHINE_ARM64,
        _ => return None,
    };
    (done != 0 && native != 0 && native != own).then(|| {
        format!(
            "Windows translates: IsWow64Process2 tells machine {native:#x}, this program is for {}",
            std::env::consts::ARCH
        )
    })
}

/// The period of the clock interrupt, in units of 100 ns.
pub struct Resolution {
    pub coarsest: u32,
    pub finest: u32,
    pub current: u32,
}

/// NtQueryTimerResolution, which Microsoft does not document and has not changed since Windows NT;
/// its three results are those that powercfg and clockres show.
pub fn timer_resolution() -> Option<Resolution> {
    let query = ntdll(c"NtQueryTimerResolution")?;
    // SAFETY: the signature of ntdll's export: three pointers to ULONG, NTSTATUS back.
    let query: unsafe extern "system" fn(*mut u32, *mut u32, *mut u32) -> i32 =
        unsafe { std::mem::transmute(query) };
    let (mut coarsest, mut finest, mut current) = (0, 0, 0);
    // SAFETY: all three are locals.
    let status = unsafe { query(&raw mut coarsest, &raw mut finest, &raw mut current) };
    (status >= 0 && current != 0).then_some(Resolution {
        coarsest,
        finest,
        current,
    })
}

/// Interrupt time with the time that the machine slept and without it, in units of 100 ns
/// (Microsoft Learn, QueryInterruptTime, which Windows has since 10, and
/// QueryUnbiasedInterruptTime).
pub fn interrupt_times() -> Option<(u64, u64)> {
    static BIASED: OnceLock<Option<Function>> = OnceLock::new();
    let biased = (*BIASED.get_or_init(|| kernelbase(c"QueryInterruptTime")))?;
    // SAFETY: documented as `void QueryInterruptTime(PULONGLONG)`.
    let biased: unsafe extern "system" fn(*mut u64) = unsafe { std::mem::transmute(biased) };
    let (mut with, mut without) = (0, 0);
    // SAFETY: both are locals.
    let done = unsafe {
        biased(&raw mut with);
        QueryUnbiasedInterruptTime(&raw mut without)
    };
    (done != 0).then_some((with, without))
}

/// The units of 100 ns that a FILETIME counts.
pub fn units(time: FILETIME) -> u64 {
    u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)
}

/// How user code reads the performance counter: the flags, and the shift that turned ticks of the
/// processor's counter into its own before Windows 10 (Windows Driver Kit, ntddk.h,
/// KUSER_SHARED_DATA, `QpcBypassEnabled` and `QpcShift`).
pub fn qpc_data() -> (u8, u8) {
    const SHARED_DATA: usize = 0x7ffe_0000;
    const QPC_BYPASS_ENABLED: usize = 0x3c6;
    let page = std::ptr::with_exposed_provenance::<u8>(SHARED_DATA);
    // SAFETY: every process of Windows has this page at this address, readable; ntddk.h asserts
    // the offset.
    unsafe {
        (
            page.add(QPC_BYPASS_ENABLED).read_volatile(),
            page.add(QPC_BYPASS_ENABLED + 1).read_volatile(),
        )
    }
}
