"""Removes invisible Unicode characters from external text (UAX #9 controls, UTS #51 emoji sequences, UTS #39)."""

import re
from functools import cache

# Always removed: controls but tab and line feed, soft hyphen, grapheme joiner, Arabic letter mark, Hangul
# fillers, Khmer inherent vowels, Mongolian selectors, zero-width space, marks and overrides of direction, word joiner,
# invisible operators, isolates, deprecated formats, BOM, interlinear annotation, shorthand and musical formats,
# surrogates, noncharacters, private use, and the supplementary selectors.
ALWAYS_REMOVED = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ufdd0-\ufdef\ue000-\uf8ff\ud800-\udfff"
    "\U000110bd\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e0fff\U000f0000-\U0010ffff"
)
# Kept where a script or an emoji needs them: joiners, direction marks, variation selectors, tags of a flag.
CONDITIONAL = "\u200c-\u200f\ufe00-\ufe0f\U000e0000-\U000e007f"
ORDINARY = re.compile("[\t\n -~]+")
SUSPECT = re.compile(f"[{ALWAYS_REMOVED}{CONDITIONAL}\u2028\u2029\x85\r]")
REMOVED = re.compile(f"[{ALWAYS_REMOVED}]+")
TERMINAL_ESCAPE = re.compile(
    "\x1b(?:\\[[0-9;?]{0,40}[ -/]?[@-~]|\\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\\\)?)"
)  # terminal escape sequences
LINE_ENDS = re.compile("\r\n?|[\x85\u2028]")

JOINING = (
    "\u0600-\u07bf\u0840-\u085f\u0860-\u08ff\u0900-\u0dff\u0e80-\u0eff\u0f00-\u109f\u1780-\u17ff\u1800-\u18af\u1a20-\u1aaf\u1b00-\u1b7f"
    "\ua800-\ua82f\ua840-\ua87f\ua8e0-\ua9df\uaa60-\uaa7f\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefe"
    "\U00010a00-\U00010a5f\U00011000-\U00011cff\U0001e900-\U0001e95f"
)
RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff"
EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff"
)
IDEOGRAPHS = "\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
CONJOINING = "\u0900-\u097f\u0980-\u0dff"  # scripts in which a word may end with a joiner
VARIANT_SCRIPTS = "\u1000-\u109f\u2200-\u22ff\ua840-\ua87f"  # scripts and symbols with standardized variants
FLAG = (  # England, Scotland and Wales, the only valid ones
    "\U0001f3f4(?:\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067|"
    "\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074|"
    "\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073)\U000e007f"
)
NEEDED = (
    f"(?=[{CONDITIONAL}\U0001f3f4])(?:"  # tells most characters apart at once
    f"({FLAG}"
    f"|(?<=[{JOINING}])[\u200c\u200d](?=[{JOINING}])"
    f"|(?<=[{CONJOINING}])[\u200c\u200d](?=[\\s.,;:!?)]|$)"
    f"|(?<=[{EMOJI}\ufe0f])\u200d(?=[{EMOJI}])"
    f"|(?<=[{EMOJI}0-9#*])[\ufe0e\ufe0f]"
    f"|(?<=[{IDEOGRAPHS}{VARIANT_SCRIPTS}])[\ufe00-\ufe02](?![\ufe00-\ufe0f])"
    f"|(?<=[{RIGHT_TO_LEFT}])[\u200e\u200f]|[\u200e\u200f](?=[{RIGHT_TO_LEFT}])"
    f")|[{CONDITIONAL}])"
)
CONDITIONAL_CHARACTER = re.compile(f"[{CONDITIONAL}]")


def sanitise(text: str) -> str:
    r"""Return the text without invisible characters, except where a script, an emoji or a flag needs them.

    Line ends become `\\n`.
    """
    if text.isascii() and text.isprintable():  # fast path for most short texts
        return text
    rare = ORDINARY.sub("", text)  # faster than searching the whole text
    if not SUSPECT.search(rare):
        return text
    if "\x1b" in rare:
        text = TERMINAL_ESCAPE.sub("", text)
    if LINE_ENDS.search(rare):
        text = LINE_ENDS.sub("\n", text)
    text = text.replace("\u2029", "\n\n")
    if REMOVED.search(rare):
        text = REMOVED.sub("", text)
    return needed_pattern().sub(r"\1", text) if CONDITIONAL_CHARACTER.search(rare) else text


@cache
def needed_pattern() -> re.Pattern[str]:
    """Return the pattern that captures needed characters in group 1; compiled on first use, because it is large."""
    return re.compile(NEEDED)
