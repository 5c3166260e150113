"""Nobody gets in, nothing leaks: each promise of the gate and of the session, without a browser."""

from __future__ import annotations

import mimetypes
import stat
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route
from tests.studio.conftest import HOST, ORIGIN, NoWorker, Studio

from sfumato.errors import ParameterError
from sfumato.studio import app as app_module
from sfumato.studio.app import shown_name
from sfumato.studio.gate import MOST_BODY, MOST_UNLOCKED
from sfumato.studio.plan import Plan
from sfumato.studio.session import FILES, IDLE_SECONDS, TICKET_SECONDS

MADE = {
    "folder": "made-1",
    "verified": True,
    "state": "green",
    "open": [],
    "page": {},
    "lacking": "",
    "files": list(FILES),
}

#: What every answer says; written out here, so that a line that the gate loses is missed.
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/static/main.js", 200),
        ("GET", "/static/none.js", 404),
        ("GET", "/nowhere", 404),
        ("GET", "/api/state", 200),
        ("GET", "/api/policy", 409),
        ("GET", "/download/x", 404),
        ("DELETE", "/", 405),
        ("OPTIONS", "/api/state", 405),
    ],
)
def test_every_answer_has_the_headers(studio: Studio, method: str, path: str, status: int) -> None:
    answer = studio.client.request(method, path, headers=studio.headers)
    assert answer.status_code == status
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "host", ["localhost:8765", "127.0.0.1", "127.0.0.1:8766", "127.0.0.1:8765.", "evil.example:8765", "", "127.1:8765"]
)
@pytest.mark.parametrize("path", ["/", "/static/main.js", "/api/state"])
def test_another_host_is_refused(studio: Studio, host: str, path: str) -> None:
    assert studio.get(path, host=host).status_code == 421


def test_two_hosts_are_refused(studio: Studio) -> None:
    headers = [(b"host", HOST.encode()), (b"host", b"evil.example"), *studio.headers.items()]
    assert studio.client.get("/", headers=headers).status_code == 421


@pytest.mark.parametrize("name", ["origin", "authorization", "x-tab", "sec-fetch-site"])
def test_a_header_that_lets_in_is_sent_once(studio: Studio, name: str) -> None:
    """Whoever reads the first of two and whoever reads the last would decide differently."""
    headers = [(one.encode(), value.encode()) for one, value in studio.headers.items()]
    for two in ([(name.encode(), b"evil"), *headers], [*headers, (name.encode(), studio.headers[name].encode())]):
        assert studio.client.get("/api/state", headers=two).status_code == 403


@pytest.mark.parametrize("origin", ["null", "http://127.0.0.1:8766", "https://127.0.0.1:8765", "http://evil.example"])
@pytest.mark.parametrize(("method", "path"), [("POST", "/api/session"), ("GET", "/api/state"), ("GET", "/")])
def test_another_origin_is_refused(studio: Studio, origin: str, method: str, path: str) -> None:
    assert studio.client.request(method, path, headers=studio.headers | {"origin": origin}).status_code == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_what_changes_something_names_its_origin(studio: Studio, method: str) -> None:
    headers = {name: value for name, value in studio.headers.items() if name != "origin"}
    assert studio.client.request(method, "/api/close", headers=headers).status_code == 403
    assert not studio.session.closed.is_set()


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_requests_of_other_sites_are_refused_but_for_coming_to_the_page(studio: Studio, site: str) -> None:
    asked = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert studio.client.get("/", headers=asked).status_code == 200
    assert studio.client.get("/", headers=asked | {"sec-fetch-dest": "iframe"}).status_code == 403
    assert studio.client.get("/", headers=asked | {"sec-fetch-mode": "no-cors"}).status_code == 403
    for path in ("/api/state", "/static/main.js", "/download/x"):
        assert studio.client.get(path, headers=studio.headers | asked).status_code == 403


def test_the_token_works_once(locked: Studio) -> None:
    token = locked.session.token
    assert locked.get("/api/state").status_code == 401
    assert locked.post("/api/session", {"token": "wrong"}).status_code == 403
    assert locked.post("/api/session", {"token": ""}).status_code == 403
    assert locked.client.post("/api/session", json={"token": token}, headers={"origin": ORIGIN}).status_code == 403
    locked.enter()
    assert locked.get("/api/state").status_code == 200
    assert locked.post("/api/session", {"token": token}).status_code == 403


def test_the_key_is_good_in_the_first_tab_only(studio: Studio) -> None:
    other = studio.get("/api/state", **{"x-tab": "f" * 32})
    assert (other.status_code, other.json()) == (409, {"error": {"kind": "open-elsewhere"}})
    assert studio.get("/api/state", **{"x-tab": ""}).status_code == 409


def test_a_second_page_is_told_that_the_studio_is_open_elsewhere(studio: Studio) -> None:
    studio.session.present = 1
    assert studio.get("/api/presence").status_code == 409


def test_scripts_are_scripts_whatever_the_system_says(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    mimetypes.init()
    monkeypatch.setitem(mimetypes.types_map, ".js", "text/plain")
    assert mimetypes.guess_type("main.js")[0] == "text/plain"
    assert studio.get("/static/main.js").headers["content-type"] == "text/javascript; charset=utf-8"
    assert studio.get("/static/style.css").headers["content-type"] == "text/css; charset=utf-8"


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/static/",
     "/static/vendor/versions.json", "/static/texts", "/static/main.js%00.css"],
)  # fmt: skip
def test_nothing_but_the_page_is_served(studio: Studio, path: str) -> None:
    assert studio.get(path).status_code == 404


# Files


def made(studio: Studio, **record: Any) -> None:
    """Pretend that a release was made by the plan in force."""
    folder = studio.session.folder.path / "made-1"
    folder.mkdir(exist_ok=True)
    for name in FILES.values():
        (folder / name).write_text("content", encoding="utf-8")
    studio.session.made = {**MADE, "plan": studio.session.plans.plan, **record}


def test_a_ticket_is_good_once(studio: Studio) -> None:
    made(studio.with_table("quasi-identifier"))
    ticket = studio.post("/api/tickets", {"file": "release"}).json()["ticket"]
    address = f"/download/{ticket}"
    first = studio.client.get(address, headers={"sec-fetch-site": "same-origin"})
    assert (first.status_code, first.text) == (200, "content")
    assert first.headers["content-disposition"] == 'attachment; filename="release.csv"'
    assert studio.client.get(address).status_code == 404


def test_a_ticket_is_good_for_half_a_minute(studio: Studio) -> None:
    made(studio.with_table("quasi-identifier"))
    assert TICKET_SECONDS == 30
    tickets = [studio.post("/api/tickets", {"file": "policy"}).json()["ticket"] for _ in range(2)]
    studio.clock.now += 29
    assert studio.client.get(f"/download/{tickets[0]}").status_code == 200
    studio.clock.now += 2
    assert studio.client.get(f"/download/{tickets[1]}").status_code == 404


@pytest.mark.parametrize("file", ["", "owner", "../owner", "release.csv", "manifest"])
def test_there_are_tickets_for_the_four_files_only(studio: Studio, file: str) -> None:
    made(studio.with_table("quasi-identifier"))
    assert studio.post("/api/tickets", {"file": file}).status_code == 400


def test_tickets_that_are_past_are_forgotten(studio: Studio) -> None:
    made(studio.with_table("quasi-identifier"))
    for _ in range(1000):
        studio.post("/api/tickets", {"file": "policy"})
        studio.clock.now += 1
    assert len(studio.session._tickets) <= TICKET_SECONDS + 1


def test_a_file_that_is_not_written_yet_has_no_ticket(studio: Studio) -> None:
    made(studio.with_table("quasi-identifier"), files=["release"])
    assert studio.post("/api/tickets", {"file": "report"}).status_code == 409
    assert studio.post("/api/tickets", {"file": "release"}).status_code == 200


@pytest.mark.parametrize(
    "record", [{"verified": False}, {"state": "red"}, {"state": "amber", "open": ["unique"]}], ids=str
)
def test_only_a_verified_and_decided_release_is_downloaded(studio: Studio, record: dict[str, Any]) -> None:
    made(studio.with_table("quasi-identifier"), **record)
    assert studio.post("/api/tickets", {"file": "release"}).status_code == 409


def test_amber_that_was_decided_is_downloaded_until_the_plan_changes(studio: Studio) -> None:
    made(studio.with_table("quasi-identifier"), state="amber", open=["unique", "certain"])
    for concern in ("unique", "certain"):
        assert studio.post("/api/tickets", {"file": "release"}).status_code == 409
        change(studio, change="decide", concern=concern)
    ticket = studio.post("/api/tickets", {"file": "release"}).json()["ticket"]
    change(studio, change="goal", k=7)
    assert studio.get(f"/download/{ticket}").status_code == 404
    assert studio.post("/api/tickets", {"file": "release"}).status_code == 409
    assert studio.get("/api/state").json()["made"]["stale"]
    assert studio.session.plans.plan.decided == (), "another release has to be decided about again"


def change(studio: Studio, **what: Any) -> Any:
    return studio.post("/api/policy", what, **{"if-match": studio.session.plans.etag})


def test_a_change_of_a_plan_that_was_not_seen_is_refused(studio: Studio) -> None:
    studio.with_table("quasi-identifier")
    seen = studio.get("/api/policy").headers["etag"]
    assert studio.post("/api/policy", {"change": "goal", "k": 5}, **{"if-match": seen}).status_code == 200
    assert studio.post("/api/policy", {"change": "goal", "k": 6}, **{"if-match": seen}).status_code == 412
    assert studio.session.plans.plan.k == 5


# Uploads


def upload(studio: Studio, name: str, body: bytes = b"age\n1\n") -> Any:
    return studio.client.put("/api/upload", content=body, headers=studio.headers | {"x-name": name})


def test_an_upload_lies_in_a_private_folder(studio: Studio) -> None:
    assert upload(studio, "people.csv").json()["table"]["name"] == "people.csv"
    table = studio.session.table
    assert table is not None
    assert table.path.read_bytes() == b"age\n1\n"
    assert table.path.is_relative_to(studio.session.folder.path)
    for folder in (table.path.parent, studio.session.folder.path):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(table.path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("name", "shown", "file"),
    [
        ("../../etc/cron.d/x.csv", "x.csv", "table.csv"),
        ("%2e%2e%2f%2e%2e%2fx.xlsx", "x.xlsx", "table.xlsx"),
        ("C:\\fakepath\\a.parquet", "a.parquet", "table.parquet"),
        ("%3C%2Fscript%3E%3Cscript%3Ealert(1).csv", "script><script>alert(1).csv", "table.csv"),
        ("invoice%E2%80%AEvsc.exe", "invoicevsc.exe", "table.exe"),
        ("a%00b.csv", "ab.csv", "table.csv"),
        ("", "table", "table.csv"),
        ("x" * 4000, "x" * 200, "table.csv"),
        ("a.csv%0d%0aX-Evil: 1", "a.csvX-Evil: 1", "table.csv"),
    ],
)
def test_names_of_files_do_no_harm(studio: Studio, name: str, shown: str, file: str) -> None:
    assert upload(studio, name).json()["table"]["name"] == shown
    table = studio.session.table
    assert table is not None
    assert table.path.name == file
    assert table.path.parent.parent == studio.session.folder.path


def test_shown_names_keep_their_script() -> None:
    assert shown_name("Kranke\u0308 Ärzte – 患者.csv") == "Kranke\u0308 Ärzte – 患者.csv"


def test_uploads_have_a_limit(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "MOST_UPLOADED", 1000)
    answer = upload(studio, "large.csv", b"x" * 1001)
    assert answer.json() == {"error": {"kind": "too-large"}}
    assert list(studio.session.folder.path.glob("upload*")) == []
    assert studio.session.table is None


# What comes in


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"nonsense", b'{"token": 1}', b'{"token":' + b"[" * 90_000, b"\xff\xfe", b'{"token": "' + b"x" * 2000],
    ids=["empty", "list", "nonsense", "number", "deep", "bytes", "long"],
)  # fmt: skip
def test_bad_json_is_refused_in_one_word(studio: Studio, body: bytes) -> None:
    answer = studio.client.post("/api/session", content=body, headers=studio.headers)
    assert 400 <= answer.status_code < 500
    assert set(answer.json()) == {"error"}


def test_a_large_body_is_refused(studio: Studio) -> None:
    answer = studio.client.post("/api/jobs", content=b"x" * (MOST_BODY + 1), headers=studio.headers)
    assert answer.status_code == 413


def test_steps_of_many_values_are_kept(studio: Studio) -> None:
    """A hierarchy of all diagnoses has several megabytes."""
    studio.with_table("quasi-identifier")
    rows = [[f"{at:06}", f"{at // 100:04}", "chapter" * 10, "*"] for at in range(30_000)]
    assert change(studio, change="hierarchy", column=0, hierarchy={"type": "taxonomy", "rows": rows}).status_code == 200
    assert studio.get("/api/policy").json()["plan"]["hierarchies"]["0"]["rows"] == rows


def test_whoever_shows_no_key_sends_little(locked: Studio) -> None:
    answer = locked.client.post("/api/session", content=b"x" * (MOST_UNLOCKED + 1), headers=locked.headers)
    assert answer.status_code == 413


def test_another_table_ends_the_work_on_the_one_before(studio: Studio) -> None:
    worker: Any = studio.with_table("quasi-identifier").session.worker
    ended: list[int] = []
    worker.cancel = ended.append
    number = studio.post("/api/jobs", {"name": "frontier", "args": {}}).json()["id"]
    studio.post("/api/tables", {"example": "census"})
    assert ended == [number]


@pytest.mark.parametrize("name", ["profile2", "__import__", "../work", "find"])
def test_only_listed_operations_are_asked(studio: Studio, name: str) -> None:
    studio.with_table("quasi-identifier")
    assert studio.post("/api/jobs", {"name": name, "args": {}}).status_code == 409
    worker: Any = studio.session.worker
    assert isinstance(worker, NoWorker)
    assert worker.asked == []


@pytest.mark.parametrize(
    "change",
    [
        {"change": "hierarchy", "column": 0, "hierarchy": {"type": "taxonomy", "file": "/etc/passwd"}},
        {"change": "privacy", "models": [{"model": "k-map", "population": {"file": "/etc/passwd"}}]},
        {"change": "privacy", "models": [{"model": "t-closeness", "taxonomy": {"file": "/etc/passwd"}}]},
        {"change": "option", "name": "temporary", "value": "/etc"},
        {"change": "role", "column": 0, "role": "root"},
        {"change": "role", "column": 99, "role": "plain"},
        {"change": "role", "column": True, "role": "plain"},
        {"change": "goal", "k": "10"},
        {"change": "goal", "k": 1},
        {"change": "describe", "title": 5},
        {"change": "describe", "roles": "x"},
        {"change": "_column", "column": 0},
        {"change": ["role"]},
        {},
    ],
    ids=str,
)
def test_changes_that_the_page_would_not_send_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Plan(("quasi-identifier",)).changed(change)


def test_an_unexpected_error_says_nothing(
    studio: Studio, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Ada Lovelace, 53711")

    monkeypatch.setattr(studio.session, "exchange", fail)
    answer = studio.post("/api/session", {"token": "x"})
    assert (answer.status_code, answer.json()) == (500, {"error": {"kind": "Unexpected"}})
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    printed = capfd.readouterr()
    assert "Lovelace" not in printed.out + printed.err + caplog.text + answer.text


def test_no_address_can_hold_a_value() -> None:
    """What follows a path is a number or a random ticket, and the one query holds two numbers."""
    session = Studio.__new__(Studio)
    app: Any = app_module.create_app(session, [HOST])  # type: ignore[arg-type]
    paths = [route.path for route in app._app.routes if isinstance(route, Route)]
    variable = {part for path in paths for part in path.split("/") if part.startswith("{")}
    assert variable == {"{name:path}", "{ticket}", "{step}", "{name}", "{number:int}"}


@pytest.mark.parametrize("query", ["start=a", "start=-1", "count=1e9", f"start={'9' * 40}", "count=%00"])
def test_rows_are_asked_by_numbers(studio: Studio, query: str) -> None:
    studio.with_table("quasi-identifier")
    assert studio.get(f"/api/rows?{query}").status_code == 409


# The end


def test_after_half_an_hour_everything_is_gone(studio: Studio) -> None:
    made(studio.with_table("quasi-identifier"))
    folder = studio.session.folder.path
    studio.clock.now += IDLE_SECONDS - 1
    assert not studio.session.idle
    studio.get("/api/state")
    studio.clock.now += IDLE_SECONDS - 1
    assert not studio.session.idle, "a request counts as being there"
    studio.clock.now += 2
    assert studio.session.idle
    studio.session.close()
    assert not folder.exists()
    assert (studio.session.table, studio.session.history, studio.session.made) == (None, None, None)
    assert studio.get("/api/state").status_code == 410


def test_requests_of_strangers_keep_nothing_alive(studio: Studio) -> None:
    studio.clock.now += IDLE_SECONDS + 1
    studio.get("/api/state", **{"x-tab": "f" * 32})
    studio.client.get("/")
    assert studio.session.idle


def test_close_and_erase(studio: Studio) -> None:
    upload(studio, "people.csv")
    folder = studio.session.folder.path
    assert Path(folder).exists()
    assert studio.post("/api/close").status_code == 204
    assert not folder.exists()
    assert studio.get("/api/state").json() == {"error": {"kind": "closed"}}


def test_a_nearly_unique_column_is_not_harmless_without_being_asked(studio: Studio) -> None:
    studio.with_table("identifier", "plain")
    studio.session.columns[0]["unique_share"] = 0.9
    assert change(studio, change="role", column=0, role="plain").json() == {"error": {"kind": "telling"}}
    assert studio.session.plans.plan.roles == ("identifier", "plain")
    assert change(studio, change="role", column=0, role="plain", sure=True).status_code == 200
    assert studio.session.plans.plan.roles == ("plain", "plain")


@pytest.mark.parametrize("name", ["make", "frontier"])
def test_what_is_unsure_has_to_be_decided_before_anything_is_made(studio: Studio, name: str) -> None:
    studio.with_table("identifier", "quasi-identifier")
    plans = studio.session.plans
    plans.add(Plan(plans.plan.roles, unsure=(1,)))
    assert studio.post("/api/jobs", {"name": name, "args": {}}).status_code == 409
    change(studio, change="role", column=1, role="quasi-identifier")
    assert plans.plan.unsure == ()
