"""The base class of methods: parameters, one entry `run`, and declarations of what the method can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from sfumato.common.progress import Progress, silent
from sfumato.errors import ParameterError, did_you_mean, shortened
from sfumato.loss import Objective
from sfumato.privacy import PrivacyModel, Requirements
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding

if TYPE_CHECKING:
    from sfumato.methods.on_engine import EngineSupport


@dataclass(frozen=True)
class Task:
    """What a method is asked to do.

    Attributes
    ----------
    microdata
        The encoded table.
    requirements
        What every class must keep, bound to that table; feasible for it as a whole.
    suppressible
        How many rows may be suppressed.
    seed
        The seed of random choices; methods that make none ignore it.
    progress
        Called to report progress.
    memory
        A cache for further tasks with the same table, such as its sorted rows; None for no cache.
    """

    microdata: Microdata
    requirements: Requirements
    suppressible: int = 0
    seed: int = 0
    progress: Progress = field(default=silent)
    memory: dict[Any, Any] | None = field(default=None, repr=False, compare=False)

    def random(self) -> np.random.Generator:
        """Create a random generator from the seed."""
        return np.random.default_rng(self.seed)


class Method(ABC):
    """An algorithm that turns microdata into a recoding; a frozen dataclass of its parameters.

    Attributes
    ----------
    name
        Its name on the command line and in manifests.
    summary
        One line: what it does and what it guarantees.
    recoding
        ``"full-domain"``, ``"global"`` (equal rows are shown alike) or ``"local"`` (they may be shown differently).
    order_free
        Whether the order of the input rows never changes the loss.
    unsupported
        What it cannot do, so that such a request is refused instead of tried: models (``"t-closeness"``), variants of
        them (``"l-diversity (entropy)"``, ``"t-closeness (ordered)"``), ``"suppression"``, ``"missing values"``,
        ``"several sensitive columns"``.
    lowers
        What its ``minimize=`` can be about (parts of an `Objective`); nothing for methods that have no choice.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    recoding: ClassVar[str]
    order_free: ClassVar[bool] = True
    unsupported: ClassVar[frozenset[str]] = frozenset()
    lowers: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def run(self, task: Task) -> Recoding:
        """Find a recoding whose classes keep every requirement."""

    @property
    def needs_levels(self) -> bool:
        """Whether it chooses among levels, so that numbers without levels should get some."""
        return self.recoding == "full-domain"

    @property
    def on_engine(self) -> EngineSupport | None:
        """How an engine may divide a table past memory for it; None if it has to see all rows at once."""
        return None

    def parameters(self) -> dict[str, Any]:
        """The parameters, for manifests and policy files."""
        found = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        return found | {"minimize": plain_minimized(found["minimize"])} if "minimize" in found else found

    def recorded(self) -> dict[str, Any]:
        """The parameters for manifests, without any values of the table."""
        return self.parameters()


def plain_minimized(minimize: Any) -> Any:
    """The plain value of ``minimize``: an objective or a function by its name."""
    if isinstance(minimize, Objective):
        return minimize.name
    return getattr(minimize, "__name__", "a function") if callable(minimize) else minimize


#: Every name that ``method=`` takes, and how to make the method.
REGISTRY: dict[str, Callable[[], Method]] = {}

M = TypeVar("M", bound=Method)


def register(**variants: Callable[[], Method]) -> Callable[[type[M]], type[M]]:
    """Register a method class under its name, and named variants of it (underscores become dashes)."""

    def add(method: type[M]) -> type[M]:
        REGISTRY[method.name] = method
        REGISTRY.update({name.replace("_", "-"): make for name, make in variants.items()})
        return method

    return add


#: What ``method=`` accepts: a name, a method with its parameters, or a class.
MethodOption = str | Method | type[Method]


def find_method(method: MethodOption) -> Method:
    """Find the method of a name or a class; a method is returned as it is."""
    if isinstance(method, Method):
        return method
    if isinstance(method, type) and issubclass(method, Method):
        return _by_default(method)
    if method in REGISTRY:
        return REGISTRY[method]()
    known = f"Known methods: {', '.join(REGISTRY)}."
    hint = f"{did_you_mean(method, REGISTRY)} {known}".lstrip()
    raise ParameterError(f"There is no method called {shortened(method)}. {hint}")


def _by_default(kind: type[Method]) -> Method:
    """Create a method with its default parameters."""
    try:
        return kind()
    except TypeError:
        name = kind.__name__
        raise ParameterError(f"The method {name} has parameters without a default. Write {name}(…).") from None


SUPPRESSION = "suppression"
SEVERAL_SENSITIVE = "several sensitive columns"
MISSING = "missing values"


def features(models: Sequence[PrivacyModel], microdata: Microdata, suppressible: int) -> Iterator[str]:
    """Name all features that a request needs, in the words of `Method.unsupported`.

    A model is named, such as ``"l-diversity"``, and so is its variant, such as ``"l-diversity (entropy)"``.
    """
    for model in models:
        yield model.name
        if model.variant:
            yield f"{model.name} ({model.variant})"
    if suppressible:
        yield SUPPRESSION
    if len(microdata.sensitive) > 1:
        yield SEVERAL_SENSITIVE
    if any(domain.has_missing for domain in microdata.domains):
        yield MISSING


def refuse_unsupported(method: Method, models: Sequence[PrivacyModel], microdata: Microdata, suppressible: int) -> None:
    """Raise an error if a request asks for what a method declares as unsupported."""
    asked = dict.fromkeys(features(models, microdata, suppressible))
    refused = [feature for feature in asked if feature in method.unsupported]
    if refused:
        raise ParameterError(
            f"The method '{method.name}' does not support {', '.join(refused)}. "
            "Leave that out, or choose another method ('sfumato methods' lists them)."
        )
