//! What ntdll and the kernel report about themselves: the version, Wine, an emulated processor, the
//! timer resolution, and how the performance counter is read.
//!
//! Also the boot options that choose a timer, from the registry: those that the running kernel was
//! started with, which anyone can read, and those of the boot configuration (BCD), which
//! administrators can.

use crate::catalogue::Unavailable;
use crate::machine::timers::{self, SharedData};
use std::ffi::{CStr, c_char};
use std::io;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_SUCCESS, FILETIME, HANDLE};
use windows_sys::Win32::System::Console::GetConsoleWindow;
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_LOCAL_MACHINE, KEY_READ, RRF_RT_REG_BINARY, RRF_RT_REG_DWORD, RRF_RT_REG_SZ,
    RegCloseKey, RegEnumKeyExW, RegGetValueW, RegOpenKeyExW,
};
use windows_sys::Win32::System::SystemInformation::{
    IMAGE_FILE_MACHINE_AMD64, IMAGE_FILE_MACHINE_ARM64, OSVERSIONINFOW,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes, IsWow64Process2};
use windows_sys::Win32::System::WindowsProgramming::QueryUnbiasedInterruptTime;
use windows_sys::Win32::UI::WindowsAndMessaging::{IsIconic, IsWindowVisible};
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
        let (mut system, mut release) = (null(), null());
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

// Every Windows since NT has these two, which Microsoft does not document and has not changed: they
// take ULONGs, a BOOLEAN and places for ULONGs, and return NTSTATUS.
#[link(name = "ntdll")]
unsafe extern "system" {
    fn NtQueryTimerResolution(coarsest: *mut u32, finest: *mut u32, current: *mut u32) -> i32;
    fn NtSetTimerResolution(units: u32, on: u8, now: *mut u32) -> i32;
}

/// The period of the clock interrupt, in units of 100 ns.
pub struct Resolution {
    pub coarsest: u32,
    pub finest: u32,
    pub current: u32,
}

/// The results of NtQueryTimerResolution, the three values that powercfg and clockres show.
pub fn timer_resolution() -> Option<Resolution> {
    let (mut coarsest, mut finest, mut current) = (0, 0, 0);
    // SAFETY: all three are local variables.
    let status =
        unsafe { NtQueryTimerResolution(&raw mut coarsest, &raw mut finest, &raw mut current) };
    (status >= 0 && current != 0).then_some(Resolution { coarsest, finest, current })
}

/// Asks for a period of the clock interrupt in units of 100 ns, or takes that back.
///
/// # Errors
/// Windows refuses it.
pub fn set_timer_resolution(units: u32, on: bool) -> Result<(), Unavailable> {
    let mut now = 0;
    // SAFETY: `now` is a local variable.
    match unsafe { NtSetTimerResolution(units, on.into(), &raw mut now) } {
        0.. => Ok(()),
        status => Err(Unavailable(format!(
            "NtSetTimerResolution({} ms): status {status:#x}",
            f64::from(units) / 1e4
        ))),
    }
}

/// What decides whether Windows honours this process's requests for a shorter clock interrupt.
pub struct Requests {
    /// Its power throttling: whether it is in EcoQoS, and whether Windows ignores its requests.
    /// `None` if the system has no such setting, such as Wine.
    pub throttling: Option<(bool, bool)>,
    /// Whether its console is hidden or minimised; `None` without one. Windows 11 ignores requests
    /// of a process whose windows all are, but another process owns a console.
    pub hidden: Option<bool>,
}

/// Reads them (Microsoft Learn, PROCESS_POWER_THROTTLING_STATE and timeBeginPeriod).
pub fn requests() -> Requests {
    // SAFETY: none of them takes more than a handle of a window, which may be stale.
    let hidden = unsafe {
        let window = GetConsoleWindow();
        (!window.is_null()).then(|| IsIconic(window) != 0 || IsWindowVisible(window) == 0)
    };
    Requests { throttling: throttling(), hidden }
}

fn throttling() -> Option<(bool, bool)> {
    const POWER_THROTTLING: i32 = 4;
    let get = kernelbase(c"GetProcessInformation")?;
    // SAFETY: documented as `BOOL GetProcessInformation(HANDLE, PROCESS_INFORMATION_CLASS, LPVOID,
    // DWORD)`.
    let get: unsafe extern "system" fn(HANDLE, i32, *mut [u32; 3], u32) -> i32 =
        unsafe { std::mem::transmute(get) };
    // Version, control mask and state mask.
    let mut state = [1, 0, 0];
    // SAFETY: the pseudo handle is always valid, and `state` has the size that is stated.
    let done = unsafe { get(GetCurrentProcess(), POWER_THROTTLING, &raw mut state, 12) };
    (done != 0).then(|| throttled(state))
}

/// Whether a process is in EcoQoS, and whether its requests are ignored: a bit of the state counts
/// only if that of the control mask is set, or Windows decides by itself.
pub fn throttled([_, control, on]: [u32; 3]) -> (bool, bool) {
    const EXECUTION_SPEED: u32 = 1;
    const IGNORE_TIMER_RESOLUTION: u32 = 4;
    let is = |bit| control & on & bit != 0;
    (is(EXECUTION_SPEED), is(IGNORE_TIMER_RESOLUTION))
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

/// The flags of reads of the performance counter, and the shift that it is read with.
pub fn qpc_data() -> (u8, u8) {
    const SHARED_DATA: usize = 0x7ffe_0000;
    let page = std::ptr::with_exposed_provenance::<SharedData>(SHARED_DATA);
    // SAFETY: every process of Windows has this page at this address, readable, of 4096 bytes. What
    // the kernel changes there meanwhile is not looked at.
    timers::qpc_data(&unsafe { page.read_volatile() })
}

/// The options, and their elements in the boot configuration (Microsoft Learn,
/// BcdOSLoaderElementTypes: UsePlatformClock is 0x260000a2; UsePlatformTick, which is newer than
/// that page, is 0x260000a4).
const OPTIONS: [(&str, &str); 2] =
    [("useplatformclock", "260000a2"), ("useplatformtick", "260000a4")];
const OBJECTS: &str = r"BCD00000000\Objects";
/// More than any boot configuration has.
const MOST_OBJECTS: u32 = 1000;

/// The options that are set. The error is why that is not known.
pub fn boot_options() -> Result<Vec<String>, String> {
    let started = started_with().to_lowercase();
    let objects = objects();
    let mut found = Vec::new();
    for (name, element) in OPTIONS {
        let in_force = started.split_whitespace().any(|word| word == name);
        let settings = objects.iter().flatten().filter_map(|object| setting(object, element));
        let set = settings.reduce(|one, other| one || other).or(in_force.then_some(true));
        found.extend(set.map(|set| {
            let value = if set || in_force { "yes" } else { "no" };
            format!("{name}={value}")
        }));
    }
    match objects {
        Err(why) if found.is_empty() => Err(why),
        _ => Ok(found),
    }
}

/// Whether a program's `timeBeginPeriod` holds for all programs, as before Windows 10 2004, if the
/// registry says so.
pub fn resolution_requests() -> String {
    let mut number = [0; 4];
    let key = r"SYSTEM\CurrentControlSet\Control\Session Manager\kernel";
    let length = value(key, "GlobalTimerResolutionRequests", RRF_RT_REG_DWORD, &mut number);
    let text = match length {
        Some(4) => format!("{}", u32::from_le_bytes(number)),
        _ => "not set".to_owned(),
    };
    format!("GlobalTimerResolutionRequests: {text}")
}

/// The options that the kernel was started with, in capitals.
fn started_with() -> String {
    let mut bytes = [0; 4096];
    let key = r"SYSTEM\CurrentControlSet\Control";
    let length = value(key, "SystemStartOptions", RRF_RT_REG_SZ, &mut bytes).unwrap_or(0);
    let units = bytes[..length].chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    let text = String::from_utf16_lossy(&units.collect::<Vec<_>>());
    text.trim_end_matches('\0').to_owned()
}

/// Whether an object of the boot configuration sets an element, and to what.
fn setting(object: &str, element: &str) -> Option<bool> {
    let mut byte = [0];
    let key = format!(r"{OBJECTS}\{object}\Elements\{element}");
    let length = value(&key, "Element", RRF_RT_REG_BINARY, &mut byte)?;
    (length == 1).then_some(byte != [0])
}

/// The names of the objects of the boot configuration.
fn objects() -> Result<Vec<String>, String> {
    let mut key: HKEY = null_mut();
    let path = wide(OBJECTS);
    // SAFETY: the path ends in NUL, and `key` is a valid place for the handle.
    let error =
        unsafe { RegOpenKeyExW(HKEY_LOCAL_MACHINE, path.as_ptr(), 0, KEY_READ, &raw mut key) };
    if error != ERROR_SUCCESS {
        let why = match error {
            ERROR_ACCESS_DENIED => "access denied; an administrator can read it".to_owned(),
            other => io::Error::from_raw_os_error(other as i32).to_string(),
        };
        return Err(format!(r"HKLM\BCD00000000: {why}"));
    }
    let mut names = Vec::new();
    for nth in 0..MOST_OBJECTS {
        let mut name = [0u16; 256];
        let mut length = name.len() as u32;
        // SAFETY: the key is open; the name has room for `length` units, and the class and the time
        // are not asked for.
        let error = unsafe {
            RegEnumKeyExW(
                key,
                nth,
                name.as_mut_ptr(),
                &raw mut length,
                null(),
                null_mut(),
                null_mut(),
                null_mut(),
            )
        };
        if error != ERROR_SUCCESS {
            break;
        }
        names.push(String::from_utf16_lossy(&name[..(length as usize).min(name.len())]));
    }
    // SAFETY: the key was opened above and is not used again.
    unsafe { RegCloseKey(key) };
    Ok(names)
}

/// Stores a value of the registry in a buffer, and returns its length in bytes. `None` if there is
/// no such value, or no room for it.
fn value(key: &str, name: &str, kind: u32, buffer: &mut [u8]) -> Option<usize> {
    let (key, name) = (wide(key), wide(name));
    let mut length = buffer.len() as u32;
    // SAFETY: both names end in NUL, and the buffer has room for `length` bytes.
    let error = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            name.as_ptr(),
            kind,
            null_mut(),
            buffer.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    let length = length as usize;
    (error == ERROR_SUCCESS && length <= buffer.len()).then_some(length)
}

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}
