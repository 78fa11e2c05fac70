"""Detection of legacy encodings: scores how plausible the decoded characters are for the languages of each encoding."""

import re
import unicodedata
from collections import Counter
from itertools import pairwise

SIMPLIFIED = (
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好"
    "都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实"
    "市京新网页关信息产品公司首服务系统北点今很"
)
TRADITIONAL = (
    "的一是不了人我在有他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後小麼心多天而能好"
    "都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實"
    "市新網頁關信息產品公司首服務系統台灣北點今很"
)
KOREAN = (
    "이다는의을를에가은고하한로지서기사도자인대해시있어나보정수과스일전부주그리라으제장구상성아국안녕세요니습입만들게여와원동"
    "공무비모경조신문방회면화개내연진소우생오유민선계재러영마관미중발서울것때말물음"
)
KANJI = (
    "日本年月大人国会中時分生語東京一二三十上下出行見新社事者地業方場員立開手力問代明動理体田主題意不作用度強公野以家多心界教文元重近考画海売知集物使品計死特私始朝運終台広住真有口少町料工建空急止"
    "送切転研足究楽起着店病質待試族銀早映親験英医仕去味写字答夜音注帰古歌買悪図週室歩風紙黒花春赤青館屋色走秋夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢"
)
JAPANESE = "".join(chr(point) for point in range(0x3041, 0x3097)) + KANJI
RUSSIAN, UKRAINIAN = "оеаинтсрвлкмдпуя", "оаинтеіврслкудмпяїєґ"
SERBIAN = "аоиенрсјтудклмпвзљњћђџ"
GREEK, HEBREW = "αεηιοτσνρκπλμυς", "יוהלאמתרבשנעדם"
ARABIC = "النيمورتبةسعدفهکكقحی"
THAI = "านรกอเงมยลวดทสต่้ะปบคหแ็ัิี"
WESTERN = {"fr": "éèêëàâçîïôûùœ", "de": "äöüß", "es": "áéíóúñ¿¡", "pt": "áàâãéêíóôõúç", "it": "àèéìòù", "nl": "éëïó"}
NORTHERN = {"sv": "åäö", "da": "æøåé", "no": "æøåé", "fi": "äö", "is": "áéíóúýþðæö", "en": "éèïüöñç£¢"}
CENTRAL = {"pl": "ąęłńóśżźć", "cs": "ěščřžýáíéúůďťňó", "sk": "áäčďéíľĺňóôŕšťúýž", "hu": "áéíóöőúüű"}
CENTRAL |= {"sl": "čšž", "hr": "čćđšž", "ro": "ăâîşţ"}
BALTIC = {"lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž", "et": "äõöüšž"}
LETTERS_BY_ENCODING: dict[
    str, dict[str, str]
] = {  # encoding: the common letters of its languages; the first one wins a tie
    "cp1252": WESTERN | NORTHERN,
    "cp1250": CENTRAL,
    "iso8859-2": CENTRAL,
    "cp1254": {"tr": "ğışçöüİâ"},
    "cp1257": BALTIC,
    "cp1251": {"ru": RUSSIAN, "uk": UKRAINIAN, "bg": "аеиотнрсвлкдпмзъя", "be": "анеіяроткйўліс", "sr": SERBIAN},
    "koi8-r": {"ru": RUSSIAN},
    "koi8-u": {"uk": UKRAINIAN},
    "cp866": {"ru": RUSSIAN},
    "iso8859-5": {"ru": RUSSIAN},
    "mac-cyrillic": {"ru": RUSSIAN},
    "cp1253": {"el": GREEK},
    "cp1255": {"he": HEBREW, "iw": HEBREW, "yi": HEBREW},
    "cp1256": {"ar": ARABIC, "fa": ARABIC, "ur": ARABIC},
    "cp874": {"th": THAI},
    "cp932": {"ja": JAPANESE},
    "euc_jis_2004": {"ja": JAPANESE},
    "gb18030": {"zh": SIMPLIFIED},
    "big5hkscs": {"zh": TRADITIONAL},
    "cp949": {"ko": KOREAN},
}
ALPHABETS = {"cp1251", "koi8-r", "koi8-u", "cp866", "iso8859-5", "mac-cyrillic", "cp1253", "cp1255"}
LATIN = {"cp1252", "cp1250", "iso8859-2", "cp1254", "cp1257"}
MIXED_SCRIPT = re.compile(
    r"(?<=[a-zA-Z])[^\W\d_\x00-\x7f]|[^\W\d_\x00-\x7f](?=[a-zA-Z])"
)  # no word is half Greek, half Latin
NON_ASCII_RUN = re.compile(r"[^\W\d_\x00-\x7f]{3,}")  # in Latin script, plain letters occur between accented ones
COMMON_SIGNS = frozenset("“”‘’„–—…«»·•©®°€£§™\xa0×、。「」『』，！？（）：；・ー【】《》")
LANGUAGE = re.compile(rb"<html\b[^>]*?\blang\s*=\s*[\"']?\s*([A-Za-z]{2})", re.IGNORECASE)
MARKUP = re.compile(rb"<(script|style)\b.*?(?:</\1|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE)
MAX_INSPECTED = 400_000  # bytes of a page that the sample is taken from
SAMPLE_BYTES = 2_000  # bytes
NON_ASCII = bytes(range(128, 256))
MIN_ALPHABET_SHARE = (
    0.1  # share of non-ASCII bytes below which Greek and Cyrillic are excluded: it is a stray sign in English
)


def detect_encoding(body: bytes) -> str:
    """Return Python's name of the most likely encoding of a page that is not UTF-8."""
    sampled = take_sample(body)
    stated = LANGUAGE.search(body[:4096])
    language = stated[1].decode().lower() if stated else ""
    sparse = len(sampled) - len(sampled.translate(None, NON_ASCII)) < len(sampled) * MIN_ALPHABET_SHARE
    likely = [encoding for encoding in LETTERS_BY_ENCODING if not (sparse and encoding in ALPHABETS)]
    return max(
        likely,
        key=lambda encoding: score_encoding(sampled, encoding) + 0.25 * (language in LETTERS_BY_ENCODING[encoding]),
    )


def take_sample(body: bytes) -> bytes:
    """Return the lines with non-ASCII bytes, without markup, up to SAMPLE bytes; the other lines carry no
    information.
    """
    lines = MARKUP.sub(b"\n", body[:MAX_INSPECTED]).splitlines()
    kept = b"\n".join(line for line in lines if not line.isascii())
    return (kept or body)[:SAMPLE_BYTES]


def score_encoding(sampled: bytes, encoding: str) -> float:
    """Return a score from about -4 (impossible) to 1 (typical text): the mean over the non-ASCII characters."""
    text = sampled.decode(encoding, "replace").rstrip("\ufffd")
    seen = Counter(letter for letter in text if letter > "\x7f")
    if not seen:
        return 0.0
    turned = sum(upper > "\x7f" and upper.isupper() and lower.islower() for lower, upper in pairwise(text))
    crowded = sum(map(len, NON_ASCII_RUN.findall(text))) if encoding in LATIN else 0
    mixed = len(MIXED_SCRIPT.findall(text)) if encoding in ALPHABETS else 0
    homes = LETTERS_BY_ENCODING.get(encoding, {"": ""}).values()
    best = max(sum(_weight(letter, home) * count for letter, count in seen.items()) for home in homes)
    return (best - 2 * turned - 1.5 * (crowded + mixed)) / seen.total()


def _weight(letter: str, home: str) -> float:
    if letter == "\ufffd":
        return -4.0
    if letter in home or letter.lower() in home:
        return 1.0
    return 0.3 if letter in COMMON_SIGNS else _uncommon_weight(letter)


def _uncommon_weight(letter: str) -> float:
    """Return the weight of a character that is not among the common ones of its encoding."""
    point = ord(letter)
    if 0x4E00 <= point <= 0x9FFF or 0xAC00 <= point <= 0xD7A3:
        return 0.4
    if 0x30A0 <= point <= 0x30FF:
        return 0.7
    if 0xFF61 <= point <= 0xFF9F:  # half-width katakana: typical of other encodings misread as Shift_JIS
        return -0.7
    category = unicodedata.category(letter)
    if category in ("Cc", "Co", "Cn"):
        return -2.0
    return 0.2 if category[0] in "LM" else -0.5
