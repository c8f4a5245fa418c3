"""Create connections with sealed credentials, for operators and members alike."""

import json
from collections.abc import Mapping

from domain.core.ports import Sealer
from domain.integrations.integration import Integration, check_credentials, check_settings
from domain.integrations.providers import PROVIDERS, Provider


def new_integration(
    integration_id: str,
    provider: Provider,
    settings: Mapping[str, str],
    credentials: Mapping[str, str],
    sealer: Sealer,
    *,
    by_operator: bool,
) -> Integration:
    """Return a new connection.

    Raises InvalidIntegration, which contains no value, unless settings and credentials are valid
    for the provider. `by_operator`: as for `check_settings`.
    """
    check_settings(provider, settings, by_operator=by_operator)
    check_credentials(provider, credentials)
    needed = PROVIDERS[provider].credentials
    return Integration(
        id=integration_id,
        provider=provider,
        settings=dict(settings),
        sealed=sealer.seal(json.dumps(dict(credentials))) if credentials or not needed else "",
    )
