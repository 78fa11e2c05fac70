"""Removes what citations say beside authors, title and venue: identifiers, dates, numbers, and notes on access."""

import re

IDENTIFIER = re.compile(
    r"\b(?:pmid|pmcid|pmc|e?issn|isbn|oclc|lccn|arxiv|mr|zbl|bibcode|pii|s2cid)\b\W{0,4}[\w.-]{0,40}\d[\w.:/-]*",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\b[a-z]?\d[\d.,:;/()–-]*\b", re.IGNORECASE)
SHORT = 3  # letters of words that say nothing
WORD = re.compile(r"[^\W\d_]+")
NOTES = frozenset(
    WORD.findall("""
    see digital object identifier identifiers pubmed central index record epub ahead print online version first posted
    published publication available from retrieved accessed access date cited viewed visited last checked updated
    internet website link http https volume issue number article pages page full text abstract
    preprint download downloaded citation reference
    january february march april june july august september october november december
    verfügbar abrufbar unter abgerufen zugriff zugegriffen letzter zuletzt geprüft stand heft band seiten
    januar februar märz juni juli oktober dezember
    consulté disponible adresse accédé janvier février mars avril juin juillet août septembre octobre novembre décembre
    consultado recuperado acceso enero febrero marzo abril mayo junio julio agosto septiembre octubre
    noviembre diciembre
    consultato disponibile accesso ultimo gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
    acesso disponível janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
    geraadpleegd beschikbaar maart augustus
    дата обращения режим доступа доступ января февраля марта апреля июня июля августа сентября октября ноября декабря
    """)
)


def remove_notes(text: str) -> str:
    """Return a text without identifiers, numbers, short Latin words, and words about access and dates."""
    words = WORD.findall(NUMBER.sub(" ", IDENTIFIER.sub(" ", text)))
    return " ".join(
        word for word in words if word.casefold() not in NOTES and not (word.isascii() and len(word) <= SHORT)
    )
