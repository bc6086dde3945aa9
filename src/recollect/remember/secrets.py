"""Secrets in a text: keys, tokens, passwords, numbers of cards, accounts and persons. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter

_KNOWN = re.compile(
    r"\bsk-[\w-]{12,}|\b[sprw]k_(?:live|test)_\w{8,}|\bgh[opsur]_\w{16,}|\bgithub_pat_\w{16,}|"
    r"\bglpat-[\w-]{12,}|\bxox[abprs]-[\w-]{8,}|"
    r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}|\bAIza[\w-]{20,}|\bya29\.[\w-]{10,}|\beyJ[\w-]{8,}\.[\w-]{8,}|\bhf_\w{16,}|"
    r"\bnpm_\w{16,}|"
    r"\bSG\.[\w-]{10,}|\bdop_v1_\w{10,}|-{2,}\s*BEGIN [A-Z ]*(?:KEY|CERTIFICATE)|\bssh-(?:rsa|ed25519) AAAA|"
    r"\bbearer\s+[\w.~+/-]{12,}|"
    r"://[^/\s:@]+:[^/\s:@]+@",
    re.IGNORECASE,
)
_WORDS = (
    r"pass\s?words?|passwd|pass\s?phrase|pass\s?code|pwd|p\.?w\.?d|secret key|api[ _-]?key|access[ _-]?(?:key|"
    r"token)|auth(?:entication)? token|"
    r"private key|security (?:code|answer)|cvv2?|cvc|seed phrase|recovery (?:phrase|code|key)|mnemonic|"
    r"one-time code|otp|2fa code|"
    r"login code|contrase[nñ]a|clave (?:de acceso|secreta|privada|del? \w+)|c[oó]digo de (?:seguridad|acceso|"
    r"verificaci[oó]n)|frase semilla|"
    r"frase de recuperaci[oó]n|passwort|mot de passe|senha"
)
_TOLD = re.compile(
    rf"\b(?:{_WORDS})(?:'s)?(?: (?:for|to|of|de|para|on|at) [\w .'-]{{1,30}}?)?\s*(?:\bis\b|\bes\b|\bwas\b|"
    rf"\bera\b|:|=|->|→|\bset to\b|"
    r"\bto\b(?= *[\"']?\S*\d)|,)\s*[\"'“«]?\S{3,}",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf"\b(?:{_WORDS})\s+[\"'“«]?(?=\S*\d)\S{{4,}}|\b(?=\S*\d)\S{{5,}} as (?:\w+ ){{0,3}}(?:{_WORDS})\b",
    re.IGNORECASE,
)
_PIN = re.compile(
    r"\b(?:pin|p\.i\.n\.?|clave|c[oó]digo)(?:[ -](?:code|number))?\b\D{0,25}\b\d(?:[ -]?\d){3,7}\b", re.IGNORECASE
)
_DIGITS = re.compile(r"(?<![\d-])\d(?:[ .·-]?\d){12,18}(?![\d-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}\b", re.IGNORECASE)
_SSN = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}[- .](?!00)\d{2}[- .](?!0000)\d{4}(?![\d-])")
_SSN_NAMED = re.compile(r"\b(?:ssn|social security)\b\D{0,25}\d{3}[- .]?\d{2}[- .]?\d{4}\b", re.IGNORECASE)
_LONG = re.compile(r"[A-Za-z0-9+/_=.~-]{20,}")


def holds_secret(text: str) -> bool:
    """Whether a text (as ``disguise.visible`` shows it) holds something that nobody should find in a memory."""
    if any(pattern.search(text) for pattern in (_KNOWN, _TOLD, _BESIDE, _PIN, _SSN, _SSN_NAMED)):
        return True
    if any(_luhn(re.sub(r"\D", "", match[0])) for match in _DIGITS.finditer(text)):
        return True
    if any(_iban(match[0]) for match in _IBAN.finditer(text)):
        return True
    return any(_random(token) for token in _LONG.findall(text))


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1


def _iban(written: str) -> bool:
    """The check digits of an account number; what follows it may have been taken for a part of it."""
    plain = re.sub(r"[^A-Z0-9]", "", written.upper())
    for length in range(15, min(len(plain), 34) + 1):
        moved = plain[4:length] + plain[:4]
        if int("".join(str(int(char, 36)) for char in moved)) % 97 == 1:
            return True
    return False


def _random(token: str) -> bool:
    """Long, of mixed characters, and without the repetitions of words."""
    if not re.search(r"\d", token) or not re.search(r"[A-Za-z]", token):
        return False
    pieces = [piece for piece in re.split(r"[-_./=+~]", token) if piece]
    if pieces and max(map(len, pieces)) < 12 and all(piece.isalpha() or piece.isdigit() for piece in pieces):
        return False  # 2026-03-04, some-long-name-2
    counts = Counter(token)
    entropy = -sum(count / len(token) * math.log2(count / len(token)) for count in counts.values())
    return entropy >= 3.3
