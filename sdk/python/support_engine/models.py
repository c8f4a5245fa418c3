"""The models of requests and answers. Their names are those of the OpenAPI document's schemas."""

from support_engine.generated.models import *  # noqa: F403 - the generated list of names
from support_engine.generated.models import __all__  # noqa: F401 - for `*`
