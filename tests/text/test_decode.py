import codecs

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st
from tests.support.processor_time import assert_quick

from assay.text.charset_labels import resolve_label
from assay.text.decode import decode

JAPANESE = "東京の天気は晴れです。カタカナとひらがなを混ぜた文章を書きました。"
KOREAN = "서울의 오늘 날씨는 맑습니다. 시민들은 공원에서 산책을 했습니다."
SIMPLIFIED = "北京今天的天气很好，我们去公园散步，然后回家吃饭。"
TRADITIONAL = "台北今天的天氣很好，我們去公園散步，然後回家吃飯。"
RUSSIAN = "Сегодня в Москве хорошая погода, и мы пошли гулять в парк."
FRENCH = "L’été dernier, la forêt près du château était déjà très sèche."
POLISH = "Dzisiaj w Łodzi pogoda jest ładna, więc poszliśmy na długi spacer."
GREEK = "Σήμερα ο καιρός στην Αθήνα είναι πολύ καλός για περίπατο."
TURKISH = "Bugün İstanbul’da hava çok güzel, bu yüzden yürüyüşe çıktık; ağaçlar yeşil."

PEOPLE_WRITE = [
    ("cp932", JAPANESE),
    ("euc_jp", JAPANESE),
    ("iso2022_jp", JAPANESE),
    ("cp949", KOREAN),
    ("gb18030", SIMPLIFIED),
    ("big5", TRADITIONAL),
    ("koi8_r", RUSSIAN),
    ("cp1251", RUSSIAN),
    ("cp866", RUSSIAN),
    ("cp1252", FRENCH),
    ("cp1250", POLISH),
    ("iso8859_2", POLISH),
    ("cp1253", GREEK),
    ("cp1254", TURKISH),
]
LABELS = [
    ("Shift_JIS", "cp932", JAPANESE),
    ("x-sjis", "cp932", JAPANESE + "①㈱髙"),
    ("euc-kr", "cp949", KOREAN + "똠방각하"),
    ("ks_c_5601-1987", "cp949", KOREAN),
    ("gb2312", "gb18030", SIMPLIFIED + "镕㐀"),
    ("GBK", "gb18030", SIMPLIFIED),
    ("big5", "big5hkscs", TRADITIONAL),
    ("iso-8859-1", "cp1252", FRENCH + " “5 €”"),
    ("latin1", "cp1252", FRENCH),
    ("us-ascii", "cp1252", FRENCH),
    ("iso-8859-9", "cp1254", TURKISH),
    ("windows-1251", "cp1251", RUSSIAN),
    ("koi8-r", "koi8-r", RUSSIAN),
    ("tis-620", "cp874", "วันนี้อากาศดี"),
    ("iso-8859-2", "iso8859-2", POLISH),
    ("utf8", "utf-8", RUSSIAN),
]


def page(text, head=""):
    return f"<!doctype html><html><head>{head}<title>{text}</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(("encoding", "text"), PEOPLE_WRITE)
def test_a_page_that_says_nothing_is_read_by_its_looks(encoding, text):
    assert text in decode(page(text).encode(encoding), None)


@pytest.mark.parametrize(("label", "encoding", "text"), LABELS)
def test_a_header_label_means_what_browsers_take_it_for(label, encoding, text):
    assert decode(page(text).encode(encoding), label) == page(text)


@pytest.mark.parametrize(("label", "encoding", "text"), LABELS)
def test_a_page_may_name_its_own_encoding(label, encoding, text):
    for head in (
        f'<meta charset="{label}">',
        f'<META content="text/html; charset={label}" http-equiv=Content-Type>',
        f"<meta charset={label}>",
    ):
        assert decode(page(text, head).encode(encoding)) == page(text, head)


def test_a_declaration_far_down_a_bulky_head_still_counts():
    head = "<style>" + "a{}" * 1500 + '</style><meta charset="koi8-r">'
    assert RUSSIAN in decode(page(RUSSIAN, head).encode("koi8-r"))


def test_a_declaration_inside_a_comment_is_none():
    head = '<!-- <meta charset="koi8-r"> --><meta charset="windows-1251">'
    assert RUSSIAN in decode(page(RUSSIAN, head).encode("cp1251"))


def test_an_xml_declaration_counts():
    text = f'<?xml version="1.0" encoding="windows-1251"?><html><body>{RUSSIAN}</body></html>'
    assert decode(text.encode("cp1251")) == text


def test_utf8_needs_no_declaration():
    assert decode(page(KOREAN).encode(), None) == page(KOREAN)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_beats_every_declaration_and_is_dropped(encoding):
    assert decode(page(RUSSIAN).encode(encoding), "windows-1252") == page(RUSSIAN)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("header", [None, "utf-16", "utf-8"])
def test_wide_text_without_a_mark_is_seen_by_its_zeros(encoding, header):
    assert decode(page(JAPANESE).encode(encoding), header) == page(JAPANESE)


def test_the_header_wins_over_the_page_where_both_can_be_true():
    head = '<meta charset="windows-1252">'
    assert RUSSIAN in decode(page(RUSSIAN, head).encode("cp1251"), "windows-1251")


def test_a_servers_default_label_does_not_spoil_a_page_that_knows_better():
    head = '<meta charset="windows-1251">'
    assert RUSSIAN in decode(page(RUSSIAN, head).encode("cp1251"), "iso-8859-1")


def test_a_header_that_claims_utf8_of_latin_bytes_is_not_believed():
    assert FRENCH in decode(page(FRENCH).encode("cp1252"), "utf-8")


def test_a_header_that_claims_latin_of_utf8_bytes_is_not_believed():
    assert decode(page(FRENCH).encode(), "iso-8859-1") == page(FRENCH)


def test_one_stray_byte_does_not_change_the_encoding_of_a_page():
    body = page(RUSSIAN).encode().replace(b"<p>", b"<p>\x96 ")
    assert decode(body, "utf-8") == page(RUSSIAN).replace("<p>", "<p>\ufffd ")


def test_a_character_cut_off_at_the_end_is_forgiven():
    full = page(JAPANESE) + "語"
    assert decode(full.encode()[:-1], None) == page(JAPANESE) + "\ufffd"


@pytest.mark.parametrize(
    "label", ["utf-7", "hz-gb-2312", "base64", "rot13", "x-user-defined", "no-such", "", "\x00", "ключ"]
)
def test_a_label_that_names_no_readable_encoding_is_ignored(label):
    assert resolve_label(label) is None
    assert decode(page(FRENCH).encode(), label) == page(FRENCH)


@pytest.mark.parametrize("label", sorted(webencodings.LABELS))
def test_every_label_of_the_standard_names_a_codec_or_none(label):
    encoding = resolve_label(label)
    unreadable = {"x-user-defined", "replacement", "hz-gb-2312"}
    assert (encoding is None) == (webencodings.LABELS[label] in unreadable)
    assert encoding is None or codecs.lookup(encoding).name


@pytest.mark.parametrize(
    ("header", "declared"), [("windows-1252", "koi8-r"), ("iso-8859-1", "iso-8859-5"), ("big5", "gbk")]
)
def test_a_page_that_reads_well_by_its_own_declaration_is_believed(header, declared):
    text = SIMPLIFIED if declared == "gbk" else RUSSIAN
    head = f'<meta charset="{declared}">'
    assert text in decode(page(text, head).encode(declared), header)


DOUBLED = "That’s “forty — years”… café, naïve: 5 € · Łódź · 東京 · Москва"


@pytest.mark.parametrize("before", ["latin-1", "cp1252"])
@pytest.mark.parametrize("text", [DOUBLED, FRENCH, RUSSIAN, JAPANESE])
def test_text_that_was_encoded_twice_is_decoded_twice(before, text):
    encoded = page(text).encode()
    doubled = "".join(chr(byte) if before == "latin-1" else read_windows_1252(byte) for byte in encoded).encode()
    assert decode(doubled, "utf-8") == page(text)


def read_windows_1252(byte: int) -> str:
    """Read a byte as browsers do, which know five bytes that Python's codec does not."""
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


@pytest.mark.parametrize(
    "text",
    [
        "The page shows â€™, â€œ and â€\x9d in place of ’ and so on.",  # a page about them
        "Ã© is what é becomes; Ã¨ is è, Ã  is à, and Ã¢ is â.",
        "SÃO PAULO © ÂNGELA ®, GONÇALVES ÕES, à â ã é Ä ü",
        "It says â€™ once.",
        "東京の天気、â€™",
    ],
)
def test_text_that_was_not_all_encoded_twice_is_kept(text):
    assert decode(page(text).encode(), "utf-8") == page(text)


def test_utf7_is_never_honoured():
    assert "<script>" not in decode(b"<p>+ADw-script+AD4-</p>", "utf-7")


def test_a_pound_sign_in_an_english_page_is_not_a_serbian_letter():
    text = page("The ticket costs £100 at the door, which is more than it was last year.")
    assert decode(text.encode("cp1252")) == text


def test_the_language_of_the_page_helps_where_letters_do_not():
    czech = "Praha je hlavní město a má řadu mostů."
    assert czech in decode(f'<html lang="cs"><body>{czech}</body></html>'.encode("cp1250"))


def test_a_large_ordinary_page_costs_next_to_nothing():
    body = page(FRENCH * 1500).encode()
    assert_quick(lambda: [decode(body, "utf-8") for _ in range(20)], 20 * len(body) * 1e-8)


@given(st.binary(max_size=400), st.sampled_from([None, "utf-8", "shift_jis", "utf-16", "iso-2022-jp", "big5", "bogus"]))
def test_nothing_makes_it_raise(body, label):
    decode(body, label).encode()


@given(
    st.text(st.characters(codec="ascii", exclude_characters="\x00\x1b"), max_size=200),
    st.sampled_from([None, "utf-8", "gbk"]),
)
def test_plain_ascii_is_kept_to_the_letter(text, label):
    assert decode(text.encode(), label) == text
