"""Sessions, as they are sent."""

from __future__ import annotations

from datetime import datetime

import msgspec


class ActiveSession(msgspec.Struct, frozen=True, kw_only=True):
    """The session that a user and an agent go on with, as clients of sessions know it."""

    user_id: str
    agent_name: str
    active_session_id: str
    created_at: datetime
    last_active_at: datetime
