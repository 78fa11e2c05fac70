// The protocol of MCP Apps between this view and the host that shows it: JSON-RPC by postMessage, with the parent only.

const PROTOCOL = "2026-01-26";
const ANSWER_MS = 120_000; // a call of a tool takes as long at most
const MOST_CHARS = 20_000_000; // of an answer that is read in parts
const PART_CHARS = 200_000;
const THEME_NAME = /^--(color|font|border|shadow)-[a-z0-9-]+$/;

const waiting = new Map(); // requests to the host by id
const host = { capabilities: {}, isOver: false, onEnd: [] };
let lastId = 0;

const post = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const notify = (method, params = {}) => post({ method, params });

function request(method, params) {
  const id = (lastId += 1);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(id, { error: { message: "The host did not answer." } }), ANSWER_MS);
    waiting.set(id, { resolve, reject, timer });
    post({ id, method, params });
  });
}

function settle(id, message) {
  const pending = waiting.get(id);
  if (!pending) return;
  waiting.delete(id);
  clearTimeout(pending.timer);
  if (message.error) pending.reject(new Error(String(message.error.message || "The host refused.")));
  else pending.resolve(message.result);
}

const canCallTools = () => Boolean(host.capabilities.serverTools) && !host.isOver;

// Call a tool of the server through the host; the whole answer, also where the server stored it for its size.
async function callTool(name, args) {
  return readAnswer(await request("tools/call", { name, arguments: args }));
}

async function readAnswer(result) {
  const texts = (Array.isArray(result?.content) ? result.content : []).map((item) => item?.text ?? "");
  const document = result?.structuredContent;
  if (result?.isError || !document || typeof document !== "object") {
    throw new Error(texts.join("\n") || "There is no answer.");
  }
  return document.linked && canCallTools() ? readStored(String(document.resource)) : document;
}

async function readStored(id) {
  let text = "";
  for (let offset = 0; offset !== undefined && text.length < MOST_CHARS;) {
    const result = await request("tools/call", {
      name: "read_artifact",
      arguments: { id, offset, length: PART_CHARS },
    });
    const part = await readAnswer(result);
    text += part.content;
    offset = part.nextOffset;
  }
  return JSON.parse(text);
}

function applyContext(context) {
  const root = window.document.documentElement;
  if (context?.theme === "dark" || context?.theme === "light") root.style.colorScheme = context.theme;
  for (const [name, value] of Object.entries(context?.styles?.variables ?? {})) {
    if (THEME_NAME.test(name) && typeof value === "string") root.style.setProperty(name, value);
  }
}

function endView() {
  host.isOver = true;
  host.onEnd.forEach((stop) => stop());
  for (const id of [...waiting.keys()]) settle(id, { error: { message: "The view was closed." } });
}

// Tell the host the height that the page needs, where it changes.
function reportSize() {
  let last = "";
  const observer = new ResizeObserver(() => {
    const box = window.document.documentElement;
    const size = {
      width: Math.ceil(box.scrollWidth),
      height: Math.ceil(window.document.body.getBoundingClientRect().height),
    };
    if (String([size.width, size.height]) === last) return;
    last = String([size.width, size.height]);
    notify("ui/notifications/size-changed", size);
  });
  observer.observe(window.document.body);
  host.onEnd.push(() => observer.disconnect());
}

// Start the view: `show(answer, arguments)` draws an answer of the tool, `fail(reason)` says that there is none.
async function startView({ show, fail }) {
  let args = {};
  const handlers = {
    "ui/notifications/tool-input": (params) => (args = params?.arguments ?? {}),
    "ui/notifications/tool-result": (params) =>
      readAnswer(params)
        .then((answer) => show(answer, args))
        .catch(fail),
    "ui/notifications/tool-cancelled": () => fail(new Error("The call was cancelled.")),
    "ui/notifications/host-context-changed": applyContext,
  };
  const answers = { ping: () => ({}), "ui/resource-teardown": () => (endView(), {}) };
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || data?.jsonrpc !== "2.0") return;
    if (data.method === undefined) return settle(data.id, data);
    if (data.id === undefined) return handlers[data.method]?.(data.params);
    const answer = answers[data.method];
    post(
      answer
        ? { id: data.id, result: answer() }
        : { id: data.id, error: { code: -32601, message: "Method not found" } },
    );
  });
  let begun;
  try {
    begun = await request("ui/initialize", {
      protocolVersion: PROTOCOL,
      appInfo: { name: "assay", version: "1" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    });
  } catch (refusal) {
    return fail(new Error(`This page is shown by a client of MCP that knows app views. ${refusal.message}`));
  }
  host.capabilities = begun?.hostCapabilities ?? {};
  applyContext(begun?.hostContext);
  reportSize();
  notify("ui/notifications/initialized");
}
