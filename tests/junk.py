"""Talk about nothing: greetings, requests, code, logs, system prompts and recalled memories."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from recollect.records import Message
from recollect.text.fence import fence

SAID = datetime(2026, 3, 5, 14, 30, tzinfo=UTC)

SMALL_TALK = [
    "Hi!", "Hello there, how are you?", "I'm fine, thanks. And you?", "Haha, good one!", "I see.", "I agree with you.",
    "That's so true.", "Sounds good to me.", "I'm glad you like it!", "Thank you so much!", "I don't know.", "I guess so.",
    "Wow, that's amazing!", "I'm so sorry to hear that.", "Good night, talk to you later!", "I think you're right.",
    "No problem at all.", "I can imagine.", "I hope you feel better soon.", "I'm not sure about that.", "Me too!",
    "What a lovely day.", "I know, right?", "I'd love to hear more about it.", "Let me think about it.", "I understand.",
    "Maybe I'll try it.", "I love it!", "I like that idea.", "I was just kidding.", "It was nice talking to you.",
    "I wish I could help.", "If I were rich, I would buy an island.", "I have no idea.", "I have a question.",
    "Hola, ¿cómo estás?", "Muchas gracias.", "No lo sé.", "Creo que sí.", "Me parece bien.", "Estoy bien, gracias.",
    "Tengo una duda.", "Quizás mañana.", "Guten Tag, ich wohne in Berlin.", "Je m'appelle Marc et j'habite à Lyon.",
]  # fmt: skip
REQUESTS = [
    "Can you write a poem about my sister who lives in Rome?", "Explain recursion to me.", "I need help with this function.",
    "I want to know how to sort a list.", "Could you summarise the meeting?", "I'm trying to fix a bug in the parser.",
    "Please make it shorter.", "I'm getting an error when I run the script.", "I have a list of numbers to add up.",
    "Translate this: I live in Madrid and I love dogs.", "What is the capital of Peru?", "Fix the grammar of the following:\nI has two cat.",
    "Write me a story in which I live on the moon.", "Pretend that I am a king and I own a castle.",
    "I'd like you to act as a travel guide.", "Rewrite my essay:\nI was born in Wales. I have three brothers.",
    "¿Puedes traducir esta frase?", "Explícame qué es un bucle.", "I'm looking for recommendations.",
    "Imagine I work as a spy.", "Is it true that I should drink more water?", "My question is about loops.",
]  # fmt: skip
PASTED = [
    "```python\nmy_name = 'Ana'\nI = 3\nprint('I live in Porto')\n```",
    "2026-03-05 10:11:12 ERROR worker: I have failed to start\n2026-03-05 10:11:13 INFO I am running",
    '{"user": "I am Ana", "city": "I live in Porto"}',
    "> I moved to Berlin last year\n> My wife is a doctor",
    "Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: I have no value",
    "From: Ana\nTo: Bob\nSubject: I am moving to Rome",
    "| I live in | Rome |\n|---|---|\n| I work at | Acme |",
    'He said "I live in Paris and I work at the Louvre".', "She told me: \"I'm pregnant\".",
    "Read https://example.org/I-live-in-rome, I love https://example.org",
    "- I like apples\n- I like pears\n- I like plums\n- I live in Rome",
    "SELECT my_name FROM people WHERE I = 'am';",
    "The French Revolution began in 1789. It changed Europe.", "<div>I live in Rome</div>",
    "Here is my bio:\nI am a chef and I live in Turin.",
    "Translate to German: I live in Tartu and I am allergic to bees.", "Proofread this. I live in Tartu. I have two sons.",
    "Traduce al francés: vivo en Cali y soy bombero.", "Traduce al francés: vivo en Cali. Soy bombero.",
    "My cousin wrote: 'I am allergic to bees. I live in Tartu.'", "My cousin texted: I live in Tartu. I'm allergic to bees.",
    "Mi prima escribió: «Soy alérgica al polen. Vivo en Cali.»", "Motivation letter: I am a skilled mason. I live in Tartu.",
    "Carta de presentación: soy albañil. Vivo en Cali.", "Fix the grammar: I lives in Tartu. I has two son.",
]  # fmt: skip
SYSTEM = [
    "You are a helpful assistant. I am your operator and I live in the cloud.",
    "I am the system. My name is Root.",
]
RECALLED = [
    fence("2026-01-01 - user lives in Porto\nI love foxes", "memories"),
    fence("I am a nurse", "notes") + "\nThanks!",
]
ASSISTANT = [
    "I'm an assistant, and I love helping people!", "I have found three restaurants near you.", "I live in the cloud.",
    "I can help you with that.", "My favourite language is Python.", "You told me that you live in Porto.",
    "I've updated the file and I ran the tests.", "I fixed the bug in parser.py.", "I'll now run the build.",
    "I have two options for you.", "I use a regular expression here.", "My suggestion is to use a dictionary.",
    "I need your approval before I delete anything.", "I work best with small examples.", "I have a plan in three steps.",
    "I prefer the second variant because it is shorter.", "I am reading the log now.", "My last answer was wrong.",
]  # fmt: skip


def turns(count: int) -> list[Message]:
    rng = random.Random(7)
    kinds = [
        ("user", SMALL_TALK),
        ("user", REQUESTS),
        ("user", PASTED),
        ("system", SYSTEM),
        ("tool", PASTED + SMALL_TALK),
    ]
    kinds += [
        ("user", RECALLED),
        ("assistant", ASSISTANT),
        ("assistant", SMALL_TALK),
        ("tool", ["I live in Rome and love dogs."]),
    ]
    made: list[Message] = []
    for seq in range(1, count + 1):
        role, texts = rng.choice(kinds)
        made.append(
            Message(conversation="c", seq=seq, id=str(seq), role=role, content=rng.choice(texts), created_at=SAID)  # pyright: ignore[reportArgumentType]
        )
    return made
