"""A small Cognee server in memory, on 127.0.0.1: it stores, makes searchable, searches by shared words and deletes.

    with ScriptedCognee() as server:
        server.put("memsift-acme-shop", "k1", "We go with PayCo.", tags=["memsift", "acme-shop"])
        ...  # use server.url and server.key, then look at server.searches or server.texts("memsift-acme-shop")

Answers are those of a real 1.6.5, or of 1.0.9 with version="1.0.9". `access_control=False` is a server that takes any
key and searches everywhere. What else can go wrong is scripted: `server.meet("/api/v1/search", scripted_http.hang)`.
"""

import json
import re
import threading
import time
import urllib.parse
import uuid

from tests.scripted_http import ScriptedHttp
from tests.scripted_http import answers
from tests.scripted_http import message

KEY = "acme" + "cognee" + "test"  # in no vendor's form
NOT_FOUND = ("404 Not Found", {"detail": "Not Found"})
NO_KEY = ("401 Unauthorized", {"detail": "Authentication required (auth posture: default (no env vars set))."})
NO_PERMISSION = ("403 Forbidden", {"detail": "Request owner does not have necessary permission: [read] for all datasets "
                                             "requested. [PermissionDeniedError]"})
NO_CREDITS = ("402 Payment Required", {"detail": "Your credits are exhausted.", "code": "credits_exhausted"})
NO_DATA = ("404 Not Found", {"detail": "No searchable memory in dataset 'x' (id: 1): no data has been added; add data and run "
                                       "cognify before searching. [NoDataError]"})
NOTHING_IN_1_0 = ("404 Not Found", {"error": "Search prerequisites not met", "hint": "Run `await cognee.add(...)` then "
                                                                                 "`await cognee.cognify()` before searching."})


def status(pair, headers=()):
    """The act that answers with one of the pairs above."""
    return answers(pair[1], pair[0], headers)


class Document:
    def __init__(self, id, name, text, tags, metadata):
        self.id = id
        self.name = name
        self.text = text
        self.tags = list(tags)
        self.metadata = metadata
        self.is_searchable = False
        self.created = time.time()


class Dataset:
    def __init__(self, id, name):
        self.id = id
        self.name = name
        self.documents = []
        self.status = ""


class ScriptedCognee:
    """`page`: how many documents a listing has at most; `redirects`: /datasets leads to /datasets/ first;
    `delays_cognify`: nothing becomes searchable before `finish` is called."""

    def __init__(self, key=KEY, access_control=True, version="1.6.5", page=1000, redirects=False, delays_cognify=False):
        self.key = key
        self.access_control = access_control
        self.version = version
        self.page = page
        self.redirects = redirects
        self.delays_cognify = delays_cognify
        self.datasets = []
        self.searches = []  # the bodies of all searches
        self._scripted = []
        self._lock = threading.RLock()
        self._http = ScriptedHttp(self._act)
        self.url = "http://127.0.0.1:%d" % self._http.port

    def __enter__(self):
        self._http.__enter__()
        return self

    def __exit__(self, *_):
        self._http.__exit__()

    @property
    def requests(self):
        return self._http.requests

    @property
    def paths(self):
        """Method and path of each request, without queries."""
        return [" ".join(request.line.split()[:2]).partition("?")[0] for request in self.requests]

    def meet(self, path, act, times=None):
        """Meet requests whose path begins so with an act of scripted_http, as often as told, else always."""
        self._scripted.append([path, act, times])

    def behave(self):
        """Forget what was scripted."""
        self._scripted.clear()

    def put(self, dataset, name, text, tags=(), metadata=None, is_searchable=True):
        """Have a document in the store; its id."""
        with self._lock:
            document = self._add(self._dataset(dataset), name, text, tags, metadata)
            document.is_searchable = is_searchable
            return document.id

    def texts(self, dataset):
        """The texts of all documents of a dataset."""
        return [document.text for each in self.datasets if each.name == dataset for document in each.documents]

    def id(self, dataset):
        return next(each.id for each in self.datasets if each.name == dataset)

    def finish(self, outcome="COMPLETED"):
        """End the cognify that was delayed, "ERRORED" for badly."""
        with self._lock:
            for dataset in self.datasets:
                if dataset.status == "STARTED":
                    self._cognified(dataset, outcome)

    def _act(self, connection, request):
        method, target, _ = request.line.split()
        path, _, query = target.partition("?")
        for scripted in self._scripted:
            if path.startswith(scripted[0]) and scripted[2] != 0:
                scripted[2] = None if scripted[2] is None else scripted[2] - 1
                return scripted[1](connection, request)
        if self.redirects and path == "/api/v1/datasets":
            return answers({}, "307 Temporary Redirect", [("Location", self.url + path + "/")])(connection, request)
        with self._lock:
            line, content = self._answer(method, path.rstrip("/"), dict(urllib.parse.parse_qsl(query)), request)
        if isinstance(content, bytes):
            return connection.send(message(content, line))
        return answers(content, line)(connection, request)

    def _answer(self, method, path, query, request):
        if path == "/health":
            return "200 OK", {"status": "ready", "health": "healthy", "version": self.version}
        if not path.startswith("/api/v1/"):
            return NOT_FOUND
        if self.access_control and request.headers.get("x-api-key") != self.key:
            return NO_KEY
        parts = [method] + path[len("/api/v1/"):].split("/")
        if parts == ["GET", "datasets"]:
            return "200 OK", [{"id": each.id, "name": each.name, "createdAt": "2026-11-30T01:02:03.000001",
                               "updatedAt": None, "ownerId": "1"} for each in self.datasets]
        if parts == ["GET", "datasets", "status"]:
            return self._of(query.get("dataset"), lambda found: {found.id: "DATASET_PROCESSING_" + found.status}
                            if found.status else {})
        if parts == ["POST", "add"]:
            return self._upload(request)
        if parts == ["POST", "cognify"]:
            return self._cognify(request.json())
        if parts == ["POST", "search"]:
            return self._search(request.json())
        if parts[:2] == ["GET", "datasets"] and parts[3:] == ["data"]:
            return self._of(parts[2], lambda found: self._rows(found, query))
        if len(parts) > 4 and parts[1] == "datasets" and parts[3] == "data":
            return self._of_document(method, *parts[2:3], *parts[4:])
        return NOT_FOUND

    def _of(self, id, make):
        found = next((each for each in self.datasets if each.id == id), None)
        return ("200 OK", make(found)) if found else NO_PERMISSION

    def _of_document(self, method, dataset, id, *rest):
        found = next((each for each in self.datasets if each.id == dataset), None)
        if found is None:
            return "401 Unauthorized", {"detail": "Dataset %s not accessible. [UnauthorizedDataAccessError]" % dataset}
        if method == "DELETE":
            found.documents = [each for each in found.documents if each.id != id]
            return "200 OK", None
        document = next((each for each in found.documents if each.id == id), None)
        if document is None or rest != ("raw",):
            return "404 Not Found", {"detail": "Data (%s) not found in dataset (%s). [DataNotFoundError]" % (id, dataset)}
        return "200 OK", document.text.encode("utf-8")

    def _rows(self, dataset, query):
        """1.0 sends everything always; later ones send pages."""
        rows = [self._row(dataset, document) for document in dataset.documents]
        if self.version.startswith("1.0"):
            return rows
        offset, limit = int(query.get("offset", 0)), int(query.get("limit", 100))
        return rows[offset:offset + min(limit, self.page)]

    def _row(self, dataset, document):
        row = {"id": document.id, "name": document.name, "createdAt": "2026-11-30T01:02:03.000001", "updatedAt": None,
               "extension": "txt", "mimeType": "text/plain", "rawDataLocation": "file:///x", "datasetId": dataset.id}
        if not self.version.startswith("1.0"):
            row.update(label=None, externalMetadata=document.metadata, dataSize=len(document.text.encode("utf-8")))
        return row

    def _dataset(self, name):
        for each in self.datasets:
            if each.name == name:
                return each
        self.datasets.append(Dataset(str(uuid.uuid5(uuid.NAMESPACE_URL, name)), name))
        return self.datasets[-1]

    def _add(self, dataset, name, text, tags, metadata):
        """A document; the same text again is the same document, whatever its name."""
        for each in dataset.documents:
            if each.text == text:
                return each
        id = str(uuid.uuid5(uuid.UUID(dataset.id), text))
        dataset.documents.append(Document(id, name, text, tags, metadata))
        return dataset.documents[-1]

    def _upload(self, request):
        fields, files = read_form(request)
        name = fields.get("datasetName", [""])[0]
        if not name or not files:
            return "400 Bad Request", {"error": "Either datasetId or datasetName must be provided."}
        if re.search(r"[ .]", name):
            return "500 Internal Server Error", {"error": "Internal server error",
                                                 "detail": "Dataset name cannot contain spaces or dots."}
        dataset, infos = self._dataset(name), []
        metadata = json.loads(fields.get("external_metadata", ["[]"])[0]) or [{}] * len(files)
        for (file_name, text), facts in zip(files, metadata):
            before = len(dataset.documents)
            document = self._add(dataset, file_name.rpartition(".")[0], text, fields.get("node_set", []), facts)
            run = "PipelineRunCompleted" if len(dataset.documents) > before else "PipelineRunAlreadyCompleted"
            infos.append({"run_info": {"status": run}, "data_id": document.id})
        return "200 OK", {"status": "PipelineRunCompleted", "pipeline_run_id": str(uuid.uuid4()), "dataset_id": dataset.id,
                          "dataset_name": name, "data_ingestion_info": infos}

    def _cognify(self, fields):
        if not fields.get("datasets"):
            return "400 Bad Request", {"error": "No datasets or dataset_ids provided"}
        started = {}
        for name in fields["datasets"]:
            dataset = self._dataset(name)
            dataset.status = "STARTED"
            started[dataset.id] = {"status": "PipelineRunStarted", "pipeline_run_id": str(uuid.uuid4())}
            if not self.delays_cognify:
                self._cognified(dataset, "COMPLETED")
        return "200 OK", started

    def _cognified(self, dataset, outcome):
        dataset.status = outcome
        for document in dataset.documents:
            document.is_searchable = document.is_searchable or outcome == "COMPLETED"

    def _search(self, fields):
        self.searches.append(fields)
        if not fields.get("query"):
            return "500 Internal Server Error", {"error": "Internal server error", "detail": "query_vector can not be None"}
        known = {each.name: each for each in self.datasets}
        unknown = [name for name in fields.get("datasets", []) if name not in known]
        if unknown:
            return NOTHING_IN_1_0 if self.version.startswith("1.0") else (
                "404 Not Found", {"detail": "Dataset(s) not found: %r. Dataset names resolve only among the datasets you own "
                                            "in the current tenant. [DatasetNotFoundError]" % unknown[0]})
        asked = [known[name] for name in fields.get("datasets") or known]
        if not any(document.is_searchable for each in asked for document in each.documents):
            return NOTHING_IN_1_0 if self.version.startswith("1.0") else NO_DATA
        if not self.access_control:
            return "200 OK", self._closest(self.datasets, fields)
        return "200 OK", [{"dataset_id": each.id, "dataset_name": each.name, "dataset_tenant_id": None,
                           "search_result": self._closest([each], fields)} for each in asked]

    def _closest(self, datasets, fields):
        """Something always comes back, however far away it is."""
        found = [document for each in datasets for document in each.documents if document.is_searchable]
        tags = fields.get("node_name")
        tagged = [document for document in found if set(tags or ()) & set(document.tags)]
        if tags and (tagged or not self.version.startswith("1.0")):
            found = tagged
        wanted = set(re.findall(r"\w+", fields["query"].lower()))
        scored = [(1 - len(wanted & set(re.findall(r"\w+", each.text.lower()))) / (len(wanted) or 1), each) for each in found]
        scored.sort(key=lambda pair: pair[0])
        return [self._chunk(document, score) for score, document in scored[:fields.get("top_k") or None]]

    def _chunk(self, document, score):
        chunk = {"id": str(uuid.uuid5(uuid.UUID(document.id), "chunk")), "text": document.text, "type": "IndexSchema",
                 "belongs_to_set": document.tags, "created_at": int(document.created * 1000), "version": 1}
        if not self.version.startswith("1.0"):
            chunk.update(document_id=document.id, document_name=document.name, chunk_index=0, score=score,
                         external_metadata=json.dumps(document.metadata or {}))
        return chunk


def read_form(request):
    """The fields (lists of texts by name) and the files (name and text) of a multipart body."""
    boundary = request.headers["content-type"].partition("boundary=")[2].encode("ascii")
    fields, files = {}, []
    for part in request.body.split(b"--" + boundary)[1:-1]:
        head, _, content = part[2:-2].partition(b"\r\n\r\n")
        disposition = head.decode("utf-8").split("\r\n")[0]
        names = dict(re.findall(r'(\w+)="([^"]*)"', disposition))
        text = content.decode("utf-8")
        if "filename" in names:
            files.append((names["filename"], text))
        else:
            fields.setdefault(names["name"], []).append(text)
    return fields, files
