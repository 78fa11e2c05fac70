"""Rendering of GitHub files: language names, decoding, and absolute links in Markdown."""

import re

from assay.scraping.untrusted_json import clean_text
from assay.text.url_parts import join_url

CAP = 2 * 1024 * 1024  # maximum size of a file in bytes, and of its text in characters
MARKDOWN = ("md", "markdown", "mdown", "mkd", "mdx")
LANGUAGES = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "ts": "typescript",
    "tsx": "tsx", "jsx": "jsx", "rb": "ruby", "rs": "rust", "go": "go", "java": "java", "kt": "kotlin", "kts": "kotlin",
    "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "hpp": "cpp", "cs": "csharp", "swift": "swift", "php": "php",
    "sh": "bash", "bash": "bash", "zsh": "bash", "ps1": "powershell", "sql": "sql", "html": "html", "css": "css",
    "scss": "scss", "json": "json", "yml": "yaml", "yaml": "yaml", "toml": "toml", "xml": "xml", "r": "r",
    "jl": "julia", "scala": "scala", "ex": "elixir", "exs": "elixir", "erl": "erlang", "hs": "haskell", "lua": "lua",
    "pl": "perl", "dart": "dart", "clj": "clojure", "tf": "hcl", "proto": "protobuf", "graphql": "graphql",
    "vue": "vue", "tex": "latex", "ini": "ini", "diff": "diff", "patch": "diff", "rst": "rst", "ipynb": "json",
}  # fmt: skip
NAMED = {"dockerfile": "dockerfile", "makefile": "makefile", "cmakelists.txt": "cmake"}
RELATIVE = re.compile(
    r"(!?)(\[[^\[\]\n]{0,300}\])\((?!#|[a-zA-Z][a-zA-Z0-9+.-]{0,20}:|//)([^()\s]{1,500})(\s[^()\n]{0,200})?\)"
)


def language(path: str) -> str:
    """The language of a file for a fenced code block, by its name; "" if unknown."""
    file = path.rpartition("/")[2].lower()
    return NAMED.get(file) or LANGUAGES.get(ending(path), "")


def ending(path: str) -> str:
    """The lowercase file extension."""
    return path.rpartition("/")[2].lower().rpartition(".")[2]


def text_of(body: bytes) -> str | None:
    """Decode the file as text; None for a binary file."""
    if b"\x00" in body[:8_000]:
        return None
    from assay.text.decode import decode

    return decode(body, None)


def render_markdown(text: str, path: str, base: str, ref: str = "HEAD") -> str:
    """Markdown without comments, with relative links resolved against the repository URL `base`."""
    from assay.text.markdown_comments import without_comments
    from assay.text.user_info import remove_link_user_info

    def rewrite_link(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        start = f"{base}{kind}/{ref}/" + ("" if found[3].startswith("/") else path)
        try:
            there = join_url(start, found[3].lstrip("/"))
        except ValueError:
            return found[0]
        return f"{found[1]}{found[2]}({there}{found[4] or ''})" if there.startswith(base) else found[0]

    return RELATIVE.sub(rewrite_link, remove_link_user_info(without_comments(clean_text(text, CAP))))
