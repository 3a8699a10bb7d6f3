import { expect, test } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { convertedIn, reviewOf, type Question } from "./conversion-review.ts";
import { answerConversion } from "./testing/convert-widgets.ts";

const widget = (name: string): KubeObject => ({
  kind: "Widget",
  apiVersion: "x.io/v1",
  metadata: { name, namespace: "a", uid: `uid-${name}`, resourceVersion: "7", finalizers: ["x.io/f"] },
  spec: { size: 1 },
});
const ask = (...names: string[]): Question => ({
  uid: "q",
  objects: names.map(widget),
  desired: "x.io/v2",
  reviewVersion: "v1",
});

test("a review has the objects without resourceVersion", () => {
  expect(JSON.parse(JSON.stringify(reviewOf(ask("one"))))).toEqual({
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    request: {
      uid: "q",
      desiredAPIVersion: "x.io/v2",
      objects: [{ ...widget("one"), metadata: { ...widget("one").metadata, resourceVersion: undefined } }],
    },
  });
});

test("converted objects keep their order and metadata", () => {
  const question = ask("one", "two");
  expect(convertedIn(answerConversion(reviewOf(question)), question)).toEqual(
    ["one", "two"].map((name) => ({ ...widget(name), apiVersion: "x.io/v2", spec: { dimensions: { size: 1 } } })),
  );
});

test("a webhook may change only labels and annotations of metadata", () => {
  const question = ask("one");
  const answer = answerConversion(reviewOf(question), ([object]) => [
    {
      ...object,
      metadata: { ...object?.metadata, labels: { a: "b" }, annotations: { c: "d" }, finalizers: [], generation: 99 },
    },
  ]);
  expect(convertedIn(answer, question)[0]?.metadata).toEqual({
    ...widget("one").metadata,
    labels: { a: "b" },
    annotations: { c: "d" },
  });
});

const changed = (change: object) => (objects: KubeObject[]) => [{ ...objects[0], ...change }, ...objects.slice(1)];
const renamed = (metadata: object) => (objects: KubeObject[]) =>
  changed({ metadata: { ...objects[0]?.metadata, ...metadata } })(objects);

test.each<[string, (objects: KubeObject[]) => unknown[], string]>([
  ["fewer objects", () => [], "returned 0 objects, expected 1"],
  ["more objects", ([one]) => [one, one], "returned 2 objects, expected 1"],
  ["no object", () => ["hello"], "returned invalid object at index 0: must be an object"],
  ["null", () => [null], "returned invalid object at index 0: must be an object"],
  [
    "another version",
    changed({ apiVersion: "x.io/v9" }),
    "returned invalid object at index 0: invalid groupVersion (expected x.io/v2, received x.io/v9)",
  ],
  [
    "another kind",
    changed({ kind: "Gadget" }),
    "returned invalid object at index 0: invalid kind (expected Widget, received Gadget)",
  ],
  ["another name", renamed({ name: "other" }), "returned invalid object: must have the same name: one != other"],
  ["another namespace", renamed({ namespace: "b" }), "returned invalid object: must have the same namespace: a != b"],
  ["another uid", renamed({ uid: "other" }), "returned invalid object: must have the same UID: uid-one != other"],
  ["no metadata", changed({ metadata: undefined }), "returned invalid object: must have the same name: one != "],
  [
    "labels that are no texts",
    renamed({ labels: { a: 1 } }),
    "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
  ],
  [
    "labels that are no map",
    renamed({ labels: [] }),
    "returned invalid metadata: invalid metadata.labels of type []interface {} in converted object",
  ],
  [
    "labels that are none",
    renamed({ labels: { "a b": "" } }),
    'returned invalid metadata: metadata.labels: Invalid value: "a b": ',
  ],
])("an answer with %s is refused", (_, change, message) => {
  const question = ask("one");
  expect(() => convertedIn(answerConversion(reviewOf(question), change), question)).toThrow(
    expect.objectContaining({
      code: 500,
      reason: "",
      message: expect.stringContaining(`conversion webhook for x.io/v1, Kind=Widget ${message}`) as string,
    }),
  );
});

test.each<[string, (objects: KubeObject[]) => unknown[], string]>([
  [
    "kind",
    (objects) => [objects[0], { ...objects[1], kind: "Gadget" }],
    "returned invalid converted object at index 1: invalid kind",
  ],
  [
    "uid",
    ([one, two]) => [two, one],
    "returned invalid converted object at index 0: must have the same name: one != two",
  ],
  [
    "labels",
    renamed({ labels: { a: true } }),
    "returned invalid metadata in object at index 0: metadata.labels[a] must be a string, but is bool",
  ],
])("of several objects the one with another %s is named", (_, change, message) => {
  const question = ask("one", "two");
  expect(() => convertedIn(answerConversion(reviewOf(question), change), question)).toThrow(message);
});

const good = (question: Question) => answerConversion(reviewOf(question));
test.each<[string, (question: Question) => unknown, string]>([
  [
    "is of another kind",
    () => ({ a: 1 }),
    "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=",
  ],
  ["is nothing", () => null, "failed: expected webhook response of"],
  ["has no response", (question) => ({ ...good(question), response: undefined }), "failed: no response provided"],
  [
    "answers another question",
    (question) => ({ ...good(question), response: { ...good(question).response, uid: "x" } }),
    'failed: expected response.uid="q", got "x"',
  ],
  [
    "says why it failed",
    (question) => ({ ...good(question), response: { uid: "q", result: { status: "Failure", message: "no way" } } }),
    "failed: no way",
  ],
  [
    "does not say why it failed",
    (question) => ({ ...good(question), response: { uid: "q", result: { status: "Failure" } } }),
    "failed: response.result.status was 'Failure', not 'Success'",
  ],
  [
    "does not say how it went",
    (question) => ({ ...good(question), response: { uid: "q" } }),
    "failed: response.result.status was '', not 'Success'",
  ],
])("an answer that %s is none", (_, answer, message) => {
  const question = ask("one");
  expect(() => convertedIn(answer(question), question)).toThrow(message);
});

test("a v1beta1 response needs neither kind nor uid", () => {
  const question: Question = { ...ask("one"), reviewVersion: "v1beta1" };
  const { response } = good(question);
  expect(convertedIn({ response: { ...response, uid: "x" } }, question)).toHaveLength(1);
});
