"""The sender's own domain. A domain's holder can write from any address in it."""

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
    # Private suffixes are excluded because anyone can register names below some of them for free.
    return PublicSuffixList(only_icann=True)


def own_domain(customer: str) -> str | None:
    """Return the registered domain of an address, without subdomains that its holder can choose.

    Return None at a mail provider, where each address is a separate sender. `customer` is a result
    of `customer_key`.
    """
    name = customer.rpartition("@")[2].strip(".")
    registered: str = _suffixes().privatesuffix(name) or name
    if name in _providers():
        return None
    if registered not in _providers():
        return registered
    # A subdomain of a provider belongs to one of the provider's customers, who controls all
    # addresses in it.
    return ".".join(name.split(".")[-len(registered.split(".")) - 1 :])
