"""Responses of many invalid rows: a megabyte of `{}` took a gigabyte of memory and seconds."""

import importlib
import pkgutil
import typing
from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest
from pydantic import BaseModel, FailFast, RootModel, ValidationError

from adapters import connectors
from adapters.connectors.http import MAX_VALUES, ConnectorCall, Rows
from domain.integrations.errors import ActionUnreachable


class _Row(BaseModel):
    a: int
    b: int


class _Page(RootModel[Rows[_Row]]):
    pass


def _shapes() -> Iterator[type[BaseModel]]:
    for module in pkgutil.iter_modules(connectors.__path__, "adapters.connectors."):
        for value in vars(importlib.import_module(module.name)).values():
            own = isinstance(value, type) and value.__module__ == module.name
            if own and issubclass(value, BaseModel):
                yield value


def _unbounded(kind: Any, metadata: tuple[object, ...]) -> bool:
    """Return True if a type contains a list that collects every error."""
    if typing.get_origin(kind) is typing.Annotated:
        kind, *more = typing.get_args(kind)
        metadata = (*metadata, *more)
    is_list = typing.get_origin(kind) in (tuple, list, set, frozenset)
    if is_list and not any(isinstance(one, FailFast) for one in metadata):
        return True
    return any(_unbounded(one, ()) for one in typing.get_args(kind) if one is not Ellipsis)


def test_every_list_of_a_response_stops_at_its_first_error() -> None:
    unbounded = {
        f"{shape.__name__}.{name}"
        for shape in _shapes()
        for name, field in shape.model_fields.items()
        if _unbounded(field.annotation, tuple(field.metadata))
    }
    assert unbounded == WRITTEN


# Requests, which the service writes itself.
WRITTEN: Final = {"RefundInput.transactions"}


def test_parsing_stops_at_the_first_error() -> None:
    with pytest.raises(ValidationError) as refused:
        _Page.model_validate_json(b"[" + b"{}," * 900 + b"{}]")

    assert refused.value.error_count() == 2


@pytest.mark.parametrize("rows", [2_000, MAX_VALUES + 1, 349_000])
async def test_a_shop_answers_with_many_rows(rows: int) -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, stream=httpx.ByteStream(b"[" + b"{}," * rows + b"{}]"))

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        with pytest.raises(ActionUnreachable):
            await ConnectorCall(http).read(http.build_request("GET", "https://shop.example"), _Page)
