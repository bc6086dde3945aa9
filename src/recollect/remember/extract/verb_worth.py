"""What verbs say of the worth of a statement. The figures were set on dialogues whose facts are known."""

from __future__ import annotations

from recollect.text.wordlists import listed

#: Score, category, and the verbs they belong to; a later line goes before an earlier one.
_ROWS: tuple[tuple[float, str, str], ...] = (
    (
        1.1,
        "home",
        "live grow move relocate settle immigrate migrate rent vivir mudarse nacer crecer",
    ),
    (
        1.0,
        "work",
        "work study graduate major retire teach employ own specialise specialize trabajar estudiar graduarse "
        "jubilarse enseñar intern coach moonlight chair curate groom bartend oversee cater",
    ),
    (
        1.1,
        "family",
        "marry divorce adopt raise inherit die homeschool breastfeed casarse divorciarse separarse adoptar criar",
    ),
    (
        0.75,
        "preference",
        "love like enjoy hate adore prefer dislike detest loathe despise crave fear dread gustar encantar odiar "
        "preferir detestar amar adorar interesar disfrutar",
    ),
    (
        0.85,
        "skill",
        "play speak collect volunteer paint cook bake write sing dance draw knit sew crochet garden fish hunt "
        "hike run swim surf ski climb ride drive travel practise practice read watch listen code program fly "
        "build make photograph meditate skate train compete perform race breed grow dive podcast "
        "busk forage ferment snorkel canoe windsurf choreograph transcribe proofread interpret referee umpire "
        "cosplay jugar hablar coleccionar pintar cocinar escribir cantar bailar dibujar correr nadar tocar leer "
        "viajar montar practicar conducir entrenar",
    ),
    (
        0.85,
        "possession",
        "own have tener keep carry owe lease possess",
    ),
    (
        0.9,
        "health",
        "suffer injure break diagnose smoke drink eat quit inject tolerate relapse sufrir "
        "padecer fumar beber comer dejar",
    ),
    (
        0.68,
        "plan",
        "plan want intend hope dream aim decide save querer planear pensar ahorrar decidir esperar ir",
    ),
    (
        0.68,
        "event",
        "go visit buy sell win lose start finish begin complete join leave attend meet get become build "
        "create publish sign take pass earn receive travel launch found host organize organise celebrate fail "
        "return serve enlist enroll expire resign cancel borrow emigrate rebuild repay "
        "comprar vender ganar perder empezar terminar comenzar visitar conocer conseguir recibir viajar abrir "
        "aprobar tomar",
    ),
    (
        0.75,
        "preference",
        "wear use vote commute spend babysit subscribe charge post snack usar llevar ver escuchar votar",
    ),
    (
        0.95,
        "identity",
        "call name weigh llamarse",
    ),
)
#: verb: score, category. What is not here is worth what OTHER says.
VERBS = {verb: (score, category) for score, category, verbs in _ROWS for verb in listed(verbs)}
OTHER = 0.45
#: What somebody does not do is worth as much, with these.
DENIED = listed(
    "like love eat drink have drive live work smoke own enjoy swim tolerate afford "
    "gustar comer beber tomar tener conducir vivir trabajar fumar soportar odiar nadar"
)
TASTES = listed("like love enjoy hate adore prefer dislike gustar encantar odiar")
#: Verbs of talking and thinking: they say what goes on in the talk.
TALK = listed(
    "think guess know mean see agree wish bet suppose imagine believe understand hear appreciate thank promise "
    "wonder say tell ask remember forget mind care consider expect recommend suggest let hope look sound talk "
    "trust need try seem feel find notice realise realize help do come bring put give show admit assume guess "
    "suspect doubt confirm mention include insist suggest request demand deny confuse convince correct compare "
    "calculate evaluate investigate react reply respond quote submit remove delete replace refactor summarise "
    "summarize label select point reject ignore inform warn disagree appear exist differ saber creer decir "
    "preguntar entender parecer recordar olvidar agradecer ver oír suponer necesitar intentar"
)
