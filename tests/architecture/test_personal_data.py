"""Every prefix of a table key or object name is registered: as a person's data, as expiring, or as about nobody."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from tests.architecture.sources import ROOT, Source, parse, parse_sources

from assay.personal_data.namespaces import EXPIRING, IMPERSONAL, NAMESPACES, OWN_RECORDS

PACKAGE = ROOT / "shared/assay"
WITHOUT_STORES = ("providers", "scraping", "aws", "local", "chromium")
PREFIX = re.compile(r"[a-z][a-z-]*(?:/[a-z-]+)*/")
STORES = re.compile(r"\b(table|bucket|services)\b|_key\(|_name\(")
KEYS = frozenset({"KEY", "PARTITION", "STALE", "UNDELIVERED"})  # constants that are whole keys
BUILT = {  # from the name of the kind of a job, by a function, without a slash, or in a package that is not read
    "crawls/active", "crawls/parked", "audits/active", "audits/parked", "tool-calls/active", "tool-calls/parked",
    "webhooks/active", "webhooks/parked", "crawl", "audit", "webhook", "calls-of-all", "audit-checkpoint", "audit-key",
    "audit-outbox", "audit-streams", "upload-address",
}  # fmt: skip
OTHER_TEXT = {  # begins a sort key, the name of a cache entry, or an address, never a key or object name
    "attempt", "brand", "call", "catalogue", "everyone/catalogue", "everyone/filers", "locales", "styles", "stream", "index", "link", "outcome", "page", "robots",
    "files", "slot", "snapshot", "source", "step", "unit", "url", "vectors", "watched",
}  # fmt: skip
REGISTERED = {prefix for each in NAMESPACES for prefix in each.prefixes} | {*EXPIRING, *IMPERSONAL, *OWN_RECORDS}


def find_prefixes(source: Source) -> Iterator[str]:
    """Yield what begins texts with slashes in code that knows a store, and the constants that are keys."""
    if not STORES.search(source.text):
        return
    for node in source.nodes:
        text: object = None
        if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
            text = node.values[0].value
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.left, ast.Constant):
            text = node.left.value
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and _is_key(node):
            text = f"{node.value.value}/"
        elif isinstance(node, ast.Call) and _is_store_call(node) and isinstance(node.args[0], ast.Constant):
            text = f"{node.args[0].value}/"
        if isinstance(text, str) and (match := PREFIX.match(text)):
            yield match.group().rstrip("/")


def _is_key(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id in KEYS for target in node.targets)


def _is_store_call(node: ast.Call) -> bool:
    """Whether the call is one such as `services.table.put("health", …)`."""
    return (
        isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Attribute | ast.Name)
        and re.fullmatch("_?(table|bucket)", getattr(node.func.value, "attr", getattr(node.func.value, "id", "")))
        is not None
        and bool(node.args)
    )


@cache
def find_all_prefixes() -> dict[str, set[str]]:
    """The prefixes in each module of the packages that may store."""
    return {
        str(path.relative_to(PACKAGE)): set(find_prefixes(source))
        for path, source in parse_sources().items()
        if path.is_relative_to(PACKAGE) and path.relative_to(PACKAGE).parts[0] not in WITHOUT_STORES
    }


def test_every_prefix_in_the_code_is_registered():
    unknown = {
        f"{path}: {prefix}"
        for path, prefixes in find_all_prefixes().items()
        for prefix in prefixes
        if prefix not in REGISTERED | OTHER_TEXT
    }
    assert not unknown, "register these in assay.personal_data.namespaces"


def test_every_registered_prefix_is_in_the_code():
    assert REGISTERED.difference(BUILT, *find_all_prefixes().values()) == set()


def test_a_new_prefix_is_found():
    for line in (
        'key = f"diary/{user}"',
        'key = "diary/" + user',
        'KEY = "diary"',
        'await table.put("diary", "-", b"")',
    ):
        assert list(find_prefixes(parse(f"import table\nasync def write():\n    {line}\n"))) == ["diary"], line
