"""Invariants of all text produced from untrusted input."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 2.0  # maximum CPU time for inputs of up to 200 KB
SLACK = 20_000  # maximum output characters for a short input
FACTOR = 6  # maximum ratio of output to input length for a long input

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
INVISIBLE = re.compile(
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
LINK_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:\s*(\S+)", re.MULTILINE)
MARKUP = re.compile(
    r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*|/)?>|<!--|<!\[CDATA\[|<[!?][A-Za-z]|<[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*>"
)
SAFE = re.compile(r"(?:https?:|mailto:|tel:|ftp:)", re.IGNORECASE)


@contextmanager
def limit_cpu_time(what: str, seconds: float = SECONDS) -> Iterator[None]:
    began = time.process_time()
    yield
    took = time.process_time() - began
    assert took <= seconds, f"{what} took {took:.1f} s"


def assert_clean(text: str, what: str = "text") -> None:
    """Assert that the text is valid UTF-8 without invisible characters."""
    text.encode()
    for unwanted in (CONTROLS, INVISIBLE, TAGS):
        match = unwanted.search(FLAGS.sub("", text))
        assert match is None, f"{what} holds {match[0]!r} in {text[max(0, match.start() - 30) : match.end() + 30]!r}"


def assert_bounded(text: str, input_length: int, what: str = "text") -> None:
    """Assert that the length is bounded by `given`, the input's length."""
    assert len(text) <= FACTOR * input_length + SLACK, f"{what}: {input_length:,} became {len(text):,}"


def assert_safe_markdown(markdown: str) -> None:
    """Assert that no link runs a script and that page text becomes neither a link nor markup."""
    for paragraph in re.split(r"\n[> ]*\n", CODE.sub("`code`", markdown)):
        text = ESCAPED.sub("..", paragraph)
        for match in [*_links(text), *LINK_DEFINITION.finditer(text)]:
            target = match[1].strip("<>")
            around = text[max(0, match.start() - 60) : match.end()]
            assert not target or SAFE.match(target), f"a link to {target[:80]!r} in {around!r}"
        markup = MARKUP.search(text)
        assert markup is None, f"markup in {text[max(0, markup.start() - 40) : markup.end() + 40]!r}"


def _links(text: str) -> Iterator[re.Match[str]]:
    """Yield the positions where an open bracket is closed before a link target."""
    open_brackets = 0
    for bracket in re.finditer(r"[\[\]]", text):
        if bracket.group() == "[":
            open_brackets += 1
        elif open_brackets:
            open_brackets -= 1
            if match := TARGET.match(text, bracket.start()):
                yield match
