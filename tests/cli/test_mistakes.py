"""What a user can get wrong: one message that says what to do, an exit code, and no file."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command import ROLES, refused, run, started

import sfumato as sf
from sfumato.io import csv

OUT = ("-o", "release.csv")
K = ("-k", 5)


@pytest.fixture(autouse=True)
def nothing_is_left_behind(folder: Path) -> Iterator[None]:
    """Every command here fails, and none of them may leave a file or change one."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    yield
    made = {path: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.stem != "given"}
    assert made == before


# Wrong requests


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "No privacy is asked for"),
        ((*ROLES,), "on the command line: -k 10"),
        ((*K,), "No quasi-identifier is declared"),
        (("--qi", "age", *K), "No role is declared for 'name', 'zip', 'disease'"),
        (("--qi", "age", *K), "--qi, --sensitive, --identifiers, --plain, --rest"),
        ((*ROLES, "--qi", "agee", *K), "has no column 'agee'. Its columns are 'name', 'age', 'zip', 'disease'"),
        ((*ROLES, "--qi", "agee", *K), "Did you mean 'age'?"),
        (("--qi", "age, zip", *K), "No role is declared for 'name', 'disease'"),
        ((*ROLES, "--qi", "age", *K), "'age' is declared twice as quasi-identifier"),
        ((*ROLES, "--plain", "age", *K), "'age' is declared both as quasi-identifier and as plain"),
        ((*ROLES, *K, "--rest", "keep"), "'rest' parameter"),
        ((*ROLES, "-k", 0), "'k' parameter of KAnonymity must be an integer of at least 1. Got 0."),
        ((*ROLES, "-k", "many"), "Invalid value for '-k': 'many' is not a whole number, such as 10."),
        ((*ROLES, "-k", "5,10"), "'5,10' is not a whole number"),
        ((*ROLES, "-l", "two"), "'two' is not a number."),
        ((*ROLES, *K, "--preset", "hippa"), "Did you mean 'hipaa-expert'?"),
        ((*ROLES, *K, "--hierarchy", "age=numerc"), "Did you mean 'numeric'?"),
        ((*ROLES, *K, "--force"), "'--force' requires an argument. It takes NAME: A file that exists and may be"),
        ((*ROLES, "--force", *K), "'--force' requires an argument. It takes NAME: A file that exists and may be"),
        ((*ROLES, *K, "--save-policy", "--strict"), "'--save-policy' requires an argument."),
        ((*K, "--qi", "age", "zip"), "extra argument(s) (zip). Part several values of an option by commas"),
        ((*ROLES, "-k", "9" * 5_000), "Invalid value for '-k'"),
        ((*ROLES, "-l", 0.5), "'l' parameter of LDiversity"),
        ((*ROLES, "-t", 2), "For 2 % write 0.02"),
        ((*ROLES, *K, "--suppression", 4), "For 4 % write 0.04"),
        ((*ROLES, *K, "--missing", "ignore"), "one of 'category', 'suppress', 'error'. Got 'ignore'."),
        ((*ROLES, *K, "--intervals", "words"), "'intervals' parameter"),
        ((*ROLES, *K, "--seed", -1), "'seed' parameter"),
        ((*ROLES, *K, "--sep", "xx"), "'separator' parameter"),
        ((*ROLES, *K, "--method", "mondrain"), "mondrain"),
        ((*ROLES, *K, "--method", "mondrian", "--set", "relaxd=true"), "Did you mean 'relaxed'?"),
        ((*ROLES, *K, "--method", "mondrian", "--set", "relaxed=yes"), "must be True or False. Got 'yes'."),
        ((*ROLES, *K, "--set", "relaxed"), "--set 'relaxed' is not of the form NAME=VALUE"),
        ((*ROLES, "--privacy", "l-diversty:l=3"), "Did you mean 'l-diversity'?"),
        ((*ROLES, "--privacy", "l-diversity:l=3,knd=entropy"), "Did you mean 'kind'?"),
        ((*ROLES, "--privacy", "l-diversity:3"), "--privacy '3' is not of the form name=value"),
        ((*ROLES, "--privacy", "l-diversity"), "--privacy l-diversity lacks 'l'"),
        ((*ROLES, "--privacy", "l-diversity:l=2,column=pay"), "'pay', which is not declared as sensitive"),
        ((*ROLES, "--privacy", "minimum-span:column=zip,width=2", "--hierarchy", "zip=prefix"), "MinimumSpan"),
        (("--qi", "age", "--rest", "drop", "-l", 2), "--sensitive disease"),
        ((*ROLES, *K, "--hierarchy", "zip"), "--hierarchy 'zip' is not of the form COLUMN=HOW"),
        ((*ROLES, *K, "--hierarchy", "pay=prefix"), "'pay', which is not a quasi-identifier. Declare it with --qi pay"),
        ((*ROLES, *K, "--hierarchy", "zip=prefix", "--hierarchy", "zip=categorical"), "given twice for 'zip'"),
        ((*ROLES, *K, "--hierarchy", "zip=no.csv"), "'no.csv' is neither a hierarchy file nor a kind of hierarchy"),
        ((*ROLES, *K, "--hierarchy", "zip=icd10:2"), "'icd10' takes nothing after the colon"),
        ((*ROLES, *K, "--hierarchy", "zip=prefix:two"), "length"),
        ((*ROLES, *K, "--hierarchy", "age=ordered"), "as in ordered:low|mid|high"),
        ((*ROLES, *K, "--hierarchy", "age=numeric:5,wide"), "'widths' parameter of Numeric"),
        ((*ROLES, *K, "--hierarchy", "age=numeric:5,7"), "7 is not a multiple of 5"),
        ((*ROLES, *K, "--hierarchy", "age=dates:week,month"), "'levels' parameter of Dates"),
        ((*ROLES, *K, "--hierarchy", "zip=ordered:a|b"), "not in the order given to Ordered"),
        ((*ROLES, *K, "--policy", "no.toml"), "The policy file 'no.toml' does not exist"),
        ((*ROLES, *K, "--speed", "11"), "No such option: --speed"),
        ((*ROLES, "--k", 5), "No such option: --k. Did you mean -k?"),
        (
            (
                *ROLES,
                "-k=5",
            ),
            "'=5' is not a whole number, such as 10. Write a blank instead of the equals sign.",
        ),
        ((*ROLES, "-k", "5%"), "'5%' is not a whole number"),
        ((*ROLES, *K, "--suppression", "2%"), "'2%' is not a number. For 2 % write 0.02."),
        ((*ROLES, "-t", "0,2"), "'0,2' is not a number. Write 0.2."),
        (("--qi", "age;zip", "--rest", "drop", *K), "Name 'age', 'zip' one by one (on the command line: with commas"),
        ((*ROLES, *K, "patients.csv"), "A command reads one table: name several files by a pattern in quotes"),
        (
            (*ROLES, *K, "--report", "report.pdf"),
            "The report is written as HTML, but 'report.pdf' is called otherwise.",
        ),
        ((*ROLES, *K, "--manifest", "given.csv"), "The manifest is written as JSON, but 'given.csv' is called"),
        ((*ROLES, *K, "--save-policy", "given.csv"), "The saved policy is written as TOML"),
        ((*ROLES, *K, "--sheet", "2"), "A sheet is named, '2', but 'patients.csv' has none."),
        ((*ROLES, *K, "--transform", "age=rond:5"), "Did you mean 'round'?"),
        ((*ROLES, *K, "--transform", "agee=round:5"), "Did you mean 'age'?"),
        ((*ROLES, "--privacy", "l-diversity:l=2,column=diseas"), "Did you mean 'disease'?"),
        ((*ROLES, *K, "--na", "agee=9"), "'na' names 'agee', which the table does not have."),
        ((*ROLES, *K, "--na", "agee=9"), "Did you mean 'age'?"),
    ],
)
def test_a_wrong_request(arguments: tuple[object, ...], said: str) -> None:
    assert said in refused(2, "anonymize", "patients.csv", *OUT, *arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("patients.csv",), "It is a file: sfumato profile patients.csv describes it"),
        (("anonymise",), "Did you mean 'anonymize'"),
        (("verify", "patients.csv"), "What you look for is sfumato check."),
        (("certificate",), "sfumato anonymize with --certificate FILE"),
        (("help", "anonymize"), "sfumato COMMAND -h"),
        (("init", "patients.csv", "-o", "given.csv", "--yes"), "The policy is written as TOML"),
        (("report", "p.toml", "patients.csv", "r.csv", "-o", "r.docx"), "The report is written as HTML"),
        (("hierarchy", "patients.csv", "zipp"), "Did you mean 'zip'?"),
        (("risk", "patients.csv", "--qi", "age", "--threshold", "9%"), "'9%' is not a number. For 9 % write 0.09."),
        (
            ("check", "patients.csv", "--qi", "age", *K, "--certificate", "no.json"),
            "Leave out '--qi', '-k'.",
        ),
        (("utility", "patients.csv", "patients.csv", "--qi", "agee"), "Did you mean 'age'?"),
        (
            ("attack", "patients.csv", "patients.csv", "--qi", "age", "--time-limit", 0),
            "must be a number above 0. Got 0.0.\n",
        ),
    ],
)
def test_other_wrong_requests(arguments: tuple[object, ...], said: str) -> None:
    assert said in refused(2, *arguments) + "\n"


def test_questions_that_nobody_can_answer() -> None:
    done = run("init", "patients.csv")
    assert done.code == 2
    assert "There is no answer to read. With --yes all suggestions are taken." in done.stderr


def test_what_is_missing_is_named_with_what_it_is() -> None:
    assert "'--output' / '-o'. The file to write: .csv" in refused(2, "anonymize", "patients.csv", *ROLES, *K)


def test_without_an_output_or_a_table() -> None:
    assert "'--output' / '-o'" in refused(2, "anonymize", "patients.csv")
    assert "Missing argument" in refused(2, "anonymize", "-o", "release.csv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("02138;MA;*\n02138;WI;*\n", "given.csv, line 2: the value has two parents"),
        ("02138;MA;*\n02139;*\n", "given.csv, line 2: the value has 2 columns"),
        ("02138;MA;*\n", "not in hierarchy file given.csv"),
        ("", "The hierarchy file given.csv is empty"),
    ],
)
def test_a_wrong_hierarchy_file(text: str, said: str) -> None:
    Path("given.csv").write_text(text, encoding="utf-8")
    assert said in refused(2, "anonymize", "patients.csv", *OUT, *ROLES, *K, "--hierarchy", "zip=given.csv")


def test_a_wrong_policy_file() -> None:
    Path("given.toml").write_text("[option]\nseed = 3\n", encoding="utf-8")
    message = refused(2, "anonymize", "patients.csv", *OUT, "--policy", "given.toml")
    assert "Policy file given.toml: The policy: key 'option' is not known. Did you mean 'options'?" in message


# What cannot be


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-k", 201), "The largest k that works is 200"),
        (("-k", 5, "-l", 5), "The largest l that works is 3"),
        (("--privacy", "l-diversity:l=5,kind=distinct"), "only 4 distinct values"),
        (("-l", 4, "--suppression", 0.001), "not possible"),
    ],
)
def test_privacy_that_is_not_possible(arguments: tuple[object, ...], said: str) -> None:
    assert said in refused(1, "anonymize", "patients.csv", *OUT, *ROLES, *arguments)


# Bad data


def test_files_that_cannot_be_read() -> None:
    assert "There is no file 'no.csv'" in refused(3, "anonymize", "no.csv", *OUT, *ROLES, *K)
    assert "download it first" in refused(3, "anonymize", "https://example.org/patients.csv", *OUT, *ROLES, *K)
    assert "empty below the 999 lines" in refused(3, "anonymize", "patients.csv", *OUT, *ROLES, *K, "--skip", 999)
    assert "is a directory" in refused(3, "anonymize", ".", *OUT, *ROLES, *K)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("given.docx", b"PK\x03\x04", "'given.docx' has an unknown ending"),
        ("given.csv", b"", "'given.csv' is empty"),
        ("given.csv", b"name,age,zip,disease\n", "The table has no rows"),
        ("given.parquet", b"name,age,zip,disease\nA,3,4,flu\n", "is not a Parquet file, or was cut short"),
        ("given.csv", b"name,age,zip,disease\nA,inf,4,flu\nB,3,4,flu\n", "'age' holds infinite numbers"),
        ("given.csv", b"name,age,zip,disease\nA,old,4,flu\nB,3,4,flu\n", "'age' is declared as Numeric()"),
        ("given.jsonl", b"name,age\n", "given.jsonl"),
    ],
)
def test_data_that_cannot_be_used(name: str, content: bytes, said: str) -> None:
    Path(name).write_bytes(content)
    assert said in refused(3, "anonymize", name, *OUT, *ROLES, "-k", 1, "--hierarchy", "age=numeric")


def test_columns_with_the_same_name() -> None:
    Path("given.csv").write_text("age,age\n1,2\n", encoding="utf-8")
    assert "No role is declared for 'age_2'" in refused(2, "anonymize", "given.csv", *OUT, "--qi", "age", *K)


def test_a_parquet_file_cut_short(folder: Path) -> None:
    sf.anonymize("patients.csv", quasi_identifiers="age", rest="drop", k=2).write("given.parquet")
    Path("given.parquet").write_bytes(Path("given.parquet").read_bytes()[:-20])
    assert "cut short" in refused(3, "anonymize", "given.parquet", *OUT, "--qi", "age", *K)


def test_one_row(folder: Path) -> None:
    Path("given.csv").write_text("name,age,zip,disease\nA,3,4,flu\n", encoding="utf-8")
    assert "only 1 row" in refused(1, "anonymize", "given.csv", *OUT, *ROLES, "-k", 2)


def test_missing_values_may_be_refused(folder: Path) -> None:
    Path("given.csv").write_text("name,age,zip,disease\nA,,4,flu\nB,3,4,flu\n", encoding="utf-8")
    message = refused(3, "anonymize", "given.csv", *OUT, *ROLES, "-k", 2, "--missing", "error")
    assert "'age'" in message


# Outputs


@pytest.mark.parametrize(
    ("output", "code", "said"),
    [
        ("none/release.csv", 4, "its directory does not exist. Create it first."),
        ("release.docx", 2, ".csv, .tsv, .parquet"),
        (".", 4, "'.' cannot be written: it is a directory. Name a file in it."),
        ("patients.csv", 2, "The output and the input are the same file"),
        ("./../{folder}/patients.csv", 2, "The output and the input are the same file"),
    ],
)
def test_an_output_that_cannot_be_written(output: str, code: int, said: str, folder: Path) -> None:
    path = output.format(folder=folder.name)
    assert said in refused(code, "anonymize", "patients.csv", "-o", path, *ROLES, *K)


def test_the_output_is_tried_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work began")

    monkeypatch.setattr(sf.Policy, "run", work)
    for extra in (("-o", "none/r.csv"), (*OUT, "--manifest", "none/m"), (*OUT, "--save-policy", "none/p")):
        assert "directory does not exist" in refused(4, "anonymize", "patients.csv", *extra, *ROLES, *K)


def test_no_file_is_written_twice_or_over_what_is_read() -> None:
    Path("given.csv").write_text("02138\n02139\n53706\n53715\n", encoding="utf-8")
    command = ("anonymize", "patients.csv", *ROLES, *K)
    assert "output are the same" in refused(2, *command, *OUT, "--manifest", "release.csv")
    assert "manifest are the same" in refused(2, *command, *OUT, "--manifest", "m", "--save-policy", "m")
    assert "the input are the same" in refused(2, *command, *OUT, "--manifest", "patients.csv")
    message = refused(2, *command, "-o", "given.csv", "--hierarchy", "zip=given.csv")
    assert "the file of 'zip' are the same" in message


def test_a_link_to_the_input_is_the_input(folder: Path) -> None:
    Path("given.csv").symlink_to("patients.csv")
    assert "same file" in refused(2, "anonymize", "patients.csv", "-o", "given.csv", *ROLES, *K)


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> Iterator[bytes]:
        yield b"age,zip\n"
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(csv, "csv_chunks", full)
    assert "the disk is full" in refused(4, "anonymize", "patients.csv", *OUT, *ROLES, *K)


# What nobody foresaw


def fail(*_: object, **__: object) -> None:
    raise ZeroDivisionError("Person7 is 42 years old")


def test_an_unforeseen_failure_shows_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sf.Policy, "run", fail)
    message = refused(70, "anonymize", "patients.csv", *OUT, *ROLES, *K)
    assert "ZeroDivisionError in tests/cli/test_mistakes.py" in message
    assert "SFUMATO_DEBUG=1" in message
    assert "Person7" not in message


def test_the_traceback_is_there_for_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sf.Policy, "run", fail)
    monkeypatch.setenv("SFUMATO_DEBUG", "1")
    done = run("anonymize", "patients.csv", *OUT, *ROLES, *K)
    assert isinstance(done.exception, ZeroDivisionError)


def test_too_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def starve(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(sf.Policy, "run", starve)
    assert "not enough memory" in refused(3, "anonymize", "patients.csv", *OUT, *ROLES, *K)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("anonymize", "no.csv", *OUT, *ROLES, *K), 3),
        (("anonymize", "patients.csv", *OUT, *ROLES, "-k", 0), 2),
        (("anonymize", "patients.csv", *OUT, *ROLES, "-k", 500), 1),
        (("anonymise",), 2),
    ],
)
def test_a_process_ends_with_the_code_and_without_a_traceback(arguments: tuple[object, ...], code: int) -> None:
    done = started(*arguments)
    assert (done.code, done.stdout) == (code, "")
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_command_there_is_help() -> None:
    done = started()
    assert done.code in {0, 2}, "2 from click 8.2 on"
    assert "anonymize" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["pipe.csv", "pipe.db", "pipe.sqlite", "pipe.duckdb", "pipe.parquet"])
def test_a_pipe_is_refused_and_not_waited_for(folder: Path, name: str) -> None:
    os.mkfifo(folder / name)
    for command in (("profile", folder / name), ("check", folder / name, "--qi", "age")):
        assert "file" in refused(3, *command)
