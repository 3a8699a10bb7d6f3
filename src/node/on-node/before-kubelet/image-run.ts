import type { UnitOption } from "../../../language/ignition/unit-text.ts";

/** A program of Attune's image that a unit runs while no kubelet does. */
export interface ImageRun {
  /** Of the container. */
  readonly name: string;
  readonly image: string;
  /** Arguments of `attune`. The machine's root is at `/host`. */
  readonly args: string;
  /** Whether it finds addresses by name. Then the host must have `/etc/hosts` and `/etc/resolv.conf`: ctr mounts both. */
  readonly resolvesNames?: boolean;
}

export interface RunLines {
  readonly prepare: readonly UnitOption[];
  readonly run: UnitOption;
  readonly clean: readonly UnitOption[];
}

/** Hosts of kubeadm have containerd and no other program that runs an image. The kubelet's namespace: the agent has the same image. */
export const ctr = "ctr --namespace k8s.io";

/** From the files of the image, since ctr would take its user, who may change nothing on the machine. */
export function withContainerd({ name, image, args, resolvesNames = false }: ImageRun, program = ctr): RunLines {
  const files = `/run/${name}`;
  const network = resolvesNames ? "--net-host" : "--with-ns network:/proc/1/ns/net";
  // An empty control group is none of its own: ctr would leave the one above it behind.
  const rights = `--privileged ${network} --with-ns pid:/proc/1/ns/pid --cgroup= --env PATH=/usr/local/bin:/usr/sbin:/usr/bin`;
  const host = "--mount type=bind,src=/,dst=/host,options=rbind:rw";
  const unmount = `-${program} images unmount --rm ${files}`;
  return {
    prepare: [
      // Left by a start that was cut off.
      ["ExecStartPre", `-${program} containers rm ${name}`],
      ["ExecStartPre", unmount],
      ["ExecStartPre", `mkdir -p ${files}`],
      ["ExecStartPre", `${program} images mount --rw ${image} ${files}`],
    ],
    run: [
      "ExecStart",
      `${program} run --rm --rootfs ${rights} ${host} ${files} ${name} /usr/local/bin/attune ${args} --root /host`,
    ],
    clean: [
      // Where a time limit ended the unit, the container may still run: it is no child of the unit.
      ["ExecStopPost", `-${program} task rm --force ${name}`],
      ["ExecStopPost", `-${program} containers rm ${name}`],
      ["ExecStopPost", unmount],
    ],
  };
}

/** Podman has the images of CRI-O. */
export function withPodman({ name, image, args }: ImageRun): RunLines {
  const rights = "--privileged --user 0:0 --security-opt label=disable --network host --pid host";
  const host = "--volume /:/host:rslave --log-driver none";
  return {
    prepare: [],
    run: [
      "ExecStart",
      `podman run --name ${name} --replace --rm --pull never ${rights} ${host} --entrypoint attune ${image} ${args} --root /host`,
    ],
    clean: [["ExecStopPost", `-podman rm --force --ignore ${name}`]],
  };
}
