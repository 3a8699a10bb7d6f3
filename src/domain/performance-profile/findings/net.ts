import { index } from "../../../language/schema/path.ts";
import { advice, type Check } from "./check.ts";

export const deviceUnidentified: Check = {
  name: "DeviceUnidentified",
  severity: "warning",
  faults: ({ spec }) =>
    (spec.net?.devices ?? []).flatMap(({ interfaceName, vendorID, deviceID }, position) =>
      (interfaceName ?? vendorID ?? deviceID) !== undefined
        ? []
        : [
            advice(
              index("spec.net.devices", position),
              "identifies no card and so selects all: give a name, or vendor and model",
            ),
          ],
    ),
};

export const devicesIgnored: Check = {
  name: "DevicesIgnored",
  severity: "warning",
  faults: ({ spec: { net } }) =>
    net?.devices && net.devices.length > 0 && !net.userLevelNetworking
      ? [advice("spec.net.devices", "has no effect without userLevelNetworking")]
      : [],
};
