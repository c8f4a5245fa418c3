"""/api/dashboard/labelled-examples: messages labelled with the category that a human reviewer
assigned."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import InClientOf, MemberAt, PageDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, PathId
from api.schemas.core.client_query import cursor_after
from api.schemas.learning.correction import ExamplePage
from domain.learning.errors import ExampleNotFound
from domain.tenants.actor import MANAGERS
from services.learning.labelled_examples import delete_example
from store.learning.labelled_examples import LabelledExampleRepository, client_of_example

router = APIRouter(route_class=DescribedRoute)

_EXAMPLES: Final = "/api/dashboard/labelled-examples"
_ID: Final = PathId("example_id", "labelled example", ExampleNotFound)
Decider = Annotated[MemberAt, Depends(InClientOf(MANAGERS, _ID, client_of_example))]


@router.get(
    _EXAMPLES,
    operation_id="labelled_examples.list",
    summary=("List messages labelled by human reviewers"),
)
async def examples(page: PageDep, resources: ResourcesDep) -> ExamplePage:
    """Any member of the client may call this operation. Personal data in the texts has been
    replaced by sample values."""
    async with resources.database.reading(page.tenant) as connection:
        found = await LabelledExampleRepository(connection, page.tenant).page(
            after=page.query.cursor, limit=page.query.limit + 1
        )
    return ExamplePage(
        examples=found[: page.query.limit],
        next_cursor=cursor_after(found, page.query.limit, lambda last: last.id),
    )


@router.delete(
    f"{_EXAMPLES}/{{example_id}}",
    operation_id="labelled_examples.delete",
    summary="Delete a labelled example",
    status_code=204,
)
async def delete(decider: Decider, resources: ResourcesDep) -> Response:
    """This operation requires the owner or admin role. It also deletes the client's own classifier
    head because the head may have been trained on the example."""
    async with resources.work.of(decider.tenant) as work:
        await delete_example(work, decider.actor, decider.record_id)
    return Response(status_code=204)
