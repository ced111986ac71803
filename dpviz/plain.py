"""Words in place of symbols, for readers who want no formula: on pages, in charts and in their alternative texts."""

from __future__ import annotations

import re

SYMBOLS = re.compile(r"[\u0370-\u03ff±≤≥×√∞∑∏−⁻²³′₀-₉]|10[⁻⁰¹²³⁴-⁹]+")
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_POWER = re.compile(r"(?:(\d+(?:\.\d+)?) × )?10(⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_NUMBER = r"(?:\*\*)?(?=[\d∞])"
# In this order: first whole phrases, then what is left of single signs.
_PHRASES = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"\(ε, δ\)", "stated promise"),
        (r"(?:at )?(\*\*)?δ = 0(\*\*)?(?![.\d])", "without any chance of failure"),
        (r"(?:at )?(\*\*)?δ (?:=|≤) ", r"\1with a chance of failure of "),
        (r"at most (\*\*)?ε\s?(?:=|≤)\s?", r"at most \1"),
        (rf"ε\s?=\s?{_NUMBER}", "a privacy loss of "),
        (rf"ε\s?≤\s?{_NUMBER}", "at most "),
        (r"εs?\b", "privacy loss"),
        (r"δ", "chance of failure"),
        (r"[σλ]\b", "noise"),
        (r"ρ\b", "concentrated loss"),
        (r"μ\b", "distance"),
        (r"α\b", "order"),
        (r"within (\*\*)?±\s?", r"within \1"),
        (r"±\s?", "within "),
        (r"≤\s?", "at most "),
        (r"≥\s?", "at least "),
        (r"×", "times"),
        (r"∞", "without limit"),
        (r"−(?=[\d.])", "minus "),
        (r"−", "less"),
        (r"Σ", "sum of "),
        (r"√", "root of "),
        (r"²", " squared"),
        (r"³", " cubed"),
        (r"′", ""),
    )
)


def in_plain_words(text: str) -> str:
    """Return `text` with words in place of its symbols; small powers of ten become odds.

    Examples
    --------
    >>> in_plain_words("costs at most **ε = 2.488** at **δ = 10⁻⁶**")
    'costs at most **2.488** **with a chance of failure of 1 in 1,000,000**'
    >>> in_plain_words("ε of one release"), in_plain_words("±20 persons")
    ('privacy loss of one release', 'within 20 persons')
    """
    text = text.replace(" (log)", "")  # an axis shows it, to those who know what it is
    if not SYMBOLS.search(text):
        return text
    text = _POWER.sub(_odds, text)
    for pattern, words in _PHRASES:
        text = pattern.sub(words, text)
    return re.sub(r"[₀-₉\u0370-\u03ff]", "", text)


def _odds(power: re.Match) -> str:
    """A power of ten as people say it: one in so many where it is small, all its digits where it is large."""
    factor, exponent = float(power[1] or 1), int(power[2].translate(_SUPERSCRIPTS))
    if exponent >= 0:
        return f"{factor * 10**exponent:,.0f}"
    return f"1 in {int(10**-exponent / factor):,}" if exponent >= -15 else "next to nothing"
