"""Cuts a printed reference into tokens, and describes each token for the labelling of its fields.

The model of `printed_reference` was trained on these features: a change here needs a new model.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from assay.text.word_lists import parse_words

TOKEN = re.compile(
    r"(?:https?://|www\.)[^\s<>\"]+"
    r"|(?:doi:?\s?)?\b10\.\d{4,9}/[^\s<>\"]+"
    r"|\d+"
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
    r"|[^\W\d_]+(?:['’`´][^\W\d_]+)*"
    r"|[^\w\s]|_",
    re.IGNORECASE,
)
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
ROMAN = re.compile(r"[IVXLC]+|[ivxlc]+")
LINK = re.compile(r"(?:https?:|www\.)", re.IGNORECASE)
DOI = re.compile(r"(?:doi:?\s?)?10\.\d{4,9}/", re.IGNORECASE)
QUOTES, OPENING, CLOSING = '"“”„«»‘', "([{", ")]}"
MAX_TOKENS = 600
WORD_KINDS = {
    "month": parse_words(
        "january february march april may june july august september october november december jan feb mar"
        " apr jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember janvier"
        " février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril"
        " mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio aprile maggio giugno"
        " luglio settembre ottobre dicembre spring summer fall autumn winter"
    ),
    "journal": parse_words(
        "journal j proc proceedings conference conf transactions trans letters lett review reviews rev annals"
        " ann acta archives arch bulletin bull magazine zeitschrift z revue revista rivista annales symposium"
        " symp workshop meeting advances adv lecture notes series international int intl phys physics chem sci"
        " science sciences nature ieee acm quarterly studies tidskrift bmj jama lancet plos arxiv preprint 学报"
        " 学報 学会誌 论文集"
    ),
    "publisher": parse_words(
        "press university univ springer elsevier wiley verlag publishers publisher publishing publications"
        " inc ltd company co sons books éditions edition presses academic kluwer routledge sage mit oxford"
        " cambridge harvard princeton mcgraw hill prentice hall addison wesley pearson norton penguin random"
        " macmillan gallimard suhrkamp 出版社 editorial editora editrice wissenschaft"
    ),
    "place": parse_words(
        "new york london paris berlin oxford cambridge amsterdam dordrecht boston chicago philadelphia"
        " heidelberg washington tokyo toronto vienna wien münchen munich zürich zurich geneva genève basel"
        " rome roma milano milan madrid barcelona lisboa moscow beijing shanghai singapore sydney melbourne"
        " stockholm copenhagen københavn oslo helsinki brussels leiden hague princeton berkeley stanford"
        " reading englewood cliffs hillsdale thousand oaks usa uk ma ca nj ny pa dc il md germany france italy"
        " spain canada australia japan china netherlands switzerland england scotland ireland frankfurt"
        " stuttgart hamburg köln leipzig göttingen tübingen montreal vancouver francisco angeles diego austin"
        " seattle atlanta denver houston dallas miami orlando portland baltimore pittsburgh 北京 上海"
    ),
    "editor": parse_words("ed eds editor editors edited hrsg hg herausgeber dir coord éd éds red orgs org edt"),
    "translator": parse_words("trans translated translator übers übersetzt traduction trad traducción traduzione"),
    "page": parse_words("p pp page pages s seiten pág págs pg pgs str стр"),
    "volume": parse_words("vol volume vols volumes bd band tome tomo jg jahrgang v t том"),
    "issue": parse_words("no nr number num issue iss heft h fasc n núm número suppl supplement"),
    "in": parse_words("in dans en em im"),
    "and": parse_words("and & und et y e och og"),
    "particle": parse_words("van von de der den del della di da dos du la le ten ter al el bin ibn zu"),
    "note": parse_words(
        "thesis dissertation phd diss report technical tech rep unpublished manuscript submitted accepted"
        " press retrieved accessed available online abstract note notes patent working paper draft personal"
        " communication edition edn revised"
    ),
}


class ReferenceToken(NamedTuple):
    """A token with its place in the text."""

    text: str
    start: int
    end: int


def split_tokens(text: str) -> list[ReferenceToken]:
    """Cut a reference into words, numbers, punctuation marks, links and DOIs; at most `MAX_TOKENS`."""
    tokens: list[ReferenceToken] = []
    for found in TOKEN.finditer(text):
        tokens.append(ReferenceToken(found[0], *found.span()))
        if len(tokens) == MAX_TOKENS:
            break
    return tokens


def describe_tokens(tokens: Sequence[ReferenceToken]) -> list[list[str]]:
    """Return the features of each token: the word, its shape and kind, its neighbours and its place."""
    words = [_fold(token.text) for token in tokens]
    shapes = [_shape(token.text) for token in tokens]
    kinds = [_kind(word, token.text) for word, token in zip(words, tokens, strict=True)]
    places = _describe_places(tokens, shapes)
    return [
        [
            *_describe_word(words[at], shapes[at], kinds[at], tokens[at].text),
            *places[at],
            *_window(at, words, shapes, kinds),
        ]
        for at in range(len(tokens))
    ]


def _fold(text: str) -> str:
    if LINK.match(text):
        return "<link>"
    if DOI.match(text):
        return "<doi>"
    return "0" * min(len(text), 6) if text.isdigit() else text.lower()[:24]


def _shape(text: str) -> str:
    if LINK.match(text) or DOI.match(text):
        return "link"
    if text.isdigit():
        return "year" if YEAR.fullmatch(text) else f"num{min(len(text), 5)}"
    if WIDE.search(text):
        return f"wide{1 if len(text) < 5 else 2}"
    if not text[0].isalpha():
        return f"mark{text[0]}"
    if len(text) == 1:
        return "initial" if text.isupper() else "letter"
    if text.isupper():
        return "caps2" if len(text) == 2 else "caps"
    if text[0].isupper():
        return "title" if text[1:].islower() else "mixed"
    return "lower"


def _kind(word: str, text: str) -> str:
    kinds = [kind for kind, words in WORD_KINDS.items() if word in words]
    if ROMAN.fullmatch(text):
        kinds.append("roman")
    return "+".join(kinds) or "-"


def _describe_word(word: str, shape: str, kind: str, text: str) -> list[str]:
    features = ["bias", f"w={word}", f"s={shape}", f"k={kind}", f"ks={kind}|{shape}"]
    if len(word) > 3 and shape[:3] not in ("num", "yea", "lin"):
        features += [f"pre={word[:3]}", f"suf={word[-3:]}"]
    if len(text) > 40:
        features.append("long")
    return features


def _describe_places(tokens: Sequence[ReferenceToken], shapes: Sequence[str]) -> list[list[str]]:
    """Describe where each token stands: in the text, in its sentence, in quotes and brackets, after a year."""
    described: list[list[str]] = []
    sentence = depth = since = 0
    quoted = dated = False
    count = len(tokens)
    for at, token in enumerate(tokens):
        mark = token.text
        opens = mark in QUOTES
        features = [f"at={at * 8 // count}", f"sen={min(sentence, 4)}", f"dated={dated}", f"since={min(since, 6)}"]
        features += [f"quoted={quoted}", f"inside={depth > 0}", f"sd={min(sentence, 3)}|{dated}"]
        if at == 0:
            features.append("first")
        if at >= count - 2:
            features.append("last")
        described.append(features)
        depth = min(depth + 1, 3) if mark in OPENING else max(depth - 1, 0) if mark in CLOSING else depth
        quoted = not quoted if opens else quoted
        dated = dated or shapes[at] == "year"
        since += 1
        if mark in ".;:?!" and _ends_part(at, tokens, shapes):
            sentence, since = sentence + 1, 0
    return described


def _ends_part(at: int, tokens: Sequence[ReferenceToken], shapes: Sequence[str]) -> bool:
    """Whether a mark ends a part of the reference: not after an initial, and followed by a space."""
    if at == 0 or shapes[at - 1] in ("initial", "caps2"):
        return False
    return at + 1 >= len(tokens) or tokens[at + 1].start > tokens[at].end


def _window(at: int, words: Sequence[str], shapes: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """Describe the two tokens on either side, alone and together."""
    features: list[str] = []
    for step in (-2, -1, 1, 2):
        place = at + step
        if not 0 <= place < len(words):
            features.append(f"{step}:end")
            continue
        features += [f"{step}w={words[place]}", f"{step}s={shapes[place]}", f"{step}k={kinds[place]}"]
    before = shapes[at - 1] if at else "end"
    after = shapes[at + 1] if at + 1 < len(shapes) else "end"
    further = shapes[at + 2] if at + 2 < len(shapes) else "end"
    features += [f"sss={before}|{shapes[at]}|{after}", f"ss+={shapes[at]}|{after}|{further}"]
    features += [f"kw={kinds[at]}|{words[at - 1] if at else 'end'}", f"wn={words[at]}|{after}"]
    return features
