"""Errors of playbooks."""

from collections.abc import Mapping, Sequence

from domain.core.errors import DomainError, Fact, InvalidInput


class PlaybookNotFound(DomainError):
    code = "playbook_not_found"


class InvalidPlaybook(InvalidInput):
    """A file or a body is not a valid playbook. `problems`: each path with its problem, as in
    `playbooks[0].threshold: a number expected`."""

    code = "invalid_playbook"

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"problems": self.problems}


class PatternTaken(InvalidInput):
    """Two active playbooks would match the same events, so the newer one would never be used."""

    code = "pattern_taken"

    def __init__(self, pattern: str, name: str) -> None:
        super().__init__(f"event type {pattern}: playbook {name} is on for it; turn it off first")
        self.pattern = pattern

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"pattern": self.pattern}


class PlaybookNameTaken(InvalidInput):
    """Another playbook of the client has this name; names must be unique."""

    code = "playbook_name_taken"

    def __init__(self, name: str, there: str = "one") -> None:
        super().__init__(f"playbook {name}: there is {there} of this name")


class PlaybookChanged(DomainError):
    """The playbook was changed in the meantime. `version`: its current version."""

    code = "playbook_changed"

    def __init__(self, version: int) -> None:
        super().__init__(f"the playbook is at version {version}")
        self.version = version

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"version": self.version}


class TooManyPlaybooks(InvalidInput):
    code = "too_many_playbooks"

    def __init__(self, limit: int) -> None:
        super().__init__(f"at most {limit} playbooks a client: delete one first")
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"limit": self.limit}


class TooManyPlaybookChanges(InvalidInput):
    code = "too_many_playbook_changes"

    def __init__(self, limit: int) -> None:
        super().__init__(f"at most {limit} versions and activations of playbooks a client and day")
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"limit": self.limit}


class PlaybookVersionsFull(InvalidInput):
    """The client's playbook versions have used up their storage limit. An active playbook may still
    be turned off or deleted."""

    code = "playbook_versions_full"
