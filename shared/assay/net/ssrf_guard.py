"""SSRF guard: decides whether a URL from a caller, page, feed, redirect or browser may be fetched."""

from typing import NamedTuple

from assay.errors import ConfigError, InvalidInput
from assay.net import hostname_policy, ip_policy
from assay.net.dns import CachingResolver, Resolve, system_resolve
from assay.net.exceptions import OffLimits
from assay.net.urls import LITERAL, ParsedUrl, parse_url, url_error
from assay.settings import Settings


class ResolvedTarget(NamedTuple):
    """An allowed URL with its checked addresses. Connect to these and never resolve the name again (DNS rebinding)."""

    parsed_url: ParsedUrl
    addresses: tuple[str, ...]


def _parse_domain(pattern: str) -> str:
    """A domain of ALLOWED_DOMAINS in canonical form, without a leading `*.` or dot."""
    try:
        return parse_url("https://" + pattern.removeprefix("*").removeprefix(".")).host
    except InvalidInput as wrong:
        raise ConfigError(
            f"ALLOWED_DOMAINS holds {pattern[:80]!r}, which is not a domain.",
            field="ALLOWED_DOMAINS",
            action="inform_user",
        ) from wrong


class SsrfGuard:
    """Checks URLs against the address policy, the name policy and ALLOWED_DOMAINS."""

    def __init__(self, settings: Settings, *, resolve: Resolve = system_resolve) -> None:
        self._allow_private = settings.allow_private_ips
        self._allowed = hostname_policy.Domains(_parse_domain(pattern) for pattern in settings.allowed_domains)
        self._resolver = CachingResolver(resolve)

    def clear_cache(self) -> None:
        """Clear the DNS cache."""
        self._resolver.clear_cache()

    async def can_resolve(self) -> bool:
        """Whether DNS works, so that a name without an address does not exist."""
        return await self._resolver.works()

    def allows(self, host: str) -> bool:
        """Whether ALLOWED_DOMAINS is empty or contains this canonical host."""
        return not self._allowed or host in self._allowed

    async def check(self, url: str) -> ResolvedTarget:
        """Parse, resolve and check the URL. Raises InvalidInput if forbidden, Unreachable if its name is unknown."""
        return await self.check_parsed(parse_url(url))

    async def check_parsed(self, parsed_url: ParsedUrl) -> ResolvedTarget:
        """Resolve and check the URL. Raises InvalidInput if forbidden, Unreachable if its name is unknown."""
        return ResolvedTarget(parsed_url, await self.check_host(parsed_url.host, parsed_url.port))

    async def check_host(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses of a canonical host. Raises InvalidInput if one of them is forbidden."""
        is_literal = LITERAL.fullmatch(host) or ":" in host
        if not is_literal and (wrong := hostname_policy.find_violation(host, self._allow_private)):
            raise OffLimits(f"The URL names {wrong}, which is never fetched; give a public http or https URL.", wrong)
        if not self.allows(host):
            raise url_error("The URL's host is not among ALLOWED_DOMAINS; give a URL of an allowed domain.")
        addresses = [host] if is_literal else await self._resolver.addresses(host, port)
        for address in addresses:
            if wrong := ip_policy.find_violation(address, self._allow_private):
                sentence = f"The URL leads to {wrong}, which is never fetched; give a public http or https URL."
                raise OffLimits(sentence, wrong)
        return tuple(addresses)
