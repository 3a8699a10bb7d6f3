import { invalid, required } from "../../../language/schema/field-error.ts";
import { child, index } from "../../../language/schema/path.ts";
import type { NetDevice } from "../api.ts";
import type { Report } from "./read-shape.ts";

/** They become part of regular expressions for udev properties, so only safe characters are allowed. */
export function readDevices(devices: readonly NetDevice[], report: Report): readonly NetDevice[] {
  for (const [position, device] of devices.entries()) {
    const at = index("spec.net.devices", position);
    const { interfaceName, vendorID, deviceID } = device;
    if (interfaceName !== undefined && !isInterface(interfaceName))
      report(
        "DeviceMalformed",
        invalid(
          child(at, "interfaceName"),
          interfaceName,
          'write the name of an interface, with "*" for any text and a leading "!" for all others',
        ),
      );
    for (const [name, id] of Object.entries({ vendorID, deviceID }))
      if (id !== undefined && !/^0x[0-9a-f]{1,4}$/i.test(id))
        report("DeviceMalformed", invalid(child(at, name), id, "write 0x and one to four hexadecimal digits"));
    if (deviceID !== undefined && vendorID === undefined)
      report(
        "DeviceWithoutVendor",
        required(child(at, "vendorID"), "deviceID identifies a model only together with vendorID"),
      );
  }
  return devices;
}

function isInterface(name: string): boolean {
  return /^!?[A-Za-z0-9_.:*@-]+$/.test(name);
}
