"""Provide AWS's image of Lambda's Python runtime, or a look-alike where no registry can be reached.

The look-alike has the layout, the search paths and the entry point of AWS's image, with this machine's Python 3.13,
libraries and programs, and the packages of the runtime that the emulator uses. It does not have the libraries of Amazon
Linux: that the native modules of the layers load there is shown by AWS's image alone.
"""

import io
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import httpx
from infra.scripts import emulator, stack

REPOSITORY, TAG = "public.ecr.aws/lambda/python", f"3.13-{stack.HERE}"
IMAGE = f"{REPOSITORY}:{TAG}"
REGISTRY, REGISTRY_SECONDS = "https://public.ecr.aws/v2/", 10
PROGRAMS = ("sh", "cat", "chmod", "cp", "env", "ls", "mkdir", "mv", "rm", "sleep")  # what SAM's builds and shells use
# Loaded by name at run time, so that no program shows them.
LIBRARIES = ("libgcc_s.so.1", "libstdc++.so.6", "libresolv.so.2", "libnss_dns.so.2", "libnss_files.so.2")
LIBRARIES += ("libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1")
FOLDERS = ("usr/bin", "usr/lib", "usr/lib64", "usr/sbin", "dev", "proc", "sys", "root", "opt", "var/task", "var/rapid")
LINKED = ("bin", "lib", "lib64", "sbin")  # links to the folders of /usr
LEFT_OUT = re.compile(  # of Python's folder
    r"^var/lang/(share|include|bin/(?!python)|lib/pkgconfig|lib/.*\.a$"
    r"|lib/python3\.13/(test|idlelib|tkinter|turtledemo|ensurepip|site-packages|config-|lib-dynload/_tkinter))"
)
PATHS = {
    "LANG": "en_US.UTF-8",
    "PATH": "/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin",
    "LD_LIBRARY_PATH": "/var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:/var/task:/var/task/lib:/opt/lib",
    "LAMBDA_TASK_ROOT": "/var/task",
    "LAMBDA_RUNTIME_DIR": "/var/runtime",
}
BOOTSTRAP = """#!/bin/sh
export AWS_EXECUTION_ENV=AWS_Lambda_python3.13 TZ=:UTC
export PYTHONPATH=/var/task:/opt/python/lib/python3.13/site-packages:/opt/python:/var/runtime
cd /var/task
exec ${AWS_LAMBDA_EXEC_WRAPPER:-} /var/lang/bin/python3.13 -m awslambdaric "${_HANDLER:-$1}"
"""
ENTRY = """#!/bin/sh
[ -n "$AWS_LAMBDA_RUNTIME_API" ] && exec /var/runtime/bootstrap "$@"
exec /usr/local/bin/aws-lambda-rie /var/runtime/bootstrap "$@"
"""
TEXTS = {
    "etc/passwd": ("root:x:0:0:root:/root:/bin/sh\nsbx_user1051:x:993:990::/home/sbx_user1051:/bin/sh\n", 0o644),
    "etc/group": ("root:x:0:\nsbx_user1051:x:990:\n", 0o644),
    "etc/nsswitch.conf": ("hosts: files dns\n", 0o644),
    "var/runtime/bootstrap": (BOOTSTRAP, 0o755),
    "lambda-entrypoint.sh": (ENTRY, 0o755),
}


def provide_image(engine: httpx.Client) -> str:
    """Return what the image is: AWS's or the look-alike. It is pulled or built if the engine does not have it."""
    if not has_image(engine):
        if is_registry_reachable():
            engine.post("/images/create", params={"fromImage": REPOSITORY, "tag": TAG}).raise_for_status()
        if not has_image(engine):
            import_look_alike(engine)
    labels = engine.get(f"/images/{IMAGE}/json").raise_for_status().json()["Config"].get("Labels") or {}
    return "a look-alike of AWS's image" if "look-alike" in labels else "AWS's image"


def has_image(engine: httpx.Client) -> bool:
    return engine.get(f"/images/{IMAGE}/json").status_code == httpx.codes.OK


def is_registry_reachable() -> bool:
    try:
        return httpx.get(REGISTRY, timeout=REGISTRY_SECONDS).status_code < httpx.codes.INTERNAL_SERVER_ERROR
    except httpx.HTTPError:
        return False


def import_look_alike(engine: httpx.Client) -> None:
    changes = [*(f"ENV {name}={value}" for name, value in PATHS.items()), "WORKDIR /var/task", "LABEL look-alike=true"]
    changes.append('ENTRYPOINT ["/lambda-entrypoint.sh"]')
    with tempfile.TemporaryFile() as file:
        write_files(file)
        file.seek(0)
        answer = engine.post("/images/create", params={"fromSrc": "-", "changes": changes}, content=file)
    identity = re.search(r'"status": ?"(sha256:[0-9a-f]+)"', answer.text)
    if identity is None:
        raise RuntimeError(f"The image could not be made: {answer.text[:500]}")
    named = {"repo": REPOSITORY, "tag": TAG}  # here, because Podman's import ignores them
    engine.post(f"/images/{identity[1]}/tag", params=named).raise_for_status()


def write_files(file: object) -> None:
    """Write the look-alike's file system as a tar archive."""
    with tarfile.open(fileobj=file, mode="w") as archive:  # type: ignore[call-overload]
        for name in (
            "usr/bin",
            "usr/lib",
            "usr/lib64",
            "usr/sbin",
            "dev",
            "proc",
            "sys",
            "root",
            "opt",
            "var/task",
            "var/rapid",
        ):
            add_entry(archive, name, tarfile.DIRTYPE, 0o755)
        add_entry(archive, "tmp", tarfile.DIRTYPE, 0o1777)
        for name in LINKED:
            add_entry(archive, name, tarfile.SYMTYPE, 0o777, target=f"usr/{name}")
        for name, (text, mode) in TEXTS.items():
            add_entry(archive, name, tarfile.REGTYPE, mode, text=text)
        python, runtime = Path(sys.base_prefix), emulator.provide_runtime()
        archive.add(python, "var/lang", filter=lambda entry: None if LEFT_OUT.match(entry.name) else entry)
        archive.add(runtime, "var/runtime")
        archive.add(emulator.find_emulator(), "usr/local/bin/aws-lambda-rie")
        archive.add("/etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt")
        archive.add("/etc/ssl/certs/ca-certificates.crt", "etc/ssl/certs/ca-certificates.crt")
        programs = {Path("/usr/bin") / name for name in PROGRAMS}
        modules = {each for each in python.glob("lib/python3.13/lib-dynload/*.so") if "_tkinter" not in each.name}
        libraries = list_libraries([*programs, *modules, python / "bin/python3.13", *runtime.glob("*.so")])
        for path in sorted(programs | libraries):
            if not path.is_relative_to(python):
                archive.add(path.resolve(), find_place(path))


def add_entry(archive: tarfile.TarFile, name: str, kind: bytes, mode: int, *, target: str = "", text: str = "") -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.linkname, entry.size = kind, mode, target, len(text.encode())
    archive.addfile(entry, io.BytesIO(text.encode()))


def list_libraries(programs: list[Path]) -> set[Path]:
    """The shared libraries that the programs load, the loader among them."""
    done = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, check=False)
    linked = re.findall(r"(?:=> |^\t)(/\S+) \(0x", done.stdout, re.MULTILINE)
    cached = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    known = dict(reversed(re.findall(r"^\t(\S+) .*=> (/\S+)$", cached, re.MULTILINE)))  # the first of a name counts
    return {Path(path) for path in linked} | {Path(known[name]) for name in LIBRARIES if name in known}


def find_place(path: Path) -> str:
    """Where the archive has a file."""
    place = str(path).removeprefix("/")
    return f"usr/{place}" if place.startswith(LINKED) else place
