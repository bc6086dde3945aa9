"""Whether a statement is worth keeping, what kind of thing it is, and how much it matters. Pure."""

from __future__ import annotations

import re

import msgspec

from recollect.remember.extract.statement import SPEAKER, Statement
from recollect.remember.extract.topics import FAMILY, IMPORTANCE, category_of
from recollect.remember.extract.verb_worth import DENIED, OTHER, TALK, TASTES, VERBS
from recollect.text.english_verbs import BASES, base_of
from recollect.text.grounding import content_words
from recollect.text.wordlists import listed


class Worth(msgspec.Struct, frozen=True):
    """A score on a scale where ``choose.THRESHOLD`` is just enough, a category, and an importance."""

    score: float
    category: str
    importance: float


NOTHING = Worth(0.0, "event", 0.0)


#: Words that tell nothing about anybody, and do not make two things alike.
VAGUE = listed(
    "thing things lot bit fun time way people day days kind sort idea place places stuff part world life today "
    "everyone "
    "good great nice new best big little favorite favourite love like enjoy feel want get go make other others "
    "much always "
    "cosa cosas día gente tiempo vida bueno buena mucho mucha"
)
#: What nearly everybody does and likes tells little about anybody.
_COMMON = listed(
    "movie movies film films tv television show shows music song songs book books read reads reading watch "
    "watching listen "
    "listening play playing game games video travel traveling travelling hang out walk walks walking friends "
    "family beach "
    "outside food eat eating sleep relax relaxing busy active internet sports hike hiking cook cooking likes "
    "loves enjoys liked "
    "loved spend spending fan favorite work working learn learning help helping cine música leer libros "
    "películas viajar "
    "amigos comida comer caminar gusta encanta pasear"
)

#: "I have a question": what the talk is about, not what the speaker is like.
_TASK = re.compile(
    r"^(?:(?:a|an|the|some|another|el|la|los|las|one|two|few|many|no|any|so|this|my|quick|small|little|big|great|good|weird|"
    r"strange|follow-up|"
    r"more|several|couple|of|also|simple|un|una|otra|unas|unos|muchas?|varias?) )*"
    r"(?:questions?|problems?|issues?|errors?|bugs?|ideas?|thoughts?|doubts?|request|feeling|list|table|file|"
    r"function|script|code|"
    r"data(?:frame|set|base)?|variable|string|array|class|regex|query|spreadsheet|document|text|prompt|"
    r"sentence|paragraph|"
    r"favou?r|suggestions?|time|trouble|clue|hope|faith|point|fun|blast|choice|luck|to|been|say|look|no idea|"
    r"preguntas?|problemas?|dudas?|ideas?|error|tiempo|que|razón|ganas|código|archivo|lista|tabla|función|"
    r"texto|suerte)\b",
    re.IGNORECASE,
)
#: "I have a favourite song", "I have many favourites": nothing is named.
_UNDECIDED = re.compile(r"(?:an?|any|so many|many|a lot of|a few|one) (?:\w+ )?favou?rites?\b")
#: What goes on at this moment, with nothing said about it: "I'm reading", "I'm going to go for a walk".
_MOMENT = re.compile(
    r"(?:currently |still |always )?\w+ing$|going to (?:go|head|leave|call|talk|grab|meet)\b"
    r"(?!.*(?:\d|next|tomorrow|\w+day\b))"
)
_STATE = re.compile(  # how somebody feels in the talk, and what he is doing in it
    r"^(?:(?:so|very|really|pretty|quite|just|also|too|a bit|a little|a tad|super|always|still|all|still|"
    r"kind of|sort of|more than|"
    r"definitely|not|truly|also|absolutely|looking|most|muy|un poco|algo|bastante|tan|súper|medio) )*"
    r"(?:glad|sorry|sure|happy|excited|thrilled|here|back|ready|good|fine|ok|okay|great|well|doing|curious|"
    r"thankful|grateful|"
    r"impressed|surprised|honou?red|flattered|jealous|envious|intrigued|down|off|done|right|wrong|aware|"
    r"confused|bored|hungry|"
    r"kidding|joking|listening|talking|saying|wondering|thinking|trying|looking|hoping|guessing|assuming|"
    r"checking|asking|able|"
    r"fan|certain|positive|convinced|proud of|open|in|on it|at|about|from what|telling|referring|stuck|lost|"
    r"late|early|free|"
    r"available|welcome|amazed|pleased|delighted|relieved|touched|lucky|blessed|fortunate|game|up for|all ears|"
    r"getting (?:a|an|the|this|errors?)|having (?:trouble|issues?|problems?|a|some|fun)|using the|new to|familiar|"
    r"going to (?:bed|sleep|try|check|look|do|think|say|need|give|let|miss)|"
    r"enjoying|feeling|sending|tired|worried|nervous|stressed|overwhelmed|exhausted|upset|annoyed|frustrated|"
    r"sleepy|speechless|there|similar|different|better|scared|"
    r"lonely without|"
    r"bien|mal|list[oa]|segur[oa]|content[oa]|feliz|cansad[oa]|aburrid[oa]|aquí|de acuerdo|perdid[oa]|"
    r"ocupad[oa]|estresad[oa]|agotad[oa]|agobiad[oa]|nervios[oa]|preocupad[oa]|enfadad[oa]|triste)\b",
    re.IGNORECASE,
)
_STATE_KEPT = re.compile(
    r"^(?:(?:so|very|really|pretty|quite|also|not|a|always|currently) )*(?:in (?:a|an|the|my|school|college|"
    r"high|love|charge|"
    r"remission|therapy|recovery|[A-Z]\w+)|into|scared of|open to dating|lucky to have|good at|great at|"
    r"bad at|terrible at|proud of my|"
    r"looking for (?:a )?(?:new )?(?:job|work|house|apartment|flat|partner|roommate)|"
    r"from (?!what)|thinking (?:about|of) (?:moving|buying|getting|going back|quitting|starting|adopting|"
    r"becoming|changing|taking)|trying to (?:(?:lose|gain|put on) weight|quit|conceive|have a baby|get pregnant|"
    r"cut down|eat (?:less|more)|save|learn (?!how|more|about|what|why|the)))\b",
    re.IGNORECASE,
)
_TRAIT = re.compile(
    r"^(?:(?:so|very|really|pretty|quite|also|half|not|currently|actually|severely|deathly|highly|newly|recently|"
    r"happily|originally|just|"
    r"muy|soltera) )*"
    r"(?:an?\b|the (?:oldest|youngest|only|eldest|middle|first|mother|father|owner|captain|president|manager)|"
    r"\d+|from|born|raised|"
    r"married|single|divorced|engaged|widowed|pregnant|vegan|vegetarian|"
    r"veggie|pescatarian|hard of hearing|allergic|intolerant|diabetic|retired|"
    r"unemployed|employed|"
    r"self-employed|adopted|gay|lesbian|bisexual|trans(?:gender)?|blind|deaf|disabled|left-handed|colou?rblind|"
    r"sober|religious|"
    r"christian|catholic|muslim|jewish|hindu|buddhist|atheist|agnostic|shy|introverted|extroverted|tall|short|"
    r"blonde|bald|"
    r"afraid of|scared of|terrified of|obsessed with|passionate about|addicted to|used to|into|interested in|"
    r"good at|great at|"
    r"bad at|terrible at|fluent|based in|in my \w+|in (?:the|a|college|school|high|university|[a-z]+ grade)|"
    r"studying|working|learning|training|living|raising|writing|majoring|teaching|saving|planning|moving|going|"
    r"getting married|"
    r"expecting|taking|building|renovating|recovering|dating|seeing|reading|volunteering|pursuing|applying|"
    r"preparing|organi[sz]ing|"
    r"starting|retiring|hosting|visiting|travel(?:l)?ing|flying|running|practi[cs]ing|named|called|known as|"
    r"trained as|employed (?:by|at|in)|diagnosed|hired|promoted|fired|laid off|accepted|elected|"
    r"uno?\b|una\b|de\b|alérgic[oa]|vegan[oa]|vegetarian[oa]|casad[oa]|solter[oa]|divorciad[oa]|diabétic[oa]|"
    r"celíac[oa]|"
    r"jubilad[oa]|embarazad[oa]|zurd[oa]|viviendo|trabajando|estudiando|aprendiendo|escribiendo|ahorrando|"
    r"intolerante|"
    r"american|british|english|irish|scottish|welsh|canadian|australian|german|french|spanish|italian|portuguese|"
    r"dutch|danish|swedish|norwegian|finnish|polish|czech|greek|turkish|russian|ukrainian|indian|pakistani|chinese|"
    r"japanese|korean|brazilian|mexican|argentin(?:e|ian)|colombian|nigerian|ghanaian|kenyan|egyptian|iranian|israeli|"
    r"lebanese|syrian|moroccan|romanian|hungarian|croatian|serbian|vietnamese|filipin[oa]|swiss|austrian|belgian|"
    r"español|española|argentin[oa]|mexican[oa]|colombian[oa]|chilen[oa]|peruan[oa]|venezolan[oa]|uruguay[oa]|"
    r"paraguay[oa]|bolivian[oa]|ecuatorian[oa]|cuban[oa]|dominican[oa]|hondureñ[oa]|salvadoreñ[oa]|"
    r"panameñ[oa]|italian[oa]|alem[aá]na?|franc[eé]sa?|ingl[eé]sa?|portugu[eé]sa?|catal[aá]na?|vasc[oa]|galleg[oa]|andalu[zc]a?|"
    r"enfermer[oa]|ingenier[oa]|profesor[a]?|médic[oa]|abogad[oa]|estudiante|maestr[oa]|programador[a]?|"
    r"cociner[oa]|"
    r"[\w]+(?:ista|ero|era|dor|dora|ólog[oa]|grafo|grafa|ente|ante)\b)",
    re.IGNORECASE,
)
#: "I'm Nadia Rahman", "soy Ana": one word with a capital may be anything in English.
_NAMED = re.compile(
    rf"^{SPEAKER} (?:is (?!\w+ing )[A-Z][a-zà-ÿ]+ |es )[A-ZÁÉÍÓÚÑ][a-zà-ÿ]+(?: [A-ZÁÉÍÓÚÑ][a-zà-ÿ]+)*(?:$|,)"
)
#: What one thinks of somebody at this moment, and how they are: no news of who they are.
_OPINION = re.compile(
    r"(?:(?:such|really|so|very|just|being|kind of|an?|total|absolute|complete|real|little|una?|muy|tan|"
    r"completo|hecho) )*(?:idiot|jerk|moron|fool|asshole|ass|dick|bastard|bitch|pain(?: in the \w+)?|"
    r"nightmare|joke|clown|loser|legend|saint|genius|stupid|dumb|annoying|ridiculous|crazy|mean|awful|"
    r"terrible|horrible|useless|incompetent|amazing|awesome|wonderful|fantastic|the worst|doing (?:well|"
    r"fine|great|good|ok(?:ay)?|better)|fine|ok(?:ay)?|well|idiota|imbécil|tont[oa]|estúpid[oa]|pesad[oa]|"
    r"inútil|genial|maravillos[oa]|bien|mal)(?: (?:today|now|lately|at the moment|again|hoy|ahora))?\s*$",
    re.IGNORECASE,
)
#: A meal that was had, a thing that was fetched from a shop: nobody asks about it next week.
_MEAL = re.compile(
    r"\bfor (?:breakfast|lunch|dinner|supper|brunch|dessert|a snack)\b|\b(?:para|de) (?:desayunar|comer|"
    r"cenar|almorzar|desayuno|almuerzo|cena|postre)\b|^(?:(?:a|an|my|some|the) )?(?:\w+ )?(?:breakfast|"
    r"lunch|dinner|supper|brunch|snack)\b"
)
_SWALLOWED = listed("eat drink comer beber")
_FED = listed("have cook make order grab get tener cocinar") | _SWALLOWED
_ERRAND = re.compile(
    r"(?:(?:some|the|more|a (?:bottle|loaf|carton|pack|bag|box) of|un poco de|una? \w+ de|el|la|los|las) )*"
    r"(?!(?:an?|the|my|our|his|her|their|one|two|three|una?|mi|el|la|los|las|\d+)\b)[a-zà-ÿ]+"
    r"(?:(?:,| and| y) (?:some )?[a-zà-ÿ]+)*(?: (?:at|from|in) the \w+| en el \w+)?$"
)
_EMPTY_NOUN = re.compile(
    r"^(?:so |such |not |also |just )*an? (?:(?:very|really|pretty|big|huge|great|good|little|tiny|total|bit) )*"
    r"(?:bit|lot|little|while|shame|pity|pleasure|fan|mess|good thing|hard|long|fun|great (?:way|time|day|idea|"
    r"place|thing)|"
    r"good (?:way|time|day|idea|place|thing)|big fan|way|time|day|bummer|blast|joke|question|reminder|"
    r"wonderful|amazing|"
    r"challenge|lifesaver|relief|honou?r|ai|language model|assistant|thing)\s*$",
    re.IGNORECASE,
)

#: "I love the view", "I like being outside": said in passing, of nothing in particular.
_PASSING = re.compile(
    r"^(?:the|a|an|my|our|being|getting|seeing|having|how|that|when|what|who|where|all|to see|to be|to get|"
    r"to hear)\b"
)
#: A date, a number or a name: what happened is told with where or when.
_POINTED = re.compile(
    r"\d|(?<=\s)[A-Z]\w+|\b(?:yesterday|tomorrow|ago|last (?:week|month|year|night|weekend|\w+day|summer|"
    r"winter|spring|fall)|"
    r"next (?:week|month|year|weekend|\w+day|summer)|ayer|mañana|hace \w+|pasad[oa]|próxim[oa]|que viene)\b"
)
_LOOSE = re.compile(
    r"\b(?:all|lots?|different|new|some|variety|kinds?|sorts?|things?|people|everyone|most|many|other|others)\b"
)
#: Several things at once, a wish that was never acted on: they come up in any talk.
_SEVERAL = re.compile(r"\band\b|,|\by\b(?! (?:los )?(?:lunes|martes|miércoles|jueves|viernes|sábados|domingos)\b)")
_OLD_WISH = re.compile(r"\balways wanted\b|\bsiempre ha querido\b")
_TO_BE = re.compile(r"to (?:be|become) (?:an?\b|the\b)|ser\b")
_OWN_AIM = re.compile(r"to (?:be|have|make|take|get|start|improve|explore|do|learn|share|keep)\b")
_TASK_VERBS = re.compile(
    r"^to (?:(?:also|really|just) )?(?:know|understand|ask|see|make sure|fix|add|remove|change|use|get|find|"
    r"say|tell|talk|hear|be able|"
    r"create|write|generate|sort|convert|parse|run|print|do|help|try|thank|give|keep|discuss|share|start by|"
    r"point|note|mention|"
    r"apologi[sz]e|be|have|make|let|check|take|improve|explore)\b",
    re.IGNORECASE,
)
#: What is worked on in the talk, and not what somebody has or does: "I moved the file to another folder".
_THINGS_WORKED_ON = r"""
files? folders? director(?:y|ies) branch(?:es)? commits? prs? pull\srequests? fix(?:es)? patch(?:es)? bugs?
\w*errors? \w*exceptions? traceback warnings? logs? outputs? inputs? columns? rows? tables?(?!\sfor)
quer(?:y|ies) loops? lists? arrays? dict(?:ionar(?:y|ies))? tuples? strings? regex(?:es)? variables? flags?
functions? methods? modules? packages? scripts? tests pages? buttons? forms? fields? servers? cache
config(?:uration)? settings? tokens? sessions? queues? threads? endpoints? requests? responses? payloads?
headers? links? urls? comments? tasks? tickets? issues? steps? options? ideas? suggestions? approach(?:es)?
versions? answers? solutions? questions? docs documentation tutorials? code snippets? blocks? lines? texts?
paragraphs? sentences? prompts? templates? databases? index(?:es)? migrations? schemas? builds? pipelines?
deployments? containers? values? data dataframes? spreadsheets? cells? formulas? state archivos? ficheros?
carpetas? ramas? funci(?:ón|ones) variables? tablas? columnas? filas? consultas? servidor(?:es)? bot(?:ón|ones)
páginas? formularios? campos? listas? bucles? opci(?:ón|ones) sugerencias? respuestas? preguntas?
versi(?:ón|ones) errores fallos? códigos? pruebas? mensajes? enlaces?
"""
_WORKED_ON = re.compile(
    r"(?:(?:in|on|to|with|at|from|en|con) )?"
    r"(?:the|this|that|these|those|an?|your|two|three|some|all(?: the)?|another|its|"
    r"el|la|los|las|una?|est[ea]|es[ea]|tu|dos) "
    r"(?:(?:new|old|first|second|third|last|whole|same|other|wrong|right|two|three|primer[ao]?|segund[ao]|"
    r"tercer[ao]?|últim[ao]|otr[ao]|nuev[ao]) )?"
    rf"(?:{'|'.join(_THINGS_WORKED_ON.split())})"
    r"(?=$|[,.;!]|\s+(?:en|a|al|con|para|por|que|cuando|dos|in|on|to|with|from|for|at|that|which|when|where|and|or|of|"
    r"by|into|through|twice|once|first|last|again|every|but|so|as|after|before|instead|too|now|today|yesterday|"
    r"tonight|\d)\b)",
    re.IGNORECASE,
)
#: "I blew up like a balloon".
_SIMILE = re.compile(r"\blike an? [\w-]+(?: (?:once|again|today|yesterday))?$", re.IGNORECASE)
#: What can be had, led or taught all the same.
_OF_ONES_OWN = listed("buy own rent lease sell inherit teach study manage lead write publish")
#: "My test fails on CI".
_RUNS = re.compile(
    r"(?:^|\s)(?:code|scripts?|functions?|tests?|quer(?:y|ies)|loops?|methods?|apis?|builds?|pipelines?|pages?|"
    r"requests?|servers?|programs?|regex|outputs?|class|endpoints?|deployments?)$"
)
#: "I found a flat in Leeds", and not a way to do something.
_FOUND = re.compile(
    r"(?:an?|my|our) (?!(?:\w+ )?(?:ways?|solutions?|answers?|links?|examples?|articles?|videos?|websites?|typos?|"
    r"mistakes?|workarounds?|libraries|library|package|tool)\b)"
)
_CARED_FOR = re.compile(
    r"(?:an?|my|the) (?:\w+ )?(?:therapist|psychologist|psychiatrist|physio(?:therapist)?|cardiologist|"
    r"dermatologist|neurologist|oncologist|specialist|counsell?or|chiropractor|osteopath|nutritionist|dietitian)\b"
)
#: "I need help with my insulin" is for the talk.
_NEEDED_NOW = re.compile(
    r"(?:(?:a|an|some|more|your|any|the) )*(?:\w+ )?(?:help|advice|information|tips?|ideas?|suggestions?|"
    r"recommendations?|list|plan|explanation|summary|it|that|this|you|someone|somebody)\b",
    re.IGNORECASE,
)
_AGE = re.compile(r"(?:1[3-9]|[2-9]\d)")
#: A habit, and not a seat.
_HAD_TO = re.compile(
    r"to (?:drop|pull) out of |to (?:quit|sell|cancel|leave|give up) (?!(?:the|this) (?:call|room|chat)\b)"
)
_GIVEN_UP = re.compile(
    r"up (?:on )?(?:\w+ing|alcohol|wine|beer|sugar|sweets|chocolate|meat|fish|pork|dairy|gluten|bread|coffee|"
    r"caffeine|cigarettes|nicotine|weed)\b"
)
#: "I no longer play tennis": what is known of it is over, and that is news.
_NO_MORE = re.compile(r"\b(?:no longer|any ?more|ya no)\b", re.IGNORECASE)
_STOPPED = re.compile(r"(?P<what>\w+ing) (?P<rest>.+)")
_HABITS = {verb for verb, (_, kind) in VERBS.items() if kind in ("skill", "health", "home", "work")} | listed(
    "use wear take attend go usar llevar tomar ir"
)
_ENDED = 0.9
_CHANGE = re.compile(
    r"^(?:move|relocate|marry|divorce|start|begin|quit|leave|retire|graduate|become|buy|sell|adopt|join|get|"
    r"stop|mudarse|casarse|"
    r"empezar|comenzar|dejar|comprar|vender|adoptar|jubilarse|graduarse|divorciarse)$"
)


def worth(statement: Statement) -> Worth:
    """Judge one statement."""
    score, category = _by_verb(statement)
    if score <= 0 or statement.doubt:
        return NOTHING
    content = [word for word in content_words(statement.text) if not word.isdigit()]
    telling = [word for word in content if word not in VAGUE]
    if statement.verb == "be" and _AGE.fullmatch(statement.rest):
        telling = [statement.rest]
    if not telling:
        return NOTHING
    # The more it says, the more it tells this one from others; very long clauses are talk.
    score += 0.06 * (min(len(content), 6) - 3) - 0.04 * max(0, len(content) - 8)
    taste = category in ("preference", "identity")
    if category in ("event", "plan") and _POINTED.search(statement.text):
        score += 0.1
    if "," in statement.text:
        score -= 0.1
    if taste and all(word in _COMMON or word in VAGUE for word in content):
        score -= 0.12
    if statement.verb in TASTES and _LOOSE.search(statement.rest):
        score -= 0.15
    if _SEVERAL.search(statement.rest):
        score -= 0.1
    if _OLD_WISH.search(statement.text):
        score -= 0.2
    if FAMILY.search(statement.text) or re.search(r"\d", statement.text):
        score += 0.05
    category = category_of(statement, category)
    importance = IMPORTANCE[category]
    if category in ("health", "work", "family"):  # what has consequences is not left out for being told in passing
        score += 0.15 if category == "health" else 0.05
    if statement.tense == "past" and category not in ("identity", "health", "home", "family"):
        importance -= 0.1
    return Worth(round(score, 3), category, round(importance, 2))


def changes_state(statement: Statement) -> bool:
    """Whether it tells of the moment from which on something holds."""
    return _CHANGE.match(statement.verb) is not None


def _by_verb(statement: Statement) -> tuple[float, str]:
    verb, rest = statement.verb, statement.rest
    if statement.about == "other":
        return (0.8, "preference") if verb == "affect" else (0.9, "preference")
    if statement.about == "own":
        head, _, after = rest.partition(" | ")
        if verb in ("look", "sound", "seem") or (verb not in ("be", "have", "use") and _RUNS.search(head)):
            return 0.0, "event"
        if (
            _EMPTY_NOUN.match(after)
            or (verb == "be" and _OPINION.match(after))
            or re.match(
                r"favou?rites?$|(?:point|question|guess|bad|apologies|mistake|goal here|code|pleasure)", head
            )
        ):
            return 0.0, "event"
        if re.match(r"favou?rite (?:thing|part)s?\b", head):  # a detail of what was told before
            return 0.6, "preference"
        return (0.95 if verb in ("be", "have") or verb in VERBS else 0.6), "identity"
    if verb == "be":
        if _STATE_KEPT.match(rest):
            return 0.8, "identity"
        if _EMPTY_NOUN.match(rest) or _STATE.match(rest) or _MOMENT.match(rest):
            return 0.0, "event"
        if re.match(r"(?:\w+ly )?interested in (?:the|learning|hearing|knowing|trying|this|getting)\b", rest):
            return 0.0, "event"
        if re.match(r"(?:a|such a) (?:\w+ )?fan of|interested in|too ", rest):
            return 0.55, "preference"
        return (0.95 if _TRAIT.match(rest) or _NAMED.search(statement.text) else 0.55), "identity"
    if (verb in ("drop", "pull") and rest.startswith("out of ")) or (
        verb == "have" and statement.tense == "past" and _HAD_TO.match(rest)
    ):
        return 0.9, "event"
    if verb in ("have", "tener", "get") and (_TASK.match(rest) or _UNDECIDED.match(rest)):
        return 0.0, "event"
    if statement.tense == "past" and not statement.negated and _passes(verb, rest):
        return 0.0, "event"
    if (verb not in _OF_ONES_OWN and _WORKED_ON.match(rest)) or (verb not in TASTES and _SIMILE.search(rest)):
        return 0.0, "event"
    if verb == "use" and rest.startswith("to "):  # what used to be
        return 0.75, "event"
    if verb == "turn" and _AGE.match(rest):
        return VERBS["name"]
    if verb == "give" and _GIVEN_UP.match(rest):
        return VERBS["quit"]
    if verb == "stand" and statement.negated:
        return 0.75, "preference"
    if verb == "help" and rest.split()[:1] and rest.split()[0] in BASES:
        return 0.6, "work"
    if verb == "need" and _NEEDED_NOW.match(rest):
        return 0.0, "event"
    if verb in ("need", "find") and category_of(statement, "event") == "health":
        return VERBS["suffer"]
    if verb in ("find", "found") and statement.tense == "past":
        return VERBS["get"] if _FOUND.match(rest) and not _TASK.match(rest) else (0.15, "event")
    if verb == "see" and _CARED_FOR.match(rest):
        return VERBS["suffer"]
    if verb == "carry" and re.match(r"(?:on|out|over|away|through)\b", rest):
        return 0.0, "event"
    if verb == "do" and statement.negated and category_of(statement, "event") == "health":
        return VERBS["eat"]  # "can't do dairy"
    if verb in TALK:
        return (0.0 if verb not in ("feel", "need", "find") else 0.15), "event"
    if verb in ("want", "hope", "querer") and _TO_BE.match(rest):
        return 0.8, "plan"
    if verb in ("want", "need", "hope", "querer") and _TASK_VERBS.match(rest):
        return (0.25 if _OWN_AIM.match(rest) else 0.0), "plan"
    found = VERBS.get(verb, (OTHER, "event"))
    if verb in TASTES and _PASSING.match(rest):
        return found[0] - 0.3, found[1]
    if verb in TASTES and re.match(r"\S+ would\b", statement.text):
        return found[0] - 0.35, "plan"
    if _is_over(statement):
        return max(found[0], _ENDED), found[1]
    if statement.negated and verb not in DENIED:
        return found[0] - 0.2, found[1]
    return found


def _is_over(statement: Statement) -> bool:
    """Whether it says of a habit that it is one no longer."""
    verb, rest = statement.verb, statement.rest
    if verb == "stop" and (stopped := _STOPPED.match(rest)) is not None:
        verb, rest = base_of(stopped["what"]) or "", stopped["rest"]
    elif not (statement.negated and _NO_MORE.search(statement.text)):
        return False
    return verb in _HABITS and _TASK.match(rest.removeprefix("to ")) is None


def _passes(verb: str, rest: str) -> bool:
    """Whether it was over when it was told: pasta for lunch, milk from the shop."""
    if verb in _SWALLOWED and not re.search(r"\b(?:since|desde|always|siempre)\b", rest):
        return True
    if verb in _FED:
        return _MEAL.search(rest) is not None
    return verb in ("buy", "comprar") and _ERRAND.fullmatch(rest) is not None
