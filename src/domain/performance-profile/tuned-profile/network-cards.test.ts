import { describe, expect, it } from "vitest";
import { type NetDevice } from "../api.ts";
import { inputOf } from "../testing/facts.ts";
import { devicePattern, networkCards } from "./network-cards.ts";

describe("a card", () => {
  it.each<[NetDevice, string]>([
    [{ interfaceName: "eth*" }, "^INTERFACE=eth.*"],
    [{ interfaceName: "!ens5" }, "^INTERFACE=(?!ens5)"],
    [{ vendorID: "0x1af4" }, "^ID_VENDOR_ID=0x1af4"],
    [{ vendorID: "0x1af4", deviceID: "0x1000" }, "^ID_MODEL_ID=0x1000[\\s\\S]*^ID_VENDOR_ID=0x1af4"],
    [
      { vendorID: "0x1af4", deviceID: "0x1000", interfaceName: "ens5" },
      "^ID_MODEL_ID=0x1000[\\s\\S]*^ID_VENDOR_ID=0x1af4[\\s\\S]*^INTERFACE=ens5",
    ],
    [
      { vendorID: "0x1af4", deviceID: "0x1000", interfaceName: "!ens5" },
      "^ID_MODEL_ID=0x1000[\\s\\S]*^ID_VENDOR_ID=0x1af4[\\s\\S]*^INTERFACE=(?!ens5)",
    ],
  ])("%j is found by a pattern", (device, pattern) => {
    expect(devicePattern(device)).toBe(pattern);
  });
});

describe("cards", () => {
  const names = (net: { userLevelNetworking?: boolean; devices?: NetDevice[] }): string[] =>
    networkCards(inputOf({ net }).facts).map(({ name }) => name);

  it.each([
    [{ devices: [{ interfaceName: "eth0" }] }, []],
    [{ userLevelNetworking: false }, []],
    [{ userLevelNetworking: true }, ["net"]],
    [
      { userLevelNetworking: true, devices: [{ interfaceName: "a" }, { interfaceName: "b" }, {}] },
      ["net", "net_1", "net_2"],
    ],
  ])("%j have a section each", (net, expected) => {
    expect(names(net)).toEqual(expected);
  });
});
