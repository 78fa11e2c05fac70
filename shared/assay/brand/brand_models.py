"""Output models of a brand. None or an empty list means not found."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from assay.models.common import Output


class BrandOutput(Output):
    """Base of output models whose JSON field names equal the attribute names."""

    model_config = ConfigDict(alias_generator=None)


class Identity(BrandOutput):
    name: str | None = None
    domain: Annotated[str | None, Field(description="Registrable domain.")] = None
    tagline: str | None = None
    description: str | None = None
    industry: str | None = None
    founded: Annotated[str | None, Field(description="Year of foundation.")] = None
    location: str | None = None


class Swatch(BrandOutput):
    """A colour: `#rrggbb`, what it is called, what it is for, and how bright it is (0 to 255)."""

    hex: Annotated[str, Field(description="Color as #rrggbb.")]
    name: Annotated[str | None, Field(description="Name of the color.")] = None
    role: Annotated[str | None, Field(description="Use of the color, such as primary.")] = None
    brightness: Annotated[int, Field(description="0 (black) to 255 (white).")]


class Colors(BrandOutput):
    primary: Annotated[str | None, Field(description="Main color, #rrggbb.")] = None
    secondary: Annotated[str | None, Field(description="Second color, #rrggbb.")] = None
    accent: Annotated[str | None, Field(description="Accent color, #rrggbb.")] = None
    background: Annotated[str | None, Field(description="Background color, #rrggbb.")] = None
    text: Annotated[str | None, Field(description="Text color, #rrggbb.")] = None
    surface: Annotated[str | None, Field(description="Color of cards and panels, #rrggbb.")] = None
    text_secondary: Annotated[str | None, Field(description="Color of less important text, #rrggbb.")] = None
    palette: list[Swatch] = Field(default_factory=list, description="All colors that were found.")


class Logo(BrandOutput):
    url: str
    format: Annotated[str | None, Field(description="File format, such as svg.")] = None
    width: Annotated[int | None, Field(description="Width in pixels.")] = None
    height: Annotated[int | None, Field(description="Height in pixels.")] = None


class Logos(BrandOutput):
    primary: Annotated[Logo | None, Field(description="Main logo.")] = None
    dark: Annotated[Logo | None, Field(description="Logo for dark backgrounds.")] = None
    icon: Annotated[Logo | None, Field(description="Symbol without the name.")] = None
    favicon: Annotated[str | None, Field(description="URL of the favicon.")] = None
    og_image: Annotated[str | None, Field(description="URL of the image for link previews.")] = None


class Face(BrandOutput):
    family: Annotated[str, Field(description="Name of the font.")]
    weights: list[int] = Field(default_factory=list, description="Font weights in use, such as 400 or 700.")
    origin: Annotated[str | None, Field(description="Where the font comes from, such as google.")] = None
    origin_id: Annotated[str | None, Field(description="Name of the font there.")] = None


class Typography(BrandOutput):
    heading: Annotated[Face | None, Field(description="Font of headings.")] = None
    body: Annotated[Face | None, Field(description="Font of running text.")] = None
    mono: Annotated[Face | None, Field(description="Font of code.")] = None
    google_fonts_url: Annotated[str | None, Field(description="Stylesheet of the fonts at Google Fonts.")] = None
    scale: Annotated[dict[str, str] | None, Field(description="Text style to its size.")] = None


class DosAndDonts(BrandOutput):
    dos: list[str] = Field(default_factory=list, description="What the guidelines ask for.")
    donts: list[str] = Field(default_factory=list, description="What the guidelines forbid.")


class Tone(BrandOutput):
    summary: Annotated[str | None, Field(description="Tone in a few sentences of the guidelines.")] = None
    attributes: list[str] = Field(default_factory=list, description="Words for the tone, such as friendly.")
    dos_and_donts: Annotated[DosAndDonts | None, Field(description="Rules for writing.")] = None


class Social(BrandOutput):
    twitter: str | None = None
    linkedin: str | None = None
    github: str | None = None
    youtube: str | None = None
    facebook: str | None = None
    instagram: str | None = None


type Completeness = Literal["full", "partial", "none"]


class Coverage(BrandOutput):
    colors: Annotated[Completeness, Field(description="full, partial or none of the colors were found.")]
    logos: Annotated[Completeness, Field(description="full, partial or none of the logos were found.")]
    typography: Annotated[Completeness, Field(description="full, partial or none of the fonts were found.")]
    tone_of_voice: Annotated[Literal["found", "none"], Field(description="Whether a tone of voice was found.")]
    extraction_blocked: Annotated[
        bool | None, Field(description="true if the portal shows too little text to read.")
    ] = None


class Brand(BrandOutput):
    """All that is known of a brand, from the most reliable source to the least reliable."""

    identity: Annotated[Identity, Field(description="Name, domain and description of the company.")] = Identity()
    colors: Colors = Colors()
    logos: Logos = Logos()
    typography: Typography = Typography()
    tone_of_voice: Annotated[Tone, Field(description="How the company writes, by its guidelines.")] = Tone()
    social: Annotated[Social, Field(description="Profiles on social networks.")] = Social()

    def merge(self, other: "Brand") -> tuple["Brand", list[str]]:
        """Fill empty fields from `other`; return the merged brand and the names of the filled fields."""
        parts, added = {}, []
        for section in Brand.model_fields:
            own, others = getattr(self, section), getattr(other, section)
            additions = {name: value for name in type(own).model_fields if (value := _find_addition(own, others, name))}
            parts[section] = own.model_copy(update=additions)
            added += [f"{section}.{name}" for name in additions]
        return Brand(**parts), added

    def measure_coverage(self, *, blocked: bool) -> Coverage:
        colors, logos, faces = self.colors, self.logos, self.typography
        has_some = any(_has_value(colors, name) for name in Colors.model_fields)
        return Coverage(
            colors="full" if len(colors.palette) >= 3 else _measure_completeness(has_some),
            logos="full"
            if logos.primary and (logos.icon or logos.dark)
            else _measure_completeness(any(_values(logos))),
            typography="full" if faces.heading and faces.body else _measure_completeness(any(_values(faces))),
            tone_of_voice="found" if any(_values(self.tone_of_voice)) else "none",
            extraction_blocked=blocked or None,
        )


def _measure_completeness(has_some: bool) -> Completeness:
    return "partial" if has_some else "none"


def _values(section: BrandOutput) -> list[Any]:
    return [getattr(section, name) for name in type(section).model_fields]


def _has_value(section: BrandOutput, name: str) -> bool:
    return bool(getattr(section, name))


def _find_addition(own: BrandOutput, others: BrandOutput, name: str) -> Any:
    """Return the new value of a field that `others` fills; palettes are joined. None if nothing is added."""
    own_value, other_value = getattr(own, name), getattr(others, name)
    if name == "palette" and other_value:
        known = {swatch.hex for swatch in own_value}
        new = [swatch for swatch in other_value if swatch.hex not in known]
        return own_value + new if new else None
    return None if own_value else other_value or None
