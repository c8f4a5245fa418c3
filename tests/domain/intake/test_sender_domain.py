"""The domain under which a verified sender is counted."""

import pytest

from domain.intake.sender_domain import own_domain


@pytest.mark.parametrize(
    ("customer", "domain"),
    [
        ("a@shop.example", "shop.example"),
        ("a@one.of.many.shop.example", "shop.example"),
        ("a@b.shop.co.uk", "shop.co.uk"),
        # Anyone can register many names below these.
        ("a@some.duckdns.org", "duckdns.org"),
        ("é@münchen.de", "münchen.de"),
        ("a@shop.example.", "shop.example"),
        ("a@localhost", "localhost"),
        ("a@co.uk", "co.uk"),
        ("nothing", "nothing"),
        ("", ""),
        # A provider's customer has all addresses at such a name.
        ("a@me.fastmail.com", "me.fastmail.com"),
        ("a@any.me.fastmail.com", "me.fastmail.com"),
        # Relays give one person any number of addresses.
        ("a1@mozmail.com", "mozmail.com"),
    ],
)
def test_an_own_domain_is_one_sender(customer: str, domain: str) -> None:
    assert own_domain(customer) == domain


@pytest.mark.parametrize("provider", ["gmail.com", "orange.fr", "marketplace.amazon.fr"])
def test_each_address_of_a_provider_is_a_sender(provider: str) -> None:
    assert own_domain(f"a@{provider}") is None
