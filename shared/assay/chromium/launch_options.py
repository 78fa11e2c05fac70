"""Starting Chromium: choice of the executable, command-line switches, environment and supervisor."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.errors import BrowserUnavailable
from assay.settings import Settings

type BuildArguments = Callable[[Settings, int], Sequence[str]]

UNAVAILABLE = "Scrape failed: Chrome unavailable. Set CHROME_PATH or install Chrome."
SUPERVISOR = Path(__file__).with_name("supervisor.py")
KNOWN = (  # headless shell first: it starts in a third of the time and needs half the memory
    "/usr/lib/chromium/chromium-headless-shell",  # the binary behind the wrapper script
    "chromium-headless-shell",
    "chrome-headless-shell",
    "/usr/lib/chromium/chromium",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
PROCESS_BYTES = 1 << 30  # private memory per process; a page that exceeds it crashes its renderer
PIPE_BYTES = 1 << 20
PATHS = "/usr/local/bin:/usr/bin:/bin"

QUIET = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-hang-monitor",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--hide-scrollbars",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    "--disable-blink-features=AutomationControlled",
    "--lang=en-US",
    "--window-size=1366,768",
    "--screen-info={1920x1080}",
    "--disable-site-isolation-trials",  # a context has one page and no secrets; isolation costs memory
    "--renderer-process-limit=4",
)
OFF = (  # features that send requests of their own or discover devices on the network
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "DialMediaRouteProvider",
    "GlobalMediaControls",
    "IsolateOrigins",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "Prerender2",
    "SpeculationRulesPrefetchFuture",
    "Translate",
    "WebRtcHideLocalIpsWithMdns",
    "site-per-process",
)


def executable(settings: Settings) -> str | None:
    """The browser that CHROME_PATH names, or a known one of this machine; None if disabled or missing.

    Always None on Windows: the supervisor needs a POSIX system.
    """
    configured = settings.chrome_path
    if configured == "disabled" or os.name != "posix":
        return None
    for name in (configured,) if configured else KNOWN:
        found = shutil.which(name)
        if found:
            return found
    return None


def arguments(settings: Settings, dead: int) -> list[str]:
    """The command-line switches. `dead` is a port without listener, so that only a context's own proxy has access."""
    contained = [
        f"--proxy-server=http://127.0.0.1:{dead}",
        "--proxy-bypass-list=<-loopback>",  # otherwise loopback bypasses every proxy
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        "--dns-prefetch-disable",
        "--disable-quic",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # for the headless shell
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",  # for the full browser
        f"--disable-features={','.join(OFF)}",
    ]
    if os.geteuid() == 0 or settings.on_lambda or not settings.chrome_sandbox:
        contained.append("--no-sandbox")
    if settings.on_lambda or not os.access("/dev/shm", os.W_OK):  # noqa: S108  only tested, not written to
        contained.append("--disable-dev-shm-usage")
    return [*QUIET, *contained]


@dataclass
class Spawned:
    """A Chromium that was just started: our pipe ends, its supervisor and its folder."""

    name: str
    read: int
    write: int
    supervisor: "subprocess.Popen[bytes]"
    folder: str
    dead: socket.socket


def spawn_browser(
    settings: Settings, build_arguments: BuildArguments = arguments, memory: int = PROCESS_BYTES
) -> Spawned:
    """Start the browser that the settings select. Raises BrowserUnavailable if there is none."""
    path = executable(settings)
    if path is None:
        raise BrowserUnavailable(UNAVAILABLE)
    dead = dead_port()
    folder = tempfile.mkdtemp(prefix="assay-chromium-")
    command = [path, *build_arguments(settings, dead.getsockname()[1])]
    if "shell" not in Path(path).name:  # without this switch, the headless shell keeps its profile in memory
        command.append(f"--user-data-dir={folder}/profile")
    theirs_read, our_write = os.pipe()
    our_read, theirs_write = os.pipe()
    _widen(our_read, our_write)
    try:
        supervisor = _spawn_supervised((theirs_read, theirs_write), memory, folder, command)
    finally:
        os.close(theirs_read)
        os.close(theirs_write)
    return Spawned(Path(path).name, our_read, our_write, supervisor, folder, dead)


def _spawn_supervised(ends: tuple[int, int], memory: int, folder: str, command: list[str]) -> "subprocess.Popen[bytes]":
    arguments_ = [*map(str, ends), str(memory), folder, *command]
    return subprocess.Popen(  # noqa: S603  # our own interpreter and the configured browser
        [sys.executable, "-I", "-S", "-B", str(SUPERVISOR), *arguments_],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=_environment(folder),
        pass_fds=ends,
        start_new_session=True,
    )


def dead_port() -> socket.socket:
    """Reserve a loopback port that refuses connections while the socket is open."""
    reserved = socket.socket()
    reserved.bind(("127.0.0.1", 0))
    return reserved


def _environment(folder: str) -> dict[str, str]:
    """The environment of Chromium, without our variables: a page that escapes the renderer could read them."""
    return {
        "PATH": PATHS,
        "HOME": folder,
        "TMPDIR": folder,
        "XDG_CONFIG_HOME": folder,
        "XDG_CACHE_HOME": folder,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def _widen(*ends: int) -> None:
    if sys.platform != "linux":
        return
    import fcntl  # not available on Windows

    for end in ends:
        with suppress(OSError):  # the user's limit for pipe buffers may be exhausted
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
