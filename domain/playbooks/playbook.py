"""A playbook: the events that the agent answers for a client, and the confidence that an answer
requires.

`domain/agent/rulebook.py` defines what the agent may do. `domain/playbooks/file.py` reads and
writes files.
"""

import re
from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.rulebook import DuringReview, Rulebook
from domain.core.errors import InvalidInput
from domain.core.plain_text import clean_line, without_controls

DEFAULT_THRESHOLD: Final = 0.70
MAX_PATTERN: Final = 200
MAX_NAME: Final = 200
MAX_OVERRIDE: Final = 500
"""Maximum length, in characters, of the reason for going live although not all cases have passed.
"""

OVERRIDE_PATTERN: Final = r"[0-9A-Za-z\u00c0-\u02af\u0370-\u1fff\u3040-\ud7ff]"
"""Pattern for a character that the reason must contain: a letter or digit in any script. An
invisible text is therefore not accepted as a reason."""

MAX_PLAYBOOKS: Final = 200
"""Maximum number of playbooks per client, active or not."""

MAX_DAY_CHANGES: Final = 1_000
"""Maximum number of new versions and activations per client in 24 hours. All versions are kept, and
each activation sends an event to the client's webhooks."""

MAX_VERSION_BYTES: Final = 128 * 1024 * 1024
"""Maximum size of all playbook versions of one client, in bytes in PostgreSQL, including deleted
playbooks. No version is removed, because runs, audit entries and shadow drafts refer to it."""


class Playbook(BaseModel):
    """One version of a playbook. A run records the `id` and `version` of the playbook that matched
    its event."""

    model_config = ConfigDict(frozen=True)

    id: str
    version: int
    name: str
    event_type: str
    threshold: float = Field(ge=0, le=1)


NEW_RULEBOOK: Final = Rulebook(during_review=DuringReview(answers=True))
"""The rules for a new playbook without rules."""


class PlaybookSpec(BaseModel):
    """The playbook content chosen by a merchant: everything except the id and version. `name`:
    unique among the client's playbooks."""

    model_config = ConfigDict(frozen=True)

    name: str
    event_type: str
    threshold: float = Field(default=DEFAULT_THRESHOLD, ge=0, le=1)
    active: bool = True
    rulebook: Rulebook = NEW_RULEBOOK


class PlaybookEntry(BaseModel):
    """A playbook in its current version, with its rules and its active state."""

    model_config = ConfigDict(frozen=True)

    playbook: Playbook
    is_active: bool
    rulebook: Rulebook

    @property
    def answers(self) -> bool:
        """True if the playbook answers events: it is active and not in shadow mode."""
        return self.is_active and not self.rulebook.shadow

    @property
    def spec(self) -> PlaybookSpec:
        return PlaybookSpec(
            name=self.playbook.name,
            event_type=self.playbook.event_type,
            threshold=self.playbook.threshold,
            active=self.is_active,
            rulebook=self.rulebook,
        )

    def in_version(self, version: int, spec: PlaybookSpec) -> "PlaybookEntry":
        """Return the playbook in the given version, with the content of `spec`. The active state
        stays unchanged."""
        playbook = Playbook(
            id=self.playbook.id,
            version=version,
            name=spec.name,
            event_type=spec.event_type,
            threshold=spec.threshold,
        )
        return PlaybookEntry(playbook=playbook, is_active=self.is_active, rulebook=spec.rulebook)


def check_name(name: str) -> str:
    """Return the playbook's name as one line. Raises InvalidInput unless the name has 1 to MAX_NAME
    characters."""
    line = clean_line(name, MAX_NAME + 1)
    if not 0 < len(line) <= MAX_NAME:
        raise InvalidInput("name: 1 to 200 characters")
    return line


def check_override(reason: str) -> str:
    """Return the trimmed reason for an override. Raises InvalidInput if the reason is longer than
    MAX_OVERRIDE characters, or contains no letter or digit."""
    kept = without_controls(reason).strip()
    if len(reason) > MAX_OVERRIDE or not re.search(OVERRIDE_PATTERN, kept):
        raise InvalidInput(f"override: a reason of 1 to {MAX_OVERRIDE} characters expected")
    return kept


def check_pattern(pattern: str) -> str:
    """Return the event pattern: an event type, a dotted prefix that ends in `.*`, or `*`. Raises
    InvalidInput."""
    if not pattern or clean_line(pattern, MAX_PATTERN) != pattern:
        raise InvalidInput("event type: 1 to 200 characters, no spaces around")
    stem = pattern.removesuffix(".*") if pattern != "*" else ""
    if "*" in stem or (pattern != "*" and not stem):
        raise InvalidInput("event type: `*` stands alone or ends a dotted prefix, as in shopify.*")
    return pattern


def match(playbooks: Iterable[Playbook], event_type: str) -> Playbook | None:
    """Return the playbook for an event type, or None. Exact matches win over prefixes, longer
    prefixes over shorter ones, and older playbooks over newer ones. `playbooks` are oldest
    first."""
    best: Playbook | None = None
    for playbook in playbooks:
        if _covers(playbook.event_type, event_type) and (
            best is None or _precision(playbook.event_type) > _precision(best.event_type)
        ):
            best = playbook
    return best


def in_winning_order(entries: Iterable[PlaybookEntry]) -> tuple[PlaybookEntry, ...]:
    """Return the playbooks, given oldest first, in order of precedence. The first active match
    answers an event."""
    return tuple(sorted(entries, key=lambda entry: -_precision(entry.playbook.event_type)))


def _covers(pattern: str, event_type: str) -> bool:
    if pattern == "*":
        return True
    if pattern.endswith(".*"):
        return event_type.startswith(pattern[:-1])
    return pattern == event_type


def _precision(pattern: str) -> int:
    if pattern == "*":
        return 0
    return len(pattern) if pattern.endswith(".*") else MAX_PATTERN + 1
