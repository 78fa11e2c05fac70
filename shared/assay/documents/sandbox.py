"""Irrevocable restriction of this process's rights with seccomp(2) and landlock(7), for parsing untrusted input.

The system calls are made directly: the packages that wrap them (pyseccomp, landlock) need a system library or are
pre-releases. Other systems have neither; there only time and memory are limited, which `assay doctor` reports.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache

DEATH_SIGNAL, SECCOMP, NO_NEW_PRIVILEGES, FILTER = 1, 22, 38, 2  # prctl(2) options
DROP_FROM_BOUNDS, CAPABILITIES = 24, 64
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446  # the same numbers on every architecture
ABI_QUERY, PATH_BENEATH = 1, 1
READ_FILE, READ_DIRECTORY = 1 << 2, 1 << 3
# The number of file rights by Landlock ABI version; the rights of networks and scopes follow in `_restrict_files`.
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # classic BPF instructions
NUMBER, MACHINE = 0, 4  # offsets in struct seccomp_data
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
X32 = 0x40000000  # __X32_SYSCALL_BIT

# System calls that a parser needs after its imports, by number on x86-64 and arm64; -1 where there is none.
COMPUTE = {
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "fstat": (5, 80), "poll": (7, -1), "lseek": (8, 62),
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214), "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "pread64": (17, 67), "readv": (19, 65), "writev": (20, 66),
    "sched_yield": (24, 124), "mremap": (25, 216), "madvise": (28, 233), "dup": (32, 23), "nanosleep": (35, 101),
    "getpid": (39, 172), "sendto": (44, 206), "recvfrom": (45, 207), "sendmsg": (46, 211), "recvmsg": (47, 212),
    "exit": (60, 93), "wait4": (61, 260), "fcntl": (72, 25), "gettimeofday": (96, 169), "getrlimit": (97, 163),
    "sysinfo": (99, 179), "times": (100, 153), "getuid": (102, 174), "getgid": (104, 176), "geteuid": (107, 175),
    "getegid": (108, 177), "getppid": (110, 173), "sigaltstack": (131, 132), "gettid": (186, 178), "futex": (202, 98),
    "sched_getaffinity": (204, 123), "restart_syscall": (219, 128), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "exit_group": (231, 94), "newfstatat": (262, 79),
    "ppoll": (271, 73), "set_robust_list": (273, 99), "getrandom": (318, 278), "membarrier": (324, 283),
    "statx": (332, 291), "rseq": (334, 293),
}  # fmt: skip
# Further system calls for imports, from the directories that Landlock permits.
IMPORT = {
    "open": (2, -1), "stat": (4, -1), "lstat": (6, -1), "ioctl": (16, 29), "access": (21, -1), "getcwd": (79, 17),
    "readlink": (89, -1), "getdents64": (217, 61), "openat": (257, 56), "readlinkat": (267, 78),
    "faccessat": (269, 48), "faccessat2": (439, 439),
}  # fmt: skip
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column in the tables above, AUDIT_ARCH constant


class Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def restrict_rights(*, imports: bool = False) -> None:
    """Forbid network, new processes, signals to other processes, and files, except those of code with `imports`.

    Applies what the kernel supports; `missing_rights_control` reports the rest. Other running threads keep their
    rights, so call it while there is only one.
    """
    if not _has_linux():
        return
    libc = _libc()
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    for capability in range(CAPABILITIES):
        if libc.prctl(DROP_FROM_BOUNDS, capability, 0, 0, 0):
            break
    if imports:
        _restrict_files(_code_places())
    _filter_calls(COMPUTE | IMPORT if imports else COMPUTE)


@cache
def can_restrict_files() -> bool:
    """Whether file access can be limited to directories, so that imports can stay possible."""
    return _has_linux() and _landlock_version() >= 1


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the process `parent` ends (PR_SET_PDEATHSIG)."""
    if sys.platform == "linux":
        _libc().prctl(DEATH_SIGNAL, 9, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


@cache
def missing_rights_control() -> str:
    """Describe the restrictions that this machine does not support; "" if it supports all."""
    if not _has_linux():
        return (
            f"{platform.system()} on {platform.machine()} has no seccomp: parsers are limited in time and memory only"
        )
    missing = []
    if _libc().prctl(SECCOMP, FILTER, None, 0, 0) == 0 or ctypes.get_errno() != errno.EFAULT:
        missing.append("no seccomp: parsers can open files and connections")
    if not can_restrict_files():
        missing.append("no Landlock: HTML parsers can open files")
    return "; ".join(missing)


def _has_linux() -> bool:
    return sys.platform == "linux" and platform.machine() in MACHINES and struct.calcsize("P") == 8


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _filter_calls(calls: dict[str, tuple[int, int]]) -> None:
    """Permit only these system calls; any other fails with EACCES."""
    column, machine = MACHINES[platform.machine()]
    numbers = sorted(number[column] for number in calls.values() if number[column] >= 0)
    steps = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, machine), (RETURN, 0, 0, REFUSE), (LOAD, 0, 0, NUMBER)]
    steps += [(AT_LEAST, 0, 1, X32), (RETURN, 0, 0, REFUSE)]
    for number in numbers:
        steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    steps.append((RETURN, 0, 0, REFUSE))
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = Program(len(steps), code)
    _libc().prctl(SECCOMP, FILTER, ctypes.byref(program), 0, 0)


def _landlock_version() -> int:
    return int(_libc().syscall(LANDLOCK_CREATE, None, 0, ABI_QUERY))


def _restrict_files(places: Iterable[str]) -> None:
    """Forbid opening files, except for reading below these paths."""
    libc, version = _libc(), _landlock_version()
    if version < 1:
        return
    rights = struct.pack(
        "=QQQ", (1 << FILE_RIGHTS.get(version, 16)) - 1, 3 if version >= 4 else 0, 3 if version >= 6 else 0
    )
    rights = rights[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = int(libc.syscall(LANDLOCK_CREATE, rights, ctypes.c_size_t(len(rights)), 0))
    if ruleset < 0:
        return
    for place in places:
        with suppress(OSError):
            handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
            allowed = READ_FILE | READ_DIRECTORY if os.path.isdir(place) else READ_FILE  # noqa: PTH112 - no pathlib here
            libc.syscall(LANDLOCK_ADD, ruleset, PATH_BENEATH, struct.pack("=Qi", allowed, handle), 0)
            os.close(handle)
    libc.syscall(LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)


def _code_places() -> list[str]:
    """The directories of the interpreter, the libraries and this package."""
    import assay

    installed = [path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")]  # noqa: PTH119
    own = os.path.dirname(os.path.abspath(assay.__file__))  # noqa: PTH100, PTH120 - no pathlib here
    standard = [os.path.join(sys.base_prefix, "lib"), *(path for path in sys.path if path.startswith(sys.base_prefix))]  # noqa: PTH118
    return [own, *installed, *standard, "/lib", "/lib64", "/usr/lib", "/usr/share/zoneinfo", "/etc/localtime"]
