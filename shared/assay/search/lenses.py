"""Lenses: named sets of hosts that restrict a search. Built-in ones, and the operator's from CUSTOM_LENSES_PATH."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.errors import ConfigError, InvalidInput
from assay.settings import Settings
from assay.text.plain_text import to_plain_text
from assay.text.url_text import parse_http_url

LAYER, PACKAGE = Path("/opt/lenses"), Path(__file__).parents[1]
BUILT_IN = (LAYER, PACKAGE / "lenses", PACKAGE.parent.parent / "lenses")
NAMES = (
    "academic", "academic-extended", "clinical", "devops", "docs", "finance", "government", "investigative_records",
    "legal", "medical", "news", "programming", "programming-goggle", "science", "security", "tech",
)  # fmt: skip
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
FIELDS = {"name", "description", "domains", "cx", "goggle"}


@dataclass(frozen=True)
class Lens:
    """`domains` are hosts or `host/path`, in lower case; `cx` is a Google engine id, `goggle` a Brave Goggle URL."""

    name: str
    description: str = ""
    domains: tuple[str, ...] = ()
    cx: str | None = None
    goggle: str | None = None


class Lenses:
    """All lenses, read on first use. An operator's lens replaces a built-in one with the same name."""

    def __init__(self, settings: Settings, built_in: tuple[Path, ...] = BUILT_IN) -> None:
        self._custom, self._built_in = settings.lenses_path, built_in

    def names(self) -> list[str]:
        return sorted(self.all)

    def find(self, name: str) -> Lens:
        """The lens of this name. Raises InvalidInput, which lists the known names."""
        key = name.strip().lower()
        if key not in self.all:
            raise InvalidInput(
                f"There is no lens {to_plain_text(name, 40)!r}; known lenses: {', '.join(self.names())}.", field="lens"
            )
        return self.all[key]

    @cached_property
    def all(self) -> Mapping[str, Lens]:
        """Every lens by name. Raises ConfigError, which names the file that cannot be used."""
        folder = next((folder for folder in self._built_in if folder.is_dir()), None)
        found = {lens.name: lens for lens in _read_all(folder)} if folder else {}
        if self._custom is not None:
            if not self._custom.exists():
                raise _build_file_error(self._custom, "it does not exist")
            found |= {lens.name: lens for lens in _read_all(self._custom)}
        return found


def describe_names(names: Iterable[str]) -> str:
    """The description of a tool's `lens` input, which lists every lens."""
    return f"Search only trusted sites: {', '.join(names)}. Not with site."


def list_custom_lenses(cards: Sequence[Mapping[str, Any]], names: Iterable[str]) -> list[Mapping[str, Any]]:
    """Copies of the tool cards with these lens names in the description of their `lens` input."""
    description, updated = describe_names(names), list(cards)
    for number, card in enumerate(updated):
        properties = card["inputSchema"].get("properties", {})
        if "lens" in properties:
            schema = card["inputSchema"] | {
                "properties": properties | {"lens": properties["lens"] | {"description": description}}
            }
            updated[number] = {**card, "inputSchema": schema}
    return updated


def _read_all(path: Path) -> Iterator[Lens]:
    for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise _build_file_error(file, "it is not readable JSON") from error
        for entry in document if isinstance(document, list) else [document]:
            yield _parse_lens(file, entry)


def _parse_lens(file: Path, entry: Any) -> Lens:
    if not isinstance(entry, dict):
        raise _build_file_error(file, "a lens must be an object with name, description and domains")
    if unknown := set(entry) - FIELDS:
        raise _build_file_error(file, f"unknown field {min(unknown)!r}; allowed fields: {', '.join(sorted(FIELDS))}")
    name = str(entry.get("name", file.stem)).lower()
    if not NAME.fullmatch(name):
        raise _build_file_error(
            file, f"{name!r} is not a valid name: use lower-case letters, digits, hyphens and underscores"
        )
    domains = entry.get("domains", [])
    if not isinstance(domains, list):
        raise _build_file_error(file, "domains must be a list")
    lens = Lens(
        name,
        to_plain_text(entry.get("description"), 400),
        tuple(dict.fromkeys(_parse_domain(file, domain) for domain in domains)),
        _get_text(file, entry, "cx"),
        _get_text(file, entry, "goggle"),
    )
    if not (lens.domains or lens.cx or lens.goggle):
        raise _build_file_error(file, "a lens needs domains, cx or goggle")
    if lens.goggle and not lens.goggle.startswith("https://"):
        raise _build_file_error(file, "goggle must be an https URL")
    return lens


def _parse_domain(file: Path, entry: Any) -> str:
    """`host` or `host/path`, normalised as result URLs are. An entry may be a string or `{host, reason}`."""
    host = entry.get("host") if isinstance(entry, dict) else entry
    if not isinstance(host, str) or re.search(r"[\s?#@:*\\]|^\.|^$", host):
        raise _build_file_error(
            file, f"{host!r} is not a domain: write example.org or example.org/path, without scheme or port"
        )
    at = parse_http_url(f"https://{host}")
    if at is None or "." not in at.host:
        raise _build_file_error(
            file, f"{host!r} is not a domain: write example.org or example.org/path, without scheme or port"
        )
    return at.host.removeprefix("www.") + at.path.rstrip("/").lower()


def _get_text(file: Path, entry: Mapping[str, Any], field: str) -> str | None:
    value = entry.get(field)
    if value is not None and not isinstance(value, str):
        raise _build_file_error(file, f"{field} must be a string")
    return value or None


def _build_file_error(file: Path, reason: str) -> ConfigError:
    return ConfigError(f"The lens file {file.name}: {reason}.", field="CUSTOM_LENSES_PATH", action="inform_user")
