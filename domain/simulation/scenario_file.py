"""Read a scenario from a YAML file, in the format used for saved cases. Errors name the path of the
value."""

from typing import Final

from pydantic import ValidationError

from domain.core.document_size import oversized
from domain.core.errors import InvalidInput
from domain.core.strict_yaml import read_yaml
from domain.playbooks.shape import said_of
from domain.simulation.scenario import Scenario

MAX_SCENARIO_BYTES: Final = 1024 * 1024
_MAX_SHOWN: Final = 10


def parse_scenario(data: bytes) -> Scenario:
    """Return the scenario in a YAML file. Raises InvalidInput, which lists the problems, one per
    line, up to a limit."""
    if len(data) > MAX_SCENARIO_BYTES:
        raise InvalidInput(f"a scenario has at most {MAX_SCENARIO_BYTES // 1024} KiB")
    try:
        value = read_yaml(data.decode("utf-8-sig"))
        if problem := oversized(value):
            raise InvalidInput(problem)
        return Scenario.model_validate(value)
    except UnicodeDecodeError:
        raise InvalidInput("a scenario is UTF-8 text") from None
    except ValidationError as error:
        raise InvalidInput("\n".join(said_of(error, "the scenario")[:_MAX_SHOWN])) from None
