"""What says that something is no longer as it was, and a few matters in which what is older misleads. Pure."""

from __future__ import annotations

import re

import msgspec

from recollect.text.wordlists import listed

_CHANGE = re.compile(
    r"\b(?:moved|changed|switched|postponed|rescheduled|delayed|brought forward|replaced|sold|swapped|upgraded|"
    r"no longer|any ?more|instead|from now on|now|these days|"
    r"ahora|ya no|en vez de|cambi(?:é|ó|ado|aron|amos)|mud(?:é|ó|ado|amos)|vend(?:í|ió|ido|imos)|"
    r"aplaz(?:ó|ado|aron|amos)|retras(?:ó|ado|aron)|adelant(?:ó|ado|aron))\b",
    re.IGNORECASE,
)
#: How a statement about the user begins, and not one about the user's mother.
_USER = r"^(?:the |el |la )?(?:user|usuari[oa])(?: (?:has|have|just|recently|finally|now|already|also|ya|se|ha))*"
_OF_USER = re.compile(_USER + r"\b(?!['’]s)", re.IGNORECASE)


#: How the user speaks of themselves.
_SELF = r"\b(?:i|we)(?:['’]ve| have| just| recently| finally| now| already| also)*"
#: What one moves to without moving house: "the Pro plan", "Chapter 3", "Linux".
NO_PLACE = (
    r"(?!(?:the |an? |el |la |un |una )?(?:[\w.-]+ ){0,2}(?:plan|tier|subscription|package|diet|version|chapter|"
    r"part|episode|season|level|stage|phase|step|round|section|page|team|department|division|role|position|"
    r"project|sprint|model|schedule|shift|format|framework|platform|dieta|versión|capítulo|parte|nivel|fase|equipo|"
    r"departamento|proyecto|puesto|horario)s?\b)"
    r"(?!(?:pro|premium|plus|basic|enterprise|gold|linux|ubuntu|debian|fedora|nixos|windows|macos|mac|ios|android|"
    r"python|rust|java|javascript|typescript|kotlin|swift|golang|scala|elixir|ruby|rails|django|flask|fastapi|"
    r"react|vue|svelte\w*|angular|node|deno|bun|docker|podman|nomad|terraform|ansible|jenkins|kafka|rabbitmq|redis|"
    r"valkey|mongo\w*|sqlite|postgres\w*|mysql|mariadb|snowflake|bigquery|kubernetes|k8s|aws|gcp|azure|hetzner|"
    r"heroku|vercel|cloudflare|github|gitlab|bitbucket|codeberg|git|jira|asana|trello|vim|neovim|emacs|vs ?code|"
    r"gmail|outlook|chrome|firefox|whatsapp|telegram|zoom|discord|obsidian|excel|"
    r"netflix|spotify|slack|notion|marketing|sales|engineering|remote|management|freelanc\w+|vegan\w*|vegetarian\w*|keto|"
    r"decaf|tea|coffee|(?:full|part|half)[- ]time|nights|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b)"
)
#: A place to live in: nobody lives in the next question.
PLACE = (
    rf"{NO_PLACE}(?:(?:the |(?:north|south|east|west|central|down|up|inner|outer|greater|rural)\w*[ -])*"
    r"(?-i:[A-ZÁÉÍÓÚÑ])|\d+[a-z]? (?-i:[A-Z])|"
    r"(?:[\w'’]+ ){1,3}(?:flat|apartment|house|home|place|city|town|village|country|countryside|suburbs?|coast|"
    r"island|farm|condo|studio|dorm|neighbou?rhood|district|street|mountains?)\b|(?:abroad|downtown)\b|"
    r"(?:otr[oa]|un[oa]?|la|el) (?:\w+ )?(?:piso|casa|ciudad|pueblo|país|costa|campo|barrio)\b)"
)
#: The name of one, written small.
SMALL_PLACE = rf"{NO_PLACE}(?!(?:the|an?|el|la|una?)\b)\w+(?:\W*$| (?:in|for|last|this|with|from|after|en)\b)"
#: What one lives on: "working on a novel" and "working out" are not that.
_EMPLOYED = (
    r"(?:job\b(?! done)|position\b(?! (?:on|about|against|that))|working\b(?! (?:on|out|towards?|through|up)\b))"
)
#: Who joins one of these does not work there, …
_NO_EMPLOYER = (
    r"(?!(?:the |an? )?(?:[\w&.'’-]+ ){0,3}(?:gym|club|choir|church|band|orchestra|society|party|library|"
    r"association|league|class|course|group|server|channel|network|community|union|cooperative|co-op|army|navy|fitness|"
    r"studio|crossfit|programme|program|trip|tour|waitlist|challenge|list|call|meeting|family|webinar|forum|chat|"
    r"lunch|dinner|breakfast|drinks|coffee|walk|hike|run|weekend)\b)"
    r"(?!(?:facebook|instagram|twitter|linkedin|reddit|discord|telegram|whatsapp|tiktok|youtube|netflix|spotify|strava|"
    r"zoom|slack|teams|github|tinder|hinge|bumble|costco|mastodon|bluesky|duolingo|meetup|weight|amazon prime)\b"
    r"(?! as\b))"
)
#: … but who joins somebody by name as something does, or one with a name that is nothing of the kind.
_JOINED = rf"joined (?:[\w&.'’-]+ ){{1,3}}as an?\b|joined {_NO_EMPLOYER}(?:the )?(?-i:[A-Z])"
_TRABAJAR = (
    r"a trabajar\b(?! en (?:una?|su|el|la|mi) (?:\w+ )?(?:novela|libro|proyecto|tesis|tema|idea|artículo)\b)"
)


class Matter(msgspec.Struct, frozen=True):
    """Something of which a user has one at a time, and which changes in words of its own."""

    asked: re.Pattern[str]
    words: str
    """What a change is looked for by."""
    told: re.Pattern[str]
    said: re.Pattern[str]
    """How the user says it."""
    beside: re.Pattern[str]
    """What has a word of it, and is about something else."""

    def is_of_user(self, text: str) -> bool:
        """Whether a statement is about this matter of the user's, and not about somebody of theirs."""
        return _OF_USER.search(text) is not None and self.beside.search(text) is None


def _matter(asked: str, words: str, told: str, said: str, beside: str) -> Matter:
    return Matter(
        re.compile(asked, re.IGNORECASE),
        words,
        re.compile(rf"{_USER} (?:{told})", re.IGNORECASE),
        re.compile(said, re.IGNORECASE),
        re.compile(beside, re.IGNORECASE),
    )


_MATTERS = (
    _matter(
        r"\bwhere (?:do|does|am|is|are) (?:i|we|the user) (?:\w+ )?(?:live|living|based|reside)\b|"
        r"\b(?:what|which) (?:city|town|country|place) (?:do|does|am|is) (?:i|we|the user) (?:\w+ )?"
        r"(?:live|living|based)\b|"
        r"\b(?:what is|what's) my (?:current |home )?(?:address|city|town)\b|"
        r"\bd[oó]nde (?:vivo|vivimos|resido|vive (?:el|la) usuari[oa])\b|"
        r"\ben qu[eé] (?:ciudad|pueblo|pa[ií]s|barrio) (?:vivo|resido)\b",
        "moved relocated settled mudó mudado trasladó trasladado",
        rf"(?:moved|relocated|settled)(?: back| out| over| house| down)* (?:to|in|into) {PLACE}|"
        rf"(?:moved|relocated)(?: back| out| over)* to {SMALL_PLACE}|moved in (?:with|together)\b|"
        rf"(?:mudó|mudado|trasladó|trasladado) (?:\w+ )?a (?:{PLACE}|{SMALL_PLACE})",
        rf"{_SELF} (?:moved|relocated|settled)(?: back| out| over| house| down)* (?:to|in|into) {PLACE}|"
        rf"{_SELF} moved\W+(?:so )?(?:i|we)(?:['’]m|['’]re| am| are)(?: now)?(?: living)? in {PLACE}|"
        rf"\b(?:me|nos) (?:(?:he|hemos) )?(?:mud|traslad)(?:é|amos|ado) (?:\w+ )?a {PLACE}",
        r"\bliv(?:es?|ed|ing) (?:for|by|off|up to|through)\b|\bfavou?rite (?:city|town|place|country)\b",
    ),
    _matter(
        r"\bwhere (?:do|does|am|is|are) (?:i|the user) (?:\w+ )?(?:work|working|employed)\b|"
        r"\b(?:who is|who's|what is|what's) my (?:current )?(?:employer|company|job)\b|"
        r"\b(?:what|which) company (?:(?:do|does) (?:i|the user) work|(?:am|is) (?:i|the user) (?:at|with))\b|"
        r"\bwho (?:do|does) (?:i|the user) work for\b|"
        r"\bd[oó]nde trabaj(?:o|a (?:el|la) usuari[oa])\b|\b(?:en|para) qu[eé](?: empresa)? trabajo\b|"
        r"\bcu[aá]l es mi (?:empleo|trabajo|empresa)\b",
        "joined started job jobs hired retired empezó empezado trabajo empleo contratado jubiló jubilado",
        rf"(?:started|got|found|accepted|took|began|lost|left|quit) (?:\w+ ){{0,2}}{_EMPLOYED}|"
        rf"(?:changed|switched) jobs\b|{_JOINED}|(?:been |was |got )hired\b|hired (?:by|as)\b|"
        r"retired\b(?! (?:the|his|her|their|its)\b)|"
        rf"(?:empezó|empezado|comenzó) (?:{_TRABAJAR}|en\b|un trabajo\b)|"
        r"(?:cambió|cambiado) de (?:trabajo|empleo)\b|"
        r"(?:encontró|encontrado|perdió|perdido|dejó|dejado) (?:\w+ ){0,2}(?:trabajo|empleo)\b|"
        r"(?:sido|fue) contratad[oa]\b|(?:jubiló|jubilado)\b",
        rf"{_SELF} (?:(?:started|got|found|accepted|took|began) (?:\w+ ){{0,2}}{_EMPLOYED}|"
        rf"(?:changed|switched) jobs\b|{_JOINED}|(?:been |was |got )hired\b|"
        r"retired\b(?! (?:the|my|our|his|her|their|its)\b))|"
        rf"\b(?:he )?(?:empezado|empecé|comenzado|comencé) {_TRABAJAR}|"
        r"\b(?:cambié|he cambiado) de (?:trabajo|empleo)\b|\bme (?:he jubilado|jubilé|han contratado)\b",
        r"\bwork(?:s|ed|ing)? (?:on|out|towards?|through|up)\b|"
        r"\btrabaj\w+ en (?:una?|su|el|la|mi) (?:\w+ )?(?:novela|libro|proyecto|tesis|tema|idea|artículo)\b",
    ),
)
#: The same of what is looked for in these words only where nothing else tells it.
_OTHERWISE = (
    _matter(
        r"\b(?:what is|what['’]s) (?:my|the user['’]s) (?:\w+ )?name(?=\W*$)|\bwhat am i called\b|"
        r"\bwhat should (?:i|you|we) call (?:me|the user)\b|^\W*(?:my |(?:the )?user(?:['’]s)? )?name\W*$",
        "called call name goes",
        r"(?:(?:wants|prefers|likes|asked|wishes|would like) to be called|goes by|is called|is named)\b",
        r"\bcall me (?-i:[A-Z])|\bmy name(?:['’]s| is)\b|\bi(?:['’]m| am) called\b|\bi go by\b",
        r"(?!)",
    ),
    _matter(
        r"\b(?:when|what time) (?:do|does) (?:i|the user) (?:\w+ )?(?:get|wake) up\b",
        "wakes gets rises alarm up",
        r"(?:\w+ )?(?:wakes|gets|is) up\b|(?:\w+ )?rises at\b|sets (?:an|the|his|her|their) alarm\b",
        r"\bi (?:\w+ )?(?:wake|get) up\b|\bi(?:['’]m| am) up at\b|\bmy alarm\b",
        r"(?!)",
    ),
    _matter(
        r"\bhow old (?:am|is) (?:i|the user)\b|\b(?:what is|what['’]s) (?:my|the user['’]s) age\b|"
        r"^\W*(?:my |(?:the )?user(?:['’]s)? )?age\W*$",
        " ".join(map(str, range(10, 100))),
        r"(?:is|turned|turns) (?:now |already )?\d\d(?: years old)?(?=\W*$|,| and\b| years old\b)",
        r"\bi(?:['’]m| am| turned| just turned) \d\d(?: years old)?(?=\W|$)(?! (?:minutes?|hours?|days?|km|kilo))",
        r"(?!)",
    ),
    _matter(
        r"\bwhere (?:am|is) (?:i|the user) (?:originally )?from\b|\bwhere (?:do|does) (?:i|the user) come from\b|"
        r"\bwhere did (?:i|the user) grow up\b|\bwhere was (?:i|the user) (?:born|raised)\b|\bplace of birth\b|"
        r"^\W*(?:my |(?:the )?user(?:['’]s)? )?(?:home ?town|nationality|origins?|birth ?place)\W*$",
        "born grew raised native comes originally citizen",
        r"(?:was |is )?(?:born|raised|brought up) (?:in|near|on)\b|(?:is|comes) (?:originally )?from (?-i:[A-Z])|"
        r"grew up\b|is an? (?:\w+ )?(?:native|citizen)\b",
        r"\bi(?:['’]m| am| was|['’]ve) (?:born|raised|brought up) (?:in|near|on)\b|\bi grew up\b|"
        r"\bi(?:['’]m| am| come) (?:originally )?from (?-i:[A-Z])",
        r"(?!)",
    ),
)
_HOME = re.compile(rf"{_USER} (?:currently )?(?:lives|is (?:now )?(?:living|based)|vive)\b", re.IGNORECASE)
_WORK = re.compile(
    rf"{_USER} (?:currently )?(?:works|is (?:now )?(?:working|employed)|"
    r"(?:runs|owns) (?:an?|the|his|her|their) (?:[\w-]+ ){0,2}(?:business|company|firm|shop|store|"
    r"restaurant|caf[eé]|bakery|farm|salon|agency|practice|studio|bar|pub|hotel|startup)|trabaja)\b",
    re.IGNORECASE,
)
_EARLIER = ("before", "previous", "earlier", "former", "use to", "in the past")
_BEFORE = re.compile(
    r"\b(?:before|earlier|in the past)\W*$|\b(?:previous|former)(?:ly)?\b|\bdid (?:\w+ ){1,2}use to\b",
    re.IGNORECASE,
)
_WAS = re.compile(
    r"\b(?:lived|worked|used to|moved (?:\w+ ){0,2}from|until|till|was|were|had|owned|drove|previous(?:ly)?|"
    r"former(?:ly)?|ex-\w+|no longer)\b",
    re.IGNORECASE,
)
#: What was so long ago that it is no newer state of things, whenever it is told.
_OVER = re.compile(
    r"(?<!\bis )(?<!\bam )(?<!\bare )(?<!\bgot )(?<!\bget )\bused to\b|"
    r"\bwhen (?:the )?(?:user|i|we) (?:was|were)\b|\bas an? (?:child|kid|boy|girl|teenager|student)\b|"
    r"\b(?:previously|formerly|back then)\b|\bde (?:niñ[oa]|pequeñ[oa]|joven)\b|\bcuando era\b",
    re.IGNORECASE,
)
#: One of these every such question has; looking for letters is far cheaper than the patterns.
_CUES = listed("liv based resid address city town work employ company job viv trabaj empleo empresa")


def tells_change(text: str) -> bool:
    """Whether it speaks of a change, or of how things are by now."""
    return _CHANGE.search(text) is not None


def asks_for_before(question: str) -> bool:
    """Whether it asks for how things were, and not for how they are: "where did I live before?"."""
    return any(map(question.lower().__contains__, _EARLIER)) and _BEFORE.search(question) is not None


def tells_of_before(text: str) -> bool:
    """Whether a statement is about how things were."""
    return _WAS.search(text) is not None


def is_over(text: str) -> bool:
    """Whether a statement says itself that it holds no more: "user's favourite colour was red as a child"."""
    return _OVER.search(text) is not None


def changing(question: str) -> Matter | None:
    """The matter that a question asks for, if it is one of these."""
    if not any(map(question.lower().__contains__, _CUES)):
        return None
    return next((matter for matter in _MATTERS if matter.asked.search(question)), None)


def otherwise(question: str) -> Matter | None:
    """What a question asks for, if it is told in words that are too common to be looked for at once."""
    return next((matter for matter in _OTHERWISE if matter.asked.search(question)), None)


def tells_home(text: str) -> bool:
    """Whether it says where the user lives, or has moved to."""
    return _HOME.match(text) is not None or _MATTERS[0].told.match(text) is not None


def tells_work(text: str) -> bool:
    """Whether it says what the user works as, or where, or that this has changed."""
    return (_WORK.match(text) or _MATTERS[1].told.match(text)) is not None and not _MATTERS[1].beside.search(text)
