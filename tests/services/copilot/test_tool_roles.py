"""Each copilot tool requires the roles of its route."""

import pytest

from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import AnyTool
from services.copilot.tools.every_tool import COPILOT_TOOLS
from tests.support.dashboard.page_list import page_routes
from tests.support.tenants.access import ACCESS


@pytest.mark.parametrize("tool", COPILOT_TOOLS, ids=lambda one: one.name)
def test_a_tool_has_its_routes_roles(tool: AnyTool) -> None:
    """`ACCESS` is what `test_access.py` verifies over HTTP. The documents have no route. Data that
    no route returns has the roles of its page."""
    if tool.route is None:
        assert tool.name == "search_documents"
        assert tool.roles == ANYONE
    elif tool.route[1].startswith("/app"):
        (page,) = (one for one in page_routes() if (one.method, one.path) == tool.route)
        assert tool.roles == page.roles
    else:
        assert tool.route[0] == "GET"
        assert tool.roles == ACCESS[tool.route].roles


def test_names_are_found_once() -> None:
    names = [one.name for one in COPILOT_TOOLS]
    assert len(names) == len(set(names)) == 25
