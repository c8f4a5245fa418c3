"""Words and phrasings as data: a YAML file beside the module that uses it.

It is read when it is first needed, once a process, and checked against a model.
"""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from domain.core.errors import InvalidInput
from domain.core.strict_yaml import read_yaml


class BrokenLexicon(Exception):
    """A data file of this version cannot be used. The message names the file and the place."""


class LexiconFile(BaseModel):
    """What a data file holds: nothing more, and words only where words are expected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Held = TypeVar("Held", bound=LexiconFile)


def lexicon(module: str, model: type[Held]) -> Held:
    """The file of a module's name that ends in `.yaml`. `module`: its `__file__`.

    Raises BrokenLexicon.
    """
    file = Path(module).with_suffix(".yaml")
    try:
        return model.model_validate(read_yaml(file.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BrokenLexicon(f"{file.name}: {place}: {first['msg']}") from error
    except (OSError, InvalidInput) as error:
        raise BrokenLexicon(f"{file.name}: {error}") from error
