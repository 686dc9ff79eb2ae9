// Requests to the engine: one after each change, with a cache of the answers.

function showEdited(edited) {
  page.edited = edited;
  page.changes = edited.changes;
  page.editors.forEach(update => update());
  byId("changed").hidden = edited.changed.length === 0;
  byId("changed").firstElementChild.textContent = `${edited.changed.length} changed`;
  byId("changed").lastElementChild.replaceChildren(...edited.changed.map(c => make("li", {}, `${c.label}: ${c.from} → ${c.to}`)));
  byId("reset").disabled = edited.changed.length === 0;
  byId("undo").disabled = page.undo.length === 0;
  byId("redo").disabled = page.redo.length === 0;
  if (location.hash.slice(1) !== edited.fragment) history.replaceState(null, "", "#" + edited.fragment);
}

function cancel() {
  clearTimeout(compute.timer);
  if (!page.running && !page.drawing) return;
  page.running = page.drawing = null;
  page.slow.stop();
  page.slow = page.spawn();
  byId("progress").hidden = true;
}

// pending removes the verdicts, which are outdated, and dims the figures.
function pending(text) {
  document.body.classList.add("computing");
  byId("headline").className = "headline";
  byId("headline").textContent = text;
  page.layout.rows.forEach(row => row.verdict.replaceChildren("…"));
  byId("list").querySelectorAll("h3 b").forEach(b => b.remove());
}

// compute shows the answer for the current changes, from the cache or from the worker.
function compute() {
  const wrong = Object.keys(page.edited.wrong), key = page.edited.fragment;
  if (wrong.length) {
    const cell = page.cells.get(wrong[0]);
    return pending(`Not computed: ${cell ? cell.label : wrong[0]} ${page.edited.wrong[wrong[0]]}.`);
  }
  if (page.cache.has(key)) return show(page.cache.get(key));
  pending("Computing.");
  compute.timer = setTimeout(work, 150);
}

async function work() {
  const token = page.running = {}, slow = page.slow, key = page.edited.fragment, changes = page.changes, begun = performance.now();
  let runs = "", early = false;
  const doing = () => {
    const seconds = Math.round((performance.now() - begun) / 1000);
    byId("doing").textContent = (early ? "Computing needs, growth and remedies" : "Computing" + runs) + (seconds > 1 ? `, ${seconds} s` : "");
    if (!early) byId("headline").textContent = "Computing" + runs + ".";
  };
  byId("progress").hidden = false;
  byId("bar").removeAttribute("value");
  doing();
  const tick = setInterval(() => page.running === token ? doing() : clearInterval(tick), 250);
  const told = ({done, all, view}) => {
    if (page.running !== token) return;
    if (view) { early = true; byId("bar").removeAttribute("value"); show(view); } else if (!early) {
      runs = `: ${done} of ${all} runs`;
      byId("bar").value = done / all;
    }
    doing();
  };
  try {
    await slow.started;
    const view = await slow.ask({do: "compute", changes}, told);
    if (page.running !== token) return;
    page.running = null;
    byId("progress").hidden = true;
    if (view.error) return pending(`Not computed: ${view.error}.`);
    page.cache.set(key, view);
    show(view);
  } catch (error) {
    if (page.running === token) pending("Not computed: " + error.message);
  }
}

// cost requests the throughput that a tier's link needs for several RPOs.
async function cost(event) {
  event.preventDefault();
  if (page.running) return say("Wait until the plan is computed.");
  cancel();
  const token = page.running = {}, tier = byId("cost-tier").value;
  byId("cost-doing").textContent = "0 of 4";
  await page.slow.started;
  const {costs, error} = await page.slow.ask({do: "costs", changes: page.changes, tier},
    ({done, all}) => { byId("cost-doing").textContent = `${done} of ${all}`; });
  if (page.running !== token) return;
  page.running = null;
  byId("cost-doing").textContent = "";
  lines();
  if (error) return say(error);
  byId("costs").replaceChildren(make("table", {}, make("caption", {}, `Throughput needed by RPO for ${tier}, other inputs unchanged`),
    make("thead", {}, make("tr", {}, ...["RPO", "Throughput needed", "Reserve", ""].map(t => make("th", {scope: "col"}, t)))),
    make("tbody", {}, ...costs.map(c => {
      const button = make("button", {type: "button", "aria-label": `Set an RPO of ${c.rpo}`}, "Set");
      button.addEventListener("click", () => alter({...page.changes, ...c.changes}));
      return make("tr", {}, make("th", {scope: "row"}, c.rpo), make("td", {}, c.need), make("td", {}, c.reserve), make("td", {}, button));
    }))));
}
