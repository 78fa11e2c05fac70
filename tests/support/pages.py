"""Pages that tests serve: enough text to be worth reading, and walls that stand in front of it."""

RIVER = "The river carries silt from the hills down to the sea, and in spring it leaves its bed for the meadows. "
WEIR = "Engineers measured the flow at the old weir for eleven years before they dared to remove it in autumn. "
WALL = (
    "<title>Just a moment...</title><p>Checking your browser before you proceed. Please enable cookies. Ray ID: 1f</p>"
)


def html(body: str, head: str = "", lang: str = "en") -> str:
    return f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8">{head}</head><body>{body}</body></html>'


def prose(*sentences: str, times: int = 4) -> str:
    """A paragraph of each sentence, said several times over."""
    return "".join(f"<p>{sentence * times}</p>" for sentence in sentences)


def article(more: str = "", head: str = "") -> str:
    """An ordinary page; its text speaks of a river and a weir."""
    return html(f"<article><h1>The weir</h1>{prose(RIVER, WEIR)}{more}</article>", head)
