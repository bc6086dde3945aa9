"""What an OpenAI-compatible endpoint understands of the OpenAI way to ask; most understand only a part of it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from recollect.models.instructions import schema_instruction, with_instruction
from recollect.ports import Prompt

Form = Literal["json_schema", "json_object", "words"]
_WEAKER_FORM: dict[Form, Form] = {"json_schema": "json_object", "json_object": "words"}

#: What an endpoint calls the things that it may not know, in the text of its refusal.
_NAMES = {
    "usage": ("stream_options", "include_usage"),
    "limit": ("max_tokens", "max_completion_tokens"),
    "form": ("response_format", "json_schema", "json_object", "schema", "guided", "grammar"),
}
#: Refusals that have nothing to do with how we ask.
_OTHER_REASONS = ("context length", "context_length", "context size", "content_filter", "content management")


class Dialect(msgspec.Struct, frozen=True):
    """How to ask. It begins with the most, and is remembered when an endpoint took less."""

    form: Form = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    usage: bool = True

    def request(self, prompt: Prompt, stream: bool) -> dict[str, Any]:
        """The fields of a chat completion request, without the model."""
        fields: dict[str, Any] = {"messages": list(prompt.messages)}
        if prompt.tools:
            fields["tools"] = list(prompt.tools)
        if prompt.max_tokens is not None:
            fields[self.limit] = prompt.max_tokens
        if prompt.schema is not None:
            fields |= self._structured(prompt, prompt.schema)
        if stream:
            fields["stream"] = True
            if self.usage:
                fields["stream_options"] = {"include_usage": True}
        return fields

    def _structured(self, prompt: Prompt, schema: Any) -> dict[str, Any]:
        if self.form == "json_schema":
            named = {"name": prompt.schema_name, "schema": schema, "strict": True}
            return {"response_format": {"type": "json_schema", "json_schema": named}}
        asked = {"messages": with_instruction(prompt.messages, schema_instruction(schema))}
        return asked | ({"response_format": {"type": "json_object"}} if self.form == "json_object" else {})

    def weaker(self, prompt: Prompt, stream: bool, refusal: str) -> Dialect | None:
        """What to try after a refusal: without what it names, else without the next thing that was sent."""
        refusal = refusal.lower()
        if any(reason in refusal for reason in _OTHER_REASONS):
            return None
        options: dict[str, Dialect] = {}
        if prompt.schema is not None and self.form in _WEAKER_FORM:
            options["form"] = msgspec.structs.replace(self, form=_WEAKER_FORM[self.form])
        if stream and self.usage:
            options["usage"] = msgspec.structs.replace(self, usage=False)
        if prompt.max_tokens is not None and self.limit == "max_tokens":
            options["limit"] = msgspec.structs.replace(self, limit="max_completion_tokens")
        named = [name for name in _NAMES if name in options and any(word in refusal for word in _NAMES[name])]
        return next((options[name] for name in [*named, *options]), None)
