// Stories: their list on the left; one story, with its timeline and its documents' disagreements.

const EVENTS_AT_ONCE = 25;

const sourceOf = new Map(source.stories.flatMap((story) => story.documents.map(([d, , published, headline]) => [d, published || headline])));
const stories = source.stories.map((story, index) => ({ index, ...story, words: searched([story.title, ...story.about]) }));

function storyRow({ story }) {
  const title = element("div", "title", foreign("span", "label", story.title));
  const about = [counted(story.documents.length, "document"), ...story.about.slice(1)].join(" · ");
  return element("div", "choice", title, element("div", "meta", element("span", "", about)));
}

const storyList = new ChoiceList(byId("story-list"), {
  guess: () => 58,
  render: storyRow,
  choose: (key) => go(`#s${key}`),
});

function storyRows() {
  const query = searchWords(filters.query);
  const found = stories.filter((story) => !filters.query.trim() || (query.length && hasWords(query, story.words)));
  byId("found").textContent = found.length ? counted(found.length, "story", "stories") : "No story matches.";
  return found.map((story) => ({ key: story.index, story }));
}

function documentLink(d, words = documents[d].name) {
  const link = foreign("a", "name", words);
  link.href = `#d${d}`;
  return link;
}

/** The words of an event, as a link to its cluster. */
function eventTitle(label, cluster) {
  const words = cluster < 0 ? foreign("bdi", "", label) : foreign("a", "name", label);
  if (cluster >= 0) words.href = `#c${cluster}`;
  return element("h4", "", words);
}

function quoted(sentence, d, value = "") {
  const node = element("p", "quoted", ...(value ? [element("strong", "", value), " "] : []), `${sentence} `, documentLink(d, sourceOf.get(d) || documents[d].name));
  node.dir = "auto";
  return node;
}

function eventCard([label, about, cluster, sentence, d]) {
  const head = element("header", "", eventTitle(label, cluster), element("span", "story", about));
  return element("article", "card", head, quoted(sentence, d));
}

function disagreementCard([label, about, cluster, statements]) {
  const head = element("header", "", eventTitle(label, cluster), element("span", "story", about));
  return element("article", "card", head, ...statements.map(([value, sentence, d]) => quoted(sentence, d, value)));
}

/** A part of a story: a heading and cards, the main ones at once and all on request. */
function storySection(title, entries, makeCard, isMinor = () => false) {
  if (!entries.length) return [];
  const main = entries.filter((entry) => !isMinor(entry)).slice(0, EVENTS_AT_ONCE);
  const first = main.length ? main : entries.slice(0, EVENTS_AT_ONCE);
  const cards = element("div", "events", ...first.map(makeCard));
  const nodes = [element("h3", "part", title), cards];
  if (entries.length > first.length) {
    const more = element("button", "more", `Show all ${entries.length}`);
    more.type = "button";
    more.addEventListener("click", () => {
      cards.replaceChildren(...entries.map(makeCard));
      more.remove();
    });
    nodes.push(more);
  }
  return nodes;
}

function storyNodes(story) {
  const title = foreign("h2", "", story.title);
  title.id = "story-label";
  const about = element("p", "meta", ...story.about.map((words) => foreign("span", "", words)));
  const list = element("ul", "plain");
  for (const [d, day, published, headline] of story.documents) {
    const known = [day, published].filter(Boolean).join(" · ");
    list.append(element("li", "", documentLink(d, headline), known ? foreign("span", "story", ` ${known}`) : ""));
  }
  return [
    element("header", "head", element("div", "title", title), about),
    element("h3", "part", "Documents"),
    list,
    ...storySection("Timeline", story.timeline, eventCard, (event) => event[5]),
    ...storySection("Numbers over time", story.numbers, disagreementCard),
    ...storySection("Where documents disagree", story.disagreements, disagreementCard),
    ...storySection("Only in one document", story.oneSource, eventCard),
  ];
}

function showStory(story) {
  byId("story-content").replaceChildren(...storyNodes(story));
  byId("story-scroll").scrollTop = 0;
}
