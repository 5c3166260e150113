"""The worker process: it answers, is cancelled at once, comes back, and takes what was decided from the server."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import shlex
import signal
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sfumato.errors import SourceError
from sfumato.io import write_table
from sfumato.studio.desk import MOST_COLUMNS, Held, plan_of, policy_of, refuse_unpacking
from sfumato.studio.plan import History, Plan
from sfumato.studio.session import Stream
from sfumato.studio.worker import LAST, WorkerProcess

PEOPLE = pa.table(
    {
        "name": [f"Person {at}" for at in range(300)],
        "age": [20 + at % 50 for at in range(300)],
        "town": [("Rome", "Siena", "Pisa")[at % 3] for at in range(300)],
        "illness": [("flu", "ulcer", "asthma", "gout")[at % 4] for at in range(300)],
    }
)
ROLES = ("identifier", "quasi-identifier", "quasi-identifier", "sensitive")


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    process = WorkerProcess()
    yield process
    process.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("studio")
    write_table(PEOPLE, made / "people.csv")
    return made


def question(folder: Path, plan: Plan | None = None, **args: Any) -> dict[str, Any]:
    path = folder / "people.csv"
    shown = {"path": str(path), "name": path.name, "example": None}
    return {**shown, "plan": None if plan is None else plan.to_dict(), "args": args, "folder": str(folder)}


def answered(worker: WorkerProcess, name: str, asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Ask, and return all messages."""
    heard: queue.Queue[dict[str, Any]] = queue.Queue()
    worker.ask(name, asked, heard.put)
    messages = [heard.get(timeout=120)]
    while messages[-1]["kind"] not in LAST:
        messages.append(heard.get(timeout=120))
    return messages


def value(worker: WorkerProcess, name: str, asked: dict[str, Any]) -> Any:
    last = answered(worker, name, asked)[-1]
    assert last["kind"] == "done", last
    return last["value"]


def test_the_profile_has_values_and_reasons(worker: WorkerProcess, folder: Path) -> None:
    found = value(worker, "profile", question(folder))
    assert found["rows"] == 300
    assert [one["name"] for one in found["columns"]] == PEOPLE.column_names
    assert all(one["reason"] and one["certainty"] in {"sure", "likely", "unsure"} for one in found["columns"])
    assert set(found["columns"][2]["shown"]) == {"Rome", "Siena", "Pisa"}
    assert json.loads(json.dumps(found)) == found


def test_the_risk_is_the_share_of_unique_rows(worker: WorkerProcess, folder: Path) -> None:
    found = value(worker, "risk", question(folder, Plan(ROLES)))
    seen = list(zip(PEOPLE["age"].to_pylist(), PEOPLE["town"].to_pylist(), strict=True))
    alone = sum(seen.count(one) == 1 for one in seen) / len(seen)
    assert found["share"] == pytest.approx(alone)
    assert found["columns"] == [1, 2]
    without = [one["value"] for one in answered(worker, "contributions", question(folder, Plan(ROLES)))[:-1]]
    assert [one["column"] for one in without] == [1, 2]
    named = value(worker, "risk", question(folder, Plan(("quasi-identifier", *ROLES[1:]))))
    assert named["share"] == 1.0
    first = answered(worker, "contributions", question(folder, Plan(("quasi-identifier", *ROLES[1:]))))[0]
    assert first["value"] == {"column": 0, "without": pytest.approx(alone), "alone": 1.0}


def test_rows_are_at_most_two_hundred(worker: WorkerProcess, folder: Path) -> None:
    found = value(worker, "rows", question(folder, start=290, count=200))
    assert (len(found["rows"]), found["total"]) == (10, 300)
    assert found["rows"][0][0] == "Person 290"
    [failed] = [one for one in answered(worker, "rows", question(folder, count=201)) if one["kind"] == "failed"]
    assert "from 1 to 200" in failed["error"]["message"]


def test_a_release_is_made_verified_and_written(worker: WorkerProcess, folder: Path) -> None:
    plan = Plan(ROLES, k=5, title="Illnesses", recipient="The council", purpose="Planning")
    *_, soon, found, last = [
        one for one in answered(worker, "make", question(folder, plan)) if one["kind"] != "progress"
    ]
    assert last == {"kind": "done", "value": None}
    soon, found = soon["value"], found["value"]
    assert (soon["files"], soon["complete"]) == (["release", "policy"], False)
    assert "no release in such groups can lose less" not in soon["page"]["useful"], "that takes long and comes later"
    assert {**soon["page"], "useful": found["page"]["useful"]} == found["page"]
    assert (sorted(found["files"]), found["complete"]) == (["certificate", "policy", "release", "report"], True)
    assert found["verified"]
    assert found["state"] in {"green", "amber"}
    assert (found["page"]["recipient"], found["page"]["title"]) == ("The council", "Illnesses")
    assert found["open"] == [one["key"] for one in found["page"]["concerns"] if one["open"]]
    made = folder / found["folder"]
    assert sorted(os.listdir(made)) == ["certificate.json", "policy.toml", "release.csv", "report.html"]
    assert made.stat().st_mode & 0o077 == 0
    assert "Person" not in (made / "release.csv").read_text(encoding="utf-8")
    assert "The council" in (made / "report.html").read_text(encoding="utf-8")
    assert json.loads(json.dumps(found)) == found


def test_what_is_written_down_is_the_same_work(worker: WorkerProcess, folder: Path, tmp_path: Path) -> None:
    import sfumato as sf  # noqa: PLC0415

    plan = Plan(ROLES, k=7)
    found = value(worker, "written", question(folder, plan))
    (tmp_path / "policy.toml").write_text(found["policy"], encoding="utf-8")
    policy = sf.Policy.read(tmp_path / "policy.toml")
    assert policy.to_dict() == policy_of(plan, sf.profile(folder / "people.csv")).to_dict()
    assert found["command"].startswith("sfumato anonymize people.csv -o release.csv --policy policy.toml")
    write_table(PEOPLE, tmp_path / "people.csv")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        exec(compile(found["python"], "panel", "exec"), {})
    finally:
        os.chdir(before)
    assert policy.check(tmp_path / "release.csv").ok
    assert (tmp_path / "certificate.json").exists()


def test_a_policy_from_before_says_the_same_plan(worker: WorkerProcess, folder: Path) -> None:
    numeric, grouped = (
        {"type": "numeric", "widths": [5, 10]},
        [["Rome", "S", "*"], ["Siena", "N", "*"], ["Pisa", "N", "*"]],
    )
    steps = {"1": numeric, "2": {"type": "taxonomy", "rows": grouped}}
    plan = Plan(ROLES, k=4, hierarchies=steps, privacy=({"model": "l-diversity", "l": 2, "column": "illness"},))
    text = value(worker, "written", question(folder, plan))["policy"]
    read = Plan.from_dict(
        value(worker, "policy_read", question(folder, Plan(("plain",) * 4), files=[["policy.toml", text]]))
    )
    assert (read.roles, read.k, read.unsure) == (plan.roles, 4, ())
    assert read.hierarchies["1"] == numeric
    assert sorted(map(tuple, read.hierarchies["2"]["rows"])) == sorted(map(tuple, grouped))
    again = value(worker, "written", question(folder, read))["policy"]
    assert again == text


def test_a_policy_is_chosen_together_with_the_hierarchies_that_it_names(worker: WorkerProcess, folder: Path) -> None:
    policy = """
        rest = "drop"
        [quasi_identifiers]
        age = {}
        town = { type = "taxonomy", file = "steps/towns.csv" }
        [[privacy]]
        model = "k-anonymity"
        k = 4
    """
    towns = "Rome,South,*\nSiena,North,*\nPisa,North,*\n"
    for files in ([["towns.csv", towns], ["policy.toml", policy]], [["policy.toml", policy], ["towns.csv", towns]]):
        read = Plan.from_dict(value(worker, "policy_read", question(folder, Plan(ROLES), files=files)))
        assert sorted(read.hierarchies["2"]["rows"]) == sorted(line.split(",") for line in towns.split())
        assert (read.k, read.roles[1:3]) == (4, ("quasi-identifier", "quasi-identifier"))
    assert not list(folder.glob("steps-*"))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            [["policy.toml", '[quasi_identifiers]\nage = {type="taxonomy", file="/etc/passwd"}']],
            "reads no files by itself",
        ),
        ([["p.toml", '[quasi_identifiers]\nage = {type="taxonomy", file="a.csv"}'], ["a.csv", ""]], "file"),
        ([["p.toml", '[[privacy]]\nmodel = "k-map"\npopulation = {file="/etc/passwd"}']], "no other files"),
        ([["p.toml", "quasi_identifiers = 5"]], "quasi_identifiers"),
        ([["p.toml", "[["]], "not valid TOML"),
        ([["p.toml"]], "pairs"),
        ([["p.toml", 5]], "pairs"),
        ("x", "pairs"),
        (None, "pairs"),
    ],
    ids=str,
)
def test_a_wrong_policy_gets_a_sentence(worker: WorkerProcess, folder: Path, files: Any, said: str) -> None:
    [failed] = [
        one
        for one in answered(worker, "policy_read", question(folder, Plan(ROLES), files=files))
        if one["kind"] == "failed"
    ]
    assert said in failed["error"]["message"]
    assert str(folder) not in failed["error"]["message"]


# The drawer


def test_steps_are_counted_edited_and_grouped(worker: WorkerProcess, folder: Path) -> None:
    proposed = {"type": "numeric", "widths": [10]}
    found = value(worker, "steps", question(folder, Plan(ROLES), columns=[1], hierarchy=proposed))
    assert [one["groups"] for one in found["levels"]] == [50, 5, 1]
    assert found["levels"][1]["smallest"] == 60
    assert found["chain"][-1] == "*"
    assert found["edit"] == {"widths": [10]}
    towns = value(worker, "steps", question(folder, Plan(ROLES), columns=[2]))
    values = {one["value"]: one["id"] for group in towns["edit"]["groups"] for one in group["values"]}
    moved = [values["Siena"], values["Pisa"]]
    record = value(worker, "regroup", question(folder, Plan(ROLES), columns=[2], values=moved, group="Tuscany"))
    assert sorted(record["rows"]) == [["Pisa", "Tuscany", "*"], ["Rome", "Rome", "*"], ["Siena", "Tuscany", "*"]]
    grouped = Plan(ROLES).changed({"change": "hierarchy", "column": 2, "hierarchy": record})
    after = value(worker, "steps", question(folder, grouped, columns=[2]))
    assert {one["group"]: len(one["values"]) for one in after["edit"]["groups"]} == {"Tuscany": 2, "Rome": 1}
    text = value(worker, "steps_file", question(folder, grouped, columns=[2]))["text"]
    again = value(worker, "steps_read", question(folder, Plan(ROLES), columns=[2], text=text))
    assert sorted(again["rows"]) == sorted(record["rows"])
    assert not list(folder.glob("steps-*"))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("steps", {"columns": [99]}),
        ("steps", {"columns": []}),
        ("steps", {"columns": [1], "hierarchy": {"type": "taxonomy", "file": "/etc/passwd"}}),
        ("steps", {"columns": [1], "hierarchy": {"type": "numeric", "widths": ["x"]}}),
        ("regroup", {"columns": [2], "values": [99], "group": "x"}),
        ("regroup", {"columns": [2], "values": [0], "group": "*"}),
        ("steps_read", {"columns": [2], "text": "Rome,South,*\n"}),
        ("steps_read", {"columns": [2], "text": ""}),
    ],
    ids=str,
)
def test_wrong_steps_get_a_sentence(worker: WorkerProcess, folder: Path, name: str, args: dict[str, Any]) -> None:
    [failed] = [one for one in answered(worker, name, question(folder, Plan(ROLES), **args)) if one["kind"] == "failed"]
    assert failed["error"]["kind"] in {"ParameterError", "HierarchyError", "DataError"}
    assert len(failed["error"]["message"]) > 10
    assert str(folder) not in failed["error"]["message"]


# Cancelling, dying, coming back


def test_a_job_that_does_not_listen_is_killed_within_300_ms_and_the_worker_comes_back(folder: Path) -> None:
    states: list[str] = []
    process = WorkerProcess(states.append)
    try:
        value(process, "profile", question(folder))
        first = process.pid
        heard: queue.Queue[dict[str, Any]] = queue.Queue()
        number = process.ask("profile", question(folder) | {"path": "/dev/stdin", "args": {}}, heard.put)
        os.kill(first or 0, signal.SIGSTOP)  # a process that hears nothing at all
        begun = time.perf_counter()
        process.cancel(number)
        while heard.get(timeout=10)["kind"] != "cancelled":
            pass
        assert time.perf_counter() - begun < 0.3
        assert process.pid != first
        assert value(process, "profile", question(folder))["rows"] == 300
        assert states == ["restarted"]
    finally:
        process.close()


def test_jobs_that_are_cancelled_together_cost_one_worker_and_no_other_job(folder: Path) -> None:
    states: list[str] = []
    process = WorkerProcess(states.append)
    try:
        value(process, "profile", question(folder))
        given_up, kept = [queue.Queue[dict[str, Any]]() for _ in range(3)], queue.Queue[dict[str, Any]]()
        os.kill(process.pid or 0, signal.SIGSTOP)
        numbers = [process.ask("profile", question(folder), heard.put) for heard in given_up]
        process.ask("profile", question(folder), kept.put)
        for number in numbers:
            process.cancel(number)
        assert [heard.get(timeout=10)["kind"] for heard in given_up] == ["cancelled"] * 3
        while (last := kept.get(timeout=30))["kind"] == "progress":
            pass
        assert (last["kind"], last["value"]["rows"]) == ("done", 300)
        assert states == ["restarted"]
    finally:
        process.close()


def test_a_worker_that_is_killed_says_where_and_comes_back(folder: Path) -> None:
    states: list[str] = []
    process = WorkerProcess(states.append)
    try:
        value(process, "profile", question(folder))
        heard: queue.Queue[dict[str, Any]] = queue.Queue()
        os.kill(process.pid or 0, signal.SIGSTOP)
        process.ask("make", question(folder, Plan(ROLES)), heard.put)
        os.kill(process.pid or 0, signal.SIGKILL)
        message = heard.get(timeout=10)
        assert (message["kind"], message["error"]["kind"]) == ("failed", "OutOfMemory")
        assert value(process, "profile", question(folder))["rows"] == 300
        assert states == ["died"]
    finally:
        process.close()


# Files that would not fit


def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(2_000_000))
    assert path.stat().st_size < 10_000
    refuse_unpacking(path)
    with pytest.raises(SourceError, match="unpacks to"):
        refuse_unpacking(path, most=1_000_000)


def test_a_table_of_a_hundred_thousand_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{at}" for at in range(100_000)) + "\n" + ",".join(["1"] * 100_000), encoding="utf-8")
    with pytest.raises(SourceError, match=f"100,000 columns, and the studio shows at most {MOST_COLUMNS:,}"):
        _ = Held(path, "wide.csv").source


# Plans and streams


def test_undo_and_redo_are_the_history_of_the_plan() -> None:
    history = History(Plan(("plain", "plain", "plain")))
    tags = [history.etag]
    for column, role in enumerate(("person", "sensitive", "person")):
        history.add(history.plan.changed({"change": "role", "column": column, "role": role}))
        tags.append(history.etag)
    assert history.plan.roles == ("identifier", "sensitive", "person"), "only one column says whose row it is"
    history.undo()
    history.undo()
    assert history.plan.roles == ("person", "plain", "plain")
    history.redo()
    assert history.plan.roles == ("person", "sensitive", "plain")
    history.add(history.plan.changed({"change": "goal", "k": 3}))
    assert not history.can_redo
    assert len({*tags, history.etag}) == len(tags) + 1


def test_a_stream_is_heard_from_the_beginning_and_progress_is_the_latest() -> None:
    async def listen() -> list[dict[str, Any]]:
        stream = Stream()
        stream.add({"kind": "progress", "share": 0.1})
        stream.add({"kind": "progress", "share": 0.2})
        heard: list[dict[str, Any]] = []

        async def hear() -> None:
            heard.extend([message async for message in stream.listen()])

        task = asyncio.create_task(hear())
        await asyncio.sleep(0)
        stream.add({"kind": "progress", "share": 0.3})
        await asyncio.sleep(0)
        stream.add({"kind": "message", "value": 1})
        stream.add({"kind": "done", "value": 2})
        await task
        again = [message async for message in stream.listen()]
        assert again[-1] == heard[-1]
        return heard

    heard = asyncio.run(listen())
    assert [one.get("share", one.get("value")) for one in heard] == [0.2, 0.3, 1, 2]


def test_a_plan_and_its_policy_say_the_same() -> None:
    import sfumato as sf  # noqa: PLC0415

    found = sf.profile(PEOPLE)
    plan = Plan(ROLES, k=6, options={"suppression": 0.02, "method": "mondrian"}, confirm=("near-unique",))
    policy = policy_of(plan, found)
    again = plan_of(policy, found, Plan(("plain",) * 4))
    assert policy_of(again, found).to_dict() == policy.to_dict()
    assert (policy.suppression, policy.method.name, policy.confirm) == (0.02, "mondrian", ("near-unique",))


# What is decided is kept


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[options]\nsheet = "May"\n', "'sheet'"),
        ('[options]\nengine = "duckdb"\n', "'engine'"),
        ('[options]\npreset = "/etc/own.toml"\n', "no other files"),
    ],
)
def test_a_policy_that_cannot_be_kept_whole_is_refused(
    worker: WorkerProcess, folder: Path, text: str, said: str
) -> None:
    plan = Plan(ROLES, k=4, privacy=())
    written = value(worker, "written", question(folder, plan))["policy"]
    name = text.split()[1]
    others = "".join(line for line in written.splitlines(keepends=True) if not line.startswith(f"{name} ="))
    whole = others.replace("[options]\n", text)
    last = answered(worker, "policy_read", question(folder, plan, files=[["policy.toml", whole]]))[-1]
    assert last["kind"] == "failed"
    assert said in last["error"]["message"]


def test_a_policy_of_k_alone_gets_no_other_models_and_its_options_stay(worker: WorkerProcess, folder: Path) -> None:
    plan = Plan(ROLES, k=4, privacy=(), options={"intervals": "midpoint", "suppression": 0.05, "method": "mondrian"})
    text = value(worker, "written", question(folder, plan))["policy"]
    assert "l-diversity" not in text
    read = Plan.from_dict(value(worker, "policy_read", question(folder, Plan(ROLES), files=[["policy.toml", text]])))
    assert read.privacy == ()
    assert value(worker, "written", question(folder, read))["policy"] == text
    assert Plan.from_dict(read.to_dict()) == read


def test_the_command_line_says_who_gets_the_release(worker: WorkerProcess, folder: Path) -> None:
    plan = Plan(ROLES, k=4, recipient="The council's office", purpose="Schools")
    command = value(worker, "written", question(folder, plan))["command"]
    assert shlex.split(command)[-4:] == ["--recipient", "The council's office", "--purpose", "Schools"]


def test_the_command_names_the_file_as_its_owner_does(worker: WorkerProcess, folder: Path, tmp_path: Path) -> None:
    write_table(PEOPLE, tmp_path / "my people.csv")
    given = question(folder, Plan(ROLES, k=4)) | {"path": str(tmp_path / "my people.csv"), "name": "my people.csv"}
    found = value(worker, "written", given)
    assert shlex.split(found["command"])[2] == str(tmp_path / "my people.csv")
    assert repr(str(tmp_path / "my people.csv")) in found["python"]


def test_an_error_calls_the_file_by_its_name(folder: Path) -> None:
    from sfumato.studio.desk import error_record  # noqa: PLC0415

    hidden = folder / "upload-1" / "table.xlsx"
    record = error_record(SourceError(f"'{hidden}' is not a workbook."), "reading", str(hidden), "visits.xlsx")
    assert record["message"] == "'visits.xlsx' is not a workbook."


def test_what_the_user_waits_for_goes_before_further_points(worker: WorkerProcess, folder: Path) -> None:
    heard: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
    plan = Plan(ROLES, k=10, privacy=())
    worker.ask("frontier", question(folder, plan), lambda message: heard.put(("frontier", message)))
    order: list[str] = []
    while True:
        name, message = heard.get(timeout=120)
        if message["kind"] == "progress":
            continue
        order.append(name)
        if order == ["frontier"] * 2:
            worker.ask("people", question(folder, plan, k=10), lambda message: heard.put(("people", message)))
        if name == "people":
            break
    assert message["kind"] == "done"
    assert len(order) <= 6, "it waits for no more than the points that were on their way"
    while message["kind"] not in LAST or name == "people":
        name, message = heard.get(timeout=120)
    assert message["kind"] == "done"
