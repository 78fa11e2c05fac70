"""A brand as data. What is None or empty was not found."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from assay.models.common import Output


class BrandOutput(Output):
    """A part of an answer whose names are the same here and on the wire."""

    model_config = ConfigDict(alias_generator=None)


class Identity(BrandOutput):
    name: str | None = None
    domain: str | None = None
    tagline: str | None = None
    description: str | None = None
    industry: str | None = None
    founded: str | None = None
    location: str | None = None


class Swatch(BrandOutput):
    """A colour: `#rrggbb`, what it is called, what it is for, and how bright it is (0 to 255)."""

    hex: str
    name: str | None = None
    role: str | None = None
    brightness: int


class Colors(BrandOutput):
    primary: str | None = None
    secondary: str | None = None
    accent: str | None = None
    background: str | None = None
    text: str | None = None
    surface: str | None = None
    text_secondary: str | None = None
    palette: list[Swatch] = Field(default_factory=list)


class Logo(BrandOutput):
    url: str
    format: str | None = None
    width: int | None = None
    height: int | None = None


class Logos(BrandOutput):
    primary: Logo | None = None
    dark: Logo | None = None
    icon: Logo | None = None
    favicon: str | None = None
    og_image: str | None = None


class Face(BrandOutput):
    family: str
    weights: list[int] = Field(default_factory=list)
    origin: str | None = None
    origin_id: str | None = None


class Typography(BrandOutput):
    heading: Face | None = None
    body: Face | None = None
    mono: Face | None = None
    google_fonts_url: str | None = None
    scale: dict[str, str] | None = None


class Manners(BrandOutput):
    dos: list[str] = Field(default_factory=list)
    donts: list[str] = Field(default_factory=list)


class Tone(BrandOutput):
    summary: str | None = None
    attributes: list[str] = Field(default_factory=list)
    dos_and_donts: Manners | None = None


class Social(BrandOutput):
    twitter: str | None = None
    linkedin: str | None = None
    github: str | None = None
    youtube: str | None = None
    facebook: str | None = None
    instagram: str | None = None


type Part = Literal["full", "partial", "none"]


class Coverage(BrandOutput):
    colors: Part
    logos: Part
    typography: Part
    tone_of_voice: Literal["found", "none"]
    extraction_blocked: Annotated[bool | None, Field(description="The portal shows too little text.")] = None


class Brand(BrandOutput):
    """All that is known of a brand, gathered from the surest place to the least sure."""

    identity: Identity = Identity()
    colors: Colors = Colors()
    logos: Logos = Logos()
    typography: Typography = Typography()
    tone_of_voice: Tone = Tone()
    social: Social = Social()

    def with_more(self, other: "Brand") -> tuple["Brand", list[str]]:
        """This brand with what `other` adds, and the names of the fields it added. What is known already stays."""
        parts, added = {}, []
        for section in Brand.model_fields:
            mine, theirs = getattr(self, section), getattr(other, section)
            news = {name: value for name in type(mine).model_fields if (value := _news(mine, theirs, name))}
            parts[section] = mine.model_copy(update=news)
            added += [f"{section}.{name}" for name in news]
        return Brand(**parts), added

    def measure_coverage(self, *, blocked: bool) -> Coverage:
        colors, logos, faces = self.colors, self.logos, self.typography
        some = any(_has_value(colors, name) for name in Colors.model_fields)
        return Coverage(
            colors="full" if len(colors.palette) >= 3 else _part(some),
            logos="full" if logos.primary and (logos.icon or logos.dark) else _part(any(_values(logos))),
            typography="full" if faces.heading and faces.body else _part(any(_values(faces))),
            tone_of_voice="found" if any(_values(self.tone_of_voice)) else "none",
            extraction_blocked=blocked or None,
        )


def _part(some: bool) -> Part:
    return "partial" if some else "none"


def _values(section: BrandOutput) -> list[Any]:
    return [getattr(section, name) for name in type(section).model_fields]


def _has_value(section: BrandOutput, name: str) -> bool:
    return bool(getattr(section, name))


def _news(mine: BrandOutput, theirs: BrandOutput, name: str) -> Any:
    """What `theirs` adds to this field; a palette grows by the colours that it lacks."""
    here, there = getattr(mine, name), getattr(theirs, name)
    if name == "palette" and there:
        known = {swatch.hex for swatch in here}
        new = [swatch for swatch in there if swatch.hex not in known]
        return here + new if new else None
    return None if here else there or None
