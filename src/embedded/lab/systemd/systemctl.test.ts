import { expect, test } from "vitest";
import { machine } from "../machine.ts";
import { machineBase, smallMachine } from "../machine-base.ts";

const base = machineBase(smallMachine);
const unit = "[Service]\nType=simple\nExecStart=/usr/bin/x\n\n[Install]\nWantedBy=multi-user.target\n";

function withUnit(text = unit) {
  const host = machine(base);
  host.put("/etc/systemd/system/x.service", text);
  const ask = async (...words: string[]): Promise<string> => {
    const result = await host.run(["systemctl", ...words]);
    return result.type === "exited" ? `${result.code} ${result.stdout}${result.stderr}`.trim() : result.message;
  };
  return { host, ask };
}

test.each([
  { verbs: ["enable"], isEnabled: "0 enabled", isActive: "3 inactive" },
  { verbs: ["enable", "start", "disable"], isEnabled: "1 disabled", isActive: "0 active" },
  { verbs: ["start", "stop"], isEnabled: "1 disabled", isActive: "3 inactive" },
  { verbs: ["disable", "preset"], isEnabled: "0 enabled", isActive: "3 inactive" },
])("after $verbs a unit is $isEnabled and $isActive", async ({ verbs, isEnabled, isActive }) => {
  const { ask } = withUnit();
  for (const verb of verbs) expect(await ask(verb, "x")).toBe("0");
  expect(await ask("is-enabled", "x.service")).toBe(isEnabled);
  expect(await ask("is-active", "x.service")).toBe(isActive);
});

test("presets are read in order of their names, and the first line that matches decides", async () => {
  const { host, ask } = withUnit();
  host.put("/etc/systemd/system-preset/20-own.preset", "# all others\ndisable x.*\nenable *\n");
  host.put("/usr/lib/systemd/system-preset/10-base.preset", "enable y.service\n");
  expect(await ask("preset", "x")).toBe("0");
  expect(await ask("is-enabled", "x")).toBe("1 disabled");
});

test("a unit without a file does not exist, and what it was told has no effect", async () => {
  const { ask } = withUnit();
  expect(await ask("start", "nosuch")).toBe("5 Failed to start nosuch.service: Unit nosuch.service not found.");
  expect(await ask("enable", "nosuch")).toBe("1 Failed to enable unit: Unit file nosuch.service does not exist.");
  expect(await ask("is-enabled", "nosuch")).toBe("4 not-found");
});

test("a masked unit cannot be started or enabled until it is unmasked, and a file of its own is in the way of mask", async () => {
  const { host, ask } = withUnit();
  expect(await ask("mask", "x")).toMatch(/^1 .*already exists/);
  expect(await ask("mask", "stalld")).toBe("0");
  expect(await host.stat("/etc/systemd/system/stalld.service")).toMatchObject({ type: "link", target: "/dev/null" });
  expect(await ask("is-enabled", "stalld")).toBe("1 masked");
  expect(await ask("start", "stalld")).toMatch(/^1 .*masked/);
  expect(await ask("enable", "stalld")).toMatch(/^1 .*masked/);
  expect(await ask("unmask", "stalld")).toBe("0");
  expect(await ask("start", "stalld")).toBe("0");
});

test("a unit without an install section is static, and a template has instances", async () => {
  const { host, ask } = withUnit("[Service]\nExecStart=/usr/bin/x\n");
  expect(await ask("is-enabled", "x")).toBe("0 static");
  host.put("/etc/systemd/system/y@.service", "[Service]\nExecStart=/usr/bin/y %i\n");
  expect(await ask("start", "y@eth0.service")).toBe("0");
  expect(await ask("start", "y@.nosuch")).toMatch(/^5 /);
});

test("one-shot units run: huge pages are on their memory node and CPUs are off, and a missing script is a failure", async () => {
  const host = machine(machineBase({ ...smallMachine, sockets: 2 }));
  const script = (name: string): string => `/usr/local/bin/${name}.sh`;
  const oneShot = (name: string, environment: string[]): string =>
    `[Service]\nType=oneshot\nRemainAfterExit=true\n${environment.map((one) => `Environment=${one}\n`).join("")}ExecStart=${script(name)}\n`;
  const pages = ["HUGEPAGES_COUNT=3", "HUGEPAGES_SIZE=2048", "NUMA_NODE=1"];
  host.put("/etc/systemd/system/pages.service", oneShot("hugepages-allocation", pages));
  host.put("/etc/systemd/system/off.service", oneShot("set-cpus-offline", ['"OFFLINE_CPUS=1,3"']));
  expect(await host.run(["systemctl", "start", "pages"])).toMatchObject({ code: 1 });
  expect(await host.run(["systemctl", "is-failed", "pages"])).toMatchObject({ code: 0 });
  for (const name of ["hugepages-allocation", "set-cpus-offline"]) host.put(script(name), "#!/bin/sh\n");
  expect(await host.run(["systemctl", "start", "pages", "off"])).toMatchObject({ code: 0 });
  const shown = async (path: string): Promise<string> => {
    const file = await host.read(path);
    return file.type === "text" ? file.text.trim() : file.type;
  };
  expect(await shown("/sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages")).toBe("3");
  expect(await shown("/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages")).toBe("0");
  expect(await shown("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")).toBe("3");
  expect(await shown("/proc/sys/vm/nr_hugepages")).toBe("3");
  expect(await shown("/sys/devices/system/cpu/online")).toBe("0,2");
  expect(await shown("/sys/devices/system/cpu/offline")).toBe("1,3");
});
