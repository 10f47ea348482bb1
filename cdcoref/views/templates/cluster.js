// One cluster: its wordings, and its mentions in their sentences, side by side, one card per document.

const CARDS_AT_ONCE = 40;
const LONGEST_SENTENCE = 420; // characters; of a longer one, only the part around the mentions is shown
const AROUND = 160;

/** Sentences of one document in which a cluster is mentioned: `{ start, end, members }`. */
function sentencesWith(members) {
  const { sentences, text } = documents[mentionDocument[members[0]]];
  const found = [];
  let s = 0;
  for (const mention of members) {
    while (s + 2 < sentences.length && sentences[s + 1] <= mentionStart[mention]) s += 2;
    let start = sentences.length ? Math.min(sentences[s], mentionStart[mention]) : 0;
    let end = sentences.length ? sentences[s + 1] : text.length;
    for (let t = s; t < sentences.length && end < mentionEnd[mention]; t += 2) end = sentences[t + 1];
    end = Math.max(end, mentionEnd[mention]);
    const last = found[found.length - 1];
    if (last && start < last.end) {
      last.end = Math.max(last.end, end);
      last.members.push(mention);
    } else {
      found.push({ start, end, members: [mention] });
    }
  }
  return found;
}

/** A sentence with the cluster's mentions as links into the text. */
function sentenceElement({ start, end, members }) {
  const { text } = documents[mentionDocument[members[0]]];
  let [from, to] = [start, end];
  if (end - start > LONGEST_SENTENCE) {
    const first = Math.max(start, mentionStart[members[0]] - AROUND);
    const last = Math.min(end, Math.max(...members.map((m) => mentionEnd[m])) + AROUND);
    from = first > start ? first + text.slice(first).search(/\s/) : start;
    to = last < end ? text.slice(0, last).search(/\s\S*$/) : end;
    if (from < first || from > mentionStart[members[0]]) from = first;
    if (to < mentionEnd[members[members.length - 1]]) to = last;
  }
  const node = foreign("p", "sentence", from > start ? "… " : "");
  const inside = members.filter((m) => mentionStart[m] < to && mentionEnd[m] > from);
  fillText(node, text, from, to, marksIn(inside, from, to));
  if (to < end) node.append(" …");
  const finished = new Set();
  for (const link of [...node.querySelectorAll("a.m")].reverse()) {
    for (const mention of link.dataset.m.split(" ").map(Number)) {
      link.href = `#m${mention}`;
      if (!finished.has(mention) && mentionConfidence[mention] >= 0) {
        const confidence = element("span", "sure", confidenceText(mentionConfidence[mention]));
        confidence.title = "confidence";
        link.after(confidence);
      }
      finished.add(mention);
    }
    link.classList.add("on");
  }
  node.dataset.first = members[0];
  return node;
}

function card(members) {
  const d = mentionDocument[members[0]];
  const name = foreign("a", "name", documents[d].name);
  name.href = `#d${d}`;
  const title = element("h3", "", name);
  const story = documents[d].story > 0 ? [element("span", "story", `Story ${documents[d].story}`)] : [];
  const node = element("article", "card", element("header", "", title, ...story));
  node.append(...sentencesWith(members).map(sentenceElement));
  return node;
}

/** The members of a cluster, document by document. */
function byDocument(cluster) {
  const groups = [];
  for (const mention of cluster.members) {
    const group = groups[groups.length - 1];
    if (group && mentionDocument[group[0]] === mentionDocument[mention]) group.push(mention);
    else groups.push([mention]);
  }
  return groups;
}

function clusterHead(cluster) {
  const title = foreign("h2", "", cluster.label);
  title.id = "cluster-label";
  const head = element("header", "head", element("div", "title", title, kindMark(cluster.kind)));
  const size = cluster.members.length > 1 ? sizes(cluster) : "No other mention corefers with this one.";
  head.append(element("p", "meta", element("span", "", size), confidenceBar(cluster.confidence)));
  const others = otherWords(cluster);
  if (others.length) {
    const list = element("p", "words", "Also mentioned as ");
    others.slice(0, 12).forEach((words, n) => list.append(n ? ", " : "", foreign("bdi", "", words)));
    if (others.length > 12) list.append(` and ${counted(others.length - 12, "other wording")}`);
    head.append(list);
  }
  if (cluster.name) head.append(element("p", "id", "Cluster name: ", foreign("bdi", "", cluster.name)));
  return head;
}

let moreCards = null;

function showCluster(cluster) {
  const content = byId("cluster-content");
  const cards = element("div", "cards");
  const groups = byDocument(cluster);
  content.replaceChildren(clusterHead(cluster), cards);
  moreCards?.disconnect();
  const end = element("div", "end");
  content.append(end);
  const addCards = () => {
    cards.append(...groups.slice(cards.childElementCount, cards.childElementCount + CARDS_AT_ONCE).map(card));
    if (cards.childElementCount === groups.length) {
      moreCards?.disconnect();
      end.remove();
    }
  };
  addCards();
  if (cards.childElementCount < groups.length) {
    moreCards = new IntersectionObserver(
      (entries) => {
        if (!entries[entries.length - 1].isIntersecting) return;
        addCards();
        moreCards.unobserve(end); // observed anew, it reports again if it is still in view
        if (end.isConnected) moreCards.observe(end);
      },
      { root: byId("cluster-scroll"), rootMargin: "800px" },
    );
    moreCards.observe(end);
  }
  byId("cluster-scroll").scrollTop = 0;
  showPlace();
}

/** The position of the cluster in the filtered list. */
function showPlace() {
  const place = clusterList.place();
  byId("place").textContent = place ? `${place.number.toLocaleString("en")} of ${place.of.toLocaleString("en")}` : "";
  byId("previous-cluster").disabled = clusterList.beside(-1) === undefined;
  byId("next-cluster").disabled = clusterList.beside(1) === undefined;
}

function stepCluster(step) {
  const next = clusterList.beside(step);
  if (next !== undefined) go(`#c${next}`, { replace: state.view === "cluster" });
}
