// Runs before anything is requested from the server's addresses: takes the token out of the address bar.
"use strict";
const token = location.hash.slice(1);
const nonce = history.state?.nonce ?? [...crypto.getRandomValues(new Uint8Array(18))]
  .map(byte => byte.toString(16).padStart(2, "0")).join("");
// The nonce lies in the history of this tab: a window that is opened from here inherits the storage, but not it.
history.replaceState({ nonce }, "", location.pathname);
// The texts of one language are loaded.
const wanted = localStorage.getItem("language") ?? navigator.language?.slice(0, 2);
document.documentElement.lang = ["en", "de"].includes(wanted) ? wanted : "en";
import(`/static/texts/${document.documentElement.lang}.js`);
import("/static/main.js").then(page => page.start(token, nonce));
