"""Generate well-formed HTML pages with known visible words and words hidden by every known technique."""

from html import escape
from typing import NamedTuple

from infra.fuzz.random_source import FuzzedDataProvider

PROSE = "<p>Herons stand in the shallows at dawn and wait for small fish to come within reach of their bills.</p>" * 8
BLOCKS = ("div", "p", "section", "article", "blockquote", "main", "figure", "center", "address", "x-part")
INLINE = ("span", "b", "em", "small", "u", "cite", "x-mark", "font", "bdi", "sup")
HIDING_STYLES = (
    *("display:none", "visibility:hidden", "visibility:collapse", "opacity:0", "opacity:.01", "font-size:0", "color:transparent"),
    *("font-size:1px", "font-size:.5pt", "font:0/0 a", "color:rgba(0,0,0,0)", "color:#fff;background:#fff", "color:#12345600"),
    *("position:absolute;left:-9999px", "position:fixed;top:-999em", "text-indent:-9999px", "transform:scale(0)", "zoom:0"),
    *("clip-path:inset(100%)", "position:absolute;clip:rect(0,0,0,0)", "height:0;overflow:hidden", "width:0;overflow:hidden"),
    *("content-visibility:hidden", "max-height:0;overflow:hidden", "scale:0", "filter:opacity(0)", "clip-path:circle(0)"),
    *("color:hsla(0,0%,0%,0)", "transform:translateX(-9999px)", "margin-left:-9999px", "-webkit-text-fill-color:transparent"),
    *("display:none!important", "dis\\70lay:none", "DISPLAY:NONE", "display:/**/none", "color:red;;display:none;x", "opacity:0%"),
    *("transform:rotateY(90deg)", "clip-path:polygon(0 0,0 0,0 0)", "color:white", "color:#fefefe;background:white"),
)  # fmt: skip
HARMLESS_STYLES = (
    *("", "color:red", "opacity:.9", "font-size:14px", "position:relative;left:-5px", "text-indent:2em", "margin:0 auto"),
    *("overflow:hidden", "transform:scale(1.1)", "font:16px/1.5 serif", "color:#333;background:#fff", "height:200px;overflow:hidden"),
    *("color:#fff;background:#000", "display:block", "visibility:visible", "clip-path:none", "filter:opacity(1)", "zoom:1"),
    *("background:url(a.png);color:#fff", "position:absolute;left:10px", "max-width:0.5em;color:blue", "line-height:1.2", "scale:1"),
)  # fmt: skip
SELECTORS = (
    *(".{0}", "p.{0},.{0}", "*.{0}", "body .{0}", "[class~={0}]", '[class="{0}"]', ".{0}:not(.other)", "html body .{0}"),
    *(".none,.{0}", ".{0}.{0}", "body>div .{0},.{0}", ":root .{0}", '[class^="{0}"]', ":is(.{0})", ":where(.{0})", ".{0}:nth-child(n)"),
    *("body :is(.x,.{0})", ".{0}:not(:hover)", ".{0}:not(.a,.b)", "div:has(.none),.{0}", "::selection,.{0}", "body *.{0}"),
)  # fmt: skip
SHEETS = (
    "{}",
    "@media all{{{}}}",
    "@media screen{{{}}}",
    "@supports (display:grid){{{}}}",
    "@layer a{{{}}}",
    "/*x*/{}",
    "}} a{{}}{}",  # a browser drops the rule after a brace that closes nothing
)
SHEETS += (
    "@media (min-width:1px){{{}}}",
    "@media only screen and (min-width: 10em){{{}}}",
    "<!--{}-->",
    '@charset "utf-8";{}',
)
SHEETS += ("@import 'x';{}", "@media print{{p{{color:red}}}}{}", "@font-face{{src:url(a)}}{}", "a{{content:'}}'}}{}")
HIDING_MARKUP = (
    *("<template>{}</template>", "<noscript>{}</noscript>", "<!-- {} -->", "<script>'{}'</script>", "<dialog>{}</dialog>"),
    *("<div hidden>{}</div>", '<p hidden="">{}</p>', "<div hidden=until-found>{}</div>", "<svg><text>{}</text></svg>"),
    *("<select><option>{}</select>", "<iframe>{}</iframe>", "<object>{}</object>", "<video>{}</video>", "<textarea>{}</textarea>"),
    *('<p title="{0}" data-x="{0}" aria-label="{0}">seen</p>', '<input value="{}">', "<style>.{}{{}}</style>", "<datalist><option>{}</datalist>"),
    *('<font color="white">{}</font>', '<div bgcolor="black"><font color=black>{}</font></div>', "<canvas>{}</canvas>", "<audio>{}</audio>"),
    *('<span class="katex-html">{}</span>', "<noframes>{}</noframes>", '<meta name=x content="{}">'),
)  # fmt: skip


class GeneratedPage(NamedTuple):
    html: str
    visible: list[str]
    hidden: list[str]


class PageGenerator:
    """Generates one page from random bytes."""

    def __init__(self, source: FuzzedDataProvider) -> None:
        self.source = source
        self.visible: list[str] = []
        self.hidden: list[str] = []
        self.rules: list[str] = []
        self.backgrounds = 0  # open elements with their own background, on which white text is visible

    def page(self) -> GeneratedPage:
        body = "".join(self.block(0) for _ in range(1 + self.source.consume_int(5)))
        sheets = "".join(f"<style>{rule}</style>" for rule in self.rules)
        position = self.source.consume_int(2)
        head = sheets if position != 1 else ""
        tail = sheets if position == 1 else ""
        return GeneratedPage(
            f"<html><head>{head}</head><body>{PROSE}{body}{PROSE}{tail}</body></html>", self.visible, self.hidden
        )

    def block(self, depth: int, *, hidden: bool = False) -> str:
        """Generate an element with its content."""
        choice = self.source.consume_int(9)
        if depth > 5 or choice < 2:
            return f"<p>{self.words(hidden)}</p>"
        if choice < 4 and not hidden and len(self.hidden) < 16:
            return self.hide(depth)
        if choice == 4:
            return self.shape(hidden)
        tag = self.source.pick(BLOCKS if choice < 8 else INLINE)
        style = "" if hidden else self.harmless_attribute()
        count = 0 if tag == "p" else self.source.consume_int(3)
        self.backgrounds += "background" in style
        inner = "".join(self.block(depth + 1, hidden=hidden) for _ in range(count))
        self.backgrounds -= "background" in style
        return f"<{tag}{style}>{self.words(hidden)}{inner}{self.words(hidden)}</{tag}>"

    def shape(self, hidden: bool) -> str:
        """Generate lists, tables and code, which the reader handles separately."""
        one, two, three = (self.words(hidden) for _ in range(3))
        return self.source.pick(
            (
                f"<ul><li>{one}<ul><li>{two}</li></ul></li><li>{three}</li></ul>",
                f"<ol start={self.source.consume_int(60000)}><li>{one}</li><li>{two}</li></ol>{three}",
                f"<table><tr><th>{one}</th><th>{two}</th></tr><tr><td colspan={self.source.consume_int(60000)}>{three}</td><td>1</td></tr></table>",
                f"<pre><code>{one}\n{two}</code></pre><p>{three}</p>",
                f"<dl><dt>{one}</dt><dd>{two}</dd></dl><p><code>{three}</code></p>",
                f"<details><summary>{one}</summary><p>{two}</p></details><h3>{three}</h3>",
                f"<blockquote><p>{one}</p><blockquote>{two}</blockquote></blockquote><p>{three}</p>",
                f'<p><a href="{escape(self.source.consume_text())}">{one}</a> <a href="/x"><b>{two}</b></a><i>{three}</i></p>',
            )
        )

    def harmless_attribute(self) -> str:
        style = self.source.pick(HARMLESS_STYLES)
        return f' style="{style}"' if style else ""

    def words(self, hidden: bool) -> str:
        """Generate a unique word between arbitrary characters."""
        known = self.hidden if hidden else self.visible
        word = f"{'hid' if hidden else 'see'}word{len(known)}q"
        known.append(word)
        return f"{escape(self.source.consume_text(8))} {word} {escape(self.source.consume_text(8))}"

    def hide(self, depth: int) -> str:
        kind = self.source.consume_int(9)
        if kind < 3:
            word = f"hidword{len(self.hidden)}q"
            self.hidden.append(word)
            markup = self.source.pick(HIDING_MARKUP)
            return ("<p hidden>{}</p>" if self.backgrounds and "color=" in markup else markup).format(word)
        tag = self.source.pick(("div", "p", "span", "section", "b", "li", "td", "h2", "x-y", "pre"))
        inner = self.words(True) if tag in ("p", "h2", "pre") else self.block(depth + 1, hidden=True)
        if kind < 6:
            return self.wrap_in_parent(tag, f'<{tag} style="{self.style()}">{inner}</{tag}>')
        name = f"c{len(self.rules)}"
        self.rules.append(
            self.source.pick(SHEETS).format(f"{self.source.pick(SELECTORS).format(name)}{{{self.style()}}}")
        )
        return self.wrap_in_parent(tag, f'<{tag} class="{name}">{inner}</{tag}>')

    def wrap_in_parent(self, tag: str, element: str) -> str:
        if tag == "td":
            return f"<table><tr><td>a</td>{element}</tr><tr><td>b</td><td>c</td></tr></table>"
        return f"<ul><li>a</li>{element}</ul>" if tag == "li" else element

    def style(self) -> str:
        """Generate a hiding style among styles that do not hide."""
        style = self.source.pick(HIDING_STYLES)
        if self.backgrounds and style in ("color:white", "color:#ffffff"):
            style += ";background:white"
        return f"margin:0;{style}" if self.source.consume_int(1) else style
