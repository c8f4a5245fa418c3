"""The actor: permissions, and how an audit entry identifies it."""

import pytest

from adapters.observability.redaction import Redactor
from domain.tenants.actor import ANYONE, MANAGERS, REVIEWERS, Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired


@pytest.mark.parametrize(
    ("actor", "may"),
    [
        (Actor.person("u", Role.OWNER), (True, True, True)),
        (Actor.person("u", Role.ADMIN), (True, True, True)),
        (Actor.person("u", Role.AGENT), (False, True, True)),
        (Actor.person("u", Role.VIEWER), (False, False, True)),
        (Actor.person("admin", None), (True, True, True)),
        (Actor.operator("operator:anna"), (True, True, True)),
        (Actor.system("demo"), (True, True, True)),
        (Actor.key("k"), (False, False, False)),
    ],
)
def test_what_an_actor_may(actor: Actor, may: tuple[bool, bool, bool]) -> None:
    for roles, allowed in zip((MANAGERS, REVIEWERS, ANYONE), may, strict=True):
        assert actor.may(roles) is allowed
        if not allowed:
            with pytest.raises(RoleRequired):
                actor.require(roles)


def test_two_people_stay_two_behind_the_redactor() -> None:
    """Logs mask addresses: the entry has a digest of one, and the login of the operating system
    user."""
    noted = [
        Actor.operator(name, login="operator:anna").noted
        for name in ("a@example.com", "b@example.com")
    ]

    shown = [{key: Redactor().text(value) for key, value in entry.items()} for entry in noted]

    assert shown == noted
    assert noted[0]["user_id"] != noted[1]["user_id"]
    assert all(entry["by"] == "operator:anna" for entry in noted)
