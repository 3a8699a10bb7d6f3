import { unitText } from "../../../language/ignition/unit-text.ts";

const settingPath = "/etc/sysconfig/stalld-backend";

/** How stalld finds threads that wait in vain for a CPU. Its other way, by eBPF, fails on some kernels. */
export const stalldBackend = {
  path: settingPath,
  text: 'BE="-b sched_debug"\n',
};

export const stalldDropIn = {
  path: "/etc/systemd/system/stalld.service.d/stalld-backend.conf",
  text: unitText([["Service", [["EnvironmentFile", settingPath]]]]),
};
