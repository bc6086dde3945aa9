"""Deliver what is in the outbox: to the handler that was registered for it, or as a signed request to the
operator's address. At least once: whoever receives it can tell a repetition by its id.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from recollect.chat.actions import delivery_from
from recollect.chat.desk import Equipment, Webhook
from recollect.chat.records import Delivery
from recollect.errors import Unavailable
from recollect.records import Caller
from recollect.storage.database import Database

SECONDS = 15.0
HANDLER_SECONDS = 60.0


#: So long an action waits for somebody who can deliver it. It stays in the outbox after that, for whoever comes.
WAITING = timedelta(days=7)


class NobodyHere(Exception):
    """Neither a handler for this action nor a webhook is here; another process may have one."""


async def deliver(database: Database, caller: Caller, equipment: Equipment, id: str) -> str | None:
    """Try to deliver one entry; how it was done, or None if there is nothing left to do."""
    async with database.transaction(caller.tenant) as transaction:
        row = await transaction.row("try_delivery", id)
        if row is None:
            return None
        entry = delivery_from(row)
        handler = equipment.handlers.get(entry.action)
        if handler is None and equipment.webhook is None:
            if entry.created_at < datetime.now(UTC) - WAITING:
                return None
            raise NobodyHere  # and it was no try
    if handler is not None:
        async with asyncio.timeout(HANDLER_SECONDS):
            await equipment.threads.call(handler, entry)
        return "handler"
    assert equipment.webhook is not None
    await asyncio.to_thread(_post, equipment.webhook, caller.tenant, entry)
    return "webhook"


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """What a receiver computes again: the time belongs to it, so that an old request cannot be sent anew."""
    mark = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return f"sha256={mark}"


def _post(webhook: Webhook, tenant: str, entry: Delivery) -> None:
    body = msgspec.json.encode(
        {
            "id": entry.id,
            "action": entry.action,
            "tenant": tenant,
            "conversation": entry.conversation,
            "user": entry.user,
            "agent": entry.agent,
            "createdAt": entry.created_at,
            **entry.payload,
        }
    )
    timestamp = str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "recollect",
        "Recollect-Id": entry.id,
        "Recollect-Timestamp": timestamp,
        "Recollect-Signature": signature(webhook.secret, timestamp, body),
    }
    request = urllib.request.Request(webhook.url, body, headers, method="POST")  # noqa: S310  # the settings check it
    try:
        with _OPENER.open(request, timeout=SECONDS) as response:
            status = response.status
    except urllib.error.HTTPError as error:
        with error:
            status = error.code
    except OSError as error:
        raise Unavailable("webhook", f"it does not answer ({type(error).__name__})") from None
    if not 200 <= status < 300:
        raise Unavailable("webhook", f"it answered {status}", status=status)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The operator named one address; nobody else decides on another."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        """Never."""


_OPENER = urllib.request.build_opener(_NoRedirects)
