// Files that the user drops on the page or chooses. The worker reads them, and nothing leaves the page.

// clear removes what the page shows of an earlier file.
function clear() {
  if (page.slow) page.slow.stop();
  ["links", "others", "table", "more", "cost-tier", "set-name", "open", "costs", "vm-list"].forEach(id => byId(id).replaceChildren());
  byId("find").value = "";
  byId("out").hidden = true;
  Object.assign(page, {
    cells: new Map(), closed: new Map(), editors: [], views: [], lines: [], cache: new Map(), changes: {}, undo: [], redo: [], kept: {}, fits: {answers: new Map()},
    slow: null, running: null, drawing: null, found: null, first: null, view: null, strip: null,
  });
  charts.text = null;
}

// receive shows the answer to a file or to a choice of tiers.
async function receive({answer, layout, edited, error}) {
  document.body.classList.remove("reading");
  if (error) return byId("file-status").textContent = error + (error.endsWith(".") ? "" : ".");
  if (!answer) return byId("file-status").textContent = "The tiers are kept. Now add the inventory file.";
  clear();
  document.body.classList.remove("empty");
  page.edited = edited;
  build(layout);
  const opened = JSON.stringify(answer.model);
  page.spawn = () => {
    const slow = engine(page.address, {module: page.module, opened});
    slow.started.catch(() => {});
    return slow;
  };
  page.slow = page.spawn();
  byId("file-status").textContent = `${answer.file}: ${thousands(answer.vms)} VMs.`;
  byId("file-notes").replaceChildren(...layout.notes.map(note => make("li", {}, note)));
  byId("file-more").hidden = layout.notes.length === 0;
  byId("choices").replaceChildren(...answer.choices.map((choice, i) => {
    const button = make("button", {type: "button", "aria-pressed": String(choice.chosen)}, choice.text);
    button.addEventListener("click", () => group(i));
    return button;
  }));
  byId("tiers-by").hidden = answer.choices.length < 2;
  if (location.hash.length > 1) await open();
  if (Object.keys(page.changes).length) return;
  showEdited(edited);
  compute();
}

async function group(number) {
  document.body.classList.add("reading");
  await receive(await page.quick.group(number));
  const chosen = byId("choices").children[number];
  if (chosen) chosen.focus();
}

// read reads the files one after the other, tiers files first.
async function read(files) {
  const isTiers = file => /\.ya?ml$/i.test(file.name);
  for (const file of [...files].sort((a, b) => isTiers(b) - isTiers(a))) {
    document.body.classList.add("reading");
    byId("file-status").textContent = `Reading ${file.name}.`;
    const told = ({rows}) => { byId("file-status").textContent = `Reading ${file.name}: ${thousands(rows)} rows.`; };
    try {
      await receive(await page.quick.read(file.name, await file.arrayBuffer(), told));
    } catch (error) {
      document.body.classList.remove("reading");
      byId("file-status").textContent = `${file.name} cannot be read: ${error.message}.`;
    }
  }
}

function acceptFiles() {
  const input = byId("file-input");
  input.addEventListener("change", () => { read([...input.files]); input.value = ""; });
  addEventListener("dragover", event => { event.preventDefault(); document.body.classList.add("over"); });
  addEventListener("dragleave", event => { if (!event.relatedTarget) document.body.classList.remove("over"); });
  addEventListener("drop", event => {
    event.preventDefault();
    document.body.classList.remove("over");
    read([...event.dataTransfer.files]);
  });
}
