"""Words that say how a sentence hangs together and not what it is about.

In English the store knows them itself; other languages in Latin letters have theirs in `languages`, and here are
those of other scripts. Pure.
"""

from __future__ import annotations

import re

from recollect.text.languages import language, says_something
from recollect.text.wordlists import listed

_WORDS = listed("""
я ты он она оно мы вы они меня мне мной тебя тебе его ему её ей нас нам
вас вам их им мой моя моё мое мои моего моей моих мою твой твоя ваш ваша
наш наша свой и а но или что чтобы как где когда куда откуда кто кого
кому чем какой какая какое какие какого какую сколько почему зачем ли не
ни да нет в во на с со у к ко о об от до за из по под при для без это
этот эта эти есть был была было были быть буду будет же бы уже ещё еще
сейчас теперь так там тут здесь расскажи скажи напомни пожалуйста
пользователь пользователя пользователю أنا انا أنت انت هو هي نحن ما ماذا
من متى أين اين كيف لماذا هل في على إلى الى عن مع هذا هذه ذلك التي الذي
كان كانت لي لك و أو او لا نعم الآن المستخدم मैं मुझे मेरा मेरी मेरे हम
तुम आप वह यह क्या कौन कब कहाँ कहां कैसे क्यों कितना का की के को से में
पर और या है हैं था थी थे हूँ हूं नहीं अब उपयोगकर्ता 나 나는 나를 내 내가 나의 저 저는
제 제가 너 너는 당신 우리 무엇 뭐 누구 언제 어디 어디에 어디서 어떻게 왜 무슨 어떤 있다 있어 있나요 없다
이다 입니다 인가요 지금 그리고 사용자 사용자는 사용자가 사용자의
""")
#: Chinese is looked for sign by sign, and what Japanese writes in hiragana is mostly grammar.
_SIGNS = re.compile(
    "[我你您他她它们們的了着過过吗嗎呢吧啊么麼什哪里裡谁誰怎为為何是在有和与與或就都也还還很这這那个個些样樣请請给給把被让讓会會"
    "能要可以现現用户戶私僕俺\u3041-\u309f]"
)
#: What is grammar in two signs, and not in one: "time", "remember", "tell", "know", "may I ask".
_PAIRS = re.compile("[时時][候间間]|[记記]得|告[诉訴]|知道|[请請][问問]|提醒")
#: Those of them that are in no name, as "都" is in "京都".
_SURE_SIGNS = re.compile("[我你您他她它们們的了吗嗎呢吧啊么麼什哪谁誰怎这這那私僕俺\u3041-\u309f]")
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = re.compile(r"[^\W_]+")
#: Of a text of so few characters nothing is taken that would leave nothing.
SHORT = 4
#: Texts in Latin letters have nothing of this.
_OTHER = re.compile("[\u0400-\u052f\u0600-\u06ff\u0900-\u097f\u3041-\u309f\u4e00-\u9fff\uac00-\ud7a3]")


def is_function_word(word: str) -> bool:
    """Whether it is one of another script than the Latin one."""
    return word.casefold() in _WORDS


def without_function_words(text: str) -> str:
    """The same text without them, unless nothing would be left of a word or two."""
    if text.isascii() or _OTHER.search(text) is None:
        tongue = language(text)
        return text if tongue == "en" else " ".join(says_something(_LETTERS.findall(text), tongue))
    rest = _WORD.sub(lambda word: " " if word[0].casefold() in _WORDS else word[0], text)
    rest = _PAIRS.sub(" ", rest)
    rest = (_SURE_SIGNS if len(text) <= SHORT else _SIGNS).sub(" ", rest)
    return text if len(text) <= SHORT and not re.search(r"\w", rest) else rest
