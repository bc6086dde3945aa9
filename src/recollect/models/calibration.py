"""How near is near enough, for a model that nobody has measured before: by what it makes of a few texts of ours.

Cosines of two models cannot be compared: texts that have nothing to do with each other are at .1 to one, and at .7
to another. So each is asked for questions and what answers them, and for what answers other questions.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.text.languages import language

#: Questions, and what answers them. No two are about the same.
PAIRS = (
    ("What should I cook tonight?", "user is vegetarian and loves spicy food"),
    ("Where do I live now?", "user moved to a flat in Lisbon in March"),
    ("Who do I work for?", "user is a nurse at the children's hospital"),
    ("What is my dog called?", "user has a terrier named Biscuit"),
    ("How do I get to the office?", "user takes the number 12 tram to work"),
    ("Which instrument am I learning?", "user has piano lessons every Tuesday"),
    ("When is my sister getting married?", "the wedding of user's sister is on 14 June"),
    ("What am I allergic to?", "user gets a rash from penicillin"),
    ("Which phone should I buy?", "user prefers Android and small screens"),
    ("What did I think of the novel?", "user found the book about the lighthouse boring"),
    ("How is my marathon training going?", "user runs twenty kilometres on Sundays"),
    ("What are my plans for the summer?", "user wants to hike in Norway in July"),
    ("How much can I spend on a car?", "user has saved nine thousand euros for a used van"),
    ("What do my children like?", "user's daughter collects dinosaur figures"),
    ("Why am I tired all the time?", "user has slept badly since the baby was born"),
    ("What language do I speak with my grandmother?", "user's grandmother speaks only Polish"),
    ("Which team do I support?", "user never misses a match of Celtic"),
    ("How should you answer me?", "user wants short replies without emojis"),
    ("What was wrong with my laptop?", "the battery of user's computer had to be replaced"),
    ("When is the report due?", "user must hand in the quarterly figures by Friday"),
    ("What do I grow on the balcony?", "user planted tomatoes and basil in pots"),
    ("Whom do I play chess with?", "user meets an old colleague for chess at the café"),
    ("What did the landlord say?", "the rent of user's flat goes up by fifty in May"),
    ("Which films do I enjoy?", "user watches mostly science fiction"),
)
#: The same in other languages: one that was made for English only cannot tell them apart.
ELSEWHERE = (
    ("¿Qué debería cocinar esta noche?", "el usuario es vegetariano y le encanta el picante"),
    ("¿Cómo se llama mi perro?", "el usuario tiene un terrier que se llama Galleta"),
    ("¿Cuándo se casa mi hermana?", "la boda de la hermana del usuario es el 14 de junio"),
    ("Где я сейчас живу?", "пользователь переехал в квартиру в Лиссабоне"),
    ("На каком инструменте я учусь играть?", "по вторникам у пользователя уроки фортепиано"),
    ("На что у меня аллергия?", "от пенициллина у пользователя сыпь"),
    ("我应该买哪种手机?", "用户更喜欢安卓系统和小屏幕"),
    ("我的孩子喜欢什么?", "用户的女儿收集恐龙玩具"),
    ("我夏天有什么计划?", "用户想七月去挪威徒步"),
)
TEXTS = [text for pair in (*PAIRS, *ELSEWHERE) for text in pair]

#: What is related is so many standard deviations nearer than what is not. That puts static vectors, whose scale
#: was measured on other data, at .34 instead of .37, and MiniLM where strangers' questions find as little.
DEVIATIONS = 5.0
#: How sharply "related" turns; how much less near is as related each time there are half as many memories, and at
#: most: all in standard deviations, as measured with static vectors.
WIDTH = 0.6
EASE = 0.43
MOST_EASE = 1.7
#: The scale is for pools of so many memories.
MANY = 256
#: One that cannot tell our answers from others by so many deviations has an idea of its own of what is near.
TOLD = 1.5
#: So much of what is said in other languages must be as far apart as it is in English.
APART = 0.9


class Calibration(msgspec.Struct, frozen=True):
    """The cosine that means "related", how cosines of what is unrelated scatter, and whether other languages than
    English are read. Without pairs to fit on, this is the middle ground of the common models."""

    middle: float = 0.4
    spread: float = 0.07 / WIDTH
    polyglot: bool = True
    eases: bool = False


def calibrated(rows: NDArray[np.float32]) -> Calibration:
    """What the vectors of the texts above tell of their model."""
    own, others = _cosines(rows[: 2 * len(PAIRS)])
    spread = float(others.std())
    if float(own.mean() - others.mean()) < TOLD * max(spread, LEAST):
        return Calibration()
    middle = min(MOST, float(others.mean()) + DEVIATIONS * spread)
    _, elsewhere = _cosines(rows[2 * len(PAIRS) :])
    return Calibration(middle, spread, polyglot=float((elsewhere < middle).mean()) >= APART, eases=True)


#: A model to which all texts are the same tells nothing; and nothing is nearer than a text is to itself.
LEAST = 1e-3
MOST = 0.95


def _cosines(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Of each question with its own answer, and with all others."""
    cosines = rows[::2] @ rows[1::2].T
    own = np.eye(len(cosines), dtype=bool)
    return cosines[own], cosines[~own]


class Maker(Protocol):
    """Makes vectors, and does not know how near is near enough."""

    @property
    def name(self) -> str:
        """Stamped on every vector."""
        ...

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 for each text; Unavailable if it cannot."""
        ...


class Calibrated:
    """A maker of vectors with a scale, which is made before the first of them."""

    def __init__(self, maker: Maker) -> None:
        self.name = maker.name
        self.dimension = maker.dimension
        self.calibration: Calibration | None = None
        """None until it was made; until then nothing has been compared."""
        self._maker = maker
        self._making = asyncio.Lock()

    async def load(self) -> None:
        """Make the scale, unless it was made before; Unavailable if the model cannot be asked."""
        if self.calibration is None:
            async with self._making:
                if self.calibration is None:
                    self.calibration = calibrated(await self._maker.embed(TEXTS))

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As the maker makes them."""
        await self.load()
        return await self._maker.embed(texts)

    @property
    def _scale(self) -> Calibration:
        return self.calibration or Calibration()

    def reads(self, text: str) -> bool:
        """English, and other languages if it could tell apart what is said in them."""
        return self._scale.polyglot or language(text) == "en"

    def ease(self, size: int) -> float:
        """Among few memories, less near is as related."""
        if not self._scale.eases or not 0 < size < MANY:
            return 0.0
        return self._scale.spread * min(MOST_EASE, EASE * math.log2(MANY / size))

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """Its cosines on the common scale."""
        middle, width = self._scale.middle, self._scale.spread * WIDTH
        return (1 / (1 + np.exp((middle - np.asarray(cosine, np.float32)) / width))).astype(np.float32)
