//! What ntdll and the kernel report about themselves: the version, Wine, an emulated processor, the
//! timer resolution, and how the performance counter is read.

use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};
use windows_sys::Win32::System::SystemInformation::{
    IMAGE_FILE_MACHINE_AMD64, IMAGE_FILE_MACHINE_ARM64, OSVERSIONINFOW,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes, IsWow64Process2};
use windows_sys::Win32::System::WindowsProgramming::QueryUnbiasedInterruptTime;
use windows_sys::w;

/// A function found by its name; its documentation gives its actual type.
type Function = unsafe extern "system" fn() -> isize;

fn ntdll(name: &CStr) -> Option<Function> {
    // SAFETY: both names end in NUL; ntdll is part of every process and is never unloaded.
    unsafe { GetProcAddress(GetModuleHandleW(w!("ntdll.dll")), name.as_ptr().cast()) }
}

fn kernelbase(name: &CStr) -> Option<Function> {
    // SAFETY: as for ntdll: kernel32, which every process has, is built on kernelbase.
    unsafe { GetProcAddress(GetModuleHandleW(w!("kernelbase.dll")), name.as_ptr().cast()) }
}

/// The version, such as `10.0.19045`. It comes from ntdll, which does not report an older one to
/// programs without a manifest (Microsoft Learn, RtlGetVersion).
pub fn version() -> Option<String> {
    let mut version = OSVERSIONINFOW {
        dwOSVersionInfoSize: size_of::<OSVERSIONINFOW>() as u32,
        ..OSVERSIONINFOW::default()
    };
    // SAFETY: `version` is a valid place of the size that it states.
    let status = unsafe { RtlGetVersion(&raw mut version) };
    (status >= 0).then(|| {
        format!("{}.{}.{}", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber)
    })
}

/// Wine's version, such as `8.0 on Linux 6.1.0`, if ntdll is Wine's (winehq.org, Developer FAQ:
/// `wine_get_version`).
pub fn wine() -> Option<String> {
    let version = ntdll(c"wine_get_version")?;
    // SAFETY: Wine documents `const char *wine_get_version(void)`.
    let version: unsafe extern "C" fn() -> *const c_char = unsafe { std::mem::transmute(version) };
    // SAFETY: the function returns text that stays valid.
    let mut text = unsafe { text(version()) }?;
    if let Some(host) = ntdll(c"wine_get_host_version") {
        // SAFETY: Wine, dlls/ntdll/ntdll_misc.h: `void wine_get_host_version(const char **sysname,
        // const char **release)`.
        let host: unsafe extern "C" fn(*mut *const c_char, *mut *const c_char) =
            unsafe { std::mem::transmute(host) };
        let (mut system, mut release) = (std::ptr::null(), std::ptr::null());
        // SAFETY: both are local variables; the pointers that are stored lead to text that stays
        // valid.
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
/// `text` must be null, or point to a string that ends in NUL and stays valid.
unsafe fn text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller guarantees this.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    Some(text.chars().filter(|c| !c.is_control()).take(80).collect())
}

/// Windows on Arm runs programs for x86-64 by translation (Microsoft Learn, IsWow64Process2).
pub fn emulator() -> Option<String> {
    let (mut process, mut native) = (0, 0);
    // SAFETY: both are local variables, each valid for the one number that is stored in it.
    let done = unsafe { IsWow64Process2(GetCurrentProcess(), &raw mut process, &raw mut native) };
    let own = match std::env::consts::ARCH {
        "x86_64" => IMAGE_FILE_MACHINE_AMD64,
        "aarch64" => IMAGE_FILE_MACHINE_ARM64,
        _ => return None,
    };
    (done != 0 && native != 0 && native != own).then(|| {
        format!(
            "Windows translates: IsWow64Process2 reports machine {native:#x}, but this program is \
             for {}",
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

/// The results of NtQueryTimerResolution, which Microsoft does not document and has not changed
/// since Windows NT. They are the three values that powercfg and clockres show.
pub fn timer_resolution() -> Option<Resolution> {
    let query = ntdll(c"NtQueryTimerResolution")?;
    // SAFETY: this is the signature of ntdll's export: it takes three pointers to ULONG and returns
    // NTSTATUS.
    let query: unsafe extern "system" fn(*mut u32, *mut u32, *mut u32) -> i32 =
        unsafe { std::mem::transmute(query) };
    let (mut coarsest, mut finest, mut current) = (0, 0, 0);
    // SAFETY: all three are local variables.
    let status = unsafe { query(&raw mut coarsest, &raw mut finest, &raw mut current) };
    (status >= 0 && current != 0).then_some(Resolution { coarsest, finest, current })
}

/// Interrupt time including and excluding the time that the machine slept, in units of 100 ns
/// (Microsoft Learn, QueryInterruptTime, which exists since Windows 10, and
/// QueryUnbiasedInterruptTime).
pub fn interrupt_times() -> Option<(u64, u64)> {
    static BIASED: OnceLock<Option<Function>> = OnceLock::new();
    let biased = (*BIASED.get_or_init(|| kernelbase(c"QueryInterruptTime")))?;
    // SAFETY: documented as `void QueryInterruptTime(PULONGLONG)`.
    let biased: unsafe extern "system" fn(*mut u64) = unsafe { std::mem::transmute(biased) };
    let (mut with, mut without) = (0, 0);
    // SAFETY: both are local variables.
    let done = unsafe {
        biased(&raw mut with);
        QueryUnbiasedInterruptTime(&raw mut without)
    };
    (done != 0).then_some((with, without))
}

/// The value of a FILETIME, in units of 100 ns.
pub fn units(time: FILETIME) -> u64 {
    u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)
}

/// The CPU time that a process has used, in nanoseconds. The handle must be open.
pub fn cpu_ns(process: HANDLE) -> Option<u64> {
    let mut times = [FILETIME::default(); 4];
    let [created, ended, kernel, user] = &mut times;
    // SAFETY: all four places are valid; a handle that is not open is an error of the call.
    let done = unsafe { GetProcessTimes(process, created, ended, kernel, user) };
    (done != 0).then(|| (units(times[2]) + units(times[3])) * 100)
}

/// How user code reads the performance counter: the flags, and the shift that converted ticks of
/// the processor's counter into its own ticks before Windows 10 (Windows Driver Kit, ntddk.h,
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
