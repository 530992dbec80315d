//! A job of Windows: processes that end when its last handle is closed, which also happens if this
//! process is killed (Microsoft Learn, "Job Objects").

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject,
};

/// A job that ends its processes when it is closed.
#[derive(Debug)]
pub struct Job(OwnedHandle);

impl Job {
    /// A job without processes.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn new() -> io::Result<Self> {
        // SAFETY: null pointers ask for default security, which no child inherits, and no name.
        let handle = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new, and nothing else owns it.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: the structure is the one that belongs to this class of information.
        let set = unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_of_val(&limits) as u32,
            )
        };
        match set {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(job),
        }
    }

    /// Adds a process, with all that it starts from now on.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn take(&self, process: &impl AsRawHandle) -> io::Result<()> {
        // SAFETY: both handles are open.
        match unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
}
