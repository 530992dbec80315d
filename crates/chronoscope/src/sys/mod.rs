//! What the library needs of a processor and a system: the only place with unsafe code.

#[cfg_attr(target_arch = "x86_64", path = "counter_x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "counter_aarch64.rs")]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    path = "counter_os.rs"
)]
pub mod counter;
