"""The ids in an export: their paths, and how a copy of a client gets new ids.

An id is unique in an installation: operators look up a run, a review or an integration by its id
alone. A copy in the same installation as its original therefore needs other ids.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from domain.core.ids import parse_ulid
from domain.exports.export import Section
from domain.runs.conversation import key_when_ended

ID_PATHS: Final[Mapping[Section, tuple[str, ...]]] = {
    section: tuple(paths.split())
    for section, paths in {
        Section.CLIENT: "",
        Section.SETTINGS: "playbooks.*.id",
        Section.INTEGRATIONS: "id",
        # Rename the key before the id, because the key of an ended conversation contains the id.
        Section.AI_CONVERSATIONS: "key id messages.*.id messages.*.event_id",
        Section.AUTOMATION_EVENTS: "id",
        # Rename the ticket before the id: the ticket id may be the event's id, with which it is
        # compared.
        Section.ENGINE_RUNS: "event.unified.ticket_id id event_id playbook_id answer.event_id "
        "answer.run_id plan.*.integration_id citations.*.id findings.*.id "
        "lookup.order.integration_id joined_review actions.*.id actions.*.integration_id",
        Section.METRICS_DAILY: "breakdown.by_playbook.*.key",
        Section.ESCALATION_TICKETS: "id run_id latest_event_id plan.*.integration_id",
        Section.SENTIMENT_LOGS: "id conversation_id event_id",
        Section.CHURN_PREDICTIONS: "id",
        Section.RESPONSE_TEMPLATES: "id",
        Section.KNOWLEDGE_ENTRIES: "id",
        # An import leaves audit entries out: with other ids their hashes would be wrong.
        Section.AUDIT_ENTRIES: "",
        # An import leaves attachments out too.
        Section.ATTACHMENTS: "",
        Section.SAVED_CASES: "id run_id",
        Section.CORRECTIONS: "id review_id run_id case_id content_id",
        Section.LABELLED_EXAMPLES: "id run_id",
        Section.RATINGS: "id run_id",
        Section.SHADOW_DRAFTS: "run_id playbook_id plan.*.integration_id",
    }.items()
}
"""Paths of ids within a record; `*` is each item of a list. Ids that come from callers and shops
are not included."""

_TICKET: Final = "ticket_id"
_KEY: Final = "key"
_OF_EVENT: Final = "event:"
_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TIME_CHARS: Final = 10
_RANDOM_CHARS: Final = 16


@dataclass(frozen=True, slots=True)
class Renaming:
    """New ids for a copy that is imported into `client_id`. The same id always gets the same new
    id, so that references stay valid. A new id keeps the time of the old one."""

    client_id: str

    def id(self, value: str) -> str:
        """Return the new id for an id, also within the key of a single event's conversation.

        Any other value is returned unchanged.
        """
        if value.startswith(_OF_EVENT):
            return _OF_EVENT + self.id(value.removeprefix(_OF_EVENT))
        if parse_ulid(value) != value:
            return value
        digest = int.from_bytes(sha256(f"{self.client_id}/{value}".encode()).digest()[:10], "big")
        letters = (_LETTERS[digest >> 5 * place & 31] for place in range(_RANDOM_CHARS))
        return value[:_TIME_CHARS] + "".join(letters)

    def key(self, key: str, conversation_id: str) -> str:
        """Return the new key of a conversation, active or ended."""
        name = key.removesuffix(f"/{conversation_id}")
        return (
            self.id(key) if name == key else key_when_ended(self.id(name), self.id(conversation_id))
        )

    def record(self, section: Section, text: str) -> str:
        """Return the JSON of a valid record with new ids. Numbers keep their notation."""
        record = json.loads(text, parse_int=_Number, parse_float=_Number)
        for path in ID_PATHS[section]:
            self._rename(record, path.split("."), record.get("event_id"))
        return _text(record)

    def _rename(self, value: Any, path: list[str], event_id: str | None) -> None:
        """Rename ids in place. `value`: JSON of any shape, because parts of a record may be
        missing."""
        name, *rest = path
        if name == "*":
            for each in value or ():
                self._rename(each, rest, event_id)
        elif value is None or value.get(name) is None:
            return
        elif rest:
            self._rename(value[name], rest, event_id)
        elif name == _KEY and "id" in value:  # conversations only; a part of a day's runs has no id
            value[name] = self.key(value[name], value["id"])
        elif name != _TICKET or value[name] == event_id:
            value[name] = self.id(value[name])


class _Number(str):
    """A number in its original notation: a conversion to float would change some numbers."""

    __slots__ = ()


def _text(value: Any) -> str:
    """Serialize a value that `json.loads` returned."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        pairs = ",".join(f"{_text(name)}:{_text(one)}" for name, one in value.items())
        return f"{{{pairs}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_text, value))}]"
    return json.dumps(value, ensure_ascii=False)
