"""Text that tells an agent what to do; "user prefers short answers" only tells about a user. Pure."""

from __future__ import annotations

import re

_AGENT = (
    r"(?:assistants?|agents?|ai|a\.i\.|models?|llms?|(?:chat)?bots?|chatgpt|claude|gpt|asistente|agente|modelo|ia)"
)
_ORDERS = (
    r"instru[ck]\w*|rules?|prompts?|guidelines?|directives?|polic(?:y|ies)|restrictions?|safeguards?|"
    r"guardrails?|filters?|"
    r"anweisung\w*|istruzion\w*|reglas?|normas?|regeln|ordenes|directrices|indicaciones|restricciones"
)
_OUTSET = r"(?:^|[.:;,!?()\[\]\"'\n–—-]\s*|\b(?:please|por favor)\s+)"
_START = r"(?:^|[.:;,!?()\[\]\"'\n–—-]\s*|\b(?:please|and|then|so|por favor|y)\s+)"

_PATTERNS = [
    # setting aside what was said before
    rf"\b(?:ignor\w*|disregard\w*|forget\w*|overrid\w*|bypass\w*|disobey\w*|drop|skip|olvid\w*|desobede\w*|"
    rf"omit\w*)\b\W+"
    rf"(?:[\w']+\W+){{0,5}}(?:{_ORDERS}|(?:previous|prior|above|earlier|anterior\w*|previ[ao]s?)\b)",
    r"\bhaz caso omiso\b",
    r"(?:忽略|忽視|无视|無視|忘记|忘記|不要理会|不要遵守).{0,12}(?:指令|指示|规则|規則|提示|命令|说明)",
    r"(?:指示|命令|ルール|プロンプト).{0,8}(?:無視|忘れ)|(?:지시|명령|규칙).{0,8}(?:무시|잊)",
    r"(?:игнорир|забудь|забудьте)\w*.{0,30}(?:инструкц|правил|указан)",
    r"\b(?:ignorez?|oublie[zr]?|ignora|dimentica|ignorier\w*|vergiss)\b.{0,30}"
    r"\b(?:instructions?|consignes|règles|istruzioni|regole|anweisungen|regeln|instruções|regras)\b",
    rf"\b(?:new|updated|hidden|secret|real|additional|nuevas?|ocultas?) (?:system )?(?:{_ORDERS})\b",
    # speaking to the agent
    r"\byou (?:must|should|shall|have to|need to|ought to|will (?:now|always|never|only)|are (?:now|to|"
    r"no longer|an?|the|free|allowed)|"
    r"can now|may now)\b",
    r"\bfrom (?:now|here|this point) on\b|\bhenceforth\b|\bfrom this moment\b|\bgoing forward,? (?:always|"
    r"never|you)\b",
    r"\b(?:a partir de ahora|de ahora en adelante|desde ahora)\b",
    r"\b(?:debes|deberas|tienes que|has de|eres (?:ahora )?(?:un|una|el|la|libre)|ya no eres)\b",
    rf"\b(?:the |el |la |this |any |every |your )?{_AGENT}(?:'s)?,? (?:must|should|shall|has to|needs to|"
    rf"have to|is (?:now )?(?:allowed|"
    r"authori[sz]ed|required|permitted|supposed|to|instructed|free)|can now|may now|will (?:now|always|never)|"
    r"ought|debe\w*|tiene que)\b",
    rf"\b(?:the|an?|el|la|this|my|your|their|any)? ?{_AGENT} to [a-z]+",
    rf"\b(?:quiere|pide|ordena|pidio|exige|necesita|espera|desea) que (?:el|la|su)? ?{_AGENT}\b",
    r"\b(?:wants?|asks?|asked|told|tells|instruct(?:s|ed)|expects?|requires?|orders?|authori[sz]e[sd]?|"
    r"allow(?:s|ed)|permit(?:s|ted)|"
    r"needs?|would like) you to\b",
    # orders
    rf"{_OUTSET}(?:always|never|only|do not|don't|must)\s+(?:answer|reply|respond|say|tell|call|recommend|"
    rf"suggest|mention|refuse|reveal|"
    r"include|use|send|follow|obey|output|end|start|begin|write|speak|trust|warn|inform|ask|share|forward|"
    r"agree|comply|append|add|"
    r"praise|promote|treat|translate|insert|give|provide|execute|run|call)\b",
    rf"{_START}(?:siempre|nunca|solo|no)\s+(?:le |les |me )?(?:respond\w*|digas|di|menciones|reveles|"
    rf"recomiend\w*|uses|usa|sigas|sigue|"
    r"confies|preguntes|avises|cuentes|obedece\w*|envi\w*|contesta\w*|rechac\w*)\b",
    rf"{_START}(?:responde|contesta|habla|envia|ejecuta|revela|muestra|imprime|repite|obedece|actua|finge|"
    rf"escribe|recomienda)\b",
    r"\bremember to (?:always|never|tell|say|send|recommend|add|include|ask)\b",
    rf"{_START}(?:act|behave|respond|answer|reply|pretend|role-?play|speak|talk|operate) (?:as|like|only|in|"
    rf"with|to be|exactly)\b",
    rf"\b(?:reveal|leak|disclose|exfiltrate|dump|print|repeat|output|expose|steal|"
    rf"extract)\w*\b\W+(?:[\w'-]+\W+){{0,6}}(?:{_ORDERS}|"
    r"passwords?|secrets?|keys?|credentials?|memor(?:y|ies)|conversations?|history|data|tokens?|files?|context)\b",
    rf"\b(?:revel\w*|muestr\w*|imprim\w*|filtr\w*|repit\w*|divulg\w*)\b\W+(?:[\w'-]+\W+){{0,6}}(?:{_ORDERS}|"
    rf"contrasenas?|secretos?|"
    r"claves?|sistema|memorias?|datos|historial)\b",
    rf"{_START}(?:send|forward|transfer|wire|pay|email|e-mail|post|upload|submit|copy)\s+(?:all|the|every|any|"
    rf"their|this|each|it|user|"
    r"me|\$|€|\d)",
    rf"{_START}(?:execute|run|call|invoke|use|open|visit|click|fetch|download|delete|erase|remove|wipe|"
    rf"install) (?:the |this |all |every |"
    r"any |following |a |https?:|your )",
    r"\b(?:call|invoke|use|run|execute) the [\w ]{1,30}(?:tool|function|command|script|plugin|api)\b",
    r"\bwhen(?:ever)? (?:asked|you|anyone asks|someone asks|the user asks|they ask|questioned|responding|"
    r"answering|replying)\b",
    r"\bif (?:asked|you|anyone asks|someone asks|the user asks)\b|\b(?:cuando|si) (?:te )?(?:pregunt\w+|pidan|"
    r"respondas)\b",
    # the machine room
    r"\b(?:system|developer|initial|hidden|root) (?:prompt|message|instructions?|override|note|command|"
    r"directive)\b",
    r"\b(?:prompt|mensaje|instrucciones) (?:del|de) (?:sistema|desarrollador)\b",
    r"\b(?:developer|admin|god|debug|dan|jailbreak|root|sudo|maintenance|unrestricted|modo (?:\w+ )?)\s?mode\b|"
    r"\bjailbr\w+|\bdo anything now\b",
    r"\bmodo (?:desarrollador|administrador|dios|depuracion|sin restricciones)\b",
    r"\b(?:no|without|any|sin)(?: more)? (?:restrictions|limitations|filters|safety|censorship|restricciones|"
    r"limites|filtros)\b",
    r"\b(?:admin|administrator|root|superuser|elevated|full system|unrestricted) (?:access|rights|privileges?|"
    r"permissions?)\b",
    rf"\b(?:administrator|admin|owner|developer|creator|operator|root) of (?:the|this) (?:system|{_AGENT})\b",
    r"\b(?:treat|consider|regard) (?:all|any|this|the|these|every|everything|following|"
    r"what)\b.{0,60}\b(?:trusted|system|instruction|"
    r"admin|authori|true|fact|verified|safe)",
    rf"\bnote to (?:self|the )?(?:{_AGENT})?\b|\b(?:attention|important|urgent|nota|atencion|importante)\s?[:!]",
    r"(?:^|[\n\"'.:;>*#-]\s*)(?:system|assistant|developer|human|user|sistema|asistente|usuario)\s*:",
    r"<\|?\s*/?\s*[a-z|!]|\|>|\[/?inst\]|<<|>>|\{\{|\}\}|\$\{|```|~~~|#{2,}|\[/?(?:system|user|assistant|end|"
    r"begin)\b|-{4,}|={4,}|"
    r"\b(?:begin|end) (?:of )?(?:system|prompt|instructions?|memory|memories|context|data|evidence)\b",
    r"\brm -rf\b|\bsudo \w|\bcurl \S|\bwget \S|\bdrop table\b|\beval\(|\bos\.system\b|javascript:|data:text|"
    r";--|' or '?1",
]  # fmt: skip
_ANY = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))


def tells_what_to_do(reading: str) -> bool:
    """Whether a reading (``disguise.readings``) is, or has in it, an order to an agent."""
    return _ANY.search(reading) is not None
