"""Built-in hierarchies for the Adult table, used if no hierarchy files are given."""

from __future__ import annotations

from typing import Any

from sfumato.hierarchies import Categorical, Hierarchy, Numeric, Taxonomy

_MARITAL_STATUS = {
    "Married": ["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"],
    "Once married": ["Separated", "Divorced", "Widowed"],
    "Single": ["Never-married"],
}

_EDUCATION = {
    "School": {
        "Elementary": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
        "Some high school": ["9th", "10th", "11th", "12th"],
        "Diploma": ["HS-grad"],
    },
    "College": {
        "Below a degree": ["Some-college", "Assoc-voc", "Assoc-acdm"],
        "First degree": ["Bachelors"],
        "Higher degree": ["Masters", "Prof-school", "Doctorate"],
    },
}

# "South" is how the table spells South Korea, "Hong" is Hong Kong; other odd spellings are its own as well.
_NATIVE_COUNTRY = {
    "United States": ["United-States", "Puerto-Rico", "Outlying-US(Guam-USVI-etc)"],
    "Rest of North America": ["Canada", "Mexico"],
    "Central America and Caribbean": [
        *("Guatemala", "El-Salvador", "Honduras", "Nicaragua"),
        *("Cuba", "Haiti", "Dominican-Republic", "Jamaica", "Trinadad&Tobago"),
    ],
    "South America": ["Columbia", "Ecuador", "Peru"],
    "Europe": [
        *("England", "Scotland", "Ireland", "France", "Germany", "Holand-Netherlands"),
        *("Portugal", "Italy", "Greece", "Poland", "Hungary", "Yugoslavia"),
    ],
    "Asia": [
        *("China", "Taiwan", "Hong", "Japan", "South", "Philippines"),
        *("Vietnam", "Laos", "Cambodia", "Thailand", "India", "Iran"),
    ],
}

_WORKCLASS = {
    "Private": ["Private"],
    "Self-employed": ["Self-emp-inc", "Self-emp-not-inc"],
    "Government": ["Federal-gov", "State-gov", "Local-gov"],
    "Unpaid": ["Without-pay", "Never-worked"],
}

_OCCUPATION = {
    "White collar": ["Exec-managerial", "Prof-specialty", "Tech-support", "Sales", "Adm-clerical"],
    "Blue collar": [
        *("Craft-repair", "Machine-op-inspct", "Handlers-cleaners"),
        *("Transport-moving", "Farming-fishing"),
    ],
    "Service": ["Protective-serv", "Armed-Forces", "Priv-house-serv", "Other-service"],
}

_TREES: dict[str, dict[str, Any]] = {
    "marital-status": _MARITAL_STATUS,
    "education": _EDUCATION,
    "native-country": _NATIVE_COUNTRY,
    "workclass": _WORKCLASS,
    "occupation": _OCCUPATION,
}


def built_in() -> dict[str, Hierarchy]:
    """Make a hierarchy for each of the nine columns."""
    trees = {column: Taxonomy.from_dict(tree) for column, tree in _TREES.items()}
    flat = {column: Categorical() for column in ("sex", "race", "salary-class")}
    return {"age": Numeric(widths=(5, 10, 20)), **flat, **trees}
