"""Regenerate docs/configuration.md from the settings: `python -m scripts.configuration`."""

from pathlib import Path
from typing import Final

from settings.variables import Variable, VariableGroup, variable_groups

FILE: Final = Path(__file__).parents[1] / "docs" / "configuration.md"
_HEAD: Final = """\
# Configuration

This page is for operators. It lists every setting, its default and its effect. Settings are
environment variables; a blank variable is treated as unset. `make run` works without any settings,
because it creates the required values. The service does not read a settings file: `.env` is only
for Docker Compose and your shell ([example](../.env.example)). `python -m scripts.configuration`
generates this file, and a test compares it with the settings.
"""
_GROUP: Final = """
## {title}

| Name | Default | Meaning |
|---|---|---|
"""
_STARTS: Final = """
## Checks at start

`make run` is intended for your own machine. If other machines can reach `HOST`, `make run` starts
only under two conditions: `ALLOW_LOOPBACK_TARGETS` and `WEBHOOK_ALLOW_PRIVATE_ADDRESSES` are
`false`, and the demo shop is disabled (`cli.py dev --no-tour`). `cli.py dev --open-to-network`
overrides this check. Other users of the machine have no access to the data folder of `make run`.
`make run` rejects a folder that belongs to another user.

A process also starts if no mail server, public address or sign-in method is configured. It then
logs a warning at each start: `no mail server configured`, `no public address configured` or
`no session keys configured`.
`docker-compose.yml`, however, requires `SMTP_URL`, `PUBLIC_URL` and `SESSION_KEY` for every
process. In that file, `SESSION_KEY=` can be blank if `OIDC_ISSUER` or `JWT_JWKS_URL` is set.
"""


def table() -> str:
    """Return the new text of docs/configuration.md."""
    return _HEAD + "".join(map(_group, variable_groups())) + _STARTS


def _group(group: VariableGroup) -> str:
    rows = (f"| `{one.name}` | {_default(one)} | {one.meaning} |\n" for one in group.variables)
    return _GROUP.format(title=group.title) + "".join(rows)


def _default(variable: Variable) -> str:
    if variable.is_required:
        return "required"
    return "unset" if variable.default is None else f"`{variable.default}`"


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")
