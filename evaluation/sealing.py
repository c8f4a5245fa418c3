"""Hand-written sets by several authors. A third of the rows stays sealed until all rules are final.

`sealed.sha256`, with the sealed files' hashes, was committed first. The files are added to
`sealed/` at the end.
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
    """A part of a set. `both`: the open and the sealed part combined."""

    OPEN = "open"
    SEALED = "sealed"
    BOTH = "both"


class BrokenSet(Exception):
    """Raised if a set's file is invalid, or if a sealed file does not match its committed hash. The
    message identifies the file and, if a row is invalid, the row."""


class HandRow(BaseModel):
    """The fields common to the rows of all sets. The first letter of `id` identifies the author."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str


class Identified(Protocol):
    @property
    def id(self) -> str: ...


Row = TypeVar("Row", bound=HandRow)
Kept = TypeVar("Kept", bound=Identified)


@dataclass(frozen=True, slots=True)
class LabelledSet(Generic[Kept]):
    """The rows of a set, or their results, in two parts. `sealed`: None until the sealed file is
    added."""

    open: tuple[Kept, ...]
    sealed: tuple[Kept, ...] | None = None

    @property
    def rows(self) -> tuple[Kept, ...]:
        return self.open + (self.sealed or ())

    @property
    def parts(self) -> dict[SetPart, tuple[Kept, ...]]:
        """Return the rows by part: `open`, and also `sealed` and `both` if the sealed part is
        available."""
        if self.sealed is None:
            return {SetPart.OPEN: self.open}
        return {SetPart.OPEN: self.open, SetPart.SEALED: self.sealed, SetPart.BOTH: self.rows}


def is_sealed(row_id: str) -> bool:
    """Return True if a row belongs to the sealed third. The choice depends only on a hash of the
    id, so authors cannot influence it."""
    return int(sha256(row_id.encode()).hexdigest(), 16) % _SHARES == 0


def read_set(name: str, row: type[Row], folder: Path = FOLDER) -> LabelledSet[Row]:
    """Return the rows of `<name>.yaml`, including the sealed part if its file exists.

    Raises BrokenSet for an invalid row, a repeated id, an id in the wrong part, or a sealed file
    that differs from the committed one.
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
    """Raise BrokenSet unless the file matches its hash in `sealed.sha256`."""
    lines = (folder / "sealed.sha256").read_text(encoding="utf-8").splitlines()
    promised = {name: digest for digest, name in (line.split() for line in lines)}
    if sha256(path.read_bytes()).hexdigest() != promised.get(path.name):
        raise BrokenSet(f"{path.name}: the file does not match sealed.sha256")


def _rows(path: Path, row: type[Row], *, sealed: bool) -> tuple[Row, ...]:
    whole: TypeAdapter[tuple[Row, ...]] = TypeAdapter(tuple[row, ...])  # type: ignore[valid-type]
    try:
        rows = whole.validate_python(
            yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        )
    except yaml.YAMLError as error:
        raise BrokenSet(f"{path.name}: not valid YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BrokenSet(f"{path.name}: {place}: {first['msg']}") from error
    for one in rows:
        if is_sealed(one.id) is not sealed:
            raise BrokenSet(f"{path.name}: {one.id} belongs to the other part")
    return rows
