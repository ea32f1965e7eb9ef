"""A piece of a document, as Cognee's search gives it: in either of its envelopes, and with what the version tells."""

from __future__ import annotations

import json

from memsift.remote import service

_DEEPEST = 6


class Passage:
    """`dataset` and `dataset_id` are "" where the server has access control off: then it searches all datasets,
    whatever was asked. `document_id`, `document`: "" in 1.0.x. `tags`, `metadata`: as they were uploaded (metadata
    since 1.5). `score`: a distance, lower is closer, only comparable within one server; None in 1.0.x. `created`: seconds
    since 1970, 0.0 where it is not told.
    """

    __slots__ = ("text", "dataset", "dataset_id", "document_id", "document", "tags", "metadata", "score", "created")

    def __init__(self, text: str, dataset: str = "", dataset_id: str = "", document_id: str = "", document: str = "",
                 tags: tuple[str, ...] = (), metadata: dict | None = None, score: float | None = None,
                 created: float = 0.0) -> None:
        self.text = text
        self.dataset = dataset
        self.dataset_id = dataset_id
        self.document_id = document_id
        self.document = document
        self.tags = tags
        self.metadata = metadata or {}
        self.score = score
        self.created = created


def read(answer: object) -> list[Passage]:
    """The passages of an answer, closest first: by their scores, or by turns of datasets where there are none."""
    groups: dict[str, list[Passage]] = {}
    for passage in _walk(answer, "", "", 0):
        groups.setdefault(passage.dataset_id or passage.dataset, []).append(passage)
    ranked = [(place, passage) for group in groups.values() for place, passage in enumerate(group)]
    if all(passage.score is not None for _, passage in ranked):
        return sorted((passage for _, passage in ranked), key=lambda passage: passage.score)
    return [passage for _, passage in sorted(ranked, key=lambda pair: pair[0])]


def _walk(value: object, dataset: str, dataset_id: str, depth: int) -> list[Passage]:
    if depth > _DEEPEST:
        return []
    if isinstance(value, list):
        return [passage for each in value for passage in _walk(each, dataset, dataset_id, depth + 1)]
    if isinstance(value, str):
        return [Passage(value, dataset, dataset_id)] if value.strip() else []
    if not isinstance(value, dict):
        return []
    if "search_result" in value:
        return _walk(value["search_result"], text(value.get("dataset_name")), text(value.get("dataset_id")), depth + 1)
    if not text(value.get("text")).strip():
        return []
    return [_chunk(value, dataset, dataset_id)]


def _chunk(value: dict, dataset: str, dataset_id: str) -> Passage:
    score, created = value.get("score"), value.get("created_at")
    is_score = isinstance(score, (int, float)) and not isinstance(score, bool) and abs(score) < 1e300
    return Passage(text(value["text"]), dataset, dataset_id, text(value.get("document_id")),
                   text(value.get("document_name")), _tags(value.get("belongs_to_set")),
                   _metadata(value.get("external_metadata")), float(score) if is_score else None,
                   created / 1000 if service.is_amount(created) else 0.0)


def _tags(value: object) -> tuple[str, ...]:
    """Names of node sets, which some versions write as objects."""
    names = [service.field(each, "name") or each for each in value] if isinstance(value, list) else []
    return tuple(name for name in names if isinstance(name, str))


def _metadata(value: object) -> dict:
    """An object, or the JSON of one."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def text(value: object) -> str:
    """A field that should be text."""
    return value if isinstance(value, str) else ""
