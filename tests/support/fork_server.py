"""Start programs soon, forked from a process that has imported what they need: `python fork_server.py DESCRIPTOR JSON`.

DESCRIPTOR is a socket that listens; JSON has the `paths` and the `modules` to import. It knows the standard library alone,
so that it runs in any environment. It ends with its standard input. No module may have started a thread, which a fork
would leave behind.
"""

import atexit
import contextlib
import fcntl
import gc
import json
import os
import socket
import sys
import threading
from importlib import import_module
from selectors import EVENT_READ, DefaultSelector
from typing import Any, NoReturn

LIFELINE = 0


def serve(listener: socket.socket) -> dict[str, Any]:
    """Fork for each connection, and tell on it the new process and its exit code. In the fork, return the request."""
    children: dict[int, tuple[int, socket.socket]] = {}  # by descriptors of processes
    selector = DefaultSelector()
    selector.register(listener, EVENT_READ)
    selector.register(LIFELINE, EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fd == LIFELINE:
                sys.exit()
            if key.fd in children:
                pid, channel = children.pop(key.fd)
                selector.unregister(key.fd)
                os.close(key.fd)
                report(channel, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                channel.close()
                continue
            channel = listener.accept()[0]
            if not (pid := os.fork()):
                selector.close()
                listener.close()
                for descriptor, (_, other) in children.items():
                    os.close(descriptor)
                    other.close()
                return become(channel)
            report(channel, pid)
            selector.register(descriptor := os.pidfd_open(pid), EVENT_READ)
            children[descriptor] = pid, channel


def report(channel: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # nobody waits for it any more
        channel.send(f"{number}\n".encode())


def become(channel: socket.socket) -> dict[str, Any]:
    """Make this process what the request on the channel wants, and return the request."""
    _, descriptors, *_ = socket.recv_fds(channel, 1, 4)
    with channel, channel.makefile("rb") as lines:
        request: dict[str, Any] = json.loads(lines.readline())
    if len(descriptors) == 4:
        end_with(descriptors.pop())
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    open_streams()
    os.environ.clear()
    os.environ.update(request["environ"])
    os.chdir(request["folder"])
    if request["session"]:
        os.setsid()
    sys.argv[:] = request["arguments"]
    sys.path[:0] = request["paths"]
    return request


def open_streams() -> None:
    """Open the standard streams anew: whether a stream can seek is known from the file that it was opened with."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        mode = "w" if number else "r"
        stream = os.fdopen(number, mode, encoding=old.encoding, errors=old.errors, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.stderr.reconfigure(line_buffering=True)


def end_with(pipe: int) -> None:
    """End this process when the pipe ends: a signal tells it, and ends who does not handle it."""
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)


def run(program: str) -> NoReturn:
    """Run the program as the interpreter would, but leave the memory as it is: freeing it takes as long as many a call."""
    code: Any = None
    try:
        exec(program, {"__name__": "__main__"})
    except SystemExit as end:
        code = end.code
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


def main() -> NoReturn:
    given = json.loads(sys.argv[2])
    sys.path[:0] = given["paths"]
    for name in given["modules"]:
        import_module(name)
    gc.freeze()
    run(serve(socket.socket(fileno=int(sys.argv[1])))["program"])


if __name__ == "__main__":
    main()
