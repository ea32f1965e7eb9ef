"""The HTTP interface of a Cognee server, as far as every version 1.x has it: datasets, upload, and search for passages.

Datasets are addressed by name where there is a choice: the ids that the machine remembers may be of a deleted one.
Facts about the server are measured against 1.6.5 and 1.0.9.
"""

from __future__ import annotations

import json

from memsift import redact
from memsift.deadline import Deadline
from memsift.longterm import multipart
from memsift.longterm import passage as passages
from memsift.longterm.cognee_http import DATASETS
from memsift.longterm.cognee_http import LARGEST_LIST
from memsift.longterm.cognee_http import Http
from memsift.longterm.cognee_http import NotThere  # users of this module catch it
from memsift.longterm.cognee_plugin import minted_key
from memsift.longterm.passage import Passage
from memsift.remote import service
from memsift.remote.service import Failed
from memsift.settings import Settings

CHUNKS = "CHUNKS"  # the closest by meaning; needs no language model, and leaves each passage on its own
_PAGE = 1000  # documents; newer servers send 100 of them unless asked, older ones send all of them


class Dataset:
    """`updated`: as the server writes it, ISO 8601; "" where it does not tell."""

    __slots__ = ("id", "name", "updated")

    def __init__(self, id: str, name: str, updated: str = "") -> None:
        self.id = id
        self.name = name
        self.updated = updated


class Document:
    """An uploaded file: `name` without its extension; `size` in bytes, None where the server does not tell."""

    __slots__ = ("id", "name", "size", "updated")

    def __init__(self, id: str, name: str, size: int | None = None, updated: str = "") -> None:
        self.id = id
        self.name = name
        self.size = size
        self.updated = updated


class Upload:
    """A document to add: `name` is its file name; `metadata` comes back with each of its passages (since 1.5)."""

    __slots__ = ("name", "text", "metadata")

    def __init__(self, name: str, text: str, metadata: dict[str, object] | None = None) -> None:
        self.name = name
        self.text = text
        self.metadata = metadata or {}


class Added:
    """What an upload became: `data_ids` by the file names of its documents."""

    __slots__ = ("dataset_id", "data_ids")

    def __init__(self, dataset_id: str, data_ids: dict[str, str]) -> None:
        self.dataset_id = dataset_id
        self.data_ids = data_ids


def client(settings: Settings) -> Cognee | None:
    """The server that is set, or None where there is none."""
    url = str(settings["MEMSIFT_COGNEE_URL"])
    return Cognee(url, str(settings["MEMSIFT_COGNEE_KEY"]) or minted_key(url)) if url else None


def probe(settings: Settings, deadline: Deadline) -> list[Dataset]:
    """One minimal request, which needs the key to be good. Raises Failed, and ValueError where no server is set."""
    server = client(settings)
    if server is None:
        raise ValueError("no Cognee server is set")
    return server.datasets(deadline)


class Cognee:
    """A server and its key. Every call is one request, but for pages, redirects and a second look at what was refused,
    within one total deadline. All raise service.Failed; NotThere, which is one, says that only a dataset is missing.
    """

    __slots__ = ("url", "_http")

    def __init__(self, url: str, key: str = "") -> None:
        self.url = url
        self._http = Http(url, key)

    def datasets(self, deadline: Deadline) -> list[Dataset]:
        """All datasets of this user."""
        rows = self._rows(DATASETS, deadline)
        return [Dataset(row["id"], passages.text(row.get("name")), _updated(row)) for row in rows]

    def documents(self, dataset_id: str, deadline: Deadline) -> list[Document]:
        """All documents of a dataset, also from servers that send fewer at a time than asked for, or all each time."""
        found: dict[str, Document] = {}
        received, before = 0, -1
        while len(found) > before:  # until a page is empty, or the same once more
            before = len(found)
            path = "%s/%s/data?limit=%d&offset=%d" % (DATASETS, _segment(dataset_id), _PAGE, received)
            rows = self._rows(path, deadline)
            found.update((row["id"], _document(row)) for row in rows)
            received += len(rows)
        return list(found.values())

    def search(self, text: str, datasets: list[str], most: int, deadline: Deadline, tag: str = "",
               by: str = CHUNKS) -> list[Passage]:
        """The closest passages of these datasets, `most` of each, closest first; none of one that is empty or missing.

        `tag`: only of documents with this node set. `by`: the sort of search, CHUNKS or CHUNKS_LEXICAL.
        A name that does not exist makes the server find nothing at all: then those that exist are asked once more.
        The server keeps what it is asked, so secrets are redacted before.
        """
        query = sendable(text).strip()
        if not query or not datasets:
            return []
        fields = {"query": query, "search_type": by, "datasets": list(datasets), "top_k": most}
        if tag:
            fields["node_name"] = [tag]
        found = self._search(fields, deadline)
        if found is None and len(datasets) > 1:
            existing = {dataset.name for dataset in self.datasets(deadline)}
            left = [name for name in datasets if name in existing]
            if 0 < len(left) < len(datasets):
                found = self._search(dict(fields, datasets=left), deadline)
        return found or []

    def _search(self, fields: dict, deadline: Deadline) -> list[Passage] | None:
        """None where the server says that there is nothing to search in."""
        try:
            return passages.read(self._http.json("POST", "/api/v1/search", deadline, fields))
        except NotThere:
            return None

    def add(self, dataset: str, documents: list[Upload], tags: list[str], deadline: Deadline) -> Added:
        """Upload documents into the dataset of that name, which is made if need be: letters, digits, dashes and
        underscores. The same text twice is one document. It is found only after `cognify`."""
        if not documents:
            return Added("", {})
        content, body = _form(dataset, documents, tags)
        answer = self._http.read("POST", "/api/v1/add", deadline, body, content)
        rows = service.field(answer, "data_ingestion_info")
        ids = [passages.text(service.field(row, "data_id")) for row in rows] if isinstance(rows, list) else []
        names = [document.name for document in documents]
        return Added(passages.text(service.field(answer, "dataset_id")), dict(zip(names, ids)))

    def cognify(self, datasets: list[str], deadline: Deadline) -> None:
        """Have the server make these datasets' new documents searchable, in its own time. A name that does not exist
        becomes an empty dataset."""
        self._http.json("POST", "/api/v1/cognify", deadline, {"datasets": list(datasets), "run_in_background": True})

    def status(self, dataset_id: str, deadline: Deadline) -> str:
        """How the last `cognify` goes: "started", "completed", "errored" ..., "" where there was none."""
        answer = self._http.json("GET", "%s/status?dataset=%s" % (DATASETS, _segment(dataset_id)), deadline)
        return passages.text(service.field(answer, dataset_id)).rpartition("DATASET_PROCESSING_")[2].lower()

    def raw(self, dataset_id: str, data_id: str, deadline: Deadline) -> str:
        """The text of a document."""
        path = "%s/%s/data/%s/raw" % (DATASETS, _segment(dataset_id), _segment(data_id))
        return self._http.call("GET", path, deadline, limit=LARGEST_LIST).body.decode("utf-8", "replace")

    def forget(self, dataset_id: str, data_id: str, deadline: Deadline) -> None:
        """Delete a document; one that is gone already is no failure."""
        self._http.call("DELETE", "%s/%s/data/%s" % (DATASETS, _segment(dataset_id), _segment(data_id)), deadline)

    def _rows(self, path: str, deadline: Deadline) -> list[dict]:
        answer = self._http.json("GET", path, deadline, limit=LARGEST_LIST)
        if not isinstance(answer, list):
            raise Failed(200, "the answer is no list", None, deadline.elapsed())
        return [row for row in answer if passages.text(service.field(row, "id"))]


def sendable(text: str) -> str:
    """Text without secrets, and without what makes the server hang or fail: halves of surrogate pairs, and NUL."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return redact.redact(whole.replace("\0", " "))


def _form(dataset: str, documents: list[Upload], tags: list[str]) -> tuple[str, bytes]:
    """The content type and the body of an upload, one part for each document: large ones are cut anywhere."""
    fields = [("datasetName", dataset)] + [("node_set", tag) for tag in tags]
    if any(document.metadata for document in documents):
        metadata = [redact.redact_value(document.metadata) for document in documents]
        fields.append(("external_metadata", json.dumps(metadata)))
    return multipart.encode(fields, [("data", document.name, sendable(document.text)) for document in documents])


def _document(row: dict) -> Document:
    size = row.get("dataSize")
    size = int(size) if service.is_amount(size) else None
    return Document(row["id"], passages.text(row.get("name")), size, _updated(row))


def _updated(row: dict) -> str:
    return passages.text(row.get("updatedAt")) or passages.text(row.get("createdAt"))


def _segment(id: str) -> str:
    """An id that cannot become more than one part of a path."""
    if not id or not id.replace("-", "").isalnum() or not id.isascii():
        raise Failed(0, "the id of a dataset or document is no id")
    return id
