"""The one rule for every address a caller, a page, a feed, a redirect or a browser names."""

from typing import NamedTuple

from assay.errors import ConfigError, InvalidInput
from assay.net import hostname_policy, ip_policy
from assay.net.dns import CachingResolver, Resolve, system_resolve
from assay.net.exceptions import OffLimits
from assay.net.urls import LITERAL, ParsedUrl, parse_url, url_error
from assay.settings import Settings


class ResolvedTarget(NamedTuple):
    """A place that may be reached, and the checked addresses to reach it at: connect to these, ask no resolver."""

    place: ParsedUrl
    addresses: tuple[str, ...]


def _domain(given: str) -> str:
    """A domain of ALLOWED_DOMAINS as canonical hosts are written; `*.` and a leading dot say nothing more."""
    try:
        return parse_url("https://" + given.removeprefix("*").removeprefix(".")).host
    except InvalidInput as wrong:
        raise ConfigError(
            f"ALLOWED_DOMAINS holds {given[:80]!r}, which is no domain.", field="ALLOWED_DOMAINS", action="inform_user"
        ) from wrong


class SsrfGuard:
    """Decides where a request may go."""

    def __init__(self, settings: Settings, *, resolve: Resolve = system_resolve) -> None:
        self._private = settings.allow_private_ips
        self._allowed = hostname_policy.Domains(_domain(given) for given in settings.allowed_domains)
        self._names = CachingResolver(resolve)

    def forget(self) -> None:
        """Resolve every name anew."""
        self._names.forget()

    def allows(self, host: str) -> bool:
        """Whether the operator's list of domains, if there is one, has this canonical host."""
        return not self._allowed or host in self._allowed

    async def check(self, url: str, base: str | None = None) -> ResolvedTarget:
        """Where the URL leads. Raises InvalidInput if it may not be fetched, Unreachable if its name is unknown."""
        at = parse_url(url, base)
        return ResolvedTarget(at, await self.reach(at.host, at.port))

    async def reach(self, host: str, port: int) -> tuple[str, ...]:
        """The checked addresses of a canonical host: all of them are fit to be reached, or InvalidInput is raised."""
        literal = LITERAL.fullmatch(host) or ":" in host
        if not literal and (wrong := hostname_policy.violation(host, self._private)):
            raise OffLimits(f"The URL names {wrong}, which is never fetched; give a public http or https URL.", wrong)
        if not self.allows(host):
            raise url_error("The URL's host is not among ALLOWED_DOMAINS; give a URL of an allowed domain.")
        found = [host] if literal else await self._names.addresses(host, port)
        for address in found:
            if wrong := ip_policy.fault(address, self._private):
                sentence = f"The URL leads to {wrong}, which is never fetched; give a public http or https URL."
                raise OffLimits(sentence, wrong)
        return tuple(found)
