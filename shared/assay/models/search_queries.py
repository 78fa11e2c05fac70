"""What may be asked of images, news and places, and what is found of them."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from assay.models.common import Cleared, Country, DomainReputation, Engagement, Input, Language, Output, Query, Safe

type Size = Literal["huge", "icon", "large", "medium", "small", "xlarge", "xxlarge"]
type Kind = Literal["clipart", "face", "lineart", "stock", "photo", "animated"]
type ColorType = Literal["color", "gray", "mono", "trans"]
type Color = Literal[
    "black", "blue", "brown", "gray", "green", "orange", "pink", "purple", "red", "teal", "white", "yellow"
]
type FileType = Literal["jpg", "gif", "png", "bmp", "svg", "webp"]
type Window = Literal["hour", "day", "week", "month", "year"]


def in_order[Until](until: Until, info: ValidationInfo) -> Until:
    """A validator of `date_to` or `year_to`, with which what begins later than it ends is refused."""
    name = str(info.field_name)
    begins = name.replace("_to", "_from")
    first, last = str(info.data.get(begins) or ""), str(until or "")
    if last[: len(first)] < first[: len(last)]:
        raise ValueError(f"{name} lies before {begins}; swap them")
    return until


class ImageQuery(Input):
    """What may be asked of images. A provider's `honours` says which of these it can honour."""

    query: Query
    num_results: Annotated[int, Field(ge=1, le=200)] = 5
    size: Cleared[Size] = None
    type: Cleared[Kind] = None
    color_type: Cleared[ColorType] = None
    dominant_color: Cleared[Color] = None
    file_type: Cleared[FileType] = None
    safe: Safe = "medium"
    country: Country = None
    language: Language = None


class NewsQuery(Input):
    """What may be asked of news. `news_source` is a domain."""

    query: Query
    num_results: Annotated[int, Field(ge=1, le=50)] = 5
    time_range: Annotated[Window, BeforeValidator(lambda given: given or "week")] = "week"
    sort_by: Literal["relevance", "date"] = "relevance"
    news_source: Annotated[Cleared[Annotated[str, Field(max_length=253)]], Field(description="Domain.")] = None
    country: Country = None
    language: Language = None
    safe: Cleared[Literal["off", "moderate", "strict"]] = None


class PlaceQuery(Input):
    """What may be asked of places: angles in degrees (WGS 84), the radius in metres, 0 for none."""

    query: Query
    near: Annotated[Cleared[Annotated[str, Field(max_length=200)]], Field(description="City or region.")] = None
    latitude: Cleared[Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]] = None
    longitude: Annotated[
        Cleared[Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]], Field(validate_default=True)
    ] = None
    radius: Annotated[
        float,
        Field(ge=0, allow_inf_nan=False, description="Metres; 0: any."),
        BeforeValidator(lambda given: given or 0),
    ] = 0
    country: Country = None
    units: Cleared[Literal["metric", "imperial"]] = None
    num_results: Annotated[int, Field(ge=1, le=20)] = 5

    @field_validator("longitude")
    @classmethod
    def both_or_neither(cls, longitude: float | None, info: ValidationInfo) -> float | None:
        if "latitude" in info.data and (info.data["latitude"] is None) != (longitude is None):
            raise ValueError("latitude and longitude go together; send both or neither")
        return longitude

    @property
    def anchor(self) -> tuple[float, float] | None:
        """Where distances are measured from."""
        return None if self.latitude is None or self.longitude is None else (self.latitude, self.longitude)


class ImageHit(Output):
    """A picture: `link` is the picture itself, `context_link` the page it stands on; pixels."""

    title: str
    link: str
    thumbnail_link: str | None = None
    display_link: str = ""
    context_link: str | None = None
    width: int | None = None
    height: int | None = None
    file_size: str | None = None


class NewsHit(Output):
    """An article in plain text. `source` is the outlet's name, or its host."""

    title: str
    url: str
    source: str
    published_at: Annotated[str | None, Field(description="RFC 3339, UTC.")] = None
    snippet: str = ""
    source_type: str | None = None
    is_social_media: bool | None = None
    source_reputation: DomainReputation | None = None
    engagement: Engagement | None = None


class Place(Output):
    """A place. `id` is the provider's and holds for hours only; `hours` are like `Monday: 09:00-17:00`."""

    id: str
    name: str
    address: str | None = None
    lat: float | None = None
    lon: float | None = None
    phone: str | None = None
    website: str | None = None
    categories: list[str] | None = None
    rating: float | None = None
    rating_count: int | None = None
    hours: list[str] | None = None
    description: str | None = None
    source: str = ""

    def model_post_init(self, _: Any) -> None:
        if (self.lat is None) != (self.lon is None):
            self.lat = self.lon = None
