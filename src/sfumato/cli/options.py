"""The options that commands share, each described once, and how a command declares which of them it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, TypeVar, get_type_hints

import typer

Place = Annotated[
    str,
    typer.Argument(
        metavar="IN",
        help="The table to read: CSV, Parquet, JSON, Excel, SPSS, Stata, SAS or R; - for stdin; or the database that "
        "it is in, a DuckDB or SQLite file or postgresql://user@host/database.",
    ),
]
Table = Annotated[str | None, typer.Option("--table", metavar="NAME", help="The table in the database.")]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="The file to write: .csv, .tsv, .parquet, .jsonl, .arrow, .xlsx, .sav, .dta or .rds; - for stdout.",
    ),
]
Original = Annotated[
    Path, typer.Argument(metavar="ORIGINAL", help="The table that the release was made from; - for stdin.")
]
Released = Annotated[Path, typer.Argument(metavar="RELEASE", help="The released file, made by any tool.")]

Temporary = Annotated[
    Path | None,
    typer.Option(
        "--temporary",
        metavar="DIR",
        help="The folder for temporary files, which only you can read; by default that of the system.",
    ),
]

QuasiIdentifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--qi",
        "--quasi-identifiers",
        metavar="COLUMN",
        help="A quasi-identifier: a column that helps to single out a person (repeat, or a,b,c).",
    ),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive",
        metavar="COLUMN",
        help="A sensitive column: its values must not be linked to people (repeat, or a,b).",
    ),
]
Person = Annotated[
    str | None,
    typer.Option(
        "--person",
        metavar="COLUMN",
        help="The column that identifies the person, where people have several rows; people are counted, not rows.",
    ),
]
SurveyWeights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COLUMN",
        help="How many people of the population each row stands for; the release shows the mean of each class.",
    ),
]
Identifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--identifiers",
        metavar="COLUMN",
        help="A column that names people, such as a name or a number; never released (repeat, or a,b).",
    ),
]
Plain = Annotated[
    list[str] | None,
    typer.Option("--plain", metavar="COLUMN", help="A column to release unchanged (repeat, or a,b)."),
]
Rest = Annotated[
    str | None,
    typer.Option(
        "--rest",
        metavar="plain|drop",
        help="Release all other columns unchanged, or drop them. Without this every column needs a role.",
    ),
]
Hierarchy = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=HOW",
        help="How to generalize a quasi-identifier: a file with one line per value (zip=zip.csv), or numeric, "
        "numeric:5,10,20, categorical, prefix, prefix:5, dates, dates:month,year, dates:%d.%m.%Y, ordered:low|mid|high "
        "(repeat).",
    ),
]

K = Annotated[
    int | None, typer.Option("-k", metavar="K", help="k-anonymity: every row looks like at least K - 1 others.")
]
L = Annotated[
    float | None,
    typer.Option(
        "-l", metavar="L", help="l-diversity: no sensitive value in more than 1/L of the rows that look alike."
    ),
]
T = Annotated[
    float | None,
    typer.Option(
        "-t",
        metavar="T",
        help="t-closeness: the sensitive values of rows that look alike are spread as in the whole "
        "table, up to T (0 to 1).",
    ),
]
Privacy = Annotated[
    list[str] | None,
    typer.Option(
        "--privacy",
        metavar="MODEL:NAME=VALUE,…",
        help="Any other privacy model, such as l-diversity:l=3,kind=entropy (or kind=distinct, or kind=recursive,c=2), "
        "t-closeness:t=0.2,column=pay, minimum-span:column=age,width=5 (repeat).",
    ),
]

PresetName = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="NAME|FILE",
        help="Meet a regulation's threshold or rules, such as ema-0070; 'sfumato presets' lists them.",
    ),
]
Method = Annotated[
    str | None, typer.Option("--method", metavar="NAME", help="The algorithm; 'sfumato methods' lists them.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the method, such as relaxed=true (repeat)."),
]
Minimize = Annotated[
    str | None,
    typer.Option(
        "--minimize",
        metavar="LOSS",
        help="The loss to minimize: gcp, dm or entropy. auto, best and --refine also take cm or a file such as "
        "queries.json; full-domain methods also c_avg and height, or precision, which they maximize.",
    ),
]
Refine = Annotated[
    str | None,
    typer.Option(
        "--refine",
        metavar="SECONDS|true|exhaustive",
        help="Keep improving the result for SECONDS; Ctrl-C keeps the best so far.",
    ),
]
Suppression = Annotated[
    float | None,
    typer.Option(
        "--suppression", metavar="SHARE", help="The share of rows that may be left out, such as 0.02 for 2 %."
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="category|suppress|error",
        help="Treat a missing quasi-identifier as a value of its own, leave its row out, or stop with an error.",
    ),
]
Intervals = Annotated[
    str | None,
    typer.Option(
        "--intervals",
        metavar="text|bounds|midpoint|mean",
        help="How to show intervals: as text, as two columns, or as one number.",
    ),
]
Ends = Annotated[
    str | None,
    typer.Option(
        "--ends",
        metavar="data|grid",
        help="Where intervals without declared levels end: at values of the table, or at round values around them.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="The seed of all random choices; keep it secret. Random by default."),
]
KeepOrder = Annotated[
    bool | None,
    typer.Option(
        "--keep-order/--shuffle",
        help="Keep the order of rows. Shuffling is the default, because order can give people away.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator",
        "--sep",
        metavar="CHARACTER",
        help="The separator of a CSV file; detected by default.",
    ),
]

Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", metavar="NAME", help="The encoding of a text file, such as latin-1; detected by default."
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME", help="The sheet of a workbook, or the table of an SQLite file."),
]
Layout = Annotated[
    str | None,
    typer.Option(
        "--layout",
        metavar="COLUMNS",
        help="Where the columns of a file of fixed width are, such as 'name 1-10, age 11-13, sex 14'.",
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal", metavar="SIGN", help="The sign between a number and its fraction, . or , ; found by default."
    ),
]
DateForms = Annotated[
    list[str] | None,
    typer.Option(
        "--dates",
        metavar="[COLUMN=]FORM",
        help="How dates are written, such as born=%d.%m.%Y, 'excel' for serial numbers, 'no' for none; found by "
        "default.",
    ),
]
Skip = Annotated[
    int | None,
    typer.Option("--skip", metavar="N", help="How many lines or rows stand above the header; found where evident."),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help="The format of stdin, named like the ending of a file, such as jsonl; csv by default.",
    ),
]
To = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="FORMAT", help="The format of the release, such as parquet, where its name does not say it."
    ),
]

MissingCodes = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        metavar="VALUES",
        help="Values that mean 'no value', such as '?,N/A', or in one column, such as age=999 (repeat).",
    ),
]
Confirm = Annotated[
    list[str] | None,
    typer.Option(
        "--confirm",
        metavar="COLUMN",
        help="A column, or the code of a caution, whose warnings you have read and accept (repeat).",
    ),
]
Strict = Annotated[
    bool | None,
    typer.Option("--strict/--lenient", help="Write nothing if there is an unconfirmed warning; exit code 5."),
]

Transforms = Annotated[
    list[str] | None,
    typer.Option(
        "--transform",
        metavar="COLUMN=HOW",
        help="Change a column in every row before any model looks at it: round:500, clip:0..90, age:BORN:VISIT (a new "
        "column), shift:365 (dates, by person), or a level of a hierarchy such as icd10@chapter (repeat).",
    ),
]
Pseudonymize = Annotated[
    list[str] | None,
    typer.Option(
        "--pseudonymize",
        metavar="COLUMN[=HOW]",
        help="Replace an identifier by pseudonyms: keyed, keyed:KEYFILE, random:TABLE, format:KEYFILE (repeat).",
    ),
]
SampleOf = Annotated[
    str | None,
    typer.Option(
        "--sample",
        metavar="SHARE[:COLUMN]",
        help="Release a random sample, such as 0.1, or 0.1:region of every region.",
    ),
]

EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Where the rows are held: in memory, in duckdb, which stays within --memory, or on a Spark cluster, such "
        "as spark://host:7077 or local[4]; by default what fits.",
    ),
]
MemorySize = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="How much memory to use at most, such as 4GB; by default a share of what is free.",
    ),
]

Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        help="The number of threads that share the work; by default as many as the processors it may use. The release "
        "is the same with any number.",
    ),
]

ManifestFile = Annotated[
    Path | None,
    typer.Option(
        "--manifest", metavar="FILE", help="Write a record of how the release was made, as JSON; keep it to yourself."
    ),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        metavar="FILE",
        help="A TOML file with these settings; options on the command line take precedence.",
    ),
]
Force = Annotated[
    list[str] | None,
    typer.Option(
        "--force",
        metavar="NAME",
        help="A file that exists and may be overwritten, or a folder whose files may be (repeat).",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="SECONDS", help="Stop after so many seconds, and keep what is done until then."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]
ReportTitle = Annotated[
    str | None,
    typer.Option("--title", metavar="TEXT", help="The title of the report; by default from which file to which."),
]
Recipient = Annotated[
    str | None,
    typer.Option("--recipient", metavar="TEXT", help="Who gets the release, as the report says; by default a blank."),
]
Purpose = Annotated[
    str | None,
    typer.Option("--purpose", metavar="TEXT", help="What they get it for, as the report says; by default a blank."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The values of the shared options, None where an option is not given; a command takes some or all of them.

    An option that has the name of a field of `Request` takes precedence over the policy file.
    """

    command: str
    quasi_identifiers: QuasiIdentifiers = None
    sensitive: Sensitive = None
    person: Person = None
    identifiers: Identifiers = None
    plain: Plain = None
    rest: Rest = None
    weights: SurveyWeights = None
    hierarchies: Hierarchy = None
    k: K = None
    l: L = None  # noqa: E741
    t: T = None
    privacy: Privacy = None
    preset: PresetName = None
    method: Method = None
    settings: Settings = None
    minimize: Minimize = None
    refine: Refine = None
    suppression: Suppression = None
    missing: Missing = None
    intervals: Intervals = None
    ends: Ends = None
    seed: Seed = None
    keep_order: KeepOrder = None
    separator: Separator = None
    encoding: Encoding = None
    sheet: Sheet = None
    layout: Layout = None
    decimal: Decimal = None
    dates: DateForms = None
    skip: Skip = None
    na: MissingCodes = None
    confirm: Confirm = None
    strict: Strict = None
    transform: Transforms = None
    pseudonymize: Pseudonymize = None
    sample: SampleOf = None
    engine: EngineName = None
    memory: MemorySize = None
    temporary: Temporary = None
    threads: Threads = None
    policy: PolicyFile = None
    force: Force = None


#: The options about reading a file.
FILE = {"separator", "encoding", "sheet", "layout", "decimal", "dates", "skip"}
#: The options about where the rows are held, and how the work is shared.
ENGINE = {"engine", "memory", "temporary", "threads"}
#: The options of commands that write files.
WRITING = {"force"}
#: The options that change how a release looks, but not which levels are chosen.
SHOWN = {"refine", "missing", "intervals", "ends", "seed", "keep_order"}


def typed(name: str) -> str:
    """The option of a field of `Asked`, as users type it.

    >>> typed("quasi_identifiers"), typed("k"), typed("strict")
    ('--qi', '-k', '--strict')
    """
    declared = get_type_hints(Asked, include_extras=True)[name].__metadata__[0]
    return str(declared.default).partition("/")[0]


Function = TypeVar("Function", bound=Callable[..., None])


def takes(*, only: set[str] | None = None, without: set[str] | None = None) -> Callable[[Function], Function]:
    """Declare that a command takes the options of `Asked`, all or some of them, as its parameter ``asked``."""
    names = [one.name for one in fields(Asked) if one.name != "command"]
    taken = [name for name in names if name not in (without or set()) and (only is None or name in only)]

    def declare(function: Function) -> Function:
        function.taken_options = tuple(taken)  # type: ignore[attr-defined]
        return function

    return declare
