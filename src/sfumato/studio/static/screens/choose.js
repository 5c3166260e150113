// Screen 2: how safe, at what price; the same people before and after.
import { html, t, many, number, share, language, signal, useEffect, useRef, useState } from "../ui.js";
import { plan, table, failure, change, screen } from "../state.js";
import { request, subscribe } from "../port.js";
import { mount } from "../frontier.js";
import { Goals, Impossible } from "./goals.js";
import { Rows, Attack, Lost, Use } from "./people.js";

/** What is known of every k, the k under the handle and the usual one, and the job: {stop}, or null if it is over. */
const points = signal({});
const picked = signal(null), suggested = signal(null);
const job = signal(null);
/** What the job said, and who listens; it goes on while other screens are shown. */
let begun = null, heard = [], hears = new Set();

/** Compute the frontier of a plan, once. */
function begin(key, again = false) {
  if (begun === key && !again) return;
  job.value?.stop();
  if (begun !== key) { points.value = {}; picked.value = null; }
  begun = key;
  heard = [];
  const stop = subscribe("frontier", {}, message => {
    if (begun !== key || job.value?.stop !== stop) return;
    const { point, chosen } = message.value ?? {};
    suggested.value = message.value?.suggested ?? suggested.value;
    if (chosen !== undefined) picked.value ??= chosen;
    if (point) points.value = { ...points.value, [point.k]: point };
    if (message.kind === "failed") failure.value = message.error;
    if (["done", "failed", "cancelled"].includes(message.kind)) job.value = null;
    if (message.kind === "progress") return;
    heard.push(message);
    for (const hear of hears) hear(message);
  });
  job.value = { stop };
}

const TABS = { rows: Rows, attack: Attack, columns: Lost, use: Use };

export function Choose() {
  // The picture begins anew when anything but k changes.
  const { roles, hierarchies, privacy, options, confirm } = plan.value;
  const key = JSON.stringify([table.value.id, roles, hierarchies, privacy, options, confirm]);
  if (plan.value.unsure.length) return html`<h1>${t("choose.title")}</h1><p class="decide" role="status">${t("handout.undecided")}
    <button onClick=${() => { screen.value = "columns"; }}>${t("handout.to-columns")}</button></p>`;
  // What is known of another table or plan is not known of this one.
  const point = begun === key ? points.value[picked.value] : null, before = useRef("");
  if (point && !point.failed) before.current = sentence(point);
  return html`<h1 class="sentence" aria-live="polite">${point ? sentence(point) : t("choose.finding")}</h1>
    ${!point && before.current && html`<p class="soft">${t("choose.before")} ${before.current}</p>`}
    ${point?.failed && html`<${Impossible} point=${point} />`}
    <div class="choice"><section class="frontier"><h2>${t("choose.title")}</h2><${Picture} key=${`${key}${language.value}`} plan=${key} />
      <p class="soft keys"><kbd>←</kbd> <kbd>→</kbd> ${t("choose.move")} ${job.value
        ? html`${point?.gcp != null && !Object.values(points.value).some(one => one.approximate) && t("choose.bounding")} <button class="small" onClick=${() => job.value.stop()}>${t("running.cancel")}</button>`
        : heard.at(-1)?.kind === "done" ? "" : html`<button class="small" onClick=${() => begin(key, true)}>${t("choose.continue")}</button>`}</p>
      <${Goals} /></section>
      <${Tabs} point=${point} of=${key} /></div>
    <${Groups} point=${point} />
    <p><button class="main" disabled=${!point || point.failed || point.approximate} onClick=${() => { screen.value = "handout"; }}>${t("choose.go-on")}</button></p>`;
}

/** One point in words. */
function sentence(point) {
  if (point.failed) return t("choose.impossible");
  const names = Object.keys(point.by_attribute);
  const some = names.length > 4 ? [...names.slice(0, 3), t("choose.more", { n: names.length - 3 })] : names;
  const known = [some.slice(0, -1).join(", "), some.at(-1)].filter(Boolean).join(t("choose.and"));
  const about = point.approximate ? "≈ " : "";
  return [
    many("choose.alike", point.achieved - 1),
    t(point.people ? "choose.neighbour-people" : "choose.neighbour", { known, most: share(point.highest, true), mean: about + share(point.mean), before: share(point.before) }),
    point.costliest ? t("choose.costs", { lost: about + share(point.gcp), worst: point.costliest }) : t("choose.free"),
    point.suppressed ? about + many("choose.left-out", point.suppressed) : "",
    point.approximate ? t("choose.estimated", { n: number(point.sampled) }) : "",
  ].filter(Boolean).join(" ");
}

function Picture({ plan: key }) {
  const place = useRef(null), hear = useRef(null), goal = plan.value.k ?? suggested.value;
  useEffect(() => {
    let timer = 0;
    begin(key);
    const leave = mount(place.current, {
      locale: language.value,
      text: t,
      request(name, { k }) {
        picked.value = k;
        clearTimeout(timer);
        timer = setTimeout(() => { if (plan.value.k !== k) change({ change: "goal", k }); }, 300);
        return Promise.resolve();
      },
      subscribe(name, args, listen) {
        hear.current = listen;
        hears.add(listen);
        for (const message of heard) listen(message);
        if (picked.value !== null) listen({ kind: "message", value: { chosen: picked.value } });
        return () => hears.delete(listen);
      },
    });
    return () => { clearTimeout(timer); leave(); };
  }, []);
  // Undo and redo move the handle.
  useEffect(() => {
    if (!goal || picked.value === null || goal === picked.value) return;
    picked.value = goal;
    if (points.value[goal]) hear.current?.({ kind: "message", value: { chosen: goal } });
    else begin(key, true);
  }, [goal]);
  return html`<div class="picture" ref=${place}></div>`;
}

function Tabs({ point, of }) {
  const [tab, setTab] = useState("rows");
  const Shown = TABS[tab], names = Object.keys(TABS);
  const press = event => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = names[(names.indexOf(tab) + by + names.length) % names.length];
    setTab(next);
    event.currentTarget.querySelector(`#tab-${next}`).focus();
  };
  const last = useRef({});
  // The last result stays while the next one is computed; as the same element, it asks nothing meanwhile.
  if (point && !point.failed && !point.approximate) last.current = { tab, point, shown: html`<${Shown} key=${tab} point=${point} of=${of} />` };
  const shown = last.current.tab === tab && !point?.failed && last.current.shown, old = shown && point !== last.current.point;
  return html`<section class="tabs"><div role="tablist" aria-label=${t("choose.tabs")} onKeyDown=${press}>${names.map(name => html`<button key=${name} role="tab" id=${`tab-${name}`} class="tab"
      aria-selected=${String(tab === name)} aria-controls="tab-panel" tabindex=${tab === name ? 0 : -1} onClick=${() => setTab(name)}>${t(`choose.tab.${name}`)}</button>`)}</div>
    <div role="tabpanel" id="tab-panel" aria-labelledby=${`tab-${tab}`} tabindex="0" aria-busy=${old}>${old && html`<p class="decide" role="status">${t("choose.old")}</p>`}
      ${shown || html`<p class="soft">${t(point?.failed ? "choose.none" : "choose.waiting")}</p>`}</div></section>`;
}

/** The most squares; where there are more groups, each stands for several. */
const MOST_SQUARES = 1500;

/** A map of everybody's group: one square per group, area = people. */
function Groups({ point }) {
  const canvas = useRef(null), last = useRef([]);
  if (point) last.current = point.sizes ?? [];
  const sizes = last.current;
  const groups = sizes.reduce((sum, [, times]) => sum + times, 0), each = Math.max(1, Math.ceil(groups / MOST_SQUARES));
  useEffect(() => {
    const draw = () => { if (canvas.current) paint(canvas.current, sizes, each); };
    draw();
    addEventListener("resize", draw);
    return () => removeEventListener("resize", draw);
  }, [point]);
  if (!groups) return null;
  const said = t("choose.squares", { n: number(groups), smallest: number(sizes[0][0]), largest: number(sizes.at(-1)[0]) });
  return html`<section class="groups-map"><h2>${t("choose.map")}</h2><p class="soft">${said} ${each > 1 ? t("choose.each", { n: number(each) }) : ""}</p>
    <canvas ref=${canvas} role="img" aria-label=${said}></canvas></section>`;
}

function paint(canvas, sizes, each) {
  const width = canvas.parentElement.clientWidth, dots = devicePixelRatio || 1;
  const people = sizes.reduce((sum, [size, times]) => sum + size * times, 0) / each;
  const unit = Math.min(8, Math.sqrt(width * 90 / (people * 1.6)));
  const squares = [];
  let seen = 0;
  for (const [size, times] of [...sizes].reverse()) for (seen += times; seen >= each; seen -= each) squares.push(Math.max(2, unit * Math.sqrt(size)));
  const spots = [];
  let x = 0, y = 0, tall = 0;
  for (const side of squares) {
    if (x + side > width) { x = 0; y += tall + 2; tall = 0; }
    spots.push([x, y, side]);
    x += side + 2;
    tall = Math.max(tall, side);
  }
  canvas.width = width * dots;
  canvas.height = Math.ceil(y + tall) * dots;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${Math.ceil(y + tall)}px`;
  const pen = canvas.getContext("2d");
  pen.scale(dots, dots);
  pen.fillStyle = getComputedStyle(canvas).color;
  const least = spots.at(-1)?.[2], most = spots[0]?.[2];
  for (const [left, top, side] of spots) {
    // The smaller the group, the darker its square: that is where to look.
    pen.globalAlpha = most > least ? 1 - 0.5 * (side - least) / (most - least) : 1;
    pen.fillRect(left, top, side, side);
  }
}
