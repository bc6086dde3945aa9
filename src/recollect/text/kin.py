"""What people tell an assistant about themselves, and the words in which they ask for it: a small thesaurus. Pure.

"Dinner ideas" shares no word with "user is vegetarian", and no offline model brings the two together. Where a
question speaks of one such matter and of nothing else, the words of that matter may stand for it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set
from functools import lru_cache

from recollect.text.english_verbs import base_of
from recollect.text.wordlists import listed

#: For each matter the words that ask for it, and the words in which it is told besides these: none that the store,
#: which stems all as English, would take for another, as "calle" for "called".
_MATTERS = [
    (listed(asked), listed(f"{asked} {told}"))
    for asked, told in (
        (
            "food eat eating dinner dinners lunch breakfast supper meal meals cook cooking recipe recipes "
            "dish dishes restaurant restaurants menu snack snacks dessert takeaway groceries diet dietary "
            "comida comer cena cenar almuerzo desayuno cocinar receta recetas plato restaurante dieta",
            "vegetarian vegan pescatarian kosher halal gluten lactose dairy meat beef pork fish seafood nuts "
            "peanuts spicy coeliac celiac diabetic diabetes intolerant cuisine vegetables bakes shellfish eggs "
            "wheat soy "
            "vegetariano vegetariana vegano vegana carne pescado marisco cacahuetes nueces picante celiaco "
            "celiaca intolerante",
        ),
        (
            "drink drinks drinking wine wines beer beers cocktail cocktails beber bebida bebidas vino cerveza",
            "alcohol sober teetotal coffee tea juice soda café té zumo bebe",
        ),
        (
            "medicine medicines medication medications drug drugs painkiller painkillers antibiotic "
            "antibiotics pill pills prescription health medical medicina medicinas medicamento medicamentos "
            "medicación pastilla pastillas remedio remedios salud",
            "allergic allergy allergies alergia alergias "
            "penicillin aspirin ibuprofen insulin diabetes diabetic asthma epilepsy migraine "
            "migraines hypertension pregnant illness condition diagnosed tablets metformin warfarin statins mg "
            "dose takes "
            "antidepressants inhaler alérgico alérgica penicilina "
            "aspirina ibuprofeno diabético diabética asma migraña embarazada insulina diagnosticaron "
            "diagnosticado "
            "hipertensión",
        ),
        (
            "allergy allergies allergic allergen allergens intolerance intolerances intolerant alergia alergias "
            "alérgico alérgica intolerante",
            "eat avoid tolerate digest sneeze itch rash hives swell reaction epipen anaphylaxis coeliac celiac "
            "nuts peanuts shellfish seafood eggs wheat soy dairy milk gluten lactose pollen penicillin aspirin "
            "celiaco celiaca comer cacahuetes nueces marisco penicilina",
        ),
        (
            "job jobs profession career occupation employment company business work employer employs empleo "
            "profesión oficio trabajo laburo chamba cargo puesto",
            "works working employed engineer developer programmer nurse doctor teacher lawyer designer "
            "accountant student retired freelance freelancer company cto ceo cfo founder owner shop "
            "homemaker unemployed chef waiter plumber electrician carpenter mechanic pilot barista therapist "
            "scientist "
            "researcher professor journalist architect consultant analyst hairdresser florist farmer "
            "builder "
            "firefighter paramedic pharmacist dentist midwife librarian secretary intern tutor "
            "driver manager cashier clerk receptionist cleaner gardener fisherman butcher tailor painter "
            "writer editor actor actress musician artist soldier "
            "policeman detective solicitor banker broker economist physicist chemist biologist "
            "geologist surgeon physician psychologist psychiatrist physiotherapist veterinarian optician carer "
            "nanny housekeeper janitor courier postman sailor captain miner welder roofer bricklayer joiner "
            "technician machinist tester salesman saleswoman seller shopkeeper merchant realtor "
            "recruiter trainer instructor lecturer principal priest pastor imam politician diplomat "
            "blogger beekeeper brewer bartender barber beautician stylist ranger forester trucker entrepreneur "
            "trabaja ingeniero ingeniera "
            "enfermero enfermera médico médica profesor profesora abogado abogada empresa estudiante jubilado "
            "jubilada labura negocio director directora ascendieron cocinero cocinera contador contadora "
            "enfermería",
        ),
        (
            "boss bosses supervisor superior jefe jefa",
            "manager reports lead director gerente",
        ),
        (
            "pet pets animal animals mascota mascotas animales",
            "dog dogs cat cats puppy kitten rabbit hamster parrot bird horse tortoise goldfish budgie canary "
            "ferret gerbil turtle snake "
            "lizard pony perro perra "
            "gato gata conejo loro caballo tortuga",
        ),
        (
            "child children kid kids hijo hijos hija hijas niños",
            "daughter daughters son sons baby toddler twins bebé",
        ),
        (
            "family relatives familia parientes",
            "daughter son child children wife husband partner spouse mother father mom mum dad parents sister "
            "brother siblings grandmother grandfather aunt uncle cousin hijo hija esposa esposo marido mujer "
            "madre padre hermana hermano abuela abuelo tía tío primo prima",
        ),
        (
            "sibling siblings hermanos",
            "sister sisters brother brothers hermana hermano",
        ),
        (
            "parent parents padres",
            "mother father mum mom dad madre padre",
        ),
        (
            "live living home address city town neighbourhood neighborhood location "
            "residence vivo casa dirección ciudad "
            "pueblo barrio ubicación residencia",
            "lives moved resides based apartment flat shares vive mudó reside piso",
        ),
        (
            "car cars vehicle drive coche coches carro carros auto vehículo",
            "drives truck van suv motorcycle toyota ford volvo bmw audi volkswagen tesla honda hyundai kia "
            "mazda nissan "
            "renault peugeot fiat skoda subaru conduce camioneta moto",
        ),
        (
            "hobby hobbies pastime pastimes sport sports interests afición aficiones deporte deportes intereses",
            "plays enjoys running runs cycling swimming climbing hiking yoga tennis football chess guitar "
            "piano violin painting gardening photography collects knits knitting sews sewing crochet pottery "
            "woodworking fishing sailing surfing skiing dancing sings singing draws drawing birdwatching "
            "juega toca colecciona correr nadar senderismo guitarra ajedrez ciclismo natación entrena nado "
            "practico practica",
        ),
        (
            "illness illnesses disease diseases condition conditions health medical diagnosis diagnoses "
            "enfermedad enfermedades",
            "chronic diagnosed diabetes diabetic asthma epilepsy migraine migraines arthritis hypertension cancer "
            "apnea apnoea tendonitis pacemaker cholesterol thyroid anxiety adhd dyslexia pregnant allergic "
            "depression anemia autism bipolar dementia stroke mental heart blood pressure pain disability "
            "crónica diagnosticado diagnosticada diabético diabética asma migraña artritis",
        ),
        (
            "injury injuries surgery surgeries operation operations accident accidents fracture fractures bone "
            "bones",
            "broke broken fractured sprained tore torn dislocated concussion injured operated pain",
        ),
        (
            "mobility disability disabilities",
            "stick cane wheelchair crutches limps hip knee walks",
        ),
        (
            "vegetarian vegan pescatarian vegetariano vegetariana vegano vegana",
            "meat fish carne pescado",
        ),
        (
            "birthday born birth birthdate dob age cumpleaños nací nacimiento edad",
            "date turns turned aged nació cumple cumplo",
        ),
    )
]
#: The first of these are about what somebody is given, where it matters most what they must not be given, told so.
_GIVEN = 4
_BINDING = """
allergic allergy allergies intolerant intolerance vegetarian vegan pescatarian kosher halal gluten lactose coeliac
celiac diabetic diabetes sober teetotal pregnant alérgico alérgica alergia intolerante vegetariano vegetariana
vegano vegana
celiaco celiaca diabético diabética embarazada eat avoid avoids tolerate digest nuts peanuts shellfish drink
alcohol
"""
#: What somebody must not be given may also be told by what they must not do.
_NOT_GIVEN = (
    r"\b(?:allerg|anaphyla|epipen|intoleran|coeliac|celiac|alerg|alérg)\w*|\b(?:gluten|lactose)[ -]free\b|"
    r"(?:\b(?:can|must|may) ?not|\bcant|\b(?:ca|must)n['’]t|\b(?:unable|(?:not|never) (?:able|allowed)) to|"
    r"\bno puedo|\bno puede) (?:\w+ ){0,2}(?:eat|have|touch|tolerate|digest|drink|take|comer|tomar|beber)\b|"
    r"\b(?:makes?|made|gives?|gave) (?:me|user|the user) (?:\w+ ){0,2}(?:sneeze|itch|ill|sick|hives|rash|swell)\b|"
    r"\b(?:reacts? (?:\w+ )?to|(?:does|do)(?:n['’]t| not) agree with)\b"
)
_HARMS = re.compile(_NOT_GIVEN, re.IGNORECASE)
_FORBIDS = re.compile(
    rf"{_NOT_GIVEN}|\b(?:vegetarian|vegan|pescatarian|kosher|halal|gluten|lactose|diabetic|diabetes|sober|teetotal|pregnant|"
    r"vegetarian[oa]|vegan[oa]|celiac[oa]|diabétic[oa]|embarazada)\b|\bavoids?\b|\bstopped (?:eating|drinking)\b|"
    r"(?:\b(?:does|do|did) not|\b(?:does|do)n['’]t|\bnever|\bno longer) (?:\w+ ){0,2}(?:eat|drink|touch)s?\b",
    re.IGNORECASE,
)
#: The same of what is something else beside another matter: "how do phones work?" asks for neither of them.
_BY_THEMSELVES = [
    (listed(asked), listed(f"{asked} {told}"))
    for asked, told in (
        (
            "instrument instruments instrumento instrumentos",
            "guitar piano violin viola cello bass flute oboe clarinet saxophone trumpet trombone drums harp organ "
            "accordion banjo ukulele guitarra violín chelo flauta clarinete saxofón trompeta batería arpa",
        ),
        (
            "husband wife spouse partner relationship dating married marital esposo esposa marido casado casada",
            "girlfriend boyfriend crush fiancé fiancée engaged divorced separated single widowed pareja "
            "divorciado divorciada "
            "soltero soltera viudo viuda",
        ),
        (
            "scared afraid fear fears phobia phobias miedo miedos fobia fobias",
            "frightened terrified scares terrifies asusta teme",
        ),
        (
            "phone phones smartphone mobile cellphone móvil celular teléfono",
            "iphone android pixel galaxy samsung xiaomi nokia",
        ),
        (
            "computer computers laptop laptops os ordenador portátil computadora",
            "macbook imac mac pc thinkpad chromebook desktop linux windows macos ubuntu fedora",
        ),
        (
            "dog dogs puppy perro perros",
            "greyhound collie labrador retriever poodle terrier spaniel beagle dachshund husky bulldog cachorro",
        ),
        (
            "rent alquiler",
            "landlord lease apartment flat mortgage casero hipoteca",
        ),
        (
            "contact email correo contacto",
            "mail phone telephone whatsapp telegram linkedin teléfono",
        ),
        (
            "goal goals dream dreams ambition ambitions aspiration aspirations objetivo objetivos metas",
            "wants hopes plans planning aims training preparing saving intends quiere espera planea",
        ),
        (
            "education degree degrees major university college school studies estudios universidad",
            "studied studying graduated bachelor master phd doctorate diploma student majored estudió estudia",
        ),
        (
            "fitness exercise exercises workout workouts gym ejercicio gimnasio",
            "runs running marathon trains training yoga swims swimming cycles cycling climbs hikes corre entrena",
        ),
        (
            "routine routines schedule habits rutina horario",
            "wakes sleeps daily mornings evenings morning evening despierta duerme",
        ),
        (
            "travel trip trips journey holiday holidays vacation vacations viaje viajes vacaciones",
            "travels flies flying flight flights visits visited abroad itinerary cruise viaja vuela",
        ),
        (
            "communication tone style format formatting response responses reply comunicación tono estilo",
            "answers replies concise brief short formal informal emojis bullet explanations respuestas",
        ),
        (
            "ui theme themes interface appearance tema interfaz",
            "dark mode font contrast oscuro",
        ),
        (
            "likes tastes gustos",
            "like loves love enjoys enjoy prefers prefer favorite favourite fond gusta gustan encanta encantan "
            "prefiere",
        ),
        (
            "dislikes hates tastes",
            "dislike hate loathes detests stand odia odio detesta",
        ),
        (
            "salary salaries income wage wages earn sueldo salario gano",
            "earns earnings paid commission pension bonus gana pensión",
        ),
        (
            "language languages idioma idiomas",
            "speaks speak fluent bilingual native tongue habla hablo",
        ),
        (
            "music música",
            "band bands singer listens jazz rock pop classical techno metal rap reggae opera album playlist "
            "concert concerts grupo cantante escucha",
        ),
        (
            "book books novel novels libro libros novela novelas",
            "reads reading fiction fantasy thriller thrillers mystery author poetry autor autora",
        ),
        (
            "movie movies film films tv television series watch película películas",
            "watches dramas sitcoms cinema thriller thrillers horror comedies comedy documentary documentaries "
            "anime director "
            "cine",
        ),
        (
            "finance finances financial money savings debt debts loan loans",
            "saves saving owes owe mortgage loan debt deposit invests scholarship",
        ),
        (
            "programming coding",
            "python rust java javascript typescript golang kotlin swift ruby php scala haskell elixir developer "
            "programmer",
        ),
        (
            "game games gaming videogame videogames",
            "plays gamer xbox playstation nintendo steam chess",
        ),
        (
            "commute commuting",
            "cycles bikes bus train tram metro subway campus office",
        ),
        (
            "accommodation lodging hotel hotels",
            "hostel hostels airbnb guest camping campsite stays",
        ),
        (
            "religion religious faith",
            "christian catholic muslim jewish hindu buddhist sikh atheist church mosque synagogue prays",
        ),
        (
            "sexuality sexual orientation gender pronouns",
            "gay lesbian bisexual trans transgender nonbinary straight",
        ),
        (
            "team teams",
            "supports supporter fan roots follows",
        ),
        (
            "staff employee employees",
            "hired assistant apprentice",
        ),
        (
            "lessons studying clases",
            "learning learns lesson studies practises practices duolingo course courses aprende aprendiendo",
        ),
        (
            "tax taxes vat impuestos",
            "accountant bookkeeper accounting gestor gestora",
        ),
        (
            "tablet",
            "ipad ipads kindle wacom",
        ),
        (
            "saturdays sundays",
            "saturday sunday weekend weekends",
        ),
        (
            "editor ide",
            "vim neovim emacs vscode nano intellij pycharm jetbrains xcode sublime",
        ),
    )
]
#: What may stand beside it: how one asks, and for when.
_ASKING = listed("""
a about again allowed am an and any anybody anyone are as at avoid background be best bring buy called can cannot
certain chronic close could current day detail details dislikes do does doesn don enjoy ever existing extended
favorite favourite for former from full general get give going good had has have he help her his how i idea ideas
if in info information is issue issues it kind know learn learning length like likes list love main make many me
member members much must my name named names need needs never next nice not now of old on or order our own part
particular past personal plan plans play please prefer preference preferences preferred prefers prepare previous
problem problems recommend recommendation recommendations regular restriction restrictions s second serious shall
she should shouldn show side situation some something sort special specific spring status suggest suggestion
suggestions summer t take tell that the their them there these they this time to today tomorrow tonight type up
upcoming us use user usual usually want we weekend what when where which who why will winter with would you your
al algo alguna alguno algún como con cual cuando de debe debo del donde el ella en es esta este favorita
favorito fin hacer hay hoy la las le llama llaman lo los mañana me mejor mi mis no noche nombre nunca para por
prefiere puede puedo que quiero recomienda recomiéndame se semana ser son su sugiere sugiereme sus te tengo
tomo toma
tiene tu tus un una y yo él
""")
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?…\n]*[.!?…\n]|[^.!?…\n]+")
_MYSELF = listed("i im ive my mine myself we our me us yo mi mis soy tengo nos me nuestra nuestro")
_SOMEBODY = re.compile(r"(?:the )?user['’]s\b|(?:el|la|los|las) \w+ (?:del|de la) usuari[oa]\b", re.IGNORECASE)
_OWN = re.compile(
    r"(?:the )?user(?!['’]s (?:\w+ )?(?:aunt|boss|boyfriend|brother|child|children|colleague|cousin|dad|daughter|"
    r"father|fiancée?|friend|girlfriend|grand\w+|husband|kid|kids|manager|mom|mother|mum|neighbou?r|nephew|niece|parents?|"
    r"partner|sister|son|spouse|twins?|uncle|wife)s?\b)|(?:el|la) usuari[oa]\b",
    re.IGNORECASE,
)
#: Words of a matter that are said of anything in a talk: "let us move to the next question".
_OF_ANYTHING = listed("take takes moved")
#: Words of a matter that mean something else there.
_OTHER_SENSE = re.compile(
    r"\brun(?:s|ning)? (?=(?:an?|the|my|our|his|her|their|its|on|out|into|low|off|late|errands|it)\b)"
    r"(?!(?:an?|the|my|his|her|their) (?:[\w-]+ ){0,2}(?:marathon|race|miles?|ultra|half|\d+ ?k)\b)|"
    r"\btak(?:e|es|ing) (?=(?:the|an?|my|our|his|her|their|part|care|place|time|it|turns|over|up|off|after|notes|"
    r"photos|(?:\w+ )?(?:lessons?|class(?:es)?|courses?|cards?|bus|trains?|tram|sugar|milk))\b)|"
    r"(?<!\bcan['’]t )(?<!\bcannot )(?<!\bcan not )\bstands?\b|"
    r"\bdriv(?:e|es|ing) (?!(?:an?|the|my|our|his|her|their)\b|(?-i:[A-Z]))|\bfood trucks?\b|"
    r"\bbr(?:eaks?|oken?) (?:up|down|off|out|even|into|the news)\b|\b(?:an?|my|the) tablet\b|"
    r"\bmoved (?!(?:to|in|into|out|from|back|house|here|abroad|over)\b)|"
    r"\b(?:my|our) (?:doctor|dentist|lawyer|accountant|nurse|teacher|engineer|designer|developer|therapist|"
    r"hairdresser|mechanic|plumber|electrician|builder|baker|tutor|professor|pharmacist|midwife|secretary)s?\b|"
    r"\breport(?:s|ed|ing)? (?!(?:\w+ )?to\b)|\bpublic health\b|"
    r"\b(?:do|does|doing|did) (?:my|our|the|his|her|their) books\b|"
    r"(?<!\bmy )(?<!\ba )(?<!\bnew )(?<!['’]s )(?<!\bour )\bhome(?=\W*$| (?:with|for|from|after|by|late|alone)\b)",
    re.IGNORECASE,
)
_LIKED = re.compile(
    r"\b(?:lov(?:e|es|ing)|lik(?:e|es|ing)|enjoy|prefer|favou?rite|fond|fan|supports?|roots|"
    r"ador(?:e|es|ing)|best|always|gusta|"
    r"encanta|prefiere)",
    re.IGNORECASE,
)
_FAVOURITE = re.compile(
    r"\W*(?:(?:what|which|who)(?:['’]s| is| are| was)? )?(?:my |(?:the )?user(?:['’]s)? )?favou?rite "
    r"(?:\w+ )?\w+\W*$",
    re.IGNORECASE,
)
_IS_FAVOURITE = re.compile(r"\bfavou?rite (\w+)", re.IGNORECASE)
_UP = re.compile(r"\bget up\b", re.IGNORECASE)
_LIVING = re.compile(r"\bfor a living\b", re.IGNORECASE)
#: Phrases that ask for a matter, each with letters that it has, which are looked for first, and a word that does.
_PHRASES = [
    (cue, re.compile(phrase, re.IGNORECASE), word)
    for cue, phrase, word in (
        ("report", r"\bwho (?:do|does) (?:i|we|the user) report to\b", "my boss"),
        (
            "language",
            r"\bprogramming languages?\b|\blanguages? (?:do|does|can) (?:i|the user) (?:code|program)\b",
            "programming",
        ),
        ("operating", r"\boperating systems?\b", "os"),
        (" club", r"\b(?:football|soccer|rugby|cricket|hockey|baseball|basketball|handball) clubs?\b", "team"),
        ("study", r"\bdid (?:i|the user) study\b", "my studies"),
        (
            "language",
            r"\blanguages? (?:am|is|are) (?:i|the user) (?:\w+ )?(?:study|learn|practi[cs])ing\b",
            "my lessons",
        ),
        (
            "weekend",
            r"\bwhat (?:do|does) (?:i|we|the user) (?:\w+ )?do (?:on|at|over|during) (?:the |my )?weekends?"
            r"(?=\W*$)",
            "my saturdays",
        ),
        ("live", r"\bwhere did (?:i|we|the user) (?:use to )?live(?: (?:before|previously))?(?=\W*$)", "my home"),
        (
            "trip",
            r"\btrips?(?: (?:do|does|have) (?:i|we|the user)(?: have| got)?)? (?:coming up|planned|booked|ahead)"
            r"(?=\W*$)",
            "trips",
        ),
        (
            "eat",
            r"\b(?:can|may|should|could|am) (?:i|we|the user) (?:still )?(?:allowed to |able to )?eat "
            r"(?:an? |the |some |any )?(?:[\w-]++ ){0,2}[\w-]++(?=\W*$)",  # whole words, or dashes take long
            "my diet",
        ),
        ("repl", r"\b(?:format|write|phrase|style|word) your (?:replies|answers|responses)\b", "your style"),
        ("was my", r"\bwhat was my\b", "my"),
        (" do", r"\bwhat (?:do|does) (?:i|the user) do(?=\W*$)", "my job"),
        (" want", r"\bwhat (?:do|does) (?:i|the user) want to (?:be|become)\b", "my goals"),
        ("love life", r"\blove life\b", "relationship"),
        (
            "e",
            r"\bwhat (?:\w+ ){1,2}(?:do|does) (?:i|the user) (?:really )?(?:dislike|hate|loathe|detest)(?=\W*$)",
            "my dislikes",
        ),
        ("work", r"\bwho (?:works|is working) for (?:me|us|the user)\b", "my staff"),
    )
]
_OLD = re.compile(r"\bhow old (?=am|is|are|was|will)", re.IGNORECASE)
#: Who asks what they like does not ask what they hate, nor the other way round.
_LIKING = re.compile(
    r"\bwhat (?:(?:things |else |all )?(?:do|does) (?:i|the user) (?:really )?(?:like|love|enjoy|prefer)|"
    r"(?:else )?am i fond of)(?=\W*$)",
    re.IGNORECASE,
)
_DISLIKING = re.compile(
    r"\bwhat (?:(?:things |else |all )?(?:do|does) (?:i|the user) (?:really )?(?:dislike|hate|loathe|detest|"
    r"not (?:like|enjoy))|(?:do|does)n['’]t (?:i|the user) (?:really )?(?:like|enjoy)|"
    r"(?:things )?(?:can['’]t|can ?not) i stand)(?=\W*$)",
    re.IGNORECASE,
)
_TASTE = re.compile(
    r"\W*(?:my )?(?:(?:dis)?likes|tastes)(?: (?:and|or) (?:my )?(?:dis)?likes)?\W*$", re.IGNORECASE
)
#: How it is told that somebody does not like something.
_DISLIKED = re.compile(
    r"\b(?:dislik|hate|loath|detest|odia|odio)\w*|(?:\b(?:not|never|no longer|cannot)|n['’]t) (?:\w+ ){0,2}"
    r"(?:like|love|enjoy|prefer|stand|fond)s?\b|\bno le (?:gusta|encanta)n?\b",
    re.IGNORECASE,
)
_TASTES = ("like", "taste", "love", "enjoy", "prefer", "fond", "hate", "loathe", "detest", "stand")


def literally(question: str) -> str:
    """The same without a turn of phrase that has nothing to do with its words: who asks what somebody does "for a
    living" does not ask who lives where, nor when somebody gets up what they get."""
    return _UP.sub("wake up", _LIVING.sub("as a job", question))


def _in_a_word(question: str) -> str:
    """The same with the words that ask for a matter in place of phrases that do."""
    question = _OLD.sub("what age ", literally(question))
    low = question.lower()
    for cue, phrase, word in _PHRASES:
        if cue in low:
            question = phrase.sub(word, question)
    if not any(map(low.__contains__, _TASTES)):
        return question
    return _LIKING.sub("my likes", _DISLIKING.sub("my dislikes", question))


def asks_for_tastes(question: str) -> bool:
    """Whether it asks for all that the user likes, or does not: one who loves tea and likes figs means both."""
    return any(map(question.lower().__contains__, _TASTES)) and bool(
        _LIKING.search(question) or _DISLIKING.search(question) or _TASTE.match(question)
    )


def contrary(question: str) -> str:
    """The words for what one likes, where it is asked for what one does not: "user does not like olives"."""
    return "like likes enjoy enjoys" if _tastes_asked(question) == (False, True) else ""


def of_other_taste(question: str, text: str) -> bool:
    """Whether it tells what somebody dislikes where it is asked for what they like, or the other way round."""
    likes, dislikes = _tastes_asked(question)
    return likes != dislikes and dislikes != (_DISLIKED.search(text) is not None)


def _tastes_asked(question: str) -> tuple[bool, bool]:
    """Whether it is asked for what somebody likes, and for what they do not."""
    words = set(_WORD.findall(_in_a_word(question).lower())) if asks_for_tastes(question) else set[str]()
    return not words.isdisjoint(("likes", "tastes")), not words.isdisjoint(("dislikes", "tastes"))


@lru_cache(maxsize=64)  # several ask for that of one question
def kin(question: str) -> str:
    """The words of the matter that a question asks for; empty if it asks for none, or for anything else too."""
    words = [_one(_plain(word)) for word in _WORD.findall(_in_a_word(question))]
    if _ASKED_BY.isdisjoint(words):  # which most can be told by
        return ""
    matters = [told for asked, told in _PLAIN if not asked.isdisjoint(words)]
    single = [told for asked, told in _SINGLE if not asked.isdisjoint(words)]
    others = [told for told in single if told not in _LIKES]
    allowed: list[frozenset[str]] = []
    if matters or others:
        single = others  # "food likes" asks for food
    if _TEAM in others:
        words = [word for word in words if word not in _SPORTS]  # whose team it is, and not who plays
    if _GOALS in others and (matters or len(others) > 1):
        # "Career goals" asks for what is wanted, and not for the job that somebody has.
        allowed, matters, others, single = [*matters, *others], [], [_GOALS], [_GOALS]
    if others and (matters or len(others) > 1):
        return ""
    matters += single
    allowed += matters
    # "Son" is a word of grammar in Spanish, and somebody in "where does my son live?".
    may = _MAY - {"son"} if "son" in words and not _ENGLISH_CUES.isdisjoint(words) else _MAY
    if not matters or any(word not in may and not any(_told(word, told) for told in allowed) for word in words):
        return ""
    # Who takes something need not say what for; but who takes lessons is not ill.
    return " ".join(sorted({word for told in matters for word in told} | {"take"}.intersection(words)))


def binding(question: str) -> str:
    """The words in which people tell what they must not be given, where a question asks for food, drink or
    medicine and for nothing else; else empty."""
    if asks_for_favourite(question):
        return ""
    if not any(map(_plain(question).__contains__, _GIVEN_CUES)):  # which nearly all can be told by
        return ""
    words = {_one(_plain(word)) for word in _WORD.findall(question)}
    asks = any(asked.intersection(words) for asked, _ in _PLAIN[:_GIVEN])
    return _BINDING if asks and kin(question) else ""


def of_matter(bound: str, words: str) -> str:
    """Of the words for what somebody must not be given those of one matter, and allergies: a diet is nothing to
    medicine."""
    told = set(words.split())
    return " ".join(
        word for word in bound.split() if word in told or word.startswith(("allerg", "alerg", "alérg"))
    )


def tells_of(words: str, text: str) -> bool:
    """Whether somebody tells something of themselves there in one of the words of a matter: in a sentence about
    oneself that asks nothing."""
    told = set(words.split()) - _OF_ANYTHING
    return any(
        not sentence.rstrip().endswith("?")
        and not _MYSELF.isdisjoint(map(_plain, _WORD.findall(sentence)))
        and _says_one(told, _OTHER_SENSE.sub(" ", sentence))
        for sentence in _SENTENCE.findall(text)
    )


def in_other_sense(words: str, text: str) -> bool:
    """Whether it has a word of a matter only where that means something else: who runs a shop is no runner."""
    return _OTHER_SENSE.search(text) is not None and not _says_one(set(words.split()), _OTHER_SENSE.sub(" ", text))


def _says_one(told: Set[str], text: str) -> bool:
    said = map(_plain, _WORD.findall(text))
    return any(word in told or word + "s" in told or word.removesuffix("s") in told for word in said)


def no_favourite(question: str, text: str) -> bool:
    """Whether it does not tell what somebody likes where it is asked for what they like best."""
    return asks_for_favourite(question) and (_LIKED.search(text) is None or forbids(text))


def asks_for_favourite(question: str) -> bool:
    """Whether it asks for what somebody likes best: no allergy is that."""
    return _FAVOURITE.match(question) is not None


def other_favourite(question: str, text: str) -> bool:
    """Whether it tells a favourite of another kind: who asks for a colour does not ask for the dish."""
    told = _IS_FAVOURITE.search(text)
    if told is None or told[1].lower() in kin(question).split():
        return False
    asked = {_plain(word) for word in _WORD.findall(question)} - _MAY
    return asked.isdisjoint(map(_plain, _WORD.findall(text)))


def forbids(text: str) -> bool:
    """Whether it tells what somebody must not be given, or does not eat or drink."""
    return _FORBIDS.search(text) is not None


def harmless(question: str, text: str) -> bool:
    """Whether it speaks of no harm where nothing but allergies are asked for: who eats nuts may, who cannot eat
    them is as good as allergic."""
    words = {_plain(word) for word in _WORD.findall(question)}
    allergies = _PLAIN[_GIVEN - 1][0]
    if words.isdisjoint(allergies) or any(asked & words for asked, _ in _PLAIN if asked is not allergies):
        return False
    return _HARMS.search(text) is None


def of_somebody(text: str) -> bool:
    """Whether it is about somebody whom the user has, as "user's brother"."""
    return _SOMEBODY.match(text) is not None


def is_own(text: str) -> bool:
    """Whether it is told of the user, and not of somebody whom the user has or who is named."""
    return _OWN.match(text) is not None


def of_somebody_else(question: str, text: str) -> bool:
    """Whether the words of a matter speak of somebody else there: who asks for their job does not ask for "user's
    accountant"."""
    if not of_somebody(text):
        return False
    words = {_plain(word) for word in _WORD.findall(question)}
    there = {_plain(word) for word in _WORD.findall(text)}
    return any(
        asked.intersection(words) and not asked.intersection(there) for asked, told in _PLAIN if told & _TRADES
    )


def _told(word: str, told: frozenset[str]) -> bool:
    """Whether it is one of these words, or what they are of somebody else: "drive", told as "drives"."""
    return word in told or word + "s" in told


def _one(word: str) -> str:
    """One of what is asked for in the plural, and the base of a verb that asks ("contacted"), unless it is listed
    as it is."""
    if word in _KNOWN:
        return word
    if word.endswith("s") and word[:-1] in _KNOWN:
        return word[:-1]
    base = base_of(word)
    return base if base in _ASKED_BY and base not in _NO_VERB else word


def _plain(word: str) -> str:
    if word.isascii():
        return word.lower()
    bare = unicodedata.normalize("NFD", word.casefold())
    return "".join(sign for sign in bare if not unicodedata.combining(sign))


_PLAIN = [(frozenset(map(_plain, asked)), frozenset(map(_plain, told))) for asked, told in _MATTERS]
_SINGLE = [(frozenset(map(_plain, asked)), frozenset(map(_plain, told))) for asked, told in _BY_THEMSELVES]
#: What may be asked for beside any other matter.
_LIKES = [told for asked, told in _SINGLE if asked & {"likes", "dislikes"}]
_GOALS = next(told for asked, told in _SINGLE if "goals" in asked)
_TEAM = next(told for asked, told in _SINGLE if "team" in asked)
_SPORTS = listed("""
football footy soccer rugby cricket hockey baseball basketball handball volleyball sport sports support supports
""")
#: What tells the matter of work, where a word of it may be somebody who works for the user.
_TRADES = frozenset(("accountant",))
_MAY = frozenset(map(_plain, _ASKING))
_KNOWN = _MAY.union(*(told for _, told in _PLAIN + _SINGLE))
_ASKED_BY = frozenset[str]().union(*(asked for asked, _ in _PLAIN + _SINGLE))
_ENGLISH_CUES = listed("my our user s the")
#: What is booked is no book.
_NO_VERB = listed("book")
#: The first letters of the words that ask for what one may be given, one of which a question for it has.
_GIVEN_CUES = tuple(sorted({word[:4] for asked, _ in _PLAIN[:_GIVEN] for word in asked}))
