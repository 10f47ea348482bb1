// How well a cluster fits what people search for; the same as cdcoref.predict.search_points.

const TITLE = 6;
const WORDING = 4;
const SENTENCE = 2;

/** The words of a text, in lower case and without accents. */
function searchWords(text) {
  return text.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
}

/** Texts as words between spaces. */
function searched(texts) {
  return ` ${texts.flatMap(searchWords).join(" ")} `;
}

/** What a word is worth in a searched text: `worth`, half of it for the beginning of a word, or 0. */
function wordPoints(word, text, worth) {
  if (!text.includes(` ${word}`)) return 0;
  return text.includes(` ${word} `) ? worth : worth / 2;
}

/** The points of a cluster; 0 if it lacks a word of the query. */
function searchPoints(query, title, wordings, sentences) {
  let total = 0;
  let known = null;
  for (const word of query) {
    let points = Math.max(wordPoints(word, title, TITLE), wordPoints(word, wordings, WORDING));
    if (!points) {
      known ??= sentences();
      for (const sentence of known) points = Math.max(points, wordPoints(word, sentence, SENTENCE));
    }
    if (!points) return 0;
    total += points;
  }
  return total;
}

/** The searched sentence in which a mention begins. */
function searchedSentence(mention) {
  const entry = documents[mentionDocument[mention]];
  const { text, sentences } = entry;
  let low = 0;
  let high = sentences.length / 2 - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sentences[2 * middle] <= mentionStart[mention]) low = middle;
    else high = middle - 1;
  }
  entry.searched ??= [];
  entry.searched[low] ??= searched([text.slice(sentences[2 * low], sentences[2 * low + 1])]);
  return entry.searched[low];
}

/** The points of a cluster of the page. */
function clusterPoints(query, cluster) {
  cluster.title ??= searched([cluster.label]);
  cluster.wordings ??= searched([cluster.name, ...new Set(cluster.members.map(wordsOf))]);
  return searchPoints(query, cluster.title, cluster.wordings, () => new Set(cluster.members.map(searchedSentence)));
}

/** Whether a searched text has every word of a query, or a word that begins with it. */
function hasWords(query, text) {
  return query.every((word) => text.includes(` ${word}`));
}
