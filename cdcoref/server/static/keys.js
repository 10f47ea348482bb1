// Keys and the help panel, on every page. Everything they do can be done without them.

const byId = (id) => document.getElementById(id);
const help = byId("help");
const shortcuts = byId("shortcuts");
const remembered = "cdcoref.shortcuts";

function read(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // storage may be forbidden
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // then it holds for this page
  }
}

shortcuts.checked = read(remembered) !== "off";
shortcuts.addEventListener("change", () => remember(remembered, shortcuts.checked ? "on" : "off"));

function showHelp() {
  help.showModal();
  byId("help-close").focus();
}

byId("help-link").addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showHelp();
});

// -- the current item: a cluster, document, mention or question of the page --------------------------------------------

const items = [...document.querySelectorAll(".item")];
let current = items.findIndex((item) => item.classList.contains("here"));

function step(by) {
  if (!items.length) return;
  items[current]?.classList.remove("current");
  current = Math.max(0, Math.min(items.length - 1, current + by));
  const item = items[current];
  item.classList.add("current");
  item.scrollIntoView({ block: "nearest" });
  const inside = item.querySelector(".title, input[type=checkbox], button.main, button");
  inside?.focus({ preventScroll: true });
}

for (const [number, item] of items.entries()) {
  item.addEventListener("focusin", () => {
    if (number === current) return;
    items[current]?.classList.remove("current");
    current = number;
  });
}

/** The question, mention or candidate that a key is about; a candidate must have been chosen. */
const here = () => items[current] ?? (document.querySelector(".candidates") ? undefined : items[0]);

// A page that comes back after a change has its current item where it was; the change and its undo button stay in view.
const place = "cdcoref.place";
const changed = document.querySelector(".notice.done");

function storedPlace() {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? "null");
  } catch {
    return null; // storage may be forbidden
  }
}

if (changed) {
  const before = storedPlace();
  if (before?.path === location.pathname) {
    scrollTo(0, before.top);
    if (before.item >= 0 && items.length) {
      current = Math.min(before.item, items.length) - 1;
      step(1);
    } else {
      changed.querySelector("button")?.focus({ preventScroll: true });
    }
  }
}
document.addEventListener("submit", ({ target }) => {
  if (target.method !== "post") return;
  try {
    sessionStorage.setItem(place, JSON.stringify({ path: location.pathname, item: current, top: scrollY }));
  } catch {
    // then the page begins at its top
  }
});

// -- the mentions that are selected --------------------------------------------------------------------------------------

const mentions = byId("mentions");
const boxes = mentions ? [...mentions.querySelectorAll("input[type=checkbox]")] : [];

function showChosen() {
  const chosen = boxes.filter((box) => box.checked).length;
  byId("chosen").textContent = chosen ? `${chosen.toLocaleString("en")} selected` : "None selected";
  byId("actions").classList.toggle("idle", !chosen);
  for (const button of byId("actions").querySelectorAll("button")) {
    button.disabled = button.value === "not-same" ? chosen !== 2 : chosen === 0;
  }
}

if (byId("actions")) {
  mentions.addEventListener("change", showChosen);
  addEventListener("pageshow", showChosen); // a page that is shown again keeps its marks
  showChosen();
}

function select() {
  const box = items[current]?.querySelector("input[type=checkbox]");
  box?.click();
}

// -- keys ----------------------------------------------------------------------------------------------------------------

/** Press the button of a key: in the current question, or for the selected mentions. */
function press(key) {
  const button = (here()?.querySelector(`[data-key="${key}"]`) ?? byId("actions")?.querySelector(`[data-key="${key}"]`));
  if (button && !button.disabled) button.click();
}

function rename() {
  const details = byId("rename");
  if (!details) return;
  details.open = true;
  details.querySelector("input[type=text]").select();
}

const KEYS = {
  "/": () => byId("query").select(),
  "?": showHelp,
  j: () => step(1),
  k: () => step(-1),
  n: () => step(1),
  p: () => step(-1),
  x: select,
  s: () => (byId("same") ? byId("same").click() : press("s")),
  d: () => press("d"),
  t: () => press("t"),
  v: () => press("v"),
  m: () => press("m"),
  r: rename,
  u: () => byId("undo-latest").requestSubmit(),
  y: () => document.querySelector(".notice .redo")?.requestSubmit(),
  "[": () => document.querySelector(".pages [rel=prev]")?.click(),
  "]": () => document.querySelector(".pages [rel=next]")?.click(),
};

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Escape" && event.target.matches("input, select")) event.target.blur();
  const writing = event.target.matches("input:not([type=checkbox], [type=radio], [type=file]), select, textarea");
  if (writing || !shortcuts.checked || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});

// -- forms ---------------------------------------------------------------------------------------------------------------

// A filter is obeyed at once, and a form is sent once.
byId("filters")?.addEventListener("change", (event) => {
  if (event.target.matches("[type=radio], [type=checkbox]")) event.currentTarget.requestSubmit();
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});
addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
