"""The mapping: which JMESPath expression finds each field of an event in a body of any shape."""

from collections.abc import Mapping


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raises InvalidEndpoint for an unknown field, or an expression that is none or not allowed."""
    raise NotImplementedError
