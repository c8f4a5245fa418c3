"""A widget as its client's members see it, and the secrets that are valid for signatures."""

from datetime import timedelta

import pytest

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.widget.widget import (
    Widget,
    WidgetChange,
    overlap_end,
    seal_widget_secret,
    snippet_of,
    summary_of,
    unseal_widget_secret,
)

NOW = utc_now()
KEY = "wk_" + "0" * 32
SITE = "https://support.example"


def test_both_secrets_sign_until_the_overlap_is_over() -> None:
    widget = Widget(sealed_secret="new", previous_sealed_secret="old", previous_secret_until=NOW)
    assert widget.sealed_secrets(NOW - timedelta(seconds=1)) == ("new", "old")
    assert widget.sealed_secrets(NOW) == ("new",)
    assert Widget().sealed_secrets(NOW) == ()


def test_an_overlap_of_no_hours_is_over_at_once() -> None:
    assert overlap_end(NOW, timedelta(0)) is None
    assert overlap_end(NOW, timedelta(hours=1)) == NOW + timedelta(hours=1)


def test_a_summary_tells_no_secret() -> None:
    later = NOW + timedelta(hours=1)
    widget = Widget(
        sealed_secret="SEALED",
        previous_sealed_secret="SEALED",
        previous_secret_until=later,
        previous_key="wk_" + "1" * 32,
        previous_key_until=later,
    )
    shown = summary_of(widget, KEY, origin=SITE, now=NOW)
    assert shown.snippet == f'<script src="{SITE}/widget.js" data-key="{KEY}" async></script>'
    assert (shown.has_secret, shown.previous_secret_until) == (True, later)
    assert shown.previous_key_until == later
    for secret in ("SEALED", "wk_1"):
        assert secret not in shown.model_dump_json()
        assert secret not in repr(widget).replace("previous_key='wk_1", "")

    over = summary_of(widget, None, origin=SITE, now=later)
    assert (over.previous_secret_until, over.previous_key_until, over.snippet) == (None, None, None)
    assert snippet_of(KEY, SITE) == shown.snippet


def test_a_change_holds_what_is_set_alone() -> None:
    assert WidgetChange().given == {}
    assert WidgetChange(hourly_messages=None).given == {"hourly_messages": None}


def test_a_sealed_secret_is_one_clients() -> None:
    sealer, mine, other = FernetSealer(new_seal_key()), new_ulid(), new_ulid()
    sealed = seal_widget_secret(sealer, mine, "wsec_a/b")
    assert unseal_widget_secret(sealer, mine, sealed) == "wsec_a/b"
    with pytest.raises(ValueError, match="another client"):
        unseal_widget_secret(sealer, other, sealed)
    with pytest.raises(ValueError):  # noqa: PT011 - the sealer's own words
        unseal_widget_secret(FernetSealer(new_seal_key()), mine, sealed)
