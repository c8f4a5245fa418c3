"""The objects of an audit entry, as shown on the page of the audit log."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from domain.audit.entry import AuditEntry
from domain.core.ids import ULID
from domain.tenants.actor import is_operator

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


OPERATOR: Final = "operator"
"""The key of the text that replaces an operator's login."""


def audited_actor(entry: AuditEntry, people: Mapping[str, str], names: Mapping[str, str]) -> str:
    """Return the member's address or the API key's name. Return an empty string for an operator,
    for the service, and for a former member. `people` maps user ids to addresses, and `names` maps
    record ids to names."""
    return people.get(entry.actor) or names.get(entry.actor, "")


def audited_objects(
    entry: AuditEntry, people: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[AuditedObject]:
    """Yield the objects of an entry. Their ids are only in links, `export` and the API. `people`
    maps user ids to addresses, and `names` maps record ids to names."""
    is_gone = entry.what.endswith(("deleted", "revoked", "disconnected"))
    for name, value in entry.ids.items():
        is_id = re.fullmatch(ULID, value) is not None
        named = people.get(value) or names.get(value)
        shown = named or ("" if is_id else _in_words(value))
        page = _PAGES.get(name) if is_id and not is_gone else None
        label = name.removesuffix("_id").replace("_", " ").capitalize()
        yield AuditedObject(name, label, shown, f"{page}{value}" if page else "")


def _in_words(value: str) -> str:
    """Return a value that is not an id, as a text. A digest has no text."""
    if is_operator(value):
        return OPERATOR
    return "" if value.startswith("sha256:") else value.replace("_", " ")
