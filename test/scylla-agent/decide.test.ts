import { describe, expect, it } from "vitest";
import { type ConfigMap, readRelease, type Release } from "../../src/domain/scylla/gate/release.ts";
import { failureAnnotation } from "../../src/domain/scylla/names.ts";
import type { OnNodeInput } from "../../src/domain/scylla/on-node/decide.ts";
import type { JobPod } from "../../src/domain/scylla/on-node/job-progress.ts";
import type { ContainerFacts } from "../../src/domain/scylla/on-node/node-facts.ts";
import { labelValue } from "../../src/domain/scylla/label-value.ts";
import { readRecord, recordAnnotation } from "../../src/domain/scylla/on-node/tuning.ts";
import type { ScyllaPod } from "../../src/domain/scylla/scylla-pod.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import {
  argumentsOf,
  complete,
  config,
  decided,
  facts,
  failedAt,
  jobIn,
  knownAs,
  podOf,
  stored,
} from "./decide-input.ts";

/** Pods with their CPUs. */
function onNode(cpus: Readonly<Record<string, string>>): Pick<OnNodeInput, "pods" | "containers"> {
  const names = Object.keys(cpus);
  const containers = new Map<string, ContainerFacts>(
    names.map((name) => [`containerd://${name}`, knownAs(cpus[name] ?? "", `/mnt/${name}`)]),
  );
  return { pods: names.map((name) => podOf(name)), containers };
}

function jobFor(cpus: Readonly<Record<string, string>>): KubeObject {
  return jobIn(decided(onNode(cpus)))!;
}

const releasedIn = (plan: { objects: { object: KubeObject }[] }): string[] =>
  plan.objects.flatMap(({ object }) => (object.kind === "ConfigMap" ? [readRelease(object).containerId ?? ""] : []));

describe("what an agent decides", () => {
  it("is the same in whatever order pods come (scylla W-4)", () => {
    const { pods, containers } = onNode({ a: "0", b: "1", c: "2" });
    expect(jobIn(decided({ pods: pods.toReversed(), containers }))).toEqual(jobIn(decided({ pods, containers })));
  });

  it("is nothing for the same inputs", () => {
    const given = onNode({ a: "0-1" });
    const released = new Map([["u-a", { containerId: "containerd://a" }]]);
    const plan = decided({ ...given, released, jobs: [stored(jobFor({ a: "0-1" }), complete)] });
    expect(plan).toEqual({ objects: [], prunes: [], statuses: [], events: [], requeueAfterMs: undefined });
  });

  it("releases what the last Job covers while the next one still runs (scylla W-5)", () => {
    const first = stored(jobFor({ a: "0-1" }), complete);
    const next = stored(jobIn(decided({ ...onNode({ a: "0-1", b: "4" }), jobs: [first] }))!);
    expect(readRecord(next)).toMatchObject({ sequence: 2, inputs: { irqCpus: "2-3,5-7" } });
    expect(releasedIn(decided({ ...onNode({ a: "0-1", b: "4" }), jobs: [first, next] }))).toEqual(["containerd://a"]);
    const done = decided({ ...onNode({ a: "0-1", b: "4" }), jobs: [first, stored(next, complete)] });
    expect(releasedIn(done)).toEqual(["containerd://a", "containerd://b"]);
    expect(done.prunes.map(({ metadata }) => metadata.name)).toEqual([first.metadata.name]);
  });

  it("counts a database that restarts with the CPUs that it had", () => {
    const given = onNode({ a: "0-1", b: "4" });
    const crashed = podOf("b", { status: { containerStatuses: [{ name: "scylla", state: { waiting: {} } }] } });
    const jobs = [stored(jobFor({ a: "0-1", b: "4" }), complete)];
    const released = new Map([["u-a", { containerId: "containerd://a" }]]);
    const plan = decided({ ...given, pods: [podOf("a"), crashed], jobs, released });
    expect(plan.objects).toEqual([]);
  });

  it("gives interrupts back only when the last database has ended, and not again after that", () => {
    const before = stored(jobFor({ a: "0-1" }), complete);
    const leaving = podOf("a", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    expect(jobIn(decided({ ...onNode({ a: "0-1" }), pods: [leaving], jobs: [before] }))).toBeUndefined();
    const job = jobIn(decided({ jobs: [before] }));
    expect(argumentsOf(job)).toEqual(
      "--irq-cpu-mask 0x000000ff --tune=net --nic=eth0 --tune disks --dev nvme0n1".split(" "),
    );
    const after = {
      facts: { ...facts, cpus: [0, 1, 2] },
      images: { perftune: "scylladb/scylla:2026.1.0", native: "" },
    };
    expect(jobIn(decided({ ...after, jobs: [before, stored(job!, complete)] }))).toBeUndefined();
    const failed = stored(job!, failedAt("2026-01-01T01:00:00Z"));
    expect(readRecord(jobIn(decided({ ...after, jobs: [before, failed] }))!)).toMatchObject({
      attempt: 1,
      inputs: { purpose: "return", image: "scylladb/scylla:2026.1.0", irqCpus: "0-7" },
    });
  });

  it("trusts nothing that was tuned before interrupts began to go back", () => {
    const before = stored(jobFor({ a: "0-1" }), complete);
    const back = stored(jobIn(decided({ jobs: [before] }))!, failedAt("2026-01-01T01:00:00Z"));
    const plan = decided({ ...onNode({ a: "0-1" }), jobs: [before, back] });
    expect(releasedIn(plan)).toEqual([]);
    expect(readRecord(jobIn(plan)!)).toMatchObject({ sequence: 3, inputs: { purpose: "databases" } });
  });

  it("waits longer after each failure, up to half an hour, and says why (scylla W-2)", () => {
    const given = onNode({ a: "0-1" });
    let job = jobFor({ a: "0-1" });
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      const failed = stored(job, failedAt("2026-01-01T01:00:00Z"));
      const plan = decided({ ...given, jobs: [failed] });
      expect(jobIn(plan)).toBeUndefined();
      expect(plan.objects[0]?.object.metadata.annotations?.[failureAnnotation]).toContain("backoff limit");
      expect(plan.events.map(({ regarding, reason }) => `${regarding.kind} ${reason}`)).toEqual([
        "ScyllaNodeConfig TuningFailed",
        "Pod TuningFailed",
      ]);
      waits.push((plan.requeueAfterMs ?? 0) / 60_000);
      job = jobIn(decided({ ...given, jobs: [failed], nowMs: Date.parse("2026-01-01T02:00:00Z") }))!;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });

  it("says that an image cannot be pulled, replaces the Job when another image is wanted, and never one that has begun", () => {
    const given = onNode({ a: "0-1" });
    const job = stored(jobFor({ a: "0-1" }));
    const pod = (state: object): JobPod => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "p",
        ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: job.metadata.uid! }],
      },
      status: { phase: "Pending", containerStatuses: [{ state }] },
    });
    const stuck = [pod({ waiting: { reason: "ImagePullBackOff", message: "no such image" } })];
    const plan = decided({ ...given, jobs: [job], jobPods: stuck });
    expect(plan.objects.map(({ object }) => object.metadata.annotations)).toEqual([
      { [failureAnnotation]: "ImagePullBackOff: no such image" },
    ]);
    const images = { perftune: "scylladb/scylla:2026.1.0", native: "" };
    const replaced = decided({ ...given, images, jobs: [job], jobPods: stuck });
    expect(replaced.prunes.map(({ metadata }) => metadata.name)).toEqual([job.metadata.name]);
    expect(jobIn(replaced)).toBeUndefined();
    const begun = decided({ ...given, images, jobs: [job], jobPods: [pod({ running: {} })] });
    expect([begun.prunes, jobIn(begun)]).toEqual([[], undefined]);
    // Deleted by hand, but its pod has not ended.
    expect(jobIn(decided({ ...given, jobPods: [pod({ running: {} })] }))).toBeUndefined();
  });

  it("moves no interrupt while it does not know the CPUs of a database, and asks again", () => {
    const { pods, containers } = onNode({ a: "0-1", b: "2" });
    const unknown = new Map(containers).set("containerd://b", { type: "unknown", reason: "no answer" });
    const plan = decided({ pods, containers: unknown });
    expect([plan.objects, plan.requeueAfterMs, plan.events]).toEqual([[], 1000, []]);
    const lasting = { pods, containers: unknown, unknownMs: new Map([["containerd://b", 30_000]]) };
    const later = decided(lasting);
    expect(later.requeueAfterMs).toBe(15_000);
    expect(later.events).toMatchObject([{ regarding: { metadata: { name: "b" } }, reason: "NotTunedYet" }]);
    const report = later.objects.map(({ object }) => object as ConfigMap);
    expect(report.map(({ metadata, data }) => [metadata.namespace, metadata.name, data])).toEqual([
      [
        "scylla-operator-node-tuning",
        "perftune-node-nu",
        {
          node: "n",
          cpusUnknown:
            "the CPUs of db/b are not known: no answer; to start it without tuning: kubectl create configmap perftune-u-b -n db",
        },
      ],
    ]);
    const over = decided({ pods, containers, reported: report[0] });
    expect(over.objects.map(({ object }) => (object as ConfigMap).data?.["cpusUnknown"])).toEqual([undefined, ""]);
    expect(decided({ pods: [], reported: over.objects[1]?.object }).objects).toEqual([]);
  });

  it.each([
    ["a part of a CPU", "1500m", "0-7"],
    ["whole CPUs where the kubelet gives none away", "2", "0-7"],
    ["a limit of its pod alone", undefined, "2-3"],
    ["none in its cgroup", "2", ""],
  ])("tunes for a database that shares CPUs, and for its neighbour: %s", (_, limit, cpus) => {
    const resources = limit === undefined ? {} : { limits: { cpu: limit } };
    const shared = { ...podOf("b"), spec: { containers: [{ name: "scylla", resources }] } };
    const given = {
      pods: [podOf("a"), shared],
      containers: new Map([
        ["containerd://a", knownAs("0-1")],
        ["containerd://b", knownAs(cpus)],
      ]),
    };
    const job = jobIn(decided(given))!;
    expect(readRecord(job)?.inputs.irqCpus).toBe("2-7");
    const plan = decided({ ...given, jobs: [stored(job, complete)] });
    expect(releasedIn(plan)).toEqual(["containerd://a", "containerd://b"]);
    expect(plan.events.map(({ regarding, reason }) => `${regarding.metadata.name} ${reason}`)).toEqual([
      "a Tuned",
      "b Tuned",
      "b SharedCpus",
    ]);
  });

  it("writes the release of a database again that the agent of another node wrote", () => {
    const given = { ...onNode({ a: "0-1" }), jobs: [stored(jobFor({ a: "0-1" }), complete)] };
    const by = (node: string): ReadonlyMap<string, Release> => new Map([["u-a", { node }]]);
    expect(releasedIn(decided({ ...given, released: by("other") }))).toEqual(["containerd://a"]);
    expect(releasedIn(decided({ ...given, released: by("n") }))).toEqual([]);
  });

  it("reports what it wrote once that is written", () => {
    const plan = decided({ ...onNode({ a: "0-1" }), jobs: [stored(jobFor({ a: "0-1" }), complete)] });
    expect(plan.events.map(({ writtenTo }) => writtenTo?.metadata.name)).toEqual(["perftune-u-a"]);
  });

  it("tunes for the others where a container is that of another pod", () => {
    const { pods, containers } = onNode({ a: "0-1", b: "2" });
    const absent = new Map(containers).set("containerd://b", { type: "absent", reason: "belongs to another pod" });
    const plan = decided({ pods, containers: absent });
    expect(readRecord(jobIn(plan)!)?.inputs.irqCpus).toBe("2-7");
    expect([plan.events, plan.requeueAfterMs]).toEqual([[], 1000]);
    const lasting = decided({ pods, containers: absent, unknownMs: new Map([["containerd://b", 30_000]]) });
    expect(lasting.requeueAfterMs).toBe(15_000);
    expect(lasting.events).toMatchObject([{ regarding: { metadata: { name: "b" } }, reason: "NotTunedYet" }]);
    const [report] = lasting.objects.flatMap(({ object }) =>
      object.kind === "ConfigMap" ? [object as ConfigMap] : [],
    );
    expect(report?.data?.["cpusUnknown"]).toContain("the CPUs of db/b are not known: belongs to another pod");
  });

  it("is not changed by a resolver that does not answer any more", () => {
    const given = onNode({ a: "0-1" });
    const job = jobIn(decided({ ...given, facts: { ...facts, onGke: true } }))!;
    expect(argumentsOf(job)).toContain("--write-back-cache=false");
    const jobs = [stored(job, complete)];
    expect(jobIn(decided({ ...given, jobs, facts: { ...facts, onGke: undefined } }))).toBeUndefined();
  });

  it("goes on where Jobs have annotations of something else", () => {
    const job = jobFor({ a: "0-1" });
    for (const text of [
      "",
      "{",
      "null",
      "[]",
      '{"inputs":{}}',
      '{"inputs":{"bootId":"b"},"sequence":1e999,"attempt":1,"pods":{}}',
    ]) {
      const annotations = { [recordAnnotation]: text };
      const foreign = stored({ ...job, metadata: { ...job.metadata, annotations } }, complete);
      const plan = decided({ ...onNode({ a: "0-1" }), jobs: [foreign] });
      expect([releasedIn(plan), jobIn(plan) !== undefined, plan.prunes.length]).toEqual([[], true, 1]);
    }
  });

  it("has one Job for two hundred databases, and one name for each", () => {
    const cpus = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, `${index + 8}`]));
    const many = { ...onNode(cpus), facts: { ...facts, cpus: Array.from({ length: 256 }, (_, cpu) => cpu) } };
    const job = jobIn(decided(many))!;
    expect(JSON.stringify(job.metadata.annotations).length).toBeLessThan(256 * 1024);
    expect(readRecord(job)?.inputs.irqCpus).toBe("0-7,208-255");
    expect(releasedIn(decided({ ...many, jobs: [stored(job, complete)] }))).toHaveLength(200);
  });

  it.each(["__proto__", "constructor", "toString"])("is not misled by a pod with the uid %s", (uid) => {
    const pod: ScyllaPod = podOf("a", { metadata: { uid, annotations: { x: "$(HOME)" } } });
    const waiting: ScyllaPod = { ...pod, status: { ...pod.status, containerStatuses: [] } };
    expect(decided({ pods: [waiting] }).objects).toEqual([]);
    const containers = new Map([["containerd://a", knownAs("0-1")]]);
    const job = jobIn(decided({ pods: [pod], containers }))!;
    expect(releasedIn(decided({ pods: [pod], containers, jobs: [stored(job, complete)] }))).toEqual(["containerd://a"]);
  });

  it("has labels of at most 63 characters, which differ where names do", () => {
    const long = (end: string): string => `${"node.example.com.".repeat(10)}${end}`;
    const values = ["short", long("a"), long("b")].map(labelValue);
    expect(new Set(values).size).toBe(3);
    for (const value of values) expect(value).toMatch(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/);
  });

  it("has the engine of the ScyllaNodeConfig", () => {
    const native = { ...config, spec: { engine: "native" as const } };
    const job = jobIn(decided({ ...onNode({ a: "0-1" }), config: native }))!;
    const { template } = job["spec"] as { template: { spec: { containers: object[]; volumes: object[] } } };
    expect(template.spec.containers).toMatchObject([
      {
        image: "attune:1",
        command: ["attune", "perftune", "--root", "/host"],
        args: expect.arrayContaining(["--dir", "/mnt/a"]) as string[],
      },
    ]);
    expect(template.spec.volumes).toHaveLength(1);
  });
});
