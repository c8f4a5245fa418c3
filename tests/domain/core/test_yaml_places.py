"""The positions of parts of a YAML document."""

import pytest

from domain.core.yaml_places import YamlPlace, place_of, yaml_places

TEXT = "version: 1\nplaybooks:\n  - name: A\n    actions:\n      refund: {level: x}\n"


def test_a_path_stands_where_its_key_does() -> None:
    places = yaml_places(TEXT)
    assert places["version"] == YamlPlace(1, 1)
    assert places["playbooks[0].actions.refund.level"] == YamlPlace(5, 16)


def test_what_is_missing_stands_at_the_part_around_it() -> None:
    places = yaml_places(TEXT)
    assert place_of("playbooks[0].actions.refund.limits.per_day", places) == YamlPlace(5, 7)
    assert place_of("other", places) == YamlPlace(1, 1)


@pytest.mark.parametrize("text", ["[" * 200_000, "&a [*a]", "a: &a 1\nb: *a"])
def test_what_would_end_the_process_is_not_read(text: str) -> None:
    assert yaml_places(text) == {}


def test_a_long_key_is_not_repeated_for_all_below_it() -> None:
    places = yaml_places(f"? {'k' * 1_000}\n: [{'1,' * 100}]\n")
    assert list(places) == [""]


def test_a_text_that_cannot_be_read_has_no_places() -> None:
    assert yaml_places("a: [") == {}
    assert yaml_places("") == {}
