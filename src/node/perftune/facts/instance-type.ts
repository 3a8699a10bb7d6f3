import type { Host } from "../../host/host.ts";
import { textOf } from "./text-of.ts";

/**
 * The instance type of a machine at AWS, from what its firmware says: no request leaves the host. Machines on Nitro name their
 * type. Those on Xen do not, but of them only the `i3` have disks with NVMe.
 */
export async function readInstanceType(host: Host, disks: readonly string[]): Promise<string | undefined> {
  const dmi = "/sys/class/dmi/id";
  const [vendor, product, bios] = await Promise.all(
    ["sys_vendor", "product_name", "bios_version"].map(async (name) => (await textOf(host, `${dmi}/${name}`)) ?? ""),
  );
  if (/Amazon EC2/.test(vendor ?? "")) return product?.trim();
  const isXen = vendor?.startsWith("Xen") === true && /amazon/.test(bios ?? "");
  return isXen && disks.some((path) => /\/nvme[0-9]+n[0-9]+/.test(path)) ? "i3.xen" : undefined;
}
