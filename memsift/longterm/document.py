"""An entry as a document of the long-term store: its own words, and a last line that makes it unlike any other.

A store keeps equal texts of one dataset once, under the first name that they came with. With its id and its state in the
last line, no entry's document is another one's, and an entry that has changed is a new document. (all-MiniLM-L6-v2 finds
documents with such a line as well as those without: 0.62 and 0.63 of 256 wanted ones among the first five.)
"""

from __future__ import annotations

from memsift import home
from memsift import redact
from memsift.entry import Entry
from memsift.excerpt import one_line

SUFFIX = ".md"
_GAP = "\n\n"


def write(entry: Entry) -> str:
    """The text of an entry's document."""
    told = [entry.mark, "replaces %s" % entry.replaces if entry.replaces else ""] + entry.files
    told = ", ".join(one_line(each) for each in told if each)
    return entry.text.rstrip() + _GAP + " ".join(filter(None, [_tag(entry.id), entry.date, told]))


def words(text: str, id: str) -> str:
    """The entry's own words in a text of its document, which may be a part of it."""
    before, gap, _ = text.rpartition(_GAP + _tag(id))
    return before if gap else text


def id_in(text: str) -> str:
    """The id that the last line of a document names, "" where there is no such line."""
    _, gap, last = text.rpartition(_GAP)
    return last[1:].partition("]")[0] if gap and last.startswith("[") and "\n" not in last else ""


def _tag(id: str) -> str:
    return "[%s]" % name(id)


def name(id: str) -> str:
    """The name of an entry's document, as servers list it: without the suffix of the file."""
    return home.safe_name(id) if redact.redact(id) == id else "x-" + home.digest(id)


def facts(entry: Entry) -> dict[str, object]:
    """What goes along with the document, and comes back with its passages."""
    told = {"date": entry.date, "said": entry.said, "turn": entry.turn, "mark": entry.mark, "replaces": entry.replaces,
            "files": entry.files}
    told = redact.redact_value({name: value for name, value in told.items() if value})
    return dict(told, memsift=entry.id if redact.redact(entry.id) == entry.id else name(entry.id))
