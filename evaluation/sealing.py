"""The sets by several writers: two thirds are open, and one third is sealed by its hash until the
end.

A sealed file is added to `sealed/` once all rules are final. `sealed.sha256` was committed before
that.
"""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

FOLDER: Final = Path(__file__).parent
_SHARES: Final = 3


class SetPart(StrEnum):
    """`both`: the open and the sealed part combined."""

    OPEN = "open"
    SEALED = "sealed"
    BOTH = "both"


class BrokenSet(Exception):
    """A set differs from the committed one. The message names the file, and the row if one is
    invalid."""


class HandRow(BaseModel):
    """The common fields of all sets' rows. The first letter of the id identifies the writer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str


class Identified(Protocol):
    @property
    def id(self) -> str: ...


Row = TypeVar("Row", bound=HandRow)
Kept = TypeVar("Kept", bound=Identified)


@dataclass(frozen=True, slots=True)
class LabelledSet(Generic[Kept]):
    """Rows, or their results, in two parts. `sealed`: None until the part is opened."""

    open: tuple[Kept, ...]
    sealed: tuple[Kept, ...] | None = None

    @property
    def rows(self) -> tuple[Kept, ...]:
        return self.open + (self.sealed or ())

    @property
    def parts(self) -> dict[SetPart, tuple[Kept, ...]]:
        """The available parts: the open part alone, or all three."""
        if self.sealed is None:
            return {SetPart.OPEN: self.open}
        return {SetPart.OPEN: self.open, SetPart.SEALED: self.sealed, SetPart.BOTH: self.rows}


def is_sealed(row_id: str) -> bool:
    """Return whether a row belongs to the sealed third. The id alone decides, so that no person
    chooses."""
    return int(sha256(row_id.encode()).hexdigest(), 16) % _SHARES == 0


def read_set(name: str, row: type[Row], folder: Path = FOLDER) -> LabelledSet[Row]:
    """Return the rows of `<name>.yaml`, including the sealed part if its file exists.

    Raises BrokenSet for an invalid row, for an id that is repeated or in the wrong part, and for a
    sealed file that differs from the committed one.
    """
    open_path, sealed_path = (folder / part / f"{name}.yaml" for part in ("sets", "sealed"))
    opened = None
    if sealed_path.exists():
        check_seal(sealed_path, folder)
        opened = _rows(sealed_path, row, sealed=True)
    read = LabelledSet(_rows(open_path, row, sealed=False), opened)
    twice = [one for one, count in Counter(kept.id for kept in read.rows).items() if count > 1]
    if twice:
        raise BrokenSet(f"{name}.yaml: twice: {', '.join(twice)}")
    return read


def check_seal(path: Path, folder: Path = FOLDER) -> None:
    """Raise BrokenSet unless the file is identical to the committed one."""
    lines = (folder / "sealed.sha256").read_text(encoding="utf-8").splitlines()
    promised = {name: digest for digest, name in (line.split() for line in lines)}
    if sha256(path.read_bytes()).hexdigest() != promised.get(path.name):
        raise BrokenSet(f"{path.name}: not the file of sealed.sha256")


def _rows(path: Path, row: type[Row], *, sealed: bool) -> tuple[Row, ...]:
    whole: TypeAdapter[tuple[Row, ...]] = TypeAdapter(tuple[row, ...])  # type: ignore[valid-type]
    try:
        rows = whole.validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))
    except yaml.YAMLError as error:
        raise BrokenSet(f"{path.name}: no YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BrokenSet(f"{path.name}: {place}: {first['msg']}") from error
    for one in rows:
        if is_sealed(one.id) is not sealed:
            raise BrokenSet(f"{path.name}: {one.id} belongs into the other part")
    return rows
