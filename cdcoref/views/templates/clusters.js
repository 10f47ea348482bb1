// The lists on the left: clusters and documents, their filters and order, and keyboard navigation in them.

/** A listbox over a virtual list: some of its rows are options, of which one is active and one may be chosen. */
class ChoiceList {
  constructor(viewport, { guess, render, choose }) {
    Object.assign(this, { viewport, choose, rows: [], options: [], active: -1, chosen: null });
    this.list = new VirtualList(viewport, {
      guess: (index) => guess(this.rows[index]),
      render: (index) => this.element(index, render(this.rows[index])),
    });
    viewport.addEventListener("keydown", (event) => this.key(event));
    viewport.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) this.take(Number(row.dataset.row));
    });
  }

  /** Show rows `{ key, ... }`; those without a key are headings. */
  show(rows) {
    this.rows = rows;
    this.options = rows.map((row, index) => (row.key === undefined ? -1 : index)).filter((index) => index >= 0);
    this.number = new Map(this.options.map((index, n) => [index, n]));
    this.active = -1;
    this.list.reset(rows.length);
    this.viewport.removeAttribute("aria-activedescendant");
    if (this.chosen !== null) this.mark(this.chosen);
  }

  element(index, node) {
    const row = this.rows[index];
    if (row.key === undefined) {
      node.setAttribute("role", "presentation");
      return node;
    }
    node.setAttribute("role", "option");
    node.id = `${this.viewport.id}-${row.key}`;
    node.setAttribute("aria-selected", String(row.key === this.chosen));
    node.setAttribute("aria-setsize", this.options.length);
    node.setAttribute("aria-posinset", this.number.get(index) + 1);
    node.classList.toggle("active", index === this.active);
    return node;
  }

  /** Mark the row that is shown on the right; null for none. */
  mark(key) {
    this.chosen = key;
    const index = key === null ? -1 : this.rows.findIndex((row) => row.key === key);
    if (index >= 0) this.activate(index);
    else this.list.refresh();
  }

  activate(index) {
    this.active = index;
    this.list.clear();
    this.list.show(index, { lazy: true });
    const option = this.list.rows.get(index);
    if (option) this.viewport.setAttribute("aria-activedescendant", option.id);
  }

  take(index) {
    this.activate(index);
    this.choose(this.rows[index].key);
  }

  /** The key `step` options after the chosen one; undefined past either end. */
  beside(step) {
    const at = this.rows.findIndex((row) => row.key !== undefined && row.key === this.chosen);
    const index = this.options[at < 0 ? (step > 0 ? 0 : -1) : this.number.get(at) + step];
    return index === undefined ? undefined : this.rows[index].key;
  }

  place() {
    const at = this.rows.findIndex((row) => row.key !== undefined && row.key === this.chosen);
    return at < 0 ? null : { number: this.number.get(at) + 1, of: this.options.length };
  }

  key(event) {
    const last = this.options.length - 1;
    if (last < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.number.get(this.active) ?? -1;
    const target = {
      ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1), Home: 0, End: last, PageDown: at + 10, PageUp: at - 10,
    }[event.key];
    if (target !== undefined) {
      event.preventDefault();
      this.activate(this.options[Math.min(last, Math.max(0, target))]);
    } else if ((event.key === "Enter" || event.key === " ") && at >= 0) {
      event.preventDefault();
      this.take(this.active);
    }
  }
}

const byId = (id) => document.getElementById(id);
const filters = { query: "", kind: null, least: 1, order: "rank", singles: false, tab: "clusters" };

/** Whether a mention is marked in the texts. */
function shown(mention) {
  const cluster = clusters[mentionCluster[mention]];
  return (filters.kind === null || cluster.kind === filters.kind) && (filters.singles || cluster.members.length > 1);
}

/** The other wordings of a cluster, most frequent first. */
function otherWords(cluster) {
  if (!cluster.words) {
    const counts = new Map();
    for (const mention of cluster.members) {
      const words = wordsOf(mention);
      counts.set(words, (counts.get(words) || 0) + 1);
    }
    cluster.words = [...counts].sort((a, b) => b[1] - a[1]);
  }
  return cluster.words.map(([words]) => words).filter((words) => words.toLowerCase() !== cluster.label.toLowerCase());
}

const collator = new Intl.Collator(undefined, { numeric: true });
const ORDERS = {
  rank: (a, b) => b.documents - a.documents || a.index - b.index,
  size: (a, b) => b.members.length - a.members.length || a.index - b.index,
  unsure: (a, b) => (a.confidence < 0 ? 101 : a.confidence) - (b.confidence < 0 ? 101 : b.confidence) || a.index - b.index,
  name: (a, b) => collator.compare(a.label, b.label) || a.index - b.index,
};

function clusterRows() {
  const query = [...new Set(searchWords(filters.query))];
  const points = new Map();
  const found = clusters.filter((cluster) => {
    const isShown =
      cluster.documents >= filters.least &&
      (filters.singles || cluster.members.length > 1) &&
      (filters.kind === null || cluster.kind === filters.kind);
    if (!isShown || !filters.query.trim()) return isShown;
    const own = query.length ? clusterPoints(query, cluster) : 0;
    points.set(cluster, own);
    return own > 0;
  });
  const best = (a, b) => {
    return (
      points.get(b) - points.get(a) || b.documents - a.documents || b.members.length - a.members.length ||
      a.label.length - b.label.length || a.index - b.index
    );
  };
  const ranked = points.size && filters.order === "rank";
  const groups = ranked
    ? [["Best matches first", found]]
    : [
        ["Across documents", found.filter((c) => c.documents > 1)],
        ["Within one document", found.filter((c) => c.documents < 2 && c.members.length > 1)],
        ["Singletons", found.filter((c) => c.members.length < 2)],
      ];
  const order = ranked ? best : ORDERS[filters.order];
  const rows = [];
  for (const [title, members] of groups) {
    if (members.length) {
      rows.push({ title, count: members.length });
      members.sort(order);
      for (const cluster of members) rows.push({ key: cluster.index });
    }
  }
  byId("found").textContent = found.length
    ? `${found.length.toLocaleString("en")} of ${counted(clusters.filter((c) => filters.singles || c.members.length > 1).length, "cluster")}`
    : "No cluster matches.";
  return rows;
}

function documentRows() {
  const asked = Boolean(filters.query.trim());
  const query = searchWords(filters.query);
  const rows = [];
  let story = null;
  let count = 0;
  documents.forEach((entry, index) => {
    if (asked) {
      entry.search ??= searched([entry.name, entry.title, entry.about, entry.text]);
      if (!query.length || !hasWords(query, entry.search)) return;
    }
    if (entry.story !== story && entry.story > 0) rows.push({ title: `Story ${entry.story}`, count: storySizes.get(entry.story) });
    story = entry.story;
    count += 1;
    rows.push({ key: index });
  });
  byId("found").textContent = count
    ? `${count.toLocaleString("en")} of ${counted(documents.length, "document")}`
    : "No document matches.";
  return rows;
}

const storySizes = new Map();
for (const { story } of documents) storySizes.set(story, (storySizes.get(story) || 0) + 1);

function heading({ title, count }) {
  return element("div", "heading", title, element("span", "count", count.toLocaleString("en")));
}

function clusterRow(row) {
  if (row.key === undefined) return heading(row);
  const cluster = clusters[row.key];
  const title = element("div", "title", foreign("bdi", "label", cluster.label), kindMark(cluster.kind));
  const words = otherWords(cluster).slice(0, 6).join(", ");
  const meta = element("div", "meta", element("span", "", sizes(cluster)), confidenceBar(cluster.confidence));
  return element("div", "choice", title, ...(words ? [foreign("div", "words", words)] : []), meta);
}

function kindMark(kind) {
  return element("span", `kind ${kind === "event" || kind === "entity" ? kind : "other"}`, kindName(kind));
}

/** A confidence as a bar and a number. */
function confidenceBar(confidence) {
  const node = element("span", "confidence");
  if (confidence < 0) return node;
  const bar = element("span", "level");
  bar.style.width = `${confidence}%`;
  const track = element("span", "track", bar);
  track.setAttribute("aria-hidden", "true");
  node.append(track, `confidence ${confidenceText(confidence)}`);
  return node;
}

function documentRow(row) {
  if (row.key === undefined) return heading(row);
  const entry = documents[row.key];
  entry.links ??= new Set(
    rangeOf(firstMention[row.key], firstMention[row.key + 1])
      .map((mention) => mentionCluster[mention])
      .filter((cluster) => clusters[cluster].documents > 1),
  ).size;
  const shared = `${counted(entry.links, "cluster")} shared with other documents`;
  const meta = entry.about ? foreign("bdi", "", `${entry.about} · ${shared}`) : shared;
  return element("div", "choice", element("div", "title", foreign("bdi", "label", entry.name)), element("div", "meta", meta));
}

function rangeOf(from, to) {
  return Array.from({ length: to - from }, (_, n) => from + n);
}

const clusterList = new ChoiceList(byId("cluster-list"), {
  guess: (row) => (row.key === undefined ? 36 : 80),
  render: clusterRow,
  choose: (key) => go(`#c${key}`),
});
const documentList = new ChoiceList(byId("document-list"), {
  guess: (row) => (row.key === undefined ? 36 : 58),
  render: documentRow,
  choose: (key) => go(`#d${key}`),
});

function showLists() {
  if (filters.tab === "clusters") clusterList.show(clusterRows());
  else if (filters.tab === "stories") storyList.show(storyRows());
  else documentList.show(documentRows());
}

const LISTS = { clusters: "cluster-list", stories: "story-list", documents: "document-list" };
const TABS = Object.keys(LISTS);

function chooseTab(tab) {
  filters.tab = tab;
  for (const name of TABS) {
    const chosen = name === tab;
    byId(`tab-${name}`).setAttribute("aria-selected", String(chosen));
    byId(`tab-${name}`).tabIndex = chosen ? 0 : -1;
    byId(`panel-${name}`).hidden = !chosen;
  }
  byId("cluster-filters").hidden = tab !== "clusters";
  showLists();
}

function setUpFilters() {
  const kinds = byId("kinds");
  for (const [value, title] of [[null, "All"], ...KINDS.map((kind) => [kind, KIND_NAMES[kind]?.[1] ?? kind])]) {
    const input = element("input");
    Object.assign(input, { type: "radio", name: "kind", checked: value === null });
    input.addEventListener("change", () => {
      filters.kind = value;
      showLists();
      texts.refresh();
    });
    kinds.append(element("label", "", input, element("span", "", title)));
  }
  kinds.hidden = KINDS.length < 2;
  const on = (id, type, change) => byId(id).addEventListener(type, ({ target }) => change(target));
  let timer = 0;
  on("query", "input", ({ value }) => {
    filters.query = value;
    clearTimeout(timer);
    timer = setTimeout(showLists, 120);
  });
  on("least", "input", ({ valueAsNumber }) => {
    filters.least = valueAsNumber || 1;
    showLists();
  });
  on("order", "change", ({ value }) => {
    filters.order = value;
    showLists();
  });
  on("singles", "change", ({ checked }) => {
    filters.singles = checked;
    showLists();
    texts.refresh();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const tab of TABS) {
    byId(`tab-${tab}`).addEventListener("click", () => chooseTab(tab));
    byId(`tab-${tab}`).addEventListener("keydown", ({ key }) => {
      if (key !== "ArrowLeft" && key !== "ArrowRight") return;
      const step = key === "ArrowRight" ? 1 : TABS.length - 1;
      chooseTab(TABS[(TABS.indexOf(tab) + step) % TABS.length]);
      byId(`tab-${filters.tab}`).focus();
    });
  }
}
