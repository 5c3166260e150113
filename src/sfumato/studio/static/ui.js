// What every view uses: elements, texts and signals.
import { h, render } from "./vendor/preact.js";
import htm from "./vendor/htm.js";
import { signal, computed } from "./vendor/signals.js";
import { useEffect, useRef, useState } from "./vendor/hooks.js";

export { render, signal, computed, useEffect, useRef, useState };
export const html = htm.bind(h);

/** The language of the page, which boot.js chose, and the texts of those that were spoken so far. */
export const language = signal(document.documentElement.lang);
const texts = {};
const learn = async name => { texts[name] ??= (await import(`./texts/${name}.js`)).default; };
await learn(language.value);

/** Choose a language; it is the only thing that outlives the tab. */
export async function speak(name) {
  await learn(name);
  language.value = name;
  localStorage.setItem("language", name);
  document.documentElement.lang = name;
}

/** The text of a key such as "columns.title"; {names} in it are replaced. */
export function t(key, values = {}) {
  const text = key.split(".").reduce((part, name) => part?.[name], texts[language.value]) ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => name in values ? String(values[name]) : whole);
}

export const number = value => value.toLocaleString(language.value);
/** A text about so many. */
export const many = (key, n) => t(n === 1 ? `${key}-one` : key, { n: number(n) });
/** A share as a percentage with so many decimals: what is little is not called nothing, and what is nearly all not all. */
function percentage(share, decimals, up = false) {
  if (share > 0 && share < 0.0005 && !up) return t("shell.tiny");
  const roundingMode = up ? "ceil" : share < 1 && share > 0.99 ? "floor" : "halfExpand";
  return new Intl.NumberFormat(language.value, { style: "percent", maximumFractionDigits: decimals, roundingMode }).format(share - (up ? 1e-9 : 0));
}
/** A share in few digits; small ones keep a decimal. */
export const percent = share => percentage(share, share > 0 && share < 0.1 ? 1 : 0);
/** A share to be compared; an upper limit is rounded up. */
export const share = (value, up = false) => percentage(value, 1, up);

/** A button that takes a file, or several; the same one can be taken again after it was mended. */
export const fileButton = (said, take, several) => html`<label class="button">${said}<input type="file" multiple=${several} class="unseen" onChange=${({ target }) => {
  if (target.files[0]) take(several ? [...target.files] : target.files[0]);
  target.value = "";
}} /></label>`;

/** The answer to a question, or {error}; asked again when what it depends on changes. A late answer never replaces a newer one. */
export function useAnswer(ask, depends, wait = 0) {
  const [found, setFound] = useState(null);
  useEffect(() => {
    let gone = false;
    const take = value => { if (!gone) setFound(value); };
    const timer = setTimeout(() => ask().then(take, error => take({ error: error.error?.message ?? "" })), wait);
    return () => { gone = true; clearTimeout(timer); };
  }, depends);
  return found;
}
