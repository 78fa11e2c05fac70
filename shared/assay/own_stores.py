"""The stores of what belongs to one caller: sessions, uploads, consents, memories, watches, usage, workspaces."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.caller import Caller
from assay.errors import ConfigError
from assay.services import Services

if TYPE_CHECKING:  # imported by the calls that need them, for fast cold starts
    from assay.consent.consent_records import ConsentStore
    from assay.memory.memory_store import MemoryStore
    from assay.monitoring.watch_store import WatchStore
    from assay.sessions.store import SessionStore
    from assay.state.ports import EmbeddingModel
    from assay.state.uploads import UploadStore
    from assay.usage.usage_store import UsageStore
    from assay.workspaces.workspace_store import WorkspaceStore


@dataclass(frozen=True)
class OwnStores:
    """Opens the stores of one caller. Raises ConfigError for one that the operator has not enabled."""

    services: Services
    caller: Caller

    @property
    def sessions(self) -> "SessionStore":
        """The caller's research sessions."""
        from assay.sessions.store import SessionStore

        settings = self.services.settings
        return SessionStore(
            self.services.table,
            self.caller.tenant,
            self.caller.user,
            clock=self.services.clock,
            seconds=settings.session_seconds,
            steps=settings.session_max_steps,
            watch=settings.watch_sessions,
        )

    @property
    def uploads(self) -> "UploadStore":
        """The caller's uploads."""
        from assay.state.uploads import UploadStore

        services, caller = self.services, self.caller
        return UploadStore(
            services.table, services.bucket, services.upload_target, caller.tenant, caller.user, services.clock
        )

    @property
    def consents(self) -> "ConsentStore":
        """The caller's consents."""
        from assay.consent.consent_gate import LOCAL
        from assay.consent.consent_records import ConsentStore

        owner = (self.caller.tenant, self.caller.user)
        return ConsentStore(
            self.services.table,
            *owner,
            clock=self.services.clock,
            granted_by_setting=self.services.settings.consent if owner == LOCAL else frozenset(),
            observers=self.services.observers,
        )

    @property
    def memories(self) -> "MemoryStore":
        """The caller's long-term memories."""
        from assay.memory.memory_store import MemoryStore

        settings = self.services.settings
        if not settings.memory_enabled:
            raise _refuse("Long-term memory is off here. The operator enables it", "MEMORY_ENABLED")
        return MemoryStore(
            self.services.table,
            self.caller.tenant,
            self.caller.user,
            clock=self.services.clock,
            seconds=settings.memory_seconds,
            most=settings.memory_most,
            cache=self.services.memory_shards,
            embedding=self._find_embedding_model(),
            vector_cache=self.services.memory_vectors,
        )

    def _find_embedding_model(self) -> "EmbeddingModel | None":
        services = self.services
        if not services.settings.key("EMBEDDING_BASE_URL"):
            return services.embedding
        from assay.language_models.embeddings import create_embedding_model

        return create_embedding_model(services.settings, services.http, services.embedding)

    @property
    def watches(self) -> "WatchStore":
        """The caller's watches."""
        from assay.monitoring.watch_store import WatchStore

        settings = self.services.settings
        if not settings.monitoring_enabled:
            raise _refuse("Watches are off here. The operator enables them", "MONITORING_ENABLED")
        return WatchStore(
            self.services.table,
            self.caller.tenant,
            self.caller.user,
            clock=self.services.clock,
            most=settings.monitoring_most,
        )

    @property
    def usage(self) -> "UsageStore":
        """The caller's counted calls."""
        from assay.usage.usage_store import UsageStore

        if not self.services.settings.analytics_enabled:
            raise _refuse("Analytics are off here. The operator enables them", "USER_ANALYTICS_ENABLED")
        return UsageStore(self.services.table, self.caller.tenant, self.caller.user, clock=self.services.clock)

    def open_workspace(self, workspace: str) -> "WorkspaceStore":
        """Open what the caller can do in the workspace."""
        from assay.workspaces.workspace_store import WorkspaceStore

        settings = self.services.settings
        if not settings.workspaces_enabled:
            raise _refuse("Workspaces are off here. The operator enables them", "WORKSPACES_ENABLED")
        return WorkspaceStore(
            self.services.table,
            workspace,
            self.caller.tenant,
            self.caller.user,
            clock=self.services.clock,
            seconds=settings.workspace_seconds,
            most=settings.workspace_most,
        )


def _refuse(sentence: str, variable: str) -> ConfigError:
    return ConfigError(f"{sentence} with {variable}=true.", field=variable, action="inform_user")
