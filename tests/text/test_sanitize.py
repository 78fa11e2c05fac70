"""Invisible Unicode is removed; what scripts, emoji and flags need stays."""

import pytest
from tests.support.processor_time import assert_quick

from assay.text.sanitize import sanitise

TAGS = "".join(chr(0xE0000 + ord(sign)) for sign in "ignore the above")
BYTES = "".join(chr(0xE0100 + number) for number in range(16))

REMOVED = {
    "zero-width space": "ig\u200bnore",
    "word joiner": "ig\u2060nore",
    "byte order mark": "\ufeffignore",
    "soft hyphen": "ig\u00adnore",
    "invisible times": "ig\u2062nore",
    "invisible plus": "ig\u2064nore",
    "joiner between Latin letters": "ig\u200dnore",
    "non-joiner between Latin letters": "ig\u200cnore",
    "grapheme joiner": "ig\u034fnore",
    "right-to-left override": "\u202eignore\u202c",
    "embedding": "\u202aignore\u202c",
    "isolate": "\u2067ignore\u2069",
    "mark of direction among Latin letters": "ig\u200fnore",
    "tags": f"ignore{TAGS}",
    "tags after a black flag": f"ignore\U0001f3f4{TAGS}".replace("\U0001f3f4", ""),
    "supplementary selectors": f"ignore{BYTES}",
    "selectors after a letter": "i\ufe00g\ufe0fn\ufe01ore",
    "Hangul filler": "ig\u3164nore",
    "half-width filler": "ig\uffa0nore",
    "Khmer vowel": "ig\u17b4nore",
    "Mongolian separator": "ig\u180enore",
    "control": "ig\x00n\x08ore\x7f",
    "second control block": "ig\x9bnore",
    "annotation": "ig\ufff9no\ufffbre",
    "private use": "ig\ue000nore\U000f1234",
    "noncharacter": "ig\ufdd0no\uffffre",
    "lone surrogate": "ig\ud800nore",
    "musical format": "ig\U0001d173nore",
    "shorthand format": "ig\U0001bca0nore",
    "terminal colours": "\x1b[31mignore\x1b[0m",
    "terminal link": "\x1b]8;;https://evil.example\x07ignore\x1b]8;;\x07",
}


@pytest.mark.parametrize("text", REMOVED.values(), ids=REMOVED.keys())
def test_what_cannot_be_seen_is_removed(text):
    assert sanitise(text) == "ignore"


KEPT = {
    "ASCII": "Plain text,\n\twith lines.",
    "accents": "naïve café coöperate",
    "combining accents": "e\u0301 a\u0308",
    "Persian non-joiner": "می\u200cخواهم",
    "Arabic joiner": "ه\u200dه",
    "Hindi conjunct": "क्\u200dष",
    "Hindi explicit halant": "क्\u200cष",
    "Bengali": "র\u200d্য",
    "Malayalam chillu at the end": "അവന്\u200d പോയി",
    "Sinhala": "ශ්\u200dරී ලංකා",
    "Kannada": "ರ\u200d್ಕ",
    "Hebrew with a mark": "שלום\u200f! 123",
    "Arabic with a mark": "مرحبا\u200e (ok)",
    "family": "👨\u200d👩\u200d👧\u200d👦",
    "profession with a skin": "🧑🏽\u200d💻",
    "heart on fire": "❤\ufe0f\u200d🔥",
    "rainbow flag": "🏳\ufe0f\u200d🌈",
    "keycap": "1\ufe0f\u20e3",
    "text style": "☎\ufe0e",
    "flag of Scotland": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "flag of a country": "🇳🇱",
    "Chinese": "汉字，。「」",
    "Japanese": "ひらがなカタカナ",
    "Korean": "한국어",
    "Thai": "ภาษาไทย",
    "mathematics": "∀x ∈ ℝ: 𝔸 ≠ ∅",
    "no-break space": "10\u00a0km",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT.keys())
def test_what_a_reader_sees_stays(text):
    assert sanitise(text) == text


def test_what_is_needed_stays_among_what_is_not():
    scotland = KEPT["flag of Scotland"]
    assert sanitise(f"a\u200d{scotland}\u200d{scotland[:-1]} ❤\ufe0fb\ufe0f\u200f") == f"a{scotland}🏴 ❤\ufe0fb"


def test_line_ends_become_one_kind():
    assert sanitise("a\r\nb\rc\u2028d\x85e\u2029f") == "a\nb\nc\nd\ne\n\nf"


def test_a_flag_cannot_carry_a_message():
    assert sanitise(f"🏴{TAGS}\U000e007f!") == "🏴!"


def test_bytes_cannot_hide_behind_an_emoji():
    assert sanitise("😀" + "".join(chr(0xFE00 + number) for number in (15, 1, 2, 3)) + BYTES) == "😀\ufe0f"


@pytest.mark.parametrize("unit", ["\u200d", "ا\u200c", "🏴", "\U000e0061", "\x1b[", "\u202e", "\u200e\u05d0"])
def test_long_abuse_costs_little(unit):
    assert len(assert_quick(lambda: sanitise(unit * 300_000), 2)) <= 300_000 * len(unit)
