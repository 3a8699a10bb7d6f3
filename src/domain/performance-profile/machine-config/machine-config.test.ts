import { describe, expect, test } from "vitest";
import { filesOf, unitsOf } from "../../../language/ignition/config.ts";
import { contentsOf } from "../../../language/ignition/file-contents.ts";
import { parseUnit } from "../../../language/ignition/unit-text.ts";
import { deepFreeze } from "../../../language/object/json.ts";
import { annotations, type PerformanceProfileSpec } from "../api.ts";
import type { DerivationInput } from "../derivation.ts";
import { readFacts } from "../read-facts.ts";
import { machineConfigOf } from "./machine-config.ts";

interface Given {
  readonly spec?: Partial<PerformanceProfileSpec>;
  readonly cpu?: PerformanceProfileSpec["cpu"];
  readonly annotations?: Record<string, string>;
  readonly cluster?: Partial<DerivationInput>;
}

function made({ spec, cpu, annotations = {}, cluster }: Given = {}) {
  const read = readFacts({
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: { name: "rt", annotations },
    spec: {
      cpu: { reserved: "0-3", isolated: "4-5", ...cpu },
      nodeSelector: { "node-role.kubernetes.io/worker-rt": "" },
      ...spec,
    },
  });
  if (read.type !== "facts") throw new Error(JSON.stringify(read.findings));
  return machineConfigOf(deepFreeze({ facts: read.facts, partitioning: "None", mixedCpusAllowed: false, ...cluster }));
}

const files = (given?: Given) =>
  new Map(filesOf(made(given).spec?.config).map((file) => [file.path, { mode: file.mode, text: contentsOf(file) }]));
const units = (given?: Given) => new Map(unitsOf(made(given).spec?.config).map((unit) => [unit.name, unit]));
const options = (given: Given, unit: string, section: string) =>
  Object.fromEntries(parseUnit(units(given).get(unit)?.contents ?? "").get(section) ?? []);

const alwaysThere = [
  "/usr/local/bin/hugepages-allocation.sh",
  "/usr/local/bin/set-cpus-offline.sh",
  "/usr/local/bin/clear-irqbalance-banned-cpus.sh",
  "/etc/crio/crio.conf.d/99-runtimes.conf",
  "/usr/local/bin/cpuset-configure.sh",
  "/etc/systemd/system/ovs.slice",
  "/etc/systemd/system/openvswitch.service.d/01-use-ovs-slice.conf",
  "/etc/systemd/system/ovsdb-server.service.d/01-use-ovs-slice.conf",
  "/etc/systemd/system/ovs-vswitchd.service.d/01-use-ovs-slice.conf",
  "/var/lib/ovn-ic/etc/enable_dynamic_cpu_affinity",
  "/etc/sysconfig/stalld-backend",
  "/etc/systemd/system/stalld.service.d/stalld-backend.conf",
];
const unitsAlwaysThere = [
  "cpuset-configure.service",
  "clear-irqbalance-banned-cpus.service",
  "ocp-tuned-one-shot.service",
];

/** What is there beyond that, each after the one that it follows. */
const added = (given: Given) => ({
  files: [...files(given).keys()].filter((path) => !alwaysThere.includes(path)),
  units: [...units(given).keys()].filter((name) => !unitsAlwaysThere.includes(name)),
});

describe("a profile's MachineConfig", () => {
  test("is named and labelled for its pool", () => {
    expect(made()).toMatchObject({
      apiVersion: "machineconfiguration.openshift.io/v1",
      kind: "MachineConfig",
      metadata: { name: "50-performance-rt", labels: { "machineconfiguration.openshift.io/role": "worker-rt" } },
      spec: { config: { ignition: { version: "3.2.0" } } },
    });
    expect(made({ spec: { machineConfigLabel: { a: "b" } } }).metadata.labels).toEqual({ a: "b" });
  });

  test.each([
    ["default", {}],
    ["realtime", { realTimeKernel: { enabled: true } }],
    ["64k-pages", { kernelPageSize: "64k" }],
    ["realtime", { realTimeKernel: { enabled: true }, kernelPageSize: "64k" }],
    ["default", { realTimeKernel: { enabled: false }, kernelPageSize: "4k" }],
  ])("asks for the kernel %j, given %j", (kernelType, spec) => {
    expect(made({ spec }).spec?.kernelType).toBe(kernelType);
  });

  test("has what every profile needs, in order", () => {
    expect([...files().keys()]).toEqual(alwaysThere);
    expect([...units().keys()]).toEqual(unitsAlwaysThere);
    for (const [path, { mode, text }] of files()) {
      expect(mode).toBe(path.endsWith(".sh") ? 0o700 : 0o644);
      expect(text).toMatch(/\n$/);
      if (path.endsWith(".sh")) expect(text).toMatch(/^#!\/bin\/sh\n/);
    }
    for (const { enabled } of units().values()) expect(enabled).toBe(true);
  });

  test("is deterministic", () => {
    expect(JSON.stringify(made())).toBe(JSON.stringify(made()));
  });

  test.each<[string, Given, { files: string[]; units: string[] }]>([
    [
      "steering of packets",
      { annotations: { [annotations.rps]: "true" } },
      {
        files: [
          "/usr/local/bin/set-rps-mask.sh",
          "/etc/sysctl.d/99-default-rps-mask.conf",
          "/etc/udev/rules.d/99-netdev-physical-rps.rules",
        ],
        units: ["update-rps@.service"],
      },
    ],
    [
      "steering of packets on cards as well",
      { annotations: { [annotations.rps]: "enable", [annotations.physicalRps]: "true" } },
      { files: ["/usr/local/bin/set-rps-mask.sh", "/etc/sysctl.d/99-default-rps-mask.conf"], units: [] },
    ],
    [
      "steering of packets on cards alone, which means nothing",
      { annotations: { [annotations.physicalRps]: "true" } },
      { files: [], units: [] },
    ],
    [
      "partitioning",
      { cluster: { partitioning: "AllNodes" } },
      {
        files: ["/etc/crio/crio.conf.d/99-workload-pinning.conf", "/etc/kubernetes/openshift-workload-pinning"],
        units: [],
      },
    ],
    ["CPUs to switch off", { cpu: { offlined: "6-7" } }, { files: [], units: ["set-cpus-offline.service"] }],
    ["an empty list of them", { cpu: { offlined: "" } }, { files: [], units: ["set-cpus-offline.service"] }],
    [
      "OVS-DPDK",
      { cpu: { ovsDpdk: "2-3", reserved: "0-1" } },
      { files: ["/usr/local/bin/ovs-dpdk-cpus-configure.sh"], units: ["ovs-dpdk-cpus-configure.service"] },
    ],
    [
      "mixed CPUs",
      { cpu: { shared: "8-9" }, spec: { workloadHints: { mixedCpus: true } }, cluster: { mixedCpusAllowed: true } },
      { files: ["/etc/kubernetes/openshift-workload-mixed-cpus"], units: [] },
    ],
    [
      "mixed CPUs that the cluster does not allow",
      { cpu: { shared: "8-9" }, spec: { workloadHints: { mixedCpus: true } } },
      { files: [], units: [] },
    ],
    [
      "huge pages on nodes and anywhere",
      {
        spec: {
          hugepages: {
            defaultHugepagesSize: "1G",
            pages: [
              { size: "2M", count: 128, node: 1 },
              { size: "1G", count: 4 },
              { size: "1G", count: 0, node: 0 },
            ],
          },
        },
      },
      {
        files: [],
        units: ["hugepages-allocation-2048kB-NUMA1.service", "hugepages-allocation-1048576kB-NUMA0.service"],
      },
    ],
  ])("has what is needed for %s", (_, given, expected) => {
    expect(added(given)).toEqual(expected);
  });

  test("has every file and unit in order if all features are on", () => {
    const given: Given = {
      annotations: { [annotations.rps]: "true" },
      cpu: { reserved: "0-1", offlined: "6", shared: "8", ovsDpdk: "2-3" },
      spec: {
        workloadHints: { mixedCpus: true },
        hugepages: { defaultHugepagesSize: "2M", pages: [{ size: "2M", count: 1, node: 0 }] },
      },
      cluster: { partitioning: "AllNodes", mixedCpusAllowed: true },
    };
    expect([...files(given).keys()].map((path) => path.split("/").at(-1))).toEqual([
      "hugepages-allocation.sh",
      "set-rps-mask.sh",
      "set-cpus-offline.sh",
      "clear-irqbalance-banned-cpus.sh",
      "99-runtimes.conf",
      "99-default-rps-mask.conf",
      "99-netdev-physical-rps.rules",
      "99-workload-pinning.conf",
      "openshift-workload-pinning",
      "cpuset-configure.sh",
      "ovs.slice",
      "01-use-ovs-slice.conf",
      "01-use-ovs-slice.conf",
      "01-use-ovs-slice.conf",
      "enable_dynamic_cpu_affinity",
      "ovs-dpdk-cpus-configure.sh",
      "stalld-backend",
      "stalld-backend.conf",
      "openshift-workload-mixed-cpus",
    ]);
    expect([...units(given).keys()]).toEqual([
      "update-rps@.service",
      "hugepages-allocation-2048kB-NUMA0.service",
      "cpuset-configure.service",
      "set-cpus-offline.service",
      "clear-irqbalance-banned-cpus.service",
      "ocp-tuned-one-shot.service",
      "ovs-dpdk-cpus-configure.service",
    ]);
  });
});

describe("a file", () => {
  const runtimes = (given: Given) => files(given).get("/etc/crio/crio.conf.d/99-runtimes.conf")?.text;

  test("configures the runtime class in CRI-O", () => {
    expect(runtimes({ cpu: { reserved: "3,0-1,1" } })).toBe(
      [
        "[crio.runtime]",
        'infra_ctr_cpuset = "3,0-1,1"',
        "min_injected_gomaxprocs = 4",
        "",
        "[crio.runtime.runtimes.high-performance]",
        "inherit_default_runtime = true",
        'exec_cpu_affinity = "first"',
        'default_annotations = {"run.oci.systemd.subgroup" = ""}',
        'allowed_annotations = ["cpu-load-balancing.crio.io", "cpu-quota.crio.io", "irq-load-balancing.crio.io", "cpu-c-states.crio.io", "cpu-freq-governor.crio.io"]',
        "",
      ].join("\n"),
    );
  });

  test.each([
    ["disable", false],
    ["enable", true],
    ["Disable", true],
  ])("pins commands to one CPU, given %s: %s", (value, affine) => {
    const text = runtimes({ annotations: { [annotations.execAffinity]: value } });
    expect(text?.includes('exec_cpu_affinity = "first"')).toBe(affine);
  });

  test("names shared CPUs as they are written, where pods get any", () => {
    const given: Given = { cpu: { shared: "9,8" }, spec: { workloadHints: { mixedCpus: true } } };
    const text = runtimes({ ...given, cluster: { mixedCpusAllowed: true } });
    expect(text).toContain('infra_ctr_cpuset = "0-3"\nshared_cpuset = "9,8"\n');
    expect(text).toContain('"cpu-freq-governor.crio.io", "cpu-shared.crio.io"]');
    expect(runtimes(given)).not.toContain("shared");
  });

  test.each<[string, Given, string]>([
    [
      "/etc/sysctl.d/99-default-rps-mask.conf",
      { annotations: { [annotations.rps]: "true" }, cpu: { reserved: "0-1,33" } },
      "net.core.rps_default_mask = 00000002,00000003\n",
    ],
    [
      "/etc/kubernetes/openshift-workload-pinning",
      { cluster: { partitioning: "AllNodes" }, cpu: { reserved: "1,0" } },
      '\n{\n  "management": {\n    "cpuset": "1,0"\n  }\n}\n',
    ],
    ["/etc/systemd/system/ovsdb-server.service.d/01-use-ovs-slice.conf", {}, "[Service]\nSlice=ovs.slice\n"],
    ["/etc/systemd/system/ovs-vswitchd.service.d/01-use-ovs-slice.conf", {}, "[Service]\nSlice=ovs.slice\n"],
    [
      "/etc/systemd/system/ovs-vswitchd.service.d/01-use-ovs-slice.conf",
      { cpu: { reserved: "0", ovsDpdk: "3,2" } },
      "[Service]\nSlice=ovs.slice\nDelegate=cpuset cpu pids\nEnvironment=OVS_DPDK_CPUS=3,2\n",
    ],
    ["/etc/sysconfig/stalld-backend", {}, 'BE="-b sched_debug"\n'],
    [
      "/etc/systemd/system/stalld.service.d/stalld-backend.conf",
      {},
      "[Service]\nEnvironmentFile=/etc/sysconfig/stalld-backend\n",
    ],
    [
      "/etc/kubernetes/openshift-workload-mixed-cpus",
      { cpu: { shared: "8" }, spec: { workloadHints: { mixedCpus: true } }, cluster: { mixedCpusAllowed: true } },
      '{\n  "shared_cpus": {\n    "containers_limit": 256\n  }\n}\n',
    ],
  ])("%s says what it is for, given %j", (path, given, text) => {
    expect(files(given).get(path)?.text).toBe(text);
  });

  test.each([
    ["disable", "isolated"],
    ["DISABLE", "isolated"],
    ["enable", "member"],
  ])("makes the CPUs of OVS-DPDK a partition, given %s: %s", (value, partition) => {
    const given: Given = {
      cpu: { reserved: "0", ovsDpdk: "3,2" },
      annotations: { [annotations.ovsDpdkBalancing]: value },
    };
    const text = files(given).get("/usr/local/bin/ovs-dpdk-cpus-configure.sh")?.text;
    expect(text).toContain("cpus='2-3'\n");
    expect(text).toContain(`echo ${partition} >`);
  });
});

describe("a unit", () => {
  test("allocates huge pages before the kubelet starts", () => {
    const given: Given = {
      spec: { hugepages: { defaultHugepagesSize: "1G", pages: [{ size: "2M", count: 128, node: 1 }] } },
    };
    expect(units(given).get("hugepages-allocation-2048kB-NUMA1.service")).toEqual({
      name: "hugepages-allocation-2048kB-NUMA1.service",
      enabled: true,
      contents: [
        "[Unit]",
        "Description=Huge pages of 2048 KiB on NUMA node 1",
        "Before=kubelet.service",
        "",
        "[Service]",
        "Environment=HUGEPAGES_COUNT=128",
        "Environment=HUGEPAGES_SIZE=2048",
        "Environment=NUMA_NODE=1",
        "Type=oneshot",
        "RemainAfterExit=true",
        "ExecStart=/usr/local/bin/hugepages-allocation.sh",
        "",
        "[Install]",
        "WantedBy=multi-user.target",
        "",
      ].join("\n"),
    });
  });

  test.each([
    ["6-7", "6,7"],
    ["9,6-7,7", "6,7,9"],
    ["", ""],
  ])("takes the CPUs %j offline one by one", (offlined, list) => {
    const given: Given = { cpu: { offlined } };
    expect(options(given, "set-cpus-offline.service", "Service")["Environment"]).toEqual([`OFFLINE_CPUS=${list}`]);
    expect(units(given).get("set-cpus-offline.service")?.contents).toContain(
      `Description=Switches off CPUs: ${list}\n`,
    );
  });

  test("removes bans of CPUs before irqbalance starts, except those of OVS-DPDK", () => {
    const name = "clear-irqbalance-banned-cpus.service";
    expect(options({}, name, "Unit")["Before"]).toEqual(["kubelet.service", "irqbalance.service"]);
    expect(options({}, name, "Service")).not.toHaveProperty("Environment");
    const given: Given = { cpu: { reserved: "0", ovsDpdk: "2-3" } };
    expect(units(given).get(name)?.contents).toContain("Environment=OVS_DPDK_CPUS=c\n\n[Install]");
  });

  test("starts for each queue that udev finds, and by nothing else", () => {
    const given: Given = { annotations: { [annotations.rps]: "true" } };
    const unit = units(given).get("update-rps@.service");
    expect(unit).not.toHaveProperty("enabled");
    expect(options(given, "update-rps@.service", "Service")).toEqual({
      Type: ["oneshot"],
      ExecStart: ["/usr/local/bin/set-rps-mask.sh %I 0"],
    });
    const rules = files(given).get("/etc/udev/rules.d/99-netdev-physical-rps.rules")?.text ?? "";
    expect(rules.match(/--template=update-rps@\.service/g)).toHaveLength(2);
  });

  test("waits for the switch before it divides its CPUs", () => {
    const given: Given = { cpu: { reserved: "0", ovsDpdk: "2-3" } };
    expect(options(given, "ovs-dpdk-cpus-configure.service", "Unit")).toMatchObject({
      Requires: ["ovs-vswitchd.service"],
      After: ["ovs-vswitchd.service"],
      Before: ["kubelet.service"],
    });
  });

  test("tunes the node before the kubelet, and never prevents its start", () => {
    const service = options({}, "ocp-tuned-one-shot.service", "Service");
    expect(service["ExecStart"]).toEqual([
      expect.stringMatching(/^-\/usr\/bin\/podman run .* \$NTO_IMAGE /),
      "/usr/bin/true",
    ]);
    expect(service["EnvironmentFile"]).toEqual(["-/etc/mco/proxy.env", "-/var/lib/ocp-tuned/image.env"]);
    expect(options({}, "ocp-tuned-one-shot.service", "Unit")).toMatchObject({
      Before: ["kubelet-dependencies.target"],
      Requires: ["kubelet-dependencies.target"],
      ConditionPathExists: ["/var/lib/ocp-tuned/image.env"],
    });
  });

  test("runs only scripts that are among the files", () => {
    const given: Given = {
      annotations: { [annotations.rps]: "true" },
      cpu: { reserved: "0", offlined: "6", ovsDpdk: "2-3" },
      spec: { hugepages: { defaultHugepagesSize: "2M", pages: [{ size: "2M", count: 1, node: 0 }] } },
    };
    const started = [...units(given).values()].flatMap(
      ({ contents = "" }) => contents.match(/\/usr\/local\/bin\/\S+/g) ?? [],
    );
    expect(started.length).toBe(6);
    expect(started.toSorted()).toEqual([...files(given).keys()].filter((path) => path.endsWith(".sh")).toSorted());
  });
});
