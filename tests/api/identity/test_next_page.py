"""After sign-in, the user lands on one of our pages, whatever the link contained."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.dashboard.next_page import HOME, next_page


@pytest.mark.parametrize(
    "wanted",
    ["/app", "/app/sessions", "/app/x?y=1&z=%2F", "/authorize", "/authorize?a=b&c=https://x/y"],
)
def test_ours(wanted: str) -> None:
    assert next_page(wanted) == wanted


@pytest.mark.parametrize(
    "wanted",
    [
        None,
        "",
        "/",
        "/api/auth/signup",
        "/application",
        "/authorized",
        "https://evil.example/app",
        "//evil.example/app",
        "/\\evil.example",
        "/app//evil.example",
        "/app/\\evil.example",
        "/app/%5cevil.example",
        "\\app",
        "/app\n//evil.example",
        "/\tapp",
        " /app",
        "javascript:alert(1)",
        "/app/../../evil",
        "/app/%2e%2e/api",
        "/app/./x",
        "/app/é",
        "/app@evil.example",
        ".evil.example/app",
        "/app/" + "x" * 5000,
    ],
)
def test_not_ours(wanted: str | None) -> None:
    assert next_page(wanted) == HOME


@given(st.text(max_size=60) | st.builds("/app{}".format, st.text(max_size=40)))
def test_it_always_is_ours(wanted: str) -> None:
    page = next_page(wanted)

    assert page in ("/app", "/authorize") or page.startswith(("/app/", "/app?", "/authorize?"))
    assert "\\" not in page
    assert page.isascii()
