"""Select the playbook for a simulated message from the client's playbooks and the variant's
playbook."""

from collections.abc import Iterator, Sequence
from typing import Final

from domain.agent.rulebook import Rulebook
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.playbook import Playbook, PlaybookEntry, PlaybookSpec, match
from domain.simulation.outcome import UsedPlaybook
from domain.simulation.variant import Variant

_NEW: Final = ""
"""The placeholder id for a draft of a new playbook. No stored playbook has this id."""


def playbook_for(
    entries: Sequence[PlaybookEntry], event_type: str, variant: Variant
) -> tuple[UsedPlaybook, Rulebook] | None:
    """Return the playbook for an event type, with its rules, or None if none handles it.

    `entries` are oldest first. `variant.playbook_id` handles every event type, in `variant.version`
    if set. A draft is active, and replaces that playbook or is added as the newest. Raises
    PlaybookNotFound.
    """
    tried = _with_draft(entries, variant)
    if variant.playbook_id is not None and variant.draft is None:
        chosen: Playbook | None = _entry(tried, variant.playbook_id).playbook
    else:
        chosen = match((one.playbook for one in tried if one.is_active), event_type)
    if chosen is None:
        return None
    is_draft = variant.draft_of(chosen.id or None) is not None
    used = UsedPlaybook(
        id=chosen.id or None,
        version=None if is_draft else chosen.version,
        name=chosen.name,
        threshold=chosen.threshold if variant.threshold is None else variant.threshold,
        is_draft=is_draft,
    )
    return used, _entry(tried, chosen.id).rulebook


def _with_draft(entries: Sequence[PlaybookEntry], variant: Variant) -> Sequence[PlaybookEntry]:
    for playbook_id in _replaced(variant):
        _entry(entries, playbook_id)
    tried = [
        one
        if (draft := variant.draft_of(one.playbook.id)) is None
        else _as_entry(draft, one.playbook.id, one.playbook.version)
        for one in entries
    ]
    if variant.draft is not None and variant.playbook_id is None:
        tried.append(_as_entry(variant.draft, _NEW, 0))
    return tried


def _replaced(variant: Variant) -> Iterator[str]:
    """Yield the ids of the stored playbooks that the variant's drafts replace."""
    if variant.draft is not None and variant.playbook_id is not None:
        yield variant.playbook_id
    yield from (one.playbook_id for one in variant.others)


def _as_entry(draft: PlaybookSpec, playbook_id: str, version: int) -> PlaybookEntry:
    playbook = Playbook(
        id=playbook_id,
        version=version,
        name=draft.name,
        event_type=draft.event_type,
        threshold=draft.threshold,
    )
    return PlaybookEntry(playbook=playbook, is_active=True, rulebook=draft.rulebook)


def _entry(entries: Sequence[PlaybookEntry], playbook_id: str) -> PlaybookEntry:
    for one in entries:
        if one.playbook.id == playbook_id:
            return one
    raise PlaybookNotFound(playbook_id)
