"""Words around author-year citations: what leads in, what stands for more authors, and what is no name."""

LEAD_INS = (
    r"see|cf|compare|contra|e\.\s?g|i\.\s?e|for (?:a |an )?(?:\w+ )?(?:review|overview|discussion|details?)|"
    r"reviewed (?:in|by)|as (?:in|cited in)|after|following|adapted from|from|based on|according to|in|by|"
    r"cited (?:in|by)|quoted in|data from|vgl|siehe|s\.|zit(?:iert)? nach|voir|cité par|véase|ver|citado en|cfr|vedi"
)  # before names
OTHERS = (
    r"et\s+al\b\.?|and\s+(?:colleagues|others|co-?workers)|&\s+(?:colleagues|al\.)|u\.\s?a\.|et\s+coll\.|"
    r"y\s+col(?:s|egas)?\.?|e\s+colab\.|und\s+Kolleg\w+"
)  # for further authors
NO_NAMES = """
january february march april may june july august september october november december jan feb mar apr jun jul aug sep
sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août enero
febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre spring summer autumn fall winter
figure fig figs table tables tab equation eq eqs chapter section sec appendix version vol volume no number part article
act law directive regulation standard iso covid release step phase wave grade class level model type windows office
session day week season issue world war year years copyright born died est founded aged ca circa approx about updated
accessed published retrieved since until before after during between the a an this that these in on at by from for of to
and or as is was were are if it its we our they their however although though while whereas both e.g i.e also see like
unlike moreover furthermore thus hence therefore then later recently similarly likewise conversely finally first second
third following according when where because but yet so here there nevertheless nonetheless instead indeed specifically
"""
OTHER_WORDS = frozenset(NO_NAMES.split())  # that stand before a year and are no names
