"""Redirect URIs: what can be registered, and what matches a registered one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.identity.errors import OAuthError, OAuthRefused
from domain.identity.redirect_uri import LOOPBACK, MAX_URI, is_registered, redirect_uri

REGISTERED = (
    "https://app.example/callback",
    "https://app.example/with?keep=1",
    "http://127.0.0.1:3000/callback",
    "http://localhost/callback",
    "com.example.app:/callback",
)
ACCEPTED = (
    *REGISTERED,
    "https://app.example",
    "https://app.example:8443/a/b-c_d.e~f/%20?x=y&z",
    "https://192.0.2.1/cb",
    "http://[::1]:61023/cb",
    "com.example.app://cb",
)
REFUSED = (
    "",
    "https://",
    "https:///callback",
    "//app.example/callback",
    "/callback",
    "app.example/callback",
    "http://app.example/callback",
    "http://127.0.0.1.app.example/callback",
    "http://127.0.0.1@app.example/callback",
    "http://127.1/callback",
    "http://2130706433/callback",
    "http://localhost.app.example/",
    "http://localhost.:80/cb",
    "https://user@app.example/callback",
    "https://user:pw@app.example/callback",
    "https://app.example/callback#fragment",
    "https://app.example/callback#",
    "https://app.example\\@evil.example/callback",
    "https://app.example/call back",
    "https://app.example/callback\n",
    " https://app.example/callback",
    "https://app.example/callback\0",
    "https://app.example:0/callback",
    "https://app.example:99999/callback",
    "https://app.example:/callback",
    "https://app.example;script-src x/callback",
    "https://\u0430pp.example/callback",
    "https://app%2eexample/callback",
    "https://app.example/ca\u202ellback",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "myapp://callback",
    "vbscript:x",
    "HTTPS://app.example/callback",
    "https://app.example/" + "a" * MAX_URI,
)
# What an attacker requests instead of the registered URI.
TRICKS = (
    "https://app.example/callback/",
    "https://app.example/callback?x=1",
    "https://app.example/callback/../evil",
    "https://app.example/callbackevil",
    "https://app.example/Callback",
    "https://App.example/callback",
    "https://app.example:443/callback",
    "https://app.example:8443/callback",
    "https://app.example.evil.example/callback",
    "https://evil.example/callback",
    "https://evil.example/app.example/callback",
    "https://evil.example?https://app.example/callback",
    "https://sub.app.example/callback",
    "https://app.example",
    "https://app.example/with",
    "https://app.example/with?keep=2",
    "https://app.example/with?keep=1&more=2",
    "https://app.example/%63allback",
    "http://app.example/callback",
    "http://127.0.0.1:3000/other",
    "http://127.0.0.1:3000/callback/",
    "http://127.0.0.2:3000/callback",
    "http://localhost:3000/callback?x",
    "http://[::1]:3000/callback",
    "https://127.0.0.1:3000/callback",
    "https://localhost/callback",
    "com.example.app:/callback2",
    "com.example.app2:/callback",
    "com.example.app://callback",
    "http://localhost:70000/callback",
)


@pytest.mark.parametrize("uri", ACCEPTED)
def test_accepted(uri: str) -> None:
    assert redirect_uri(uri).text == uri


@pytest.mark.parametrize("uri", REFUSED)
def test_refused(uri: str) -> None:
    with pytest.raises(OAuthRefused) as refused:
        redirect_uri(uri)
    assert refused.value.error is OAuthError.INVALID_REDIRECT_URI


@pytest.mark.parametrize("uri", TRICKS)
def test_a_trick_is_not_registered(uri: str) -> None:
    try:
        presented = redirect_uri(uri)
    except OAuthRefused:
        return
    assert not is_registered(presented, REGISTERED)


def test_there_are_thirty_tricks() -> None:
    assert len(set(TRICKS)) == 30


@pytest.mark.parametrize("uri", REGISTERED)
def test_to_the_letter_it_is(uri: str) -> None:
    assert is_registered(redirect_uri(uri), REGISTERED)


@pytest.mark.parametrize("port", ["", ":1", ":49152", ":65535"])
def test_on_loopback_the_port_may_differ(port: str) -> None:
    assert is_registered(redirect_uri(f"http://127.0.0.1{port}/callback"), REGISTERED)
    assert is_registered(redirect_uri(f"http://localhost{port}/callback"), REGISTERED)


paths = st.text("abc/.%20~", max_size=8).map(lambda text: f"/{text}")
ports = st.integers(1, 65_535).map(lambda port: f":{port}") | st.just("")
uris = st.builds(
    "{}://{}{}{}".format,
    st.just("https"),
    st.sampled_from(["a.example", "b.example", "127.0.0.1", "localhost"]),
    ports,
    paths,
) | st.builds("http://{}{}{}".format, st.sampled_from(LOOPBACK), ports, paths)


@given(uris, uris)
def test_one_that_is_registered_leads_to_the_same_place(one: str, other: str) -> None:
    """Same scheme, host, path and port; the port may differ only on the user's own machine."""
    presented, registered = redirect_uri(one), redirect_uri(other)
    same = (presented.scheme, presented.host, presented.rest) == (
        registered.scheme,
        registered.host,
        registered.rest,
    )
    expected = same and (presented.port == registered.port or presented.scheme == "http")
    assert is_registered(presented, [other]) == expected
    assert is_registered(presented, [one])


@given(st.text(max_size=60) | uris)
def test_what_is_accepted_fits_into_a_policy_and_a_header(text: str) -> None:
    try:
        uri = redirect_uri(text)
    except OAuthRefused:
        return
    assert text.isascii()
    assert text.isprintable()
    assert not {";", ",", "'", '"', " "} & {*uri.form_source}


@pytest.mark.parametrize(
    ("uri", "source", "shown"),
    [
        ("https://App.example:8443/cb", "https://app.example:8443", "app.example:8443"),
        ("http://127.0.0.1:5/cb", "http://127.0.0.1:5", "127.0.0.1:5"),
        ("http://[::1]:5/cb", "http:", "[::1]:5"),
        ("com.example.app:/cb", "com.example.app:", "com.example.app:"),
    ],
)
def test_what_pages_say_of_it(uri: str, source: str, shown: str) -> None:
    assert (redirect_uri(uri).form_source, redirect_uri(uri).shown) == (source, shown)


def test_the_answer_keeps_its_query() -> None:
    answer = redirect_uri("https://app.example/with?keep=1").with_answer(code="c/", state=None)
    assert answer == "https://app.example/with?keep=1&code=c%2F"
    assert redirect_uri("com.example.app:/cb").with_answer(a="1") == "com.example.app:/cb?a=1"
