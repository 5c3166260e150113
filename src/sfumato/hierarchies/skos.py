"""Taxonomies in SKOS, the form in which libraries, statistical offices and health services publish theirs.

Turtle, RDF/XML and JSON-LD are read by rdflib (``pip install 'sfumato[skos]'``). Nothing is fetched from the network: a
JSON-LD file whose context is a link is refused.
"""

from __future__ import annotations

import json
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sfumato.common.textfiles import LISTED, read_text
from sfumato.errors import HierarchyError, MissingExtraError, shortened

#: rdflib's name of each format, by the ending of the file's name.
SKOS_FORMS = {".ttl": "turtle", ".rdf": "xml", ".jsonld": "json-ld"}

CORE = "http://www.w3.org/2004/02/skos/core#"


def read_skos(path: Path, language: str = "en") -> list[tuple[str, ...]]:
    """Read one path per leaf concept: its label, that of the broader concept, and so on.

    A concept is named by its preferred label in the language, else by any preferred label, else by its notation.
    """
    graph = _graph(path)
    labels = _labels(graph, language)
    broader: dict[Any, set[Any]] = defaultdict(set)
    for below, above in graph.subject_objects(_term("broader")):
        broader[below].add(above)
    for above, below in graph.subject_objects(_term("narrower")):
        broader[below].add(above)
    parents = {concept for above in broader.values() for concept in above}
    leaves = sorted((concept for concept in {*labels, *broader} if concept not in parents), key=str)
    if not leaves:
        raise HierarchyError(f"The hierarchy file {path} holds no concepts of SKOS.")
    return [tuple(_upwards(path, leaf, broader, labels)) for leaf in leaves]


def _graph(path: Path) -> Any:
    try:
        import rdflib  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("Reading SKOS", "skos") from None
    text = read_text(path, "The hierarchy file", HierarchyError, limit=LISTED)
    form = SKOS_FORMS[path.suffix.lower()]
    try:
        if form == "json-ld" and _is_elsewhere(json.loads(text)):
            raise HierarchyError(
                f"The hierarchy file {path} needs a context from the network. Save it with its context."
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # from within rdflib
            return rdflib.Graph().parse(data=text, format=form)
    except HierarchyError:
        raise
    except Exception as error:
        # Parsers raise anything for a damaged file.
        raise HierarchyError(f"The hierarchy file {path} is not valid {form}: {shortened(str(error))}.") from None


def _is_elsewhere(data: Any) -> bool:
    """Whether a context of JSON-LD is a link."""
    if isinstance(data, dict):
        context = data.get("@context")
        given = context if isinstance(context, list) else [context]
        return any(isinstance(one, str) for one in given) or any(map(_is_elsewhere, data.values()))
    return isinstance(data, list) and any(map(_is_elsewhere, data))


def _term(name: str) -> Any:
    import rdflib  # noqa: PLC0415

    return rdflib.URIRef(CORE + name)


def _labels(graph: Any, language: str) -> dict[Any, str]:
    """The name of every concept."""
    found = {concept: str(code) for concept, code in graph.subject_objects(_term("notation"))}
    named = sorted(graph.subject_objects(_term("prefLabel")), key=lambda pair: (pair[1].language == language, pair[1]))
    return found | {concept: str(label) for concept, label in named}


def _upwards(path: Path, leaf: Any, broader: dict[Any, set[Any]], labels: dict[Any, str]) -> Iterator[str]:
    """Yield the labels of a concept and of all concepts above it."""
    seen = set()
    at = leaf
    while at is not None:
        if at in seen:
            raise HierarchyError(f"{path}: the concept {shortened(str(at))} is broader than itself. Break the circle.")
        seen.add(at)
        yield labels.get(at, str(at))
        if len(broader[at]) > 1:
            raise HierarchyError(f"{path}: the concept {shortened(str(at))} has two broader ones. Give it one.")
        at = next(iter(broader[at]), None)
