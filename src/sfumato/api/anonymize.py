"""``sfumato.anonymize``: a table comes in, a verified release goes out."""

from __future__ import annotations

from typing import Unpack

from sfumato.api.policy import Policy
from sfumato.common.progress import ProgressOption
from sfumato.release.release import Release
from sfumato.run.build import anonymize_for
from sfumato.run.request import Arguments, spelled_out
from sfumato.table.schema import Schema


@spelled_out
def anonymize(
    data: object, schema: Schema | None = None, *, progress: ProgressOption = False, **arguments: Unpack[Arguments]
) -> Release:
    """Make a release of a table that keeps every privacy model, or say why that is impossible.

    Parameters
    ----------
    data
        A pandas, Polars, Arrow or Spark table, an Arrow stream, a DuckDB relation, a table in a database such as
        ``engines.DuckDB("clinic.duckdb", "people")``, or the path of a file: CSV, Parquet, JSON, Excel, SPSS,
        Stata, SAS, R and more; a list of paths, a pattern or a folder of Parquet files is one table. It is never
        changed.
    schema
        The role of every column; or give the roles as arguments:
    quasi_identifiers, sensitive, person, identifiers, plain, rest
        As in `Schema`.
    weights
        The column that says how many people of the population each row stands for, as ``survey_weights`` in `Schema`.
    k, l, t
        Short for ``KAnonymity(k)``, ``LDiversity(l)`` and ``TCloseness(t)``.
    privacy
        More models; all of them hold together.
    preset
        What a regulation asks for, such as ``"ema-0070"``, or a file of your own; its models hold besides yours.
    method
        A name from ``sfumato methods``, or a method with parameters such as ``Mondrian(relaxed=True)``.
    minimize
        The loss that the method minimizes: ``"gcp"``, ``"dm"``, ``"entropy"``, ``"cm"``, ``"prediction"`` (of the first
        sensitive column) or ``"prediction:COLUMN"``, or a workload: a list of queries. By default that of the method.
    refine
        Keep improving the result: True, a time limit in seconds, or ``"exhaustive"``, as in `Refined`.
    suppression
        The share of rows that may be left out, from 0 to 1; rows are left out where that lowers the loss most.
    missing
        What happens to missing quasi-identifiers: ``"category"`` treats them as a value, ``"suppress"`` leaves out
        their rows, ``"error"`` refuses the table.
    intervals
        How intervals are shown: ``"text"``, ``"bounds"`` (two typed columns), ``"midpoint"`` or ``"mean"``.
    ends
        Where intervals end if no levels are declared: ``"data"``, at the smallest and largest value of the class;
        ``"grid"``, at round values around them.
    keep_order
        Keep the order of rows. Order can reveal people, so by default rows are shuffled.
    seed
        The seed of all random choices; the same table and seed give the same bytes. Keep it secret: anyone who has it
        can test guesses about the original. By default 128 random bits are drawn, and kept only in the manifest.
    na
        Values that mean "no value", as texts or numbers: ``["?", "N/A"]``, or by column, ``{"age": [999]}``.
    confirm
        The columns, or the codes of cautions, whose warnings you have read and accept. A plain column that
        identifies people like a name is refused unless it is among them.
    strict
        Make no release if there is a warning that is not confirmed.
    transform
        How the values of a column change in every row before any model sees them, such as
        ``{"pay": Round(500), "age": Age("born", "visit")}``; a hierarchy stands for its first level.
    pseudonymize
        Identifiers that are released as pseudonyms: names, or by name `Pseudonyms` with a key file or a table.
    sample
        The share of rows, or of people, that is drawn at random; or `Sample`, stratified by a column.
    engine
        ``"memory"``, or ``"duckdb"`` for a table past memory; ``"auto"`` works in memory if the table fits.
        `Spark`, or its address, for a cluster; the session of a Spark frame does the work itself.
    memory
        A limit on memory, such as ``"4GB"`` or a number of bytes; by default a share of what is free.
    temporary
        The folder in which an engine keeps rows for the time being, in a subfolder that only you can read.
    threads
        The number of threads that share the work; by default the environment variable ``SFUMATO_THREADS``, or as many
        as the processors that this process may use. The release is the same with any number.
    progress
        True for a progress bar, or a function that is called with the stage's name and the share done.
    separator
        The separator of a CSV file; detected by default.
    encoding
        The encoding of a text file, such as ``"latin-1"``; found from its bytes by default.
    sheet
        The sheet of a workbook or the table of an SQLite database, if it has several.
    layout
        The places of the columns in a fixed-width file, such as ``"name 1-10, age 11-13"``.
    decimal
        The sign between a number and its fraction in text, ``"."`` or ``","``; found column by column by default.
    dates
        How dates are written in text, such as ``"%m/%d/%Y"`` for all columns, or by column ``{"born": "%d.%m.%y"}``;
        ``"excel"`` for serial numbers, ``"no"`` for columns without dates. Found by default.
    skip
        How many lines of a text file, or rows of a sheet, stand above the header; found where it is evident.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [25, 27, 41, 44], "illness": ["flu", "ulcer", "flu", "asthma"]})
    >>> release = sf.anonymize(people, quasi_identifiers="age", sensitive="illness", k=2, l=2)
    >>> sorted(set(release.data["age"].to_pylist()))
    ['[25, 27]', '[41, 44]']
    """
    return anonymize_for(data, Policy.of("anonymize", schema, **arguments), progress)
