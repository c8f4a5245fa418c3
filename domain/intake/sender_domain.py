"""Which domain a proved sender writes from, where its holder can write from any address."""

from functools import cache

from publicsuffixlist import PublicSuffixList

from domain.core.lexicon import LexiconFile, lexicon


class _Domains(LexiconFile):
    providers: frozenset[str]


@cache
def _providers() -> frozenset[str]:
    return lexicon(__file__, _Domains).providers


@cache
def _suffixes() -> PublicSuffixList:
    # Without the suffixes of companies: below some of those, names cost nothing.
    return PublicSuffixList(only_icann=True)


def own_domain(customer: str) -> str | None:
    """Return the registered domain of an address, without what its holder may put before it.

    None of a provider's, where an address belongs to somebody: there each is a sender of its own.
    `customer`: as `customer_key`.
    """
    name = customer.rpartition("@")[2].strip(".")
    registered: str = _suffixes().privatesuffix(name) or name
    if name in _providers():
        return None
    if registered not in _providers():
        return registered
    # A name below a provider's is one customer's, with all addresses at it.
    return ".".join(name.split(".")[-len(registered.split(".")) - 1 :])
