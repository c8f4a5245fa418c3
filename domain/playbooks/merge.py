"""Compare a client's playbooks with imported playbooks. A playbook is identified by its name."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ActionKind
from domain.core.ports import NewId
from domain.playbooks.errors import PlaybookNameTaken
from domain.playbooks.playbook import Playbook, PlaybookEntry, PlaybookSpec


class ImportOutcome(StrEnum):
    """The effect of an import on one playbook. `changed`: it has a new version. `switched`: only
    its active state changed."""

    CREATED = "created"
    CHANGED = "changed"
    SWITCHED = "switched"
    UNCHANGED = "unchanged"


class PlaybookChange(BaseModel):
    """One playbook after a change, with the fields affected by the change.

    `fields` are the changed fields, by their names in the playbook file ("threshold",
    "actions.refund"), or empty for a new playbook.
    """

    model_config = ConfigDict(frozen=True)

    outcome: ImportOutcome
    entry: PlaybookEntry
    fields: tuple[str, ...] = ()


def compare(
    entries: Iterable[PlaybookEntry], specs: Sequence[PlaybookSpec], new_id: NewId
) -> tuple[PlaybookChange, ...]:
    """Return the changes that make the client's playbooks match `specs`. Other playbooks stay
    unchanged. Raises PlaybookNameTaken for an ambiguous name."""
    known: dict[str, list[PlaybookEntry]] = {}
    for entry in entries:
        known.setdefault(entry.playbook.name, []).append(entry)
    counts = Counter(spec.name for spec in specs)
    for spec in specs:
        if counts[spec.name] > 1 or len(known.get(spec.name, ())) > 1:
            raise PlaybookNameTaken(spec.name, "more than one")
    return tuple(_change(known.get(spec.name), spec, new_id) for spec in specs)


def change_of(before: PlaybookEntry, spec: PlaybookSpec) -> PlaybookChange:
    """Return the change that makes one playbook match `spec`, including its name."""
    if before.spec == spec:
        return PlaybookChange(outcome=ImportOutcome.UNCHANGED, entry=before)
    playbook_id, version = before.playbook.id, before.playbook.version
    fields = tuple(differences(before.spec, spec))
    if fields == ("active",):
        entry = as_entry(spec, playbook_id, version)
        return PlaybookChange(outcome=ImportOutcome.SWITCHED, entry=entry, fields=fields)
    entry = as_entry(spec, playbook_id, version + 1)
    return PlaybookChange(outcome=ImportOutcome.CHANGED, entry=entry, fields=fields)


def _change(found: list[PlaybookEntry] | None, spec: PlaybookSpec, new_id: NewId) -> PlaybookChange:
    if not found:
        return PlaybookChange(outcome=ImportOutcome.CREATED, entry=as_entry(spec, new_id(), 1))
    (before,) = found
    return change_of(before, spec)


def differences(before: PlaybookSpec, after: PlaybookSpec) -> Iterator[str]:
    """Yield the names of the fields in which two specs differ. An explicit default differs from an
    omitted rule."""
    old, new = before.rulebook, after.rulebook
    pairs = {
        "name": (before.name, after.name),
        "event_type": (before.event_type, after.event_type),
        "threshold": (before.threshold, after.threshold),
        "active": (before.active, after.active),
        "mode": (old.shadow, new.shadow),
        "instructions": (old.instructions, new.instructions),
        "procedure": (old.procedure, new.procedure),
        "during_review": (old.during_review, new.during_review),
    }
    yield from (name for name, (was, will_be) in pairs.items() if was != will_be)
    for kind in ActionKind:
        if old.actions.get(kind) != new.actions.get(kind):
            yield f"actions.{kind}"


def as_entry(spec: PlaybookSpec, playbook_id: str, version: int) -> PlaybookEntry:
    """Return the playbook resulting from the spec, with the given id and version."""
    playbook = Playbook(
        id=playbook_id,
        version=version,
        name=spec.name,
        event_type=spec.event_type,
        threshold=spec.threshold,
    )
    return PlaybookEntry(playbook=playbook, is_active=spec.active, rulebook=spec.rulebook)
