"""The objects of an audit entry, as shown on the page of the audit log."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from domain.audit.entry import AuditEntry
from domain.core.ids import ULID

_PAGES: Final = {
    "case_id": "/app/simulator/cases/",
    "case_run_id": "/app/simulator/runs/",
    "conversation_id": "/app/conversations/",
    "correction_id": "/app/corrections/",
    "integration_id": "/app/integrations/",
    "key_id": "/app/keys/",
    "knowledge_id": "/app/knowledge/",
    "playbook_id": "/app/playbooks/",
    "replay_id": "/app/replays/",
    "review_id": "/app/reviews/",
    "run_id": "/app/runs/",
    "template_id": "/app/templates/",
    "webhook_id": "/app/webhooks/",
}
"""The pages of records, by the name of the id in an audit entry."""


@dataclass(frozen=True, slots=True)
class AuditedObject:
    """An object of an audit entry. `name` is the key of its label, and `text` the label without a
    key. `value` is not an id, such as a role. `href` is the object's page, if any."""

    name: str
    text: str
    value: str
    href: str


def audited_actor(entry: AuditEntry, people: Mapping[str, str]) -> str:
    """Return the actor's address or name, or an empty string if only an id is known. `people`:
    members' addresses by user id."""
    is_id = re.fullmatch(ULID, entry.actor) is not None or entry.actor.startswith("sha256:")
    return people.get(entry.actor, "" if is_id else entry.actor)


def audited_objects(
    entry: AuditEntry, people: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[AuditedObject]:
    """Yield the objects of an entry. Their ids are only in links, `export` and the API. `people`
    maps user ids to addresses, and `names` maps record ids to names."""
    is_gone = entry.what.endswith(("deleted", "revoked", "disconnected"))
    for name, value in entry.ids.items():
        is_id = re.fullmatch(ULID, value) is not None
        named = people.get(value) or names.get(value)
        shown = named or ("" if is_id else value.replace("_", " "))
        page = _PAGES.get(name) if is_id and not is_gone else None
        label = name.removesuffix("_id").replace("_", " ").capitalize()
        yield AuditedObject(name, label, shown, f"{page}{value}" if page else "")
