"""Invariants of all text produced from untrusted input."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 2.0  # maximum CPU time for inputs of up to 200 KB
SLACK = 20_000  # maximum output characters for a short input
FACTOR = 6  # maximum ratio of output to input length for a long input

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u202a-\u202e\u2028\u2029\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\ue000-\uf8ff\U000e0000\U000e0001\U000e0080-\U000e0fff\U000f0000-\U0010ffff]"
)
FLAGS = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{5}\U000e007f|\U0001f3f4[\U000e0061-\U000e007a]{4}\U000e007f")
TAGS = re.compile("[\U000e0002-\U000e007f]")
CODE = re.compile(
    r"^(?P<indent>[> ]*(?:[-:] |\d+\. )*[> ]*)(?P<fence>`{3,})[^`\n]*\n.*?^[> ]*(?P=fence)$|(?<![`\\])(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)",
    re.DOTALL | re.MULTILINE,
)
TARGET = re.compile(r"\]\(\s*(<[^>\n]*>|[^\s()]*)")
ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")
DEFINED = re.compile(r"^ {0,3}\[[^\]\n]+\]:\s*(\S+)", re.MULTILINE)
MARKUP = re.compile(
    r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*|/)?>|<!--|<!\[CDATA\[|<[!?][A-Za-z]|<[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*>"
)
SAFE = re.compile(r"(?:https?:|mailto:|tel:|ftp:)", re.IGNORECASE)


@contextmanager
def soon(what: str, seconds: float = SECONDS) -> Iterator[None]:
    began = time.process_time()
    yield
    took = time.process_time() - began
    assert took <= seconds, f"{what} took {took:.1f} s"


def clean(text: str, what: str = "text") -> None:
    """Assert that the text is valid UTF-8 without invisible characters."""
    text.encode()
    for unwanted in (CONTROLS, UNSEEN, TAGS):
        found = unwanted.search(FLAGS.sub("", text))
        assert found is None, f"{what} holds {found[0]!r} in {text[max(0, found.start() - 30) : found.end() + 30]!r}"


def bounded(text: str, given: int, what: str = "text") -> None:
    """Assert that the length is bounded by `given`, the input's length."""
    assert len(text) <= FACTOR * given + SLACK, f"{what}: {given:,} became {len(text):,}"


def safe_markdown(markdown: str) -> None:
    """Assert that no link runs a script and that page text becomes neither a link nor markup."""
    for paragraph in re.split(r"\n[> ]*\n", CODE.sub("`code`", markdown)):
        text = ESCAPED.sub("..", paragraph)
        for found in [*_links(text), *DEFINED.finditer(text)]:
            target = found[1].strip("<>")
            around = text[max(0, found.start() - 60) : found.end()]
            assert not target or SAFE.match(target), f"a link to {target[:80]!r} in {around!r}"
        live = MARKUP.search(text)
        assert live is None, f"markup in {text[max(0, live.start() - 40) : live.end() + 40]!r}"


def _links(text: str) -> Iterator[re.Match[str]]:
    """Yield the positions where an open bracket is closed before a link target."""
    opened = 0
    for bracket in re.finditer(r"[\[\]]", text):
        if bracket.group() == "[":
            opened += 1
        elif opened:
            opened -= 1
            if found := TARGET.match(text, bracket.start()):
                yield found
