"""Each remote service that is set: one minimal request, even while it is paused, and what to make of the answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from memsift.compaction import compactor
from memsift.deadline import Deadline
from memsift.doctor.case import Case
from memsift.doctor.finding import ADVICE
from memsift.doctor.finding import Section
from memsift.remote import place as places
from memsift.remote import service
from memsift.settings import Settings

PROBE_SECONDS = 8.0
# USD for a million tokens in and out, by a word of the model's name, as OpenRouter lists them (November 2026).
_PRICES = {"jev": (0.042, 0.0), "claude-haiku-4.5": (1.0, 5.0)}
_OPENROUTER = "openrouter.ai"
_TYPESAFE = "api.typesafe.ai"


class Probe:
    """What one request told. `failed`: a service.Failed, or None."""

    __slots__ = ("name", "what", "model", "seconds", "cost", "failed", "said")

    def __init__(self, name: str, what: str) -> None:
        self.name = name
        self.what = what
        self.model = ""
        self.seconds = 0.0
        self.cost: float | None = None
        self.failed: service.Failed | None = None
        self.said = ""

    def run(self, ask: Callable[[Settings, Deadline], object], settings: Settings, deadline: Deadline) -> None:
        """Ask once, and keep what came of it."""
        started = time.monotonic()
        self.failed = service.Failed(0, "the request broke off")  # until it is known to be otherwise
        try:
            self._read(ask(settings, deadline))
            self.failed = None
        except service.Failed as error:
            self.failed = error
        finally:
            self.seconds = time.monotonic() - started

    def _read(self, answer: object) -> None:
        self.model = str(getattr(answer, "model", "") or "")
        self.cost = getattr(answer, "cost", None)
        prices = next((prices for word, prices in _PRICES.items() if word in self.model), None)
        if self.cost is None and prices:
            tokens = [getattr(answer, name, None) or 0 for name in ("input_tokens", "output_tokens")]
            self.cost = sum(count * price for count, price in zip(tokens, prices)) / 1_000_000
        if isinstance(answer, (list, tuple)):
            self.said = "%d datasets" % len(answer)


def configured(settings: Settings) -> dict[str, tuple[str, str, Callable]]:
    """Of each service that is set: what it is, its address, and how to ask it."""
    found: dict[str, tuple[str, str, Callable]] = {}
    if settings.sorter == "jev":
        from memsift.sorters import jev
        found["jev"] = ("Jev (the judge)", str(settings["MEMSIFT_JEV_URL"]), jev.probe)
    if settings["MEMSIFT_COGNEE_URL"]:
        from memsift.longterm import cognee
        found["cognee"] = ("Cognee (the long-term memory)", str(settings["MEMSIFT_COGNEE_URL"]), cognee.probe)
    if settings.has_compactor:
        found["compactor"] = ("the compactor", str(settings["MEMSIFT_COMPACTOR_URL"]), compactor.probe)
    return found


def probe(settings: Settings, deadline: Deadline) -> list[Probe]:
    """Ask every service at the same time."""
    found, threads = [], []
    for name, (what, _, ask) in configured(settings).items():
        found.append(Probe(name, what))
        task = (ask, settings, deadline.within(PROBE_SECONDS))
        threads.append(threading.Thread(target=found[-1].run, args=task, daemon=True))
        threads[-1].start()
    for thread in threads:
        thread.join(deadline.remaining())
    for one, thread in zip(found, threads):
        if thread.is_alive():
            one.failed = service.Failed(0, "no answer within %.0f s" % PROBE_SECONDS, None, PROBE_SECONDS)
    return found


def examine(case: Case) -> Section:
    """Every service that is set, and what is strange in its address, key or model before anybody is asked."""
    section = Section("services")
    found = configured(case.settings)
    if not found:
        section.say("none", "everything is judged and kept on this machine")
    for name, (_, address, _) in found.items():
        _look_at_address(name, address, case.settings, section)
    if case.in_sandbox:
        if found:
            section.say("not asked",
                        "this runs in Codex's sandbox, without network: type $memsift-doctor as a prompt of its own")
        probes = []
    else:
        probes = probe(case.settings, case.deadline)
    for one in probes:
        _tell(one, found[one.name][1], case, section)
    for name, (what, _, _) in found.items():
        _look_at_pause(name, what, case, section)
    return section


def _tell(one: Probe, address: str, case: Case, section: Section) -> None:
    where = _authority(address)
    if one.failed is None:
        said = [part for part in (one.model, one.said) if part]
        cost = " for about $%.6f" % one.cost if one.cost else ""
        section.say(one.name,
                    "%s answers in %.2f s%s%s" % (where, one.seconds, ": " if said else "", ", ".join(said)) + cost)
        _compare_models(one, case.settings, section)
        return
    how = "answers with HTTP %d" % one.failed.status if one.failed.status else "does not answer"
    section.say(one.name, "%s %s (%.2f s)" % (where, how, one.seconds))
    why = "Until it answers, %s." % _MEANWHILE.get(one.name, "memsift does without it")
    section.find("%s gives no usable answer: %s." % (_capital(one.what), _reason(one.failed)), why,
                 _advice(one, address, case.settings))


_MEANWHILE = {
    "jev": "the embedded sorter judges prompts, and turns wait to be sorted",
    "cognee": "the long-term memory is not asked, and packets wait in the outbox",
    "compactor": "notes are compacted by rules alone",
}


def _reason(error: service.Failed) -> str:
    return ("HTTP %d, %s" % (error.status, error.message) if error.status else error.message).rstrip(". ")


def _advice(one: Probe, address: str, settings: Settings) -> str:
    """What to do about a failure, by its status and by what is set."""
    prefix = "MEMSIFT_%s" % one.name.upper()
    status, said = one.failed.status, one.failed.message.lower()
    if status in (401, 403):
        return "Check %s_KEY: the service refuses it." % prefix
    if status == 402:
        return "The account has no credit left: add some at %s." % _authority(address)
    if status in (429, 529):
        return "Nothing: the service asks for patience, and memsift comes back by itself."
    if one.name == "jev" and _wrong_name(address, str(settings["MEMSIFT_JEV_MODEL"])):
        return "Set MEMSIFT_JEV_MODEL to %s." % _wrong_name(address, str(settings["MEMSIFT_JEV_MODEL"]))
    if status in (400, 404) and "model" in said:
        return "Check %s_MODEL: the service does not know that name." % prefix
    if status == 404:
        return "Check %s_URL: nothing is served at that path." % prefix
    if status == 200:
        return "Check %s_URL and %s_MODEL: what answers there does not speak the expected format." % (prefix, prefix)
    if status >= 500:
        return "Wait for the service to recover; %s_URL names it." % prefix
    if "certificate" in said:
        return "Name the authority of your company's proxy in SSL_CERT_FILE."
    return "Check %s_URL, the network and the proxy variables; if the server is yours, start it." % prefix


def _wrong_name(address: str, model: str) -> str:
    """The name that was meant where the model has none at this address; "" where nothing is known against it."""
    host = _authority(address)
    if host.startswith(_OPENROUTER) and model in ("typesafe/jev-latest", "typesafe/jev-preview"):
        return "~" + model
    if host.startswith(_TYPESAFE) and model.lstrip("~").startswith("typesafe/"):
        name = model.lstrip("~")[len("typesafe/"):]
        return name + ".0" if name.count(".") == 1 else name
    return ""


def _look_at_address(name: str, address: str, settings: Settings, section: Section) -> None:
    place = places.parse(address)
    key = str(settings["MEMSIFT_%s_KEY" % name.upper()])
    if place and key and not place.is_tls and not place.is_loopback:
        section.find("MEMSIFT_%s_URL begins with http://, and is not on this machine." % name.upper(),
                     "The key and what you write travel over the network in clear.", "Use https:// there.")
    if name != "jev":
        return
    model = str(settings["MEMSIFT_JEV_MODEL"])
    meant = _wrong_name(address, model)
    if meant:
        section.find("MEMSIFT_JEV_MODEL is %s (%s), a name that %s does not know."
                     % (model, settings.sources.get("MEMSIFT_JEV_MODEL", "default"), _authority(address)),
                     "Every request is refused, and the embedded sorter judges instead.", "Set it to %s." % meant)
    if place and place.path.rstrip("/").endswith("/chat/completions"):
        section.find("MEMSIFT_JEV_URL leads to chat completions.", "Jev is a decision model and refuses that address.",
                     "Set it to https://openrouter.ai/api/alpha/decisions, or remove it.")
    if key and _authority(address).startswith(_TYPESAFE) and key.startswith("sk-or-"):
        section.find("MEMSIFT_JEV_KEY looks like a key of OpenRouter, and MEMSIFT_JEV_URL is TypeSafe's.",
                     "TypeSafe will refuse it.", "Remove MEMSIFT_JEV_URL, or use a key of TypeSafe.")


def _compare_models(one: Probe, settings: Settings, section: Section) -> None:
    asked = str(settings["MEMSIFT_JEV_MODEL"])
    bare = asked.lstrip("~").rpartition("/")[2]
    if one.name == "jev" and "jev" in one.model and not bare.endswith("latest") and bare not in one.model:
        section.find("MEMSIFT_JEV_MODEL asks for %s, and %s answered." % (asked, one.model),
                     "The thresholds belong to one build: with another one too much may be added, or too little.",
                     "Set MEMSIFT_JEV_MODEL to the version that you want.", ADVICE)


def _look_at_pause(name: str, what: str, case: Case, section: Section) -> None:
    facts = case.state.get(name, {})
    paused = facts.get("paused")
    if isinstance(paused, dict):
        reason = str(paused.get("reason", "")).rstrip(". ")
        section.find("%s is paused since %s: %s." % (_capital(what), paused.get("since", "?"), reason),
                     "It is not called: %s." % _MEANWHILE.get(name, "memsift does without it"),
                     "Once it answers, type /memsift-resume in Claude Code or $memsift-resume in Codex; nothing else "
                     "lifts a pause.")
    elif facts.get("failures"):
        section.say(name, "failed %s times in a row; the third failure pauses it" % facts["failures"])


def _authority(address: str) -> str:
    place = places.parse(address)
    return place.header if place else "an address that is none"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
