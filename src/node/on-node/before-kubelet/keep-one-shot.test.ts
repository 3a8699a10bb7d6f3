import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseUnit } from "../../../language/ignition/unit-text.ts";
import type { CommandResult } from "../../host/host.ts";
import { MemoryBase } from "../../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../../host/memory-host.ts";
import { firstBootUnit } from "../first-boot/unit.ts";
import { clearState } from "../removal/clear-state.ts";
import { keepOneShot } from "./keep-one-shot.ts";
import { oneShotUnit } from "./one-shot-unit.ts";

const image = "registry.example/attune:1";
const unitPath = "/etc/systemd/system/attune-one-shot.service";
const linkPath = "/etc/systemd/system/multi-user.target.wants/attune-one-shot.service";
const units = (kubelet: string, runtime: string): [string, string][] => [
  ["/usr/lib/systemd/system/kubelet.service", `[Service]\nExecStart=/usr/bin/kubelet ${kubelet}\n`],
  [`/usr/lib/systemd/system/${runtime}`, `[Service]\nExecStart=/usr/bin/${runtime.replace(".service", "")}\n`],
];
const printing =
  (stdout: string, code = 0): MemoryCommand =>
  (): CommandResult => ({ type: "exited", code, stdout, stderr: code === 0 ? "" : "no connection\n" });

function kubeadm(flags = "", programs: [string, MemoryCommand][] = [["ctr", printing("")]]): MemoryHost {
  return new MemoryHost(new MemoryBase(units(flags, "containerd.service")), programs);
}

async function unitOf(host: MemoryHost): Promise<string | undefined> {
  const found = await host.read(unitPath);
  return found.type === "text" ? found.text : undefined;
}

test("a host of kubeadm gets a unit that runs before its kubelet, which does not require it and never waits for ever", async () => {
  const host = kubeadm();
  expect(await keepOneShot(host, image)).toBeUndefined();
  const unit = parseUnit((await unitOf(host)) ?? "");
  expect(Object.fromEntries(unit.get("Unit") ?? [])).toMatchObject({
    Before: ["kubelet.service"],
    After: ["containerd.service systemd-sysctl.service"],
    ConditionPathExists: ["/var/lib/attune/tuning.json"],
  });
  expect(Object.fromEntries(unit.get("Service") ?? [])).toMatchObject({
    Type: ["oneshot"],
    TimeoutStartSec: ["60"],
    ExecStart: [expect.stringMatching(/^ctr --namespace k8s\.io run .* agent --one-shot --root \/host$/)],
  });
  expect(unit.get("Install")?.get("RequiredBy")).toBeUndefined();
  expect(await host.stat(linkPath)).toMatchObject({ type: "link", target: unitPath });
});

test("only the first boot, which finds the operator by its name, needs files of names on the host", () => {
  expect(oneShotUnit({ ...given, program: "ctr" })).not.toContain("--net-host");
  expect(firstBootUnit(image)).toContain("--net-host");
});

test("an agent that may place no units, or finds the unit of OpenShift at work, takes its own away", async () => {
  const host = kubeadm();
  await keepOneShot(host, image);
  expect(await keepOneShot(host, undefined)).toBeUndefined();
  expect([await unitOf(host), (await host.stat(linkPath)).type]).toEqual([undefined, "missing"]);
  await keepOneShot(host, image);
  host.put("/etc/systemd/system/kubelet-dependencies.target", "[Unit]\nDescription=x\n");
  expect(await keepOneShot(host, image)).toBeUndefined();
  expect([await unitOf(host), (await host.stat(linkPath)).type]).toEqual([undefined, "missing"]);
});

test.each([
  ["a short name", "attune:dev", "registry.example/library/attune:dev", "registry.example/library/attune:dev"],
  ["a tag and a digest", "r.example/a:1@sha256:00", "r.example/a@sha256:00", "r.example/a@sha256:00"],
  ["the end of another name", "attune:dev", "registry.example/my-attune:dev", "attune:dev"],
])("the image is named as containerd stores it: %s", async (_, given, listed, named) => {
  const host = kubeadm("", [["ctr", printing(`${listed}\nsha256:12\n`)]]);
  await keepOneShot(host, given);
  expect(await unitOf(host)).toContain(` images mount --rw ${named} `);
});

test("containerd is asked where the kubelet finds it", async () => {
  const host = kubeadm("--container-runtime-endpoint=unix:///run/own/containerd.sock");
  await keepOneShot(host, image);
  expect(await unitOf(host)).toContain("ExecStart=ctr --address /run/own/containerd.sock --namespace k8s.io run ");
});

test.each([
  ["has no ctr", kubeadm("", []), "ctr: no such program"],
  ["has a ctr that fails", kubeadm("", [["ctr", printing("", 1)]]), "ctr: no connection"],
  ["has CRI-O without podman", kubeadm("--container-runtime-endpoint=unix:///run/crio/crio.sock"), "only podman"],
  ["has no kubelet", new MemoryHost(new MemoryBase([])), "no kubelet"],
  ["has a runtime of its own", kubeadm("--container-runtime-endpoint=unix:///run/own.sock"), "is not known"],
])("a host that %s says why its pods may start early, and gets no unit", async (_, host, why) => {
  expect(await keepOneShot(host, image)).toContain(why);
  expect(await unitOf(host)).toBeUndefined();
});

test.each([
  ["does not answer", printing("", 1)],
  ["answers too late", (): CommandResult => ({ type: "failed", message: "ctr: stopped after 10000 ms" })],
])("the unit stays where ctr %s when the agent starts", async (_, ctr) => {
  let answer = printing("");
  const host = kubeadm("", [["ctr", (...given) => answer(...given)]]);
  await keepOneShot(host, image);
  const unit = await unitOf(host);
  answer = ctr;
  expect(await keepOneShot(host, image)).toContain("ctr: ");
  expect([await unitOf(host), (await host.stat(linkPath)).type]).toEqual([unit, "link"]);
});

test("an image that is no name becomes no line of a unit", async () => {
  const host = kubeadm();
  expect(await keepOneShot(host, "a\nExecStart=/bin/evil")).toContain("is no name of an image");
  expect(await unitOf(host)).toBeUndefined();
});

test("an agent that gives its node back leaves no unit behind", async () => {
  const host = kubeadm();
  await keepOneShot(host, image);
  expect(await clearState(host)).toEqual([]);
  expect([await unitOf(host), (await host.stat(linkPath)).type]).toEqual([undefined, "missing"]);
});

test("the unit is written once", async () => {
  const host = kubeadm();
  await keepOneShot(host, image);
  const before = host.changes();
  await keepOneShot(host, image);
  expect(host.changes()).toEqual(before);
});

const given = { image, kubelet: "kubelet.service", runtime: "containerd.service" };
const noSystemd = spawnSync("systemd-analyze", ["--version"]).error;
if (noSystemd) console.log(`not run: units read by systemd (${noSystemd.message})`);

test.skipIf(noSystemd).each([
  ["attune-one-shot.service", oneShotUnit({ ...given, program: "ctr" })],
  ["with-podman.service", oneShotUnit({ ...given, program: "podman" })],
  ["attune-first-boot.service", firstBootUnit(image)],
])("systemd finds nothing wrong with %s", (name, text) => {
  const folder = mkdtempSync(join(tmpdir(), "attune-units-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, name);
  // The program may not be here.
  writeFileSync(path, text.replaceAll(/(?<==-?)(?:ctr|podman) /g, "/bin/true "));
  const { stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", path], { encoding: "utf8" });
  expect(`${stdout}${stderr}`.split("\n").filter((line) => line.includes(name))).toEqual([]);
});
