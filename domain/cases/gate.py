"""The publish gate: a playbook version goes live only if the cases that select the playbook have
passed."""

from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from domain.cases.case import SavedCase
from domain.cases.digest import digest_of, rules_text
from domain.playbooks.playbook import PlaybookEntry
from domain.simulation.choosing import playbook_for
from domain.simulation.variant import LIVE


class GatedCase(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: str
    name: str


class GateStanding(BaseModel):
    """The publish gate's decision on a playbook version. If this version or an identical one
    `was_live`, it may go live without passing its cases."""

    model_config = ConfigDict(frozen=True)

    was_live: bool = Field(
        description=(
            "True if this version, or an identical one, has been live before. Such a version "
            "may go live without passing cases."
        )
    )
    green: tuple[GatedCase, ...] = Field(
        description="Cases that passed with this playbook, content and model."
    )
    failing: tuple[GatedCase, ...] = Field(
        description="Cases that failed with this playbook, content and model."
    )
    untried: tuple[GatedCase, ...] = Field(
        description="Cases that have not run with this playbook, content and model."
    )

    @property
    def may_pass(self) -> bool:
        """Return True if the playbook version may go live."""
        return self.was_live or not (self.failing or self.untried)


def falling_to(
    cases: Iterable[SavedCase], entries: Sequence[PlaybookEntry]
) -> tuple[tuple[SavedCase, PlaybookEntry], ...]:
    """Return the cases that must pass before a playbook goes live, each with the playbook selected
    for its event.

    `entries` are the playbooks after the change, oldest first. Cases that select no playbook are
    omitted.
    """
    by_id = {entry.playbook.id: entry for entry in entries}
    pairs = []
    for case in cases:
        found = playbook_for(entries, case.scenario.event_type, LIVE) if case.must else None
        if found is not None and found[0].id is not None:
            pairs.append((case, by_id[found[0].id]))
    return tuple(pairs)


def digests(
    pairs: Iterable[tuple[SavedCase, PlaybookEntry]], content: bytes, model: str
) -> dict[str, bytes]:
    """Return the verdict digests, keyed by case id. `content`, `model`: as for `verdict_digest`."""
    rules: dict[str, str] = {}
    found: dict[str, bytes] = {}
    for case, entry in pairs:
        name = entry.playbook.id
        if name not in rules:
            rules[name] = rules_text(entry.spec)
        found[case.id] = digest_of(rules[name], content, model, case)
    return found


def standing(
    cases: Iterable[SavedCase], verdicts: Mapping[str, bool], *, was_live: bool
) -> GateStanding:
    """Return the publish gate's decision on a playbook version.

    `cases` select the playbook. `verdicts` maps a case id to whether the case passed. A case
    without a verdict is untried.
    """
    by_verdict: dict[bool | None, list[GatedCase]] = {True: [], False: [], None: []}
    for case in cases:
        by_verdict[verdicts.get(case.id)].append(GatedCase(id=case.id, name=case.name))
    return GateStanding(
        was_live=was_live,
        green=tuple(by_verdict[True]),
        failing=tuple(by_verdict[False]),
        untried=tuple(by_verdict[None]),
    )
