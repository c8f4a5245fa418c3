"""The breaker: examples. The tests control the clock."""

import pytest

from domain.webhooks.breaker import (
    FRESH_S,
    KEPT_S,
    PROBE_S,
    Breaker,
    connected,
    domain_of,
    name_found,
)
from domain.webhooks.delivery import DeliveryAttempt, FailureKind

PUBLIC = "93.184.216.34"


def heard(breaker: Breaker, client: int, now: float = 0, *, reached: bool = False) -> None:
    breaker.heard(f"client {client}", f"shop{client}.example", now, reached=reached)


def opened(clients: int = 5, now: float = 0) -> Breaker:
    breaker = Breaker()
    for client in range(clients):
        heard(breaker, client, now)
    return breaker


def test_five_clients_with_five_domains_open_it_and_four_do_not() -> None:
    assert not opened(4).is_open(0)
    assert opened(5).is_open(0)


def test_one_client_with_many_dead_receivers_has_one_voice() -> None:
    breaker = Breaker()
    for number in range(1000):
        breaker.heard("client", f"dead{number}.example", 0, reached=False)
    assert not breaker.is_open(0)


def test_many_clients_with_one_dead_domain_have_one_voice() -> None:
    breaker = Breaker()
    for number in range(1000):
        breaker.heard(f"client {number}", "platform.example", 0, reached=False)
    assert not breaker.is_open(0)


def test_a_fifth_that_is_reached_keeps_it_closed() -> None:
    breaker = Breaker()
    for client in range(3):
        heard(breaker, client, reached=True)
    for client in range(3, 10):
        heard(breaker, client)
    assert not breaker.is_open(0)
    heard(breaker, 2)
    assert breaker.is_open(0)


def test_an_outage_of_ours_is_seen_after_ten_clients_at_most() -> None:
    """However many were reached just before."""
    breaker = Breaker()
    for client in range(500):
        heard(breaker, client, reached=True)
    for client in range(8):
        assert not breaker.is_open(1)
        heard(breaker, client, 1)
    assert breaker.is_open(1)


def test_failures_of_long_ago_do_not_open_it() -> None:
    breaker = opened(4)
    heard(breaker, 4, FRESH_S + 1)
    assert not breaker.is_open(FRESH_S + 1)


def test_open_it_stays_open_until_those_that_wait_have_come_back() -> None:
    breaker = opened()
    assert breaker.is_open(KEPT_S)
    assert not breaker.is_open(KEPT_S + 1)


def test_it_closes_when_two_of_nine_are_reached() -> None:
    breaker = opened(9)
    heard(breaker, 0, 20, reached=True)
    assert breaker.is_open(20)
    heard(breaker, 1, 20, reached=True)
    assert not breaker.is_open(20)


def test_open_it_holds_up_nobody_whose_receivers_are_reached() -> None:
    breaker = opened()
    assert breaker.lets_through("somebody new", 1)
    breaker.heard("somebody new", "new.example", 1, reached=True)
    assert breaker.is_open(1)
    assert all(breaker.lets_through("somebody new", 1) for _ in range(100))


def test_open_it_lets_one_probe_of_each_failing_client_through() -> None:
    breaker = opened()
    assert not breaker.lets_through("client 0", PROBE_S - 1)
    assert [breaker.lets_through("client 0", PROBE_S) for _ in range(3)] == [True, False, False]
    assert breaker.lets_through("client 1", PROBE_S)
    assert breaker.lets_through("client 0", 2 * PROBE_S)


def test_a_canary_that_is_lost_opens_it_at_once_and_one_that_lives_closes_it() -> None:
    breaker = Breaker()
    breaker.canary(0, lives=False)
    assert breaker.is_open(0)
    breaker.canary(1, lives=True)
    assert not breaker.is_open(1)


def test_a_name_that_is_found_is_as_good_as_the_canary() -> None:
    breaker = Breaker()
    breaker.canary(0, lives=False)
    heard(breaker, 0, 1, reached=True)
    assert not breaker.is_open(1)


def test_a_canary_that_is_not_asked_again_is_forgotten() -> None:
    breaker = Breaker()
    breaker.canary(0, lives=False)
    assert breaker.is_open(KEPT_S)
    assert not breaker.is_open(KEPT_S + 1)


@pytest.mark.parametrize(
    ("attempt", "names", "network"),
    [
        (DeliveryAttempt(FailureKind.DNS, 3), False, None),
        (DeliveryAttempt(None, 3, dns_ms=1, connect_ms=2, remote_ip=PUBLIC), True, True),
        (DeliveryAttempt(FailureKind.TLS, 3, dns_ms=1, connect_ms=2, remote_ip=PUBLIC), True, True),
        (DeliveryAttempt(FailureKind.CONNECT, 3, dns_ms=1, remote_ip=PUBLIC), True, False),
        (DeliveryAttempt(FailureKind.TIMEOUT, 3, dns_ms=1, remote_ip=PUBLIC), True, False),
        (
            DeliveryAttempt(FailureKind.TIMEOUT, 3, connect_ms=2, remote_ip=PUBLIC),
            None,
            True,
        ),
        # An address in our own network says nothing about the connection to the Internet.
        (DeliveryAttempt(None, 3, connect_ms=2, remote_ip="10.0.0.1"), None, None),
        (DeliveryAttempt(FailureKind.CONNECT, 3, remote_ip="127.0.0.1"), None, None),
        (DeliveryAttempt(FailureKind.BLOCKED_ADDRESS, 3), None, None),
        (DeliveryAttempt(FailureKind.BLOCKED_ADDRESS, 3, dns_ms=1), True, None),
    ],
)
def test_what_a_post_says_of_the_parts(
    attempt: DeliveryAttempt, names: bool | None, network: bool | None
) -> None:
    assert (name_found(attempt), connected(attempt)) == (names, network)


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("hooks.shop.example", "shop.example"),
        ("a.b.Hooks.Shop.Example.", "shop.example"),
        ("shop.example", "shop.example"),
        ("localhost", "localhost"),
        ("hooks.shop.co.uk", "shop.co.uk"),
        ("hooks.abc.fr", "hooks.abc.fr"),
        ("93.184.216.34", "93.184.216.0/24"),
        ("2001:db8:1:2::3", "2001:db8:1::/48"),
    ],
)
def test_whose_a_host_is(host: str, domain: str) -> None:
    assert domain_of(host) == domain
