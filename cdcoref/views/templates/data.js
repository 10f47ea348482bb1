// The page's data, read from its JSON: documents, mentions, clusters, and the rows in which texts are shown.

const source = JSON.parse(document.getElementById("data").textContent);

// Offsets count UTF-16 units; `sentences` is start, end, start, end, ...; `about` is date, source and author.
const documents = source.documents.map(([name, story, text, sentences, title, about, url, copies]) => {
  return { name, story, text, sentences, title, about, url, copies };
});

// Columns, one entry per mention, in the order of the texts. `confidence` is in hundredths, -1 if unknown.
const mentionDocument = Int32Array.from(source.mentions.document);
const mentionStart = Int32Array.from(source.mentions.start);
const mentionEnd = Int32Array.from(source.mentions.end);
const mentionCluster = Int32Array.from(source.mentions.cluster);
const mentionConfidence = Int32Array.from(source.mentions.confidence);
const brokenParts = new Map(source.mentions.parts);
const mentionCount = mentionStart.length;

const clusters = source.clusters.map(([name, kind, label, confidence], index) => {
  return { index, name, kind, label, confidence, members: [], documents: 0 };
});
const firstMention = new Int32Array(documents.length + 1); // of every document; its last one precedes the next one's first
for (let m = 0; m < mentionCount; m += 1) {
  const { members } = clusters[mentionCluster[m]];
  const before = members.length ? mentionDocument[members[members.length - 1]] : -1;
  if (before !== mentionDocument[m]) clusters[mentionCluster[m]].documents += 1;
  members.push(m);
  firstMention[mentionDocument[m] + 1] = m + 1;
}
for (let d = 1; d <= documents.length; d += 1) firstMention[d] = Math.max(firstMention[d], firstMention[d - 1]);

const KINDS = [...new Set(clusters.map((cluster) => cluster.kind))].sort();
const KIND_NAMES = { event: ["event", "Events"], entity: ["entity", "Entities"], "": ["mention", "Others"] };

function kindName(kind) {
  return kind in KIND_NAMES ? KIND_NAMES[kind][0] : kind;
}

function counted(number, one, many) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many || `${one}s`}`;
}

/** A confidence in hundredths, as every view words it; empty if unknown. */
function confidenceText(confidence) {
  return confidence < 0 ? "" : source.confidenceTexts[confidence];
}

function sizes(cluster) {
  const mentions = counted(cluster.members.length, "mention");
  return `${mentions} in ${counted(cluster.documents, "document")}`;
}

/** Character ranges of a mention's unbroken parts. */
function partsOf(mention) {
  return brokenParts.get(mention) || [[mentionStart[mention], mentionEnd[mention]]];
}

function wordsOf(mention) {
  const { text } = documents[mentionDocument[mention]];
  const words = partsOf(mention).map(([start, end]) => text.slice(start, end));
  return words.join(" … ").replace(/\s+/g, " ");
}

// -- rows of the texts: a heading for every document, then its paragraphs, cut where they are very long ---------------

const HEADING = 0;
const PARAGRAPH = 1;
const LINE = 2; // begins on a new line, without space before it
const LONGEST_ROW = 1500;

const rowDocument = [];
const rowStart = [];
const rowEnd = [];
const rowType = [];
const headingRow = [];

function addRow(document, start, end, type) {
  rowDocument.push(document);
  rowStart.push(start);
  rowEnd.push(end);
  rowType.push(type);
}

documents.forEach(({ text, sentences }, d) => {
  headingRow.push(rowStart.length);
  addRow(d, 0, 0, HEADING);
  let start = 0;
  let type = PARAGRAPH;
  for (let s = 2; s < sentences.length; s += 2) {
    const gap = text.slice(sentences[s - 1], sentences[s]);
    const broken = gap.includes("\n");
    if (broken || sentences[s + 1] - start > LONGEST_ROW) {
      addRow(d, start, sentences[s], type);
      start = sentences[s];
      type = broken && /\n[^\S\n]*\n/.test(gap) ? PARAGRAPH : LINE;
    }
  }
  if (text.slice(start).trim()) addRow(d, start, text.length, type);
});
headingRow.push(rowStart.length);

/** The number of the row in which a character of a document is shown. */
function rowOf(document, character) {
  let low = headingRow[document];
  let high = headingRow[document + 1] - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rowStart[middle] <= character && rowType[middle] !== HEADING) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, Math.min(headingRow[document] + 1, headingRow[document + 1] - 1));
}
