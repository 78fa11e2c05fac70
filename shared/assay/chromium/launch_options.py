"""Starting Chromium: which one, told what, allowed what. It is begun at once, and spoken to later."""

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

type Told = Callable[[Settings, int], Sequence[str]]

UNAVAILABLE = "Scrape failed: Chrome unavailable. Set CHROME_PATH or install Chrome."
KEEPER = Path(__file__).with_name("supervisor.py")
KNOWN = (  # the shell first: it starts in a third of the time and takes half the memory
    "/usr/lib/chromium/chromium-headless-shell",  # what the scripts of that name start
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
PROCESS_BYTES = 1 << 30  # of private memory for each of its processes; the page that wants more loses its renderer
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
    "--disable-site-isolation-trials",  # one context has one page and no secrets; a process per frame costs memory
    "--renderer-process-limit=4",
)
OFF = (  # what would go out on its own account, or look for others on the network
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
    """The browser that CHROME_PATH names or this machine has; None where that is `disabled` or there is none.

    Windows has none: the browser's keeper needs a POSIX system.
    """
    given = settings.chrome_path
    if given == "disabled" or os.name != "posix":
        return None
    for name in (given,) if given else KNOWN:
        found = shutil.which(name)
        if found:
            return found
    return None


def arguments(settings: Settings, dead: int) -> list[str]:
    """What Chromium is told. `dead` is a port where nobody listens: only a context's own proxy leads out."""
    contained = [
        f"--proxy-server=http://127.0.0.1:{dead}",
        "--proxy-bypass-list=<-loopback>",  # which by itself goes past every proxy
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        "--dns-prefetch-disable",
        "--disable-quic",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # the shell knows this one
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",  # and the whole browser that one
        f"--disable-features={','.join(OFF)}",
    ]
    if os.geteuid() == 0 or settings.on_lambda or not settings.chrome_sandbox:
        contained.append("--no-sandbox")
    if settings.on_lambda or not os.access("/dev/shm", os.W_OK):  # noqa: S108  it is asked for, not written to
        contained.append("--disable-dev-shm-usage")
    return [*QUIET, *contained]


@dataclass
class Spawned:
    """A Chromium that has just been begun: our ends of its pipes, its keeper, its folder."""

    name: str
    read: int
    write: int
    keeper: "subprocess.Popen[bytes]"
    folder: str
    dead: socket.socket


def spawn_browser(settings: Settings, told: Told = arguments, memory: int = PROCESS_BYTES) -> Spawned:
    """Begin the browser that the settings choose. Raises BrowserUnavailable where there is none."""
    path = executable(settings)
    if path is None:
        raise BrowserUnavailable(UNAVAILABLE)
    dead = dead_port()
    folder = tempfile.mkdtemp(prefix="assay-chromium-")
    command = [path, *told(settings, dead.getsockname()[1])]
    if "shell" not in Path(path).name:  # the shell keeps all it has in memory, if it is not told where to
        command.append(f"--user-data-dir={folder}/profile")
    theirs_read, our_write = os.pipe()
    our_read, theirs_write = os.pipe()
    _widen(our_read, our_write)
    try:
        keeper = _spawn_supervised((theirs_read, theirs_write), memory, folder, command)
    finally:
        os.close(theirs_read)
        os.close(theirs_write)
    return Spawned(Path(path).name, our_read, our_write, keeper, folder, dead)


def _spawn_supervised(ends: tuple[int, int], memory: int, folder: str, command: list[str]) -> "subprocess.Popen[bytes]":
    asked = [*map(str, ends), str(memory), folder, *command]
    return subprocess.Popen(  # noqa: S603  # our own interpreter and a browser that the operator chose
        [sys.executable, "-I", "-S", "-B", str(KEEPER), *asked],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=_environment(folder),
        pass_fds=ends,
        start_new_session=True,
    )


def dead_port() -> socket.socket:
    """A port of loopback that is ours and refuses everybody, for as long as the socket is open."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    return held


def _environment(folder: str) -> dict[str, str]:
    """All that Chromium learns of ours: without its sandbox, a page that breaks out could read it."""
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
    import fcntl  # Windows has none

    for end in ends:
        with suppress(OSError):  # a plain user may have no more of these
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
