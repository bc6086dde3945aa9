"""Words that mean the same, words that mean the opposite, words that say little; English and Spanish, no accents."""

from __future__ import annotations

#: Say nothing that could differ between two facts. What changes a meaning ("without", "only") is not among them.
SMALL = frozenset(
    """a an the of in on at to for with by from into onto upon as and that this these those it its itself his her hers
    him their theirs them they he she who whom which there here i me my mine we our us you your is are was were be been
    being am do does did done really very quite just also now currently nowadays still again yet already anymore any
    more so too some user users mr ms mrs dr please actually recently lately usually through
    along across wear wears wearing several each every both
    el la los las un una unos unas lo al del de en con por para su sus que y es esta estan ser estar se le les
    muy ahora ya todavia aun tambien actualmente usuario usuaria hace""".split()
)

#: Verbs that carry little; they do not keep two facts apart, but they do keep them from being the same.
LIGHT = frozenset(
    {
        "hav",
        "get",
        "mov",
        "moved",
        "changed",
        "postponed",
        "rescheduled",
        "chang",
        "will",
        "go",
        "new",
        "started",
        "found",
    }
)

#: What makes a fact a wish, a plan, a doubt or a thing of the past.
WEAK = frozenset(
    """want plan hop wish might may could would should think consider try almost nearly formerly former onc ex dream
    learn like prefer need intend decid refus only except without but unless seldom rarely sometim never maybe perhap
    probably claim believ doubt quier planea podria sin solo salvo pero casi quiza antes wanted planned hoped tried
    thought considered refused""".split()
)

_SAME = """
    live reside dwell; moved relocated; like enjoy love adore; film movie; colour color; favourite favorite; child kid;
    mother mom mum mamma; father dad daddy; big large huge; small little tiny; phone telephone; flat apartment;
    bicycle bike; car automobile; begin start commence; purchase buy; purchased bought; job occupation profession;
    speak talk; ill sick; wife spouse; called named; gift present; shop store; tv television; photo picture photograph;
    doctor physician; lawyer attorney; sofa couch; street road; cat kitty; dog puppy; rock stone;
    quick fast; infant baby; woman lady; child children kids; man men; woman women; 
    mouse mice; foot feet; tooth teeth; email e-mail mail; grandmother grandma granny; grandfather grandpa;
    grey gray; person people human; jump leap; try attempt; centre center; blond blonde; neighbour neighbor;
    theatre theater; metre meter; litre liter; jewellery jewelry; yoghurt yogurt; pyjama pajama; programme program
"""

_OPPOSITE = """
    light/dark; claro/oscuro; clara/oscura; short/long; brief/detailed; short/detailed; corto/largo; corta/larga;
    cortas/largas; cortos/largos; single/married; rent/own; alquila/dueno; alquila/propietario; start/finish; open/close;
    open/closed; opened/closed; accepted/rejected; accepted/refused; accepted/declined; accept/reject; accept/decline;
    acepto/rechazo; window/aisle; ventana/pasillo; ventanilla/pasillo; full/part; hot/cold; warm/cold; caliente/frio;
    calor/frio; frio/calido; early/late; temprano/tarde; north/south; east/west; norte/sur; este/oeste; left/right;
    izquierda/derecha; city/countryside; city/country; ciudad/campo; inside/outside; indoors/outdoors; indoor/outdoor;
    up/down; high/low; alto/bajo; alta/baja; rich/poor; strong/weak; fuerte/flojo; sweet/savoury; sweet/salty;
    dulce/salado; public/private; publico/privado; win/lose; won/lost; gano/perdio; pass/fail; passed/failed;
    aprobo/suspendio; bought/sold; buy/sell; compro/vendio; gained/lost; gain/lose; happy/sad; happy/unhappy;
    feliz/triste; contento/descontento; healthy/ill; sano/enfermo; paper/digital; cash/card; efectivo/tarjeta;
    summer/winter; verano/invierno; spring/autumn; morning/evening; manana/noche; day/night;
    before/after; antes/despues; more/less; mas/menos; always/never; siempre/nunca; loud/quiet; fast/slow;
    rapido/lento; cheap/expensive; barato/caro; easy/difficult; easy/hard; facil/dificil; near/far; cerca/lejos;
    alone/together; solo/acompanado; introvert/extrovert; introverted/extroverted; introvertido/extrovertido;
    left-handed/right-handed; zurdo/diestro; zurda/diestra; left-wing/right-wing; employed/unemployed; on/off;
    old/new; viejo/nuevo; old/young;
    metric/imperial; celsius/fahrenheit; android/iphone; mac/windows; mac/linux; windows/linux; agreed/disagreed;
    confirmed/cancelled; confirmed/canceled; booked/cancelled; confirmo/cancelo; reservo/cancelo; remembered/forgot;
    won/drawn; first/last; primero/ultimo; upstairs/downstairs; sunny/rainy; wet/dry; clean/dirty; full/empty;
    married/divorced; tall/short; thin/thick; remote/onsite; remotely/onsite; remoto/presencial; hired/fired;
    joined/left; arrived/departed; approved/denied; enabled/disabled; activated/deactivated; support/oppose;
    apoya/rechaza; love/hate; formal/casual; sugar/sugarless; optimistic/pessimistic; optimista/pesimista;
    active/inactive; working/broken; agree/disagree; rural/urban; gained/lost; increased/decreased;
    increased/reduced; whole/skimmed; still/sparkling; regular/decaf; beard/shaven; carpet/parquet
"""

#: Kinds of things of which somebody prefers one.
_KINDS = """
    tea te coffee cafe water agua wine vino beer cerveza juice zumo milk leche cola cocoa;
    train tren plane avion bus autobus car coche bike bici ferry flying walking driving cycling metro tram taxi;
    email correo phone telefono call calls llamada sms chat letter carta text texts whatsapp video;
    english ingles german aleman french frances spanish espanol italian italiano portuguese portugues dutch polish;
    sea mar beach playa mountain montana mountains city ciudad countryside campo lake;
    morning mornings evening evenings afternoon night manana tarde noche;
    cat gato dog perro; window ventana aisle pasillo;
    meat carne fish pescado; rice arroz pasta potato patata bread;
    python java rust go javascript typescript ruby kotlin swift; vim emacs vscode; tabs spaces;
    book libro film pelicula series podcast; cash efectivo card tarjeta; hotel hostel camping apartment;
    red rojo blue azul green verde black negro white blanco yellow amarillo pink rosa purple;
    spring primavera summer verano autumn otono winter invierno; gas electric induction; paper digital
"""

#: Qualities that narrow a thing down without making it another thing.
QUALITIES = frozenset(
    """green black white red blue yellow brown pink strong weak fresh hot cold iced warm sweet dry old new young small
    big large little long short dark light spicy vegan vegetarian italian french german spanish chinese japanese indian
    thai greek mexican turkish classic classical modern electric acoustic organic local homemade favourite good great
    early late two three only-child older younger elder eldest youngest best close dear real own whole""".split()
)

#: Somebody, or an animal, that a fact can be about.
_PEOPLE = """
    sister hermana; brother hermano; mother madre mum mom; father padre dad; parents padres; wife mujer esposa;
    husband marido esposo; partner pareja; girlfriend novia; boyfriend novio; son hijo; daughter hija; child;
    children hijos; boss jefe jefa; manager gerente; colleague colega companero companera; friend amigo amiga;
    cousin primo prima; uncle tio; aunt tia; grandmother abuela; grandfather abuelo; neighbour vecino vecina neighbor;
    dog perro perra; cat gato gata; landlord casero casera; teacher profesor profesora; doctor medico;
    niece sobrina; nephew sobrino; flatmate roommate; dentist; therapist; tutor; supervisor; assistant; mentor;
    baby bebe; horse caballo; team equipo; ex; nanny; coach
"""

#: Of these somebody may well have two, so another name is another one.
MANY = frozenset(
    """sister brother friend colleague cousin uncle aunt son daughter child neighbour niece nephew parents children
    grandmother grandfather teacher ex""".split()
)

#: Endings by which an occupation is known, and those that have none.
TRADES = tuple(
    "er or ist ian ant yst eer man woman smith wright ess dor dora ero era ista iano ogo oga ente tor tora sor sora".split()
)
OCCUPATIONS = frozenset(
    """nurse student judge chef cook lawyer pilot plumber mechanic dentist clerk surgeon monk priest nun vet intern
    architect pharmacist secretary politician coach guide artist model trainee apprentice attorney spy officer agent
    paramedic housewife freelancer entrepreneur founder ceo cto director diplomat au-pair postdoc butler tutor jurist
    abogado abogada juez jueza medico medica estudiante piloto arquitecto arquitecta autonomo autonoma pensionista
    funcionario funcionaria maestro maestra ingeniero ingeniera cocinero cocinera farmaceutico farmaceutica mecanico
    mecanica musico musica politico""".split()
)
NOT_OCCUPATIONS = frozenset(
    """lover member father mother brother sister daughter believer beginner owner smoker drinker eater sleeper winner
    loser swimmer runner hiker reader gamer listener vegetarian person owl foreigner stranger neighbour owner supporter
    perfectionist optimist pessimist introvert extrovert feminist atheist christian muslim citizen italian canadian
    australian brazilian indian norwegian egyptian russian ukrainian hungarian iranian survivor hoarder collector
    homeowner donor sponsor volunteer bachelor fighter insider outsider speaker learner newcomer womanizer widower
    soltera soltero heredera follower subscriber customer user morning grandmother grandfather twin woman
    man gentleman descendant participant senior junior minor major participant resident parent""".split()
)


def _groups(text: str) -> list[list[str]]:
    return [group.split() for group in text.replace("\n", " ").split(";") if group.strip()]


SYNONYMS = {word: group[0] for group in _groups(_SAME) for word in group}
PEOPLE = {word: group[0] for group in _groups(_PEOPLE) for word in group}
KINDS = {word: number for number, group in enumerate(_groups(_KINDS)) for word in group}
OPPOSITES = frozenset(
    frozenset(pair.strip().split("/")) for pair in _OPPOSITE.replace("\n", " ").split(";") if pair.strip()
)
