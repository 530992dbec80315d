"""Measures elapsed time and the overshoot of a wait, and prints which clock measured them.

    python3 elapsed.py [PATH_OF_SHARED_LIBRARY]
"""

import ctypes
import ctypes.util
import sys


class Bounded(ctypes.Structure):
    _fields_ = [
        ("ns", ctypes.c_uint64),
        ("bound_ns", ctypes.c_uint64),
        ("disturbed", ctypes.c_bool),
        ("unchecked_ns", ctypes.c_uint64),
    ]


class Waited(ctypes.Structure):
    _fields_ = [
        ("late_ns", ctypes.c_uint64),
        ("slept_ns", ctypes.c_uint64),
        ("spun_ns", ctypes.c_uint64),
        ("wakes", ctypes.c_uint32),
        ("preempted", ctypes.c_uint32),
        ("cause", ctypes.c_uint32),
    ]


def load(path):
    """Loads the library and declares its functions' types, which ctypes cannot know."""
    library = ctypes.CDLL(path)

    def declare(name, result, *arguments):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments

    size, text, moment = ctypes.c_size_t, ctypes.c_char_p, ctypes.c_uint64
    declare("chronoscope_now", moment)
    declare("chronoscope_elapsed_ns", ctypes.c_uint64, moment)
    declare("chronoscope_elapsed_bounded", ctypes.c_int32, moment, ctypes.POINTER(Bounded))
    declare(
        "chronoscope_sleep_interruptible_ns",
        ctypes.c_int32,
        ctypes.c_uint64,
        ctypes.POINTER(ctypes.c_uint64),
        ctypes.POINTER(Waited),
    )
    declare("chronoscope_describe", size, ctypes.c_void_p, text, size)
    declare("chronoscope_status_text", text, ctypes.c_int32)
    return library


INTERRUPTED = 7


def sleep(library, ns):
    """Waits for at least this many nanoseconds; handlers of signals run meanwhile."""
    left, waited = ctypes.c_uint64(ns), Waited()
    while True:
        status = library.chronoscope_sleep_interruptible_ns(left, left, waited)
        if status != INTERRUPTED:
            check(library, status)
            return waited


def check(library, status):
    if status != 0:
        raise OSError(library.chronoscope_status_text(status).decode())


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else ctypes.util.find_library("chronoscope")
    if path is None:
        sys.exit("the chronoscope library is not installed; pass the path of the shared library")
    library = load(path)

    start = library.chronoscope_now()
    print(f"a call from Python took {library.chronoscope_elapsed_ns(start)} ns")

    elapsed = Bounded()
    start = library.chronoscope_now()
    waited = sleep(library, 2_000_000)
    check(library, library.chronoscope_elapsed_bounded(start, elapsed))
    print(f"2 ms took {elapsed.ns} ns, +/- {elapsed.bound_ns} ns; {waited.late_ns} ns late")
    if elapsed.ns + elapsed.bound_ns < 2_000_000:
        sys.exit("the wait ended too early")

    length = library.chronoscope_describe(None, None, 0)
    text = ctypes.create_string_buffer(length + 1)
    library.chronoscope_describe(None, text, length + 1)
    print(text.value.decode())


if __name__ == "__main__":
    main()
