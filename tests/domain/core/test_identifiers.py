"""ULIDs and API keys."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ulid import ULID

from domain.core.ids import parse_ulid
from domain.tenants.api_key import key_material, key_value


@given(st.binary(min_size=16, max_size=16))
def test_every_ulid_is_read_in_either_case(raw: bytes) -> None:
    text = str(ULID(raw))

    assert parse_ulid(text) == parse_ulid(text.lower()) == text


@pytest.mark.parametrize(
    "text", ["", "8" + "0" * 25, "0" * 25, "0" * 27, "0" * 26 + "\n", "0" * 25 + "U", "０" * 26]
)
def test_what_is_no_ulid(text: str) -> None:
    assert parse_ulid(text) is None


@given(st.binary(min_size=16, max_size=16))
def test_key_has_the_specified_shape(raw: bytes) -> None:
    key = key_value(raw)
    material = key_material(key)

    assert key == f"ak_{raw.hex()}"
    assert len(key) == 35
    assert material is not None
    assert material.digest == hashlib.sha256(key.encode()).digest()
    assert (len(material.prefix), key.startswith(material.prefix)) == (8, True)


def test_mcp_key_is_a_key() -> None:
    key = "mcp_" + "0123456789abcdef" * 2
    material = key_material(key)

    assert material is not None
    assert material.digest == hashlib.sha256(key.encode()).digest()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ak_",
        "mcp_" + "0" * 31,
        "mpc_" + "0" * 32,
        "ak_" + "0" * 31,
        "ak_" + "0" * 33,
        "ak_" + "A" * 32,
        "ak_" + "0" * 32 + "\n",
    ],
)
def test_what_is_no_key(text: str) -> None:
    assert key_material(text) is None


def test_key_needs_sixteen_bytes() -> None:
    with pytest.raises(ValueError, match="16 random bytes"):
        key_value(b"short")
