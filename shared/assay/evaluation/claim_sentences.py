"""Finds sentences relevant to a claim by shared word stems."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from assay.text.stopwords import CLAIM_WORDS

WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
END = re.compile(  # an ellipsis before a small letter is within a sentence
    r"(?<=[.!?…。！？])(?P<close>[\"'”’»)\]]*)\s+(?!(?:(?<=…\s)|(?<=\.\.\.\s))[a-zß-öø-ÿа-яё])|[。！？]|\n+|(?<=\s)\|\s+"
)
ELISION = re.compile(r"^(?:[cdjlmnst]|qu)['’](?=\w{2})")  # French and Italian: l’été becomes été
HEADING = re.compile(r"#{1,6}\s")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")  # scripts without spaces between words
SPELLINGS = (("is", "iz"), ("our", "or"), ("tr", "ter"), ("ogu", "og"))  # of stems, British to American
MIN_LENGTH = 12  # characters of a sentence
MIN_SHARE = 0.25  # share of the claim's words; fewer in common may be chance
NUMBER_WEIGHT = 1.5


def extract_terms(text: str) -> set[str]:
    """Return the stems of the content words; numbers stay unchanged."""
    terms = set()
    for word in WORD.findall(text.lower()):
        if word[0].isdigit():
            terms.add(word.replace(",", ""))
        elif WIDE.search(word):
            terms.update(split_bigrams(word))
        elif word not in CLAIM_WORDS and (len(word) > 2 or not word.isascii()):
            terms.add(stem(ELISION.sub("", word).replace("’", "'").removesuffix("'s")))
    return terms


def split_bigrams(run: str) -> set[str]:
    """Return character bigrams, for Chinese and Japanese text without spaces."""
    return {run[at : at + 2] for at in range(max(len(run) - 1, 1))}


@cache
def _english_stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english", 0)  # without its own cache, which threads must not share


def stem(word: str) -> str:
    """Return the stem of a lower-case word, so that `study` and `studies`, `organised` and `organize` are equal."""
    stemmed: str = _english_stemmer().stemWord(word)
    for british, american in SPELLINGS:
        if stemmed.endswith(british) and len(stemmed) > len(british) + 2:
            return stemmed.removesuffix(british) + american
    return stemmed


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, with their closing quotation marks and brackets."""
    start = 0
    for end in [*END.finditer(text), None]:
        stop = len(text) if end is None else end.start() if end["close"] is None else end.end("close")
        stripped = text[start:stop].strip()
        start = len(text) if end is None else end.end()
        if len(stripped) + 2 * len("".join(WIDE.findall(stripped))) >= MIN_LENGTH:
            yield stripped


def find_relevant_sentence(claim: str, texts: Iterable[str]) -> str:
    """Return the sentence that shares most with the claim, except headings; "" if none shares enough."""
    claim_terms = extract_terms(claim)
    best, best_score = "", 0.0
    for sentence in (sentence for text in texts for sentence in split_sentences(text)):
        score = 0.0 if HEADING.match(sentence) else _score(claim_terms, extract_terms(sentence))
        if score > best_score:
            best, best_score = sentence, score
    return best


def _score(claim_terms: set[str], sentence_terms: set[str]) -> float:
    """Return the weight of the shared words; 0 if too few, since one word of a long claim may be chance."""
    common = claim_terms & sentence_terms
    if not common or len(common) / len(claim_terms) < MIN_SHARE or (len(common) == 1 and len(claim_terms) > 2):
        return 0.0
    return sum(NUMBER_WEIGHT if term[0].isdigit() else 1.0 for term in common)
