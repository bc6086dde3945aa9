"""What in a message are the person's own words: no code, logs, quotations, lists, or text to work on. Pure."""

from __future__ import annotations

import re
import unicodedata

from recollect.text.fence import strip_fences

#: Nobody tells so much about himself in one message; what is longer was pasted.
MOST_CHARACTERS = 6000
MOST_SENTENCE = 400
#: The first of a message are read: so many short ones tell nothing that these do not.
MOST_SENTENCES = 100

_CODE_BLOCK = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<(pre|code)\b.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_TAGGED = re.compile(r"<([a-zA-Z][\w-]*)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL)
_INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u00ad\ufeff]")
_PASTED_LINE = re.compile(
    r"^\s*(?:>|\||[-*+•·]\s|\(?\d{1,3}[.)]\s|#{1,6}\s|\$\s|[{}\[\]<]|//|/\*|"
    r"\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\[?\d\d:\d\d:\d\d|(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE)\b|"
    r"(?:Traceback|File \"|at [\w.$]+\()|(?:def|class|import|from|return|for|while|if|else|elif|const|let|var|"
    r"public|"
    r"private|function|SELECT|INSERT|UPDATE|DELETE|CREATE)\b.*[:;({]\s*$|"
    r"(?:From|To|Cc|Subject|Date|Sent|De|Para|Asunto|System|Human|User|Assistant)\s*:)"
)
#: Who writes about code names a thing or two in many words.
MOST_NAMED = 2
WORDS_FOR_EACH = 4
_CODE_MARKS = re.compile(r"[{}=<>|\\;_\[\]]|\(\)|://|->|::|\w\.\w+\(")
#: In all the ways in which people are addressed: "traduce", "traducime", "tradúzcame", "me traduces".
_IN_SPANISH = (
    r"(?:trad[uú](?:ce|cí|ci|zca)(?:me|s)?|traducir(?:me)?|corr(?:i|í)(?:ge|ja)(?:me|s)?|correg(?:í|ime|ir|irme)|"
    r"res[uú]m(?:e|í|i|a)(?:me|s)?|resumir(?:me)?|reescrib(?:e|í|ime|es|ir|a)|revis(?:a|á|ame|ar|as|e)|rev[ií]s[ae]me|"
    r"mejor(?:a|á|ame|ar|as|e)|mej[oó]r[ae]me|parafrase(?:a|á|ar|as)|analiz(?:a|á|ar|as))"
)
#: "Translate this:", "here is my essay", "proofread the following": the rest of the message is material.
_MATERIAL = re.compile(
    r"\b(?:translate|proof-?read|summari[sz]e|rewrite|rephrase|paraphrase|correct|improve|edit|shorten|polish|"
    r"review|"
    r"analy[sz]e|critique|continue|finish|fix|format|convert|classify)\b.{0,40}"
    r"\b(?:this|these|the following|following|below|my (?:text|essay|email|e-mail|letter|story|poem|draft|"
    r"paragraph|"
    r"resume|cv|code|sentence|article|bio|paper|speech|message|lyrics|song))\b"
    r"|\b(?:here(?:'s| is| are)|below is|this is|these are) (?:the|my|a|an|our) (?:\w+ ){0,3}?(?:text|essay|"
    r"e-?mail|letter|"
    r"story|poem|draft|paragraph|resume|cv|code|log|logs|article|bio|paper|speech|transcript|message|output|error|"
    r"prompt|lyrics|script|conversation|review|dialog(?:ue)?)\b"
    rf"|\b{_IN_SPANISH}\b.{{0,40}}"
    r"\b(?:esto|este|esta|siguiente|mi (?:texto|carta|correo|ensayo|redacción|cuento|poema))\b",
    re.IGNORECASE,
)
#: A part that somebody else plays: nothing in the message is about the one who writes.
_PLAYED = re.compile(
    r"\b(?:act as|role-?play|pretend|imagine (?:that |you|i|we|being)|you are (?:now )?(?:a|an|the) |"
    r"in the style of|from the perspective|personas?\b|hypothetical(?:ly)?|once upon a time|"
    r"let's say|suppose (?:that |i|we|you)|for example|actúa como|imagina|finge|hagamos como|érase una vez)",
    re.IGNORECASE,
)
#: A text that is asked for: what was told before is the writer's own, but not that it is about, nor what follows.
_WRITTEN = re.compile(
    r"\b(?<!\bi )(?<!\bwe )(?<!\bto )write (?:me )?(?:a|an|the|about|in) |\bescribe un", re.IGNORECASE
)
_END = re.compile(r".*[.!?…\n]", re.DOTALL)
_POLITE = r"(?:(?:please|can you|could you|would you|now|then|and|hey|hi|por favor|puedes|podrías|me)\b,?\s+)*"
#: Work on a text: what comes after it is the text.
_TEXT_WORK = (
    r"(?:translat(?:e|ing)|proof-?read|rephrase|paraphrase|rewrite|reword|"
    r"trad[uú](?:ce|cí|ci|zca)(?:me|s)?|traducir(?:me)?|correg(?:í|ime|ir|irme)|corr(?:i|í)(?:ge|ja)(?:me|s)?|"
    r"reescrib(?:e|í|ime|ir)|parafrase(?:a|á|ar))"
)
_SOME_WORK = (
    r"(?:summari[sz]e|correct|improve|edit|shorten|polish|review|analy[sz]e|critique|continue|finish|fix|format|convert|"
    r"classify|check|read|explain|repeat|say|type|send|post|reply|answer|spell|resume|revisa|mejora|analiza|continúa|"
    r"completa|repite|di|escribe|envía|responde|lee|how (?:do|would) (?:you|i) say|cómo se dice)"
)
#: "Cover letter:", "Mi biografía:": the name of a kind of text.
_KIND_OF_TEXT = (
    r"(?:(?:cover |motivation )?letter|essay|e-?mail|story|poem|draft|paragraph|resume|cv|article|bio(?:graphy)?|"
    r"paper|speech|transcript|message|prompt|lyrics|song|script|dialog(?:ue)?|review|post|tweet|caption|sentence|phrase|"
    r"quote|text|statement|testimonial|about me|profile|abstract|example|sample|input|carta(?: de \w+)?|correo|"
    r"ensayo|cuento|historia|poema|borrador|párrafo|currículum|artículo|biografía|discurso|mensaje|texto|letra|canción|"
    r"guion|diálogo|reseña|frase|oración|cita|ejemplo|perfil)s?"
)
_SAYING = (
    r"(?:said|says|wrote|writes|told|tells|replied|replies|texted|posted|answered|emailed|goes|quoted?|reads|dijo|dice|"
    r"escribió|escribe|contó|cuenta|respondió|contestó|puso|publicó)"
)
_ASKED_TEXT = re.compile(
    r"\bhow (?:do|would|should) (?:you|i|we) say\b|\bcómo (?:se dice|digo|diría)\b|"
    rf"\b{_TEXT_WORK}\b|(?:^|[.!?\n][^\S\n]*+){_POLITE}{_SOME_WORK}\b[^.!?\n]{{0,60}}:\s*\S|"
    r"\b(?:write|draft|compose|generate|create|make|prepare|give me|need|want|"
    r"redact\w+|escr[ií]b(?:e|es|í|ís|a|as)(?:me)?|escribime|escribir(?:me)?|prep[aá]r[aáe](?:me|s)?|genera\w*|"
    rf"haz(?:me)?|haceme|haces|hacer(?:me)?|dame|das|darme|necesito|quiero|quisiera)\b[^.!?\n]{{0,50}}\b{_KIND_OF_TEXT}\b",
    re.IGNORECASE,
)
#: What introduces a text that is not the writer's own: from here on, nothing in the message is.
_INTRODUCTION = re.compile(
    rf"(?:^|(?<=[.!?…]\s))(?:{_POLITE}{_TEXT_WORK}\b[^\n]*"
    rf"|{_POLITE}{_SOME_WORK}\b[^.!?\n]{{0,60}}:\s*\S"
    rf"|(?:[\w'-]+ ){{0,4}}{_KIND_OF_TEXT}\b[^.!?\n:]{{0,30}}:\s*\S"
    rf"|(?!(?:i|yo) )[^.!?\n:]{{0,60}}\b{_SAYING}\b[^.!?\n:]{{0,30}}:\s*[^\s\x02])",
    re.IGNORECASE,
)
#: Stands where a quotation was.
_CUT = "\x02"
_QUOTATION = re.compile(
    r"[\"“«]([^\"“”«»]{1,2000})(?:[\"”»]|\Z)|(?<![\w'])'((?:[^'\n]|(?<=\w)'(?=\w)){8,2000})'(?!\w)"
)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|our|yo|mi|mis|me|soy|estoy|tengo|vivo|trabajo|nuestr[oa]s?)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“«]([^\"“”«»]{1,400})[\"”»]")
_SPEECH = re.compile(
    r"\b(?:said|says|say|told|tells|asked|asks|wrote|writes|replied|goes|was like|dijo|dice|dijeron|preguntó|"
    r"escribió|"
    r"me contó|according to|según)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?<=[.!?…])[\"”')\]]*\s+|\n+|(?<=[!?])(?=[A-ZÁÉÍÓÚÑ¿¡])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|approx|no|sr|sra|dra|ud|uds|jr|inc|ltd|bros|av|p\.ej)|"
    r"\b[A-Z])\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION = len("approx.")
#: A slip of the pen, as it is put right in chat: "*Rome".
_STARRED = re.compile(r"^\s*\*(\w[^*]{1,30})$")
#: ":)", "<3"
_EMOTICON = re.compile(r"(?<![ \t])[ \t]+(?:[:;]['’]?-?[()DPpo/|3*]+|=\)+|=\(+|<3+|\^_*\^)(?=[\s.,!?]|$)")
_PICTURES = {"So", "Sk", "Cs", "Co", "Cn"}


def sentences(content: str) -> list[str]:
    """The sentences that are a person's own words, each with the mark that ends it."""
    text = _INVISIBLE.sub("", strip_fences(content)).replace("’", "'").replace("‘", "'").replace("\r", "\n")
    if len(text) > MOST_CHARACTERS or _PLAYED.search(text):
        return []
    text = _QUOTATION.sub(_cut_out, _TAGGED.sub("\n", _CODE_BLOCK.sub("\n", _EMOTICON.sub("", text))))
    if written := _WRITTEN.search(text):
        before = _END.match(text, 0, written.start())
        text = "" if before is None else before[0]
    found: list[str] = []
    for line in _own_lines(text):
        found += [sentence for sentence in _split(line) if not _foreign(sentence)]
    return found[:MOST_SENTENCES]


def asks_for_text(content: str) -> bool:
    """Whether a text is asked for, a translation or a letter: who writes it is not who speaks in it."""
    text = content[:MOST_CHARACTERS]
    return (_ASKED_TEXT.search(text) or _WRITTEN.search(text) or _MATERIAL.search(text)) is not None


def _cut_out(quotation: re.Match[str]) -> str:
    """A quotation in which somebody speaks is not the writer's word; a title, or a name, is."""
    said = (quotation[1] or quotation[2]).rstrip()
    if len(said.split()) < 3 or not _FIRST_PERSON.search(said):
        return quotation[0]
    return _CUT + (said[-1] if said[-1] in ".!?…" else "")


def _own_lines(text: str) -> list[str]:
    own: list[str] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        if _PASTED_LINE.match(line) or _is_code(line):
            continue
        introduced = _INTRODUCTION.search(line)
        if introduced is not None:
            own.append(line[: introduced.start()])
            break
        material = _MATERIAL.search(line)
        if material is not None:
            own.append(line[: material.start()].rpartition(".")[0])
            break
        own.append(line)
        if line.rstrip().endswith(":"):  # what is announced is not told
            break
    return own


def _split(line: str) -> list[str]:
    if line.isascii():
        plain = line.replace("^", " ").replace("`", " ")  # the only ones of its characters that are pictures
    else:
        plain = "".join(" " if unicodedata.category(char) in _PICTURES else char for char in line)
    plain = _STARRED.sub(r"I meant \1", plain)
    whole: list[str] = []
    for part in _ENDS.split(" ".join(plain.replace("*", "").split())):
        if whole and _ABBREVIATION.search(whole[-1], max(0, len(whole[-1]) - _LONGEST_ABBREVIATION)):
            whole[-1] += " " + part
        elif part.strip():
            whole.append(part.strip())
    return whole


def _is_code(line: str) -> bool:
    """Whether a line is code, and not what somebody writes who names something in it: "expire_on_commit=False"."""
    words = line.split()
    marked = sum(_CODE_MARKS.search(word) is not None for word in words)
    return marked > MOST_NAMED or (marked > 0 and len(words) < WORDS_FOR_EACH * marked)


def _foreign(sentence: str) -> bool:
    """Quoted speech, addresses, code, and what is too long to be one thing."""
    if len(sentence) > MOST_SENTENCE or "://" in sentence or "www." in sentence or "`" in sentence:
        return True
    if _CUT in sentence or _CODE_MARKS.search(sentence.replace(";", ",")):
        return True
    quoted = _QUOTED.findall(sentence)
    return bool(quoted) and (
        _SPEECH.search(_QUOTED.sub(" ", sentence)) is not None or max(len(one.split()) for one in quoted) > 8
    )
