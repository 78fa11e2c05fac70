"""Words of which the invented works of references.json are made, by language.

In a title, `[right|wrong]` is a word with the one that a faulty citation has in its place: the opposite, another number,
a negation. `{s}` is a subject and `{p}` a place. A name is (given, family, given in Latin letters, family in Latin letters).
"""

from typing import NamedTuple


class Vocabulary(NamedTuple):
    titles: tuple[str, ...]
    subjects: tuple[str, ...]
    places: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    journals: tuple[tuple[str, str], ...]  # name, abbreviation


def split_names(text: str) -> tuple[tuple[str, ...], ...]:
    """Read names that are written `Given Family`, or `Given/Family` where a part has spaces, with Latin forms after `=`."""
    names = []
    for each in text.split(";"):
        parts = [part.strip() for form in each.split("=") for part in form.split("/" if "/" in form else None, 1)]
        names.append(tuple(parts))
    return tuple(names)


LATIN_NAMES = {
    "en": "Ada Brookfield;Bruno/van der Weir;Chiara Thornbury;Mary-Ann Hargreaves;Jean-Paul Quist;Brigid O'Shaughnessy;"
    "John Ronald/Ostrander;Tat-Seng Quill;Anne/de Vasterling;Hugo Eastlake-Moor;Wendell T./Achterberg;Rosalind Dunmere",
    "de": "Jürgen Ebersbach;Käthe Grünwald;Ulrich/von Moorstein;Heiner Lößnitz;Annegret/zu Brackenau;Götz Übermoos",
    "fr": "Hélène Delacourt;Jean-François/de La Tourbière;Éloïse Vauquelin;Benoît Moreau-Tissot;Anaïs/d'Estrelles",
    "es": "José Luis/Peñalver Ruiz;María/de la Encina;Íñigo Burela;Concepción/Alameda Torres;Andrés Zurbarán",
    "it": "Niccolò/Della Palude;Chiara Fontanabuona;Ezio/D'Arborea;Lucrezia Montesecco;Andrea Valdinebbia",
    "pt": "João/dos Moinhos;Conceição Salgueiro;Inês/da Ribeira;Luís Carvalhal;Antônio Brejeiro",
    "pl": "Łukasz Moczarowski;Żaneta Wiśniewiecka;Stanisław Grząski;Małgorzata Trzcińska;Józef Błotnicki",
    "tr": "Çağla Bataklık;Şükrü Değirmenci;Işıl Gölbaşı;Ömer Yıldızhan;Gülşen Kayalıoğlu",
}
OTHER_NAMES = {
    "ru": "Анна Болотникова=Anna Bolotnikova;Юрий Щербинский=Yuri Shcherbinsky;Пётр Жаворонков=Pyotr Zhavoronkov;"
    "Ксения Чернолесская=Ksenia Chernolesskaya;Дмитрий Ярославин=Dmitry Yaroslavin;Ольга Цветаевская=Olga Tsvetaevskaya",
    "el": "Γεώργιος Ελατόπουλος=Georgios Elatopoulos;Ελένη Χαλκιά=Eleni Chalkia;Νικόλαος Βαλτινός=Nikolaos Valtinos;"
    "Αθηνά Ψαρουδάκη=Athina Psaroudaki;Παναγιώτης Μπελής=Panagiotis Belis",
    "zh": "小明 王=Xiaoming Wang;雷 李=Lei Li;海燕 欧阳=Haiyan Ouyang;志强 赵=Zhiqiang Zhao;雪梅 林=Xuemei Lin;"
    "建国 周=Jianguo Zhou;婷婷 徐=Tingting Xu",
    "ja": "花子 中村=Hanako Nakamura;太郎 湿原=Taro Shitsugen;健一 渡辺=Kenichi Watanabe;美咲 小川=Misaki Ogawa;"
    "大輔 長谷川=Daisuke Hasegawa",
    "ko": "민준 김=Minjun Kim;서연 이=Seoyeon Lee;지훈 박=Jihoon Park;하은 최=Haeun Choi;도윤 정=Doyun Jeong",
    "ar": "محمد الحسيني=Mohammed Al-Husseini;فاطمة القاسمي=Fatima Al-Qasimi;يوسف حداد=Youssef Haddad;"
    "ليلى منصور=Layla Mansour;عمر الخطيب=Omar Al-Khatib",
}
VOCABULARIES = {
    "en": Vocabulary(
        ("[Bidirectional|Unidirectional] migration of {s} across the {p} valley",
         "[Increased|Decreased] mortality of {s} after the {p} flood",
         "Soil acidity does [not |]limit the growth of {s} near {p}",
         "Type [2|1] lesions in {s} of the {p} district: a cohort study",
         "[Indoor|Outdoor] rearing of {s} at {p}: a randomised trial of shade and moisture",
         "A history of {s} in {p}, [1851|1871]–1914",
         "{s} [with|without] artificial shelter on the {p} moors: colour, behaviour and survival",
         "[Symmetric|Asymmetric] fatigue of {s} beneath the {p} viaduct",
         "On the [origin|decline] of {s} around {p}",
         "Inventory & mapping of [upstream|downstream] {s} in the {p} catchment"),
        ("honey bees", "peat bogs", "chalk aquifers", "copper alloys", "harbour porpoises", "lichen dyes", "solar kilns",
         "oyster reefs", "urban foxes", "clay tablets", "barley rust", "knitted bandages"),
        ("Brackmoor", "Teviston", "Halvern", "Ostrand", "Merwik", "Quellin", "Tarvale", "Dunmere", "Corvane", "Lindby"),
        split_names(LATIN_NAMES["en"]),
        (("River Letters", "River Lett."), ("Annals of Slow Science", "Ann. Slow Sci."),
         ("Journal of Applied Moorland", "J. Appl. Moorl."), ("Northern Materials Review", "North. Mater. Rev."),
         ("Acta Hydrologica Borealis", "Acta Hydrol. Boreal."), ("Bulletin of Quiet Studies", "Bull. Quiet Stud.")),
    ),
    "de": Vocabulary(
        ("[Zunahme|Abnahme] der {s} im Umland von {p}", "Über die [Größe|Dichte] und Lage der {s} bei {p}",
         "{s} [mit|ohne] Entwässerung: eine Untersuchung in {p}", "Die {s} von {p} im [19|17]. Jahrhundert",
         "[Frühe|Späte] Nutzung der {s} zwischen {p} und dem Meer"),
        ("Moorwiesen", "Fachwerkhäuser", "Streuobstbäume", "Grubenwässer", "Kopfweiden"),
        ("Almenau", "Grünsee", "Löwenbruch", "Tiefenfurt", "Oberkergat", "Stillwasser"), split_names(LATIN_NAMES["de"]),
        (("Zeitschrift für Moorkunde", "Z. Moork."), ("Jahrbuch der stillen Wissenschaften", "Jahrb. Still. Wiss.")),
    ),
    "fr": Vocabulary(
        ("Évolution [récente|médiévale] des {s} dans la région de {p}", "L'[augmentation|effondrement] des {s} près de {p}",
         "Les {s} de {p} au cours de [trois|cinq] siècles", "Une étude [comparée|isolée] des {s} autour de {p}",
         "Pourquoi les {s} n'ont [pas |]disparu à {p}"),
        ("vergers de montagne", "canaux d'irrigation", "fours solaires", "tourbières", "moulins à marée"),
        ("Montreuze", "Kergat", "Valbrune", "Saint-Ondin", "Corvenay"), split_names(LATIN_NAMES["fr"]),
        (("Annales des sciences lentes", "Ann. Sci. Lentes"), ("Revue des études tranquilles", "Rev. Étud. Tranquilles")),
    ),
    "es": Vocabulary(
        ("[Aumento|Descenso] de los {s} en la comarca de {p}", "Evolución [reciente|medieval] de los {s} cerca de {p}",
         "Los {s} de {p} [con|sin] riego: diez años de ensayo", "Un estudio [comparado|botánico] de los {s} de {p}",
         "Régimen jurídico [público|privado] de los {s} en {p}"),
        ("olivares de secano", "molinos de viento", "humedales costeros", "pastos comunales", "pozos de nieve"),
        ("Almenar", "Burela", "Valdeniebla", "Sotomoro", "Cañaveruela"), split_names(LATIN_NAMES["es"]),
        (("Anales de la ciencia pausada", "An. Cienc. Pausada"), ("Revista de estudios tranquilos", "Rev. Estud. Tranq.")),
    ),
    "it": Vocabulary(
        ("[Crescita|Declino] delle {s} nella valle di {p}", "Le {s} di {p} nel [Quattrocento|Settecento]",
         "Uso [pubblico|privato] delle {s} presso {p}", "Una lettura [moderna|antica] delle {s} di {p}"),
        ("saline costiere", "torbiere alpine", "fornaci solari", "terrazze di ulivi"),
        ("Valdinebbia", "Montesecco", "Sarlaco", "Portolento", "Acquaferma", "Roccaquieta"), split_names(LATIN_NAMES["it"]),
        (("Annali di scienza lenta", "Ann. Sci. Lenta"), ("Rivista di studi quieti", "Riv. Studi Quieti")),
    ),
    "pt": Vocabulary(
        ("[Aumento|Redução] das {s} na região de {p}", "As {s} de {p} [com|sem] irrigação: um ensaio de dez anos",
         "História [recente|antiga] das {s} em torno de {p}", "A [expansão|regressão] das {s} junto a {p}"),
        ("salinas tradicionais", "turfeiras de montanha", "azenhas do litoral", "oliveiras centenárias"),
        ("Vilamoura do Brejo", "Ribeirânia", "Sarlaque", "Monteduro", "Águas Lentas", "Pedra Calada"), split_names(LATIN_NAMES["pt"]),
        (("Anais da ciência vagarosa", "An. Ciênc. Vagar."), ("Revista de estudos serenos", "Rev. Estud. Seren.")),
    ),
    "pl": Vocabulary(
        ("[Wzrost|Spadek] liczby {s} w okolicach {p}", "Historia {s} w {p} w [XIX|XVII] wieku",
         "[Wczesne|Późne] wykorzystanie {s} koło {p}"),
        ("torfowisk wysokich", "młynów wodnych", "wiatraków drewnianych", "sadów górskich", "stopów miedzi"),
        ("Mokrzynie", "Tarnowcu Leśnym", "Wierzbogórze", "Brzozowinie", "Cichej Wodzie", "Olszanicy Starej"), split_names(LATIN_NAMES["pl"]),
        (("Roczniki Nauk Powolnych", "Rocz. Nauk Powol."),),
    ),
    "tr": Vocabulary(
        ("{p} çevresindeki {s} sayısında [artış|azalış]", "{p} bölgesinde {s} üzerine [yeni|eski] bir inceleme",
         "[Açık|Kapalı] alanda {s}: {p} örneği"),
        ("su değirmenleri", "turbalık alanlar", "güneş fırınları", "bal arıları", "bakır alaşımları"),
        ("Gölbaşlar", "Yukarıpınar", "Taşlıdere", "Sessizköy", "Ağırsu", "Kavaklıçay"), split_names(LATIN_NAMES["tr"]),
        (("Yavaş Bilim Yıllığı", "Yavaş Bil. Yıll."),),
    ),
    "ru": Vocabulary(
        ("[Рост|Снижение] численности {s} в окрестностях {p}", "История {s} {p} в [XIX|XVII] веке",
         "О [раннем|позднем] использовании {s} близ {p}", "Почему состояние {s} {p} [не |]ухудшилось",
         "[Сезонные|Суточные] изменения {s} у побережья {p}"),
        ("торфяных болот", "медных сплавов", "соляных озёр", "водяных мельниц", "городских лисиц"),
        ("Брусничного", "Тихозёрска", "Староречья", "Верхнего Кергата", "Камышова", "Белокаменки"), split_names(OTHER_NAMES["ru"]),
        (("Вестник медленной науки", "Вестн. медл. науки"), ("Известия тихих исследований", "Изв. тих. исслед.")),
    ),
    "el": Vocabulary(
        ("[Αύξηση|Μείωση] των {s} στην περιοχή {p}", "Η [πρώιμη|ύστερη] χρήση των {s} κοντά στο {p}",
         "Ιστορία των {s} στο {p} τον [19ο|17ο] αιώνα"),
        ("ανεμόμυλων", "υγροτόπων", "ηλιακών κλιβάνων", "ελαιώνων"),
        ("Μαυρόβαλτο", "Αλμυρονέρι", "Πετρολόφι", "Καλαμοχώρι", "Σιγανόρεμα", "Ασπροβούνι", "Λιμνότοπο"), split_names(OTHER_NAMES["el"]),
        (("Χρονικά της αργής επιστήμης", "Χρον. αργής επιστ."),),
    ),
    "zh": Vocabulary(
        ("{p}地区{s}数量[增加|减少]的原因研究", "{p}{s}的[早期|晚期]利用", "基于声学监测的{p}{s}[季节|昼夜]变化研究",
         "{p}沿岸{s}的[双向|单向]迁移", "[十|五]年来{p}{s}的变化"),
        ("泥炭沼泽", "铜合金", "蜜蜂", "水磨", "盐湖"), ("白鹭湾", "青石岭", "静水县", "慢河口", "芦苇洲", "松岩镇"),
        split_names(OTHER_NAMES["zh"]), (("慢科学学报", "慢科学学报"), ("静水研究", "静水研究")),
    ),
    "ja": Vocabulary(
        ("{p}における{s}の[増加|減少]について", "{p}の{s}の[初期|後期]利用に関する研究", "{p}沿岸の{s}の[双方向|一方向]移動",
         "{s}の[季節|日周]変化:{p}の事例"),
        ("泥炭地", "蜜蜂", "銅合金", "水車", "塩田"), ("白鷺浦", "青石峠", "静水町", "遅川", "葦原", "松岩"),
        split_names(OTHER_NAMES["ja"]), (("遅い科学誌", "遅い科学誌"), ("静水研究年報", "静水研究年報")),
    ),
    "ko": Vocabulary(
        ("{p} 지역 {s}의 [증가|감소]에 관한 연구", "{p}에서 {s}의 [초기|후기] 이용", "{p} 연안 {s}의 [계절|일주] 변화 분석"),
        ("이탄 습지", "꿀벌", "구리 합금", "물레방아", "염전"), ("백로만", "청석령", "고요읍", "느림강", "솔바위", "갈대섬"),
        split_names(OTHER_NAMES["ko"]), (("느린과학연구", "느린과학연구"), ("고요한 학술지", "고요한 학술지")),
    ),
    "ar": Vocabulary(
        ("[زيادة|نقصان] أعداد {s} في منطقة {p}", "تاريخ {s} في {p} خلال القرن [التاسع|السابع] عشر",
         "الاستخدام [المبكر|المتأخر] في {p} من أجل {s}"),
        ("طواحين الماء", "الأراضي الرطبة", "نحل العسل", "الأفران الشمسية"), ("وادي السكون", "نهر البطء", "تل الحجر", "خليج البلشون", "سهل القصب", "جبل الملح", "واحة الصمت"),
        split_names(OTHER_NAMES["ar"]), (("حوليات العلم البطيء", "حوليات العلم البطيء"),),
    ),
}  # fmt: skip
ONE_WORD = {"en": ("Peatlands", "Kilnworks", "Slowness"), "de": ("Moorkunde", "Kopfweiden"), "fr": ("Tourbières",),
            "es": ("Salinas",), "ru": ("Торфяники",), "el": ("Υγρότοποι",)}  # fmt: skip
STRANGERS = {
    "": split_names(
        "Ignatius Abernathy;Leontine Crowhurst;Marek/van Dragomir;Philippa Goldwater;Oskar Huntingdon-Frey"
    ),
    "ru": split_names("Глеб Дубровкин=Gleb Dubrovkin;Марфа Снегирёва=Marfa Snegireva;Тимур Огородов=Timur Ogorodov"),
    "el": split_names("Σπύρος Καραντώνης=Spyros Karantonis;Ζωή Λαγουδάκη=Zoi Lagoudaki;Φώτης Ρήγας=Fotis Rigas"),
    "zh": split_names("子涵 孙=Zihan Sun;国栋 冯=Guodong Feng;丽华 邓=Lihua Deng"),
    "ja": split_names("直樹 藤原=Naoki Fujiwara;由美 松本=Yumi Matsumoto;隆 石井=Takashi Ishii"),
    "ko": split_names("현우 강=Hyunwoo Kang;수빈 윤=Subin Yoon;재원 한=Jaewon Han"),
    "ar": split_names("سامي زيدان=Sami Zidan;هدى بركات=Huda Barakat;طارق نجم=Tariq Najm"),
}
OTHER_JOURNALS = {
    "ru": "Записки глубинной металлургии", "el": "Δελτίο βαθιάς μεταλλουργίας", "zh": "深海冶金通报",
    "ja": "深海冶金紀要", "ko": "심해야금학보", "ar": "مجلة علم المعادن العميق",
}  # fmt: skip
CONFERENCES = (
    ("International Conference on Quiet Engineering", "ICQE", "Halvern, Norland"),
    ("Symposium on Moorland Acoustics and Vision", "SMAV", "Brackmoor, Westria"),
    ("European Conference on Slow Computing", "ECSC", "Montreuze, Valbrune"),
)
WORKSHOPS = (("Workshop on Slow Metals", "SloMet"), ("Workshop on Herding and Language", "HerdLang"))
PUBLISHERS = ("Springer", "Elsevier BV", "Wiley", "Oxford University Press (OUP)", "Association for Computing Machinery",
              "Institute of Electrical and Electronics Engineers (IEEE)", "MDPI AG", "SAGE Publications")  # fmt: skip
