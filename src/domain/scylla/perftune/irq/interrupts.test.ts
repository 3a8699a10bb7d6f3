import { expect, it } from "vitest";
import { readInterrupts } from "./interrupts.ts";

it("has the text of each numbered line, without its counters", () => {
  const text = `            CPU0       CPU1
   0:          7          0  IR-IO-APIC    2-edge      timer
  25:          0 4294967295  IR-PCI-MSI 524288-edge      eth0-Tx-Rx-0
 100:          1          2  GICv3  27 Level     arch_timer
 101:          1          2  7-segment
 NMI:          1          2   Non-maskable interrupts
 ERR:          0
`;
  expect([...readInterrupts(text)]).toEqual([
    [0, "IR-IO-APIC    2-edge      timer"],
    [25, "IR-PCI-MSI 524288-edge      eth0-Tx-Rx-0"],
    [100, "GICv3  27 Level     arch_timer"],
    [101, "7-segment"],
  ]);
});
