"""The words of a text as they are compared when notes are merged: strictly, since a fact hangs on each of them.

Nothing is guessed here: a word is the same as another one up to case, accents and a plain ending; a number, a name or a
path is the same only as a whole.
"""

from __future__ import annotations

import re

from memsift.terms import fold

_TOKEN = re.compile(r"(?:--?(?=\w))?\w(?:\w|(?<=\d)[.,:](?=\d)|[-./_@#+](?=\w))*(?:\+\+|#)?")
_NOT = re.compile(r"(?i)n['\u2019]t\b")
_CLAUSE = re.compile(r"[.!?;:,](?=\s|$)|[\u3002\uff01\uff1f\uff1b\uff0c\u3001()\[\]\n\u2013\u2014]|\s-\s")
_ENDINGS = ("ing", "ed", "es", "en", "s", "e", "n", "d")
_SHORTEST_STEM = 4

# Words that turn a statement around.
DENIALS = frozenset(
    "not no never none nothing without neither nor cannot pas ne n jamais sans aucun aucune rien ni nicht nie niemals ohne "
    "kein keine keinen keinem keiner keines nichts weder nunca jamas sin ningun ninguna ninguno nada tampoco non mai senza "
    "nessun nessuna nessuno niente nao jamais sem nenhum nenhuma nem niet geen nooit zonder inte ej aldrig ikke aldri aldrig "
    "uden ei eika bez nie nikdy neni ni nu fara degil yok hic \u043d\u0435 \u043d\u0435\u0442 \u043d\u0438 \u0431\u0435\u0437 "
    "\u043d\u0456 \u0644\u0627 \u0644\u064a\u0633 \u0644\u0645 \u0644\u0646 \u063a\u064a\u0631 \u05dc\u05d0 \u05d0\u05d9\u05df "
    "\u0928\u0939\u0940\u0902 \u03b4\u03b5\u03bd \u03cc\u03c7\u03b9 \u03bc\u03b7\u03bd".split())
# Words that say nothing by themselves, whatever stands around them.
EMPTY = frozenset(
    "a an the is are was were be been we our i it its that this these and also just so le la les un une des est sont nous "
    "notre on et aussi der die das den dem ein eine einen ist sind wir unser unsere und auch el los las es son nosotros y "
    "tambien il lo gli uno sono noi e anche o os as um uma sao nos het een zijn wij en ook".split())
# Words that a rewording may bring in, since they name nothing and promise nothing.
PLAIN = EMPTY | frozenset(
    "of to for in on at by with from into via through per as or but because since while when where which who whose their "
    "they them he she his her you your my then there here both each has have had do does did done use uses used using go "
    "goes went run runs set sets make makes keep keeps handle handles contain contains hold holds need needs get gets ca wo "
    "du de d au aux ou mais donc car parce que qu ce cette ces qui dont il elle ils elles leur leurs se s y en a ont avec "
    "pour par sur sous dans vers chez comme alors quand si avoir etre fait faire utilise utilisons l c j m t "
    "des oder aber denn weil da dass es sie er war hat haben wird werden mit fur von zu zum zur im an am auf aus bei nach "
    "durch als wie dann wenn sich nutzen nutzt verwenden verwendet gehen "
    "del al con por para sobre era se su sus nuestro nuestra como cuando si usamos usa "
    "di della dei delle alla per su si suo nostro quando se usiamo ma perche che "
    "do da dos das em no na pelo pela e seu nosso usamos mas porque "
    "van voor met naar op aan bij uit door dan want omdat dat die ons onze heeft hebben".split()) - DENIALS
# With one of these the order of what stands around them is the statement.
DIRECTIONS = frozenset(
    "instead than over before after from to into replaces replaced replace against behind statt anstatt anstelle vor nach von "
    "zu gegen als hinter lieu plutot que avant apres vers contre de en vez antes despues desde hacia invece di prima dopo "
    "contro em antes depois contra plaats voor na tegen".split())
_CONNECTIVES = frozenset("and but because since while whereas und aber weil wahrend denn et mais car y pero porque e ma mas "
                         "perche en maar want omdat".split())


class Word:
    """`key`: as it is compared. `clause`: which clause of the text it stands in. `is_denied`: a denial is in there too."""

    __slots__ = ("key", "clause", "is_denied")

    def __init__(self, key: str, clause: int) -> None:
        self.key = key
        self.clause = clause
        self.is_denied = False

    @property
    def is_number(self) -> bool:
        return any(character.isdigit() for character in self.key)


def read(text: str) -> list[Word]:
    """Every word of a text, in order."""
    found: list[Word] = []
    clause = 0
    for part in _CLAUSE.split(fold(_NOT.sub(" not", text))):
        for token in _TOKEN.findall(part):
            key = token.casefold()
            if key in _CONNECTIVES:
                clause += 1
            found.append(Word("not" if key == "cannot" else key, clause))
        clause += 1
    denied = {word.clause for word in found if word.key in DENIALS}
    for word in found:
        word.is_denied = word.clause in denied
    return found


def telling(words: list[Word]) -> list[Word]:
    """The words that carry what a text says."""
    return [word for word in words if word.key not in PLAIN and word.key not in DENIALS]


def stem(key: str) -> str:
    """A plain word without its ending; anything else as it is."""
    if key.isalpha():
        for ending in _ENDINGS:
            if key.endswith(ending) and len(key) - len(ending) >= _SHORTEST_STEM:
                return key[:-len(ending)]
    return key


class Saying:
    """What a text says, ready to be compared with many others."""

    __slots__ = ("text", "keys", "_denials", "_is_known")

    def __init__(self, text: str) -> None:
        words = read(text)
        self.text = text
        self.keys = [stem(word.key) for word in words if word.key not in EMPTY]
        self._denials = sum(word.key in DENIALS for word in words)
        # In a language whose denials are not known for sure only the very words will do.
        self._is_known = any(word.key in EMPTY for word in words) \
            and not any(character > "\u024f" and character.isalpha() for character in text)

    def is_in(self, other: Saying) -> bool:
        """Whether the other text says all of this: the same words in the same order, and not much between them."""
        if self.keys == other.keys:
            return bool(self.keys) or self.text == other.text
        extra = len(other.keys) - len(self.keys)
        if not self.keys or not 0 < extra <= len(self.keys) // 2 + 2 or self._denials != other._denials \
                or not (self._is_known and other._is_known):
            return False
        left = iter(other.keys)
        return all(key in left for key in self.keys)
