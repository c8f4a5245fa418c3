"""Errors in playbooks."""

from collections.abc import Mapping, Sequence

from domain.core.errors import DomainError, Fact, InvalidInput


class PlaybookNotFound(DomainError):
    code = "playbook_not_found"


class InvalidPlaybook(InvalidInput):
    """A file or request body is not a valid playbook. `problems`: each problem with its path, such
    as `playbooks[0].threshold: a number expected`."""

    code = "invalid_playbook"

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"problems": self.problems}


class PatternTaken(InvalidInput):
    """Two active playbooks would match the same events, so the newer playbook would never be
    used."""

    code = "pattern_taken"

    def __init__(self, pattern: str, name: str) -> None:
        super().__init__(f"event type {pattern}: playbook {name} is on for it; turn it off first")
        self.pattern = pattern

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"pattern": self.pattern}


class PlaybookNameTaken(InvalidInput):
    """Another playbook of the client has this name. Playbook names must be unique within a
    client."""

    code = "playbook_name_taken"

    def __init__(self, name: str, there: str = "one") -> None:
        super().__init__(f"playbook {name}: there is {there} of this name")


class PlaybookChanged(DomainError):
    """The playbook has changed since the version on which the request is based. `version` is the
    current version."""

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
    """The client's playbook versions have reached their storage limit. An active playbook can still
    be deactivated or deleted."""

    code = "playbook_versions_full"
