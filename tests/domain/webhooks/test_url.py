"""Permitted webhook URLs, and their stored form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.webhooks.errors import InvalidWebhook
from domain.webhooks.url import MAX_URL, check_url

STORED = {
    "https://hooks.shop.example": "https://hooks.shop.example/",
    "HTTPS://Hooks.Shop.Example:443/In?a=B": "https://hooks.shop.example/In?a=B",
    "https://hooks.shop.example.:8443/in": "https://hooks.shop.example:8443/in",
    "https://shop.example:1024/": "https://shop.example:1024/",
    "https://shop.example:65535/": "https://shop.example:65535/",
    "https://münchen.example/é?q=ü": "https://xn--mnchen-3ya.example/%C3%A9?q=%C3%BC",
    "https://ＳＨＯＰ。example/": "https://shop.example/",
    "https://a_b.r3---sn.example/%2F%zz": "https://a_b.r3---sn.example/%2F%zz",
    'https://shop.example/"<>|': "https://shop.example/%22%3C%3E%7C",
    "https://8.8.8.8/": "https://8.8.8.8/",
    "https://134744072/x": "https://8.8.8.8/x",
    "https://0x8.010.8.8/": "https://8.8.8.8/",
    "https://[2606:4700:0::1]:9000": "https://[2606:4700::1]:9000/",
    "https://[::ffff:8.8.8.8]/": "https://8.8.8.8/",
    "https://notlocal.lan.example/": "https://notlocal.lan.example/",
}
LOOPBACK = (
    "https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f000001/",
    "https://0x7F.1", "https://0177.0.0.1/", "https://017700000001/", "https://127.0.0.1./",
    "https://①②⑦.⓪.⓪.①/", "https://１２７.0.0.1/", "https://127。0。0。1/", "https://[::1]/",
    "https://[::ffff:7f00:1]/", "https://[0:0:0:0:0:ffff:127.0.0.1]/",
)  # fmt: skip
OF_THIS_NETWORK = (
    "https://localhost/", "https://LOCALHOST./", "https://a.localhost/", "https://printer.local/",
    "https://db.internal/", "https://nas.home.arpa/", "https://router.lan/", "https://intranet/",
    "https://ｌocalhost/", "https://10.0.0.1/", "https://[fd12::1]/", "https://100.64.0.1/",
)  # fmt: skip
NEVER = (
    "", "shop.example", "http://shop.example/", "ftp://shop.example/", "https:shop.example",
    "https:///in", "https://:443/", "//shop.example/", "javascript:alert(1)",
    "https://user@shop.example/", "https://user:secret@shop.example/", "https://@shop.example/",
    "https://shop.example@127.0.0.1/", "https://shop.example/#part", "https://shop.example/#",
    "https://shop.example:80/", "https://shop.example:25/", "https://shop.example:22/",
    "https://shop.example:0/", "https://shop.example:65536/", "https://shop.example:x/",
    "https://shop.example:８４４３/", "https://shop.example:-1/", "https://shop.example:1023/",
    " https://shop.example/", "https://shop.example/ ", "https://shop.example/a b",
    "https://shop.example/\n", "https://shop.example/\x00", "https://sh\top.example/",
    "https://shop.example\\@127.0.0.1/", "https://shop.example/\u2028", "https://sh\u00adop.example/",
    "https://shop..example/", "https://.shop.example/", "https://-shop.example/",
    "https://sh%6Fp.example/", "https://127%2e0.0.1/", "https://shop,example/",
    f"https://{'a' * 64}.example/", f"https://{'a.' * 127}example/", "https://[::1/", "https://::1/",
    "https://[::g]/", "https://[v1.a]/", "https://[127.0.0.1]/", "https://1.2.3.4.5/",
    "https://256.1.1.1/", "https://4294967296/", "https://08.1.1.1/", "https://x.1.1.1/",
    "https://1_0.0.0.1/", "https://shop.1/", "https://shop.0x1f/", "https://٣.example/",
    "https://169.254.169.254/latest/", "https://2852039166/", "https://0xa9fea9fe/",
    "https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/",
    "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://[::127.0.0.1]/",
    "https://0/", "https://0.0.0.0/", "https://[::]/", "https://224.0.0.1/", "https://[ff02::1]/",
    "https://192.0.2.1/", "https://168.63.129.16/", "https://[fd00:ec2::254]/",
)  # fmt: skip


@pytest.mark.parametrize(("url", "stored"), STORED.items())
def test_a_url_is_stored_as_it_is_dialled(url: str, stored: str) -> None:
    assert check_url(url, False) == stored
    assert check_url(stored, False) == stored


@pytest.mark.parametrize("url", LOOPBACK)
def test_this_machine_in_disguise_is_seen(url: str) -> None:
    with pytest.raises(InvalidWebhook):
        check_url(url, False)
    assert check_url(url, True) in {"https://127.0.0.1/", "https://[::1]/"}


@pytest.mark.parametrize("url", OF_THIS_NETWORK)
def test_a_private_network_needs_the_setting(url: str) -> None:
    with pytest.raises(InvalidWebhook):
        check_url(url, False)
    check_url(url, True)


@pytest.mark.parametrize("url", NEVER)
def test_what_no_setting_allows(url: str) -> None:
    for private in (False, True):
        with pytest.raises(InvalidWebhook) as error:
            check_url(url, private)
        assert error.value.reason.startswith("url : ")


def test_the_length_counts_before_and_after() -> None:
    start = "https://shop.example/"
    check_url(start + "a" * (MAX_URL - len(start)), False)
    with pytest.raises(InvalidWebhook):
        check_url(start + "a" * (MAX_URL - len(start) + 1), False)
    with pytest.raises(InvalidWebhook):
        check_url(start + "é" * 1000, False)


@given(st.text(max_size=60), st.text(max_size=60), st.booleans())
def test_whatever_comes_is_refused_or_stored_for_good(host: str, rest: str, private: bool) -> None:
    try:
        stored = check_url(f"https://{host}/{rest}", private)
    except InvalidWebhook:
        return
    assert stored.isascii()
    assert stored.startswith("https://")
    assert check_url(stored, private) == stored
