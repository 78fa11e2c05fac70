"""Generate PDF, Word and PowerPoint files with known hidden words from random bytes."""

import zipfile
import zlib
from io import BytesIO
from xml.sax.saxutils import escape, quoteattr

from infra.fuzz.random_source import FuzzedDataProvider

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
UNSEEN_RUNS = (
    *("<w:vanish/>", '<w:vanish w:val="1"/>', '<w:vanish w:val="true"/>', '<w:sz w:val="1"/>', '<w:color w:val="FFFFFF"/>'),
    *('<w:b/><w:vanish/>', '<w:rStyle w:val="Gone"/>', '<w:color w:val="ffffff"/>', '<w:vanish w:val="0"/><w:sz w:val="2"/>'),
    *('<w:w w:val="1"/>', '<w:rStyle w:val="Pale"/>', '<w14:textFill xmlns:w14="x"><w14:noFill/></w14:textFill>'),
    *('<w:sz w:val="0"/>', '<w:rStyle w:val="Child"/>', '<w:color w:val="FEFEFE"/>', '<w:rStyle w:val="Gone"/><w:b/>'),
)  # fmt: skip
SEEN_RUNS = (
    "",
    "<w:b/>",
    '<w:sz w:val="24"/>',
    '<w:vanish w:val="0"/>',
    '<w:color w:val="FF0000"/>',
    '<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>',
)
UNSEEN_GLYPHS = (
    "<a:rPr><a:noFill/></a:rPr>",
    '<a:rPr><a:solidFill><a:srgbClr val="FF0000"><a:alpha val="0"/></a:srgbClr></a:solidFill></a:rPr>',
)
STYLES = (
    f"<w:styles {W}><w:style w:type='character' w:styleId='Gone'><w:name w:val='Gone'/><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:type='character' w:styleId='Child'><w:basedOn w:val='Gone'/></w:style>"
    "<w:style w:type='character' w:styleId='Pale'><w:rPr><w:color w:val='FFFFFF'/></w:rPr></w:style>"
    "<w:style w:type='paragraph' w:styleId='Lost'><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:type='paragraph' w:styleId='Heading1'><w:name w:val='heading 1'/><w:basedOn w:val='Heading1'/></w:style></w:styles>"
)


def build_docx(source: FuzzedDataProvider) -> tuple[bytes, list[str]]:
    """Generate a Word file and the list of its hidden words."""
    hidden_words: list[str] = []
    body = "".join(_paragraph(source, hidden_words, 0) for _ in range(1 + source.consume_int(6)))
    link = quoteattr(
        source.pick(("http://a.example/", "javascript:alert(1)", "http://a.example/) [x](javascript:y"))
        + source.consume_text(12).translate(CHARACTERS)
    )
    related = (
        '<Relationships xmlns="x">'
        f'<Relationship Id="s" Type="{TYPES}styles" Target="styles.xml"/>'
        f'<Relationship Id="l" Type="{TYPES}hyperlink" Target={link} TargetMode="External"/></Relationships>'
    )
    parts = {
        "word/document.xml": f"<w:document {W} {R}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": STYLES,
        "word/_rels/document.xml.rels": related,
        "docProps/core.xml": f"<c><title>{_words(source)}</title><creator>{_words(source)}</creator><created>{_words(source)}</created></c>",
    }
    return _corrupt(source, _build_zip(parts), hidden_words)


CHARACTERS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "")


def _words(source: FuzzedDataProvider) -> str:
    return escape(source.consume_text(16).translate(CHARACTERS))


def _add_hidden_word(hidden_words: list[str]) -> str:
    hidden_words.append(f"hidword{len(hidden_words)}q")
    return hidden_words[-1]


def _run(source: FuzzedDataProvider, hidden_words: list[str]) -> str:
    kind = source.consume_int(5)
    if kind == 0:
        return f"<w:r><w:rPr>{source.pick(UNSEEN_RUNS)}</w:rPr><w:t>{_add_hidden_word(hidden_words)}</w:t></w:r>"
    if kind == 1:
        return f"<w:del><w:r><w:delText>{_add_hidden_word(hidden_words)}</w:delText></w:r></w:del>"
    if kind == 2:
        return f'<w:hyperlink r:id="l"><w:r><w:t>{_words(source)}</w:t></w:r></w:hyperlink>'
    if kind == 3:
        return f'<w:r><w:sym w:char="{source.pick(("F0B7", "202E", "D800", "E000", "zz", "110000", "0"))}"/><w:tab/><w:br/></w:r>'
    return f"<w:r><w:rPr>{source.pick(SEEN_RUNS)}</w:rPr><w:t>{_words(source)}</w:t></w:r>"


def _paragraph(source: FuzzedDataProvider, hidden_words: list[str], depth: int) -> str:
    kind = source.consume_int(6)
    runs = "".join(_run(source, hidden_words) for _ in range(source.consume_int(3)))
    if kind == 0:
        return (
            f'<w:p><w:pPr><w:pStyle w:val="Lost"/></w:pPr><w:r><w:t>{_add_hidden_word(hidden_words)}</w:t></w:r></w:p>'
        )
    if kind == 1 and depth < 4:
        cells = "".join(
            f'<w:tc><w:tcPr><w:gridSpan w:val="{source.consume_int(60000)}"/></w:tcPr>{_paragraph(source, hidden_words, depth + 1)}</w:tc>'
            for _ in range(1 + source.consume_int(3))
        )
        return f"<w:tbl><w:tr>{cells}</w:tr><w:tr>{cells if not hidden_words else ''}</w:tr></w:tbl>"
    if kind == 2:
        return f'<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:outlineLvl w:val="{source.consume_int(12)}"/></w:pPr>{runs}</w:p>'
    if kind == 3 and depth < 4:
        return f"<w:sdt><w:sdtContent>{_paragraph(source, hidden_words, depth + 1)}</w:sdtContent></w:sdt>"
    if kind == 4:
        return f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{source.consume_int(300)}"/><w:numId w:val="1"/></w:numPr></w:pPr>{runs}</w:p>'
    return f"<w:p>{runs}</w:p>"


def build_pptx(source: FuzzedDataProvider) -> tuple[bytes, list[str]]:
    """Generate a PowerPoint file and the list of its hidden words."""
    hidden_words: list[str] = []
    count = 1 + source.consume_int(3)
    ids = "".join(f'<p:sldId id="{256 + place}" r:id="r{place}"/>' for place in range(count))
    targets = "".join(
        f'<Relationship Id="r{place}" Type="{TYPES}slide" Target="slides/slide{place}.xml"/>' for place in range(count)
    )
    parts = {
        "ppt/presentation.xml": f'<p:presentation {P} {R}><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="x">{targets}</Relationships>',
    }
    for place in range(count):
        is_hidden = source.consume_int(4) == 0
        shapes = "".join(_shape(source, hidden_words, is_hidden, 0) for _ in range(source.consume_int(4)))
        show = ' show="0"' if is_hidden else ""
        parts[f"ppt/slides/slide{place}.xml"] = (
            f"<p:sld {P} {A} {R}{show}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
    return _corrupt(source, _build_zip(parts), hidden_words)


def _shape(source: FuzzedDataProvider, hidden_words: list[str], is_hidden: bool, depth: int) -> str:
    kind = source.consume_int(6)
    text = _add_hidden_word(hidden_words) if is_hidden or kind in (0, 1, 2) else _words(source)
    size, hidden, place = "", "", ""
    if kind == 0:
        hidden = ' hidden="1"'
    elif kind == 1:
        place = '<p:spPr><a:xfrm><a:off x="99999999" y="0"/><a:ext cx="100" cy="100"/></a:xfrm></p:spPr>'
    elif kind == 2:
        size = source.pick((f'<a:rPr sz="{1 + source.consume_int(190)}"/>', *UNSEEN_GLYPHS))
    elif kind == 3 and depth < 3:
        return f"<p:grpSp>{_shape(source, hidden_words, is_hidden, depth + 1)}</p:grpSp>"
    properties = f'<p:nvSpPr><p:cNvPr id="1" name="x"{hidden}/><p:nvPr><p:ph type="{source.pick(("title", "body", "dt", "obj"))}"/></p:nvPr></p:nvSpPr>'
    return f'<p:sp>{properties}{place}<p:txBody><a:p><a:pPr lvl="{source.consume_int(300)}"/><a:r>{size}<a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>'


def _build_zip(parts: dict[str, str]) -> bytes:
    body = BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return body.getvalue()


def _corrupt(source: FuzzedDataProvider, body: bytes, hidden_words: list[str]) -> tuple[bytes, list[str]]:
    """Sometimes corrupt a few bytes; the hidden words are then unknown."""
    if source.consume_int(7) != 7:
        return body, hidden_words
    corrupted = bytearray(body)
    for _ in range(1 + source.consume_int(6)):
        corrupted[source.consume_int(60_000) % len(corrupted)] = source.consume_int(255)
    return bytes(corrupted), []


UNSEEN_TEXT = (
    *("3 Tr 1 0 0 rg", "1 1 1 rg", "0.99 g", "/F1 0.5 Tf", "7 Tr", "0 0 0 0 k", "1 0 0 1 5000 0 cm", "1 0 0 1 0 -4000 cm", "/F1 0.01 Tf"),
    *("0.01 0 0 0.01 0 0 cm", "/G0 gs", "1 1 1 rg 0 Tr", "0.99 0.98 1 rg"),
)  # fmt: skip
OPERATORS = (
    *("q", "Q", "BT", "ET", "0 g", "1 0 0 rg", "5 Tr", "2 Tr", "/F1 30 Tf", "0 0 m 9 9 l S", "50 50 100 20 re f", "/X0 Do", "/X1 Do", "T*"),
    *("10 TL", "90 Tz", "5 Ts", "2 Tc", "9 Tw", "1 0 0 1 9 9 cm", "(x) '", "/Span BMC", "EMC", "W n", "BI /W 1 /H 1 ID x EI", "-5 0 0 5 0 0 cm"),
)  # fmt: skip


def build_pdf(source: FuzzedDataProvider) -> tuple[bytes, list[str]]:
    """Generate a PDF and the list of its invisible words."""
    hidden_words: list[str] = []
    pages = [_content(source, hidden_words) for _ in range(1 + source.consume_int(2))]
    inner = _content(source, hidden_words).replace(b"/X1", b"/X2").replace(b"/X0", b"/X2")
    count = len(pages)
    resources = b"<< /Font << /F1 3 0 R >> /ExtGState << /G0 << /ca 0 /CA 0 >> >> /XObject << /X0 4 0 R /X1 5 0 R >> >>"
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources " + resources
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>"
        % (b" ".join(b"%d 0 R" % (6 + 2 * place) for place in range(count)), count),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        _stream(inner, form),
        _stream(b"/X0 Do", form),
    ]
    for place, content in enumerate(pages):
        box = source.pick((b"0 0 600 800", b"0 0 600 800", b"0 0 600 800", b"-10 -10 600 800"))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [%s] /Contents %d 0 R /Resources %s >>"
            % (box, 7 + 2 * place, resources)
        )
        objects.append(_stream(content, b""))
    body = b"%PDF-1.7\n"
    for number, content in enumerate(objects, 1):
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    return _corrupt(source, body + b"trailer << /Root 1 0 R /Size %d >>\n%%%%EOF" % (len(objects) + 1), hidden_words)


def _stream(content: bytes, more: bytes) -> bytes:
    packed = zlib.compress(content)
    return b"<< /Length %d /Filter /FlateDecode %s >> stream\n%s\nendstream" % (len(packed), more, packed)


def _content(source: FuzzedDataProvider, hidden_words: list[str]) -> bytes:
    """Generate visible text, invisible text and operators; invisible text is isolated from earlier graphics state."""
    parts = [b"BT /F1 12 Tf 50 700 Td (Herons stand in the shallows and wait.) Tj ET"]
    for place in range(source.consume_int(6)):
        if source.consume_int(2) == 0:
            parts.append(_unseen_text(source.pick(UNSEEN_TEXT), _add_hidden_word(hidden_words), 40 * place))
        elif source.consume_int(1):
            text = (
                source.consume_text(16)
                .encode("latin-1", "replace")
                .replace(b"\\", b"")
                .replace(b"(", b"")
                .replace(b")", b"")
            )
            parts.append(
                b"BT /F1 %d Tf %d %d Td (%s) Tj ET"
                % (1 + source.consume_int(40), source.consume_int(600), source.consume_int(800), text)
            )
        else:
            parts.append(
                b"q " + b" ".join(source.pick(OPERATORS).encode() for _ in range(source.consume_int(4))) + b" Q"
            )
    return b"\n".join(parts)


def _unseen_text(operators: str, word: str, up: int) -> bytes:
    outside, inside = (operators, "") if operators.endswith(("cm", "gs")) else ("", operators)
    return f"q {outside} BT /F1 12 Tf 50 {100 + up} Td {inside} ({word}) Tj ET Q".encode()
