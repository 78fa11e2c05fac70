"""Queries for images, news and places, and their results."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from assay.models.common import (
    Cleared,
    Country,
    Engagement,
    HostReputation,
    Input,
    Language,
    Output,
    Query,
    Safe,
)

type Size = Literal["huge", "icon", "large", "medium", "small", "xlarge", "xxlarge"]
type Kind = Literal["clipart", "face", "lineart", "stock", "photo", "animated"]
type ColorType = Literal["color", "gray", "mono", "trans"]
type Color = Literal[
    "black", "blue", "brown", "gray", "green", "orange", "pink", "purple", "red", "teal", "white", "yellow"
]
type FileType = Literal["jpg", "gif", "png", "bmp", "svg", "webp"]
type Window = Literal["hour", "day", "week", "month", "year"]


def validate_order[Until](until: Until, info: ValidationInfo) -> Until:
    """Validate `date_to` or `year_to`. Raises ValueError if it lies before the `_from` field."""
    name = str(info.field_name)
    begins = name.replace("_to", "_from")
    first, last = str(info.data.get(begins) or ""), str(until or "")
    if last[: len(first)] < first[: len(last)]:
        raise ValueError(f"{name} lies before {begins}; swap them")
    return until


class ImageQuery(Input):
    """A search for images. A provider's `honours` lists the fields it supports."""

    query: Annotated[Query, Field(description="Search words, in any language.")]
    num_results: Annotated[int, Field(ge=1, le=200, description="Maximum number of results to return.")] = 5
    size: Annotated[Cleared[Size], Field(description="Size of the image; any if unset.")] = None
    type: Annotated[Cleared[Kind], Field(description="Type of image; any if unset.")] = None
    color_type: Annotated[Cleared[ColorType], Field(description="Color, grayscale or transparent; any if unset.")] = (
        None
    )
    dominant_color: Annotated[Cleared[Color], Field(description="Main color of the image; any if unset.")] = None
    file_type: Annotated[Cleared[FileType], Field(description="File format; any if unset.")] = None
    safe: Annotated[Safe, Field(description="Filter for adult content.")] = "medium"
    country: Annotated[Country, Field(description="Country of results, such as DE.")] = None
    language: Annotated[Language, Field(description="Language of results, such as de.")] = None


class NewsQuery(Input):
    """A search for news. `news_source` is a domain."""

    query: Annotated[Query, Field(description="Search words, in any language.")]
    num_results: Annotated[int, Field(ge=1, le=50, description="Maximum number of results to return.")] = 5
    time_range: Annotated[
        Window, BeforeValidator(lambda given: given or "week"), Field(description="Maximum age of articles.")
    ] = "week"
    sort_by: Annotated[
        Literal["relevance", "date"], Field(description="Order of results; date lists the newest first.")
    ] = "relevance"
    news_source: Annotated[
        Cleared[Annotated[str, Field(max_length=253)]], Field(description="Domain of one outlet, such as bbc.com.")
    ] = None
    country: Annotated[Country, Field(description="Country of results, such as DE.")] = None
    language: Annotated[Language, Field(description="Language of results, such as de.")] = None
    safe: Annotated[
        Cleared[Literal["off", "moderate", "strict"]],
        Field(description="Filter for adult content; the provider's default if unset."),
    ] = None


class PlaceQuery(Input):
    """A search for places: coordinates in degrees (WGS 84), the radius in meters, 0 for none."""

    query: Annotated[Query, Field(description="What to find, such as coffee or pharmacy.")]
    near: Annotated[
        Cleared[Annotated[str, Field(max_length=200)]],
        Field(description="City or region to search in, such as Zurich."),
    ] = None
    latitude: Annotated[
        Cleared[Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]],
        Field(description="Latitude of the center in degrees; needs longitude."),
    ] = None
    longitude: Annotated[
        Cleared[Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]],
        Field(validate_default=True, description="Longitude of the center in degrees; needs latitude."),
    ] = None
    radius: Annotated[
        float,
        Field(ge=0, allow_inf_nan=False, description="Distance from the center in meters; 0 for any."),
        BeforeValidator(lambda given: given or 0),
    ] = 0
    country: Annotated[Country, Field(description="Country of results, two letters such as DE; any if unset.")] = None
    units: Annotated[Cleared[Literal["metric", "imperial"]], Field(description="Units of distances in the answer.")] = (
        None
    )
    num_results: Annotated[int, Field(ge=1, le=20, description="Maximum number of results to return.")] = 5

    @field_validator("longitude")
    @classmethod
    def both_or_neither(cls, longitude: float | None, info: ValidationInfo) -> float | None:
        if "latitude" in info.data and (info.data["latitude"] is None) != (longitude is None):
            raise ValueError("latitude and longitude go together; send both or neither")
        return longitude

    @property
    def anchor(self) -> tuple[float, float] | None:
        """Latitude and longitude that distances are measured from, if sent."""
        return None if self.latitude is None or self.longitude is None else (self.latitude, self.longitude)


class ImageHit(Output):
    """An image: `link` is the file, `context_link` the page that shows it; sizes in pixels."""

    title: str
    link: Annotated[str, Field(description="URL of the image file.")]
    thumbnail_link: Annotated[str | None, Field(description="URL of a small version.")] = None
    display_link: Annotated[str, Field(description="Host of the page.")] = ""
    context_link: Annotated[str | None, Field(description="URL of the page that shows the image.")] = None
    width: Annotated[int | None, Field(description="Width in pixels.")] = None
    height: Annotated[int | None, Field(description="Height in pixels.")] = None
    file_size: Annotated[str | None, Field(description="Size of the file, as the provider states it.")] = None


class NewsHit(Output):
    """A news article, in plain text. `source` is the outlet's name, or its host."""

    title: str
    url: str
    source: Annotated[str, Field(description="Name or host of the outlet.")]
    published_at: Annotated[str | None, Field(description="RFC 3339, UTC.")] = None
    snippet: str = ""
    source_type: Annotated[
        str | None, Field(description="Kind of source, such as news_publication; absent if unknown.")
    ] = None
    is_social_media: Annotated[bool | None, Field(description="true for social media and forums.")] = None
    source_reputation: HostReputation = None
    engagement: Annotated[
        Engagement | None, Field(description="Votes, comments and other reactions on the platform.")
    ] = None


class Place(Output):
    """A place. `id` is the provider's and valid for hours only; `hours` have the form `Monday: 09:00-17:00`."""

    id: Annotated[str, Field(description="Identifier at the provider; valid for some hours.")]
    name: str
    address: str | None = None
    lat: Annotated[float | None, Field(description="Latitude in degrees.")] = None
    lon: Annotated[float | None, Field(description="Longitude in degrees.")] = None
    phone: str | None = None
    website: str | None = None
    categories: list[str] | None = None
    rating: Annotated[float | None, Field(description="Average rating, as the provider scales it.")] = None
    rating_count: int | None = None
    hours: Annotated[list[str] | None, Field(description="Opening hours, such as Monday: 09:00-17:00.")] = None
    description: str | None = None
    source: Annotated[str, Field(description="Name of the provider that answered.")] = ""

    def model_post_init(self, _: Any) -> None:
        if (self.lat is None) != (self.lon is None):
            self.lat = self.lon = None
