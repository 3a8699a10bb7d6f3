import { describe, expect, it } from "vitest";
import type { LabelSelectorObject } from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Lookup } from "../../resource.ts";
import type { Attributes } from "../admission.ts";
import { attributesOf } from "../testing/attributes.ts";
import { compileSelectors, matchesSelectors } from "./selectors.ts";

const labelled = (name: string, labels?: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "Any",
  metadata: { name, labels },
});
const objects: Lookup = {
  head: (_, key) => ({ default: labelled("default", { team: "red" }), bare: labelled("bare") })[key],
  list: () => [],
};
const red: LabelSelectorObject = { matchLabels: { team: "red" } };
const notRed: LabelSelectorObject = { matchExpressions: [{ key: "team", operator: "NotIn", values: ["red"] }] };

describe("the namespace of a write", () => {
  it.each<[string, LabelSelectorObject | undefined, Attributes, boolean]>([
    ["does not matter without a selector", undefined, attributesOf("pods"), true],
    ["has the label", red, attributesOf("pods"), true],
    ["has a label it must not have", notRed, attributesOf("pods"), false],
    ["has no labels", red, attributesOf("pods", { namespace: "bare" }), false],
    ["is none: nothing lets it off", red, attributesOf("nodes"), true],
    [
      "is the object, with its new labels",
      red,
      attributesOf("namespaces", { name: "bare", object: labelled("bare", { team: "red" }) }),
      true,
    ],
    [
      "is the object, with a name yet to be generated",
      red,
      attributesOf("namespaces", { name: "", object: labelled("") }),
      false,
    ],
    ["is the object that goes", red, attributesOf("namespaces", { name: "bare", operation: "DELETE" }), false],
    [
      "is the object that goes, labelled",
      red,
      attributesOf("namespaces", { name: "default", operation: "DELETE" }),
      true,
    ],
    [
      "is the object whose status is written: the labels it has count",
      red,
      attributesOf("namespaces", { name: "default", subresource: "status", object: labelled("default") }),
      true,
    ],
  ])("%s", (_, namespaceSelector, attributes, expected) => {
    expect(matchesSelectors(compileSelectors({ namespaceSelector }), attributes, objects)).toBe(expected);
  });

  it("must exist if a selector needs it", () => {
    const selectors = compileSelectors({ namespaceSelector: red });
    const lost = attributesOf("pods", { namespace: "gone" });
    expect(() => matchesSelectors(selectors, lost, objects)).toThrow('namespaces "gone" not found');
  });
});

describe("labels of the object", () => {
  const [plain, labels] = [labelled("p"), labelled("p", { team: "red" })];
  it.each<[string, Partial<Attributes>, boolean]>([
    ["after the write", { object: labels, old: plain, operation: "UPDATE" }, true],
    ["before the write", { object: plain, old: labels, operation: "UPDATE" }, true],
    ["never", { object: plain, old: plain, operation: "UPDATE" }, false],
    ["of what is deleted", { old: labels, operation: "DELETE" }, true],
    ["of nothing", { object: undefined, operation: "CONNECT" }, false],
  ])("%s", (_, given, expected) => {
    expect(matchesSelectors(compileSelectors({ objectSelector: red }), attributesOf("pods", given), objects)).toBe(
      expected,
    );
  });
});
