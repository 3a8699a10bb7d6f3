import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/cluster/runtime/clock.ts";
import { startServer, type ApiServer } from "../../src/embedded/apiserver/server.ts";
import { differences, type Bindings } from "./agree.ts";
import { chapters, recorded, type Exchange } from "./recording.ts";
import { age, reductions } from "./reduce.ts";
import { Stage } from "./stage.ts";
import { send, type Target } from "./wire.ts";

const dir = mkdtempSync(join(tmpdir(), "attune-replay-"));
let server: ApiServer;
let target: Target;
let stage: Stage;
const bindings: Bindings = new Map();

beforeAll(async () => {
  // The recorded server ran without controllers: nothing deleted the contents of its namespaces.
  // The recording took less than a second, and managedFields are ordered by second.
  const began = Date.now();
  server = await startServer({
    dir,
    storage: "memory",
    housekeeping: false,
    // As on the recorded server.
    disabledPlugins: ["ServiceAccount"],
    clock: { ...systemClock, now: () => began },
  });
  target = { url: server.url, caPem: server.authority.caPem, token: server.authority.adminToken };
  stage = new Stage(target);
});

afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

for (const chapter of chapters)
  describe(chapter, () => {
    for (const exchange of recorded(chapter))
      it(exchange.id, async () => {
        expect(await replay(chapter, exchange)).toEqual([]);
      });
  });

async function replay(chapter: string, { id, request, response: wanted }: Exchange): Promise<string[]> {
  await stage.before(chapter, id);
  const watching = request.path.includes("watch=1") && wanted.status === 200;
  const events = Array.isArray(wanted.body) ? wanted.body.length : 0;
  const enough = (text: string): boolean => text.split("\n").length > events && wanted.body !== "";
  const { path, body } = stage.fill(request.path, request.body);
  const sent = send(
    target,
    { ...request, path, ...(body === undefined ? {} : { body }) },
    watching ? enough : undefined,
  );
  await stage.during?.();
  const answer = await sent;
  const found = watching ? eventsOf(answer.text, wanted.body) : parsed(answer.text, answer.contentType);
  stage.remember(found);
  const reduce = answer.status === wanted.status ? reductions[`${chapter}: ${id}`] : undefined;
  return [
    ...differences(wanted.status, answer.status, bindings, "HTTP status"),
    ...differences(wanted.contentType, answer.contentType, bindings, "content type"),
    ...(wanted.warning ? differences(wanted.warning, answer.warning, bindings, "warning") : []),
    ...differences(withAges(wanted.body), reduce ? reduce(found as never, wanted.body as never) : found, bindings),
  ];
}

function parsed(text: string, contentType: string): unknown {
  return contentType.startsWith("application/json") || text.startsWith("{") ? (JSON.parse(text) as unknown) : text;
}

/** Recorded events are complete, or `TYPE name`. */
function eventsOf(text: string, wanted: unknown): unknown {
  if (!Array.isArray(wanted)) return text;
  const events = text
    .split("\n")
    .filter(Boolean)
    .slice(0, wanted.length)
    .map((line) => JSON.parse(line) as WatchEvent);
  return events.map(({ type, object }, index) => {
    if (typeof wanted[index] === "string") return `${type} ${object.metadata.name?.replace(/^gen-.*/, "gen-kx9rs")}`;
    if (type === "BOOKMARK") return { type, object };
    const { name, labels, resourceVersion } = object.metadata;
    return { type, object: { kind: object.kind, metadata: { name, labels, resourceVersion }, data: object.data } };
  });
}

interface WatchEvent {
  type: string;
  object: { kind: string; metadata: { name?: string; labels?: unknown; resourceVersion: string }; data?: unknown };
}

/** Replaces ages, which differ between runs. */
function withAges(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const { rows, cells, ...rest } = body as { rows?: { cells: unknown[] }[]; cells?: unknown[] };
  return {
    ...rest,
    ...(rows ? { rows: rows.map((row) => ({ ...row, cells: row.cells.map(age) })) } : {}),
    ...(cells ? { cells: cells.map(age) } : {}),
  };
}
