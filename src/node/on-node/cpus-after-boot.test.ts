import { expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { cpusAfterBoot } from "./cpus-after-boot.ts";

const unit = "/etc/systemd/system/set-cpus-offline.service";
const ofProfile = { config: { tunedProfile: "p" }, profile: [{ name: "openshift-node-performance-p", data: "" }] };

function host(files: Record<string, string>): MemoryHost {
  const cpus = { "/sys/devices/system/cpu/present": "0-7\n", "/sys/devices/system/cpu/online": "0-3\n" };
  return new MemoryHost(new MemoryBase(Object.entries({ ...cpus, ...files })));
}

test.each([
  ["CPUs that the config has switched off count", { [unit]: "[Service]\nEnvironment=OFFLINE_CPUS=5,6\n" }, "0-3,5-6\n"],
  ["quoted ones too", { [unit]: '[Service]\nEnvironment="OFFLINE_CPUS=7"\n' }, "0-3,7\n"],
  ["CPUs that the machine does not have never count", { [unit]: "[Service]\nEnvironment=OFFLINE_CPUS=9\n" }, undefined],
  ["CPUs that others have switched off do not", {}, undefined],
])("%s", async (_, files, online) => {
  const answers = await cpusAfterBoot(ofProfile, host(files));
  expect([...answers.values()]).toEqual(online === undefined ? [] : [{ type: "text", text: online }]);
});

test("other profiles than those of PerformanceProfiles see what is online", async () => {
  const own = { config: { tunedProfile: "p" }, profile: [{ name: "p", data: "" }] };
  expect((await cpusAfterBoot(own, host({ [unit]: "[Service]\nEnvironment=OFFLINE_CPUS=5\n" }))).size).toBe(0);
});
