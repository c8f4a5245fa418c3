"""Find the ids in an export, and replace them when a client is copied.

Ids are unique in an installation, so a copy needs new ids if its original also exists there.
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
        # The key is replaced before the id because the key of an ended conversation contains the
        # conversation's old id.
        Section.AI_CONVERSATIONS: "key id messages.*.id messages.*.event_id messages.*.reply_id",
        Section.AUTOMATION_EVENTS: "id",
        # The ticket id is replaced first because it is replaced only if it equals the old event id.
        # A ticket without its own id has the id of its event.
        Section.ENGINE_RUNS: "event.unified.ticket_id id event_id playbook_id answer.event_id "
        "answer.run_id plan.*.integration_id citations.*.id findings.*.id "
        "lookup.order.integration_id joined_review actions.*.id actions.*.integration_id",
        Section.METRICS_DAILY: "breakdown.by_playbook.*.key",
        Section.ESCALATION_TICKETS: "id run_id latest_event_id plan.*.integration_id",
        Section.SENTIMENT_LOGS: "id conversation_id event_id",
        Section.CHURN_PREDICTIONS: "id",
        Section.RESPONSE_TEMPLATES: "id",
        Section.KNOWLEDGE_ENTRIES: "id",
        # An import skips audit entries because their hashes would not match the new ids.
        Section.AUDIT_ENTRIES: "",
        # An import also skips attachments because the export does not contain their bytes.
        Section.ATTACHMENTS: "",
        Section.SAVED_CASES: "id run_id",
        Section.CORRECTIONS: "id review_id run_id case_id content_id",
        Section.LABELLED_EXAMPLES: "id run_id",
        Section.RATINGS: "id run_id",
        Section.SHADOW_DRAFTS: "run_id playbook_id plan.*.integration_id",
        Section.CONVERSATION_REPLIES: "id conversation_id event_id run_id",
        Section.CONVERSATION_NOTES: "id conversation_id event_id",
    }.items()
}
"""For each section, the paths of the ids that an import replaces, with `*` for each item of a list.
Ids assigned by callers and shops are not listed."""

_TICKET: Final = "ticket_id"
_KEY: Final = "key"
_OF_EVENT: Final = "event:"
_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TIME_CHARS: Final = 10
_RANDOM_CHARS: Final = 16


@dataclass(frozen=True, slots=True)
class Renaming:
    """Replace the ids in a copy that is imported into `client_id`. Equal ids get equal
    replacements, which keep the time of a ULID."""

    client_id: str

    def id(self, value: str) -> str:
        """Return the new id for an old one, also within a conversation key `event:<id>`. Other
        values stay unchanged."""
        if value.startswith(_OF_EVENT):
            return _OF_EVENT + self.id(value.removeprefix(_OF_EVENT))
        if parse_ulid(value) != value:
            return value
        digest = int.from_bytes(sha256(f"{self.client_id}/{value}".encode()).digest()[:10], "big")
        letters = (_LETTERS[digest >> 5 * place & 31] for place in range(_RANDOM_CHARS))
        return value[:_TIME_CHARS] + "".join(letters)

    def key(self, key: str, conversation_id: str) -> str:
        """Return the new key of an active or ended conversation. `conversation_id`: the
        conversation's old id."""
        name = key.removesuffix(f"/{conversation_id}")
        return (
            self.id(key) if name == key else key_when_ended(self.id(name), self.id(conversation_id))
        )

    def record(self, section: Section, text: str) -> str:
        """Return the JSON of a valid record with new ids. Numbers keep their original notation."""
        record = json.loads(text, parse_int=_Number, parse_float=_Number)
        for path in ID_PATHS[section]:
            self._rename(record, path.split("."), record.get("event_id"))
        return _text(record)

    def _rename(self, value: Any, path: list[str], event_id: str | None) -> None:
        """Replace the ids at the path, in place. `value` can be JSON of any shape because optional
        parts of a record may be missing."""
        name, *rest = path
        if name == "*":
            for each in value or ():
                self._rename(each, rest, event_id)
        elif value is None or value.get(name) is None:
            return
        elif rest:
            self._rename(value[name], rest, event_id)
        elif (
            name == _KEY and "id" in value
        ):  # Only a conversation has both `key` and `id`. An item in a day's breakdown has no `id`.
            value[name] = self.key(value[name], value["id"])
        elif name != _TICKET or value[name] == event_id:
            value[name] = self.id(value[name])


class _Number(str):
    """A JSON number in its original notation. Converting it to a float could change its value."""

    __slots__ = ()


def _text(value: Any) -> str:
    """Return the JSON text for a value that `json.loads` returned, in which each number is a
    `_Number`."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        pairs = ",".join(f"{_text(name)}:{_text(one)}" for name, one in value.items())
        return f"{{{pairs}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_text, value))}]"
    return json.dumps(value, ensure_ascii=False)
