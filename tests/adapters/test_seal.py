"""Sealing of secrets."""

import zlib

import pytest
from cryptography.fernet import Fernet
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


def test_a_long_text_is_compressed() -> None:
    text = "<p>Où est ma commande ?</p>" * 1_000

    sealed = SEALER.seal(text)

    assert len(sealed) < len(text) / 50
    assert SEALER.unseal(sealed) == text


@pytest.mark.parametrize("text", ["\0", "\0x" * 2_000, "x" * 511, "x" * 512, "é" * 600])
def test_a_text_is_itself_however_it_begins_and_however_long_it_is(text: str) -> None:
    assert SEALER.unseal(SEALER.seal(text)) == text


def test_what_an_earlier_version_sealed_is_read() -> None:
    key, text = new_seal_key(), "x" * 10_000
    assert FernetSealer(key).unseal(Fernet(key).encrypt(text.encode()).decode()) == text


def test_a_bomb_is_not_unpacked() -> None:
    key = new_seal_key()
    for bomb in (zlib.compress(bytes(4 * 1024 * 1024 + 1)), zlib.compress(b"x" * 600)[:-4]):
        with pytest.raises(ValueError, match="4 MiB"):
            FernetSealer(key).unseal(Fernet(key).encrypt(b"\0" + bomb).decode())


def test_a_digest_needs_the_key() -> None:
    old, new = new_seal_key(), new_seal_key()
    (before,) = FernetSealer(old).digests("a@b.example")

    assert FernetSealer(f"{new},{old}").digests("a@b.example")[1:] == (before,)
    assert FernetSealer(new).digests("a@b.example") != (before,)
    assert FernetSealer(old).digests("a@c.example") != (before,)
