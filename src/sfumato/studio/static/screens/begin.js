// Where no table is open yet: a file that is dropped or chosen, the one of the command line, or an example.
import { html, t, fileButton } from "../ui.js";
import { offers, openExample, openGiven, openFile } from "../state.js";

export function Begin() {
  const over = event => event.currentTarget.classList.add("over");
  const leave = event => event.currentTarget.classList.remove("over");
  const drop = event => {
    leave(event);
    if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
  };
  return html`<h1>${t("columns.begin")}</h1>
    <div class="drop" onDragOver=${over} onDragLeave=${leave} onDrop=${drop}>
      <p>${t("columns.drop")}</p>
      ${fileButton(t("columns.choose"), openFile)}
      <p class="soft">${t("columns.private")}</p>
    </div>
    ${offers.value.given && html`<p><button class="main" onClick=${openGiven}>${t("columns.open", { name: offers.value.given })}</button></p>`}
    ${offers.value.examples.length > 0 && html`<p>${t("columns.or")} ${offers.value.examples.map(name => html`<button key=${name} onClick=${() => openExample(name)}>${t(`columns.example.${name}`)}</button> `)}</p>`}`;
}
