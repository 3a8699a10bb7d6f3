import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { definition } from "../kinds/definitions.ts";
import type { ActionContext, Resource } from "../resource.ts";
import { SmallServer, type Target } from "../testing/small-server.ts";
import { perform } from "./action.ts";

/** The calls of the actions below, in order. */
let asked: { body: KubeObject; context: ActionContext }[];
let server: SmallServer;

const remember = async (body: KubeObject, context: ActionContext): Promise<KubeObject> => {
  asked.push({ body, context });
  return { ...body, status: { done: true } };
};
const schema = definition("io.k8s.api.authentication.v1.TokenRequest");
const question = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", schema };

beforeEach(async () => {
  asked = [];
  const { services } = new SmallServer();
  const [serviceAccounts] = services.registry.all().filter(({ plural }) => plural === "serviceaccounts");
  const withAction: Resource = {
    ...(serviceAccounts as Resource),
    plural: "doers",
    subresources: { do: { type: "action", verbs: ["create"], perform: remember, ...question } },
  };
  const computed: Resource = { ...withAction, ...question, plural: "questions", namespaced: false, compute: remember };
  server = new SmallServer({ resources: [withAction, computed] });
  await server.createNamespaces("a");
});

async function ask(name: string, target: Target, value: object): Promise<KubeObject> {
  const answer = await perform(server.context(name, target), { value: value as never, duplicates: [] });
  expect(answer).toMatchObject({ type: "object", code: 201 });
  return (answer as { object: KubeObject }).object;
}
const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: ["x"] } };

describe("an action on an object", () => {
  const target = { namespace: "a", name: "doer", subresource: "do" };

  it("gets a body of its own kind, the object and the user", async () => {
    await server.create("doers", { metadata: { namespace: "a", name: "doer" } });
    const answer = await ask("doers", target, body);
    expect(answer).toMatchObject({ kind: "TokenRequest", spec: { audiences: ["x"] }, status: { done: true } });
    expect(asked).toMatchObject([
      { context: { namespace: "a", name: "doer", dryRun: false, user: { name: "admin" } } },
    ]);
  });

  it("is not performed if the object does not exist", async () => {
    await expect(ask("doers", target, body)).rejects.toMatchObject({ code: 404 });
    expect(asked).toEqual([]);
  });

  it("is not performed for a body of another kind", async () => {
    await server.create("doers", { metadata: { namespace: "a", name: "doer" } });
    await expect(ask("doers", target, { ...body, kind: "ServiceAccount" })).rejects.toMatchObject({ code: 400 });
    expect(asked).toEqual([]);
  });

  it("sees a dry run", async () => {
    await server.create("doers", { metadata: { namespace: "a", name: "doer" } });
    await ask("doers", { ...target, query: { dryRun: "All" } }, body);
    expect(asked[0]?.context.dryRun).toBe(true);
  });
});

it("a computed kind is answered and not stored", async () => {
  const { revision } = server.store;
  expect(await ask("questions", {}, body)).toMatchObject({ status: { done: true } });
  expect(server.store.revision).toBe(revision);
});
