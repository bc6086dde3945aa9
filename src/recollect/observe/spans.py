"""Spans of OpenTelemetry, for whoever has set ``RECOLLECT_SPANS``; without that, nothing is imported or done.

Only its API is used: what becomes of spans is decided by the SDK that the operator runs us with. A span carries
names and numbers of ours, never text, and of an error only its kind.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from recollect.errors import Invalid, to_install

_tracer: Any = None
_NOTHING: AbstractContextManager[Any] = nullcontext()


def start() -> None:
    """Make spans from now on, in this process."""
    global _tracer
    try:
        from opentelemetry import trace
    except ModuleNotFoundError:
        raise Invalid("spans", f"need OpenTelemetry; {to_install('otel')}") from None
    _tracer = trace.get_tracer("recollect")


def stop() -> None:
    """Make none any more."""
    global _tracer
    _tracer = None


def span(name: str, **facts: str | int | float | bool) -> AbstractContextManager[Any]:
    """A span around what is done inside; None instead of it where nobody wants one."""
    return _NOTHING if _tracer is None else _spanned(name, facts)


def beside(name: str, **facts: str | int | float | bool) -> AbstractContextManager[Any]:
    """The same within a generator, whose caller goes on in between: what it does there is not a part of this."""
    return _NOTHING if _tracer is None else _beside(name, facts)


@contextmanager
def _beside(name: str, facts: Mapping[str, Any]) -> Generator[Any]:
    made = _tracer.start_span(name, attributes=facts)
    try:
        yield made
    except Exception as error:
        _went_wrong(made, error)
        raise
    finally:
        made.end()


def serving(method: str, headers: Mapping[str, str]) -> AbstractContextManager[Any]:
    """The span of a request, which belongs to the trace that its ``traceparent`` names."""
    if _tracer is None:
        return _NOTHING
    from opentelemetry import propagate, trace

    there = propagate.extract({name: headers[name] for name in ("traceparent", "tracestate") if name in headers})
    return _spanned(method, {"http.request.method": method}, there, trace.SpanKind.SERVER)


@contextmanager
def _spanned(name: str, facts: Mapping[str, Any], parent: Any = None, kind: Any = None) -> Generator[Any]:
    from opentelemetry.trace import SpanKind

    with _tracer.start_as_current_span(
        name,
        context=parent,
        kind=kind or SpanKind.INTERNAL,
        attributes=facts,
        record_exception=False,  # its text may quote input
        set_status_on_exception=False,
    ) as made:
        try:
            yield made
        except Exception as error:
            _went_wrong(made, error)
            raise


def _went_wrong(made: Any, error: Exception) -> None:
    from opentelemetry.trace import StatusCode

    made.set_attribute("error.type", type(error).__name__)
    made.set_status(StatusCode.ERROR)


def answered(made: Any, method: str, route: str, status: int, request: str, with_tenant: bool) -> None:
    """Name the span of a request by its route, and say how it was answered."""
    if made is None:
        return
    from opentelemetry.trace import StatusCode

    made.update_name(f"{method} {route}")
    made.set_attribute("http.route", route)
    made.set_attribute("http.response.status_code", status)
    made.set_attribute("recollect.request", request)
    made.set_attribute("recollect.with_tenant", with_tenant)
    if status >= 500:
        made.set_status(StatusCode.ERROR)
