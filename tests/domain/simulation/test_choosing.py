"""Which playbook handles a simulated message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.playbook import Playbook, PlaybookEntry, PlaybookSpec, match
from domain.simulation.choosing import playbook_for
from domain.simulation.outcome import UsedPlaybook
from domain.simulation.variant import LIVE, DraftedPlaybook, Variant

_STRICT = Rulebook(actions={ActionKind.REPLY: ActionRule(level=ActionLevel.HUMAN_APPROVED)})


def _entry(name: str, pattern: str, *, active: bool = True) -> PlaybookEntry:
    playbook = Playbook(id=name, version=3, name=name, event_type=pattern, threshold=0.6)
    return PlaybookEntry(playbook=playbook, is_active=active, rulebook=Rulebook())


_ALL = _entry("all", "*")
_SHOP = _entry("shop", "shopify.*")
_OFF = _entry("off", "api_direct", active=False)
_ENTRIES = (_ALL, _SHOP, _OFF)
_DRAFT = PlaybookSpec(
    name="Try", event_type="shopify.*", threshold=0.9, active=False, rulebook=_STRICT
)
_PATTERNS = st.sampled_from(["*", "a.*", "a.b.*", "a.b", "api_direct"])


@given(st.lists(st.tuples(_PATTERNS, st.booleans()), max_size=6), _PATTERNS)
def test_without_a_variant_it_is_the_one_that_admission_takes(
    given: list[tuple[str, bool]], event_type: str
) -> None:
    entries = [_entry(f"p{i}", pattern, active=on) for i, (pattern, on) in enumerate(given)]
    live = match((one.playbook for one in entries if one.is_active), event_type)

    chosen = playbook_for(entries, event_type, LIVE)

    assert (chosen and chosen[0].id) == (live and live.id)


def test_a_threshold_is_tried_on_the_playbook_that_wins() -> None:
    chosen = playbook_for(_ENTRIES, "shopify.message", Variant(threshold=0.95))

    used = UsedPlaybook(id="shop", version=3, name="shop", threshold=0.95)
    assert chosen == (used, Rulebook())


def test_a_named_playbook_takes_every_type_even_while_it_is_off() -> None:
    chosen = playbook_for(_ENTRIES, "shopify.message", Variant(playbook_id="off"))

    assert chosen is not None
    assert chosen[0].id == "off"


def test_a_draft_stands_for_its_playbook_and_counts_as_active() -> None:
    draft = _DRAFT.model_copy(update={"event_type": "api_direct"})
    variant = Variant(playbook_id="off", draft=draft)

    chosen = playbook_for(_ENTRIES, "api_direct", variant)

    used = UsedPlaybook(id="off", version=None, name="Try", threshold=0.9, is_draft=True)
    assert chosen == (used, _STRICT)


def test_what_a_draft_gives_up_falls_to_the_others() -> None:
    draft = _DRAFT.model_copy(update={"event_type": "email.*"})

    chosen = playbook_for(_ENTRIES, "shopify.x", Variant(playbook_id="shop", draft=draft))

    assert chosen is not None
    assert (chosen[0].id, chosen[0].is_draft) == ("all", False)


def test_several_drafts_stand_for_their_playbooks() -> None:
    wide = _DRAFT.model_copy(update={"name": "Wide", "event_type": "*"})
    other = DraftedPlaybook(playbook_id="all", draft=wide)
    variant = Variant(playbook_id="off", draft=_DRAFT, others=(other,))

    chosen = playbook_for(_ENTRIES, "email.x", variant)

    used = UsedPlaybook(id="all", version=None, name="Wide", threshold=0.9, is_draft=True)
    assert chosen == (used, _STRICT)
    assert variant.draft_of("off") == _DRAFT
    assert variant.draft_of("shop") is None
    nowhere = DraftedPlaybook(playbook_id="else", draft=wide)
    unknown = variant.model_copy(update={"others": (other, nowhere)})
    with pytest.raises(PlaybookNotFound):
        playbook_for(_ENTRIES, "email.x", unknown)


def test_a_new_draft_is_the_youngest() -> None:
    """The older of two matching playbooks applies."""
    chosen = playbook_for(_ENTRIES, "shopify.x", Variant(draft=_DRAFT))
    exact = _DRAFT.model_copy(update={"event_type": "shopify.x"})
    won = playbook_for(_ENTRIES, "shopify.x", Variant(draft=exact))

    assert chosen is not None
    assert won is not None
    assert chosen[0].id == "shop"
    assert (won[0].id, won[0].version, won[0].is_draft) == (None, None, True)


def test_no_playbook_and_an_unknown_one() -> None:
    assert playbook_for((_SHOP,), "api_direct", LIVE) is None
    for variant in (Variant(playbook_id="else"), Variant(playbook_id="else", draft=_DRAFT)):
        with pytest.raises(PlaybookNotFound):
            playbook_for(_ENTRIES, "api_direct", variant)
