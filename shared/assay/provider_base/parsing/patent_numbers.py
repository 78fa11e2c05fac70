"""Patent numbers as people and offices write them, and the meaning of their kind codes."""

import re
from dataclasses import dataclass

from assay.text.word_lists import parse_words

OFFICES = parse_words(
    "US EP WO JP CN KR AR AT AU BE BR CA CH CZ DD DE DK EA ES FI FR GB HK HU IE IL IN IT LU MX MY NL NO NZ PH PL PT RU "
    "SE SG SU TH TR TW UA VN ZA"
)
PREFIX = r"(?:RE|PP|AI|[DHTXSR])"  # reissues, plants, designs … of the US; years of Japan's emperors
KIND = r"[A-CEFH-IL-MP-UWYZ]\d{0,2}"
SIGNS = re.compile(r"[\s,./\\·‐‑‒–—-]+")
WORDS = re.compile(r"\b(?:patents?|publications?|application|pub|pat|appl|no|number|nr)\b\.?|#|№", re.IGNORECASE)
DOTTED_US = re.compile(r"\bU\.\s?S\.", re.IGNORECASE)
NUMBER = re.compile(rf"([A-Z]{{2}})({PREFIX}?)(\d{{1,13}})({KIND})?")
BARE_US = re.compile(r"\d{1,2},\d{3},\d{3}")
KOREAN = re.compile(r"KR\s*(?:10|20)\s*[-‐–]\s*((?:19|20)\d{2})\s*[-‐–]\s*(\d{7})")
YEARLY = re.compile(r"(WO|US)\s*(\d{4}|\d{2})\s*/\s*(\d{1,7})(?!\d)")
SERIAL = {"WO": 6, "US": 7}  # digits after the year
IN_PATH = re.compile(r"(?:^|/)patent/([A-Z]{2}(?:[A-Z]{1,2})?\d[\dA-Z]*)", re.IGNORECASE)
MIN_DIGITS = 5  # of a number without a kind code: `EP 2020` is not a patent number

GRANTS = {  # kinds of granted rights, also of registered designs and utility models
    "US": re.compile(r"A|B\d?|E\d?|S\d?|P[23]"),
    "CN": re.compile(r"[BCUYS]\d?"),
    "WO": re.compile(r"(?!)"),
    "DE": re.compile(r"[BCU]\d?"),
    "JP": re.compile(r"[BCYS]\d?"),
    "KR": re.compile(r"[BYS]\d?"),
}
USUAL = re.compile(r"[BC]\d?")


@dataclass(frozen=True)
class Number:
    """`office` is two letters, `digits` may begin with letters (RE, D, PP, H …), `kind` is "" if unknown."""

    office: str
    digits: str
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.office}{self.digits}{self.kind}"

    @property
    def docdb(self) -> str:
        """The digits in DOCDB format: US applications lack the zero after the year."""
        if self.office == "US" and re.fullmatch(r"(?:19|20)\d{2}0\d{6}", self.digits):
            return self.digits[:4] + self.digits[5:]
        return self.digits

    @property
    def is_grant(self) -> bool:
        """Whether the number is that of a granted right; False if the kind is unknown."""
        return bool(self.kind) and bool(GRANTS.get(self.office, USUAL).fullmatch(self.kind))


def parse_number(text: str) -> Number | None:
    """Parse a text that is only a patent number: `US 10,165,245 B2`, `WO 2011/051540`, `KR 10-2020-0012345 A`."""
    normalised = " ".join(WORDS.sub(" ", DOTTED_US.sub("US ", text)).upper().split()).strip(" :.")
    if BARE_US.fullmatch(normalised):
        normalised = f"US{normalised}"
    normalised = KOREAN.sub(r"KR\1\2", normalised)
    normalised = YEARLY.sub(_with_year, normalised)
    return _read(SIGNS.sub("", normalised))


def _with_year(found: re.Match[str]) -> str:
    office, year, serial = found.groups()
    if len(year) == 2:  # WO 98/12345
        return f"{office}{year}{serial.zfill(5)}"
    return f"{office}{year}{serial.zfill(SERIAL[office])}"


def _read(text: str) -> Number | None:
    found = NUMBER.fullmatch(text)
    if found is None or found[1] not in OFFICES:
        return None
    office, prefix, digits, kind = found[1], found[2], found[3], found[4] or ""
    if len(digits) < MIN_DIGITS and not kind and not prefix:
        return None
    return build_number(office, prefix + digits, kind)


def build_number(office: str, digits: str, kind: str = "") -> Number:
    """Build the number as Google Patents writes it: seven digits follow the year of a US application."""
    if office == "US" and re.fullmatch(r"(?:19|20)\d{8}", digits) and kind[:1] in ("", "A"):
        digits = f"{digits[:4]}0{digits[4:]}"
    return Number(office, digits, kind)


def find_in_path(url: object) -> Number | None:
    """The patent number in an address or a path such as `patent/US10165245B2/en`."""
    found = IN_PATH.search(url) if isinstance(url, str) else None
    return _read(found[1].upper()) if found else None


def build_page_url(number: Number | str) -> str:
    """The address of its page on Google Patents."""
    return f"https://patents.google.com/patent/{number}/en"
