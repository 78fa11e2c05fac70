"""Purposes of containers, finer than `class_hints`: what share of a page the nearest one of each purpose holds."""

PURPOSES = (
    "comment disqus ^respond$ replies",
    "relat recommend also readmore similar crosslink linklist upnext",
    "popular trending latest recent recirc teaser headlines ticker breaking ^most$",
    "promo callout ^cta$ donat banner sponsor affiliate partner",
    "newsletter subscri signup mailchimp paywall login register membership",
    "author byline writer contributor ^bio$ profile avatar vcard",
    "^tag$ ^tags$ taglist categor keyword ^topic$ ^topics$ ^label",
    "^menu ^nav$ navbar navigation ^mega dropdown submenu ^tab$ ^tabs$",
    "modal popup overlay dialog lightbox tooltip offcanvas drawer",
    "testimonial ^review pullquote",
    "^lead$ ^lede$ ^intro excerpt ^dek$ standfirst subtitle subhead summary abstract ^deck$ kicker",
    "articlebody entrycontent postcontent storybody bodycopy richtext prose wysiwyg markdown maincontent pagecontent",
    "^post$ ^entry$ ^story$ ^article$ hentry",
    "^topic ^thread ^message forum ^question ^answer ^reply",
    "^card ^tile ^grid$ carousel slider swiper ^item ^listing gallery",
    "product price ^sku$ ^cart ^shop ^spec",
    "^faq accordion collaps toggle",
    "^content$ ^body$ ^text$ ^main$",
    "^footer ^bottom$",
)
TAGS = ("aside", "footer", "form", "figcaption", "article", "main", "section", "ul", "ol", "dl")
PURPOSE_COUNT = len(PURPOSES)
INDEX_BY_TAG = {tag: PURPOSE_COUNT + place for place, tag in enumerate(TAGS)}
NONE_AROUND = 1.5  # more than the whole page
NO_SHARES = (NONE_AROUND,) * (PURPOSE_COUNT + len(TAGS))
