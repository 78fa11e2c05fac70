"""Lists and definitions as pages write them."""

from infra.benchmarks.structure_pages.page import Page, dialect

type Tree = list[tuple[str, Tree]]


def _tree(page: Page, depth: int) -> Tree:
    return [(page.label(3), _tree(page, depth - 1) if depth > 1 and place == 1 else []) for place in range(3)]


def _expect(page: Page, tree: Tree, tags: list[str], depth: int = 1) -> None:
    for text, inner in tree:
        page.expect("items", (depth, tags[depth - 1], text))
        _expect(page, inner, tags, depth + 1)


def _write(tree: Tree, tags: list[str], wrap: str = "{}", depth: int = 1) -> str:
    if not tree:
        return ""
    tag = tags[depth - 1]
    items = "".join(f"<li>{wrap.format(text)}{_write(inner, tags, wrap, depth + 1)}</li>\n" for text, inner in tree)
    return f"<{tag}>\n{items}</{tag}>"


def _both(page: Page, tags: list[str], wrap: str = "{}") -> None:
    tree = _tree(page, len(tags))
    page.add(_write(tree, tags, wrap))
    _expect(page, tree, tags)


@dialect("lists")
def bullets_in_bullets(page: Page) -> None:
    _both(page, ["ul", "ul"])


@dialect("lists")
def three_levels(page: Page) -> None:
    _both(page, ["ul", "ul", "ul"])


@dialect("lists")
def numbers_in_numbers(page: Page) -> None:
    _both(page, ["ol", "ol"])


@dialect("lists")
def mixed_with_paragraphs(page: Page) -> None:
    _both(page, ["ol", "ul", "ol"], "<p>{}</p>")


@dialect("lists")
def bullets_over_numbers(page: Page) -> None:
    _both(page, ["ul", "ol"], "<span style='font-weight:400'>{}</span>")


@dialect("lists")
def divs_in_items(page: Page) -> None:
    _both(page, ["ul", "ol"], "<div class='text'>{}</div>")


@dialect("lists")
def list_directly_in_list(page: Page) -> None:
    """Old editors put the inner list beside the items."""
    tree = _tree(page, 2)
    inner = "".join(f"<li>{text}</li>" for text, _ in tree[1][1])
    page.add(f"<ul><li>{tree[0][0]}</li><li>{tree[1][0]}</li><ul>{inner}</ul><li>{tree[2][0]}</li></ul>")
    _expect(page, tree, ["ul", "ul"])


@dialect("lists")
def numbered_list_directly_in_list(page: Page) -> None:
    tree = _tree(page, 3)
    deepest = "".join(f"<li>{text}</li>" for text, _ in tree[1][1][1][1])
    middle = tree[1][1]
    inner = f"<li>{middle[0][0]}</li><li>{middle[1][0]}</li><ol>{deepest}</ol><li>{middle[2][0]}</li>"
    page.add(f"<ol><li>{tree[0][0]}</li><li>{tree[1][0]}</li><ol>{inner}</ol><li>{tree[2][0]}</li></ol>")
    _expect(page, tree, ["ol", "ol", "ol"])


@dialect("lists")
def inner_list_in_empty_item(page: Page) -> None:
    """Editors of pasted documents put the inner list in an item of its own without marker."""
    tree = _tree(page, 2)
    inner = "".join(f"<li>{text}</li>" for text, _ in tree[1][1])
    page.add(
        f"<ul><li>{tree[0][0]}</li><li>{tree[1][0]}</li><li style='list-style-type:none'><ul>{inner}</ul></li>"
        f"<li>{tree[2][0]}</li></ul>"
    )
    _expect(page, tree, ["ul", "ul"])


@dialect("lists")
def levels_as_classes(page: Page) -> None:
    """One editor writes every item in one list and gives its depth as a class."""
    tree = _tree(page, 2)
    items = [(0, tree[0][0]), (0, tree[1][0]), *((1, text) for text, _ in tree[1][1]), (0, tree[2][0])]
    written = "".join(
        f"<li class='ql-indent-{depth}'>{text}</li>" if depth else f"<li>{text}</li>" for depth, text in items
    )
    page.add(f"<ul>{written}</ul>")
    _expect(page, tree, ["ul", "ul"])


@dialect("lists")
def numbers_from_elsewhere(page: Page) -> None:
    texts = [page.label(3) for _ in range(3)]
    page.add(f"<ol start='7'>{''.join(f'<li>{text}</li>' for text in texts)}</ol>")
    page.expect("items", *[(1, "ol", text) for text in texts])
    page.expect("starts", (7, texts[0]))


@dialect("lists")
def inner_numbers_from_elsewhere(page: Page) -> None:
    tree = _tree(page, 2)
    inner = "".join(f"<li>{text}</li>" for text, _ in tree[1][1])
    page.add(f"<ol><li>{tree[0][0]}</li><li>{tree[1][0]}<ol start='4'>{inner}</ol></li><li>{tree[2][0]}</li></ol>")
    _expect(page, tree, ["ol", "ol"])
    page.expect("starts", (4, tree[1][1][0][0]))


@dialect("lists")
def numbers_downwards(page: Page) -> None:
    texts = [page.label(3) for _ in range(4)]
    page.add(f"<ol reversed>{''.join(f'<li>{text}</li>' for text in texts)}</ol>")
    page.expect("items", *[(1, "ol", text) for text in texts])
    page.expect("starts", (4, texts[0]))


@dialect("lists")
def numbers_interrupted(page: Page) -> None:
    """A list continues after a paragraph by its start."""
    texts = [page.label(3) for _ in range(4)]
    page.add(f"<ol><li>{texts[0]}</li><li>{texts[1]}</li></ol>")
    page.paragraph()
    page.add(f"<ol start='3'><li>{texts[2]}</li><li>{texts[3]}</li></ol>")
    page.expect("items", *[(1, "ol", text) for text in texts])
    page.expect("starts", (3, texts[2]))


@dialect("lists")
def two_lists_in_a_row(page: Page) -> None:
    """Two lists without text between them."""
    one, two = [page.label(3) for _ in range(3)], [page.label(3) for _ in range(3)]
    page.add("".join(f"<ol>{''.join(f'<li>{text}</li>' for text in texts)}</ol>\n" for texts in (one, two)))
    page.expect("items", *[(1, "ol", text) for text in [*one, *two]])
    page.expect("starts", (1, one[0]), (1, two[0]))


@dialect("lists")
def bullets_after_numbers(page: Page) -> None:
    one, two = [page.label(3) for _ in range(3)], [page.label(3) for _ in range(3)]
    page.add(
        "".join(
            f"<{tag}>{''.join(f'<li>{t}</li>' for t in texts)}</{tag}>" for tag, texts in (("ol", one), ("ul", two))
        )
    )
    page.expect("items", *[(1, "ol", text) for text in one], *[(1, "ul", text) for text in two])


@dialect("lists")
def items_with_two_paragraphs(page: Page) -> None:
    texts = [[page.sentence(), page.sentence()] for _ in range(3)]
    page.add("<ol>" + "".join(f"<li><p>{one}</p><p>{two}</p></li>" for one, two in texts) + "</ol>")
    page.expect("items", *[(1, "ol", f"{one} {two}") for one, two in texts])


@dialect("lists")
def items_of_links_and_emphasis(page: Page) -> None:
    items = []
    for _ in range(4):
        lead, text, link = page.label(2), page.words(6), page.label(2)
        target = f"https://other.example/{page.slug()}"
        items.append(f"<li><strong>{lead}:</strong> {text} <a href='{target}'>{link}</a>.</li>")
        page.expect("items", (1, "ul", f"{lead}: {text} {link}."))
        page.expect("inline", ("strong", lead))
        page.expect("links", (link, target))
    page.add(f"<ul>{''.join(items)}</ul>")


@dialect("lists")
def code_in_items(page: Page) -> None:
    texts, codes = [page.label(3) for _ in range(3)], [f"run --step {page.slug()}\n  --now" for _ in range(3)]
    page.add(
        "<ol>"
        + "".join(f"<li>{t}<pre><code>{c}</code></pre></li>" for t, c in zip(texts, codes, strict=True))
        + "</ol>"
    )
    page.expect("items", *[(1, "ol", text) for text in texts])
    page.expect("code", *[("", code) for code in codes])


@dialect("lists")
def tasks(page: Page) -> None:
    texts = [page.label(3) for _ in range(3)]
    boxes = ["checked", "", ""]
    items = "".join(
        f"<li class='task-list-item'><input type='checkbox' disabled {box}> {text}</li>"
        for box, text in zip(boxes, texts, strict=True)
    )
    page.add(f"<ul class='contains-task-list'>{items}</ul>")
    page.expect("items", *[(1, "ul", f"[{'x' if b else ' '}] {t}") for b, t in zip(boxes, texts, strict=True)])


@dialect("lists")
def letters(page: Page) -> None:
    texts = [page.label(3) for _ in range(3)]
    page.add(f"<ol type='a'>{''.join(f'<li>{text}</li>' for text in texts)}</ol>")
    page.expect("items", *[(1, "ol", text) for text in texts])


@dialect("lists")
def bullets_spelled_out(page: Page) -> None:
    texts = [page.label(3) for _ in range(3)]
    page.add(f"<p>{'<br>'.join(f'• {text}' for text in texts)}</p>")
    page.expect("items", *[(1, "ul", text) for text in texts])


@dialect("lists")
def of_aria_roles(page: Page) -> None:
    texts = [page.label(3) for _ in range(4)]
    items = "".join(f"<div role='listitem'>{text}</div>" for text in texts)
    page.add(f"<div role='list'>{items}</div>")
    page.expect("items", *[(1, "ul", text) for text in texts])


@dialect("terms")
def plain_terms(page: Page) -> None:
    pairs = [(page.label(2), page.sentence()) for _ in range(4)]
    page.add("<dl>" + "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in pairs) + "</dl>")
    page.expect("lines", *pairs)


@dialect("terms")
def terms_in_divs(page: Page) -> None:
    pairs = [(page.label(2), page.sentence()) for _ in range(3)]
    page.add("<dl>" + "".join(f"<div class='row'><dt>{t}</dt><dd><p>{d}</p></dd></div>" for t, d in pairs) + "</dl>")
    page.expect("lines", *pairs)


@dialect("terms")
def two_terms_of_one_definition(page: Page) -> None:
    one, two, text = page.label(2), page.label(2), page.sentence()
    page.add(f"<dl><dt><code>{one}</code></dt><dt><code>{two}</code></dt><dd>{text}</dd></dl>")
    page.expect("lines", (one, two, text))


@dialect("terms")
def definitions_of_two_paragraphs(page: Page) -> None:
    term, one, two = page.label(2), page.sentence(), page.sentence()
    items = [page.label(3) for _ in range(2)]
    page.add(
        f"<dl><dt>{term}</dt><dd><p>{one}</p><p>{two}</p><ul>{''.join(f'<li>{i}</li>' for i in items)}</ul></dd></dl>"
    )
    page.expect("lines", (term, one, two, *items))


@dialect("terms")
def details_of_summary(page: Page) -> None:
    title, text, items = page.label(3), page.sentence(), [page.label(3) for _ in range(3)]
    page.add(
        f"<details open><summary>{title}</summary><p>{text}</p><ul>{''.join(f'<li>{i}</li>' for i in items)}</ul></details>"
    )
    page.expect("lines", (title, text))
    page.expect("items", *[(1, "ul", item) for item in items])


@dialect("terms")
def summary_with_heading(page: Page) -> None:
    title, text = page.label(3), page.prose(2)
    page.add(f"<details open><summary><h3>{title}</h3></summary><div>{text}</div></details>")
    page.expect("headings", (3, title))
    page.expect("lines", (title, text))


@dialect("terms")
def admonition(page: Page) -> None:
    title, text = page.rng.choice(["Note", "Warning", "Tip"]), page.sentence()
    page.add(f"<div class='admonition note'><p class='admonition-title'>{title}</p><p>{text}</p></div>")
    page.expect("lines", (title, text))


@dialect("terms")
def callout(page: Page) -> None:
    title, text = page.label(2), page.sentence()
    page.add(
        f"<div class='markdown-alert markdown-alert-tip' dir='auto'><p class='markdown-alert-title'><svg><path d='M0'/></svg>"
        f"{title}</p><p>{text}</p></div>"
    )
    page.expect("lines", (title, text))
