// The port to the server: the only module that requests anything. Views get `request` and `subscribe` from it.
import { signal } from "./vendor/signals.js";

/** What is wrong with the connection: null, "gone", "locked", "open-elsewhere" or "closed". */
export const trouble = signal(null);
/** Something that the server said without being asked. */
export const notices = signal(null);

let key = sessionStorage.getItem("key");
let nonce = "";

/** An answer that is no success: `kind` says why, `message` is for people. */
export class Refused extends Error {
  constructor(error, status) {
    super(error?.message || error?.kind || String(status));
    this.kind = error?.kind ?? "Unexpected";
    this.error = error ?? {};
    this.status = status;
  }
}

const TROUBLES = { 401: "locked", 409: "open-elsewhere", 410: "closed" };

async function fetched(method, path, { body, headers = {}, signal } = {}) {
  const json = body !== undefined && !(body instanceof Blob);
  let response;
  try {
    response = await fetch(path, {
      method, signal, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
      headers: { authorization: `Bearer ${key}`, "x-tab": nonce, ...(json ? { "content-type": "application/json" } : {}), ...headers },
      body: json ? JSON.stringify(body) : body,
    });
  } catch (error) {
    if (error.name !== "AbortError" && trouble.value !== "closed") trouble.value = "gone";
    throw error;
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({}));
  if (TROUBLES[response.status] === error?.kind) trouble.value = error.kind;
  throw new Refused(error, response.status);
}

export const get = path => fetched("GET", path).then(response => response.json());
export const post = (path, body, headers) => fetched("POST", path, { body: body ?? {}, headers }).then(
  response => response.status === 204 ? null : response.json());
export const upload = (file, keep) => fetched("PUT", "/api/upload", { body: file, headers: { "x-name": encodeURIComponent(file.name), ...(keep ? { "x-keep": "1" } : {}) } })
  .then(response => response.json());

/** Hand every message of an event stream to a function. */
async function streamed(path, hear, signal) {
  const response = await fetched("GET", path, { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) hear(JSON.parse(part.slice(6)));
  }
}

/** Ask an operation and wait for its answer. */
export const request = (name, args = {}) => post(`/api/ask/${name}`, args).then(answer => answer.value);

/** Start an operation; `hear` gets its messages, the last of kind "done", "failed" or "cancelled". Returns what cancels it. */
export function subscribe(name, args, hear) {
  let id = null, cancelled = false;
  const stop = () => fetched("DELETE", `/api/jobs/${id}`).catch(() => {});
  post("/api/jobs", { name, args }).then(job => {
    id = job.id;
    if (cancelled) stop();
    return streamed(`/api/jobs/${id}/events`, hear);
  }).catch(error => hear({ kind: "failed", error: { kind: error.kind ?? "gone", message: error.message } }));
  return () => { if (!cancelled) { cancelled = true; if (id !== null) stop(); } };
}

/** Let this tab in: exchange the token if there is one, then stay present. */
export async function enter(token, tab) {
  nonce = tab;
  if (token) {
    key = (await post("/api/session", { token }).catch(() => ({ key: null }))).key;
    if (key) sessionStorage.setItem("key", key);
  }
  if (!key) { trouble.value = "locked"; return false; }
  await present(8);
  return trouble.value === null;
}

/** Open the stream that says that this tab is here. A page that is loaded again may have to wait for its old stream to end. */
async function present(tries) {
  let begun;
  const first = new Promise(resolve => { begun = resolve; });
  streamed("/api/presence", notice => {
    begun();
    if (notice.kind === "other-columns") notices.value = notice.kind;
    if (notice.kind === "closed") trouble.value = "closed";
  }).then(() => { if (trouble.value === null) trouble.value = "gone"; }, async error => {
    if (error.kind === "open-elsewhere" && tries > 0) {
      trouble.value = null;
      await new Promise(resolve => setTimeout(resolve, 250));
      await present(tries - 1);
    } else if (trouble.value === null) trouble.value = "gone";
    begun();
  });
  await first;
}

/** Download a file by a ticket that is good once. */
export async function download(file) {
  const { ticket } = await post("/api/tickets", { file });
  const link = document.createElement("a");
  link.href = `/download/${ticket}`;
  link.download = "";
  link.click();
}
