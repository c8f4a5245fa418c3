"""The names of browsers and systems."""

import pytest

from api.dashboard.devices import device_of

_WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        (
            f"Mozilla/5.0 (X11; Linux x86_64) {_WEBKIT} Chrome/126.0 Safari/537.36",
            ("Chrome", "Linux"),
        ),
        (
            f"Mozilla/5.0 (Windows NT 10.0) {_WEBKIT} Chrome/126.0 Safari/537.36 Edg/126.0",
            ("Edge", "Windows"),
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605 Version/17.5 Safari/605",
            ("Safari", "macOS"),
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605 Version/17.5 "
            "Mobile/15E148 Safari/604",
            ("Safari", "iPhone"),
        ),
        (
            "Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0",
            ("Firefox", "Android"),
        ),
        ("curl/8.5.0", None),
        ("", None),
    ],
)
def test_a_device_is_a_browser_and_a_system(agent: str, device: tuple[str, str] | None) -> None:
    assert device_of(agent) == device
