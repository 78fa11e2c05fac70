// Version 1 of the official TypeScript SDK, and version 2 in either era: typescript.mjs URL SITE (1 | auto | legacy)
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [url, site, era] = process.argv.slice(2);
const require = createRequire(`${process.cwd()}/`); // the packages are in the working directory
const load = (name) => import(pathToFileURL(require.resolve(name)));
const isFirst = era === "1";
const name = `@modelcontextprotocol/${isFirst ? "sdk" : "client"}`;
const { Client } = await load(isFirst ? `${name}/client/index.js` : name);
const { StreamableHTTPClientTransport } = await load(isFirst ? `${name}/client/streamableHttp.js` : name);

const client = new Client({ name: "conformance", version: "1" }, isFirst ? {} : { versionNegotiation: { mode: era } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

const article = { name: "scrape_page", arguments: { url: `${site}/article` } };
const search = { name: "search_and_scrape", arguments: { query: "weirs", num_results: 1 } };
const call = (params, options) => (isFirst ? client.callTool(params, undefined, options) : client.callTool(params, options));
const check = (value, what) => {
  if (!value) throw new Error(what);
};
const waitForSite = async (path) => {
  const end = Date.now() + 3000; // less than after which the server gives a page up by itself
  while (!(await (await fetch(site + path)).json())) {
    check(Date.now() < end, `no ${path}`);
    await new Promise((done) => setTimeout(done, 50));
  }
};

const steps = {
  async list() {
    check((await client.listTools()).tools.some((tool) => tool.name === "academic_search"), "the tool is not listed");
  },
  async call() {
    check((await call(article)).content[0].text.includes("weir"), "no text");
  },
  async structured() {
    check((await call(article)).structuredContent.url === article.arguments.url, "another structure");
  },
  async artifact() {
    const { content } = await call({ name: "scrape_page", arguments: { url: `${site}/long`, mode: "raw" } });
    const { uri } = content.find((item) => item.type === "resource_link");
    check((await client.readResource({ uri })).contents[0].text, "no artifact");
  },
  async progress() {
    let reports = 0;
    const params = { name: "scrape_page", arguments: { url: `${site}/slow/${randomUUID()}` } };
    await call(params, { onprogress: () => reports++ });
    check(reports, "no progress");
  },
  async cancel() {
    const page = randomUUID();
    const stop = new AbortController();
    const params = { name: "scrape_page", arguments: { url: `${site}/endless/${page}` } };
    const ended = call(params, { signal: stop.signal }).catch(() => undefined);
    await waitForSite(`/is-open/${page}`);
    stop.abort();
    await ended;
    await waitForSite(`/is-closed/${page}`);
  },
};
if (isFirst) {
  steps.task = async () => {
    const seen = [];
    for await (const message of client.experimental.tasks.callToolStream(search, undefined, { task: { ttl: 60000 } })) {
      seen.push(message.type);
      if (message.type === "error") throw message.error;
      if (message.type === "result") check(message.result.structuredContent.sources.length, "no sources");
    }
    check(seen.includes("taskCreated") && seen.includes("result"), `only ${seen}`);
  };
}

const results = {};
for (const [step, run] of Object.entries(steps)) {
  const late = new Promise((_, fail) => setTimeout(fail, 40000, new Error("no answer in 40 seconds")).unref());
  results[step] = await Promise.race([run(), late]).then(() => "works", (failure) => `${failure}`.slice(0, 300));
}
const { readFileSync } = await import("node:fs");
const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
console.log(`\n${JSON.stringify({ client: `${name} ${version}`, results })}`);
process.exit(0);
