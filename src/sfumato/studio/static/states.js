// The states between the screens: no connection, a job that runs, a job that failed.
import { html, t, percent, number, useEffect, useState } from "./ui.js";
import { trouble, notices } from "./port.js";
import { running, failure, change } from "./state.js";

export function Trouble() {
  if (!trouble.value) return null;
  return html`<section class="notice ${trouble.value === "gone" ? "bad" : "alone"}" role="alert">
    <h1>${t(`trouble.${trouble.value}.title`)}</h1><p>${t(`trouble.${trouble.value}.text`)}</p></section>`;
}

/** What runs: the last good result stays below it. */
export function Running() {
  const job = running.value;
  const [, tick] = useState(0);
  useEffect(() => {
    if (!job) return undefined;
    const timer = setInterval(() => tick(one => one + 1), 1000);
    return () => clearInterval(timer);
  }, [job?.since]);
  if (!job) return null;
  return html`<section class="notice running" aria-label=${t("running.title")}>
    <div role="status"><strong>${t(`running.${job.name}`)}</strong> <span class="soft">${job.stage.startsWith("compiling") ? t("running.first") : html`<span lang="en">${job.stage}</span>`} ${left(job)}</span></div>
    <progress aria-label=${t("running.title")} max="1" value=${job.share || null}>${percent(job.share)}</progress>
    <button onClick=${() => job.stop()}>${t("running.cancel")}</button></section>`;
}

/** The time that is left, as far as the share of the stage says; a guess, so it says "about". */
function left(job) {
  const passed = (Date.now() - job.began) / 1000;
  if (!(job.share > 0.05) || passed < 2) return "";
  const seconds = Math.ceil(passed * (1 - job.share) / job.share);
  const time = seconds < 90 ? t("running.seconds", { n: number(seconds) }) : t("running.minutes", { n: number(Math.ceil(seconds / 60)) });
  return `· ${t("running.left", { time })}`;
}

export function Failure() {
  const error = failure.value ?? (notices.value ? { kind: notices.value } : null);
  if (!error) return null;
  const said = t(`${error.kind === "undecided" ? "handout" : "failure"}.${error.kind}`, { stage: error.stage || "…" });
  const confirm = one => change({ change: "confirm", names: one.names });
  return html`<section class="notice bad" role="alert"><p><strong>${said.startsWith("failure.") ? t("failure.other") : said}</strong>${!error.cautions && html` <span lang="en">${error.message}</span>`}</p>
    ${error.cautions?.map((one, at) => html`<p key=${at}><span lang="en">${one.found} <span class="soft">${one.advice}</span></span> <button onClick=${() => confirm(one)}>${t("failure.confirm", { name: one.names.join(", ") })}</button></p>`)}
    <button onClick=${() => { failure.value = null; notices.value = null; }}>${t("failure.close")}</button></section>`;
}
