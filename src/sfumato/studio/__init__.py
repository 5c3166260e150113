"""The studio: a page on this machine that leads from a file to a signed release; ``sfumato studio`` starts it.

Two processes. The *server* (`app`, `gate`, `session`) speaks HTTP with one tab of one browser and knows no table. The
*worker* (`worker` starts it, `work` is what runs in it) holds the table and does everything that Python users do, by
the functions that they have too. The page in ``static/`` shows what these functions answer and has no logic of its own.

**What the user decided** is a `Plan` (`plan`): roles, steps, goals. The server keeps its history, which is undo and
redo, and sends the plan along with every question; the worker makes a `sfumato.Policy` of it (`desk`).

**An operation** answers one question. It is a function in a module of ``operations/`` that takes a `desk.Bench` (the
table, its profile, the policy, the arguments) and returns plain values, or yields them one after the other. List it in
``OPERATIONS`` of that module, and the module in ``operations/__init__.py``. The page then reaches it by its name::

    const answer = await request("risk", {columns: [0, 3]});
    const cancel = subscribe("frontier", {}, message => …);

where a message is ``{kind: "progress", stage, share}``, ``{kind: "message", value}`` for everything that the operation
yields, and in the end ``{kind: "done", value}``, ``{kind: "failed", error: {kind, message, …}}`` or
``{kind: "cancelled"}``.

**Addresses** (`app`), all but the first three with the key and the nonce of the tab:

========================================  ==============================================================================
``GET /``, ``GET /static/…``              the page
``POST /api/session`` ``{token}``         exchange the token for the key, once
``GET /download/TICKET``                  a file, once, within 30 seconds
``GET /api/state``                        all that the page shows: table, plan, what is undone, files, worker
``GET /api/presence``                     stream of what the worker is at; a second one means "open elsewhere"
``POST /api/tables`` ``{example}``        open an example, or with ``{given: true}`` the file of the command line
``PUT /api/upload``                       open a file that is sent as the body; its name is in the header X-Name
``GET /api/policy``, ``POST`` (If-Match)  the plan, and a change of it, as in `Plan.changed`
``POST /api/policy/open`` ``{files}``     put the plan of a policy in force: names and texts of it and of what it names
``POST /api/policy/undo``, ``/redo``      step through the history
``GET /api/rows?start=0&count=50``        rows of the table, at most 200
``POST /api/ask/NAME``                    ask an operation and wait: ``request``
``POST /api/jobs`` ``{name, args}``       start one; ``GET /api/jobs/ID/events`` streams it, ``DELETE`` cancels it
``POST /api/tickets`` ``{file}``          a ticket for a file of a verified release
``POST /api/close``                       erase everything and end
========================================  ==============================================================================

**A screen** is a module of ``static/screens/`` that exports a component; ``static/main.js`` lists the three. Its texts
are in ``static/texts/en.js`` and ``de.js`` under the name of the screen, and ``t("choose.title", {k: 10})`` gets one.
"""

from __future__ import annotations
