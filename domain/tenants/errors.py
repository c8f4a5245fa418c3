"""Errors in clients, members, keys and settings."""

from collections.abc import Mapping
from datetime import datetime

from domain.core.errors import DomainError, InvalidContent, InvalidInput
from domain.core.json_time import rfc3339


class Unauthenticated(DomainError):
    """No authentication scheme identified the caller."""

    code = "unauthenticated"


class ApiKeyMissing(DomainError):
    """A request from the widget has no `api_key` in its query."""

    code = "api_key_missing"


class NoClient(DomainError):
    """The caller is authenticated, but is not linked to a client."""

    code = "no_client"


class ClientIdMissing(DomainError):
    code = "client_id_missing"


class ClientIdRepeated(DomainError):
    """The query contains `client_id` twice, so two parsers might use different values."""

    code = "client_id_repeated"


class AccessDenied(DomainError):
    """The caller is authenticated, but has no access to this tenant. The error does not reveal
    whether the tenant exists."""

    code = "access_denied"


class RoleRequired(DomainError):
    """The member's role does not permit this action."""

    code = "role_required"


class InsufficientScope(DomainError):
    """The key's scopes do not permit this action. `scope` is the required scope."""

    code = "insufficient_scope"

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"scope": self.scope}


class ClientNotFound(DomainError):
    code = "client_not_found"


class KeyNotFound(DomainError):
    code = "key_not_found"


class InvalidLabel(InvalidContent):
    """The label of an API key is invalid."""

    code = "invalid_label"


class TooManyKeys(InvalidInput):
    """The client has reached its limit for active API keys."""

    code = "too_many_keys"

    def __init__(self, limit: int) -> None:
        super().__init__(f"at most {limit} active keys: revoke one first")
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}


class MemberNotFound(InvalidInput):
    """The user is not a member of the client."""

    code = "member_not_found"


class OwnerStays(InvalidInput):
    """A client has exactly one owner, whom no member can replace."""

    code = "owner_stays"


class KeysUndecided(InvalidInput):
    """The member created active API keys, and the request does not say whether to revoke or keep
    them."""

    code = "keys_undecided"

    def __init__(self, keys: int) -> None:
        super().__init__(f"the member made {keys} active keys: revoke or keep them")
        self.keys = keys

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"keys": self.keys}


class InvalidSettings(InvalidContent):
    """A setting of the client is invalid."""

    code = "invalid_settings"


class SecondPersonUnfit(DomainError):
    """The four-eyes rule requires approval from two members, and the actor does not qualify.
    `reason` is a value of `domain.tenants.four_eyes.Unfit`."""

    code = "second_person_unfit"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = str(reason)

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"why": self.reason}


class LooseningHeld(DomainError):
    """The change loosens rules for the agent, so it waits for a second manager's approval or for a
    fixed time. Commit the transaction: it stores the change under `loosening_id`."""

    code = "loosening_held"

    def __init__(self, loosening_id: str, takes_effect_at: datetime) -> None:
        super().__init__(loosening_id)
        self.loosening_id = loosening_id
        self.takes_effect_at = takes_effect_at

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {
            "loosening_id": self.loosening_id,
            "takes_effect_at": rfc3339(self.takes_effect_at),
        }


class LooseningNotFound(DomainError):
    code = "loosening_not_found"


class LooseningDecided(DomainError):
    """The pending change was already approved or cancelled, or its wait has ended."""

    code = "loosening_decided"


class LooseningChanged(DomainError):
    """Playbooks or settings have changed since this change was requested. It would now loosen more
    rules than were shown at the time of the request."""

    code = "loosening_changed"


class TooManyLoosenings(InvalidInput):
    """The client has reached its limit for pending changes that loosen rules."""

    code = "too_many_loosenings"

    def __init__(self, limit: int) -> None:
        super().__init__(f"at most {limit} changes wait at once: approve or cancel one first")
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}
