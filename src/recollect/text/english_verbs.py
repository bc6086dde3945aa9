"""English verbs: which words are verbs, which are past, and how they end after "he", "she" or "user". Pure."""

from __future__ import annotations

#: base: past, participle (where it is another word).
_IRREGULAR = """
arise arose arisen;awake awoke awoken;beat beat beaten;become became become;begin began begun;bend bent;bet bet;
bite bit bitten;bleed bled;blow blew blown;break broke broken;breed bred;bring brought;build built;burn burnt;
buy bought;catch caught;choose chose chosen;come came come;cost cost;creep crept;cut cut;deal dealt;dig dug;
do did done;draw drew drawn;dream dreamt;drink drank drunk;drive drove driven;eat ate eaten;fall fell fallen;
feed fed;feel felt;fight fought;find found;flee fled;fly flew flown;forget forgot forgotten;
forgive forgave forgiven;freeze froze frozen;get got gotten;give gave given;go went gone;grow grew grown;
hang hung;have had;hear heard;hide hid hidden;hit hit;hold held;hurt hurt;keep kept;know knew known;lay laid;
lead led;learn learnt;leave left;lend lent;let let;lie lay lain;light lit;lose lost;make made;mean meant;
meet met;mistake mistook mistaken;overcome overcame;pay paid;put put;quit quit;read read;ride rode ridden;
ring rang rung;rise rose risen;run ran run;say said;see saw seen;seek sought;sell sold;send sent;set set;
sew sewed sewn;shake shook shaken;shoot shot;show showed shown;shut shut;sing sang sung;sink sank sunk;sit sat;
sleep slept;speak spoke spoken;spend spent;split split;spread spread;stand stood;steal stole stolen;stick stuck;
strike struck;swear swore sworn;sweep swept;swim swam swum;swing swung;take took taken;teach taught;
tear tore torn;tell told;think thought;throw threw thrown;understand understood;wake woke woken;wear wore worn;
weave wove woven;win won;wind wound;withdraw withdrew withdrawn;write wrote written;
grind ground;oversee oversaw overseen;overeat overate overeaten;oversleep overslept;outgrow outgrew outgrown;
rebuild rebuilt;undo undid undone;weep wept
"""
_REGULAR = """
accept achieve act adapt add admire adopt adore advise aim answer apply appreciate argue arrange arrive ask attend
avoid babysit bake base battle believe belong bike blog board boil book bowl breathe brew browse brush call camp
care carve cheat celebrate change chase chat check clean climb close coach code collect commute compete complain
complete compose concentrate consider consult contact continue cook count cover craft crave create crochet cross
cry cycle dance date deadlift decide decorate deliver depend describe deserve design detest develop devote diagnose
die direct discover dislike divorce donate download dread dress drop earn edit embroider employ encourage end enjoy
enlist enroll enter exercise expect experience explore express face fail farm fast fear film finish fish fix focus
follow found garden gather golf graduate handle happen hate head help hike hire hope host hunt hurry identify
imagine immigrate improve inherit injure install intend interview introduce invent invest invite iron jog join joke
journal juggle jump keep kayak kick knit lack land last laugh launch lift like limit listen live loathe lock look
love maintain major manage marry master measure meditate mentor migrate mind miss mix model move name need notice
nurse observe offer open operate order organise organize overhear own pack paddle paint park participate pass
perform photograph pick plan plant play practice practise pray prefer prepare pretend print produce program promise
propose publish pull push race raise reach realise realize receive recommend record recover recycle redecorate
reduce refuse register relax relocate rely remain remember remodel renovate rent repair repaint research respect
rest retire return review row sail save schedule scuba search sell separate serve settle share shop sign skate
sketch ski skip smell smile smoke snore snowboard solve sound specialise specialize spin sponsor start stay stop
stream stress stretch struggle study stutter suffer supervise support suppose surf survive switch tailor talk taste
tend thank tour train transfer translate travel treat trust try turn type undergo upgrade use vacation value visit
volunteer vote wait walk want wash waste watch water weigh weld wish wonder work worry worship wrestle yell modify
skateboard workout roleplay freelance livestream backpack tutor ship trade attempt crash damage destroy log map
plough quilt rescue restore rollerblade ruin sculpt sprain fracture steer tan thrift trek unwind update vape vlog
weave whittle bench squat box binge beatbox ballroom barbecue grill roast freeze garage foster father mother parent
guide conduct lecture present report patrol police guard protect defend prosecute represent negotiate manufacture
assemble inspect test debug analyse analyze illustrate animate compost fundraise campaign protest march advocate
deploy expire carry admit afford allow appear assume bother bury cancel charge comment communicate confirm confuse
connect demand deny disagree disappear drag enable engage ensure estimate examine exist extend fill float fold fry
gain greet guess ignore import include increase inform insist involve kill kiss knock load mention obtain owe peel
permit plug pour preserve press prevent promote provide punish reject release remind remove repeat replace request
require resign rob rub scan score scratch shower sneeze sort spill squeeze stammer stare store succeed suggest
supply suspect tease tie touch trip unpack wander warn wave wrap inject monitor track tolerate despise resent
regret fancy favor favour consume snack inhale itch ache vomit faint breastfeed homeschool chair curate refactor
subscribe tweet post podcast busk choreograph forage ferment pickle distil blend weed prune harvest groom carpool
hitchhike canoe windsurf referee umpire judge moderate interpret transcribe proofread budget borrow lease sublet
refinance insure flip assist audit bathe blame boast bounce brag bully calculate cater clear collapse combine
compare construct convince correct criticize cure decline delay delegate delete differ digest dine discuss dive
doubt drown dry dump dust emigrate empty endure escape establish evaluate exceed exchange excel exhibit expand
export fetch file flirt fund furnish glue grab grade hack heal heat hesitate honor honour hug impress inspire
instruct integrate interact interrupt investigate invoice label lick lower mail mediate mend merge mow narrate nap
overcook overdose panic pause persuade pet pitch point polish possess prescribe procrastinate pump pursue qualify
quote react recall recite recognise recognize recruit reflect rehearse relate repay reply reserve resist resolve
respond rinse rush sacrifice scrub select shave shift shout simplify sip slip soak spoil spray starve steam stitch
strengthen strum submit sue summarise summarize swap sweat swallow tattoo text tidy tip toast tow transform
transport trim twist vacuum vary warm whistle wipe yawn cough sleepwalk snooze gamble cosplay geocache snorkel limp
wheeze relapse overspend moonlight intern bartend clerk dye
"""

_ROWS = [row.split() for row in _IRREGULAR.replace("\n", "").split(";")]
BASES = frozenset(_REGULAR.split()) | {row[0] for row in _ROWS}
#: past form or participle → base; the ones that look like the base are left out.
PAST = {form: row[0] for row in _ROWS for form in row[1:] if form not in BASES}
_PAST_OF = {row[0]: tuple(row[1:]) for row in _ROWS}
PARTICIPLES = frozenset(row[-1] for row in _ROWS) | {"been", "had", "gone", "done", "got"}
_SAME = frozenset(row[0] for row in _ROWS if row[0] in row[1:])


def past_of(base: str) -> tuple[str, ...]:
    """The past and the participle of a verb that is not regular: broke, broken."""
    return _PAST_OF.get(base, ())


def third_person(base: str) -> str:
    """The form that follows "she": lives, tries, teaches."""
    if base in ("have", "be", "do", "go"):
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}[base]
    if base.endswith(("s", "sh", "ch", "x", "z")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def base_of(word: str) -> str | None:
    """The base of any form of a known verb; None if it is no verb that we know."""
    if word in BASES:
        return word
    if word in PAST:
        return PAST[word]
    return _FORMS.get(word)


def forms_of(base: str) -> tuple[str, ...]:
    """All forms of a known verb: live, lives, living, lived."""
    return (base, *_ALL_OF.get(base, ()), *past_of(base))


def is_past(word: str) -> bool:
    """Whether a form can only be past: moved, went."""
    return word in PAST or (word.endswith("ed") and word in _FORMS)


def mostly_past(word: str) -> bool:
    """Whether a form that can be both is nearly always past in talk: I quit my job."""
    return word in ("quit", "cut", "hurt", "hit", "split", "shut", "found")


def maybe_past(word: str) -> bool:
    """Whether the past looks like the present: read, put."""
    return word in _SAME


def _forms() -> dict[str, str]:
    found: dict[str, str] = {"is": "be", "has": "have", "does": "do", "being": "be"}
    for base in BASES:
        found[third_person(base)] = base
        twice = base + base[-1]
        if base.endswith("ie"):
            found[base[:-2] + "ying"] = base
        elif base.endswith("e") and not base.endswith("ee"):
            found[base[:-1] + "ing"] = base
        else:
            found[base + "ing"] = base
            found[twice + "ing"] = base
        if base.endswith("e"):
            found[base + "d"] = base
        elif base.endswith("y") and base[-2] not in "aeiou":
            found[base[:-1] + "ied"] = base
        else:
            found[base + "ed"] = base
            found[twice + "ed"] = base
    return found


_FORMS = _forms()
_ALL_OF: dict[str, list[str]] = {}
for _form, _base in (_FORMS | PAST).items():
    _ALL_OF.setdefault(_base, []).append(_form)
