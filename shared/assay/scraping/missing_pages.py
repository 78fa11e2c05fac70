"""Detection of soft 404s: pages with a success status whose text says that the page does not exist or its domain is
for sale.

Such a page says so in its title and text, and is short. An article about missing pages is longer, or explains the
term; a title that only begins with the phrase ("Not found: the story of a ship") does not count.
"""

import re
from itertools import islice

from assay.html.metadata import page_titles
from assay.html.parser.html_element import HtmlElement
from assay.scraping.access_wall_patterns import fold_text
from assay.scraping.parked_domains import is_parked
from assay.text.unspaced_words import count_words

MIN_SHARE = 0.6  # minimum share of a title that the phrase makes up
PROSE, PROSE_UNTITLED = 100, 60  # maximum number of words outside links; the second if only a heading matches
HEADINGS = 5

THING = r"(?:page|url|file|article|story|document|content|resource|post|product|item|site|address|link)"
NOT = r"(?:could ?not|couldn['’]?t|cannot|can['’]?t|was not|wasn['’]?t|is not|isn['’]?t|were unable to|are unable to)"
SOUGHT = r"(?:trying|tried|looking|look|request(?:ed|ing)|search)"
GONE = r"(?:not|n['’]t|moved|removed|deleted|gone|missing|unavailable)"
PHRASES = (  # common phrases, by language
    rf"{THING} (?:requested )?(?:{NOT} (?:be )?|not )found",
    rf"{THING} (?:[^.!?\n]{{0,60}} )?(?:does ?not|doesn['’]?t|no longer|did ?not|didn['’]?t) exists?",
    rf"{THING} (?:[^.!?\n]{{0,60}} )?(?:is no longer|is not|isn['’]?t|no longer) (?:available|here)",
    rf"{THING} you(?:['’]?re|['’]?ve| are| were| have)? {SOUGHT}[^.!?\n]{{0,80}}{GONE}",
    rf"(?:we|you) (?:{NOT}|didn['’]?t) (?:seem to )?(?:find|locate) (?:the|that|this|a|any|what)",
    r"(?:requested|this) url [^.\n]{0,200}was not found on this server",
    r"seite (?:[^.\n]{0,60} )?(?:nicht (?:gefunden|mehr|vorhanden|verfügbar|existier)|existiert (?:leider )?nicht)",
    r"nicht gefunden werden|(?:nichts|keine seite) gefunden",
    r"(?:page|contenu|article) (?:[^.\n]{0,60} )?(?:introuvable|non trouvée?|n['’](?:existe|est|a) (?:pas|pu|plus))",
    r"(?:página|contenido|artículo) (?:[^.\n]{0,60} )?(?:no (?:existe|fue|se|ha|está|pudo|encontrad[ao])|ya no)",
    r"no (?:hemos|se ha|pudimos|podemos|encontramos) (?:[^.\n]{0,20} )?(?:la |esta )?página",
    r"(?:pagina|contenuto|articolo) (?:[^.\n]{0,60} )?non (?:è|esiste|trovat[ao]|disponibile)",
    r"pagina (?:[^.\n]{0,60} )?nu (?:a fost|există|poate)",
    r"(?:página|conteúdo|endereço) (?:[^.\n]{0,60} )?não (?:foi|existe|encontrad[ao]|está)",
    r"pagina (?:[^.\n]{0,60} )?(?:niet (?:gevonden|meer|beschikbaar)|bestaat (?:helaas )?niet)",
    r"nie znaleziono (?:[^.\n]{0,20} )?stron|stron[ay] (?:[^.\n]{0,60} )?nie (?:istnieje|została|znaleziono|można)",
    r"страниц[аыу] (?:[^.\n]{0,60} )?(?:не (?:найден|существует|нашл)|удален|удалён)",
    r"сторінк[аиу] (?:[^.\n]{0,60} )?не (?:знайден|існує)",
    r"sidan (?:[^.\n]{0,60} )?(?:hittades inte|kunde inte hittas|finns inte)",
    r"siden (?:[^.\n]{0,60} )?(?:ikke (?:fundet|funnet)|fin(?:d|n)es ikke)",
    r"sivua ei (?:[^.\n]{0,20} )?löy",
    r"stránk[au] (?:[^.\n]{0,60} )?(?:nenalezena|nebyla nalezena|neexistuje|sa nenašla)",
    r"sayfa (?:[^.\n]{0,40} )?bulunam|oldal nem található|σελίδα (?:[^.\n]{0,40} )?δεν (?:βρέθηκε|υπάρχει)",
    r"ページ(?:が|は|を)?(?:[^。\n]{0,20})?(?:見つかりません|存在しません|ありません)",
    r"(?:页面|頁面|网页|網頁)(?:[^。\n]{0,12})?(?:不存在|未找到|找不到|已删除|已被删除|不見了)|(?:找不到|无法找到|無法找到)[^。\n]{0,12}(?:页|頁)",
    r"페이지를 찾을 수 없|존재하지 않는 페이지|페이지가 (?:존재하지|없)",
    r"الصفحة (?:[^.\n]{0,40} )?غير موجودة|(?:لم يتم العثور على|لا يمكن العثور على) (?:هذه )?الصفحة",
)
PHRASE = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES))
ALONE = frozenset(  # sufficient as a title, but not in text
    (
        *("not found", "nothing found", "page missing", "missing page", "lost", "are you lost", "you seem lost"),
        *(
            "nicht gefunden",
            "introuvable",
            "no encontrado",
            "no encontrada",
            "non trovato",
            "non trovata",
            "niet gevonden",
        ),
        *(
            "não encontrado",
            "não encontrada",
            "nie znaleziono",
            "не найдено",
            "ikke fundet",
            "ikke funnet",
            "hittades inte",
        ),
    )
)
AROUND = re.compile(  # other words in such titles
    r"\b(?:404|410|http|error|err|status|code|o+ps|whoops|sorry|uh|oh|no|hmm+|ups|fehler|erreur|errore|erro|błąd|ошибка)\b"
    r"|[^\w\s'’]+"
)
CODE = re.compile(r"\b(?:404|410)\b")
EXPLAINS = re.compile(
    r"\b(?:status|response|error) codes?\b|\bmeans that\b|\bindicates\b|\brefers to\b|\breturns? an? 404|\bstatuscode"
    r"|\bcode d['’](?:état|erreur)|\bcódigo de (?:estado|error|erro)|\bcodice di (?:stato|errore)"
)
LINK = re.compile(r"!?\[(?:[^\[\]\\]|\\.){0,500}\]\([^()\s]{0,4000}\)")
LONG, MAX_LINK_WORDS = 4_000, 251  # characters of the first part; words of a link that LINK recognises
MARK = re.compile(r"(?:^|\s)(?:error-?404|page-?404|is-?404|not-?found(?:-page)?|page-?not-?found)(?:\s|$)")
STATUS_METAS = frozenset(("prerender-status-code", "render:status_code", "http-status"))


def is_missing_page(tree: HtmlElement, markdown: str) -> bool:
    """Whether the page says that it does not exist, or its domain is for sale; `markdown` is its extracted text."""
    # Most pages are longer than any that says so, which their first part shows. A link may be cut at its end.
    if len(markdown) > LONG and _count_prose(fold_text(markdown[:LONG])) > PROSE + MAX_LINK_WORDS:
        return False
    text, title = fold_text(markdown), page_titles.get_title_element_text(tree)
    prose = _count_prose(text)
    if is_parked(title, text, prose):
        return True
    if prose > PROSE or EXPLAINS.search(text):
        return False
    in_title = any(_is_title(piece) for piece in page_titles.SEPARATOR.split(title))
    in_heading = any(_is_title(line.lstrip("# ")) for line in _list_headings(tree, markdown))
    in_text = PHRASE.search(text) is not None
    if in_title or _is_marked(tree):
        return in_heading or in_text
    return in_heading and in_text and prose <= PROSE_UNTITLED


def _count_prose(text: str) -> int:
    """Return the number of words outside links."""
    return count_words(" ".join(LINK.sub(" ", text).split()))


def _is_title(text: str) -> bool:
    """Whether a title consists of the phrase only."""
    text = " ".join(fold_text(text)[: page_titles.MAX_TITLE].split())
    bare = " ".join(AROUND.sub(" ", text).split())
    if not bare:
        return CODE.search(text) is not None
    found = PHRASE.search(bare)
    return bare in ALONE or (found is not None and len(found.group()) >= MIN_SHARE * len(bare))


def _list_headings(tree: HtmlElement, markdown: str) -> list[str]:
    """The first headings, and the first line of the text."""
    found = [" ".join("".join(one.itertext()).split()) for one in islice(tree.iter("h1", "h2"), HEADINGS)]
    first = next((line for line in markdown.splitlines() if line.strip()), "")
    return [*found, first]


def _is_marked(tree: HtmlElement) -> bool:
    """Whether a class of the body or a meta element marks the page as missing."""
    body = tree.find("body")
    if body is not None and MARK.search((body.get("class") or "").lower()):
        return True
    metas = (
        (meta.get("name") or "").lower() for meta in tree.iter("meta") if (meta.get("content") or "") in ("404", "410")
    )
    return not STATUS_METAS.isdisjoint(metas)
