"""Superscripts in text, where joining them to what stands before would change its meaning: 10^6, not 106."""

import re

LONGEST = 12  # characters of a superscript that is no number
NUMBER = re.compile(r"(?:[-−–+]\s?)?\d+(?:\.\d+)?[.,;:)]?")
NUMBERS = re.compile(r"\d+(?:\s?[,;–-]\s?\d+)+")
OTHER = re.compile(r"[-−–+]?([^\W_]\S*)")
ORDINALS = frozenset(("st", "nd", "rd", "th", "er", "re", "ère", "ème", "eme"))
TRADE_MARKS = frozenset(("TM", "SM"))
TITLES = frozenset(("me", "mes", "lle", "lles"))  # Mme, Mlle
CENTS = re.compile(r"\d\d")
PRICE = re.compile(r"[$€£¥]\s?\d[\d,]*\Z")  # without its cents
NOTE = re.compile(r"\d{1,3}(?:\s?[,–-]\s?\d{1,3})*")
AFTER_SENTENCE = re.compile(r"[^\W\d_][.!?,;:]?[”\"’']?\Z")
TITLE_BASE = re.compile(r"(?<!\w)M\Z")


def mark_superscript(before: str, raised: str) -> tuple[str, str]:
    """Return what to write before and after the text `raised`, behind the text `before`; "" where both are joined."""
    text = raised.strip()
    if CENTS.fullmatch(text) and PRICE.search(before):
        return ".", ""
    if text.isdecimal() and before[-1:].isalnum():  # most superscripts: spares them the patterns
        return "^", ""
    if not text or not (_can_change(before) or _is_note(before, text)) or _is_joined(before, text):
        return "", ""
    if NUMBER.fullmatch(text):
        return "^", ""
    other = OTHER.fullmatch(text) if len(text) <= LONGEST else None
    if other is not None and other[1].isalnum():
        return "^", ""
    return ("^(", ")") if other is not None or NUMBERS.fullmatch(text) else ("", "")


def _can_change(before: str) -> bool:
    """Whether a superscript can change what the text ends with: 3 behind a letter, a bracket, or "5."."""
    last = before[-1:]
    return last.isalnum() or (last != "" and last in ")]}") or (last in (".", ",") and before[-2:-1].isdigit())


def _is_note(before: str, text: str) -> bool:
    """Whether the superscript is the number of a note behind a sentence: here.^3"""
    return NOTE.fullmatch(text) is not None and AFTER_SENTENCE.search(before) is not None


def _is_joined(before: str, text: str) -> bool:
    """Whether the superscript is the end of an ordinal, a title or a price, or a trade mark: 19th, Mme, 4.99."""
    return (
        text in TRADE_MARKS
        or (text.lower() in ORDINALS and before[-1].isdigit())
        or (text in TITLES and TITLE_BASE.search(before) is not None)
        or (before[-1] in ".," and CENTS.fullmatch(text) is not None)
    )
