// The texts on the right, one after another, with their mentions; and the description of a mention under the pointer.

const state = { view: "home", cluster: null, mention: null, document: null }; // the current view

function textRow(index) {
  const d = rowDocument[index];
  const entry = documents[d];
  if (rowType[index] === HEADING) {
    const node = element("div", "document", foreign("h2", "", entry.name));
    if (entry.title) node.append(foreign("p", "headline", entry.title));
    if (entry.about) node.append(foreign("p", "about", entry.about));
    if (entry.url) {
      const link = foreign("a", "", entry.url);
      link.href = entry.url;
      link.rel = "noopener noreferrer";
      node.append(element("p", "url", link));
    }
    if (entry.story > 0) node.append(element("p", "", `Story ${entry.story}`));
    if (entry.copies.length) node.append(copiesOf(entry));
    if (headingRow[d + 1] === index + 1) node.append(element("p", "", "This document is empty."));
    return node;
  }
  const paragraph = foreign("p", rowType[index] === LINE ? "text line" : "text", "");
  fillRow(paragraph, entry, d, rowStart[index], rowEnd[index]);
  for (const link of paragraph.querySelectorAll("a")) markLink(link);
  return paragraph;
}

/** The near-duplicates of a document, as links. */
function copiesOf(entry) {
  const line = element("p", "copies", "Near-duplicate of ");
  entry.copies.forEach((number, place) => {
    const link = foreign("a", "", documents[number].name);
    link.href = `#d${number}`;
    line.append(place ? ", " : "", link);
  });
  return line;
}

function fillRow(parent, entry, d, start, end) {
  const mentions = [];
  for (let m = firstMention[d]; m < firstMention[d + 1]; m += 1) {
    if (mentionStart[m] < end && mentionEnd[m] > start && shown(m)) mentions.push(m);
  }
  fillText(parent, entry.text, start, end, marksIn(mentions, start, end));
}

/** Show whether a link's mention belongs to the chosen cluster, and whether it is the chosen mention. */
function markLink(link) {
  const has = (list, number) => number !== null && ` ${list} `.includes(` ${number} `);
  link.classList.toggle("on", has(link.dataset.c, state.cluster));
  link.classList.toggle("here", has(link.dataset.m, state.mention));
}

const texts = new VirtualList(byId("texts"), {
  tail: 0.8,
  guess: (index, width) => {
    if (rowType[index] === HEADING) return 90;
    const column = Math.min(width, 720) - 40;
    return Math.ceil(((rowEnd[index] - rowStart[index]) * 8) / column) * 31 + 12;
  },
  render: textRow,
  moved: (list) => {
    if (!list.count) return;
    const d = currentDocument(list);
    const number = documents.length > 1 ? ` (${(d + 1).toLocaleString("en")} of ${documents.length.toLocaleString("en")})` : "";
    byId("current").replaceChildren(foreign("bdi", "", documents[d].name), number);
  },
});

/** The chosen document while it is in view, otherwise the one at the top. */
function currentDocument({ heights, viewport }) {
  const d = state.document;
  const top = viewport.scrollTop;
  if (d !== null && heights.before(headingRow[d]) < top + viewport.clientHeight && heights.before(headingRow[d + 1]) > top) {
    return d;
  }
  return rowDocument[heights.at(top + 40)];
}

function markTexts() {
  for (const link of byId("texts").querySelectorAll("a.m")) markLink(link);
}

let jumping = false; // the focus was moved to a mention by the page, not by the user

/** Scroll to a mention and focus it. */
function showMention(mention) {
  markTexts();
  texts.show(rowOf(mentionDocument[mention], mentionStart[mention]));
  const link = byId("texts").querySelector(`a[data-m~="${mention}"]`);
  if (!link) return;
  const view = byId("texts").getBoundingClientRect();
  const place = link.getBoundingClientRect();
  if (place.top < view.top + 20 || place.bottom > view.bottom - 60) {
    byId("texts").scrollTop += place.top - view.top - view.height * 0.3;
    texts.draw();
  }
  jumping = true;
  link.focus({ preventScroll: true });
  jumping = false;
}

function showSteps() {
  const cluster = state.cluster === null ? null : clusters[state.cluster];
  byId("steps").hidden = cluster === null;
  if (cluster === null) return;
  byId("back").replaceChildren("Back to “", foreign("bdi", "", cluster.label), "”");
  byId("back").href = `#c${cluster.index}`;
  const at = cluster.members.indexOf(state.mention);
  byId("step").textContent = `${(at + 1).toLocaleString("en")} of ${cluster.members.length.toLocaleString("en")}`;
  byId("previous-mention").disabled = at <= 0;
  byId("next-mention").disabled = at >= cluster.members.length - 1;
}

function stepMention(step) {
  if (state.cluster === null) return;
  const { members } = clusters[state.cluster];
  const next = members[members.indexOf(state.mention) + step];
  if (next !== undefined) go(`#m${next}`, { replace: state.view === "mention" });
}

// -- the description of a mention --------------------------------------------------------------------------------------

const tip = byId("tip");
let tipTimer = 0;

function describe(mention) {
  const cluster = clusters[mentionCluster[mention]];
  const words = foreign("bdi", "label", cluster.members.length > 1 ? cluster.label : wordsOf(mention));
  const size = cluster.members.length > 1 ? sizes(cluster) : "no other mention corefers with this one";
  return element("div", "", words, kindMark(cluster.kind), element("span", "size", size), confidenceBar(mentionConfidence[mention]));
}

function showTip(link) {
  clearTimeout(tipTimer);
  tip.replaceChildren(...link.dataset.m.split(" ").map((mention) => describe(Number(mention))));
  tip.hidden = false;
  const place = link.getClientRects()[0];
  const size = tip.getBoundingClientRect();
  const below = place.bottom + 4 + size.height < innerHeight;
  tip.style.top = `${below ? place.bottom + 4 : place.top - size.height - 4}px`;
  tip.style.left = `${Math.max(8, Math.min(place.left, innerWidth - size.width - 8))}px`;
  link.setAttribute("aria-describedby", "tip");
}

function hideTip() {
  clearTimeout(tipTimer);
  tip.hidden = true;
  for (const link of document.querySelectorAll("[aria-describedby=tip]")) link.removeAttribute("aria-describedby");
}

/** Hide the description after a delay, in which the pointer may move onto it. */
function hideTipSoon() {
  clearTimeout(tipTimer);
  tipTimer = setTimeout(hideTip, 150);
}

function setUpTip() {
  const area = byId("texts");
  const hover = matchMedia("(hover: hover)");
  area.addEventListener("pointerover", ({ target }) => {
    const link = target.closest("a.m");
    if (link && hover.matches) showTip(link);
    else hideTipSoon();
  });
  area.addEventListener("pointerleave", hideTipSoon);
  tip.addEventListener("pointerover", () => clearTimeout(tipTimer));
  tip.addEventListener("pointerleave", hideTipSoon);
  area.addEventListener("focusin", ({ target }) => {
    if (!jumping && target.matches("a.m:focus-visible")) showTip(target);
  });
  area.addEventListener("focusout", hideTipSoon);
  area.addEventListener("scroll", hideTip, { passive: true });
}

/** Ask which of several mentions that share the words is meant. */
function chooseMention(link) {
  const choices = link.dataset.m.split(" ").map(Number);
  byId("choices").replaceChildren(
    ...choices.map((mention) => {
      const cluster = clusters[mentionCluster[mention]];
      const choice = element("a", "", foreign("bdi", "label", wordsOf(mention)), kindMark(cluster.kind), element("span", "size", sizes(cluster)));
      choice.href = `#c${cluster.index}`;
      return element("li", "", choice);
    }),
  );
  byId("choose").showModal();
}
