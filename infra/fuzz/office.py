"""Generate PDF, Word and PowerPoint files with known hidden words from random bytes."""

import zipfile
import zlib
from io import BytesIO
from xml.sax.saxutils import escape, quoteattr

from infra.fuzz.random_source import Dice

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
UNSEEN_RUNS = (
    *("<w:vanish/>", '<w:vanish w:val="1"/>', '<w:vanish w:val="true"/>', '<w:sz w:val="1"/>', '<w:color w:val="FFFFFF"/>'),
    *('<w:b/><w:vanish/>', '<w:rStyle w:val="Gone"/>', '<w:color w:val="ffffff"/>', '<w:vanish w:val="0"/><w:sz w:val="2"/>'),
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
STYLES = (
    f"<w:styles {W}><w:style w:type='character' w:styleId='Gone'><w:name w:val='Gone'/><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:type='character' w:styleId='Child'><w:basedOn w:val='Gone'/></w:style>"
    "<w:style w:type='paragraph' w:styleId='Lost'><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:type='paragraph' w:styleId='Heading1'><w:name w:val='heading 1'/><w:basedOn w:val='Heading1'/></w:style></w:styles>"
)


def docx_of(dice: Dice) -> tuple[bytes, list[str]]:
    """Generate a Word file and the list of its hidden words."""
    unseen: list[str] = []
    body = "".join(_paragraph(dice, unseen, 0) for _ in range(1 + dice.throw(6)))
    link = quoteattr(
        dice.of(("http://a.example/", "javascript:alert(1)", "http://a.example/) [x](javascript:y"))
        + dice.text(12).translate(CHARACTERS)
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
        "docProps/core.xml": f"<c><title>{_words(dice)}</title><creator>{_words(dice)}</creator><created>{_words(dice)}</created></c>",
    }
    return _spoiled(dice, _zipped(parts), unseen)


CHARACTERS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "")


def _words(dice: Dice) -> str:
    return escape(dice.text(16).translate(CHARACTERS))


def _hidden(unseen: list[str]) -> str:
    unseen.append(f"hidword{len(unseen)}q")
    return unseen[-1]


def _run(dice: Dice, unseen: list[str]) -> str:
    kind = dice.throw(5)
    if kind == 0:
        return f"<w:r><w:rPr>{dice.of(UNSEEN_RUNS)}</w:rPr><w:t>{_hidden(unseen)}</w:t></w:r>"
    if kind == 1:
        return f"<w:del><w:r><w:delText>{_hidden(unseen)}</w:delText></w:r></w:del>"
    if kind == 2:
        return f'<w:hyperlink r:id="l"><w:r><w:t>{_words(dice)}</w:t></w:r></w:hyperlink>'
    if kind == 3:
        return f'<w:r><w:sym w:char="{dice.of(("F0B7", "202E", "D800", "E000", "zz", "110000", "0"))}"/><w:tab/><w:br/></w:r>'
    return f"<w:r><w:rPr>{dice.of(SEEN_RUNS)}</w:rPr><w:t>{_words(dice)}</w:t></w:r>"


def _paragraph(dice: Dice, unseen: list[str], depth: int) -> str:
    kind = dice.throw(6)
    runs = "".join(_run(dice, unseen) for _ in range(dice.throw(3)))
    if kind == 0:
        return f'<w:p><w:pPr><w:pStyle w:val="Lost"/></w:pPr><w:r><w:t>{_hidden(unseen)}</w:t></w:r></w:p>'
    if kind == 1 and depth < 4:
        cells = "".join(
            f'<w:tc><w:tcPr><w:gridSpan w:val="{dice.throw(60000)}"/></w:tcPr>{_paragraph(dice, unseen, depth + 1)}</w:tc>'
            for _ in range(1 + dice.throw(3))
        )
        return f"<w:tbl><w:tr>{cells}</w:tr><w:tr>{cells if not unseen else ''}</w:tr></w:tbl>"
    if kind == 2:
        return f'<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:outlineLvl w:val="{dice.throw(12)}"/></w:pPr>{runs}</w:p>'
    if kind == 3 and depth < 4:
        return f"<w:sdt><w:sdtContent>{_paragraph(dice, unseen, depth + 1)}</w:sdtContent></w:sdt>"
    if kind == 4:
        return f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{dice.throw(300)}"/><w:numId w:val="1"/></w:numPr></w:pPr>{runs}</w:p>'
    return f"<w:p>{runs}</w:p>"


def pptx_of(dice: Dice) -> tuple[bytes, list[str]]:
    """Generate a PowerPoint file and the list of its hidden words."""
    unseen: list[str] = []
    count = 1 + dice.throw(3)
    ids = "".join(f'<p:sldId id="{256 + place}" r:id="r{place}"/>' for place in range(count))
    targets = "".join(
        f'<Relationship Id="r{place}" Type="{TYPES}slide" Target="slides/slide{place}.xml"/>' for place in range(count)
    )
    parts = {
        "ppt/presentation.xml": f'<p:presentation {P} {R}><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="x">{targets}</Relationships>',
    }
    for place in range(count):
        gone = dice.throw(4) == 0
        shapes = "".join(_shape(dice, unseen, gone, 0) for _ in range(dice.throw(4)))
        show = ' show="0"' if gone else ""
        parts[f"ppt/slides/slide{place}.xml"] = (
            f"<p:sld {P} {A} {R}{show}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
    return _spoiled(dice, _zipped(parts), unseen)


def _shape(dice: Dice, unseen: list[str], gone: bool, depth: int) -> str:
    kind = dice.throw(6)
    text = _hidden(unseen) if gone or kind in (0, 1, 2) else _words(dice)
    size, hidden, place = "", "", ""
    if kind == 0:
        hidden = ' hidden="1"'
    elif kind == 1:
        place = '<p:spPr><a:xfrm><a:off x="99999999" y="0"/><a:ext cx="100" cy="100"/></a:xfrm></p:spPr>'
    elif kind == 2:
        size = f'<a:rPr sz="{1 + dice.throw(190)}"/>'
    elif kind == 3 and depth < 3:
        return f"<p:grpSp>{_shape(dice, unseen, gone, depth + 1)}</p:grpSp>"
    told = f'<p:nvSpPr><p:cNvPr id="1" name="x"{hidden}/><p:nvPr><p:ph type="{dice.of(("title", "body", "dt", "obj"))}"/></p:nvPr></p:nvSpPr>'
    return f'<p:sp>{told}{place}<p:txBody><a:p><a:pPr lvl="{dice.throw(300)}"/><a:r>{size}<a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>'


def _zipped(parts: dict[str, str]) -> bytes:
    body = BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return body.getvalue()


def _spoiled(dice: Dice, body: bytes, unseen: list[str]) -> tuple[bytes, list[str]]:
    """Sometimes corrupt a few bytes; the hidden words are then unknown."""
    if dice.throw(7) != 7:
        return body, unseen
    changed = bytearray(body)
    for _ in range(1 + dice.throw(6)):
        changed[dice.throw(60_000) % len(changed)] = dice.throw(255)
    return bytes(changed), []


UNSEEN_TEXT = (
    *("3 Tr 1 0 0 rg", "1 1 1 rg", "0.99 g", "/F1 0.5 Tf", "7 Tr", "0 0 0 0 k", "1 0 0 1 5000 0 cm", "1 0 0 1 0 -4000 cm", "/F1 0.01 Tf"),
    *("0.01 0 0 0.01 0 0 cm", "/G0 gs", "1 1 1 rg 0 Tr", "0.99 0.98 1 rg"),
)  # fmt: skip
OPERATORS = (
    *("q", "Q", "BT", "ET", "0 g", "1 0 0 rg", "5 Tr", "2 Tr", "/F1 30 Tf", "0 0 m 9 9 l S", "50 50 100 20 re f", "/X0 Do", "/X1 Do", "T*"),
    *("10 TL", "90 Tz", "5 Ts", "2 Tc", "9 Tw", "1 0 0 1 9 9 cm", "(x) '", "/Span BMC", "EMC", "W n", "BI /W 1 /H 1 ID x EI", "-5 0 0 5 0 0 cm"),
)  # fmt: skip


def pdf_of(dice: Dice) -> tuple[bytes, list[str]]:
    """Generate a PDF and the list of its invisible words."""
    unseen: list[str] = []
    pages = [_content(dice, unseen) for _ in range(1 + dice.throw(2))]
    inner = _content(dice, unseen).replace(b"/X1", b"/X2").replace(b"/X0", b"/X2")
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
        box = dice.of((b"0 0 600 800", b"0 0 600 800", b"0 0 600 800", b"-10 -10 600 800"))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [%s] /Contents %d 0 R /Resources %s >>"
            % (box, 7 + 2 * place, resources)
        )
        objects.append(_stream(content, b""))
    body = b"%PDF-1.7\n"
    for number, held in enumerate(objects, 1):
        body += b"%d 0 obj\n%s\nendobj\n" % (number, held)
    return _spoiled(dice, body + b"trailer << /Root 1 0 R /Size %d >>\n%%%%EOF" % (len(objects) + 1), unseen)


def _stream(content: bytes, more: bytes) -> bytes:
    packed = zlib.compress(content)
    return b"<< /Length %d /Filter /FlateDecode %s >> stream\n%s\nendstream" % (len(packed), more, packed)


def _content(dice: Dice, unseen: list[str]) -> bytes:
    """Generate visible text, invisible text and operators; invisible text is isolated from earlier graphics state."""
    parts = [b"BT /F1 12 Tf 50 700 Td (Herons stand in the shallows and wait.) Tj ET"]
    for place in range(dice.throw(6)):
        if dice.throw(2) == 0:
            parts.append(_unseen_text(dice.of(UNSEEN_TEXT), _hidden(unseen), 40 * place))
        elif dice.throw(1):
            text = dice.text(16).encode("latin-1", "replace").replace(b"\\", b"").replace(b"(", b"").replace(b")", b"")
            parts.append(
                b"BT /F1 %d Tf %d %d Td (%s) Tj ET" % (1 + dice.throw(40), dice.throw(600), dice.throw(800), text)
            )
        else:
            parts.append(b"q " + b" ".join(dice.of(OPERATORS).encode() for _ in range(dice.throw(4))) + b" Q")
    return b"\n".join(parts)


def _unseen_text(how: str, word: str, up: int) -> bytes:
    outside, inside = (how, "") if how.endswith(("cm", "gs")) else ("", how)
    return f"q {outside} BT /F1 12 Tf 50 {100 + up} Td {inside} ({word}) Tj ET Q".encode()
