import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { cpusOf } from "../../src/language/cpu/cpu-list.ts";
import { formatRanges } from "../../src/language/cpu/cpu-set.ts";
import { readRelease } from "../../src/domain/scylla/gate/release.ts";
import { bareId } from "../../src/domain/scylla/on-node/local-pod.ts";
import { scriptPaths, tuningJob } from "../../src/domain/scylla/on-node/tuning-job.ts";
import { readRecord, type TuningRecord } from "../../src/domain/scylla/on-node/tuning.ts";
import { MemoryBase } from "../../src/node/host/memory-base.ts";
import { MemoryHost } from "../../src/node/host/memory-host.ts";
import { containerFacts } from "../../src/node/scylla/container-facts.ts";
import type { Inspection } from "../../src/node/scylla/container-runtime.ts";
import { readInterfaces } from "../../src/node/scylla/network-interfaces.ts";
import { argumentsOf, complete, config, decided, facts, jobIn, knownAs, podOf, stored } from "./decide-input.ts";

interface Different {
  readonly id: string;
  readonly reference?: string;
  readonly because?: string;
}
interface IrqCase extends Different {
  readonly host: string;
  readonly pods: readonly { readonly qos: string; readonly cpus: string }[];
  readonly tunedBefore?: boolean;
  readonly irq?: string;
  readonly mask?: string;
  readonly released?: string;
}
interface PodCase extends Different {
  readonly deletionTimestamp?: boolean;
  readonly running: boolean;
  readonly containerID?: string;
  readonly qos?: string;
  readonly result: "ignored" | "counted" | "tuned";
  readonly event?: string;
}
interface CgroupCase extends Different {
  readonly criCpus?: string;
  readonly criError?: boolean;
  readonly cgroupsPath?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly out?: string;
  readonly error?: string;
}
interface InterfaceCase extends Different {
  readonly physical: readonly string[];
  readonly virtual: readonly string[];
  readonly lower?: Readonly<Record<string, readonly string[]>>;
  readonly routes: readonly string[];
  readonly down?: readonly string[];
  readonly out: readonly string[];
}
interface ArgumentCase extends Different {
  readonly irqCpus: string;
  readonly nics: readonly string[];
  readonly directories: readonly string[];
  readonly noWriteBack?: boolean;
  readonly args: readonly string[];
}

const read = <T>(name: string): T =>
  parse(readFileSync(join(import.meta.dirname, "../fixtures/scylla", name), "utf8")) as T;
const irq = read<{ cases: IrqCase[]; podFiltering: PodCase[] }>("irq-cpus.yaml");
const discovery = read<{
  containerIds: { in: string; out?: string }[];
  podUid: string;
  containerId: string;
  paths: string[];
  cases: CgroupCase[];
  others: CgroupCase[];
  interfaces: InterfaceCase[];
}>("cpu-discovery.yaml");
const jobs = read<{
  gkeWriteBack: (Different & { onGke: boolean; image: string; disable: boolean })[];
  job: { namespace: string; labels: object; owner: object; command: string[]; env: object; mounts: Mount[] };
  args: ArgumentCase[];
}>("jobs.yaml");
interface Mount {
  readonly host: string;
  readonly type: string;
  readonly path: string;
  readonly readOnly?: boolean;
}

describe("CPUs for interrupts", () => {
  it.each(irq.cases)("$id", ({ host, pods, tunedBefore, irq, mask, released }) => {
    const given = pods.map(({ qos, cpus }, index) => ({
      pod: podOf(`p${index}`, { status: { qosClass: qos } }),
      cpus,
    }));
    const before = jobIn(
      decided({ pods: [podOf("gone")], containers: new Map([["containerd://gone", knownAs("0")]]) }),
    );
    const plan = decided({
      facts: { ...facts, cpus: cpusOf(host) },
      pods: given.map(({ pod }) => pod),
      containers: new Map(given.map(({ pod, cpus }) => [`containerd://${pod.metadata.name}`, knownAs(cpus)])),
      jobs: tunedBefore === true && before ? [stored(before, complete)] : [],
    });
    const job = jobIn(plan);
    expect(job && readRecord(job)?.inputs.irqCpus).toBe(irq);
    expect(job && argumentsOf(job)[1]).toBe(mask);
    const release = plan.objects.find(({ object }) => object.kind === "ConfigMap")?.object;
    expect(release && readRelease(release).outcome?.split(":")[0]).toBe(released);
  });
});

describe("pods that count", () => {
  it.each(irq.podFiltering)("$id", ({ deletionTimestamp, running, containerID, qos = "Guaranteed", result, event }) => {
    const status = { name: "scylla", containerID, state: running ? { running: {} } : { waiting: {} } };
    const pod = podOf("abc", {
      metadata: deletionTimestamp === true ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {},
      status: { qosClass: qos, containerStatuses: [status] },
    });
    const containers = new Map([["containerd://abc", knownAs("0-1")]]);
    const unknownMs = new Map([[pod.metadata.uid ?? "", 30_000]]);
    const { events, ...plan } = decided({ pods: [pod], containers, unknownMs });
    const job = jobIn({ ...plan, events });
    expect(job && readRecord(job)?.inputs.irqCpus).toBe(result === "ignored" ? undefined : "2-7");
    const after = decided({ pods: [pod], containers, jobs: job ? [stored(job, complete)] : [] });
    expect(after.objects.some(({ object }) => object.kind === "ConfigMap")).toBe(result === "tuned");
    expect(events.map(({ reason }) => reason)).toEqual(event === undefined ? [] : [event]);
  });
});

it.each(discovery.containerIds)("the id of a container in $in", ({ in: text, out }) => {
  expect(bareId(text)).toBe(out);
});

describe("CPUs of a container", () => {
  const { podUid, containerId } = discovery;
  const placed = (path: string): string => `/sys/fs/cgroup/${path.replace("<cid>", containerId)}`;
  it.each([...discovery.cases, ...discovery.others])("$id", async (given) => {
    const { criCpus, criError, cgroupsPath, files = {}, path, out, error } = given;
    const texts = Object.entries(files).map(
      ([index, text]) => [placed(discovery.paths[Number(index)] ?? ""), text] as const,
    );
    if (path !== undefined) texts.push([placed(path), out ?? ""]);
    const answer: Inspection =
      criError === true
        ? { type: "failed", message: "broken" }
        : { type: "found", container: { podUid, cpus: criCpus, cgroupsPath, mounts: [] } };
    const found = await containerFacts({
      host: new MemoryHost(new MemoryBase([...texts])),
      runtime: { inspect: async () => answer },
      podUid,
      containerId: `containerd://${containerId}`,
    });
    if (error !== undefined)
      expect(found).toEqual({ type: "unknown", reason: expect.stringContaining(error) as string });
    else expect(found.type === "known" && formatRanges(found.database.cpus)).toBe(out);
  });
});

describe("network cards (scylla W-9)", () => {
  it.each(discovery.interfaces)("$id", async ({ physical, virtual, lower = {}, routes, down = [], out }) => {
    const folderOf = (name: string): string =>
      physical.includes(name) ? `/sys/devices/pci0000:00/net/${name}` : `/sys/devices/virtual/net/${name}`;
    const all = [...physical, ...virtual];
    const lines = routes.map(
      (name, index) =>
        `${name}\t${index === 0 ? "00000000\t0\t3\t0\t0\t0\t00000000" : "0000000A\t0\t1\t0\t0\t0\t000000FF"}`,
    );
    const host = new MemoryHost(
      new MemoryBase(
        [
          ["/proc/1/net/route", `Iface\n${lines.join("\n")}\n`],
          ...all.map((name) => [`${folderOf(name)}/operstate`, down.includes(name) ? "down\n" : "up\n"] as const),
          ...Object.entries(lower).flatMap(([name, below]) =>
            below.map((one) => [`${folderOf(name)}/lower_${one}/ifindex`, "1\n"] as const),
          ),
        ],
        [],
        all.map((name) => [`/sys/class/net/${name}`, folderOf(name)] as const),
      ),
    );
    expect((await readInterfaces(host)).map(({ name }) => name)).toEqual(out);
  });
});

describe("--write-back-cache=false", () => {
  it.each(jobs.gkeWriteBack)("$id", ({ onGke, image, disable }) => {
    const plan = decided({
      facts: { ...facts, onGke },
      pods: [podOf("a")],
      containers: new Map([["containerd://a", knownAs("0-1")]]),
      images: { perftune: image, native: "" },
    });
    expect(argumentsOf(jobIn(plan)).includes("--write-back-cache=false")).toBe(disable);
  });
});

function recordOf({ irqCpus, nics, directories, noWriteBack }: Omit<ArgumentCase, "id" | "args">): TuningRecord {
  const inputs = {
    purpose: "databases",
    engine: "perftune",
    image: "i",
    bootId: "b",
    cpus: "0-7",
    irqCpus,
    interfaces: nics.map((name, index) => ({ name, index })),
    directories,
    devices: [],
    ...(noWriteBack === true ? ({ writeBackCache: false } as const) : {}),
  } as const;
  return { inputs, sequence: 1, attempt: 1, pods: {} };
}

describe("the Job", () => {
  it.each(jobs.args)("has arguments: $id", (given) => {
    const job = tuningJob({ config, node: { name: "n", uid: "nu" }, record: recordOf(given), paths: [] });
    expect(argumentsOf(job)).toEqual(given.args);
  });

  it("is as recorded", () => {
    const record = recordOf({ irqCpus: "0", nics: [], directories: [] });
    const paths = scriptPaths.map(({ path }) => path).filter((path) => !/\/(default|conf\.d)\/irqbalance/.test(path));
    const job = tuningJob({ config, node: { name: "n", uid: "nu" }, record, paths });
    const { template } = job["spec"] as {
      template: {
        spec: {
          volumes: { name: string; hostPath: { path: string; type: string } }[];
          containers: {
            command: string[];
            env: object[];
            volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
          }[];
        };
      };
    };
    const { containers, volumes, ...pod } = template.spec;
    const [container] = containers;
    const { namespace, labels, owner, command, env, mounts } = jobs.job;
    expect(job.metadata).toMatchObject({ namespace, labels, ownerReferences: [owner] });
    expect(pod).toMatchObject({ hostPID: true, hostNetwork: true, nodeName: "n", automountServiceAccountToken: false });
    expect(container).toMatchObject({
      command,
      env: Object.entries(env).map(([name, value]) => ({ name, value: value as string })),
      securityContext: { privileged: true },
      resources: { requests: { cpu: "10m", memory: "50Mi" } },
    });
    const found = container?.volumeMounts.map(({ name, mountPath, readOnly }): Mount => {
      const { path: host = "", type = "" } = volumes.find((one) => one.name === name)?.hostPath ?? {};
      return { host, type, path: mountPath, ...(readOnly === true ? { readOnly } : {}) };
    });
    expect(found).toEqual(mounts);
    expect(job.metadata.name).toMatch(/^perftune-[0-9a-f]{16}$/);
  });
});

it("every case in which Attune does otherwise is in the table of docs/scylla-parity.md", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/scylla-parity.md"), "utf8");
  const all: Different[] = [
    ...irq.cases,
    ...irq.podFiltering,
    ...discovery.cases,
    ...discovery.interfaces,
    ...jobs.gkeWriteBack,
  ];
  const different = all.filter(({ because }) => because !== undefined);
  expect(different.length).toBeGreaterThan(8);
  expect(
    different.filter(({ id, because = "" }) => !page.includes(`| \`${id}\` |`) || !page.includes(because)),
  ).toEqual([]);
});
