"""The variant of a replay, as its events are thought through by it."""

from domain.simulation.variant import Variant
from store.core.repository import TenantRepository
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.versions import PlaybookVersions


class TriedVariants(TenantRepository):
    async def resolve(self, variant: Variant) -> Variant:
        """The variant with its playbook as a draft that stands for the stored one.

        So the playbook takes the events of its own type alone, on or off, as it would once it is
        live. A threshold beside a playbook is that playbook's. Raises PlaybookNotFound.
        """
        if variant.playbook_id is None:
            return variant
        spec = variant.draft
        if spec is None and variant.version is not None:
            versions = PlaybookVersions(self._connection, self._tenant)
            spec = (await versions.read(variant.playbook_id, variant.version)).spec
        standing = await PlaybookRepository(self._connection, self._tenant).read(
            variant.playbook_id
        )
        spec = spec or standing.spec
        if variant.threshold is not None:
            spec = spec.model_copy(update={"threshold": variant.threshold})
        return variant.model_copy(update={"draft": spec, "version": None, "threshold": None})
