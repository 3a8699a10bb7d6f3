import { describe, expect, it } from "vitest";
import { job } from "./job.ts";
import { create, row, update } from "../testing/run-strategy.ts";

const spec = (change: object = {}, pods: object = {}) => ({
  template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }], ...pods } },
  ...change,
});
const made = (change: object = {}) => create(job, { metadata: { uid: "u" }, spec: spec(change) });
const indexed = { completionMode: "Indexed", completions: 3 };

describe("Job", () => {
  it("gets a selector with its uid, and the labels of its template", () => {
    const { object, faults } = made();
    expect(faults).toEqual([]);
    const labels = {
      "batch.kubernetes.io/controller-uid": "u",
      "batch.kubernetes.io/job-name": "x",
      "controller-uid": "u",
      "job-name": "x",
    };
    expect(object).toMatchObject({
      metadata: { labels },
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        completionMode: "NonIndexed",
        suspend: false,
        manualSelector: false,
        podReplacementPolicy: "TerminatingOrFailed",
        selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u" } },
        template: { metadata: { labels } },
      },
    });
  });

  it("with only parallelism set has no completions", () => {
    const { object } = made({ parallelism: 3 });
    expect(object.spec).not.toHaveProperty("completions");
    expect(row(job, object)).toMatchObject({ Completions: "0/1 of 3" });
  });

  it.each([
    [{ parallelism: -1 }, ["spec.parallelism: Invalid value: -1: must be greater than or equal to 0"]],
    [
      { selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u", a: "b" } }, manualSelector: true },
      [expect.stringContaining("`selector` does not match template `labels`")],
    ],
    [
      { completionMode: "Odd" },
      ['spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"'],
    ],
    [{ backoffLimitPerIndex: 1 }, ["spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"]],
    [{ ...indexed, backoffLimitPerIndex: 1 }, []],
    [
      { ...indexed, maxFailedIndexes: 1 },
      ["spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"],
    ],
    [
      { managedBy: "x" },
      ['spec.managedBy: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [
      { podFailurePolicy: { rules: [{ action: "Ignore" }] } },
      ["spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required"],
    ],
    [{ podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }] } }, []],
    [
      { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [3, 0] } }] } },
      [
        "spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
        "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,0]: must be ordered",
      ],
    ],
    [{ ...indexed, successPolicy: { rules: [{ succeededIndexes: "0,1-2", succeededCount: 3 }] } }, []],
    [
      { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0-5" }] } },
      [
        'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-5": error parsing succeededIndexes: too large index: "5"',
      ],
    ],
  ])("with %j has the faults %j", (change, faults) => {
    expect(made(change).faults).toEqual(faults);
  });

  it("rejects restartPolicy Always", () => {
    expect(create(job, { metadata: { uid: "u" }, spec: spec({}, { restartPolicy: "Always" }) }).faults).toEqual([
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ]);
  });

  it("has an immutable template and mutable parallelism", () => {
    const { object } = made();
    expect(update(job, object, { spec: { parallelism: 2, suspend: true } }).faults).toEqual([]);
    expect(update(job, object, { spec: { completions: 2 } }).faults).toEqual([
      "spec.completions: Invalid value: 2: field is immutable",
    ]);
    const placed = { spec: { template: { spec: { nodeSelector: { a: "b" } } } } };
    expect(update(job, object, placed).faults).toEqual([
      expect.stringMatching(/^spec.template: .*field is immutable$/),
    ]);
    expect(update(job, made({ suspend: true }).object, placed).faults).toEqual([]);
  });

  it("is Complete only with startTime, SuccessCriteriaMet and completionTime", () => {
    const { object } = made();
    const conditions = [{ type: "Complete", status: "True" }];
    expect(update(job, object, { status: { conditions } }, "status").faults).toEqual([
      "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
      "status.completionTime: Required value: completionTime is required for Complete jobs",
      "status.startTime: Required value: startTime is required for finished job",
    ]);
    const status = {
      startTime: "2026-01-01T00:00:00Z",
      completionTime: "2026-01-01T00:01:30Z",
      succeeded: 1,
      conditions: [...conditions, { type: "SuccessCriteriaMet", status: "True" }],
    };
    const done = update(job, object, { status }, "status");
    expect(done.faults).toEqual([]);
    expect(row(job, done.object)).toMatchObject({ Status: "Complete", Completions: "1/1", Duration: "90s" });
    const undone = { conditions: [], succeeded: 0, completionTime: "2026-01-01T00:02:00Z", startTime: null };
    expect(
      update(job, done.object, { status: undone }, "status").faults.map((fault) => fault.split(": ").at(-1)),
    ).toEqual([
      "cannot disable the terminal Complete=True condition",
      "cannot disable the SuccessCriteriaMet=True condition",
      "cannot set completionTime when there is no Complete=True condition",
      "field is immutable",
      "startTime cannot be removed for unsuspended job",
      "cannot decrease the succeeded counter",
    ]);
  });

  it("accepts only valid indexes that do not overlap", () => {
    const { object } = made({ completionMode: "Indexed", completions: 4, parallelism: 4, backoffLimitPerIndex: 1 });
    const faults = (status: object) => update(job, object, { status: { ...status } }, "status").faults;
    expect(faults({ completedIndexes: "0,2-3", failedIndexes: "1" })).toEqual([]);
    expect(faults({ completedIndexes: "0,2-4" })).toEqual([
      'status.completedIndexes: Invalid value: "0,2-4": error parsing completedIndexes: too large index: "4"',
    ]);
    expect(faults({ completedIndexes: "0-2", failedIndexes: "1,3" })).toEqual([
      'status.failedIndexes: Invalid value: "1,3": failedIndexes and completedIndexes overlap at index: 1',
    ]);
  });
});
