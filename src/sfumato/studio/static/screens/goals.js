// The goals of screen 2 beside k, as sentences; and the nearest ones where the present goal is impossible.
import { html, t, number, useAnswer } from "../ui.js";
import { plan, policy, table, change } from "../state.js";
import { request } from "../port.js";

const L = [2, 3, 4, 5], T = [0.5, 0.3, 0.2, 0.1];

export function Goals() {
  const { models = [], presets = [] } = useAnswer(() => request("goals"), [policy.value.etag]) ?? {};
  const names = table.value.columns.filter((_, at) => plan.value.roles[at] === "sensitive").map(one => one.name);
  const secret = join => [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(t(join));
  const value = (model, name) => models.find(one => one.model === model && one[name] > 0)?.[name] ?? "";
  // What is in force is asked for when it is this change's turn: the page may show what was in force before the last one.
  const wish = (model, name, chosen) => change(async () => {
    const others = (await request("goals")).models.filter(one => one.model !== model);
    const wanted = chosen === "" ? others : [...others, { model, [name]: Number(chosen) }];
    return { change: "privacy", models: wanted };
  });
  const option = name => value => change({ change: "option", name, value: value || null });
  const choice = (label, chosen, options, choose) => html`<p class="goal"><label>${label} <select value=${String(chosen)} onChange=${event => choose(event.target.value)}>
    <option value="">${t("choose.no-rule")}</option>${options.map(([one, said]) => html`<option key=${one} value=${String(one)} selected=${String(one) === String(chosen)}>${said}</option>`)}</select></label></p>`;
  return html`<h2>${t("choose.goals")}</h2>
    ${names.length > 0 && html`${choice(t("choose.l", { secret: secret("choose.or") }), value("l-diversity", "l"), L.map(one => [one, t("choose.one-in", { n: one })]), chosen => wish("l-diversity", "l", chosen))}
      ${choice(t("choose.t", { secret: secret("choose.and") }), value("t-closeness", "t"), T.map(one => [one, t("choose.at-most", { t: number(one) })]), chosen => wish("t-closeness", "t", chosen))}`}
    ${choice(t("choose.preset"), plan.value.options.preset ?? "", presets.map(one => [one.name, one.title]), option("preset"))}
    ${choice(t("choose.ends"), plan.value.options.ends ?? "", [["grid", t("choose.round")]], option("ends"))}`;
}

/** Why the goal is impossible, and the nearest ones as buttons. */
export function Impossible({ point }) {
  const near = useAnswer(() => request("nearest", { k: point.k }), [point.k, point.failed]);
  return html`<section class="notice bad" role="alert"><p lang="en">${point.failed}</p>
    <p>${near?.sizes?.map(k => html`<button key=${k} onClick=${() => change({ change: "goal", k })}>${t("choose.take-k", { k: number(k) })}</button> `)}
    ${near?.models?.length ? html`<button onClick=${() => change({ change: "privacy", models: near.models })}>${[...new Set(near.models.map(one => one.l || one.t ? t(`choose.take-${one.l ? "l" : "t"}`, { n: number(one.l ?? one.t) }) : one.model))].join(", ")}</button>` : ""}</p></section>`;
}
