// The progress of an addition, asked for until it is over; then the page is loaded anew.

const job = document.getElementById("job");
const EVERY = 500; // milliseconds

async function follow() {
  try {
    const answer = await fetch(`/api/jobs/${job.dataset.number}`);
    const { state, stage, done, total } = await answer.json();
    if (!answer.ok || state === "done" || state === "failed") {
      location.reload();
      return;
    }
    document.getElementById("stage").textContent = stage
      ? `${stage}${total ? `: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : ""}`
      : "waiting for earlier additions";
    const bar = document.getElementById("progress");
    if (total) bar.value = Math.min(100, (100 * done) / total);
    else bar.removeAttribute("value");
  } catch {
    document.getElementById("stage").textContent = "The server cannot be reached; trying again.";
  }
  setTimeout(follow, EVERY);
}

if (job.dataset.over === "no") setTimeout(follow, EVERY);
