// The current view, given by the address (#c3 cluster, #m7 mention, #d2 document, #s1 story); keys, print, start-up.

let textsAnchor = null; // the scroll position at which the texts were left

function parse(hash) {
  const match = /^#([cmds])(\d+)$/.exec(hash);
  const number = match ? Number(match[2]) : 0;
  const [view, count] = { c: ["cluster", clusters.length], m: ["mention", mentionCount], d: ["document", documents.length], s: ["story", stories.length] }[match?.[1]] ?? ["home", 1];
  return number < count ? { view, number } : { view: "home", number: 0 };
}

/** Go to a view; the current one keeps its position for the way back. */
function go(hash, { replace = false } = {}) {
  rememberPlace();
  if (replace) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  arrive(null);
}

function rememberPlace() {
  if (!byId("reader").hidden && byId("texts").clientHeight) {
    textsAnchor = texts.anchor();
    history.replaceState({ texts: textsAnchor }, "");
  }
}

/** Show the view that the address names; `back` is its remembered position, if it was shown before. */
function arrive(back) {
  const { view, number } = parse(location.hash);
  const fromTexts = !byId("reader").hidden;
  hideTip();
  if (byId("choose").open) byId("choose").close();
  state.view = view;
  state.mention = view === "mention" ? number : null;
  state.cluster = view === "cluster" ? number : view === "mention" ? mentionCluster[number] : null;
  state.document = view === "document" ? number : view === "mention" ? mentionDocument[number] : null;
  if (state.cluster !== null && clusters[state.cluster].members.length < 2 && !filters.singles) {
    filters.singles = byId("singles").checked = true; // otherwise the requested cluster would not be shown
    showLists();
    texts.refresh();
  }
  if (view === "mention" && !shown(number)) {
    filters.kind = null;
    byId("kinds").querySelector("input").checked = true;
    showLists();
    texts.refresh();
  }
  document.body.dataset.view = view;
  byId("reader").hidden = view === "cluster" || view === "story";
  byId("cluster").hidden = view !== "cluster";
  byId("story").hidden = view !== "story";
  storyList.mark(view === "story" ? number : null);
  clusterList.mark(state.cluster);
  documentList.mark(state.document);
  if (view === "cluster") {
    showCluster(clusters[number]);
    byId("to-texts").textContent = "Back to the texts";
    if (fromTexts || !back) byId("cluster-scroll").focus({ preventScroll: true });
    return;
  }
  if (view === "story") {
    showStory(stories[number]);
    byId("story-scroll").focus({ preventScroll: true });
    return;
  }
  texts.resized();
  markTexts();
  showSteps();
  const anchor = back?.texts ?? (view === "home" ? textsAnchor : null);
  if (anchor) texts.restore(anchor);
  else if (view === "mention") showMention(number);
  else if (view === "document") texts.show(headingRow[number], { share: 0 });
  if (view === "document") byId("texts").focus({ preventScroll: true });
}

/** One step back: from a mention to its cluster, from there to the lists. */
function leave() {
  if (state.view === "mention") go(`#c${state.cluster}`);
  else if (state.view !== "home") go("#");
  if (state.view === "home") byId(LISTS[filters.tab]).focus();
}

const KEYS = {
  "/": () => byId("query").focus(),
  "?": () => showHelp(),
  j: () => stepCluster(1),
  k: () => stepCluster(-1),
  n: () => stepMention(1),
  p: () => stepMention(-1),
};

function showHelp() {
  byId("help").showModal();
  byId("help-close").focus();
}

function setUpKeys() {
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (!tip.hidden) hideTip();
      else if (!event.target.value) leave(); // otherwise the key clears the input
      return;
    }
    const writing = event.target.matches("input:not([type=checkbox], [type=radio]), select");
    if (writing || !byId("shortcuts").checked || !Object.hasOwn(KEYS, event.key)) return;
    event.preventDefault();
    KEYS[event.key]();
  });
}

function setUpLinks() {
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const link = event.target.closest("a[href^='#']");
    if (link) {
      event.preventDefault();
      if (link.id === "skip") byId({ cluster: "cluster-scroll", story: "story-scroll" }[state.view] ?? "texts").focus();
      else if (link.matches("#texts a.m") && link.dataset.m.includes(" ")) chooseMention(link);
      else if (link.id === "to-texts") backToTexts();
      else go(link.getAttribute("href"));
      return;
    }
    const sentence = event.target.closest(".sentence");
    if (sentence && getSelection().isCollapsed) go(`#m${sentence.dataset.first}`);
  });
}

/** The texts where they were left, or at the first mention of the cluster. */
function backToTexts() {
  if (textsAnchor) {
    const anchor = textsAnchor;
    history.pushState({ texts: anchor }, "", `#m${clusters[state.cluster].members[0]}`);
    arrive({ texts: anchor });
  } else {
    go(`#m${clusters[state.cluster].members[0]}`);
  }
}

// -- print: the current view, complete ---------------------------------------------------------------------------------

function printedCluster(cluster) {
  const cards = element("div", "cards", ...byDocument(cluster).map(card));
  return [clusterHead(cluster), cards];
}

function printedTexts() {
  const several = clusters.filter((cluster) => cluster.members.length > 1);
  const list = element("ol", "clusters");
  for (const cluster of several) {
    const item = element("li", "", foreign("bdi", "label", cluster.label), ` (${kindName(cluster.kind)}): ${sizes(cluster)}`);
    if (cluster.confidence >= 0) item.append(`, confidence ${confidenceText(cluster.confidence)}`);
    item.value = cluster.index + 1;
    list.append(item);
  }
  const nodes = [element("h2", "", "Clusters"), list];
  rowStart.forEach((_, index) => nodes.push(textRow(index)));
  for (const node of nodes) {
    for (const link of node.querySelectorAll("a.m")) {
      link.dataset.number = link.dataset.c.split(" ").map((cluster) => Number(cluster) + 1).join(", ");
    }
  }
  return nodes;
}

function printed() {
  if (state.view === "cluster") return printedCluster(clusters[state.cluster]);
  return state.view === "story" ? storyNodes(stories[parse(location.hash).number]) : printedTexts();
}

function setUpPrint() {
  addEventListener("beforeprint", () => {
    byId("print").replaceChildren(...printed());
  });
  addEventListener("afterprint", () => byId("print").replaceChildren());
}

// -- start-up ----------------------------------------------------------------------------------------------------------

function setUpButtons() {
  const on = (id, act) => byId(id).addEventListener("click", act);
  on("previous-mention", () => stepMention(-1));
  on("next-mention", () => stepMention(1));
  on("previous-cluster", () => stepCluster(-1));
  on("next-cluster", () => stepCluster(1));
  on("help-button", showHelp);
  addEventListener("popstate", ({ state: back }) => arrive(back));
}

setUpFilters();
setUpTip();
setUpKeys();
setUpLinks();
setUpPrint();
setUpButtons();
texts.reset(rowStart.length);
chooseTab("clusters");
arrive(history.state);
