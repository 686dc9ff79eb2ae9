"use strict";
// The engine: in a worker this script answers requests with the module; in the page it starts such workers.
async function unpacked(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

function answerRequests() {
  let ready;
  const start = async ({module, model}) => {
    const go = new Go();
    if (typeof module === "string") module = await WebAssembly.compile(await unpacked(module));
    go.run(await WebAssembly.instantiate(module, go.importObject));
    const text = new TextDecoder().decode(await unpacked(model));
    const layout = vsla(`{"do":"open","model":${text}}`);
    return {module, layout};
  };
  onmessage = async ({data}) => {
    try {
      if (data.start) postMessage({id: data.id, ...await (ready = start(data.start))});
      else {
        await ready;
        postMessage({id: data.id, text: vsla(data.text)});
      }
    } catch (error) {
      postMessage({id: data.id, error: String(error)});
    }
  };
}

// engine starts a worker. ask returns the answer to a request, stop ends it.
function engine(address, from) {
  const worker = new Worker(address), waiting = new Map();
  let next = 0;
  const post = message => new Promise((done, failed) => {
    waiting.set(++next, {done, failed});
    worker.postMessage({id: next, ...message});
  });
  worker.onmessage = ({data}) => {
    const {done, failed} = waiting.get(data.id);
    waiting.delete(data.id);
    data.error ? failed(new Error(data.error)) : done(data);
  };
  worker.onerror = event => waiting.forEach(({failed}) => failed(new Error(event.message || "the worker failed")));
  return {
    started: post({start: from}),
    raw: async text => (await post({text})).text,
    ask: async request => JSON.parse((await post({text: JSON.stringify(request)})).text),
    stop: () => worker.terminate(),
  };
}
