"""Sealing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.seal import FernetSealer, new_seal_key

SEALER = FernetSealer(new_seal_key())


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_unseals_what_it_sealed(text: str) -> None:
    sealed = SEALER.seal(text)

    assert SEALER.unseal(sealed) == text
    assert len(text) < 8 or text not in sealed


def test_another_key_cannot_read_it() -> None:
    with pytest.raises(ValueError, match="another key"):
        FernetSealer(new_seal_key()).unseal(SEALER.seal("x"))


def test_keys_are_rotated() -> None:
    old, new = new_seal_key(), new_seal_key()
    sealed = FernetSealer(old).seal("x")

    assert FernetSealer(f"{new},{old}").unseal(sealed) == "x"
    with pytest.raises(ValueError, match="another key"):
        FernetSealer(old).unseal(FernetSealer(f"{new},{old}").seal("x"))


def test_a_digest_needs_the_key() -> None:
    old, new = new_seal_key(), new_seal_key()
    (before,) = FernetSealer(old).digests("a@b.example")

    assert FernetSealer(f"{new},{old}").digests("a@b.example")[1:] == (before,)
    assert FernetSealer(new).digests("a@b.example") != (before,)
    assert FernetSealer(old).digests("a@c.example") != (before,)
