"""What makes a sentence worth keeping: numbers, names, dates, decisions, likings; not greetings. Pure.

Words of English and Spanish, and a few of Chinese and Japanese; sentences of other languages are known by their
numbers, their names and by how much they have in common with the rest.
"""

from __future__ import annotations

import re

#: A sentence below this is not told even when there is room.
LEAST = 0.35


def _any_of(phrases: str, without_spaces: str = "") -> re.Pattern[str]:
    """Finds any of some phrases, one a line or between commas, as whole words; or what has no words."""
    whole = "|".join(phrase.strip() for phrase in re.split(r", |\n", phrases) if phrase.strip())
    return re.compile(rf"\b(?:{whole})\b" + (f"|{without_spaces}" if without_spaces else ""), re.IGNORECASE)


_NUMBER = re.compile(r"\d")
_DATE = _any_of(
    """
    monday, tuesday, wednesday, thursday, friday, saturday, sunday, tomorrow, yesterday, tonight
    january, february, march, april, june, july, august, september, october, november, december
    (?:next|last|this) (?:week|weekend|month|year|summer|winter|spring|autumn)
    lunes, martes, mi[ée]rcoles, jueves, viernes, s[áa]bado, domingo, mañana, ayer, anoche
    enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre, octubre, noviembre, diciembre
    pr[óo]xim[oa]s?, pasad[oa]s?
    """,
    "星期|周[一二三四五六日末]|礼拜|明天|昨天|今年|去年|明年|[月日年]",
)
_DECISION = _any_of(
    """
    decided?, agreed, we agree, settled on, chose, chosen, going (?:to|with), (?:i|we)(?:'ll| will), let's
    plan(?:s|ned|ning)?, must, have to, has to, need(?:s|ed)? to, should, deadline, due, budget, goal, promised?
    confirm(?:ed)?, booked, cancel(?:l?ed)?, instead, postponed, never again
    decidi(?:mos|do|eron), decid[íi], acord(?:amos|ado|aron), quedamos, elegí, elegimos, vamos a, voy a
    plan(?:es|eamos), debo, debemos, hay que, tengo que, tenemos que, neces(?:ito|itamos|ita), plazo, presupuesto
    meta, objetivo, confirm(?:ado|amos|o), reserv(?:é|amos|ado), cancel(?:é|amos|ado), nunca más
    """,
    "决定|同意|需要|必须|打算|计划|预算|截止|预订|取消|決め|予定|必要|予約",
)
_ABOUT = _any_of(
    r"""
    my name is, call me, i(?:'m| am) (?:a|an|from|married|\d+), we (?:live|moved|have|want|prefer|bought)
    i (?:live|work|moved|study|prefer|like|love|hate|want|own|bought|started|quit|have|play|speak)
    my \w+ (?:\w+ )?(?:is|are|has|was|works|lives), allergy, allergic, vegan, vegetarian, diabetic, favou?rite
    birthday, anniversary, diagnosed, born, pregnant, engaged, hired, promoted
    me llamo, mi nombre es, soy, vivo, vivimos, trabajo, trabaja, me mud[ée], estudio, prefiero, me gustan?
    me encantan?, odio, quiero, queremos, tengo, tenemos, compr[ée], compramos, empec[ée]
    mi \w+ (?:\w+ )?(?:es|está|tiene|era|trabaja|vive), alérgic[oa], alergia, vegan[oa], vegetarian[oa]
    diabétic[oa], favorit[oa], cumpleaños, aniversario, naci[óo], embarazada
    """,
    "我叫|我是|我住|我喜欢|我不喜欢|我想|我有|过敏|生日|我在|私は|好き|住んで|アレルギー|誕生日",
)
_FILLER = _any_of(
    """
    let me know, happy to help, glad (?:to|i could), hope (?:this|that) helps, feel free, how can i help
    anything else, here (?:is|are) (?:some|a few), as an ai, how are you, what's up, i'm here
    av[íi]same, en qué puedo ayudarte, encantad[oa] de, espero que (?:te )?(?:sirva|ayude), algo más
    no dudes en, qué tal, cómo estás
    """,
    "还有什么|希望(?:这|对)|请告诉我|很高兴",
)
#: A sentence of nothing but these says nothing.
_SMALL_TALK = frozenset(
    """
    hi hello hey there good morning afternoon evening night thanks thank you thx bye goodbye see later ok okay sure
    yes yeah yep no nope great cool nice perfect awesome wow oh ah haha lol right got it of course you're welcome
    problem sounds indeed absolutely certainly so very much again a lot for that the help your all everyone
    everything then dear well fine too that's i agree
    hola buenas buenos días tardes noches gracias muchas mil adiós hasta luego mañana pronto vale claro sí perfecto
    genial de nada por supuesto entendido acuerdo todos todo la ayuda tu otra vez muy mucho bien
    你好 您好 谢谢 谢谢你 谢谢您 再见 好 好的 嗯 是的 没问题 不客气
    こんにちは ありがとう ありがとうございます はい 了解
    """.split()  # noqa: SIM905
)
#: People state things about themselves; to each other they mostly reply.
_OWN = _any_of("i, my, we, our, mi, mis, nuestr[oa]s?, yo", "我|私")
_YOURS = _any_of("you, your, tú, tus?, usted, vuestr[oa]s?", "你|您")
_ECHO = re.compile(
    r"^\W*(?:yeah|yes|yep|wow|oh|aw+|thanks?|totally|absolutely|exactly|definitely|that'?s|glad|sounds|sí|claro|"
    r"vaya|gracias|exacto|qué|嗯|哇|是的|好的)(?!\w)",
    re.IGNORECASE,
)
#: A word inside a sentence, but not whom it is said to ("…, Ana!").
_INSIDE = re.compile(r"""(?<=[\w,;:»”"] )(?<!,[ ](?=\w{1,30}[,.!?]))([^\W\d_][\w'’-]+)""")
_QUESTION = re.compile(r"[?？؟]\W*$|^¿")
#: Text that would tell a model what to do; a summary is no place for it.
_ORDER = _any_of(
    r"""
    (?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|prompts?|rules?|guidelines)
    you are now, system prompt, developer mode, jailbreak mode
    (?:ignora|olvida|omite)\b.{0,30}\b(?:instrucciones|reglas|indicaciones), ahora eres
    """,
    r"忽略.{0,12}(?:指令|规则|提示)|<\|",
)


def facts(sentence: str) -> float:
    """How much a sentence states, by itself: about 0 for small talk, up to 2."""
    if _is_small_talk(sentence) or is_order(sentence):
        return -1.0
    score = 0.0
    if _NUMBER.search(sentence):
        score += 0.35
    if _DATE.search(sentence):
        score += 0.3
    score += min(0.2 * _names(sentence), 0.5)
    if _DECISION.search(sentence):
        score += 0.4
    if _ABOUT.search(sentence):
        score += 0.45
    if _OWN.search(sentence):
        score += 0.15
    if _YOURS.search(sentence):
        score -= 0.3
    if _ECHO.match(sentence):
        score -= 0.3
    if _FILLER.search(sentence):
        score -= 0.8
    if _QUESTION.search(sentence):
        score -= 0.45
    elif sentence.endswith(("!", "！")) and score < 0.5:
        score -= 0.2  # most often an echo of what the other one said
    return score


def is_order(text: str) -> bool:
    """Whether a text tries to tell a model what to do."""
    return _ORDER.search(text) is not None


def _is_small_talk(sentence: str) -> bool:
    return all(word in _SMALL_TALK for word in re.findall(r"[\w']+", sentence.casefold()))


def _names(sentence: str) -> int:
    """Words with a capital letter inside a sentence, "I" aside."""
    return sum(
        1 for found in _INSIDE.finditer(sentence) if found[1][0].isupper() and not found[1].startswith("I'")
    )
