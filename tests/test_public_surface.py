"""What ``import sfumato`` hands out: these names and no others."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import sfumato

PUBLIC = [
    "Age",
    "Ages",
    "Anatomized",
    "Anatomy",
    "AtLevel",
    "Auto",
    "AverageRisk",
    "Bands",
    "Best",
    "BestCuts",
    "BetaLikeness",
    "BottomUp",
    "Capped",
    "Categorical",
    "Certificate",
    "Clip",
    "Clusters",
    "CostAware",
    "Countries",
    "Datafly",
    "Dates",
    "DeltaDisclosure",
    "DeltaPresence",
    "DifferentialPrivacy",
    "EnumMulti",
    "Fold",
    "Frontier",
    "Hilbert",
    "ICD10",
    "IDistance",
    "ISCO",
    "Incognito",
    "KAnonymity",
    "KMap",
    "KOptimize",
    "LDiversity",
    "Lattice",
    "MarketerRisk",
    "MinimumSpan",
    "Mondrian",
    "NACE",
    "Numeric",
    "Objective",
    "Ordered",
    "Peeling",
    "Policy",
    "PopulationUniques",
    "Prefix",
    "Preset",
    "Proven",
    "Pseudonyms",
    "Quantiles",
    "Refined",
    "Release",
    "Released",
    "Round",
    "Rounded",
    "Samarati",
    "Sample",
    "Schema",
    "SfumatoError",
    "Shift",
    "Similar",
    "Spark",
    "Strongest",
    "TCloseness",
    "Taxonomy",
    "TopDown",
    "UniqueShare",
    "Verification",
    "Weekdays",
    "Within",
    "__version__",
    "anatomize",
    "anonymize",
    "attack",
    "certify",
    "check",
    "check_bound",
    "checklist",
    "compare",
    "datasets",
    "engines",
    "errors",
    "frontier",
    "methods",
    "open_source",
    "profile",
    "recode",
    "risk",
    "sklearn",
    "strongest",
    "uniqueness",
    "utility",
    "widget",
    "write_bound",
]
SUBMODULES = ["datasets", "engines", "errors", "methods", "sklearn"]


def test_all_is_exactly_the_public_surface() -> None:
    assert sorted(sfumato.__all__) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_can_be_imported(name: str) -> None:
    assert getattr(sfumato, name) is not None


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__"])
def test_a_public_name_says_what_it_is_for(name: str) -> None:
    thing = getattr(sfumato, name)
    text = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    assert text, f"sfumato.{name} has no docstring of its own"
    # A dataclass without a docstring gets its signature as one.
    assert not text.startswith(f"{name}("), f"sfumato.{name} has only the docstring that dataclass made up"


def test_dir_shows_the_public_names() -> None:
    assert set(PUBLIC) <= set(dir(sfumato))


def test_dir_shows_the_public_names_before_any_is_used() -> None:
    command = [sys.executable, "-c", "import sfumato; print(*dir(sfumato))"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert set(PUBLIC) <= set(shown)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="anonymise"):
        sfumato.anonymise  # noqa: B018


@pytest.mark.parametrize("name", SUBMODULES)
def test_a_public_name_that_is_also_a_folder_is_that_module(name: str) -> None:
    # Importing a submodule binds it in the package; any other meaning would depend on what ran before.
    module = importlib.import_module(f"sfumato.{name}")
    assert isinstance(getattr(sfumato, name), ModuleType)
    assert getattr(sfumato, name) is module


def test_the_version_is_that_of_the_distribution() -> None:
    assert importlib.metadata.version("sfumato") == sfumato.__version__
