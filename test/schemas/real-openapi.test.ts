import { isObject } from "../../src/object/json.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { definitions } from "../../src/apiserver/kinds/definitions.ts";
import { send } from "../replay/wire.ts";
import { startRealServer } from "../servers/real-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";

const assets = process.env.KUBEBUILDER_ASSETS;
if (!assets) console.log("not defined: comparison of schemas with a real server (KUBEBUILDER_ASSETS is not set)");

describe.runIf(assets)("the generated components", () => {
  let server: ServerUnderTest;
  beforeAll(async () => {
    server = await startRealServer(assets ?? "");
  });
  afterAll(() => server.close());

  it("agree with those a real server publishes", async () => {
    const real = await published(server);
    const differences: string[] = [];
    for (const [name, component] of Object.entries(definitions())) {
      const [ours, theirs] = [component, real.get(name)].map((side) => JSON.stringify(comparable(side)));
      if (ours !== theirs) differences.push(`${name}:\n ours ${ours}\n real ${theirs}`);
    }
    expect(differences).toEqual([]);
  });
});

async function published({ url, authority }: ServerUnderTest): Promise<Map<string, unknown>> {
  const target = { url, caPem: authority.caPem, token: authority.adminToken };
  const get = async (path: string): Promise<unknown> => JSON.parse((await send(target, { method: "GET", path })).text);
  const index = (await get("/openapi/v3")) as { paths: Record<string, { serverRelativeURL: string }> };
  const found = new Map<string, unknown>();
  for (const { serverRelativeURL } of Object.values(index.paths)) {
    const document = (await get(serverRelativeURL)) as { components?: { schemas?: object } };
    for (const [name, component] of Object.entries(document.components?.schemas ?? {})) found.set(name, component);
  }
  return found;
}

const ownWords = new Set([
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
        !(ownWords.has(key) || ((key === "default" || key === "properties") && isZero(child)) || child === "quantity"),
    )
    .map(([key, child]) => [key, comparable(child, !names && key === "properties")] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const isZero = (value: unknown): boolean =>
  value === "" || value === 0 || value === false || (isObject(value) && Object.keys(value).length === 0);
