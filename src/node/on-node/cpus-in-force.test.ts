import { describe, expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { cpusInForce } from "./cpus-in-force.ts";

const cmdline = "/proc/cmdline";
const kubelet = "/etc/kubernetes/kubelet.conf";
const plain = "/etc/attune/kubelet/kubelet.yaml";
const crio = "/etc/crio/crio.conf.d/99-runtimes.conf";

describe("the CPU sets in force on a node", () => {
  test.each<{ name: string; files: Readonly<Record<string, string>>; expected: object }>([
    { name: "nothing can be read", files: {}, expected: { shared: "" } },
    {
      name: "a kernel that keeps none free",
      files: { [cmdline]: "quiet root=/dev/sda1\n" },
      expected: { isolated: "" },
    },
    {
      name: "the kernel keeps the CPUs of rcu_nocbs free, also where the scheduler balances them",
      files: { [cmdline]: "nohz=on rcu_nocbs=4-6,7 isolcpus=managed_irq,4 tuned.non_isolcpus=f\n" },
      expected: { isolated: "4-7" },
    },
    {
      name: "the last of several words counts",
      files: { [cmdline]: "nohz_full=1-3 nohz_full=2" },
      expected: { isolated: "2" },
    },
    {
      name: "flags come before CPUs",
      files: { [cmdline]: "isolcpus=nohz,domain,managed_irq,2-3\n" },
      expected: { isolated: "2-3" },
    },
    { name: "a word that names no numbers is not guessed", files: { [cmdline]: "rcu_nocbs=all" }, expected: {} },
    {
      name: "a word that only ends so is another one",
      files: { [cmdline]: "xrcu_nocbs=3" },
      expected: { isolated: "" },
    },
    {
      name: "the kubelet, in YAML",
      files: { [kubelet]: 'a: 1\nreservedSystemCPUs: "0-1"\n' },
      expected: { reserved: "0-1" },
    },
    {
      name: "the kubelet, in JSON",
      files: { [kubelet]: '{"kind":"x","reservedSystemCPUs":"0,1","a":1}' },
      expected: { reserved: "0-1" },
    },
    { name: "a kubelet that reserves none", files: { [kubelet]: "kind: x\n" }, expected: { reserved: "" } },
    {
      name: "on a plain host what was set there counts",
      files: { [plain]: "reservedSystemCPUs: 0-3\n", [kubelet]: "reservedSystemCPUs: 7\n" },
      expected: { reserved: "0-3" },
    },
    {
      name: "the container runtime",
      files: { [crio]: '[crio.runtime]\ninfra_ctr_cpuset = "0"\nshared_cpuset = "2-3"\n' },
      expected: { shared: "2-3" },
    },
    {
      name: "interrupts",
      files: { "/proc/irq/default_smp_affinity": "00000001,0000000f\n" },
      expected: { irq: "0-3,32" },
    },
  ])("$name", async ({ files, expected }) => {
    const host = new MemoryHost(new MemoryBase(Object.entries(files)));
    expect(await cpusInForce(host)).toEqual({ shared: "", ...expected });
  });
});
