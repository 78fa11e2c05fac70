"""Exports a brand as W3C design tokens (DTCG format): `$value` and `$type` of each token."""

from typing import Any

from assay.brand.brand_models import Brand

COLORS = (
    ("brand", "primary"),
    ("accent", "accent"),
    ("background", "background"),
    ("surface", "surface"),
    ("text", "text"),
    ("text-secondary", "text_secondary"),
    ("secondary", "secondary"),
)


def build_tokens(brand: Brand) -> dict[str, Any]:
    """Build `{"color": {"brand": {"$value": "#0055ff", "$type": "color"}}, "font": …}` from the known values."""
    colors = {
        name: {"$value": value, "$type": "color"} for name, role in COLORS if (value := getattr(brand.colors, role))
    }
    faces = {name: getattr(brand.typography, name) for name in ("heading", "body", "mono")}
    fonts = {name: {"$value": face.family, "$type": "fontFamily"} for name, face in faces.items() if face}
    return {group: tokens for group, tokens in (("color", colors), ("font", fonts)) if tokens}
