"""Compares names that are written in different scripts, by their sounds.

One name has several spellings in Latin letters (Щербинский: Shcherbinsky, Ščerbinskij), Arabic and Hebrew leave vowels
out, and Chinese characters do not tell how a Japanese name is read. So consonants are compared, and roughly.
"""

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from anyascii import anyascii

type Script = Literal["latin", "han", "other", ""]

HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
FOREIGN = re.compile(r"[^\W\d_\x00-\u024f\u1e00-\u1eff]")  # letters of other scripts than Latin
LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
SOUNDS = (
    (re.compile(r"s(?:h?ch|cz|c)|tch|tsch|ch|cz|c(?=[eiy])"), "c"),
    (re.compile(r"sh|sz|zh|ts|tz|z|x"), "s"),
    (re.compile(r"kh|gh|q|g|c(?![eiy])|k"), "k"),
    (re.compile(r"ph|f|v|w(?=[aeiou])|b|p"), "p"),
    (re.compile(r"th|dh|d|t"), "t"),
    (re.compile(r"j"), "c"),
    (re.compile(r"[lr]"), "l"),
    (re.compile(r"[^cskptlmn]"), ""),
)
MIN_LIKENESS = 0.72  # share of common consonants from which on two names can be one


def find_script(text: str) -> Script:
    """Return the script of most letters; "" for text without letters."""
    foreign, latin = len(FOREIGN.findall(text)), len(LATIN.findall(text))
    if not foreign and not latin:
        return ""
    if latin >= foreign:
        return "latin"
    return "han" if HAN.search(text) else "other"


def scripts_differ(one: str, other: str) -> bool:
    """Return whether one text is in Latin letters and the other is not."""
    scripts = {find_script(one), find_script(other)}
    return "latin" in scripts and bool(scripts & {"han", "other"})


@lru_cache(maxsize=4096)
def find_consonants(name: str) -> str:
    """Return the consonants of a name, by classes of sounds that spellings in Latin letters confuse."""
    letters = re.sub(r"[^a-z]", "", anyascii(name).casefold())
    for pattern, sound in SOUNDS:
        letters = pattern.sub(sound, letters)
    return re.sub(r"(.)\1+", r"\1", letters)


def sounds_alike(one: str, other: str) -> bool:
    """Return whether two spellings of a name can be of one name."""
    left, right = find_consonants(one), find_consonants(other)
    if not left or not right:
        return left == right
    return SequenceMatcher(None, left, right, autojunk=False).ratio() >= MIN_LIKENESS
