"""Labels of encodings, with the meaning of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels).

iso-8859-1 is windows-1252 and gb2312 is gb18030; UTF-7 is not supported.
"""

PYTHON_CODECS = {  # encodings of the standard that Python's codec of the same name does not decode as browsers do
    "ibm866": "cp866",
    "windows-874": "cp874",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "iso-8859-8": "cp1255",
    "iso-8859-8-i": "cp1255",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "euc-jp": "euc_jis_2004",  # includes the vendor characters, as browsers do
    "iso-2022-jp": "iso2022_jp_ext",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
}
UNSUPPORTED = {"x-user-defined", "replacement", "hz-gb-2312"}


def resolve_label(label: str | None) -> str | None:
    """Return Python's name of the encoding that a browser uses for this label; None for unsupported labels."""
    from webencodings import lookup

    encoding = lookup((label or "").strip("\"' "))
    if encoding is None or encoding.name in UNSUPPORTED:
        return None
    name = encoding.name.replace("windows-125", "cp125").replace("iso-8859-", "iso8859-")
    return PYTHON_CODECS.get(encoding.name, name)
