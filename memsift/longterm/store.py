"""The long-term store as prompts and workers use it: a Cognee server while it answers, behind the pauses.

Nothing of another repository comes through: a server with access control off searches everywhere, whatever it was asked
to search in, so each passage has to prove where it is from.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection

from memsift.deadline import Deadline
from memsift.entry import Entry
from memsift.longterm.datasets import is_reserved
from memsift.longterm.passage import Passage
from memsift.remote.guard import Guard
from memsift.remote.pauses import REFUSED
from memsift.remote.pauses import Pause
from memsift.remote.pauses import Pauses
from memsift.remote.service import Failed
from memsift.runtime import Runtime

# What talks to the server is imported where it does: most prompts only look whether the store is paused.

SERVICE = "cognee"
SECONDS = 12.0
MOST = 20  # entries for one prompt
_MOST_PASSAGES = 20  # for one query, of one dataset
_LEAST_SECONDS = 0.2  # with less, it would not be the server that is late
_PATIENCE = 3.0  # seconds for the others once the first query is answered: one by words reads whole datasets
_GRACE = 0.2  # seconds in which a thread that has reached its deadline can say so


def load(runtime: Runtime) -> Store | None:
    """The store that is set, or None where there is none."""
    if not runtime.settings["MEMSIFT_COGNEE_URL"]:
        return None
    return Store(lambda: _connect(runtime), Guard(SERVICE, Pauses(runtime.home.state), runtime.log),
                 lambda repository, datasets: _listed(runtime, repository, datasets),
                 max(200, int(runtime.settings["MEMSIFT_MAX_CHARACTERS"]) - 250))


def _connect(runtime: Runtime) -> object:
    from memsift.longterm import cognee
    return cognee.client(runtime.settings)


def _listed(runtime: Runtime, repository: str, datasets: list[str]) -> set[str]:
    from memsift.longterm import cognee_index
    try:
        return cognee_index.document_ids(runtime.home, repository, datasets)
    except OSError as error:
        runtime.log.error("core-prompt", "index of the store: %s" % error, error)
        return set()


class Store:
    """`connect`: makes the client (memsift.longterm.cognee.Cognee). `known`: the ids of the documents that datasets are known to
    hold, for a repository and their names, for passages that nothing else places. `longest`: characters of an entry."""

    def __init__(self, connect: Callable[[], object], guard: Guard,
                 known: Callable[[str, list[str]], Collection[str]] = lambda repository, datasets: (),
                 longest: int = 900) -> None:
        self._connect = connect
        self._guard = guard
        self._known = known
        self._longest = longest

    def paused(self) -> list[Pause]:
        """What the user should be told of."""
        pause = self._guard.pause()
        return [pause] if pause else []

    def attempt(self, area: str, act: Callable[[object], object]) -> object:
        """What `act` does with the client, counted; for workers. Raises service.Failed, and cognee.NotThere, which is
        one, without counting it: then only a dataset or document is missing."""
        from memsift.longterm.cognee import NotThere
        pause = self._guard.pause()
        if pause:
            raise Failed(0, "cognee is paused: %s" % pause.reason)
        try:
            outcome = act(self._connect())
        except NotThere as error:
            self._guard.note(area, error)
            raise
        except Failed as error:
            self._guard.failed(area, error)
            raise
        self._guard.succeeded()
        return outcome

    def search(self, asked: list, datasets: list[str], repository: str, deadline: Deadline) -> list[Entry] | None:
        """The closest entries of these datasets, closest first, at most 20; None where the store does not answer.

        `asked`: memsift.longterm.queries.Query, each a text and how it is compared.
        The queries are made at the same time, and one that fails takes nothing away from the others.
        """
        if not asked or not datasets:
            return []
        if self._guard.pause() or deadline.remaining() < _LEAST_SECONDS:
            return None
        from memsift.longterm import pieces
        from memsift.longterm import queries
        client, deadline = self._connect(), deadline.within(SECONDS)
        searches = [_Search(client, query, datasets, repository, deadline) for query in asked]
        _run(searches, deadline)
        if not self._settle([search.failed for search in searches if search.failed], len(searches)):
            return None
        lists = self._ours([search.found for search in searches], datasets, repository)
        return pieces.entries(queries.merge(asked, lists), [query.text for query in asked], MOST, self._longest)

    def _ours(self, lists: list[list[Passage]], datasets: list[str], repository: str) -> list[list[Passage]]:
        """What of these comes from the datasets: by what the server says of a passage, else by this repository's tag,
        else because one of them is known to hold its document."""
        lost = [passage for found in lists for passage in found
                if not passage.dataset and not _is_tagged(passage, datasets, repository)]
        known = self._known(repository, datasets) if any(passage.document_id for passage in lost) else ()
        return [[passage for passage in found if (
            passage.document_id in known if passage in lost else not passage.dataset or passage.dataset in datasets)]
            for found in lists]

    def _settle(self, failures: list[Failed], asked: int) -> bool:
        """Log what failed, and count one failure or one success, however many queries; whether any answered."""
        if not failures:
            self._guard.succeeded()
            return True
        worst = next((error for error in failures if error.status in REFUSED), failures[0])
        for error in {error.message: error for error in failures if error.message != worst.message}.values():
            self._guard.note("core-prompt", error)
        if len(failures) == asked or worst.status in REFUSED:
            self._guard.failed("core-prompt", worst)
        else:
            self._guard.note("core-prompt", worst)
            self._guard.succeeded()
        return len(failures) < asked


def _run(searches: list[_Search], deadline: Deadline) -> None:
    """All at the same time, until the deadline, or for a while after the first one is answered, which is the one that
    finds most; it runs here, so that a single one needs no thread."""
    import threading
    threads = [threading.Thread(target=search.run, daemon=True) for search in searches[1:]]
    for thread in threads:
        thread.start()
    searches[0].run()
    wait = deadline if searches[0].failed else deadline.within(_PATIENCE)
    for thread in threads:
        thread.join(wait.remaining() + _GRACE)
    for search in searches:
        search.leave(deadline.elapsed())


class _Search:
    """One query: what was `found`, and why it `failed`, None if it did not."""

    def __init__(self, client: object, query: object, datasets: list[str], repository: str, deadline: Deadline) -> None:
        self._client = client
        self._query = query
        self._datasets = datasets
        self._repository = repository
        self._deadline = deadline
        self._is_over = False
        self.found: list = []
        self.failed: Failed | None = None

    def run(self) -> None:
        try:
            self._ask()
        except Failed as error:
            self.failed = error
        self._is_over = True

    def leave(self, seconds: float) -> None:
        """Wait no longer; one that is not over by now has failed."""
        if not self._is_over:
            self.failed = Failed(0, "no answer in time", None, seconds)

    def _ask(self) -> None:
        """Ask for all datasets. Where passages come from nowhere, the server ignores what was asked: what memsift put
        there is then asked for by its tag, which a search by meaning does not ignore."""
        from memsift.longterm.queries import MEANING
        self.found = self._closest(self._datasets)
        own = _own(self._datasets)
        is_ignored = any(not passage.dataset and self._repository not in passage.tags for passage in self.found)
        if own and is_ignored and self._query.by == MEANING:
            self.found = _by_turns(self._closest(own, self._repository), self.found)

    def _closest(self, datasets: list[str], tag: str = "") -> list[Passage]:
        return self._client.search(self._query.text, datasets, _MOST_PASSAGES, self._deadline, tag, self._query.by)


def _own(datasets: list[str]) -> list[str]:
    return list(filter(is_reserved, datasets))


def _is_tagged(passage: Passage, datasets: list[str], repository: str) -> bool:
    """Whether memsift put it into a dataset of this repository that was asked."""
    return repository in passage.tags and bool(_own(datasets))


def _by_turns(first: list[Passage], second: list[Passage]) -> list[Passage]:
    """One list, each text once."""
    found: dict[str, Passage] = {}
    for place in range(max(len(first), len(second))):
        for passage in first[place:place + 1] + second[place:place + 1]:
            found.setdefault(passage.text, passage)
    return list(found.values())
