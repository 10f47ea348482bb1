// Words that several mentions share: a click asks which of them is meant.

const dialog = document.getElementById("choose");

document.getElementById("text").addEventListener("click", (event) => {
  const link = event.target.closest("a.m");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const mentions = link.dataset.mentions.split(" ");
  if (mentions.length < 2) return;
  event.preventDefault();
  const clusters = link.dataset.clusters.split(" ");
  const choices = mentions.map((mention, n) => {
    const choice = document.createElement("a");
    choice.href = `/clusters/${clusters[n]}?mention=${mention}#${mention}`;
    const words = document.createElement("bdi");
    words.className = "label";
    words.textContent = wordsOf(mention);
    choice.append(words);
    const known = document.querySelector(`[data-cluster="${clusters[n]}"]`);
    if (known) choice.append(known.querySelector(".kind").cloneNode(true));
    const item = document.createElement("li");
    item.append(choice);
    return item;
  });
  document.getElementById("choices").replaceChildren(...choices);
  dialog.showModal();
});

/** The words of a mention, whose parts may lie in several links. */
function wordsOf(mention) {
  const links = document.querySelectorAll(`#text a[data-mentions~="${mention}"]`);
  return [...links].map((link) => link.textContent).join("").replace(/\s+/g, " ");
}
