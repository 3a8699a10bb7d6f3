import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { definitionOf, openDefinition, openObjects } from "./open-kind.ts";
import { expectStatus, expectUnharmed } from "./survival.ts";
import { startVictim, type Victim } from "./victim.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"];

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
  expect((await victim.admin.post(openDefinition.path, openDefinition.body)).status).toBe(201);
});
afterEach(() => expectUnharmed(victim));
afterAll(() => victim.close());

/** JSON text: a literal `{ __proto__: … }` would set the prototype here already. */
const openText = (name: string, key: string, spec: string, resourceVersion = ""): string =>
  `{"apiVersion":"attack.io/v1","kind":"Open","metadata":{"name":"${name}","resourceVersion":"${resourceVersion}"},"${key}":{"polluted":"top"},"spec":${spec}}`;

describe.each(names)("the name %s", (key) => {
  const safe = key.toLowerCase().replaceAll("_", "");
  const inside = `{"${key}":{"polluted":1},"list":[{"${key}":{"polluted":[1]}}]}`;
  const spec = JSON.parse(inside) as Record<string, unknown>;
  const specOf = (text: string): unknown => (JSON.parse(text) as { spec: unknown }).spec;

  it("is an ordinary field of a custom object, in create, update and every patch", async () => {
    const path = `${openObjects}/c-${safe}`;
    const created = await victim.admin.post(openObjects, openText(`c-${safe}`, key, inside));
    expect(created.status).toBe(201);
    expect(specOf((await victim.admin.get(path)).text)).toEqual(spec);
    expect(JSON.parse((await victim.admin.get(path)).text)).toHaveProperty([key]);

    const put = await victim.admin.put(
      path,
      openText(`c-${safe}`, key, `{"${key}":{"polluted":2}}`, created.json.metadata.resourceVersion),
    );
    expect(specOf(put.text)).toEqual(JSON.parse(`{"${key}":{"polluted":2}}`));
    const merged = await victim.admin.patch("merge", path, `{"spec":{"${key}":{"x":1}}}`);
    expect(specOf(merged.text)).toEqual(JSON.parse(`{"${key}":{"polluted":2,"x":1}}`));
    const patched = await victim.admin.patch(
      "json",
      path,
      `[{"op":"add","path":"/spec/${key}/y","value":{"${key}":3}}]`,
    );
    expect(specOf(patched.text)).toEqual(JSON.parse(`{"${key}":{"polluted":2,"x":1,"y":{"${key}":3}}}`));
    const applied = await victim.admin.patch(
      "apply",
      `${path}?fieldManager=m&force=true`,
      openText(`c-${safe}`, key, `{"${key}":{"x":5}}`),
    );
    expect(applied.status).toBe(200);
    expect(specOf(applied.text)).toEqual(JSON.parse(`{"${key}":{"polluted":2,"x":5,"y":{"${key}":3}}}`));
    const removed = await victim.admin.patch("merge", path, `{"spec":{"${key}":null}}`);
    expect(specOf(removed.text)).toEqual({});
  });

  it("does not exist on its own for a JSON patch", async () => {
    const path = `${openObjects}/n-${safe}`;
    await victim.admin.post(
      openObjects,
      `{"apiVersion":"attack.io/v1","kind":"Open","metadata":{"name":"n-${safe}"},"spec":{}}`,
    );
    for (const operation of [
      { op: "add", path: `/spec/${key}/polluted`, value: 1 },
      { op: "replace", path: `/${key}/polluted`, value: 1 },
      { op: "copy", from: `/spec/${key}/constructor`, path: "/spec/polluted" },
      { op: "add", path: "/spec/constructor/prototype/polluted", value: 1 },
      { op: "remove", path: `/spec/${key}` },
      { op: "move", from: `/spec/${key}`, path: "/spec/polluted" },
    ])
      expect((await victim.admin.patch("json", path, [operation])).status).toBe(422);
    expect(specOf((await victim.admin.get(path)).text)).toEqual({});
  });

  it("is an ordinary key, label or annotation, valid or not by their rules", async () => {
    const name = `k-${safe}`;
    const valid = !key.startsWith("_");
    const body = `{"metadata":{"name":"${name}","labels":{"${key}":"l"},"annotations":{"${key}":"a"}},"data":{"${key}":"d"}}`;
    const { status } = await victim.admin.post(configMaps, body);
    expect(status).toBe(valid ? 201 : 422);
    if (!valid) return;
    const { json } = await victim.admin.get(`${configMaps}/${name}`);
    expect([json.data[key], json.metadata.labels[key], json.metadata.annotations[key]]).toEqual(["d", "l", "a"]);
    const selected = await victim.admin.get(`${configMaps}?labelSelector=${key}%3Dl`);
    expect(selected.json.items.map(({ metadata }) => metadata.name)).toEqual([name]);
    expect((await victim.admin.get(`${configMaps}?labelSelector=${key}`)).json.items).toHaveLength(1);
    await victim.admin.patch("strategic", `${configMaps}/${name}`, `{"metadata":{"labels":{"${key}":null}}}`);
    expect((await victim.admin.get(`${configMaps}?labelSelector=${key}`)).json.items).toEqual([]);
  });

  it("is an unknown field of a built-in kind anywhere, and changes nothing", async () => {
    const name = `b-${safe}`;
    const body = `{"metadata":{"name":"${name}","${key}":{"polluted":1}},"${key}":{"polluted":1},"data":{"a":"b"}}`;
    expectStatus(await victim.admin.post(`${configMaps}?fieldValidation=Strict`, body), 400, "BadRequest");
    expect((await victim.admin.post(configMaps, body)).status).toBe(201);
    const strategic = `{"${key}":{"polluted":1},"metadata":{"${key}":{"polluted":1}}}`;
    expect((await victim.admin.patch("strategic", `${configMaps}/${name}`, strategic)).status).toBe(200);
    const applied = `{"apiVersion":"v1","kind":"ConfigMap","${key}":{"polluted":1},"data":{"c":"d"}}`;
    const refused = await victim.admin.patch("apply", `${configMaps}/${name}?fieldManager=m`, applied);
    expect(refused.json.message).toContain(`.${key}: field not declared in schema`);
    expect(Object.keys((await victim.admin.get(`${configMaps}/${name}`)).json)).not.toContain(key);
  });

  it("is not a resource, subresource, verb, group, selector or option", async () => {
    for (const path of [
      `/${key}`,
      `/api/${key}`,
      `/api/v1/${key}`,
      `/apis/${key}`,
      `/apis/${key}/v1/${key}`,
      `/apis/apps/${key}`,
      `/apis/apps/v1/${key}`,
      `/api/v1/namespaces/default/${key}`,
      `/api/v1/namespaces/default/configmaps/${key}`,
      `/api/v1/namespaces/default/configmaps/kube/${key}`,
      `/api/v1/nodes/x/${key}`,
      `/openapi/v3/${key}`,
      `/openapi/v3/apis/${key}`,
      `/version/${key}`,
    ])
      expect({ path, status: (await victim.admin.get(path)).status }).toEqual({ path, status: 404 });
    expect((await victim.admin.get(`${configMaps}?${key}=1&fieldSelector=${key}%3D1`)).status).toBe(400);
    expect((await victim.admin.get(`${configMaps}?resourceVersion=1&resourceVersionMatch=${key}`)).status).toBe(422);
    expect((await victim.admin.post(`${configMaps}?fieldValidation=${key}`, {})).status).toBe(422);
    expect((await victim.admin.post(`${configMaps}?dryRun=${key}`, {})).status).toBe(422);
    expect(
      (await victim.admin.send("GET", configMaps, { headers: { accept: `${key}/${key};as=${key}` } })).status,
    ).toBe(406);
    expect((await victim.admin.delete(`${configMaps}/x?propagationPolicy=${key}`)).status).toBe(422);
  });

  it("can be a field manager, and a managed field", async () => {
    const name = `m-${safe}`;
    const body = { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } };
    const path = `${configMaps}/${name}?fieldManager=`;
    expect((await victim.admin.patch("apply", `${path}${key}`, body)).status).toBe(201);
    const conflicting = await victim.admin.patch("apply", `${path}other`, { ...body, data: { a: "2" } });
    expectStatus(conflicting, 409, "Conflict");
    expect(conflicting.json.message).toContain(`conflict with "${key}"`);
    const managed = `[{"manager":"${key}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:${key}":{"f:${key}":{}},"${key}":{},"k:{\\"${key}\\":1}":{}}}]`;
    const text = `{"metadata":{"name":"${name}","managedFields":${managed}},"data":{"a":"3"}}`;
    expect((await victim.admin.put(`${configMaps}/${name}`, text)).status).toBeLessThan(500);
    expect((await victim.admin.patch("apply", `${path}other&force=true`, { ...body, data: {} })).status).toBe(200);
  });

  it("can be a property of a schema, with defaults", async () => {
    const plural = `p${safe}s`;
    const property = `{"type":"object","properties":{"${key}":{"type":"object","default":{"polluted":"d"},"properties":{"polluted":{"type":"string"}}}}}`;
    const definition = JSON.stringify(definitionOf(plural, "HERE")).replace(
      '"HERE"',
      `{"type":"object","properties":{"spec":${property}}}`,
    );
    const created = await victim.admin.post(openDefinition.path, definition);
    expect(created.text).toContain('"kind":"CustomResourceDefinition"');
    const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
    const object = `{"apiVersion":"attack.io/v1","kind":"${kind}","metadata":{"name":"x"},"spec":{}}`;
    const made = await victim.admin.post(`/apis/attack.io/v1/namespaces/default/${plural}`, object);
    expect(specOf(made.text)).toEqual(JSON.parse(`{"${key}":{"polluted":"d"}}`));
    const pruned = `{"spec":{"${key}":{"polluted":"e","other":1}}}`;
    const patched = await victim.admin.patch("merge", `/apis/attack.io/v1/namespaces/default/${plural}/x`, pruned);
    expect(specOf(patched.text)).toEqual(JSON.parse(`{"${key}":{"polluted":"e"}}`));
    expect((await victim.admin.get("/openapi/v3/apis/attack.io/v1")).status).toBe(200);
    expect((await victim.admin.delete(`${openDefinition.path}/${plural}.attack.io`)).status).toBe(200);
  });
});

describe("the status of a custom object", () => {
  it("leaves fields with odd names as they are", async () => {
    const definition = definitionOf(
      "statefuls",
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      {
        subresources: { status: {} },
      },
    );
    expect((await victim.admin.post(openDefinition.path, definition)).status).toBe(201);
    const objects = "/apis/attack.io/v1/namespaces/default/statefuls";
    const body =
      '{"apiVersion":"attack.io/v1","kind":"Stateful","metadata":{"name":"x"},"__proto__":{"a":1},"constructor":2}';
    const { resourceVersion } = (await victim.admin.post(objects, body)).json.metadata;
    const { text } = await victim.admin.put(
      `${objects}/x/status`,
      `{"apiVersion":"attack.io/v1","kind":"Stateful","metadata":{"name":"x","resourceVersion":"${resourceVersion}"},"status":{"s":1},"toString":{"b":1}}`,
    );
    const { metadata: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
    expect(JSON.parse(JSON.stringify(rest))).toEqual(
      JSON.parse(
        '{"apiVersion":"attack.io/v1","kind":"Stateful","__proto__":{"a":1},"constructor":2,"status":{"s":1}}',
      ),
    );
  });
});

describe("a name of maximum length or with odd characters", () => {
  it("is stored, found after a restart, and does not affect others", async () => {
    const dir = await mkdtemp(join(tmpdir(), "attune-names-"));
    try {
      let durable = await startVictim({ dir, storage: "lmdb" });
      const odd = [
        "r".repeat(3000),
        "a\u0000b",
        "q\\ud800",
        "q\\ud801",
        "ünï",
        "🙂",
        " ",
        "a b",
        "A:B",
        "-",
        "\u0001",
        "\u2028",
      ];
      const kept: { name: string; uid: string }[] = [];
      for (const name of odd) {
        const text = name.startsWith("q") ? `"${name}"` : JSON.stringify(name);
        const received = await durable.admin.post(roles, `{"metadata":{"name":${text}}}`);
        expect([201, 409, 422]).toContain(received.status);
        if (received.status === 201)
          kept.push({ name: received.json.metadata.name as string, uid: received.json.metadata.uid as string });
      }
      await expectUnharmed(durable);
      await durable.close();
      durable = await startVictim({ dir, storage: "lmdb" });
      const { items } = (await durable.admin.get(roles)).json;
      const found = items.map(({ metadata: { name, uid } }) => ({ name, uid }));
      for (const one of kept) expect(found).toContainEqual(one);
      for (const { name } of kept)
        expect((await durable.admin.delete(`${roles}/${encodeURIComponent(name)}`)).status).toBe(200);
      await durable.close();
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });

  it.each([
    ["a slash", "a/b"],
    ["a per cent sign", "a%b"],
    ["a dot", "."],
    ["two dots", ".."],
    ["nothing", ""],
  ])("%s is no name", async (_, name) => {
    expectStatus(await victim.admin.post(roles, { metadata: { name } }), 422, "Invalid");
  });
});
