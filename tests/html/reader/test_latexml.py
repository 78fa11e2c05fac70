"""Papers that LaTeXML converted, as arXiv shows them."""

import pytest
from tests.html.reader.test_markdown_renderer import markdown


def item(mark: str, text: str) -> str:
    return f"<li class='ltx_item'><span class='ltx_tag ltx_tag_item'>{mark}</span>\n<div class='ltx_para'><p>{text}</p></div></li>"


def note(mark: str, text: str, role: str = "footnote") -> str:
    sign = f"<sup class='ltx_note_mark'>{mark}</sup>"
    tag = f"<span class='ltx_tag ltx_tag_note'>{mark}</span>"
    return (
        f"<span class='ltx_note ltx_role_{role}'>{sign}<span class='ltx_note_outer'><span class='ltx_note_content'>"
        f"{sign}{tag}{text}</span></span></span>"
    )


def math(tex: str) -> str:
    return f"<math alttext='\\displaystyle {tex}'><mi>x</mi></math>"


def row(cells: list[str], number: str = "") -> str:
    texts = "".join(f"<td class='ltx_td ltx_eqn_cell'>{math(tex) if tex else ''}</td>" for tex in cells)
    tag = f"<td class='ltx_eqn_cell ltx_eqn_eqno'><span class='ltx_tag'>{number}</span></td>" if number else ""
    return f"<tr><td class='ltx_eqn_cell ltx_eqn_center_padleft'></td>{texts}{tag}</tr>"


def code_line(number: int, text: str) -> str:
    tag = f"<span class='ltx_tag ltx_tag_listingline'>{number}</span>"
    return f"<div class='ltx_listingline'>\n  {tag}\n  {text}\n</div>\n"


CASES = {
    "bullets": (f"<ul>{item('•', 'One')}{item('•', 'Two')}</ul>", "- One\n- Two"),
    "numbers": (f"<ol>{item('3.', 'One')}{item('4.', 'Two')}</ol>", "3. One\n4. Two"),
    "labels": (f"<ul>{item('(H1)', 'One')}{item('[Q]', 'Two')}</ul>", "- (H1) One\n- [Q] Two"),
    "a note": (f"<p>Eggs{note('1', 'Brown <em>ones</em>.')} hatch.</p>", "Eggs [1: Brown *ones*.] hatch."),
    "a note on a title": (f"<h1>Eggs{note('†', 'thanks: Ann')}</h1>", "# Eggs"),
    "the mark of a note elsewhere": (f"<p>Eggs{note('2', 'footnotemark: ', 'footnotemark')}.</p>", "Eggs[2]."),
    "fonts": (
        (
            "<p>A <span class='ltx_text ltx_font_bold'>big</span> <span class='ltx_text ltx_font_typewriter'>x_1</span>"
            " <span class='ltx_text ltx_font_italic'>nest</span>.</p>"
        ),
        "A **big** `x_1` nest.",
    ),
    "an equation": (f"<table class='ltx_eqn_table'>{row(['a=b'], '(1)')}</table>", "$$a=b \\tag{1}$$"),
    "an equation without a number": (f"<table class='ltx_eqn_table'>{row(['a', '=b'])}</table>", "$$a =b$$"),
    "equations in a row": (
        f"<table class='ltx_eqn_table'>{row(['a', '=b'], '(1)')}{row(['', '=c'])}</table>",
        r"$$\begin{align}a & =b \tag{1} \\ & =c\end{align}$$",
    ),
    "words between equations": (
        f"<table class='ltx_eqn_table'><tr><td>{math('a')}</td></tr><tr><td>and then</td></tr></table>",
        "$\\displaystyle a$\n\nand then",
    ),
    "a listing": (
        "<div class='ltx_listing ltx_lst_language_Python ltx_lstlisting'><div class='ltx_listing_data'><a href='data:,x'>⬇</a></div>\n"
        + code_line(1, "<span class='ltx_text ltx_font_bold'>if</span><span> </span>x:")
        + code_line(2, "<span>\xa0\xa0</span>y")
        + "</div>",
        "```python\nif x:\n  y\n```",
    ),
    "a step of an algorithm": (f"<div class='ltx_listing'>{code_line(1, 'n')}</div>", "1 n"),
    "the text for every picture": (
        "<figure><img src='/a.png' alt='Refer to caption'><figcaption>A nest</figcaption></figure>",
        "![](https://docs.example/a.png)\n\nA nest",
    ),
}


@pytest.mark.parametrize(("html", "expected"), CASES.values(), ids=CASES.keys())
def test_papers_of_latexml(html, expected):
    assert markdown(html) == expected
