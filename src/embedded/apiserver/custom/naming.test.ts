import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { DefinitionNames, DefinitionStatus } from "./definition.ts";
import { establish } from "./naming.ts";
import { CLEANUP_FINALIZER, terminating } from "./termination.ts";

const start = Date.parse("2026-11-15T04:57:43Z");
const time = "2026-11-15T04:57:43Z";
const fresh: DefinitionStatus = { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] };

function definition(names: DefinitionNames, status: DefinitionStatus = fresh, group = "rec.example.com"): KubeObject {
  return deepFreeze({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, names },
    status,
  });
}

const dialNames: DefinitionNames = {
  plural: "dials",
  singular: "dial",
  shortNames: ["dl"],
  kind: "Dial",
  listKind: "DialList",
  categories: ["all"],
};
const accepted = { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
const established = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};
const dialStatus = establish(definition(dialNames), [], [], start);
const dials = definition(dialNames, dialStatus);

describe("establish", () => {
  it("accepts free names and establishes the definition", () => {
    expect(dialStatus).toEqual({
      conditions: [
        { ...accepted, lastTransitionTime: time },
        { ...established, lastTransitionTime: time },
      ],
      acceptedNames: dialNames,
      storedVersions: ["v1"],
    });
  });

  it("is not established while its CA bundle is invalid", () => {
    const trusting = (caBundle: string, status?: DefinitionStatus): KubeObject => {
      const { spec, ...rest } = definition(dialNames, status);
      const conversion = { strategy: "Webhook", webhook: { clientConfig: { url: "https://a", caBundle } } };
      return { ...rest, spec: { ...(spec as object), conversion } };
    };
    const waiting = establish(trusting("aGVsbG8="), [], [], start);
    expect(waiting.conditions?.[1]).toMatchObject({ type: "Established", status: "False", reason: "InvalidCABundle" });
    expect(establish(trusting("aGVsbG8=", waiting), [], [], start + 5000)).toEqual(waiting);
    expect(establish(trusting("", waiting), [], [], start).conditions?.[1]).toMatchObject(established);
  });

  it("leaves an established definition as it is", () => {
    expect(establish(dials, [dials], [], start + 5000)).toBe(dials["status"]);
  });

  it.each<[string, DefinitionNames, string, string]>([
    ["plural", { plural: "dial", kind: "X" }, "PluralConflict", '"dial" is already in use'],
    ["singular", { plural: "xs", singular: "dl", kind: "X" }, "SingularConflict", '"dl" is already in use'],
    [
      "short names",
      { plural: "xs", shortNames: ["dl", "dials"], kind: "X" },
      "ShortNamesConflict",
      '["dl" is already in use, "dials" is already in use]',
    ],
    ["kind", { plural: "xs", kind: "DialList" }, "KindConflict", '"DialList" is already in use'],
    ["list kind", { plural: "xs", kind: "X", listKind: "Dial" }, "ListKindConflict", '"Dial" is already in use'],
  ])("does not establish a definition whose %s another has", (_, names, reason, message) => {
    const status = establish(definition(names), [dials], [], start);
    expect(status.conditions).toEqual([
      { type: "NamesAccepted", status: "False", reason, message, lastTransitionTime: time },
      {
        type: "Established",
        status: "False",
        reason: "NotAccepted",
        message: "not all names are accepted",
        lastTransitionTime: time,
      },
    ]);
  });

  it("accepts free names and reports the last conflict", () => {
    const names = { plural: "gadgets", singular: "dial", kind: "Dial", listKind: "DialList" };
    const status = establish(definition(names), [dials], [], start);
    expect(status.acceptedNames).toEqual({ plural: "gadgets", kind: "" });
    expect(status.conditions?.[0]?.reason).toBe("ListKindConflict");
  });

  it("lets another group use the same names", () => {
    const status = establish(definition(dialNames, fresh, "other.example.com"), [dials], [], start);
    expect(status.acceptedNames).toEqual(dialNames);
  });

  it("respects the names of built-in kinds of its group", () => {
    const builtin = { group: "rec.example.com", plural: "dials", singular: "", shortNames: [], kind: "", listKind: "" };
    expect(establish(definition(dialNames), [], [builtin], start).conditions?.[0]?.reason).toBe("PluralConflict");
  });

  it("keeps an established definition serving when a new short name conflicts", () => {
    const knobs = definition({ plural: "knobs", shortNames: ["kn"], kind: "Knob" });
    const rival = definition({ plural: "knobs", shortNames: ["kn"], kind: "Knob" }, establish(knobs, [], [], start));
    const renamed = definition({ ...dialNames, shortNames: ["kn"] }, dialStatus);
    const status = establish(renamed, [dials, rival], [], start + 5000);
    expect(status.acceptedNames.shortNames).toEqual(["dl"]);
    expect(status.conditions).toEqual([
      {
        type: "NamesAccepted",
        status: "False",
        reason: "ShortNamesConflict",
        message: '"kn" is already in use',
        lastTransitionTime: "2026-11-15T04:57:48Z",
      },
      { ...established, lastTransitionTime: time },
    ]);
  });
});

describe("terminating", () => {
  it("sets the condition and the finalizer until the objects are deleted", () => {
    const pending = terminating(dials, "pending", start);
    expect(pending.metadata.finalizers).toEqual([CLEANUP_FINALIZER]);
    expect(pending.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      "NamesAccepted=True",
      "Established=True",
      "Terminating=True",
    ]);
    const done = terminating(pending, "done", start + 1000);
    expect(done.metadata.finalizers).toBeUndefined();
    expect(done.status?.conditions?.[2]).toEqual({
      type: "Terminating",
      status: "False",
      reason: "InstanceDeletionCompleted",
      message: "removed all instances",
      lastTransitionTime: "2026-11-15T04:57:44Z",
    });
  });

  it("keeps other finalizers", () => {
    const held = { ...dials, metadata: { ...dials.metadata, finalizers: ["example.com/x"] } };
    const pending = terminating(held, "pending", start);
    expect(pending.metadata.finalizers).toEqual(["example.com/x", CLEANUP_FINALIZER]);
    expect(terminating(pending, "done", start).metadata.finalizers).toEqual(["example.com/x"]);
  });
});
