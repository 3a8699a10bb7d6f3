import { isObject } from "../../src/language/object/json.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { definitions } from "../../src/embedded/apiserver/kinds/definitions.ts";
import { send } from "../replay/wire.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import { startRealServer } from "../servers/real-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";

const assets = process.env.KUBEBUILDER_ASSETS;
if (!assets) console.log("skipped: comparison of schemas with a real server (KUBEBUILDER_ASSETS is not set)");

describe.runIf(assets)("beside a real server", () => {
  let real: Published;
  let embedded: Published;
  beforeAll(async () => {
    const servers = await Promise.all([startRealServer(assets ?? ""), startEmbeddedServer()]);
    [real, embedded] = (await Promise.all(servers.map(published))) as [Published, Published];
    await Promise.all(servers.map((server) => server.close()));
  });

  it("the generated components equal those it publishes", () => {
    const differences: string[] = [];
    for (const [name, component] of Object.entries(definitions())) {
      const [ours, theirs] = [component, real.components.get(name)].map((side) => JSON.stringify(comparable(side)));
      if (ours !== theirs) differences.push(`${name}:\n ours ${ours}\n real ${theirs}`);
    }
    expect(differences).toEqual([]);
  });

  it("every operation has the same id, action and kind", () => {
    const differences = [...embedded.operations].flatMap(([where, ours]) =>
      real.operations.get(where) === ours ? [] : [`${where}: ours ${ours}, real ${real.operations.get(where)}`],
    );
    expect(differences).toEqual([]);
  });
});

interface Published {
  readonly components: Map<string, unknown>;
  /** By method and path: id, action and kind. */
  readonly operations: Map<string, string>;
}

interface Document {
  readonly components?: { readonly schemas?: object };
  readonly paths?: Record<string, Record<string, Operation> & { readonly parameters?: readonly { name: string }[] }>;
}

interface Operation {
  readonly operationId?: string;
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: Record<"group" | "version" | "kind", string>;
}

async function published({ url, authority }: ServerUnderTest): Promise<Published> {
  const target = { url, caPem: authority.caPem, token: authority.adminToken };
  const get = async (path: string): Promise<unknown> => JSON.parse((await send(target, { method: "GET", path })).text);
  const index = (await get("/openapi/v3")) as { paths: Record<string, { serverRelativeURL: string }> };
  const found: Published = { components: new Map(), operations: new Map() };
  for (const { serverRelativeURL } of Object.values(index.paths)) {
    const { components, paths = {} } = (await get(serverRelativeURL)) as Document;
    for (const [name, component] of Object.entries(components?.schemas ?? {})) found.components.set(name, component);
    for (const [path, { parameters: _, ...operations }] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations))
        found.operations.set(`${method} ${path}`, summary(operation));
  }
  return found;
}

function summary(operation: Operation): string {
  const { group, version, kind } = operation["x-kubernetes-group-version-kind"] ?? {};
  return `${operation.operationId} ${operation["x-kubernetes-action"]} ${group}/${version} ${kind}`;
}

const notCompared = new Set([
  "go",
  "description",
  "x-kubernetes-group-version-kind",
  "x-kubernetes-unions",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
]);

/** Both sides in one form: no descriptions, no zero defaults, references unwrapped, keys sorted. */
function comparable(value: unknown, names = false): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item));
  if (!isObject(value)) return value;
  const { allOf, ...rest } = value;
  const source = !names && Array.isArray(allOf) && allOf.length === 1 ? { ...rest, ...(allOf[0] as object) } : value;
  const entries = Object.entries(source)
    .filter(
      ([key, child]) =>
        names ||
        !(
          notCompared.has(key) ||
          ((key === "default" || key === "properties") && isZero(child)) ||
          child === "quantity"
        ),
    )
    .map(([key, child]) => [key, comparable(child, !names && key === "properties")] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const isZero = (value: unknown): boolean =>
  value === "" || value === 0 || value === false || (isObject(value) && Object.keys(value).length === 0);
