"""How words feel, from -3 to 3, in English and Spanish: our own list, without accents, in small letters. Pure.

A word that ends in ``*`` stands for all that begin with it. The two languages share one list: few words mean
something in both, and those that do feel alike.
"""

from __future__ import annotations

_WORDS = {
    3: """
    adore* amazing* awesome* blissful* brilliant* delighted delightful ecstatic excellent* exceptional*
    exquisite fabulous* fantastic* flawless* incredible* love loved loves loving lovely magnificent* marvell*
    marvelous* outstanding overjoyed perfect perfectly phenomenal* spectacular* splendid* stunning* superb*
    terrific* thrilled wonderful* wow lifesaver adoro adora adoramos amo amamos alucinante* buenisim*
    delicios* encanta encantan encanto encantada encantado espectacular* estupend* excelente* excepcional*
    extraordinari* fabulos* felicisim* felicidades fenomenal* genial* impecable* increible* inmejorable*
    maravill* perfect* preciosa* precioso* riquisim* sensacional* eufori* enamorad* magnific* chulisim*
    enhorabuena graciosisim* espectacular kudos heavenly dreamy chollo ganga
    """,
    2: """
    admire* amused amusing appreciat* beautiful* better best bless* bravo celebrat* charm* cheerful* comfort*
    congrat* cute delicious easier elegant enjoy* excit* fun friendly glad good gorgeous grateful great happy
    happi* helpful helps heal healed healthy hooray hurray impress* inspir* joy* kind kindness laugh* liked
    lucky nailed nice* passed peace* pleasant* pleased pleasure proud* recommend* recovered rejoic* reliev*
    safe safely satisf* smooth* solved success* super sweet tasty thank* thankful* treasure* triumph* trust
    trustworthy useful valuable victory welcome* well win winner wins won yay yummy generous gentle hopeful
    optimistic excellent favorite favourite refreshing rewarding agradable* agradec* alegr* amable* animad*
    aplau* bien bonit* buen buena buenas bueno buenos carinos* chulo chula chulada comodo comoda comodos
    comodisim* content* contentisim* disfrut* divert* eficaz eficiente* elegante* emocionad* emocionante*
    encantador* exito* facil facilisim* feliz felices ganamos ganaron gane gano generos* gracias gusta gustan
    gusto gustaria guap* hermos* ilusion* impresionante* interesante* lindo linda lindos lindas logre logro
    logramos logrado majo maja majisim* mejor mejora mejorado mejorando motivad* orgull* paz placer precios*
    prometedor* recomiend* recuper* rapidisim* resuelto resuelta resolvio rico rica ricos ricas salvado
    salvada salvaste satisfech* simpatic* sonri* suerte tranquil* triunf* util utiles utilisim* valios* aprobe
    aprobo aprobamos calm* cheers hug hugs promoted hired engaged graduated relaxed cozy cosy saved relief
    comfy adorable gladly blessed joke jokes abraz* beso besos ascend* graduad* confianza alivi* aliviad*
    aprobado aprobada entusiasm* risa risas reimos carino acogedor* dichos* afortunad* brillante* simpatia
    """,
    1: """
    agree* clear cool easy effective efficient fair fine fixed interesting like likes ok okay polite positive
    promising quick quickly relax* resolved supportive worth* improv* progress exactly funny acertad* adelante
    ayudo ayudado claro claramente conforme correcto correcta exactamente funciona funcionan funciono positiv*
    solucionado solucionada solucionaron avance* agradezco cheap affordable spacious quiet neat tidy smart
    barat* ordenad* limpi* lograd* util
    """,
    -1: """
    annoy* blurry bothers bothered bothersome complain* complicated confus* costly delay* difficult* doubt*
    expensive hard hesitat* issue* late mess messy missed missing nervous noisy odd outdated overpriced pain
    pains painful* problem problems regret* shame slow* sorry strange stuck tense tired tough trouble* unclear
    uncomfortable unfortunately unsure waiting waited weird worse wrong lack lacks lacking bug bugs buggy
    forgot ignored ignoring aburr* atasc* barull* caro cara caros caras complicad* confund* costos* dificil*
    duda dudas dudo esperando falta faltan incomod* incompleto insegur* lament* lento lenta lentos lentas
    lentisim* lio molest* nervios* problema* queja* quej* raro rara raros raras retras* ruid* tardan tardando
    tardaron tenso tensa cansad* lastima* caos overdue unanswered noise crowded dull awkward clumsy heavy
    costs leaking leaks rushed homesick headache* apretad* cutre cutres engorros* pesado pesada agotador* sosa
    soso
    """,
    -2: """
    afraid alone anger* angr* anxi* argued arguing asham* bad badly blame* blocked bored boring broke broken
    burned burnt cheat* corrupt* crash* cried cry crying damag* deceiv* defeat* depress* desperat* dirty
    disagree* disappoint* discourag* disrespect* dumb embarrass* error errors errores exhaust* fail* fault*
    fear* fight fights fighting frustrat* greedy grief griev* grim gross guilty hate hated hates helpless
    hurt* ignorant ill impatient incompetent insult* irrelevant irritat* jealous lame lazy lied lies lonel*
    lose loses losing loss lost mad misera* misleading mistake* nasty negative neglect* overwhelm* overcharg*
    panic* pathetic poor poorly refund refunds reject* resent* rude sad sadd* sadly scare* scary severe sick
    smelled smelly stinks stress* struggl* stupid* suffer* suck sucks sucked suspicious threat* unacceptable
    unfair unhappy unhelpful unreliable unsafe unwell upset upsetting useless waste* wasted weak worr*
    worthless worst ugly unpleasant hopeless heartless cruel bleeding tears nightmare scam pointless disgust*
    annoyed furious spam abandoned abandonado abandonada agobi* amenaz* ansied* ansios* arruin* asust* averia*
    basura borrad* borro brusc* cansa cansan coler* culpa danado danada danos decepc* decepcion* defraud*
    deprim* derrot* desagradabl* desesper* desgraci* desilus* despreci* dolor* duele duelen enfad* enfermo
    enferma enfermos engan* enoj* equivoc* estafa* estres* estrope* estupid* falla fallan fallo fallos
    fallando fea feas feo feos fracas* frustrad* frustran* frustra gritos gritando grito grosera* grosero*
    harto harta hartos herido herida hundid* ignora ignoran ignoraron imposibl* indign* injust* insoportabl*
    inutil* lloro llora llorar llore llorando mal mala malas malo malos maltrat* maleducad* mentiroso
    mentirosa mentiste mienten miente mentira* mied* miserabl* murio negativ* odio odia odiamos ofend* perdi
    perdio perdimos perdido perdida perdiendo pesim* preocup* quejas rechaz* rabia ridicul* robo robaron
    rompio rompieron rota roto rotos sufriendo sufro sufrido sufrimos sucio sucia sucios sucias sucisim*
    soledad triste* tristeza vergonz* verguenz* venganz* angusti* cobraron carisim* yell* shout* scream* stole
    stolen steal* fired divorc* evict* debt* ache aches accident* injur* leaked denied declined robbed sued
    bully bullied betray* ghosted dump dumped homeless hungry starv* unemployed swindl* stink* rotten robar
    roban robado despid* despedid* divorci* deuda* denegad* multa multas multaron plantad* fiebre mareo mareos
    vomit* gotera* timo timado timaron podrid* estafad* golpe golpearon llanto lloramos desprec* peor peores
    """,
    -3: """
    abus* abysmal agony appalling atrocious awful* catastroph* dead death devastat* die died dies disast*
    dreadful* evil fatal* furi* ghastly hateful heartbroken heartbreak* hideous horr* horrid humiliat*
    infuriat* killed loath* murder* outrag* rage enrage* revolting ruin* terribl* terrified toxic traged*
    tragic* traum* unbearabl* vile disgusting despair* asco asqueros* atroz* catastrof* desastr* desgarr*
    detest* devastad* espant* funest* horrend* horribl* horror* infern* nefast* odioso odiosa pesadill* pesim*
    repugn* traicion* vomitiv* patetic* humill* falleci* excruciating abominable nauseat* torture* insufrible*
    vergonzos* deplorabl* lamentabl*
    """,
}  # fmt: skip

_PHRASES = {
    "as well": 0.0, "would like": 0.0, "i'd like": 0.0, "kind of": 0.0, "looks like": 0.0, "sounds like": 0.0,
    "hard drive": 0.0, "good morning": 0.5, "good night": 0.5, "best regards": 0.5, "buenos dias": 0.5,
    "buenas tardes": 0.5, "buenas noches": 0.5, "si no": 0.0, "no matter": 0.0, "me gustaria": 0.0,
    "no problem": 1.5, "no problems": 1.5, "no worries": 1.5, "not bad": 1.5, "can't wait": 2.0,
    "cannot wait": 2.0, "cant wait": 2.0, "at last": 1.0, "first try": 1.5, "what i needed": 2.0,
    "thank you": 2.0, "over the moon": 3.0, "a relief": 2.0, "well done": 2.5, "good job": 2.0,
    "piece of cake": 1.5, "looking forward": 2.0, "never better": 2.5, "made my day": 3.0, "you rock": 2.5,
    "spot on": 2.0, "worth it": 2.0, "feel better": 2.0, "no complaints": 2.0, "couldn't be happier": 3.0,
    "could not be happier": 3.0, "couldn't be better": 3.0, "blown away": 2.5, "no longer works": -2.0,
    "stopped working": -2.0, "doesn't work": -2.0, "does not work": -2.0, "doesnt work": -2.0,
    "didn't work": -2.0, "not working": -2.0, "isn't working": -2.0, "nothing works": -2.5, "won't work": -2.0,
    "don't work": -2.0, "waste of time": -3.0, "waste of money": -3.0, "fed up": -2.5, "sick of": -2.5,
    "tired of": -2.0, "gave up": -2.0, "give up": -2.0, "giving up": -2.0, "let down": -2.0, "let me down": -2.5,
    "not what i": -1.5, "too bad": -1.5, "too long": -1.0, "too late": -1.5, "too slow": -2.0,
    "makes no sense": -2.0, "could be better": -1.0, "ripped off": -3.0, "rip off": -3.0, "third time": -1.0,
    "yet again": -1.0, "fell apart": -2.0, "no use": -2.0, "no help": -2.0, "can't believe": -1.0,
    "can't stand": -3.0, "cannot stand": -3.0, "had enough": -2.5, "no idea": -0.5, "no one answers": -2.0,
    "nobody answers": -2.0, "no one cares": -2.5, "nobody cares": -2.5, "at a loss": -2.0, "passed away": -3.0,
    "broke up": -2.0, "worse than": -2.0, "no hay problema": 1.5, "sin problema": 1.5, "sin problemas": 1.5,
    "ningun problema": 1.5, "no pasa nada": 1.5, "nada mal": 1.5, "por fin": 1.0, "menos mal": 1.5,
    "justo lo que": 2.0, "vale la pena": 2.0, "vale la espera": 2.0, "merece la pena": 2.0, "que bien": 2.5,
    "bien hecho": 2.5, "buen trabajo": 2.0, "muchas gracias": 2.5, "de maravilla": 3.0, "de lujo": 2.5,
    "como nuevo": 2.0, "tengo ganas": 1.5, "que ganas": 2.0, "me muero de ganas": 2.5, "estoy deseando": 2.0,
    "todo un acierto": 2.5, "lo pasamos": 0.5, "ni fu ni fa": -0.3, "de acuerdo": 1.0, "da gusto": 2.0,
    "por suerte": 1.5, "sin queja": 1.5, "ninguna queja": 1.5, "no sirve": -2.0, "no me sirve": -2.0,
    "no sirven": -2.0, "no funciona": -2.0, "no funcionan": -2.0, "nada funciona": -2.5,
    "dejo de funcionar": -2.0, "no va": -1.5, "nadie contesta": -2.0, "nadie responde": -2.0,
    "perdida de tiempo": -3.0, "perder el tiempo": -2.5, "que pena": -2.0, "que lastima": -2.0,
    "me da igual": -0.5, "ya no puedo mas": -2.5, "no puedo mas": -2.5, "no aguanto": -2.5, "que asco": -3.0,
    "una mierda": -3.0, "de mal en peor": -3.0, "hecho polvo": -2.0, "hecha polvo": -2.0,
    "no tiene sentido": -2.0, "sin sentido": -2.0, "otra vez lo mismo": -2.0, "lo peor": -3.0, "peor que": -2.0,
    "a peor": -2.0, "mucho peor": -2.0, "me duele": -2.0, "sin respuesta": -1.5, "tomadura de pelo": -3.0,
    "que rabia": -2.5, "que verguenza": -2.5, "tirar la toalla": -2.0, "en vano": -2.0, "fuera de lugar": -1.5,
    "it works": 1.5, "works now": 1.5, "now works": 1.5, "works well": 2.0, "works fine": 1.5,
    "works perfectly": 3.0, "working again": 1.5, "no sense": -2.0, "saved me": 2.0, "got the job": 2.5,
    "breaks my heart": -3.0, "broke my heart": -3.0, "nobody replies": -2.0, "nobody responds": -2.0,
    "no one replies": -2.0, "no reply": -1.5, "no answer": -1.5, "charged twice": -2.0, "out of stock": -1.0,
    "hung up on": -2.0, "second time": -0.5, "ran out of": -1.0, "good luck": 1.0, "in love": 2.5,
    "en grande": 2.0, "salio bien": 2.0, "sale bien": 2.0, "salio mal": -2.0, "cobrar dos": -2.0,
    "dos veces": -0.5, "otra vez tarde": -2.0, "sin dinero": -1.5, "no tengo dinero": -1.5, "ni caso": -2.0,
    "me quede sin": -1.5, "buena suerte": 1.0, "no contestan": -2.0, "no responden": -2.0, "no contesta": -2.0,
    "no entiendo": -0.7, "don't understand": -0.7, "works great": 2.5,
}  # fmt: skip

EMOJI = {
    **dict.fromkeys("❤💕💖😍🥰🤩🎉🥳💯😻🏆", 3.0),
    **dict.fromkeys("😀😃😄😁😊☺🙂😎🤗👍👏🙏💪😂🤣😋🌟✨😘✅", 2.0),
    **dict.fromkeys("😐🤔😕🙁😬😞😟🥱👎😒🙄", -1.5),
    **dict.fromkeys("😢😭😠😤😩😫💔😖😣😰😨🤒🤢😔", -2.5),
    **dict.fromkeys("😡🤬🤮😱", -3.0),
}
SMILEYS = {
    ":)": 2.0,
    ":-)": 2.0,
    ":D": 2.5,
    ";)": 1.0,
    "<3": 3.0,
    ":(": -2.0,
    ":-(": -2.0,
    ":'(": -2.5,
    ":/": -1.0,
    "xD": 2.0,
}

NEGATIONS = frozenset(
    """
    not no never none neither nor cannot without hardly barely scarcely isn't wasn't aren't weren't don't
    doesn't didn't can't couldn't won't wouldn't shouldn't hasn't haven't hadn't ain't isnt wasnt dont doesnt
    didnt cant wont nobody nothing nunca jamas ni sin tampoco nada nadie ningun ninguno ninguna apenas
    """.split()  # noqa: SIM905
)
STRONGER = frozenset(
    """
    very really so extremely absolutely totally completely incredibly super too such way much deeply truly
    utterly muy mucho mucha tan tanto bastante super sumamente realmente totalmente completamente demasiado
    re bien
    """.split()  # noqa: SIM905
)
WEAKER = frozenset(
    "slightly somewhat kinda bit little fairly partly almost algo poco casi medianamente apenas".split()  # noqa: SIM905
)
BUT = frozenset("but however though although yet pero aunque sino embargo".split())  # noqa: SIM905


def _lists() -> tuple[dict[str, float], dict[str, float]]:
    whole: dict[str, float] = {}
    begin: dict[str, float] = {}
    for value, text in _WORDS.items():
        for word in text.split():
            if word.endswith("*"):
                begin.setdefault(word[:-1], float(value))
            else:
                whole.setdefault(word, float(value))
    return whole, begin


WHOLE, BEGIN = _lists()
PHRASES = {tuple(phrase.split()): value for phrase, value in _PHRASES.items()}
