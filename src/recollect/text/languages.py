"""Which language a short text in Latin letters is in, told by its words of grammar, and what those are. Pure.

English is taken for granted: a text must have more words that only another language has. What both have ("son",
"die", "comment") tells nothing, but is still mere grammar where the text turns out not to be English.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from recollect.text.wordlists import listed

#: For each language the words that are found in nearly every text and in no other, those that tell less because
#: names and other languages have them too, and those that tell nothing. All without accents.
_GRAMMAR = {
    "es": (
        listed("""
        adonde algun alguna alguno aquel aquella aqui asi aunque ayudame buenas buenos cada como cual cuales
        cuando cuanta cuantas cuanto cuantos cuentame desde donde ella ellos esa escribe escribeme ese eso
        esta estaba estamos estan estas este esto estos estoy estuve explicame fue fueron fui gracias hacia
        hasta hola menos mi mia mias mientras mio mios mis muchas mucho muy ningun ninguna nosotros nuestra
        nuestro otra otro para pero porque puede puedes puedo que quien quienes recuerdame sido siempre sobre
        somos soy sus tambien tus un una unas unos usted ustedes usuaria usuario yo
        """),
        listed("al con de del el en entre es ha la las le les lo los nos por se ser su te tu y"),
        listed("""
        a dime e era eran favor fin has hay he mas me ni no o si sin solo son tan todo u va van voy ya
        """),
    ),
    "pt": (
        listed("""
        aonde como ela elas ele eles esta este estou eu foi isso isto mais meu meus minha minhas muito nao
        nossa nosso obrigada obrigado ola onde para pela pelo porque quais qual quando quanta quantas quanto
        quantos que quem sao sou tambem uma umas usuaria usuario voce voces
        """),
        listed("ao aos com da das de dos em lhe na nas os por se seu seus sua suas uns"),
        listed("a as do e ja mas me no nos o ou sem so te um"),
    ),
    "fr": (
        listed("""
        aussi aux avec avez avons bonjour ce cet cette combien dans elle elles etait ete etes ils j je leur
        leurs lui merci mes moi notre nous pourquoi qu quand que quel quelle quelles quels qui quoi sommes
        sont suis toi tres une utilisateur utilisatrice votre vous
        """),
        listed("au de des du en est et il la le les mon ne ou pas sa se ses sur te tu un y"),
        listed("""
        a ai as c comment d es fait l m ma mais me n on ont or par plus pour s sans si son t ta ton tout
        """),
    ),
    "it": (
        listed("""
        abbiamo anche che ciao cosa dalla degli dei della delle dello gli grazie hai il loro mia miei mio
        molto nel nella noi perche piu quale quali quando quanta quante quanti quanto questa questo siamo sono
        stato sua sul sulla suo suoi utente voi
        """),
        listed("al chi ci con da del di dove ed io la le lo mi mie si su ti un una"),
        listed("a come d dal e era ha ho i in l lei lui ma no non o per qual se sue tu"),
    ),
    "de": (
        listed("""
        auch auf aus bei benutzer benutzerin bist bitte danke dass dein deine der dich ein eine einem einen
        einer eines habe haben hallo hatte ich ihr kein keine mein meine meinem meinen meiner mich mir nach
        nicht nutzer nutzerin oder sehr sie sind uber und uns unser unsere von wann warum welche welchen
        welcher welches wem wen wer werden wie wieso wir wird wo wodurch wofur wogegen woher wohin womit woran
        worauf woruber wovon wozu wurde zu zum zur
        """),
        listed("das dem den des du es hast im ist ja mit vom"),
        listed("als also am an bin da die dir er fur hat in man so um war was will wo"),
    ),
}
_ENGLISH = listed("""
a about after all also am an and any are as at be because been before best but by can could d did do does don
find for from get go had has have he hello her hi his how i if in into is it its just let like ll m make me
mean more my need new no not of ok on one or our out please re s said say she should show so some t tell than
thanks that the their them then there they this to up us user ve want was we were what when where which who
why will with would you your
""")
#: What says little about what is asked for, but is better than nothing.
_LIGHT = {
    "es": listed("""
    tengo tienes tiene tenemos tienen tener tenia tuve tuvo hago haces hace hacemos hacen hacer hice hizo
    hecho gusta gustan gustaba gustaria gusto encanta encantan llamo llamas llama llaman quiero quieres quiere
    queremos necesito necesita sabe sabes digo dice dijo da doy pasa paso
    """),
    "pt": listed("tenho tem ter fez faz faco fazer gosto gosta chamo chama quero quer"),
    "fr": listed("a avoir fais fait faire aime aimes appelle appelles appelons veux veut dois doit"),
    "it": listed("ha avere faccio fa fare piace piacciono chiamo chiama voglio vuole"),
    "de": listed("hat habe heisst heisse heiße mag magst mache macht machen will kann gibt"),
}
#: How much of a text is looked at.
_READ = 600
#: What a word that only one language has is worth, what is enough, and what a sign that only Spanish has is worth.
_SURE = 2
_ENOUGH = 2
_SIGNS = 3
_LETTERS = re.compile(r"[a-z]+")
#: "é" is left out, since English has it in words of its own.
_LETTERS_OF = (
    (frozenset("áíóúñ"), "es"),
    (frozenset("ãõâêôçáíóú"), "pt"),
    (frozenset("àâçèêëîïôùû"), "fr"),
    (frozenset("àèìòù"), "it"),
    (frozenset("äöüß"), "de"),
)
#: "J'habite"; in English a name would follow.
_ELISION = re.compile(r"(?<!\w)[cdjlmnst]['’][aeiouyhéèêà]")
#: Not the parts of an address: ".de" and "/la/" are no words.
_WORD = re.compile(r"(?<![\w./@:-])[^\W\d_]+(?![\w@]|[./]\w)")

_ALL = {name: sure | less | none for name, (sure, less, none) in _GRAMMAR.items()}
#: What is mere grammar in any of these languages.
GRAMMAR = _ENGLISH.union(*_ALL.values())
_WORTH: dict[str, list[tuple[str, int]]] = {}
for _name, (_sure, _less, _) in _GRAMMAR.items():
    for _word in (_sure | _less) - _ENGLISH:
        _WORTH.setdefault(_word, []).append((_name, _SURE if _word in _sure and len(_word) > 1 else 1))
_ENGLISH_WORTH = {word: 1 if any(word in words for words in _ALL.values()) else _SURE for word in _ENGLISH}


@lru_cache(maxsize=64)  # several ask for that of one question
def language(text: str) -> str:
    """The language of a text, as far as its words of grammar tell it: es, pt, fr, it or de, else en."""
    text = text[:_READ]
    plain = folded(text)
    spanish = "¿" in text or "¡" in text
    if not spanish and _WORTH.keys().isdisjoint(_LETTERS.findall(plain)):
        return "en"
    words = _WORD.findall(text)
    given = [folded(word) for word in words]
    worth = dict.fromkeys(_GRAMMAR, 0)
    worth["es"] = _SIGNS if spanish else 0
    for place, (word, bare) in enumerate(zip(words, given, strict=True)):
        if len(word) > 1 and word.isupper():  # "MIT", "LA"
            continue
        # "El Paso", "Robert De Niro" and "Lake Como" are names; only German writes other things that way.
        named = word[0].isupper() and (place > 0 or (words[1:2] != [] and words[1][0].isupper()))
        for name, value in _WORTH.get(bare, ()):
            worth[name] += 0 if named and name != "de" else value
    if _ELISION.search(text):
        worth["fr"] += 1
    for letters, name in () if text.isascii() else _LETTERS_OF:
        if any(word.islower() and not letters.isdisjoint(word) for word in words):
            worth[name] += 1
    best = max(worth, key=worth.__getitem__)
    english = sum(_ENGLISH_WORTH.get(word, 0) for word in given)
    return best if worth[best] >= _ENOUGH and worth[best] > english else "en"


def says_something(words: Iterable[str], tongue: str) -> list[str]:
    """Those of a language's words that are not mere grammar; general ones only if there is nothing else."""
    grammar, light = _ALL[tongue], _LIGHT[tongue]
    rest = [word for word in words if folded(word) not in grammar]
    return [word for word in rest if folded(word) not in light] or rest


def is_grammar(word: str, tongue: str) -> bool:
    """Whether a folded word is mere grammar in a language."""
    return word in _ALL[tongue]


def is_english_grammar(word: str) -> bool:
    """Whether an English word says nothing about what is asked for."""
    return word.lower() in _ENGLISH


def folded(word: str) -> str:
    """Without accents and case, as the store folds text."""
    if word.isascii():
        return word.lower()
    bare = unicodedata.normalize("NFD", word)
    return "".join(sign for sign in bare if not unicodedata.combining(sign)).lower()
