"""The environment variables of the settings."""

from typing import Final

from settings.variables import variables

ALL: Final = frozenset(one.name for one in variables())
REQUIRED: Final = frozenset(one.name for one in variables() if one.is_required)
