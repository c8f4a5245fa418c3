"""The variables that the settings are read from."""

from typing import Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from settings import Settings


def environment_fields() -> dict[str, FieldInfo]:
    """Each variable's field."""
    found: dict[str, FieldInfo] = {}
    for group in Settings.model_fields.values():
        assert isinstance(group.annotation, type)
        assert issubclass(group.annotation, BaseModel)
        for field in group.annotation.model_fields.values():
            assert field.alias is not None
            assert field.alias not in found, "two settings of one variable"
            found[field.alias] = field
    return found


ALL: Final = frozenset(environment_fields())
REQUIRED: Final = frozenset(
    name for name, field in environment_fields().items() if field.is_required()
)
