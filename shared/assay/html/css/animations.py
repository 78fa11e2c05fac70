"""The declarations that an animation holds when it has ended, or all the time (CSS Animations Level 1).

A page is taken as it is after a minute. Paused animations wait for a script and count as not there.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from assay.html.css.css_syntax import split_list
from assay.html.css.declarations import parse_declarations

KEYFRAMES = re.compile(r"@(?:-[a-z]{1,10}-)?keyframes\s++[\"']?([\w-]{1,200})[\"']?\s*\{", re.IGNORECASE)
FRAME = re.compile(r"\s*+([^{}]*+)\{([^{}]*+)\}")
PLACES = {"from": 0.0, "to": 100.0}
MAX_FRAMES = 2_000  # of a document
MAX_ANIMATIONS = 20  # of an element
MAX_CHARACTERS = 1_000  # of an animation in the shorthand
WORD = re.compile(r"[\w.+-]+\([^()]*(?:\([^()]*\)[^()]*)*\)|[\w.%+-]+")
TIME = re.compile(r"([-+]?\d*\.?\d+)(m?s)")
NUMBER = re.compile(r"\d*\.?\d+")
FILLS = frozenset(("forwards", "backwards", "both"))
DIRECTIONS = frozenset(("reverse", "alternate", "alternate-reverse"))
PROPERTIES = ("animation", "-webkit-animation")
LONG = 60.0  # seconds until which an animation has ended

type Values = Mapping[str, str]


class Keyframes(NamedTuple):
    """What the first and the last frame of an animation declare."""

    first: Values
    last: Values


@dataclass
class Animation:
    """An animation of an element; times are in seconds."""

    name: str = ""
    duration: float = 0.0
    delay: float = 0.0
    iterations: float = 1.0
    direction: str = "normal"
    fill: str = "none"
    is_paused: bool = False


class Animations:
    """The keyframes of style sheets, read when an element needs them."""

    def __init__(self, sheets: Sequence[str]) -> None:
        self.sheets = [sheet for sheet in sheets if "keyframes" in sheet.lower()]

    @cached_property
    def keyframes(self) -> dict[str, Keyframes]:
        """Keyframes by name, in lower case; of those with the same name the last count."""
        return dict(self._read_keyframes())

    def _read_keyframes(self) -> Iterator[tuple[str, Keyframes]]:
        count = 0
        for sheet in self.sheets:
            for found in KEYFRAMES.finditer(sheet):
                frames: tuple[dict[str, str], dict[str, str]] = {}, {}
                end = found.end()
                while count < MAX_FRAMES and (frame := FRAME.match(sheet, end)):
                    count += 1
                    end = frame.end()
                    _add_frame(frames, frame[1], frame[2])
                yield found[1].lower(), Keyframes(*frames)

    def find_held(self, values: Values) -> dict[str, str]:
        """Return the declarations that the animations among an element's `values` hold."""
        held: dict[str, str] = {}
        for animation in self._list_animations(values):
            if animation.name in self.keyframes:
                held |= _find_held(animation, self.keyframes[animation.name])
        return held

    def list_names(self, values: Values) -> list[str]:
        """Return the names of the animations that an element with these values has."""
        return [animation.name for animation in self._list_animations(values)]

    def _list_animations(self, values: Values) -> list[Animation]:
        for prefix in PROPERTIES:
            if prefix in values or f"{prefix}-name" in values:
                shorthands = _split(values.get(prefix, ""))[:MAX_ANIMATIONS]
                animations = [self._read_shorthand(text) for text in shorthands]
                return _read_longhands(animations, values, prefix)
        return []

    def _read_shorthand(self, text: str) -> Animation:
        """Read one animation of the shorthand."""
        found = Animation()
        times = []
        for word in WORD.findall(text[:MAX_CHARACTERS]):
            if word in self.keyframes:
                found.name = word
            elif TIME.fullmatch(word):
                times.append(_read_time(word))
            elif word == "infinite" or NUMBER.fullmatch(word):
                found.iterations = _read_iterations(word)
            elif word in FILLS:
                found.fill = word
            elif word in DIRECTIONS:
                found.direction = word
            elif word == "paused":
                found.is_paused = True
        found.duration, found.delay = [*times, 0.0, 0.0][:2]
        return found


def _add_frame(frames: tuple[dict[str, str], dict[str, str]], selectors: str, body: str) -> None:
    """Add what a frame declares to the first frame, the last one, or neither; important declarations do not count."""
    places = {_read_place(word.strip().lower()) for word in selectors.split(",")}
    for place, frame in zip(PLACES.values(), frames, strict=True):
        if place in places:
            frame.update(
                {name: value for name, (value, important) in parse_declarations(body).items() if not important}
            )


def _read_place(word: str) -> float | None:
    """Return the place of a frame in per cent."""
    number = word.removesuffix("%")
    return float(number) if number != word and NUMBER.fullmatch(number) else PLACES.get(word)


def _split(value: str) -> list[str]:
    return [text.strip() for text in split_list(value)] if value else []


def _read_time(text: str) -> float:
    found = TIME.fullmatch(text)
    return 0.0 if found is None else float(found[1]) / (1 if found[2] == "s" else 1000)


def _read_iterations(text: str) -> float:
    return float("inf") if text == "infinite" else float(text) if NUMBER.fullmatch(text) else 1.0


LONGHANDS: dict[str, tuple[str, Callable[[str], object]]] = {  # the field of each, and how its value is read
    "duration": ("duration", _read_time),
    "delay": ("delay", _read_time),
    "iteration-count": ("iterations", _read_iterations),
    "direction": ("direction", str),
    "fill-mode": ("fill", str),
    "play-state": ("is_paused", lambda text: text == "paused"),
}


def _read_longhands(animations: list[Animation], values: Values, prefix: str) -> list[Animation]:
    """Return the animations with what the properties of their parts declare; a shorter list begins again."""
    if names := _split(values.get(f"{prefix}-name", ""))[:MAX_ANIMATIONS]:
        animations = (animations + [Animation() for _ in names])[: len(names)]
        for animation, name in zip(animations, names, strict=True):
            animation.name = name.strip("\"'")
    for part, (field, read) in LONGHANDS.items():
        words = _split(values.get(f"{prefix}-{part}", ""))
        for place, animation in enumerate(animations if words else ()):
            setattr(animation, field, read(words[place % len(words)]))
    return animations


def _find_held(animation: Animation, frames: Keyframes) -> Values:
    """Return what an animation declares after a minute."""
    first, last = frames if "reverse" not in animation.direction else frames[::-1]
    if animation.is_paused:
        return {}
    if animation.delay > LONG:
        return first if animation.fill in ("backwards", "both") else {}
    if animation.duration > LONG:
        return first
    if animation.iterations == float("inf"):
        return {name: value for name, value in first.items() if last.get(name) == value}
    if animation.fill not in ("forwards", "both"):
        return {}
    return first if "alternate" in animation.direction and animation.iterations % 2 == 0 else last
