// A stretch of text as elements: mentions are links, each underlined, even if they are nested or overlap.

/** An element of a class, holding text or other nodes; text is never parsed as HTML. */
function element(tag, className, ...content) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...content);
  return node;
}

/** A text from a document, whose direction is its own and does not affect its surroundings. */
function foreign(tag, className, text) {
  const node = element(tag, className, text);
  node.dir = "auto";
  return node;
}

/**
 * The parts of mentions that lie in a stretch of text, each with a level: 0 is the line next to the words, and a mention
 * is drawn below the shorter ones that it overlaps.
 */
function marksIn(mentions, from, to) {
  const marks = [];
  for (const mention of mentions) {
    for (const [start, end] of partsOf(mention)) {
      if (start < to && end > from) {
        marks.push({ mention, start: Math.max(start, from), end: Math.min(end, to), level: 0 });
      }
    }
  }
  marks.sort((a, b) => a.end - a.start - (b.end - b.start) || a.start - b.start || a.mention - b.mention);
  marks.forEach((mark, n) => {
    const levels = new Set();
    for (let k = 0; k < n; k += 1) {
      if (marks[k].start < mark.end && marks[k].end > mark.start) levels.add(marks[k].level);
    }
    while (levels.has(mark.level)) mark.level += 1;
  });
  return marks;
}

/** Fill an element with a stretch of text: plain text, and links for the marks. */
function fillText(parent, text, from, to, marks) {
  const depth = Math.max(0, ...marks.map((mark) => mark.level + 1));
  if (depth > 1) parent.style.setProperty("--depth", depth);
  const borders = [...new Set([from, to, ...marks.flatMap((mark) => [mark.start, mark.end])])].sort((a, b) => a - b);
  const byStart = [...marks].sort((a, b) => a.start - b.start);
  let open = [];
  let next = 0;
  for (let n = 0; n + 1 < borders.length; n += 1) {
    const [start, end] = [borders[n], borders[n + 1]];
    open = open.filter((mark) => mark.end > start);
    while (next < byStart.length && byStart[next].start === start) {
      open.push(byStart[next]);
      next += 1;
    }
    const words = text.slice(start, end);
    parent.append(open.length ? segment(words, open, depth) : words);
  }
}

function segment(words, marks, depth) {
  const inner = [...marks].sort((a, b) => a.level - b.level);
  const node = element("a", "m", words);
  node.href = `#c${mentionCluster[inner[0].mention]}`;
  node.dataset.m = inner.map((mark) => mark.mention).join(" ");
  node.dataset.c = [...new Set(inner.map((mark) => mentionCluster[mark.mention]))].join(" ");
  const lines = inner.map(({ mention }) => lineColour(mention));
  node.style.backgroundImage = lines.map(([colour, dashed]) => (dashed ? dashes(colour) : solid(colour))).join(",");
  node.style.backgroundPosition = inner.map(({ level }) => `0 calc(100% - ${3 * (depth - 1 - level)}px)`).join(",");
  return node;
}

function lineColour(mention) {
  const confidence = mentionConfidence[mention];
  const { kind } = clusters[mentionCluster[mention]];
  const strength = confidence < 0 || confidence >= 75 ? 100 : confidence >= 50 ? 65 : 35;
  const colour = kind === "event" || kind === "entity" ? `var(--${kind})` : "var(--other)";
  return [strength === 100 ? colour : `color-mix(in srgb, ${colour} ${strength}%, transparent)`, kind === "event"];
}

function solid(colour) {
  return `linear-gradient(${colour}, ${colour})`;
}

function dashes(colour) {
  return `repeating-linear-gradient(90deg, ${colour} 0 5px, transparent 5px 7px)`;
}
