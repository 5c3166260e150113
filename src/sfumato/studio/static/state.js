// What the page shows, as the server says it. Nothing is computed here that the server does not know.
import { signal, computed } from "./vendor/signals.js";
import { get, post, subscribe, request, upload } from "./port.js";

export const screen = signal("columns");
export const table = signal(null);
export const policy = signal(null);
export const made = signal(null);
export const offers = signal({ given: null, examples: [] });
/** The running job that the page waits for: {name, stage, share, since, cancel}. */
export const running = signal(null);
/** The last error of a job or a change: {kind, message, stage}. */
export const failure = signal(null);
/** Say what an error says. */
export const tell = error => { failure.value = { kind: error.kind, message: "", ...error.error }; };
export const risk = signal(null);
export const plan = computed(() => policy.value?.plan ?? null);

/** Take over all that the server says. */
export function take(state) {
  table.value = state.table;
  policy.value = state.policy;
  made.value = state.made;
  offers.value = { given: state.given, examples: state.examples };
}

export const refresh = () => get("/api/state").then(take);

/** The last change, which the next one and the next job wait for. */
let last = Promise.resolve();

/** Run a job that the page waits for: the last good result stays on the screen. `hear` gets what it finds on the way. */
export async function run(name, args = {}, hear = () => {}) {
  await last;
  failure.value = null;
  return new Promise(resolve => {
    const stop = subscribe(name, args, message => {
      if (message.kind === "progress" && running.value?.stop === stop) {
        const began = running.value?.stage === message.stage ? running.value.began : Date.now();
        running.value = { ...running.value, stage: message.stage, share: message.share, began };
      }
      if (message.kind === "message") hear(message.value);
      if (!["done", "failed", "cancelled"].includes(message.kind)) return;
      if (running.value?.stop === stop) running.value = null;
      if (message.kind === "failed") failure.value = message.error;
      resolve(message.kind === "done" ? message.value : null);
    });
    running.value = { name, stage: "", share: 0, since: Date.now(), began: Date.now(), stop };
  });
}

/** Open a table and profile it. */
export async function open(opening) {
  failure.value = null;
  try {
    take(await opening);
  } catch (error) {
    return tell(error);
  }
  risk.value = null;
  await run("profile");
  await refresh();
  if (!policy.value) return;
  await look();
  subscribe("warm", {}, () => {});
}
export const openExample = name => open(post("/api/tables", { example: name }));
export const openGiven = () => open(post("/api/tables", { given: true }));
export const openFile = (file, keep = false) => open(upload(file, keep));

let stopCounting = () => {};
/** How many people could be found with the roles in force, and then without each column. */
export async function look() {
  const asked = policy.value.etag;
  try {
    const found = await request("risk");
    if (asked !== policy.value?.etag) return;
    risk.value = { ...found, etag: asked, by: {} };
    stopCounting();
    stopCounting = subscribe("contributions", {}, ({ kind, value }) => {
      if (kind !== "message" || asked !== risk.value?.etag) return;
      risk.value = { ...risk.value, by: { ...risk.value.by, [value.column]: value } };
    });
  } catch (error) {
    if (error.error && asked === policy.value?.etag) tell(error);
  }
}

/** Put another plan in force and show what follows; each waits for those before it. */
const inTurn = work => last = last.then(async () => {
  try {
    policy.value = await work();
  } catch (error) {
    if (error.kind === "stale") await refresh();
    return tell(error);
  }
  failure.value = null;
  made.value = policy.value.made;
  if (risk.value?.etag !== policy.value.etag) look();
});
/** Change the plan; a function says what to change when it is its turn. */
export const change = what => inTurn(async () => post("/api/policy", typeof what === "function" ? await what() : what, { "if-match": policy.value.etag }));
export const step = name => inTurn(() => post(`/api/policy/${name}`));
/** Put the plan of a policy in force, whose file was chosen together with those that it names. */
export const openPolicy = files => inTurn(async () => post("/api/policy/open", { files: await Promise.all(files.map(async one => [one.name, await one.text()])) }));
