"""The lines for each client in docs/connect.md; the rest of the page is written by hand."""

from pathlib import Path

from assay.entrypoints.http.client_setup import list_client_setups

PAGE = Path(__file__).parents[3] / "docs" / "connect.md"
MARKS = "<!-- setups -->", "<!-- end of setups -->"
ADDRESS = "https://assay.example"


def render() -> str:
    """The page with its generated part as the code has it now."""
    before, _, rest = PAGE.read_text().partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    parts = [
        f"**{one.client}.** {one.how}\n\n```{one.language}\n{one.text}\n```\n" for one in list_client_setups(ADDRESS)
    ]
    return f"{before}{MARKS[0]}\n" + "\n".join(parts) + f"{MARKS[1]}{after}"
