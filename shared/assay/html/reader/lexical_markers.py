"""Words that mark boilerplate, in some twenty languages: headings of link lists and comments, invitations, bylines.

A marker is a feature of a block, never a rule: the classifier learns how much each says and where.
"""

import re
from collections import defaultdict

from assay.text.short_text_cache import cache_short
from assay.text.unspaced_words import UNSPACED

# What a text's words announce, each a bit.
RELATED = 1  # other pages: related, popular or next ones
COMMENTS = 2
SHARE = 4
SIGN_UP = 8
LEGAL = 16
ABOUT = 32  # about the author or the site

# Texts that begin so; `|` separates phrases.
BEGINNINGS = {
    RELATED: """related|recommended|similar|more from|more on|more in|more stories|more news|more articles
        |also read|also see|popular|trending|latest|recent|most read|most popular|most viewed|top stories
        |editor's pick
        |editors' pick|don't miss|up next|keep reading|see also|read next|read also|read more:|you may|you might
        |people also|what to read|in case you missed|today's|featured|explore|continue|other articles|other news
        |other stories|around the web|discover|suggested|must-read|must read|next article|next post|previous article
        |previous post|further reading|weiterlesen|mehr zum|mehr zu|mehr aus|lesen sie auch|lies auch
        |auch interessant
        |das könnte|verwandte|ähnliche|meistgelesen|meistgeklickt|neueste|aktuelle|weitere|zum thema|passend dazu
        |beliebt|empfehlung|empfohlen|ebenfalls|nächster artikel|vorheriger|à lire|lire aussi|vous aimerez
        |voir aussi|sur le même|articles liés|articles similaires|articles récents|les plus lus|les plus|dernières
        |te puede interesar|le puede interesar|lea también|lee también|más noticias|más leídas|más leído|relacionad
        |últimas|también te|lo más|ver también|noticias relacionadas|leia também|leia mais|veja também|saiba mais
        |mais lidas|mais notícias|você pode|notícias relacionadas|potrebbe|leggi anche|articoli|correlat|i più letti
        |czytaj też|czytaj także|zobacz też|zobacz także|podobne|polecamy|najnowsze|najczęściej|lees ook|meer over
        |gerelateerd|meest gelezen|läs mer|läs också|mest läst|relaterade|les også|mest lest|læs også|mest læste
        |relaterede|lue myös|luetuimmat|katso myös|suosituimmat|devamı|ilgili|benzer|en çok okunan|bunlar da
        |читайте также|смотрите также|похожие|по теме|популярное|последние|новости|ещё по теме|читайте ще|схожі
        |související|čtěte také|mohlo by vás|nejčtenější|kapcsolódó|ajánljuk|legolvasottabb|citește și|articole
        |vezi și|διαβάστε|σχετικά|δείτε επίσης|περισσότερα|δημοφιλή|τελευταία|اقرأ أيضا|مواضيع ذات|مقالات|الأكثر
        |المزيد|קראו גם|עוד בנושא|כתבות נוספות|прочетете|още по|свързани|най-четени|baca juga|berita terkait|terkait
        |terpopuler|artikel lainnya|xem thêm|tin liên quan|bài viết liên quan|đọc nhiều|tin khác|cùng chuyên mục
        |ยังอ่าน|ข่าวที่เกี่ยวข้อง|บทความที่เกี่ยวข้อง|อ่านต่อ|อ่านเพิ่มเติม|ยอดนิยม|यह भी पढ़ें|ये भी पढ़ें|संबंधित
        |相关|推荐|热门|最新|猜你喜欢|延伸阅读|更多|热点|热文|热词|精彩|点击排行|排行|阅读排行|图片新闻|今日|上一篇
        |下一篇|大家都在看|相關|推薦|熱門|延伸閱讀|你可能|您可能|看更多|更多新聞|関連|人気|おすすめ|あわせて読みたい
        |こちらも|この記事も|注目|次の記事|前の記事|ランキング|新着|関連記事|관련|추천|인기|최신|많이 본|함께 보면
        |이전글|다음글""",
    COMMENTS: """comment|response|replies|reply|thoughts on|reactions|discussion|leave a reply|leave a comment
        |post a comment|add a comment|add your comment|join the conversation|join the discussion|write a comment
        |be the first to|kommentar|antworten|meinungen|schreibe einen|schreiben sie einen|hinterlasse|commentaire
        |réponses|réagir|laisser un commentaire|comentario|deja un|deja tu|comentário|deixe um|deixe seu|commenti
        |commento|lascia un|komentarz|dodaj komentarz|reacties|reactie|reageer|kommentit|kommentoi|yorum
        |комментари|коментар|komentář|diskuse|hozzászólás|comentarii|σχόλια|تعليق|تعليقات|أضف تعليق|תגובות|коментари
        |komentar|bình luận|ý kiến|ความคิดเห็น|टिप्पणी|评论|网友评论|发表评论|我要评论|跟帖|留言|評論|網友|回應
        |コメント|みんなの|댓글|의견""",
    SHARE: """share|teilen|teile|partager|partagez|compartir|comparte|compartilh|condividi|udostępnij|delen|deel
        |dela|del på|jaa|paylaş|поделиться|поширити|sdílet|megosztás|distribuie|κοινοποίηση|شارك|שתפו|сподели
        |bagikan|chia sẻ|แชร์|साझा|शेयर|分享|转发|打印|收藏|轉發|列印|シェア|ツイート|印刷|공유|인쇄
        |follow us|follow me|follow on|folge|síguenos|suivez|seguici|siga|volg ons|følg|följ|like this|tweet|pin it
        |facebook|twitter|instagram|linkedin|pinterest|whatsapp|telegram|email|e-mail|print|drucken|imprimer
        |copy link|reddit|flipboard|rss|save|merken|bookmark""",
    ABOUT: """about the author|about author|about us|about me|about this|über den autor|über die autorin
        |über uns|über mich|zur person|à propos|sobre el autor|sobre la|sobre o|sobre nosotros|sobre nós|acerca de
        |l'autore|chi siamo|o autorze|over de auteur|over ons|om oss|om författaren|om forfatteren|tietoa|hakkında
        |об авторе|о нас|про автора|o autorovi|a szerzőről|despre|σχετικά με τον|author bio|the author|contact
        |kontakt|ansprechpartner|presse|media contact|press contact|关于|作者简介|责任编辑|编辑：|來源|来源：|稿源
        |關於|作者：|記者|撰文|この記事を書いた|著者|執筆者|筆者|プロフィール|お問い合わせ|기자 소개""",
}
# Words anywhere in the text.
WORDS = {
    SIGN_UP: """newsletter newsletters subscribe subscribers subscription signup register registrieren anmelden
        abonnieren abonnement abonnez abonner abo login cookie cookies consent einwilligung suscríbete suscribirse
        suscripción inscrivez inscription inscreva assine assinatura iscriviti abbonati zapisz subskrybuj abonneer
        inschrijven prenumerera prenumerera abonner tilaa kayıt abone подписаться подпишитесь подписка підписатися
        odebírat feliratkozás abonează εγγραφή اشترك абонирай langganan 订阅 訂閱 登录 登入 注册 註冊 扫一扫
        微信公众号
        关注我们 下载客户端 加入會員 会員登録 会員限定 ログイン メルマガ 無料登録 友だち追加 구독 로그인 회원가입
        뉴스레터 adblock premium membership mitglied
        donate spende spenden donation paywall""",
    LEGAL: """© copyright impressum datenschutz datenschutzerklärung privacy disclaimer haftung agb terms
        rights reserved rechte droits derechos direitos diritti prawa rechten rättigheter rettigheter hakları
        права відомості jog drepturi δικαιώματα الحقوق 版权所有 版权归 未经授权 转载请 免责声明 隐私 备案
        版權所有 版權 未經授權 轉載 免責聲明 隱私權 著作権 無断転載 利用規約 プライバシー 저작권 무단전재 개인정보
        wordpress powered""",
}
KEY_LENGTH = 2  # letters of the lookup key
MAX_WORDS = 30  # words of a text that may be a marker
MAX_CHARACTERS = 400
MAX_UNSPACED = 60  # characters of a text in a script without spaces that may be a marker

_BY_START: defaultdict[str, dict[int, tuple[str, ...]]] = defaultdict(dict)
for _marker, _phrases in BEGINNINGS.items():
    for _phrase in re.split(r"\s*\n\s*\||\|", _phrases):
        _same = _BY_START[_phrase[:KEY_LENGTH]]
        _same[_marker] = (*_same.get(_marker, ()), _phrase)
_BY_WORD: defaultdict[str, int] = defaultdict(int)
for _marker, _words in WORDS.items():
    for _word in _words.split():
        _BY_WORD[_word] |= _marker
_LEADING = " \t0123456789.,:;|•·–—-»›>→▶✓#*\"'“”„«([+/"
_TRAILING = ".,:;!?|»›>)]\"'"


@cache_short(16_384)
def find_markers(text: str) -> int:
    """Return the markers of a short text as bits; 0 for a long one, such as a paragraph."""
    if len(text) > MAX_CHARACTERS:
        return 0
    lower = text.lower()
    words = lower.split()
    is_unspaced = not lower.isascii() and UNSPACED.search(lower) is not None
    if len(words) > MAX_WORDS or (is_unspaced and len(lower) > MAX_UNSPACED):
        return 0
    begun = lower.lstrip(_LEADING)
    found = LEGAL if lower.startswith("©") else 0
    if begun[:KEY_LENGTH] in _BY_START:
        for marker, phrases in _BY_START[begun[:KEY_LENGTH]].items():
            if begun.startswith(phrases):
                found |= marker
    words = [word.strip(_TRAILING) for word in words]
    if not _BY_WORD.keys().isdisjoint(words):
        for word in words:
            found |= _BY_WORD.get(word, 0)
    return found | _find_unspaced(lower) if is_unspaced else found


def _find_unspaced(text: str) -> int:
    """Return the markers of the words of scripts without spaces that are anywhere in the text."""
    found = 0
    for word, marker in _BY_WORD.items():
        if word in text and UNSPACED.search(word):
            found |= marker
    return found
