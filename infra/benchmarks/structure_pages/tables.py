"""Tables as pages write them."""

from infra.benchmarks.structure_pages.page import Page, Table, dialect


def _cells(page: Page, rows: int, columns: int) -> list[list[str]]:
    return [
        [page.label(1) if not x else str(page.rng.randint(100, 99999)) for x in range(columns)] for _ in range(rows)
    ]


def _row(cells: list[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def _body(rows: list[list[str]]) -> str:
    return "".join(map(_row, rows))


def _heads(page: Page, columns: int) -> list[str]:
    return [page.label(1) for _ in range(columns)]


def _expect(page: Page, rows: list[list[str]], *, head: bool = True) -> None:
    page.expect("tables", Table(rows, head))


@dialect("tables")
def with_head(page: Page) -> None:
    heads, rows = _heads(page, 4), _cells(page, 5, 4)
    page.add(f"<table><thead>{_row(heads, 'th')}</thead><tbody>{_body(rows)}</tbody></table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def without_thead(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 4, 3)
    page.add(f"<table class='data'>{_row(heads, 'th')}{_body(rows)}</table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def head_of_bold_cells(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 4, 3)
    first = _row([f"<strong>{head}</strong>" for head in heads])
    page.add(f"<figure class='wp-block-table'><table><tbody>{first}{_body(rows)}</tbody></table></figure>")
    _expect(page, [heads, *rows])


@dialect("tables")
def head_in_td(page: Page) -> None:
    heads, rows = _heads(page, 4), _cells(page, 4, 4)
    page.add(f"<table><thead>{_row(heads)}</thead><tbody>{_body(rows)}</tbody></table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def spanning_columns(page: Page) -> None:
    group, other = page.label(1), page.label(1)
    heads, rows = _heads(page, 5), _cells(page, 4, 5)
    first = f"<tr><th rowspan='2'>{heads[0]}</th><th colspan='2'>{group}</th><th colspan='2'>{other}</th></tr>"
    page.add(f"<table><thead>{first}{_row(heads[1:], 'th')}</thead><tbody>{_body(rows)}</tbody></table>")
    _expect(page, [[heads[0], group, group, other, other], heads, *rows])


@dialect("tables")
def spanning_rows(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 4, 3)
    rows[1][0], rows[3][0] = rows[0][0], rows[2][0]
    body = "".join(
        f"<tr><td rowspan='2'>{rows[place][0]}</td>"
        f"{''.join(f'<td>{cell}</td>' for cell in rows[place][1:])}</tr>{_row(rows[place + 1][1:])}"
        for place in (0, 2)
    )
    page.add(f"<div class='table-wrapper'><table><thead>{_row(heads, 'th')}</thead>{body}</table></div>")
    _expect(page, [heads, *rows])


@dialect("tables")
def groups_of_rows(page: Page) -> None:
    """A row that one cell fills titles the rows after it."""
    heads, groups, rows = _heads(page, 3), [page.label(2), page.label(2)], _cells(page, 4, 3)
    titled = [f"<tr><th colspan='3' scope='rowgroup'>{group}</th></tr>" for group in groups]
    body = titled[0] + _body(rows[:2]) + titled[1] + _body(rows[2:])
    page.add(f"<table>{_row(heads, 'th')}{body}</table>")
    _expect(page, [heads, [groups[0], "", ""], *rows[:2], [groups[1], "", ""], *rows[2:]])


@dialect("tables")
def head_in_first_column(page: Page) -> None:
    rows = _cells(page, 5, 2)
    body = "".join(f"<tr><th scope='row'>{one}</th><td>{two}</td></tr>" for one, two in rows)
    page.add(f"<table class='infobox'><tbody>{body}</tbody></table>")
    _expect(page, rows, head=False)


@dialect("tables")
def heads_on_both_sides(page: Page) -> None:
    heads, rows = ["", *_heads(page, 3)], _cells(page, 4, 4)
    first = "<tr><td></td>" + "".join(f"<th scope='col'>{head}</th>" for head in heads[1:]) + "</tr>"
    body = "".join(f"<tr><th scope='row'>{row[0]}</th>{_row(row[1:])[4:]}" for row in rows)
    page.add(f"<table>{first}{body}</table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def caption_and_foot(page: Page) -> None:
    heads, rows, caption = _heads(page, 3), _cells(page, 4, 3), page.sentence(6)
    foot = [page.label(1), "40", "50"]
    page.add(
        f"<table><caption>{caption}</caption><thead>{_row(heads, 'th')}</thead><tbody>{_body(rows)}</tbody>"
        f"<tfoot>{_row(foot)}</tfoot></table>"
    )
    _expect(page, [heads, *rows, foot])
    page.expect("lines", (caption,))


@dialect("tables")
def foot_before_body(page: Page) -> None:
    heads, rows, foot = _heads(page, 3), _cells(page, 3, 3), ["Total", "70", "80"]
    page.add(
        f"<table><thead>{_row(heads, 'th')}</thead><tfoot>{_row(foot)}</tfoot><tbody>{_body(rows)}</tbody></table>"
    )
    _expect(page, [heads, *rows, foot])


@dialect("tables")
def empty_cells(page: Page) -> None:
    heads, rows = _heads(page, 4), _cells(page, 5, 4)
    for place in range(1, 4):
        rows[place][place] = ""
    rows[4][1] = rows[4][2] = ""
    written = [[cell or page.rng.choice(["", "&nbsp;", " <br> "]) for cell in row] for row in rows]
    page.add(f"<table>{_row(heads, 'th')}{_body(written)}</table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def missing_cells(page: Page) -> None:
    heads, rows = _heads(page, 4), _cells(page, 4, 4)
    written = "".join(_row(row[: 4 - place % 2]) for place, row in enumerate(rows))
    page.add(f"<table>{_row(heads, 'th')}{written}</table>")
    _expect(page, [heads, *[row[:3] + ([""] if place % 2 else row[3:]) for place, row in enumerate(rows)]])


@dialect("tables")
def pipes_and_lines(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 4, 3)
    rows[0][1], rows[1][2], rows[2][1], rows[3][2] = "a | b", "one two three", "x || y", "*star* \\ `tick`"
    written = [list(row) for row in rows]
    written[1][2], written[2][1] = "one<br>two<br/>three", "<code>x || y</code>"
    page.add(f"<table><thead>{_row(heads, 'th')}</thead><tbody>{_body(written)}</tbody></table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def lists_in_cells(page: Page) -> None:
    heads, rows = _heads(page, 2), _cells(page, 3, 2)
    written = []
    for row in rows:
        items = [page.label(2) for _ in range(3)]
        row[1] = " ".join(items)
        written.append([row[0], "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"])
    page.add(f"<table><thead>{_row(heads, 'th')}</thead><tbody>{_body(written)}</tbody></table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def paragraphs_in_cells(page: Page) -> None:
    heads, rows = _heads(page, 2), [[page.label(1), page.prose(2)] for _ in range(4)]
    written = [[f"<p>{row[0]}</p>", "".join(f"<p>{part}.</p>" for part in row[1].split(".") if part)] for row in rows]
    page.add(
        f"<table border='1'><tbody>{_row([f'<p>{head}</p>' for head in heads], 'th')}{_body(written)}</tbody></table>"
    )
    _expect(page, [heads, *rows])


@dialect("tables")
def optional_end_tags(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 4, 3)
    body = "".join("<TR>" + "".join(f"<TD>{cell}\n" for cell in row) for row in rows)
    page.add(f"<TABLE BORDER=1><TR>{''.join(f'<TH>{head}' for head in heads)}\n{body}</TABLE>")
    _expect(page, [heads, *rows])


@dialect("tables")
def in_a_layout_table(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 4, 3)
    inner = f"<table class='numbers'>{_row(heads, 'th')}{_body(rows)}</table>"
    page.add(
        f"<table width='100%' cellpadding='0'><tr><td><p>{page.prose(2)}</p>{inner}<p>{page.prose(2)}</p></td></tr></table>"
    )
    _expect(page, [heads, *rows])


@dialect("tables")
def with_a_nested_table(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 4, 3)
    inner = [["alpha", "7"], ["beta", "9"]]
    rows[1][2] = "alpha 7 beta 9"
    written = [list(row) for row in rows]
    written[1][2] = f"<table>{_body(inner)}</table>"
    page.add(f"<table><thead>{_row(heads, 'th')}</thead><tbody>{_body(written)}</tbody></table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def layout_only(page: Page) -> None:
    """Two columns of running text are no table."""
    page.add(
        f"<table role='presentation'><tr><td><p>{page.prose()}</p></td><td><p>{page.prose()}</p></td></tr></table>"
    )


@dialect("tables")
def layout_of_old_editors(page: Page) -> None:
    cells = "".join(f"<td valign='top' width='50%'><p>{page.prose(4)}</p><p>{page.prose(3)}</p></td>" for _ in range(2))
    page.add(f"<table cellspacing='0' border='0'><tr>{cells}</tr></table>")


@dialect("tables")
def headings_in_heads(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 4, 3)
    page.add(f"<table><tr>{''.join(f'<th><h4>{head}</h4></th>' for head in heads)}</tr>{_body(rows)}</table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def of_aria_roles(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 4, 3)

    def row(cells: list[str], role: str) -> str:
        return "<div role='row'>" + "".join(f"<div role='{role}'>{cell}</div>" for cell in cells) + "</div>"

    body = "".join(row(cells, "cell") for cells in rows)
    page.add(f"<div role='table' class='grid'>{row(heads, 'columnheader')}<div role='rowgroup'>{body}</div></div>")
    _expect(page, [heads, *rows])


@dialect("tables")
def symbols_as_images(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 4, 3)
    written = [list(row) for row in rows]
    for place in range(4):
        rows[place][2] = ("✓", "✗")[place % 2]
        written[place][2] = f"<span aria-hidden='true'>{rows[place][2]}</span>"
    page.add(f"<table><thead>{_row(heads, 'th')}</thead><tbody>{_body(written)}</tbody></table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def comparison_of_two(page: Page) -> None:
    """Two columns of phrases with a head, as in articles that compare."""
    heads, rows = _heads(page, 2), [[page.sentence(7), page.sentence(8)] for _ in range(4)]
    page.add(f"<table class='compare'><thead>{_row(heads, 'th')}</thead><tbody>{_body(rows)}</tbody></table>")
    _expect(page, [heads, *rows])


@dialect("tables")
def one_row(page: Page) -> None:
    heads, rows = _heads(page, 3), _cells(page, 1, 3)
    page.add(f"<table><thead>{_row(heads, 'th')}</thead><tbody>{_body(rows)}</tbody></table>")
    _expect(page, [heads, *rows])
