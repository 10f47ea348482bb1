// Adding files: dropped or chosen, sent with progress; then the page of the addition.

const form = document.getElementById("adding");
const drop = document.getElementById("drop");
const input = document.getElementById("files");
const state = document.getElementById("state");
const bar = document.getElementById("sending");
const limit = Number(form.dataset.limit);

function showFiles() {
  const files = [...input.files];
  const shown = files.slice(0, 200).map((file) => {
    const item = document.createElement("li");
    const name = document.createElement("bdi");
    name.textContent = file.name;
    item.append(name);
    return item;
  });
  document.getElementById("list").replaceChildren(...shown);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const count = `${files.length.toLocaleString("en")} ${files.length === 1 ? "file" : "files"}`;
  say(size > limit ? `${count} of ${megabytes(size)}; the maximum is ${megabytes(limit)}` : files.length ? count : "");
  document.getElementById("send").disabled = size > limit;
}

function megabytes(size) {
  return `${Math.max(1, Math.round(size / 2 ** 20))} MB`;
}

function say(words) {
  state.textContent = words;
}

input.addEventListener("change", showFiles);
addEventListener("pageshow", showFiles);

// Files may be dropped anywhere on the page; otherwise the browser would leave it to show them.
let depth = 0;
addEventListener("dragenter", (event) => {
  event.preventDefault();
  depth += 1;
  drop.classList.add("over");
});
addEventListener("dragleave", () => {
  depth -= 1;
  if (depth <= 0) drop.classList.remove("over");
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  depth = 0;
  drop.classList.remove("over");
  if (!event.dataTransfer.files.length) return;
  const all = new DataTransfer();
  for (const file of [...input.files, ...event.dataTransfer.files]) all.items.add(file);
  input.files = all.files;
  showFiles();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const request = new XMLHttpRequest();
  const send = document.getElementById("send");
  send.disabled = true;
  bar.hidden = false;
  say("sending");
  const failed = (why) => {
    say(why);
    send.disabled = false;
    bar.hidden = true;
  };
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    bar.value = total ? (100 * loaded) / total : 0;
  });
  request.addEventListener("load", () => {
    const { number, error } = request.response ?? {};
    if (request.status === 202) location.assign(`/jobs/${number}`);
    else failed(error ?? "The server gave no answer; nothing was added.");
  });
  request.addEventListener("error", () => failed("The server cannot be reached; nothing was added. Try again."));
  request.responseType = "json";
  request.open("POST", "/api/files");
  request.setRequestHeader("X-Cdcoref", "1");
  const data = new FormData();
  for (const file of input.files) data.append("files", file, file.webkitRelativePath || file.name);
  data.append("same_name", form.elements.same_name.value);
  data.append("encoding", form.elements.encoding.value);
  request.send(data);
});
