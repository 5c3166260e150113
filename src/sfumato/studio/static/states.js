// The states between the screens: no connection, a job that runs, a job that failed.
import { html, t, percent } from "./ui.js";
import { trouble } from "./port.js";
import { running, failure } from "./state.js";

export function Trouble() {
  if (!trouble.value) return null;
  return html`<section class="notice ${trouble.value === "gone" ? "bad" : "alone"}" role="alert">
    <h1>${t(`trouble.${trouble.value}.title`)}</h1><p>${t(`trouble.${trouble.value}.text`)}</p></section>`;
}

export function Running() {
  const job = running.value;
  if (!job) return null;
  return html`<section class="notice running" aria-label=${t("running.title")}>
    <div role="status"><strong>${t(`running.${job.name}`)}</strong> ${job.stage}</div>
    <progress aria-label=${t("running.title")} max="1" value=${job.share || null}>${percent(job.share)}</progress>
    <button onClick=${() => job.stop()}>${t("running.cancel")}</button></section>`;
}

export function Failure() {
  const error = failure.value;
  if (!error) return null;
  return html`<section class="notice bad" role="alert"><strong>${t(`failure.${error.kind}`, error)}</strong> ${error.message}
    <button onClick=${() => { failure.value = null; }}>${t("failure.close")}</button></section>`;
}
