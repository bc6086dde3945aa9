"""What every part of the door has: the store, who asks, and what it works with."""

from __future__ import annotations

from recollect.chat.desk import Equipment
from recollect.forget.records import Keeping
from recollect.handle import Models
from recollect.records import Caller
from recollect.storage.database import Database


class Part:
    """A part of the door."""

    def __init__(
        self,
        database: Database,
        caller: Caller,
        models: Models,
        keeping: Keeping | None = None,
        equipment: Equipment | None = None,
    ) -> None:
        self._database = database
        self._equipment = equipment or Equipment()
        self._caller = caller
        self._models = models
        self._keeping = keeping or Keeping()

    @property
    def tenant(self) -> str:
        """The tenant that this door was opened for; nothing behind it reaches another."""
        return self._caller.tenant

    @property
    def database(self) -> Database:
        """Where everything is; for the worker and the server, which build on the inside."""
        return self._database

    @property
    def model(self) -> str:
        """The name of the embedding model, as it is stamped on vectors."""
        return self._models.embedder.name
