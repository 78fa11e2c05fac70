"""Recognizes the headings of reference lists, and the lines that end such a list, in some thirty languages."""

import re

LONGEST = 80  # characters of a heading
MARKUP = re.compile(r"^[\s#*_>=|]+|[\s#*_:.|=¶]+$")
ANCHOR = re.compile(r"\s*(?:\[[^\]]{0,40}\](?:\([^)\s]{0,200}\))?|\{#[\w.-]{1,60}\}|\(\d{1,5}\))$")
NUMBER = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*|[IVXLC]{1,6}|[A-Z])(?:[.):]\s*|\s+)(?=\S)")
SPACED = re.compile(r"\w(?: \w){3,}")
MARKDOWN = re.compile(r"\s{0,3}(#{1,6})\s")
TEX = re.compile(r"^\\(?:sub)*section\*?\{([^{}]{1,60})\}$")

LISTS = frozenset(
    """references|reference|reference list|list of references|references and notes|notes and references|references cited
    |cited references|bibliography|select bibliography|selected bibliography|works cited|literature|literature cited
    |cited literature|sources|works consulted|references and links|reference and notes|bibliographic references
    |bibliographical references|references & notes|endnotes and references
    |literatur|literaturverzeichnis|literaturangaben|literaturliste|quellen|quellenverzeichnis|referenzen|schrifttum
    |bibliografie|quellen- und literaturverzeichnis|literatur und quellen|literaturnachweise|zitierte literatur
    |références|références bibliographiques|bibliographie|ouvrages cités|références citées|liste des références
    |sources et bibliographie|notes et références
    |referencias|referencias bibliográficas|bibliografía|obras citadas|literatura citada|lista de referencias|fuentes
    |bibliografía citada|fuentes y bibliografía
    |referências|referências bibliográficas|bibliografia|referências citadas
    |riferimenti|riferimenti bibliografici|opere citate|referenze|referenze bibliografiche
    |referenties|literatuur|literatuurlijst|bronnen|bronnenlijst|geraadpleegde literatuur|literatuurverwijzingen
    |referenser|litteratur|litteraturförteckning|källor|källförteckning|referenslista|källor och litteratur
    |referencer|litteraturliste|referanser|kilder|kildeliste|litteraturhenvisninger|referanseliste
    |lähteet|lähdeluettelo|kirjallisuus|viitteet|lähdeviitteet|kirjallisuutta
    |literatura|piśmiennictwo|źródła|wykaz literatury|przypisy i bibliografia|spis literatury|odniesienia
    |použitá literatura|seznam literatury|seznam použité literatury|zdroje|použité zdroje
    |zoznam použitej literatúry|zoznam literatúry|literatúra
    |irodalom|irodalomjegyzék|hivatkozások|felhasznált irodalom|források
    |referințe|referințe bibliografice|kaynaklar|kaynakça|referanslar
    |литература|список литературы|список использованной литературы|список использованных источников|библиография
    |библиографический список|источники|ссылки|список источников|источники и литература
    |література|список літератури|список використаних джерел|посилання|бібліографія|списък на литературата
    |βιβλιογραφία|αναφορές|βιβλιογραφικές αναφορές|πηγές
    |参考文献|參考文獻|引用文献|引用文獻|参考资料|參考資料|参考資料|文献|引文|主要参考文献
    |참고문헌|참고 문헌|참고자료|인용문헌|참고 자료
    |المراجع|المصادر|قائمة المراجع|المصادر والمراجع|المراجع والمصادر|منابع|مراجع|فهرست منابع|منابع و مآخذ
    |ביבליוגרפיה|מקורות|רשימת מקורות|רשימה ביבליוגרפית
    |संदर्भ|सन्दर्भ|संदर्भ सूची|सन्दर्भ सूची|ग्रन्थसूची
    |daftar pustaka|referensi|daftar rujukan|rujukan|tài liệu tham khảo|เอกสารอ้างอิง|บรรณานุกรม
    |referències|viri|viri in literatura|literatūra|bibliogrāfija|kirjandus|viited|kasutatud kirjandus|heimildir
    |heimildaskrá|leabharliosta|erreferentziak|bibliografija""".replace("\n    |", "|").split("|")
)
SUPPLEMENTARY = re.compile(
    r"(?:(?:supplementa(?:ry|l)|supporting|additional|online|methods?|appendix|further) (?:material |information )?"
    r"(?:references?|bibliography)|references? (?:for|in|from) (?:the )?(?:methods?|supplement\w*|appendi(?:x|ces)).*"
    r"|(?:zusätzliche|ergänzende|weitere) (?:literatur|referenzen)|références (?:complémentaires|supplémentaires)"
    r"|referencias (?:adicionales|suplementarias|complementarias)|补充参考文献)"
)
ENDS = re.compile(
    r"(?:appendi(?:x|ces|ce)|anhang|annex(?:e|es)?|anexos?|apéndices?|bijlagen?|bilag(?:a|or)?|liitteet|liite|vedlegg"
    r"|załącznik\w*|přílohy?|príloh[ay]|függelék|anexă|приложени[ея]|додат(?:ок|ки)|παράρτημα|附录|附錄|付録|부록"
    r"|lampiran|phụ lục)(?:[\s.:]+\S.{0,70})?"
    r"|acknowledge?ments?|danksagung(?:en)?|remerciements|agradecimientos?|agradecimentos?|ringraziamenti|dankwoord"
    r"|podziękowania|poděkování|благодарности|подяки|致谢|致謝|謝辞|감사의 글|tack|kiitokset"
    r"|(?:about|biograph(?:y|ies) of) the authors?|author (?:biograph(?:y|ies)|contributions?|information|details)"
    r"|authors?[’'] (?:contributions?|biograph(?:y|ies)|information)|(?:author )?contributions|biograph(?:y|ies)"
    r"|funding|über (?:den autor|die autor(?:in|en|innen))|(?:competing|conflicts? of) interests?(?: statement)?"
    r"|(?:declaration|disclosure)s?(?: of .{0,40})?|ethics (?:statement|approval)"
    r"|data (?:and code )?availability.{0,30}"
    r"|(?:supplementa(?:ry|l)|supporting|additional) (?:materials?|information|data|files?|figures?|tables?).{0,40}"
    r"|extended data|figures?(?: (?:captions?|legends?))?|tables?|list of (?:figures|tables|abbreviations)|index"
    r"|glossary|abbreviations|footnotes|endnotes|author index|subject index|publisher[’']s note|open access"
    r"|external links|see also|further reading|notes|checklist|neurips paper checklist|cited by|rights and permissions"
    r"|related (?:articles|content)|comments|share this article"
)
CAPTION = re.compile(
    r"\s*(?:[*_]{0,2})(?:(?:extended data |supplementary )?(?:fig(?:ure|\.)?|table|tab\.|scheme|chart|box|plate|figura"
    r"|tabla|tabela|tabella|tableau|abb(?:ildung|\.)|tabelle|рис(?:унок|\.)|табл(?:ица|\.)))"
    r"\s?[A-Z]?\d{1,3}[A-Za-z]?(?:[.:|]|\s[-–—])\s",
    re.IGNORECASE,
)
RECEIVED = re.compile(
    r"\s*(?:received|submitted|manuscript received|accepted)(?::| \d| [A-Z][a-z]+ \d).{0,120}$",
    re.IGNORECASE,
)


def fold_heading(line: str) -> str:
    """Return the words of a heading in lower case, without marks, section number and anchor; "" for a longer line."""
    line = line.strip()
    if not line or len(line) > 2 * LONGEST:
        return ""
    line = MARKUP.sub("", ANCHOR.sub("", MARKUP.sub("", TEX.sub(r"\1", line))))
    line = NUMBER.sub("", line) if not SPACED.fullmatch(line) else line.replace(" ", "")
    return " ".join(line.split()).casefold() if len(line) <= LONGEST else ""


def is_list_heading(line: str) -> bool:
    """Whether the line is the heading of a list of references, supplementary ones included."""
    folded = fold_heading(line)
    return bool(folded) and (folded in LISTS or SUPPLEMENTARY.fullmatch(folded) is not None)


def is_supplementary_heading(line: str) -> bool:
    return SUPPLEMENTARY.fullmatch(fold_heading(line)) is not None


def is_end(line: str) -> bool:
    """Whether the line is a heading of what follows a list of references, such as an appendix, or a journal's dates."""
    folded = fold_heading(line)
    return bool(folded) and (ENDS.fullmatch(folded) is not None or RECEIVED.match(line) is not None)


def is_caption(line: str) -> bool:
    return CAPTION.match(line) is not None


def measure_level(line: str) -> int:
    """Return the level of a Markdown heading, 1 to 6; 0 for other lines."""
    found = MARKDOWN.match(line)
    return len(found[1]) if found else 0
