import { forbidden, notSupported } from "../../../language/schema/field-error.ts";
import type { PerformanceProfileSpec } from "../api.ts";
import { advice, type Check } from "./check.ts";

const field = "spec.kernelPageSize";

export const kernelPageSizeUnsupported: Check = {
  name: "KernelPageSizeUnsupported",
  severity: "error",
  faults: ({ spec, architecture }) =>
    architecture === "amd64" && spec.kernelPageSize === "64k" ? [notSupported(field, "64k", ["4k"])] : [],
};

export const realTimeKernelWith64kPages: Check = {
  name: "RealTimeKernelWith64kPages",
  severity: "error",
  faults: ({ spec, architecture }) =>
    architecture === "arm64" && wantsBoth(spec)
      ? [forbidden(field, "the real-time kernel has pages of 4k only: leave this out, or do without realTimeKernel")]
      : [],
};

/** If the architecture of the nodes is unknown. */
export const kernelPageSizeIgnored: Check = {
  name: "KernelPageSizeIgnored",
  severity: "warning",
  faults: ({ spec, architecture }) =>
    architecture !== "arm64" && architecture !== "amd64" && wantsBoth(spec)
      ? [advice(field, "has no effect: the real-time kernel has pages of 4k only")]
      : [],
};

function wantsBoth({ kernelPageSize, realTimeKernel }: PerformanceProfileSpec): boolean {
  return kernelPageSize === "64k" && realTimeKernel?.enabled === true;
}
