// The frontier: loss against k; the handle is the slider. One file without imports, for the studio and for notebooks.
// mount(element, port) draws it and returns what takes it away again. The port has
//   subscribe("frontier", {}, hear)   hear gets {kind: "message", value}, where value is {sizes, chosen} or {point};
//   request("choose", {k})            called when the handle moves;
//   text(key, values)                 optional: a text in the reader's language;
//   locale                            optional: how numbers are written.

const TEXTS = {
  lost: "detail lost",
  chance: "below: highest chance that a person is found",
  nobody: "nobody can get here",
  surely: "nobody can get here: from a sample, {sure} sure",
  handle: "Group size k",
  point: "k = {k}: {lost} of the detail lost, a chance of at most {chance}",
  about: "k = {k}: about {lost} of the detail lost (≈, from a sample), a chance of at most {chance}",
  pending: "k = {k}: not computed yet",
  failed: "k = {k}: impossible",
  progress: "{done} of {all} releases made and verified",
};
const NS = "http://www.w3.org/2000/svg";
const INK = "var(--ink, currentColor)", SOFT = "var(--soft, currentColor)", LINE = "var(--line, #8a96a3)", PAPER = "var(--paper, Canvas)";
const ACCENT = "var(--accent, #2f7dc4)", HANDLE = "var(--handle, #c2700a)", SHADE = "var(--shade, #8a96a333)";

/** Make an element of SVG with attributes and children. */
function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The ends of the scale of losses: at least a tenth, in round steps. */
export function scale(losses) {
  const most = Math.max(0.04, ...losses.filter(Number.isFinite)) * 1.12;
  const step = [0.01, 0.02, 0.05, 0.1, 0.2].find(one => most / one <= 5) ?? 0.25;
  return { step, most: Math.min(1, Math.ceil(most / step - 1e-9) * step) };
}

/** The corners of the line of what is reached: a release for a larger k is also one for every smaller k. */
export function reached(points) {
  const best = [...points].sort((one, two) => one.k - two.k);
  for (let at = best.length - 2; at >= 0; at--) if (best[at + 1].gcp < best[at].gcp) best[at] = { ...best[at], gcp: best[at + 1].gcp };
  return best;
}

/** The corners of what nobody can reach: what no release with some k can beat, none with a larger k can. */
export function unreachable(points) {
  let most = 0;
  return points.filter(one => one.bound != null).sort((one, two) => one.k - two.k).map(one => ({ k: one.k, bound: most = Math.max(most, one.bound) }));
}

export function mount(element, port) {
  const say = (key, values = {}) => (port.text?.(`frontier.${key}`, values)) ?? TEXTS[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const percent = (share, up = false) => new Intl.NumberFormat(port.locale ?? "en", { style: "percent", maximumFractionDigits: 1, roundingMode: up ? "ceil" : "halfExpand" }).format(share);
  const points = new Map();
  let sizes = [], chosen = null, place = null, frame = 0;

  const live = document.createElement("p");
  live.setAttribute("role", "status");
  live.className = "frontier-live";
  const picture = svg("svg", { "font-size": 12, "font-family": "inherit", width: "100%", fill: INK });
  const back = svg("g"), dots = svg("g");
  const rule = svg("line", { stroke: HANDLE, "stroke-width": 2 });
  const ring = svg("circle", { r: 13, fill: "none", stroke: "none", "stroke-width": 2 });
  const knob = svg("circle", { r: 9, fill: HANDLE, stroke: PAPER, "stroke-width": 2 });
  const label = svg("text", { "text-anchor": "end", "font-weight": 600 });
  const handle = svg("g", { role: "slider", tabindex: 0, "aria-label": say("handle"), "aria-orientation": "horizontal" }, rule, ring, knob, label);
  handle.style.cursor = "ew-resize";
  handle.style.outline = "none";
  handle.style.display = "none";
  picture.style.touchAction = "pan-y";
  picture.style.display = "block";
  picture.append(back, dots, handle);
  element.append(picture, live);

  /** Where things are: logarithmic in k, linear in the loss. */
  function layout() {
    const width = Math.max(260, element.clientWidth), height = width < 480 ? 280 : 340;
    const area = { left: 46, right: width - 20, top: 30, bottom: height - 46 };
    const low = Math.log(sizes[0]), high = Math.log(sizes.at(-1)), known = [...points.values()];
    const { step, most } = scale(known.flatMap(one => [one.gcp, one.bound]));
    return {
      width, height, area, step, most,
      x: k => high > low ? area.left + (Math.log(k) - low) / (high - low) * (area.right - area.left) : (area.left + area.right) / 2,
      y: loss => area.bottom - Math.min(1, loss / most) * (area.bottom - area.top),
    };
  }

  function draw() {
    frame = 0;
    if (!sizes.length) return;
    place = layout();
    const { width, height, area, step, most, x, y } = place;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("height", height);
    back.replaceChildren(
      svg("text", { x: area.left, y: 14, fill: SOFT }, say("lost")),
      ...((say("lost").length + say("chance").length) * 6.6 > area.right - area.left ? [] : [svg("text", { x: area.right, y: 14, "text-anchor": "end", fill: SOFT }, say("chance"))]),
      ...lines(area, step, most, y), ...region(area, x, y), ...ticks(area, x), ...steps(x, y));
    dots.replaceChildren(...sizes.map(k => dot(k, points.get(k), x, y)));
    move();
    const done = sizes.filter(k => points.get(k) && !points.get(k).approximate).length;
    picture.dataset.done = String(done);
  }

  function lines(area, step, most, y) {
    const found = [];
    for (let at = 0; at * step <= most + 1e-9; at++) {
      const loss = at * step;
      found.push(svg("line", { x1: area.left, x2: area.right, y1: y(loss), y2: y(loss), stroke: LINE, "stroke-width": 1, opacity: 0.6 }),
        svg("text", { x: area.left - 8, y: y(loss) + 4, "text-anchor": "end", fill: SOFT }, percent(loss)));
    }
    return found;
  }

  /** Below the bounds nobody can get; they hold for every larger k, so that the edge is a staircase. */
  function region(area, x, y) {
    const edge = unreachable([...points.values()]);
    if (!edge.length) return [];
    const least = Math.min(...[...points.values()].map(one => one.bound == null ? 1 : one.bound_confidence ?? 1));
    const path = edge.map((one, at) => `${at ? `H${x(one.k)}V` : `M${x(one.k)} ${area.bottom}V`}${y(one.bound)}`).join("") + `H${area.right}`;
    const tall = area.bottom - y(edge.at(-1).bound);
    return [svg("path", { d: `${path}V${area.bottom}Z`, fill: SHADE, class: "region" }),
      svg("path", { d: path, fill: "none", stroke: SOFT, "stroke-dasharray": "3 3" }),
      ...(tall < 18 ? [] : [svg("text", { x: area.right - 6, y: area.bottom - 6, "text-anchor": "end", fill: SOFT }, least < 1 ? say("surely", { sure: percent(least) }) : say("nobody"))])];
  }

  /** Labels of k and the chance 1/k below it, as many as fit. */
  function ticks(area, x) {
    let free = -Infinity;
    const first = sizes.filter(k => [1, 2, 5].includes(k / 10 ** Math.floor(Math.log10(k) + 1e-9)));
    return (first.length > 1 ? first : sizes).flatMap(k => {
      if (x(k) - free < 52) return [];
      free = x(k);
      return [svg("text", { x: x(k), y: area.bottom + 18, "text-anchor": "middle" }, `k=${k}`),
        svg("text", { x: x(k), y: area.bottom + 34, "text-anchor": "middle", fill: SOFT }, percent(1 / k, true))];
    });
  }

  /** What is reached: only verified releases count, and nothing between them is guessed. */
  function steps(x, y) {
    const known = reached([...points.values()].filter(one => one.gcp != null && !one.approximate));
    if (known.length < 2) return [];
    const path = known.map((one, at) => at ? `V${y(one.gcp)}H${x(one.k)}` : `M${x(one.k)} ${y(one.gcp)}`).join("");
    return [svg("path", { d: path, fill: "none", stroke: ACCENT, "stroke-width": 2, class: "reached" })];
  }

  /** Solid: a verified release. Dashed: an estimate. Hollow at the bottom: not computed yet. Crossed: impossible. */
  function dot(k, point, x, y) {
    const at = { cx: x(k), cy: point?.gcp == null ? y(0) : y(point.gcp) };
    if (point?.failed) return svg("path", { d: `M${at.cx - 5} ${at.cy - 5}l10 10m0 -10l-10 10`, stroke: "var(--bad, #c4362f)", "stroke-width": 2, "data-k": k, class: "failed" });
    if (!point) return svg("circle", { ...at, r: 4.5, fill: PAPER, stroke: LINE, "stroke-width": 1.5, "data-k": k, class: "pending" });
    if (point.approximate) return svg("circle", { ...at, r: 4.5, fill: PAPER, stroke: ACCENT, "stroke-width": 1.5, "stroke-dasharray": "2 2", "data-k": k, class: "about" });
    return svg("circle", { ...at, r: 4.5, fill: ACCENT, "data-k": k, class: "solid" });
  }

  /** Put the handle where it belongs: a few attributes, nothing is drawn again. */
  function move() {
    if (!place || chosen === null) return;
    handle.style.display = "";
    const point = points.get(chosen), across = place.x(chosen), up = point?.gcp == null ? place.y(0) : place.y(point.gcp);
    for (const [key, value] of [["x1", across], ["x2", across], ["y1", place.area.top], ["y2", place.area.bottom]]) rule.setAttribute(key, value);
    for (const one of [knob, ring]) { one.setAttribute("cx", across); one.setAttribute("cy", up); }
    knob.setAttribute("fill", point?.gcp == null || point.approximate ? PAPER : HANDLE);
    knob.setAttribute("stroke", point?.gcp == null || point.approximate ? HANDLE : PAPER);
    label.textContent = point?.gcp == null ? `k=${chosen}` : `${point.approximate ? "≈ " : ""}${percent(point.gcp)}`;
    const beside = across - place.area.left < 60;
    label.setAttribute("text-anchor", beside ? "start" : "end");
    label.setAttribute("x", beside ? across + 13 : across - 13);
    label.setAttribute("y", Math.max(place.area.top + 10, up - 9));
    const told = words(chosen, point);
    for (const [key, value] of [["valuemin", sizes[0]], ["valuemax", sizes.at(-1)], ["valuenow", chosen], ["valuetext", told]]) handle.setAttribute(`aria-${key}`, value);
  }

  function words(k, point) {
    if (!point) return say("pending", { k });
    if (point.failed) return say("failed", { k });
    return say(point.approximate ? "about" : "point", { k, lost: percent(point.gcp), chance: percent(point.highest, true) });
  }

  function choose(k) {
    if (k === undefined || k === chosen) return;
    chosen = k;
    move();
    port.request("choose", { k });
  }

  const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -3, PageUp: 3, Home: -Infinity, End: Infinity };
  function press(event) {
    if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const at = sizes.indexOf(chosen) + KEYS[event.key];
    choose(sizes[Math.min(sizes.length - 1, Math.max(0, at))]);
  }
  function follow(event) {
    if (!place || (event.type === "pointermove" && !picture.hasPointerCapture(event.pointerId))) return;
    if (event.type === "pointerdown") { picture.setPointerCapture(event.pointerId); handle.focus({ preventScroll: true }); }
    const box = picture.getBoundingClientRect(), across = (event.clientX - box.left) * place.width / box.width;
    choose(sizes.reduce((best, k) => Math.abs(place.x(k) - across) < Math.abs(place.x(best) - across) ? k : best));
  }
  const focus = () => ring.setAttribute("stroke", HANDLE), blur = () => ring.setAttribute("stroke", "none");
  handle.addEventListener("keydown", press);
  handle.addEventListener("focus", focus);
  handle.addEventListener("blur", blur);
  picture.addEventListener("pointerdown", follow);
  picture.addEventListener("pointermove", follow);

  const later = () => { frame ||= requestAnimationFrame(draw); };
  const watch = new ResizeObserver(later);
  watch.observe(element);
  const cancel = port.subscribe("frontier", {}, message => {
    const value = message.value ?? {};
    if (value.sizes) {
      sizes = [...value.sizes].sort((one, two) => one - two);
      if (!sizes.includes(chosen)) chosen = sizes[Math.floor(sizes.length / 2)];
    }
    if (sizes.includes(value.chosen)) chosen = value.chosen;
    if (value.point) points.set(value.point.k, value.point);
    if (value.point || message.kind === "done") {
      const done = sizes.filter(k => points.get(k)?.gcp != null && !points.get(k).approximate).length;
      live.textContent = say("progress", { done, all: sizes.length });
    }
    later();
  });
  return () => {
    cancel();
    watch.disconnect();
    cancelAnimationFrame(frame);
    picture.remove();
    live.remove();
  };
}

// What anywidget calls: the port is made of the widget's messages and of what it knows already.
export default {
  render({ model, el }) {
    const hearing = new Set();
    const receive = message => { for (const hear of hearing) hear(message); };
    model.on("msg:custom", receive);
    const port = {
      request(name, args) { model.send({ name, args }); return Promise.resolve(null); },
      subscribe(name, args, hear) { hearing.add(hear); model.send({ name, args }); return () => hearing.delete(hear); },
    };
    const leave = mount(el, port);
    return () => { leave(); model.off("msg:custom", receive); };
  },
};
