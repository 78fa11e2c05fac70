"""The similarity of two tables: tree edit distance (Zhang and Shasha 1989) over the size of the larger tree (TEDS)."""

from difflib import SequenceMatcher
from typing import NamedTuple


class Node(NamedTuple):
    tag: str
    text: str
    children: "list[Node]"


def build_tree(rows: list[list[str]], *, head: bool) -> Node:
    parts = []
    if head and rows:
        parts.append(Node("thead", "", [_row(rows[0])]))
        rows = rows[1:]
    return Node("table", "", [*parts, Node("tbody", "", [_row(row) for row in rows])])


def _row(cells: list[str]) -> Node:
    return Node("tr", "", [Node("td", cell, []) for cell in cells])


def _postorder(root: Node) -> tuple[list[Node], list[int]]:
    """Return the nodes in postorder and, for each, the index of its leftmost leaf."""
    nodes: list[Node] = []
    leftmost: list[int] = []

    def visit(node: Node) -> int:
        first = -1
        for child in node.children:
            leaf = visit(child)
            first = leaf if first < 0 else first
        first = len(nodes) if first < 0 else first
        nodes.append(node)
        leftmost.append(first)
        return first

    visit(root)
    return nodes, leftmost


def _rename(one: Node, two: Node) -> float:
    if one.tag != two.tag:
        return 1.0
    if one.text == two.text:
        return 0.0
    return 1.0 - SequenceMatcher(None, one.text, two.text, autojunk=False).ratio()


def measure_distance(one: Node, two: Node) -> float:
    """Return the least cost of deletions, insertions and renamings that turn one tree into the other."""
    (a, left_a), (b, left_b) = _postorder(one), _postorder(two)
    roots_a = sorted({leaf: place for place, leaf in enumerate(left_a)}.values())
    roots_b = sorted({leaf: place for place, leaf in enumerate(left_b)}.values())
    distance = [[0.0] * len(b) for _ in a]
    for i in roots_a:
        for j in roots_b:
            _fill(i, j, (a, left_a), (b, left_b), distance)
    return distance[-1][-1]


def _fill(
    i: int, j: int, one: tuple[list[Node], list[int]], two: tuple[list[Node], list[int]], distance: list[list[float]]
) -> None:
    (a, left_a), (b, left_b) = one, two
    from_a, from_b = left_a[i], left_b[j]
    forest = [[float(x + y if not x or not y else 0) for y in range(j - from_b + 2)] for x in range(i - from_a + 2)]
    for x in range(from_a, i + 1):
        for y in range(from_b, j + 1):
            row, column = x - from_a + 1, y - from_b + 1
            cheapest = min(forest[row - 1][column] + 1, forest[row][column - 1] + 1)
            if left_a[x] == from_a and left_b[y] == from_b:
                forest[row][column] = min(cheapest, forest[row - 1][column - 1] + _rename(a[x], b[y]))
                distance[x][y] = forest[row][column]
            else:
                before = forest[left_a[x] - from_a][left_b[y] - from_b]
                forest[row][column] = min(cheapest, before + distance[x][y])


def _size(node: Node) -> int:
    return 1 + sum(map(_size, node.children))


def measure_similarity(one: Node, two: Node) -> float:
    """Return 1 for equal trees, 0 for trees that share nothing."""
    return 1 - measure_distance(one, two) / max(_size(one), _size(two))
