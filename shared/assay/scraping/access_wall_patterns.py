"""Patterns of phrases on bot checks, login pages and paywalls, for text from `fold_text`."""

import re


def fold_text(text: str) -> str:
    """Lowercase the text without changing its length; searching it is much faster than a case-insensitive search."""
    if not text.isascii():
        text = text.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s")
    return text.lower()


def _compile_any(phrases: str, before: str = "", after: str = "") -> re.Pattern[str]:
    """Compile a pattern from one phrase per line."""
    joined = "|".join(phrase.strip() for phrase in phrases.strip().splitlines())
    return re.compile(f"{before}(?:{joined}){after}", re.MULTILINE)


BOT = _compile_any(
    r"""
    checking your browser
    verify(?:ing)? (?:that )?you are (?:a )?human
    verify you(?:'|’)re (?:a )?human
    are you a (?:ro)?bot\b
    (?:i am|i'm|i’m|you(?:'|’)re|you are) not a robot
    please complete the (?:security check|captcha)
    complete the captcha
    solve (?:the|this) captcha
    press (?:&|and) hold
    attention required
    access (?:to this page )?(?:has been )?denied
    sorry,? you have been blocked
    you have been blocked
    unusual traffic from your
    automated (?:access|requests|queries)
    bot (?:protection|detection|verification)
    ddos protection by
    enable javascript and cookies to continue
    just a moment\.\.\.
    performing security verification
    checking if the site connection is secure
    request unsuccessful\. incapsula
    pardon our interruption
    human verification
    security check to access
    reference #\d+\.[0-9a-f]+\.\d+
    px-captcha
    prove (?:that )?you(?:'|’)?(?: a)?re (?:a )?human
    robot or human
    too many requests from your
    """
)
BOT_TITLE = _compile_any(
    r"""
    just a moment
    attention required
    access denied
    403 forbidden
    forbidden
    security check(?:point)?
    robot check
    bot verification
    are you a robot
    human verification
    captcha
    pardon our interruption
    blocked
    you have been blocked
    ddos-guard
    please wait
    one moment,? please
    verify(?:ing)? you are human
    client challenge
    vercel security checkpoint
    """,
    before=r"^\W*",
    after=r"\b",
)
SHELL = _compile_any(
    r"""
    enable javascript
    javascript (?:is|must be|has been) (?:required|enabled|disabled)
    requires? javascript
    need to enable js
    javascript to run this app
    without javascript
    turn on javascript
    ^\W*(?:loading|please wait|wird geladen|chargement)\W*$
    activer javascript
    javascript (?:aktivieren|ist deaktiviert)
    habilitar? javascript
    """
)
LOGIN = _compile_any(
    r"""
    (?:log|sign) ?in to (?:continue|view|see|access|read|your account)
    (?:you )?(?:must|need to|have to) (?:be )?(?:logged in|log ?in|signed in|sign ?in)
    please (?:log|sign) ?in
    login required
    (?:log|sign) ?in (?:or|and) (?:register|sign up|create)
    members only
    anmelden,? um
    connectez-vous pour
    inicia sesión para
    accedi per
    """
)
LOGIN_TITLE = _compile_any(
    r"""
    log ?in
    sign ?in
    login
    anmelden
    connexion
    iniciar sesión
    accedi
    """,
    before=r"^\W*",
    after=r"\b",
)
PAYWALL = _compile_any(
    r"""
    subscribe (?:now )?to (?:continue|read|keep reading|unlock|access)
    (?:article|content|story|post) is (?:only |reserved |exclusively )*(?:for|to) (?:[a-z]+ )?(?:subscribers|members)
    available (?:only )?(?:for|to) (?:[a-z]+ )?subscribers
    for (?:paid )?subscribers only
    already a subscriber\?
    become a (?:subscriber|member) to (?:read|continue|access)
    start your (?:free )?trial to (?:read|continue)
    unlock this (?:article|story|post)
    to (?:read|continue reading) (?:this|the full|the rest)[^.\n]{0,40}(?:subscri|sign up|upgrade)
    you(?:'|’)ve (?:reached|read) (?:your|all)[^.\n]{0,40}(?:limit|free articles)
    keep reading with a
    purchase (?:this article|access)
    this post is for paid
    nur für abonnenten
    weiterlesen mit
    réservé (?:aux|à nos) abonnés
    contenido exclusivo para suscriptores
    riservato agli abbonati
    """
)
