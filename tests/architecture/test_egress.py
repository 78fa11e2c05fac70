"""Nothing reaches the network but `assay.net`; what others may use of its tools is listed here with reasons."""

import ast
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from functools import cache

import pytest
from tests.architecture.sources import ROOT, parse, parse_sources

HOME = "shared/assay/net/*"  # the way out itself

MODULES = {
    # HTTP and below it
    "httpx", "httpx2", "httpcore", "h11", "h2", "curl_cffi", "pycurl", "requests", "aiohttp", "urllib3",
    "urllib.request",
    "urllib.robotparser", "http.client", "httplib2", "niquests", "primp", "wreq", "tls_client", "hyper", "treq",
    "socket", "_socket", "socks", "socketserver", "websockets", "websocket", "wsproto", "grpc", "zmq", "pycares", "dns",
    # other protocols
    "ftplib", "smtplib", "poplib", "imaplib", "telnetlib", "nntplib", "xmlrpc", "paramiko", "asyncssh",
    "multiprocessing",
    "redis", "pymongo", "psycopg", "asyncpg", "fsspec", "s3fs",
    # clients of services, and readers that fetch what they are to read
    "boto3", "botocore", "aioboto3", "mcp.client", "openai", "anthropic", "feedparser", "trafilatura", "newspaper",
    "ddgs",
    "playwright", "patchright", "selenium", "pyppeteer", "nodriver", "webbrowser",
    # servers
    "uvicorn", "hypercorn", "gunicorn", "http.server", "wsgiref",
    # other programs, which go where they like
    "subprocess", "pty",
}  # fmt: skip
CALLS = {
    "open_connection", "open_unix_connection", "create_connection", "create_unix_connection",
    "create_datagram_endpoint",
    "sock_connect", "connect_tcp", "connect_tls", "connect_unix", "create_subprocess_exec", "create_subprocess_shell",
    "open_process", "run_process", "popen", "posix_spawn", "posix_spawnp", "execv", "execve", "execvp", "execvpe",
    "urlopen", "urlretrieve", "getaddrinfo", "gethostbyname", "subprocess_exec", "subprocess_shell", "__import__",
}  # fmt: skip

ALLOWED = {
    "shared/assay/aws/*": (
        {"boto3", "botocore", "http.client", "socket"},
        "the AWS world speaks to AWS, at addresses of AWS's own making",
    ),
    "shared/assay/aws.py": ({"boto3", "botocore"}, "the same, were it one module"),
    "shared/assay/entrypoints/runtime_api.py": (
        {"socket", "create_connection"},
        "takes events from Lambda's Runtime API, at the address that Lambda sets",
    ),
    "shared/assay/entrypoints/response_stream.py": ({"socket"}, "sends a response there in parts"),
    "shared/assay/entrypoints/http/local_server.py": ({"uvicorn", "socket"}, "listens on this machine"),
    "shared/assay/entrypoints/http/http_protocol.py": ({"uvicorn"}, "is what the server hears of one connection to it"),
    "shared/assay/chromium/launch_options.py": (
        {"socket", "subprocess"},
        "starts a browser that has no way out, and holds a port that leads nowhere",
    ),
    "shared/assay/chromium/browser_process.py": (
        {"socket", "subprocess"},
        "waits for that browser's end, and gives the port back",
    ),
    "shared/assay/chromium/supervisor.py": ({"execv"}, "becomes that browser"),
    "shared/assay/chromium/proxy.py": (
        {"open_connection", "socket"},
        "is its way out: dials what the gate has checked, and nothing else",
    ),
    "shared/assay/documents/sandbox_pool.py": (
        {"socket", "subprocess"},
        "speaks with its own child over a pair of sockets",
    ),
    "shared/assay/scraping/reader_worker.py": (
        {"socket"},
        "the far end of its parent's pair, without a network of its own",
    ),
    "shared/assay/documents/ocr.py": ({"create_subprocess_exec"}, "starts tesseract on pictures that we have drawn"),
    "shared/assay/documents/sandbox_worker.py": (
        {"socket"},
        "the other end of that pair, without a network of its own",
    ),
}


def list_ways_out(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The ways out that a module has: names of modules and of calls."""
    for node in nodes:
        for name in _names_of(node):
            yield from (way for way in MODULES if name == way or name.startswith(way + "."))
            last = name.rpartition(".")[2]
            if last in CALLS:
                yield last


def _names_of(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(module), names=names, level=0):
            return [module, *(f"{module}.{alias.name}" for alias in names)]
        case ast.Attribute(value=ast.Name(id="os"), attr="system"):
            return ["popen"]
        case ast.Attribute(attr=attr):
            return [attr] if attr in CALLS else []
        case ast.Name(id=name):
            return [name] if name in CALLS else []
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(value=str(name)), *_]):
            return [name] if called == "import_module" else []
    return []


@cache
def find_ways_out() -> dict[str, set[str]]:
    """The ways out of each module."""
    return {str(path.relative_to(ROOT)): set(list_ways_out(source.nodes)) for path, source in parse_sources().items()}


def allowed_ways(path: str) -> set[str]:
    return {way for pattern, (ways, _) in ALLOWED.items() if fnmatch(path, pattern) for way in ways}


def test_a_module_has_no_way_out_of_its_own():
    own = {path: ways - allowed_ways(path) for path, ways in find_ways_out().items() if not fnmatch(path, HOME)}
    assert {path: ways for path, ways in own.items() if ways} == {}, "these should ask assay.net"


@pytest.mark.parametrize(
    ("planted", "way"),
    [
        ("import httpx", "httpx"),
        ("def fetch():\n    import httpx as h", "httpx"),
        ("from urllib.request import urlopen", "urllib.request"),
        ("from urllib import request", "urllib.request"),
        ("import urllib.request as plain", "urllib.request"),
        ("from http import client", "http.client"),
        ("import http.client", "http.client"),
        ("import socket", "socket"),
        ("from socket import create_connection as go", "socket"),
        ("from curl_cffi.requests import AsyncSession", "curl_cffi"),
        ("import requests.adapters", "requests"),
        ("import aiohttp", "aiohttp"),
        ("import boto3", "boto3"),
        ("from importlib import import_module\nimport_module('httpx')", "httpx"),
        ("import importlib\nimportlib.import_module('http.client')", "http.client"),
        ("__import__('socket')", "__import__"),
        ("import asyncio\nasync def go():\n    await asyncio.open_connection('a', 1)", "open_connection"),
        ("from asyncio import open_connection as go", "open_connection"),
        ("async def go(loop):\n    await loop.create_connection(P, 'a', 1)", "create_connection"),
        ("import asyncio\ngo = asyncio.create_subprocess_exec", "create_subprocess_exec"),
        ("import os\nos.popen('curl x')", "popen"),
        ("import os\nos.system('curl x')", "popen"),
        ("import subprocess", "subprocess"),
        ("import feedparser", "feedparser"),
        ("from mcp.client.session import ClientSession", "mcp.client"),
        ("if False:\n    try:\n        import ftplib\n    except ImportError:\n        pass", "ftplib"),
    ],
)
def test_a_planted_way_out_is_found(planted, way):
    assert way in set(list_ways_out(parse(planted).nodes))


@pytest.mark.parametrize(
    "harmless",
    [
        "from urllib.parse import urlsplit",
        "import http",
        "from assay.net.guarded_client import GuardedClient",
        "import requests_like",
        "x = 'httpx'",
        "from . import socket",
    ],
)
def test_what_does_not_go_out_is_left_alone(harmless):
    assert set(list_ways_out(parse(harmless).nodes)) == set()


def test_the_way_out_itself_would_be_found():
    found = {way for path, ways in find_ways_out().items() if fnmatch(path, HOME) for way in ways}
    assert {"httpx", "httpcore", "curl_cffi", "socket", "create_connection", "getaddrinfo"} <= found


@pytest.mark.parametrize(("pattern", "ways"), [(pattern, ways) for pattern, (ways, _) in ALLOWED.items()])
def test_no_permission_outlives_its_use(pattern, ways):
    held = [found for path, found in find_ways_out().items() if fnmatch(path, pattern)]
    assert not held or ways & set().union(*held)


def test_certificates_are_checked_everywhere():
    for path, source in parse_sources().items():
        for node in source.nodes:
            off = isinstance(node, ast.keyword) and node.arg in {"verify", "check_hostname", "ssl"}
            assert not (off and isinstance(node.value, ast.Constant) and node.value.value is False), path
            assert not (isinstance(node, ast.Attribute) and node.attr in {"CERT_NONE", "_create_unverified_context"}), (
                path
            )
