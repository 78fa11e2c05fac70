"""Parsers of the text of environment variables. They raise ValueError with what to set instead."""

import json
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}
PURPOSES = frozenset({"memory", "analytics", "workspace", "monitoring"})
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LEVEL_ALIASES = {"WARN": "WARNING", "FATAL": "CRITICAL"}

type Parser = Callable[[str], Any]  # the text of a variable to its value


def parse_text(value: str) -> str:
    return value


def parse_secret(value: str) -> str:
    """A credential: it is left out of representations, logs and documents."""
    return value


def parse_lower(value: str) -> str:
    return value.lower()


def parse_path(value: str) -> Path:
    return Path(value).expanduser()


def parse_flag(value: str) -> bool:
    word = value.lower()
    if word not in TRUE | FALSE:
        raise ValueError("set it to true or false")
    return word in TRUE


def parse_level(value: str) -> str:
    level = LEVEL_ALIASES.get(value.upper(), value.upper())
    if level not in LEVELS:
        raise ValueError(f"set it to one of {', '.join(LEVELS)}")
    return level


def parse_list(value: str) -> tuple[str, ...]:
    return tuple(word.strip().lower() for word in value.split(",") if word.strip())


def parse_purposes(value: str) -> frozenset[str]:
    """Purposes for which personal data may be stored."""
    purposes = frozenset(parse_list(value))
    if not purposes <= PURPOSES:
        raise ValueError(f"set it to one or more of {', '.join(sorted(PURPOSES))}, separated by commas")
    return purposes


def parse_words(value: str) -> tuple[str, ...]:
    """Words separated by white space or commas, in their own case."""
    return tuple(value.replace(",", " ").split())


def parse_origin(value: str) -> str:
    """The scheme and host of a web address, without a path."""
    origin = value.rstrip("/")
    is_safe = origin.startswith("https://") or re.match(r"http://(127\.0\.0\.1|localhost|\[::1\])(:|$)", origin)
    if not is_safe or not re.fullmatch(r"https?://[a-z0-9.:\[\]-]+", origin):
        raise ValueError("set it to an address such as https://assay.example, in small letters and without a path")
    return origin


def parse_issuer(value: str) -> str:
    """The identifier of an issuer, unchanged: it is compared as text. http is for loopback alone."""
    if not re.match(r"https://[^/?#\s]|http://(127\.0\.0\.1|localhost|\[::1\])(:|/|$)", value) or re.search(
        r"[?#\s]", value
    ):
        raise ValueError("set it to the https address that the issuer names in its tokens")
    return value


def integer(minimum: int = 0) -> Parser:
    """A parser of whole numbers from `minimum` up."""

    def parse(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            number = minimum - 1
        if number < minimum:
            raise ValueError(f"set it to a whole number from {minimum} up")
        return number

    return parse


def choice(*words: str) -> Parser:
    """A parser that accepts one of `words`, in any case."""

    def parse(value: str) -> str:
        if value.lower() not in words:
            raise ValueError(f"set it to {' or '.join(words)}, or unset it")
        return value.lower()

    return parse


def parse_duration(text: str) -> int:
    """Seconds of `7d`, `4h`, `90m`, `1h30m`, `7200s` or `7200`; 0 for any other text."""
    match = re.fullmatch(r"(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,8})m)?(?:(\d{1,9})s?)?", text.strip().lower())
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (0, 0, 0, 0)
    return days * 86_400 + hours * 3_600 + minutes * 60 + seconds


def parse_seconds(value: str) -> int:
    if (seconds := parse_duration(value)) < 1:
        raise ValueError("set it to a time, such as 4h")
    return seconds


def parse_dollars(value: str) -> int:
    """Dollars as micro-dollars."""
    try:
        amount = Decimal(value.removeprefix("$"))
    except InvalidOperation:
        amount = Decimal(-1)
    if not amount.is_finite() or not 0 <= amount <= 1_000_000:
        raise ValueError("set it to dollars, such as 0.50")
    return int(amount * 1_000_000)


def parse_prices(value: str) -> dict[str, int]:
    """Dollars a request by provider, as micro-dollars: `brave=0.003 reddit=0`."""
    prices = {}
    for word in parse_words(value):
        name, equals, amount = word.partition("=")
        if not name or not equals:
            raise ValueError("set it to names with dollars, such as brave=0.003")
        prices[name] = parse_dollars(amount)
    return prices


def parse_probability(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0.5 <= number <= 1:
        raise ValueError("set it to a probability from 0.5 to 1, such as 0.95")
    return number


def parse_trials(value: str) -> tuple[int, int]:
    """Errors and trials of a measurement, such as `0/755`."""
    match = re.fullmatch(r"(\d{1,9})\s*/\s*(\d{1,9})", value)
    if not match or int(match[1]) > int(match[2]):
        raise ValueError("set it to errors and trials, such as 0/755")
    return int(match[1]), int(match[2])


def parse_routing(value: str) -> dict[str, tuple[str, ...]]:
    """Providers in order, per operation: `brave,searxng`, or `{"news": "brave", "default": "brave,searxng"}`."""
    if not value.startswith("{"):
        return {"default": parse_list(value)}
    try:
        return {operation: parse_list(names) for operation, names in json.loads(value).items()}
    except (ValueError, AttributeError):
        sentence = 'set it to a list such as "brave,searxng" or an object such as {"web": "brave"}'
    raise ValueError(sentence)


def parse_isolation(value: str) -> bool:
    return value != "shared"
