"""The style guidance: its stored form, its limits and its lines in a prompt."""

import pytest

from domain.tenants.client_settings import ClientSettings, SettingsAdjustment, adjusted
from domain.tenants.errors import InvalidSettings
from domain.tenants.guidance import (
    MAX_GUIDANCE_CHARS,
    MAX_GUIDANCE_RULES,
    Guidance,
    check_guidance,
)

LONGEST = "x" * MAX_GUIDANCE_CHARS


def test_each_text_becomes_one_visible_line() -> None:
    given = Guidance(
        tone=" Warm\n and\u202e brief. ",
        do=("Say tu.", " Say\ttu. ", "Name\r\nDo:\u200b the product."),
        dont=("No emojis.",),
    )
    kept = check_guidance(given)
    assert kept == Guidance(
        tone="Warm and brief.",
        do=("Say tu.", "Name Do: the product."),
        dont=("No emojis.",),
    )
    assert check_guidance(kept) == kept


def test_the_longest_guidance_is_kept() -> None:
    rules = tuple(f"{number:0{MAX_GUIDANCE_CHARS}}" for number in range(MAX_GUIDANCE_RULES))
    longest = Guidance(tone=LONGEST, do=rules, dont=rules)
    assert check_guidance(longest) == longest


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (Guidance(tone=LONGEST + "x"), "guidance.tone: at most 300"),
        (Guidance(do=(LONGEST + "x",)), "guidance.do: rules of 1 to 300"),
        (Guidance(dont=(" \u200b",)), "guidance.dont: rules of 1 to 300"),
        (Guidance(dont=tuple(map(str, range(11)))), "guidance.dont: at most 10"),
        (Guidance(do=("Say tu.",) * 11), "guidance.do: at most 10"),
    ],
)
def test_what_breaks_a_limit_is_named(wrong: Guidance, named: str) -> None:
    with pytest.raises(InvalidSettings, match=named):
        check_guidance(wrong)


def test_lines_of_a_prompt() -> None:
    assert Guidance().lines == ()
    assert Guidance(tone="Warm.").lines == ("Tone: Warm.",)
    assert Guidance(do=("Say tu.",), dont=("No emojis.", "No slang.")).lines == (
        "Do:", "- Say tu.", "Do not:", "- No emojis.", "- No slang.",
    )  # fmt: skip


def test_an_adjustment_replaces_only_its_fields() -> None:
    there = ClientSettings(guidance=Guidance(tone="Warm.", do=("Say tu.",)))
    changed = adjusted(there, SettingsAdjustment(guidance={"do": (), "dont": ("No slang.",)}))
    assert changed.guidance == Guidance(tone="Warm.", dont=("No slang.",))
    assert adjusted(there, SettingsAdjustment(ask_rating=True)).guidance is None
