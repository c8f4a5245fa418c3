"""The copilot tool that reads the latest policy changes from the playbooks' versions."""

from datetime import datetime
from typing import Final

from pydantic import Field

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionRule
from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.playbooks.merge import differences
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.playbooks.versions import PlaybookVersions, VersionEntry

_PLAYBOOKS: Final = 5
_VERSIONS: Final = 3
_RULE: Final = "actions."


class ChangesWanted(CopilotInput):
    limit: int = Field(default=5, ge=1, le=10)


class RuleChange(CopilotFacts):
    """An action's rule before and after a change. A missing rule is null."""

    action: ActionKind
    before: ActionRule | None
    after: ActionRule | None


class PolicyChange(CopilotFacts):
    """A playbook version, compared with the previous one. `thresholds` are the confidence
    thresholds before and after. `others` names other changed fields."""

    playbook_id: str
    name: str
    version: int
    at: datetime
    is_new: bool
    thresholds: tuple[float, float] | None
    rules: tuple[RuleChange, ...]
    others: tuple[str, ...]


class ChangesFound(CopilotFacts):
    changes: tuple[PolicyChange, ...] = Field(description="Changes, newest first.")


async def _read(copilot: CopilotService, wanted: ChangesWanted) -> ToolFindings[ChangesFound]:
    found: list[PolicyChange] = []
    async with copilot.database.reading(copilot.tenant) as connection:
        versions = PlaybookVersions(connection, copilot.tenant)
        for playbook_id in await versions.changed_last(_PLAYBOOKS):
            page = await versions.page(playbook_id, before=None, limit=_VERSIONS + 1)
            found += _changes(playbook_id, page)
    changes = sorted(found, key=lambda one: one.at, reverse=True)[: wanted.limit]
    return ToolFindings(
        ChangesFound(changes=tuple(changes)),
        tuple(copilot.cite(CitedKind.VERSIONS, one.playbook_id, one.name) for one in changes),
    )


def _changes(playbook_id: str, page: tuple[VersionEntry, ...]) -> list[PolicyChange]:
    """Return the changes between one playbook's versions. `page`: the versions, newest first."""
    return [
        _change(playbook_id, after, page[place + 1] if place + 1 < len(page) else None)
        for place, after in enumerate(page[:_VERSIONS])
    ]


def _change(playbook_id: str, after: VersionEntry, before: VersionEntry | None) -> PolicyChange:
    names = list(differences(before.spec, after.spec)) if before else []
    kinds = [ActionKind(one.removeprefix(_RULE)) for one in names if one.startswith(_RULE)]
    return PolicyChange(
        playbook_id=playbook_id,
        name=after.spec.name,
        version=after.version,
        at=after.created_at,
        is_new=before is None,
        thresholds=(before.spec.threshold, after.spec.threshold)
        if before and "threshold" in names
        else None,
        rules=tuple(
            RuleChange(
                action=kind,
                before=before.spec.rulebook.actions.get(kind) if before else None,
                after=after.spec.rulebook.actions.get(kind),
            )
            for kind in kinds
        ),
        others=tuple(one for one in names if one != "threshold" and not one.startswith(_RULE)),
    )


READ_POLICY_CHANGES: Final = ReadTool(
    "read_policy_changes",
    (
        "The latest playbook changes: the rules, limits and thresholds that changed, and the "
        "time of each change."
    ),
    ANYONE,
    ("GET", "/app/playbooks/{playbook_id}/versions"),
    ChangesWanted,
    _read,
)
