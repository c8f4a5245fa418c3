"""An engine that may act on this machine."""

from tests.workflows.conftest import acting, patient_starts  # noqa: F401
