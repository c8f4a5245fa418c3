"""List the environment variables for the settings."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from settings import Settings


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable. `default` is a text, or None. `meaning` is Markdown, with links
    relative to docs/."""

    name: str
    is_required: bool
    default: str | None
    meaning: str


@dataclass(frozen=True, slots=True)
class VariableGroup:
    """The variables of a settings group, in the order of its fields."""

    title: str
    variables: tuple[Variable, ...]


def variable_groups() -> Iterator[VariableGroup]:
    """Yield the settings groups. Raises TypeError if a group has no title, or a field has no
    description."""
    for name, group in Settings.model_fields.items():
        model = group.annotation
        if group.title is None or not (isinstance(model, type) and issubclass(model, BaseModel)):
            raise TypeError(f"{name}: a settings group with a title expected")
        yield VariableGroup(group.title, tuple(map(_variable, model.model_fields.values())))


def variables() -> tuple[Variable, ...]:
    """Return the variables of all groups. Raises TypeError like `variable_groups`."""
    found = tuple(one for group in variable_groups() for one in group.variables)
    if len({one.name for one in found}) < len(found):
        raise TypeError("two settings of one variable")
    return found


def _variable(field: FieldInfo) -> Variable:
    if field.alias is None or field.description is None:
        raise TypeError(f"{field.alias}: a setting with a variable and a description expected")
    default = None if field.is_required() or field.default is None else str(field.default)
    if isinstance(field.default, bool):
        default = str(field.default).lower()
    return Variable(field.alias, field.is_required(), default, field.description)
