"use strict";
// The engine. In a worker, this script answers requests with the WebAssembly module. In the page, it starts these
// workers.
async function unpacked(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

const unpackedText = async base64 => new TextDecoder().decode(await unpacked(base64));

function answerRequests() {
  let ready, current;
  globalThis.told = text => postMessage({id: current, told: text});
  const start = async ({module, model, opened}) => {
    const go = new Go();
    if (typeof module === "string") module = await WebAssembly.compile(await unpacked(module));
    go.run(await WebAssembly.instantiate(module, go.importObject));
    if (model || opened) {
      const {error} = JSON.parse(vsla(`{"do":"open","model":${opened || await unpackedText(model)}}`));
      if (error) throw new Error(error);
    }
    return {module};
  };
  onmessage = async ({data}) => {
    try {
      if (data.start) postMessage({id: data.id, ...await (ready = start(data.start))});
      else {
        await ready;
        current = data.id;
        if (data.file) postMessage({id: data.id, text: vslaFile(data.file.name, new Uint8Array(data.file.content))});
        else if (data.group !== undefined) postMessage({id: data.id, text: vslaGroup(data.group)});
        else postMessage({id: data.id, text: vsla(data.text)});
      }
    } catch (error) {
      postMessage({id: data.id, error: String(error)});
    }
  };
}

// engine starts a worker. ask returns the answer to a request, and passes progress messages to told until then. read does
// the same for a file, and group for a choice of tiers. stop ends the worker.
function engine(address, from) {
  const worker = new Worker(address), waiting = new Map();
  let next = 0;
  const post = (message, told) => new Promise((done, failed) => {
    waiting.set(++next, {done, failed, told});
    worker.postMessage({id: next, ...message});
  });
  worker.onmessage = ({data}) => {
    const {done, failed, told} = waiting.get(data.id);
    if (data.told) return told && told(JSON.parse(data.told));
    waiting.delete(data.id);
    data.error ? failed(new Error(data.error)) : done(data);
  };
  worker.onerror = event => waiting.forEach(({failed}) => failed(new Error(event.message || "the worker failed")));
  return {
    started: post({start: from}),
    ask: async (request, told) => JSON.parse((await post({text: JSON.stringify(request)}, told)).text),
    read: async (name, content, told) => JSON.parse((await post({file: {name, content}}, told)).text),
    group: async number => JSON.parse((await post({group: number})).text),
    stop: () => worker.terminate(),
  };
}
