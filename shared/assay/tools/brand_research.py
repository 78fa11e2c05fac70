"""Collect a company's brand from its own pages."""

import hashlib
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from assay.brand import portal as guidelines
from assay.brand.brand_models import Brand, BrandOutput, Coverage
from assay.brand.design_tokens import build_tokens
from assay.context import Context
from assay.errors import InvalidInput, NotFound, ToolError
from assay.models.common import TRUST, Cleared, DomainQuery, Input, NameQuery, SessionId, Source, Trust, WebQuery
from assay.scraping.brand_page_links import PORTAL_HOSTS, Home
from assay.scraping.brand_pages import BrandPageFinder, Portal
from assay.scraping.company_site import find_own_site
from assay.state.json_documents import Document
from assay.toolkit.tool import tool

CACHE_TIME = timedelta(hours=24)
VERSION = 1  # increase it when the stored document changes its shape
BRANDFETCH = "brandfetch"


class BrandResearchInput(Input):
    url: Annotated[
        Cleared[Annotated[str, Field(max_length=2_048)]],
        Field(description="Company's domain or URL, such as example.com."),
    ] = None
    company_name: Annotated[
        Cleared[Annotated[str, Field(max_length=200)]],
        Field(description="Company name, to find its domain if url is unset."),
    ] = None
    depth: Annotated[
        Literal["quick", "standard", "full"],
        Field(description="quick reads the homepage; standard adds the brand portal; full adds a web search."),
    ] = "standard"
    include_design_tokens: Annotated[bool, Field(description="Add colors and fonts as W3C design tokens.")] = False
    session_id: SessionId = None

    @model_validator(mode="after")
    def says_whose(self) -> "BrandResearchInput":
        if not self.url and not self.company_name:
            raise ValueError("send url or company_name")
        return self


class BrandResearchTier(BrandOutput):
    name: Annotated[
        Literal["brandfetch_api", "homepage_meta", "brand_page", "web_search"],
        Field(description="Step that found something."),
    ]
    url: Annotated[str, Field(description="Address that was read.")]
    fields: Annotated[list[str], Field(description="Fields that it supplied.")]


class BrandResearchOutput(Brand):
    tiers: Annotated[list[BrandResearchTier], Field(alias="sources", description="Where the data comes from.")]
    guidelines_url: Annotated[str | None, Field(description="URL of the brand portal.")] = None
    brand_portal_resource: Annotated[
        str | None, Field(description="Artifact with the text of the brand portal, for read_artifact.")
    ] = None
    suggestion: Annotated[str | None, Field(description="What to do if little was found.")] = None
    design_tokens: Annotated[dict[str, Any] | None, Field(description="Colors and fonts as W3C design tokens.")] = None
    coverage: Annotated[Coverage, Field(description="What was found and what is missing.")]
    cache_age: Annotated[int, Field(description="Age of the data in seconds.")]
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def sources(self) -> list[Source]:
        name = self.identity.name or self.identity.domain
        return [
            Source(url=tier.url, title=name, relevance=tier.name)
            for tier in self.tiers
            if tier.name != "brandfetch_api"
        ]


@tool(limit=timedelta(seconds=60), toolsets=("research",), background=True)
async def brand_research(ask: BrandResearchInput, ctx: Context) -> BrandResearchOutput:
    """Collect a company's brand from its own pages: logos, colors, fonts, voice, profiles, guidelines.

    Empty fields were not found: nothing is inferred. read_artifact reads the text of a brand portal."""
    url = await site_of(ask, ctx)
    name = hashlib.sha256(f"{url} {ask.depth}".encode()).hexdigest()

    async def gather() -> Document:
        document = await BrandGathering(ask, ctx).document(url)
        ctx.cache_entry = None  # the age of a cached page is not the age of the brand
        return document

    document = await ctx.get_or_compute(f"brand/{VERSION}/{name}", CACHE_TIME, gather, keep=_is_sound)
    age = max(0, int(ctx.services.clock() - ctx.cache_entry.stored)) if ctx.cache_entry else 0
    return await build_output(document, age, ask, ctx)


async def build_output(document: Document, age: int, ask: BrandResearchInput, ctx: Context) -> BrandResearchOutput:
    """Build the answer from the cached brand; store the portal's text again, since artifacts expire in 30 minutes."""
    resource = None
    if text := document["portal_text"]:
        kept = await ctx.store_artifact(text.encode())
        resource = kept.uri
    brand = Brand.model_validate(document["brand"])
    blocked = bool(document["guidelines_url"]) and guidelines.is_blocked(text)
    return BrandResearchOutput(
        **{section: getattr(brand, section) for section in Brand.model_fields},
        tiers=[BrandResearchTier.model_validate(tier) for tier in document["tiers"]],
        guidelines_url=document["guidelines_url"],
        brand_portal_resource=resource,
        suggestion=_suggestion(document["home"], document["guidelines_url"], blocked),
        design_tokens=build_tokens(brand) if ask.include_design_tokens else None,
        coverage=brand.measure_coverage(blocked=blocked),
        cache_age=age,
        warnings=document["warnings"] or None,
    )


def _is_sound(document: Document) -> bool:
    """Whether to cache the brand: not after a failure."""
    return bool(document["tiers"]) and not document["warnings"]


def _suggestion(home: str, portal: str | None, blocked: bool) -> str | None:
    if portal is None:
        return f"No brand portal was found. Use scrape_page on {home} to see what its text says of the brand."
    if blocked:
        return f"The portal's content could not be extracted. Use scrape_page on {portal}."
    return None


async def site_of(ask: BrandResearchInput, ctx: Context) -> str:
    """Return the start address. Raises InvalidInput for an invalid URL, NotFound if no site is the company's."""
    from assay.net.urls import canonicalize_url

    if ask.url:
        given = ask.url if "://" in ask.url else f"https://{ask.url.removeprefix('//')}"
        url = canonicalize_url(given)
        if not url.startswith(("http://", "https://")):
            raise InvalidInput("url is neither a domain nor an http(s) address.", field="url")
        return url
    assert ask.company_name is not None
    if ctx.services.settings.key("BRANDFETCH_CLIENT_ID"):
        try:
            found = await ctx.search.run_operation("domains", NameQuery(name=ask.company_name), provider=BRANDFETCH)
        except ToolError as failure:
            ctx.meta["warning"] = f"brandfetch failed ({failure.kind})."
        else:
            if found.hits:
                return f"https://{found.hits[0].domain}/"
    hits = (await ctx.search.web(WebQuery(query=f'"{ask.company_name}" official website', num_results=10))).hits
    if site := find_own_site(ask.company_name, hits):
        return site
    raise NotFound(
        "The search found no site that is plainly this company's own. Call again with its domain in url.",
        field="company_name",
    )


class BrandGathering:
    """Gathers a company's brand from the most to the least reliable source; later ones do not overwrite."""

    def __init__(self, ask: BrandResearchInput, ctx: Context) -> None:
        self._ask, self._ctx = ask, ctx
        self._finder = BrandPageFinder(ctx.services.web, ctx.services.settings, ctx.services.browser)
        self._brand = Brand()
        self._tiers: list[BrandResearchTier] = []
        self._warnings: list[str] = []

    async def document(self, url: str) -> Document:
        """Return `{brand, tiers, guidelines_url, portal_text, home, warnings}`.

        Raises the homepage's failure if no other source has the brand.
        """
        import asyncio

        from assay.net.urls import get_host, get_registrable_domain

        domain = get_registrable_domain(get_host(url))
        home, known = await asyncio.gather(self._home(url), self._brandfetch(domain))
        for brand, address in known:
            self._add("brandfetch_api", address, brand)
        if isinstance(home, ToolError):
            if not self._tiers:
                raise home
            self._warnings.append(f"The homepage could not be read ({home.kind}).")
            home = Home(url, Brand())
        self._add("homepage_meta", home.url, home.brand)
        portal = None if self._ask.depth == "quick" else await self._portal(home, domain)
        self._brand.identity.domain = domain
        return {
            "brand": self._brand.model_dump(),
            "tiers": [tier.model_dump() for tier in self._tiers],
            "guidelines_url": portal.url if portal else None,
            "portal_text": portal.text if portal else "",
            "home": home.url,
            "warnings": self._warnings,
        }

    def _add(self, tier: Any, url: str, brand: Brand) -> None:
        self._brand, fields = self._brand.merge(brand)
        if fields:
            self._tiers.append(BrandResearchTier(name=tier, url=url, fields=fields))

    async def _home(self, url: str) -> Home | ToolError:
        """Read the homepage; by http if only the domain was sent and https fails."""
        try:
            return await self._finder.fetch_homepage(url)
        except ToolError as failure:
            if failure.kind != "network" or not url.startswith("https:") or "://" in (self._ask.url or ""):
                return failure
        try:
            return await self._finder.fetch_homepage(url.replace("https:", "http:", 1))
        except ToolError as failure:
            return failure

    async def _brandfetch(self, domain: str) -> list[tuple[Brand, str]]:
        """Query Brandfetch if a key is configured."""
        if not self._ctx.services.settings.key("BRANDFETCH_API_KEY") or "." not in domain.strip("0123456789."):
            return []
        found = []
        for operation in ("brand",) if self._ask.depth == "quick" else ("brand", "voice"):
            try:
                result = await self._ctx.search.run_operation(
                    operation, DomainQuery(domain=domain), provider=BRANDFETCH
                )
            except NotFound:
                continue
            except ToolError as failure:
                self._warnings.append(f"brandfetch failed ({failure.kind}).")
                break
            found += [(brand, f"https://brandfetch.com/{domain}") for brand in result.hits[:1]]
        return found

    async def _portal(self, home: Home, domain: str) -> Portal | None:
        tier = "brand_page"
        portal = await self._finder.find_portal(home, probe_all=self._ask.depth == "full")
        if portal is None and self._ask.depth == "full":
            tier, portal = "web_search", await self._search_portal(home, domain)
        if portal is not None:
            self._add(tier, portal.url, guidelines.parse_guidelines(portal.text))
        return portal

    async def _search_portal(self, home: Home, domain: str) -> Portal | None:
        """Search for a portal on the company's domain, or under its name on hosts of brand portals."""
        from assay.net.urls import get_host, get_registrable_domain

        name = self._brand.identity.name or domain
        try:
            question = WebQuery(query=f'"{name}" brand guidelines logo colors', num_results=10)
            found = await self._ctx.search.web(question, single_pass=True)
        except ToolError as failure:
            self._warnings.append(f"The web could not be searched for a portal ({failure.kind}).")
            return None
        label = domain.partition(".")[0]
        portal_urls = [
            hit.url
            for hit in found.hits
            if get_registrable_domain(get_host(hit.url)) == domain
            or (get_registrable_domain(get_host(hit.url)) in PORTAL_HOSTS and label in get_host(hit.url).split("."))
        ]
        for url in portal_urls[:3]:
            if portal := await self._finder.read_portal_at(url, home):
                return portal
        return None
