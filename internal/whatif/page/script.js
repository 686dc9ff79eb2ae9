// The page shows the answers of the engine: everything that is computed or judged comes from it.

const byId = id => document.getElementById(id);

// make creates an element with attributes and children.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in element && key !== "list" && key !== "form") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const page = {
  layout: null, cells: new Map(), editors: new Map(), changes: {}, view: null,
  quick: null, slow: null, running: null, baseline: [],
};

// drawn makes an element of a chart, the only markup that is taken as it is: the module escapes its texts.
const svg = window => {
  const policy = {createHTML: text => text, createScriptURL: address => address};
  return window.trustedTypes ? window.trustedTypes.createPolicy("vsla", policy) : policy;
};

function buildTiers({columns, rows}) {
  if (rows.length === 0) return;
  const head = make("tr", {}, make("th", {scope: "col"}, "Tier"),
    ...columns.map(c => make("th", {scope: "col"}, c.label, c.unit ? ` in ${c.unit}` : "")),
    make("th", {scope: "col"}, "Alone"), make("th", {scope: "col"}, "All together"));
  const body = make("tbody");
  for (const row of rows) {
    const line = make("tr", {}, make("th", {scope: "row"}, row.title));
    for (const c of columns) {
      const id = row.cells[c.name], name = `${row.title}: ${c.label}${c.unit ? " in " + c.unit : ""}`;
      line.append(make("td", {"data-label": c.label}, id ? editor(page.cells.get(id), name) : "–"));
    }
    row.alone = make("td", {"data-label": "Alone"}, "–");
    row.together = make("td", {"data-label": "All together"}, "–");
    line.append(row.alone, row.together);
    body.append(line);
  }
  if (rows.length > 1) body.append(allTiers(columns, rows));
  byId("table").append(make("table", {}, make("caption", {}, "What each tier promises, and whether it holds"), make("thead", {}, head), body));
  for (const row of rows)
    if (row.more.length) byId("more").append(lazily(`More inputs of ${row.title}`, () => fields(row.more, row.title)));
  byId("tiers").hidden = false;
}

// allTiers is a row that sets an input of every tier.
function allTiers(columns, rows) {
  const line = make("tr", {className: "all"}, make("th", {scope: "row"}, "all tiers"));
  for (const c of columns) {
    const cells = rows.map(row => page.cells.get(row.cells[c.name])).filter(Boolean);
    if (!cells.length || cells[0].kind !== "number") {
      line.append(make("td", {"data-label": c.label}, "–"));
      continue;
    }
    const field = make("input", {type: "number", step: "any", "aria-label": `all tiers: ${c.label}${c.unit ? " in " + c.unit : ""}`});
    field.addEventListener("input", () => {
      const value = read(cells[0], field.value);
      for (const cell of cells) {
        if (value === null || same(value, cell.source)) delete page.changes[cell.id];
        else page.changes[cell.id] = value;
      }
      refresh();
    });
    page.editors.set("all/" + c.name, [view => {
      const values = cells.map(cell => cell.id in page.changes ? page.changes[cell.id] : cell.source ?? null);
      const one = values.every(v => same(v, values[0]));
      if (document.activeElement !== field) field.value = one ? shown(values[0]) : "";
      field.placeholder = one ? shown(cells[0].default) : "differ";
    }]);
    line.append(make("td", {"data-label": c.label},
      make("div", {className: "cell"}, field, c.unit ? make("span", {className: "unit"}, c.unit) : null)));
  }
  line.append(make("td", {"data-label": "Alone"}, "–"), make("td", {"data-label": "All together"}, "–"));
  return line;
}

function build(layout) {
  page.layout = layout;
  layout.cells.forEach(cell => page.cells.set(cell.id, cell));
  byId("source").prepend(`From ${layout.source}. `);
  byId("notes").textContent = layout.notes.join(" ");
  byId("yaml").hidden = !layout.tiers_file;
  buildTiers(layout);
  for (const section of layout.sections) {
    const part = make("section", {}, make("h3", {}, section.title), fields(section.cells, section.title));
    if (section.more.length) part.append(lazily(`More inputs: ${section.title}`, () => fields(section.more, section.title)));
    byId("inputs").append(part);
  }
  byId("inputs").hidden = layout.sections.length === 0;
}

// show brings the page up to date with a view.
function show(view) {
  page.view = view;
  const headline = byId("headline");
  headline.className = "headline " + view.level;
  headline.textContent = view.headline;
  byId("failing").replaceChildren(...view.failing.map(f => make("span", {}, f.title + " ", badge(f.level, f.word))));
  byId("moved").replaceChildren(...view.moved.map(text => make("li", {}, text)));
  byId("changed").hidden = view.changed.length === 0;
  byId("changed").firstElementChild.textContent = `${view.changed.length} changed`;
  byId("changed").lastElementChild.replaceChildren(...view.changed.map(c => make("li", {}, `${c.label}: ${c.from} -> ${c.to}`)));
  byId("reset").disabled = view.changed.length === 0;
  page.editors.forEach(all => all.forEach(one => one(view)));
  for (const row of page.layout.rows) {
    for (const [cell, together] of [[row.alone, false], [row.together, true]]) {
      const result = view.results.find(r => r.scope === row.scope && !!r.together === together);
      if (result) cell.replaceChildren(make("span", {}, badge(result.level, result.word), was(result)));
    }
  }
  byId("list").replaceChildren(...view.results.filter(r => !r.together).map(card));
  byId("results").hidden = view.results.length === 0;
  charts(view.figures);
  if (location.hash.slice(1) !== view.fragment) history.replaceState(null, "", "#" + view.fragment);
  announce(view);
}

const was = result => result.before ? make("span", {className: "before"}, ` was ${result.before}`) : "";

function card(result) {
  const one = make("article", {}, make("h3", {}, result.title, " ", badge(result.level, result.word), was(result)),
    make("p", {}, result.summary));
  if (result.notes.length) one.append(make("ul", {className: "reasons"}, ...result.notes.map(n => make("li", {}, n))));
  if (result.answers.length)
    one.append(make("div", {className: "answers"}, ...result.answers.map(a => {
      const button = make("button", {type: "button"}, a.text);
      button.addEventListener("click", () => change(a.cell, a.value));
      return button;
    })));
  return one;
}

function charts(figures) {
  const drawn = figures.map(f => f.wide).join();
  if (charts.drawn === drawn) return;
  charts.drawn = drawn;
  byId("figures").hidden = figures.length === 0;
  byId("charts").replaceChildren(...figures.map(f => {
    const wide = make("div", {className: "wide"}), narrow = make("div", {className: "narrow"});
    wide.innerHTML = page.trusted.createHTML(f.wide);
    narrow.innerHTML = page.trusted.createHTML(f.narrow);
    return make("figure", {}, make("figcaption", {}, f.title), wide, narrow);
  }));
}

// announce reports the verdict to screen readers when typing has paused.
function announce(view) {
  clearTimeout(announce.timer);
  const text = view.headline + (view.moved.length ? " " + view.moved.join("; ") + "." : "");
  announce.timer = setTimeout(() => { if (byId("status").textContent !== text) byId("status").textContent = text; }, 700);
}

// refresh asks for the view of the changes; of several during one answer, the last one counts.
async function refresh() {
  if (refresh.busy) { refresh.again = true; return; }
  refresh.busy = true;
  cancel();
  do {
    refresh.again = false;
    const view = await page.quick.ask({do: "view", changes: page.changes});
    if (!refresh.again) show(view);
  } while (refresh.again);
  refresh.busy = false;
  clearTimeout(refresh.timer);
  refresh.timer = setTimeout(work, 100);
}

function cancel() {
  clearTimeout(refresh.timer);
  if (!page.running) return;
  page.slow.stop();
  page.slow = page.spawn();
  page.running = null;
  byId("progress").hidden = true;
}

// next returns the next slow calculation: verdicts of the changes, those of the source, and what would change them.
function next() {
  const own = page.view.jobs.map(job => ({job, changes: {...page.changes}}));
  const source = Object.keys(page.changes).length ? page.baseline.map(job => ({job, changes: {}})) : [];
  const all = [...own.filter(o => o.job.verdict), ...source, ...own.filter(o => !o.job.verdict)];
  return {left: all.length, ...all[0]};
}

// work computes what is slow, until nothing is left or a change cancels it.
async function work() {
  if (page.running || refresh.busy) return;
  const token = page.running = {}, slow = page.slow, begun = performance.now();
  const tick = setInterval(() => {
    if (page.running !== token) return clearInterval(tick);
    byId("doing").textContent = `${token.title}, ${((performance.now() - begun) / 1000).toFixed(1)} s`;
  }, 100);
  for (let done = 0; ; done++) {
    const {left, job, changes} = next();
    if (!left) break;
    token.title = job.verdict ? `Computing ${job.title}` : `Computing what would make it hold: ${job.title}`;
    byId("doing").textContent = token.title;
    byId("progress").hidden = false;
    byId("bar").value = done / (done + left);
    await slow.started;
    const answer = await slow.ask({do: "run", job, changes});
    if (page.running !== token) return;
    await page.quick.ask({do: "finish", job, changes, answer});
    if (page.baseline.length) page.baseline = (await page.quick.ask({do: "view", changes: {}})).jobs.filter(j => j.verdict);
    const view = await page.quick.ask({do: "view", changes: page.changes});
    if (page.running !== token) return;
    show(view);
  }
  page.running = null;
  byId("progress").hidden = true;
}

function say(text) {
  byId("status").textContent = text;
  const note = byId("link-note") || byId("reset").parentElement.appendChild(make("span", {id: "link-note"}));
  note.textContent = text;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

async function give(format, title, file) {
  const {text, error} = await page.quick.ask({do: "write", format, changes: page.changes});
  byId("out-title").textContent = title;
  byId("text").value = error || text;
  byId("out").hidden = false;
  byId("out").dataset.file = file;
  byId("text").focus();
  byId("text").select();
}

function wire() {
  byId("reset").addEventListener("click", () => { page.changes = {}; refresh(); });
  byId("link").addEventListener("click", async () => {
    if (await copied(location.href)) return say("The link is copied: it opens this file with these values.");
    byId("out-title").textContent = "Link";
    byId("text").value = location.href;
    byId("out").hidden = false;
    byId("text").select();
  });
  byId("hcl").addEventListener("click", () => give("hcl", "Terraform configuration", "what-if.tf"));
  byId("yaml").addEventListener("click", () => give("tiers", "tiers.yaml", "tiers.yaml"));
  byId("close").addEventListener("click", () => { byId("out").hidden = true; byId("hcl").focus(); });
  byId("copy").addEventListener("click", async () => {
    byId("text").select();
    if (await copied(byId("text").value) || document.execCommand("copy")) say("Copied.");
  });
  byId("save").addEventListener("click", () => {
    const link = make("a", {href: URL.createObjectURL(new Blob([byId("text").value])), download: byId("out").dataset.file});
    link.click();
    URL.revokeObjectURL(link.href);
  });
  addEventListener("hashchange", open);
}

// open takes the changes of the address.
async function open() {
  if (page.view && location.hash.slice(1) === page.view.fragment) return;
  const {changes, error} = await page.quick.ask({do: "link", fragment: location.hash.slice(1)});
  page.changes = changes || {};
  if (error) say(error[0].toUpperCase() + error.slice(1) + ".");
  await refresh();
}

async function start() {
  page.trusted = svg(window);
  const script = [...document.scripts].pop().textContent;
  const address = page.trusted.createScriptURL(URL.createObjectURL(new Blob([script], {type: "text/javascript"})));
  const model = byId("model").textContent;
  page.quick = engine(address, {module: byId("module").textContent, model});
  const {module, layout} = await page.quick.started;
  byId("module").remove();
  page.spawn = () => {
    const slow = engine(address, {module, model});
    slow.started.catch(() => {});
    return slow;
  };
  build(JSON.parse(layout));
  const source = await page.quick.ask({do: "view", changes: {}});
  page.baseline = source.jobs.filter(job => job.verdict);
  page.view = null;
  page.slow = page.spawn();
  wire();
  if (location.hash.length > 1) await open();
  else { show(source); work(); }
  document.documentElement.dataset.ready = Math.round(performance.now());
}

if (typeof document === "undefined") answerRequests();
else start().catch(error => {
  byId("headline").className = "headline misses";
  byId("headline").textContent = "The page cannot compute here: " + error.message +
    ". Open the saved file in a current browser.";
});
