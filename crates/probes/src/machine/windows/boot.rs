//! The boot options that choose a timer, from the registry: those that the running kernel was
//! started with, which anyone can read, and those of the boot configuration (BCD), which
//! administrators can.

use std::io;
use std::ptr::{null, null_mut};

use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_SUCCESS};
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_LOCAL_MACHINE, KEY_READ, RRF_RT_REG_BINARY, RRF_RT_REG_DWORD, RRF_RT_REG_SZ,
    RegCloseKey, RegEnumKeyExW, RegGetValueW, RegOpenKeyExW,
};

/// The options, and their elements in the boot configuration (Microsoft Learn,
/// BcdOSLoaderElementTypes: UsePlatformClock is 0x260000a2; UsePlatformTick, which is newer than
/// that page, is 0x260000a4).
const OPTIONS: [(&str, &str); 2] =
    [("useplatformclock", "260000a2"), ("useplatformtick", "260000a4")];
const OBJECTS: &str = r"BCD00000000\Objects";
/// More than any boot configuration has.
const MOST_OBJECTS: u32 = 1000;

/// The options that are set. The error is why that is not known.
pub fn options() -> Result<Vec<String>, String> {
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
