"""Form drafts. A user's input is kept until the form takes effect."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from api.dashboard.problems import FormProblem
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.dashboard.draft import Draft
from domain.identity.session import LONGEST, SessionKind

SEEN: Final = "_seen"
"""Name of the form field with the version that the form shows."""
SECRET: Final = "secret:"  # noqa: S105
"""Name prefix of form fields that are never kept."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A form's fields by name. `draft` is the draft that contained the fields, or None. If the form
    was just rejected, `problems` are those of its fields."""

    fields: Mapping[str, str]
    draft: Draft | None
    problems: tuple[FormProblem, ...] = ()

    @staticmethod
    def of(defaults: Mapping[str, str], draft: Draft | None) -> "Typed":
        """Return the draft's fields, or the defaults if there is no draft. A draft replaces all
        fields of the form because browsers do not send unchecked boxes."""
        if draft is None:
            return Typed(defaults, None)
        return Typed({**dict.fromkeys(defaults, ""), **draft.fields}, draft)

    def rejected(self, problems: tuple[FormProblem, ...]) -> "Typed":
        """Return the same fields, as those of a form that was just rejected."""
        return replace(self, problems=problems)

    def problem_at(self, name: str) -> str:
        """Return what to change in the field `name`, or an empty string."""
        return next((one.text for one in self.problems if one.is_at(name)), "")

    def has_problem(self, prefix: str) -> bool:
        """Return True if a field with this name prefix causes a problem."""
        return any(one.path.startswith(prefix) for one in self.problems)

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")

    def is_behind(self, seen: str) -> bool:
        """Return True if the draft is based on a version other than `seen`, the current version."""
        return self.draft is not None and self.draft.fields.get(SEEN, seen) != seen


def kept_fields(form: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that may be kept in a draft. Secrets, and internal fields other than the
    version, are omitted."""
    return {
        name: value
        for name, value in form.items()
        if name == SEEN or not (name.startswith(("_", SECRET)) or name == "csrf")
    }


class _Owner(BaseModel):
    """The user and client for which a form was rendered, encrypted in the form. If the session
    expires, the form's draft is stored for that user."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_id: str
    client_id: str
    rendered_at: AwareDatetime


def seal_of_form(sealer: Sealer, user_id: str, tenant: TenantId, now: datetime) -> str:
    """Return the encrypted field that binds a form to its user, its client and the time of its
    rendering."""
    owner = _Owner(user_id=user_id, client_id=tenant, rendered_at=now)
    return sealer.seal(owner.model_dump_json())


def owner_of_form(sealer: Sealer, sealed: str, now: datetime) -> tuple[str, TenantId] | None:
    """Return the user and client for which a form was rendered, or None if this service did not
    render the form."""
    try:
        owner = _Owner.model_validate_json(sealer.unseal(sealed))
    except (ValueError, ValidationError):
        return None
    if now - owner.rendered_at > LONGEST[SessionKind.BROWSER]:
        return None
    return owner.user_id, TenantId(owner.client_id)
